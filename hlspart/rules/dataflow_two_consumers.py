"""Two tasks of a DATAFLOW region read one variable.

## What it does
Reports a local array or stream that two tasks of one DATAFLOW region read after another one has written it, and an
array argument that one task reads and another one writes, or a stream argument that two tasks read. A producer that
reads its own array again is left alone.

## Why is this bad
A channel has one consumer. The tool refuses the region, or runs its tasks one after the other.

## Example
```c
void make(int a[64], int t[64]) {
  for (int i = 0; i < 64; i++) t[i] = a[i];
}
void use(int t[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = t[i];
}
void top(int a[64], int b[64], int c[64]) {
#pragma HLS dataflow
  int t[64];
  make(a, t);
  use(t, b);
  use(t, c);
}
```

## Use instead
```c
void make(int a[64], int t[64], int u[64]) {
  for (int i = 0; i < 64; i++) {
    t[i] = a[i];
    u[i] = a[i];
  }
}
void use(int t[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = t[i];
}
void top(int a[64], int b[64], int c[64]) {
#pragma HLS dataflow
  int t[64], u[64];
  make(a, t, u);
  use(t, b);
  use(u, c);
}
```

## Vitis message it predicts
`ERROR: [HLS 200-779] Non-shared array 't' failed dataflow checking: it can only have a single reader and a single
writer.`, for an argument `Argument 't' failed dataflow checking: it can only be used in one process.`
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import ArrayType, PointerType, ScalarType, StreamType, StructType, Variable
from hlspart.rules._base import Facts, Rule
from hlspart.rules._processes import DataflowRegion, Process, carries, inside, regions
from hlspart.rules._shared import apart, is_state, memories, registers
from hlspart.rules._uses import Path, calls, root_of

HINT = "write a copy for each reader in the task that produces it"
RULE = Rule("HLP602", "dataflow-two-consumers", "warning", hint=HINT)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Channels with two readers, and arguments that are used in two tasks."""
    free = apart(facts.program) | memories(facts.program) | registers(facts.program)
    for region in regions(facts.program):
        for process in region.processes:
            yield from _in_wrapper(facts, region, process)
        handed_on = {use.variable for use, _, users in region.outside(facts.program) if len(users) == 1}
        for use, writers, readers in region.channels():
            argument = facts.program.variable(use.variable)
            pointer = argument.storage == "parameter" and isinstance(argument.type, PointerType)
            if pointer and ("::" in region.function or _is_handed_on(facts, region.function, use.variable)):
                continue  # of no top, whose ports are said: it may be memory behind a master
            shared = not writers and argument.storage == "parameter"
            shared = shared and isinstance(argument.type, ArrayType | StreamType)
            if _is_scalar_member(argument, use.path):
                continue  # a size that the object was made with
            if use.variable in free or not carries(facts.program, use.variable) or (len(writers) != 1 and not shared):
                continue
            if use.variable not in region.local and is_state(facts.program, use.variable):
                continue  # another rule's
            variable = facts.program.variable(use.variable)
            users = [p for p in readers if p not in writers[:1] and (p.accesses(use) or not shared)]
            if use.variable not in region.local:
                both = [*users[:1], *writers] if writers else users[:2]
                if len(both) < 2:
                    continue
                if use.variable in handed_on and len(writers) == 1:
                    continue  # that it is declared outside is a finding of its own
                first, second = sorted(both, key=lambda p: p.index)
                words = f"'{variable.name}' of outside the region is used in two tasks, {first.name} and {second.name}"
                note, hint = "the first task", "let one task access it, and hand the data on in local channels"
            elif len(users) < 2:
                continue
            else:
                first, second = users[0], users[1]
                words = (
                    f"'{variable.name}' is read by {first.name} and by {second.name}, two tasks of one DATAFLOW region"
                )
                note, hint = "the first consumer", HINT
            at, other = (
                second.of(use, "read") or second.of(use, "write"),
                first.of(use, "read") or first.of(use, "write"),
            )
            assert at is not None
            assert other is not None
            related = [(other.at, note), (variable.at, "the variable"), (region.directive.at, "the region")]
            yield facts.report(RULE, at.at, words, hint, related)


def _is_handed_on(facts: Facts, function: str, parameter: int) -> bool:
    """Whether all that a function is given as a parameter are parameters of others."""
    at = facts.program.functions[function].params.index(parameter)
    given = [x.args[at] for own in calls(facts.program).values() for x in own if x.function == function]
    roots = [root_of(x) for x in given]
    return bool(roots) and all(r is not None and facts.program.variable(r[0]).storage == "parameter" for r in roots)


def _is_scalar_member(variable: Variable, path: Path) -> bool:
    """Whether a path goes to a scalar of an object that has channels too, such as the rows of an image."""
    kind, channels = variable.type, False
    for part in path:
        if not isinstance(kind, StructType) or not isinstance(part, str):
            return False
        members = dict(kind.members)
        channels = channels or any(isinstance(m, StreamType) for m in members.values())
        kind = members.get(part, kind)
    return channels and isinstance(kind, ScalarType)


def _in_wrapper(facts: Facts, region: DataflowRegion, process: Process) -> Iterator[Diagnostic]:
    """A parameter of an inlined function that two of its calls read, where it is given a local channel."""
    below = inside(facts.program, region, process)
    function = facts.program.functions[process.calls[0].function or ""] if below is not None else None
    if below is None or function is None:
        return
    given = dict(zip(function.params, process.calls[0].args, strict=False))
    free = apart(facts.program) | registers(facts.program)
    for use, writers, readers in below.channels():
        users = [p for p in readers if p not in writers and p.accesses(use)]
        root = root_of(given[use.variable]) if use.variable in given else None
        channel = root is not None and root[0] in region.local and carries(facts.program, root[0])
        if root is None or not channel or len(users) < 2 or {root[0], use.variable} & free:
            continue
        first, second = users[:2]
        at, other = second.of(use, "read"), first.of(use, "read")
        if at is not None and other is not None:
            name = facts.program.variable(root[0]).name
            message = f"'{name}' is read by {first.name} and by {second.name}, two tasks of one DATAFLOW region"
            related = [(other.at, "the first consumer"), (process.at, f"inlined: {process.name}")]
            yield facts.report(RULE, at.at, message, HINT, [*related, (region.directive.at, "the region")])
