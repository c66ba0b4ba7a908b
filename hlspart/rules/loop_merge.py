"""LOOP_MERGE of loops that cannot be merged.

## What it does
Reports LOOP_MERGE where one of the loops below it has a constant bound and another a variable one, where two have
different variable bounds, where one may end before its count, where two access one stream or FIFO, and where a merged
loop would read an element of an array before the loop that writes it has come there.

## Why is this bad
The tool refuses to merge, or with `force` builds a loop that computes something else.

## Example
```c
void f(int a[64], int b[64], int n) {
#pragma HLS loop_merge
  for (int i = 0; i < 64; i++) a[i] = i;
  for (int i = 0; i < n; i++) b[i] = i;
}
```

## Use instead
```c
void f(int a[64], int b[64]) {
#pragma HLS loop_merge
  for (int i = 0; i < 64; i++) a[i] = i;
  for (int i = 0; i < 64; i++) b[i] = i;
}
```

## Vitis message it predicts
`Cannot merge loops`, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from hlspart.model.access import Access
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import (
    ArrayType,
    Binary,
    Call,
    Expr,
    Loop,
    Name,
    OpaqueExpr,
    Stmt,
    StreamType,
    expressions,
    walk,
    walk_statements,
)
from hlspart.rules._base import Facts, Rule
from hlspart.rules._fifos import fifos
from hlspart.rules._nests import active, exit_of
from hlspart.rules._queries import in_blocks
from hlspart.rules._uses import Path, VariableUse, sets

RULE = Rule("HLP223", "loop-merge", "warning", hint="remove it, or give the loops one order and one bound")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Neighbours below LOOP_MERGE."""
    queues = frozenset(variable.id for _, variable in fifos(facts))
    for d in active(facts.program, "loop_merge"):
        if d.function not in facts.program.functions:
            continue
        body = (
            facts.program.loops[d.loop].body if d.loop is not None else facts.program.functions[d.function or ""].body
        )
        loops = [s for s in in_blocks(body) if isinstance(s, Loop)]
        whole = not any(isinstance(e, (Call, OpaqueExpr)) for s in walk_statements(body) for e in _parts(s))
        every = [s for s in walk_statements(body) if isinstance(s, Loop)]  # also below conditions and in other loops
        if len(every) < 2 and every == loops and whole:
            where = f"loop {facts.program.loops[d.loop].name}" if d.loop is not None else f"{d.function}()"
            message = f"{where} has {'one loop' if loops else 'no loop'} in it: there is nothing to merge"
            yield facts.report(RULE, d.at, message, "remove it", [(x.header, "the loop") for x in loops])
            continue
        known = [(x, facts.analysis.loops[x.id].trip_count.exact) for x in loops if x.id in facts.analysis.loops]
        fixed = [x for x, trips in known if trips is not None]
        open_ = [x for x, trips in known if trips is None and facts.analysis.loops[x.id].cause is None]
        if fixed and open_:
            message = f"loop {open_[0].name} has a variable bound; {fixed[0].name} has a constant one"
            yield facts.report(RULE, d.at, message, None, [(open_[0].header, "the variable bound")])
            continue
        bounds = [(x, b) for x in open_ if (b := _bound(x)) is not None]
        unlike = next(((a, b) for (a, one), (b, other) in pairwise(bounds) if one != other), None)
        if unlike is not None:
            message = f"loops {unlike[0].name} and {unlike[1].name} have different variable bounds"
            related = [(x.header, "a variable bound") for x in unlike]
            yield facts.report(RULE, d.at, message, None, related)
            continue
        left = next((s for x in loops if (s := exit_of(x)) is not None), None)
        if len(loops) > 1 and left is not None:
            message = "loops that may end before their count are not merged"
            yield facts.report(RULE, d.at, message, "use a condition in the body", [(left.at, "ends its loop")])
            continue
        both = _fifo_in_two(facts, loops, queues)
        if both is not None:
            name = facts.program.variable(both[0].variable).name
            message = f"'{name}' is accessed in two of the loops: merged, its words are taken in another order"
            yield facts.report(RULE, d.at, message, None, [(u.at, "accessed here") for u in both])
            continue
        for k, first in enumerate(loops):
            for second in loops[k + 1 :]:
                early = _early(facts, first, second)
                if early is not None:
                    name = facts.program.variable(early.array).name
                    message = f"merged, loop {second.name} reads '{name}' before loop {first.name} has written it"
                    yield facts.report(RULE, d.at, message, None, [(early.at, "read here"), (first.header, "written")])


def _parts(stmt: Stmt) -> Iterator[Expr]:
    for top in expressions(stmt):
        yield from walk(top)


def _bound(loop: Loop) -> int | None:
    """The variable that a loop counts up to, where its test says no more."""
    match loop.test:
        case Binary(op="<" | "<=", right=Name(variable=ident)):
            return ident
    return None


def _fifo_in_two(facts: Facts, loops: list[Loop], queues: frozenset[int]) -> tuple[VariableUse, VariableUse] | None:
    """Two accesses of one kind to one stream, or to one array that a directive makes a FIFO, in different loops."""
    first: dict[tuple[int, Path, str], tuple[int, VariableUse]] = {}
    for k, loop in enumerate(loops):
        for use in sets(facts.program).below(loop):
            kind = facts.program.variable(use.variable).type
            kind = kind.element if isinstance(kind, ArrayType) else kind
            if (isinstance(kind, StreamType) and use.exact) or use.variable in queues:
                path = use.path if isinstance(kind, StreamType) else ()
                before, other = first.setdefault((use.variable, path, use.kind), (k, use))
                if before != k:
                    return other, use
    return None


def _early(facts: Facts, first: Loop, second: Loop) -> Access | None:
    """A read of the second loop that, in one iteration of both, is ahead of the only write of the first."""
    one, other = facts.analysis.loops.get(first.id), facts.analysis.loops.get(second.id)
    if one is None or other is None or one.iterator is None or other.iterator is None:
        return None
    for write in facts.analysis.accesses:
        if write.kind != "write" or write.loops != (first.id,) or write.index is None or len(write.index) != 1:
            continue
        for read in facts.analysis.of_array(write.array):
            if read.kind != "read" or read.loops != (second.id,) or read.index is None or len(read.index) != 1:
                continue
            made, used = write.index[0], read.index[0]
            if made is None or used is None or one.step is None or other.step is None:
                continue
            steps = made.coefficient(one.iterator) * one.step, used.coefficient(other.iterator) * other.step
            if steps[0] > 0 and (steps[1] < 0 or (steps[0] == steps[1] and used.const > made.const)):
                return read
    return None
