"""An AXI master port of unknown size without depth=, or with one that is too small.

## What it does
Reports `m_axi` on a pointer, or an array whose first extent is not known, without `depth=`; not for kernels that a
host calls by their C name (`extern "C"`), which are emulated with the memory of the host. Reports a `depth=` below the
elements that are accessed whatever the arguments are.

## Why is this bad
Co-simulation must know how many elements the test bench hands over. Without a depth it stops, or takes one element;
with one that is too small it reads and writes beyond them.

## Example
```c
void f(int *a) {
#pragma HLS interface mode=m_axi port=a
  for (int i = 0; i < 64; i++) a[i] = i;
}
```

## Use instead
```c
void f(int *a) {
#pragma HLS interface mode=m_axi port=a depth=64
  for (int i = 0; i < 64; i++) a[i] = i;
}
```

## Vitis message it predicts
`A depth specification is required for interface port 'a' for cosimulation`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic, Fix
from hlspart.model.program import ArrayType, Name, PointerType, Variable, walk
from hlspart.model.source import Edit, Span
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import entries
from hlspart.rules._fifos import accesses
from hlspart.rules._interfaces import depth_said, interfaces, is_for_host
from hlspart.rules._uses import calls

RULE = Rule("HLP419", "cosimulation-depth", "warning", hint="add depth= with the number of elements of the test bench")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """m_axi ports of unknown size, and accesses beyond a size that is said."""
    yield from _accesses_past_end(facts)
    tops = frozenset(name for name in entries(facts) if not is_for_host(facts, name))
    said = {v for d, _ in interfaces(facts) if d.option("depth") is not None for v in d.variables}
    for d, mode in interfaces(facts):
        for ident in d.variables if mode == "m_axi" and d.function in tops else ():
            variable = facts.program.variable(ident)
            match variable.type:
                case PointerType():
                    pass
                case ArrayType(dims=(None, *_)) if not _has_written_extent(facts, variable):
                    pass
                case _:
                    continue
            if ident in said:
                continue
            message = f"the size of '{variable.name}' is not known, and INTERFACE has no depth= for co-simulation"
            least = _touched(facts, ident) if not _is_handed_on(facts, d.function or "", ident) else None
            hint, fix = None, None
            if least is not None:
                hint = f"add depth={least}, the elements that are accessed, or more"
                if facts.is_editable(d):
                    end = d.at.span.end
                    fix = Fix(f"add depth={least}", (Edit(Span(d.at.span.path, end, end), f" depth={least}"),), False)
            yield facts.report(RULE, d.at, message, hint, [(variable.at, "the port")], fix)


def _has_written_extent(facts: Facts, variable: Variable) -> bool:
    """Whether the text says the outermost extent, by a name that a header gives a value."""
    brackets = variable.declarations[0].brackets
    return bool(brackets) and bool(facts.program.text(brackets[0]).strip("[] \t\r\n"))


def _accesses_past_end(facts: Facts) -> Iterator[Diagnostic]:
    reported: set[int] = set()
    for access in facts.analysis.accesses:
        variable = facts.program.variable(access.array)
        said = depth_said(facts, variable) if access.witness is not None else None
        if said is None or access.witness is None or variable.volatile or variable.id in reported:
            continue
        arguments = {facts.program.variable(v).name for v in facts.program.functions[access.function].params}
        if arguments & set(access.witness):
            continue  # as many as the arguments say that the test bench gives
        reported.add(variable.id)
        where = ", ".join(f"{k} = {v}" for k, v in access.witness.items())
        message = (
            f"'{variable.name}' is said to have {said.option('depth')} elements, but a {access.kind} is beyond them"
        )
        related = [(access.at, f"the {access.kind}" + (f", at {where}" if where else ""))]
        yield facts.report(RULE, said.at, message, "say the depth that the test bench needs", related)


def _touched(facts: Facts, ident: int) -> int | None:
    """The elements from the first to the last one that is accessed, where all accesses are known."""
    highest = 0
    for group in accesses(facts, facts.program.variable(ident)):
        for a in group:
            if a.range is None or len(a.range) != 1 or a.range[0][1] is None:
                return None
            highest = max(highest, a.range[0][1] + 1)
    return highest or None


def _is_handed_on(facts: Facts, name: str, ident: int) -> bool:
    """Whether a call is given the port: what it touches there is not counted."""
    own = calls(facts.program)[name]
    return any(isinstance(x, Name) and x.variable == ident for call in own for arg in call.args for x in walk(arg))
