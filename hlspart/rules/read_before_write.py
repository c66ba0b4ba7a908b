"""A variable is read where nothing may have written it.

## What it does
Reports the read of elements of a local array that no write reaches, or none before the read, each time or where a sum
begins; and of a local scalar that has no value: no
statement before it writes it, or only some branches of an `if` do that stands on the way to it. A write in a loop
counts, even where the loop may not run, and where a condition chooses, the iteration before counts; so does a
`switch`.

## Why is this bad
In software the old content of a register or of the stack is read, often that of the iteration before. In hardware
there is no such thing: the tool takes any value, and C simulation and the circuit differ.

## Example
```c
void f(const int a[16], int b[16], int low) {
  for (int i = 0; i < 16; i++) {
    int kind;
    if (a[i] > low)
      kind = 2;
    else if (a[i] == 0)
      kind = 1;
    b[i] = kind;
  }
}
```

## Use instead
```c
void f(const int a[16], int b[16], int low) {
  for (int i = 0; i < 16; i++) {
    int kind = 0;
    if (a[i] > low)
      kind = 2;
    else if (a[i] == 0)
      kind = 1;
    b[i] = kind;
  }
}
```

## Vitis message it predicts
None in the log of the tool; clang's `variable is used uninitialized`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hlspart.model import program as c
from hlspart.model.access import Access
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._assigned import unwritten
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches
from hlspart.rules._left_out import never_run
from hlspart.rules._queries import sets_bits
from hlspart.rules._traces import constant
from hlspart.rules._uses import nodes, root_of, sets

RULE = Rule("HLP437", "read-before-write", "warning", names=True, hint="give it a value where it is declared")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """The first such read of each variable."""
    benches = of_benches(facts)
    hidden = frozenset(name for hole in facts.program.holes for name in hole.names)
    for name, function in facts.program.functions.items():
        labels = any(isinstance(s, c.Label) or (isinstance(s, c.Jump) and s.kind == "goto")
                     for s in c.walk_statements(function.body))  # fmt: skip
        if name in benches or labels:
            continue
        left_out = never_run(facts.program, name)
        chosen = any(isinstance(s, c.Switch) and constant(facts.program, s.test) is not None
                     for s in c.walk_statements(function.body))  # fmt: skip
        for variable, read, never in unwritten(facts.program, function):
            if variable.name in hidden or any(span.holds(read.span) for span in left_out):
                continue
            if chosen and not never:
                continue  # the case that a constant chooses may be one that writes it
            how = "before anything is written to it" if never else "although not every branch before writes it"
            message = f"'{variable.name}' is read {how}"
            yield facts.report(RULE, read, message, None, [(variable.at, "declared without a value")])
    for name, function in facts.program.functions.items():
        if name not in benches:
            yield from _elements(facts, function, hidden)


def _elements(facts: Facts, function: c.Function, hidden: frozenset[str]) -> Iterator[Diagnostic]:
    """Elements of local arrays outside of what any write reaches."""
    arrays = [v for v in facts.program.arrays() if v.function == function.name and v.storage == "local"]
    arrays = [v for v in arrays if v.init is None and not v.volatile and v.name not in hidden]
    plain = [v for v in arrays if v.as_array is not None and isinstance(v.as_array.element, c.ScalarType)]
    if not plain or function.open:
        return
    every = nodes(facts.program)[function.name]
    elsewhere = {e.variable for e in every if isinstance(e, c.Name)}
    parts = [e.operand for e in every if isinstance(e, c.Unary) and e.op == "&"]
    parts += [e for e in every if isinstance(e.type, (c.ArrayType, c.PointerType))]
    elsewhere |= {root[0] for e in parts if (root := root_of(e)) is not None}  # addresses and rows
    referred = _referred(facts.program, every)
    for variable in plain:
        uses = [u for u in sets(facts.program).below(function.body) if u.variable == variable.id]
        member = "." in variable.name  # which its object's constructor may fill
        only_read = bool(uses) and all(u.kind == "read" and u.exact for u in uses) and not member
        if only_read and variable.id not in referred and not _is_pointed_to(every, variable.id):
            message = f"'{variable.name}' is read, but nothing writes it"
            hint = "write all of it first, or give it a value where it is declared"
            yield facts.report(RULE, uses[0].at, message, hint, [(variable.at, "declared without a value")])
            continue
        left_out = never_run(facts.program, function.name)
        own = [a for a in facts.analysis.of_array(variable.id) if not any(s.holds(a.at.span) for s in left_out)]
        if variable.id in elsewhere | referred or not own:
            continue  # a pointer to it, or a call that is given it or an element
        writes, reads = ([a for a in own if a.kind == kind] for kind in ("write", "read"))
        early = reads[:1] if not writes else [a for a in reads if a.exact and _is_outside(a, writes)]
        what = "but nothing writes it" if not writes else "of which no write reaches some elements"
        if not early and (bare := _never_filled(facts, every, reads)) is not None:
            early, what = [bare[0]], bare[1]
        if early and writes and _is_by_promise(facts, early[0]):
            continue
        if early:
            message = f"'{variable.name}' is read, {what}"
            hint = "write all of it first, or give it a value where it is declared"
            yield facts.report(RULE, early[0].at, message, hint, [(variable.at, "declared without a value")])


def _referred(program: c.Program, own: Sequence[c.Expr]) -> frozenset[int]:
    """Arrays of which a call, or code that is not read, is given an element that it may write."""
    arrays = set[int]()
    for node in own:
        function = program.functions.get(node.function or "") if isinstance(node, c.Call) else None
        formals = [program.variable(v) for v in function.params] if function is not None else []
        args = node.args if isinstance(node, c.Call) else node.children if isinstance(node, c.OpaqueExpr) else ()
        if isinstance(node, c.Call) and (node.function or "").startswith("stream.write"):
            continue
        for k, arg in enumerate(args):
            if k >= len(formals) or formals[k].reference:
                arrays |= {e.variable for e in c.walk(arg) if isinstance(e, c.ArrayRef)}
            elif function is not None and (root := root_of(arg)) is not None and not isinstance(arg.type, c.ScalarType):
                own_of = nodes(program)[function.name]
                arrays |= {root[0]} if _is_pointed_to(own_of, formals[k].id) else set()  # it writes by a pointer
    return frozenset(arrays)


def _is_pointed_to(own: Sequence[c.Expr], ident: int) -> bool:
    """Whether the address of an array goes elsewhere than into a call."""
    handed = {id(x) for e in own if isinstance(e, c.Call) for a in e.args for x in c.walk(a)}
    apart = [e for e in own if id(e) not in handed]
    parts = [e.operand for e in apart if isinstance(e, c.Unary) and e.op == "&"]
    parts += [e for e in apart if isinstance(e, c.ArrayRef) and isinstance(e.type, c.ArrayType)]  # rows
    roots = (root_of(e) for e in parts)
    return any(isinstance(e, c.Name) and e.variable == ident for e in apart) or any(r and r[0] == ident for r in roots)


def _is_outside(read: Access, writes: Sequence[Access]) -> bool:
    """Whether a read takes an index below or above all that are written."""
    for k, (low, high) in enumerate(read.range or ()):
        ranges = [a.range[k] for a in writes if a.range is not None and len(a.range) > k]
        if len(ranges) < len(writes):
            return False
        lows, highs = [x for x, _ in ranges if x is not None], [x for _, x in ranges if x is not None]
        if low is not None and len(lows) == len(writes) and low < min(lows):
            return True
        if high is not None and len(highs) == len(writes) and high > max(highs):
            return True
    return False


def _is_by_promise(facts: Facts, read: Access) -> bool:
    """Whether the read may be of what is written if LOOP_TRIPCOUNT, which changes reports alone, is wrong."""
    promised = {d.loop for d in facts.program.directives if d.kind == "loop_tripcount" and d.usable}
    own = facts.analysis.of_array(read.array)
    if facts.proved is None or not any(promised & set(a.loops) for a in own):
        return False
    alone = facts.proved().of_array(read.array)
    again = next(a for a in alone if a.id == read.id)
    as_said = [a.domain for a in alone] == [a.domain for a in own]
    return not as_said and not _is_outside(again, [a for a in alone if a.kind == "write"])


def _never_filled(facts: Facts, own: Sequence[c.Expr], reads: Sequence[Access]) -> tuple[Access, str] | None:
    """A read of what the same call of the function has not written: each time, or where a sum begins.

    A window that is shifted before it is full is none: its first values are meant to be of no use.
    """
    sums = {
        e.target.id
        for e in own
        if isinstance(e, c.Assign) and e.op != "=" and isinstance(e.target, c.ArrayRef) and not sets_bits(e)
    }
    bits = {e.target.id for e in own if isinstance(e, c.Assign) and isinstance(e.target, c.ArrayRef) and sets_bits(e)}
    for read in reads:
        if read.ref in bits:
            continue  # the bits that stay are written beside it
        known = facts.unwritten(read) if facts.unwritten is not None and read.exact else None
        if known is not None and known[1]:
            return read, "but each time before anything writes the element"
        if known is not None and known[0] and read.ref in sums:
            return read, "which adds to it, before anything writes the element"
    return None
