"""Accesses to external memory that make no burst.

## What it does
Reports, for ports with `m_axi`: a volatile argument; an access in a loop whose index depends on data; one that
strides, jumps or goes backwards in its innermost loop, takes its counter by a division, stands under a condition that
its loop decides anew, or is what the loop waits for; and an array that a loop both reads and writes, where an
iteration reads what one before has written. And a CACHE before elements that are each read once and in order,
where INTERFACE says how long a burst is.

## Why is this bad
Each such access is a request of its own and waits for the memory, a hundred cycles and more, instead of one a cycle.

## Example
```c
void f(const int *a, int *b) {
#pragma HLS interface mode=m_axi port=a depth=256 bundle=g0
#pragma HLS interface mode=m_axi port=b depth=64 bundle=g1
  for (int i = 0; i < 64; i++) b[i] = a[4 * i];
}
```

## Use instead
```c
void f(const int *a, int *b) {
#pragma HLS interface mode=m_axi port=a depth=256 bundle=g0
#pragma HLS interface mode=m_axi port=b depth=64 bundle=g1
  int t[256];
  for (int i = 0; i < 256; i++) t[i] = a[i];
  for (int i = 0; i < 64; i++) b[i] = t[4 * i];
}
```

## Vitis message it predicts
One in the burst report that names what keeps the access from a burst.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from hlspart.model.access import Access
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Binary,
    Call,
    Const,
    Declare,
    ExprStmt,
    If,
    Jump,
    Loop,
    Name,
    Return,
    Stmt,
    Unary,
    walk,
    walk_statements,
)
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import entries
from hlspart.rules._fifos import accesses, is_by_data
from hlspart.rules._interfaces import innermost, interfaces
from hlspart.rules._mentions import changed, mentioned_in, read_values, reads
from hlspart.rules._nests import active, parents, pipelined_around
from hlspart.rules._traces import value_of
from hlspart.rules._uses import nodes, own_expressions

MOST_ITERATIONS, TRIALS = 16, (7, 12)  # iterations that are looked at, and values for what is not known
HINT = "copy the data to a local array in ascending order first, and compute there"
RULE = Rule("HLP421", "no-burst", "warning", hint=HINT)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """m_axi accesses without a burst: one finding for each access, or for the port."""
    tops = entries(facts)
    # buffers between the port and what is read
    cached = {v for kind in ("cache", "array_stencil") for d in active(facts.program, kind) for v in d.variables}
    for d, mode in interfaces(facts):
        for ident in d.variables if mode == "m_axi" and d.function in tops else ():
            variable = facts.program.variable(ident)
            related = [(d.at, "the port")]
            if variable.volatile and not _is_indexed(facts, d.function or "", ident):
                continue  # copied as a whole, by a pointer that may not be volatile
            if variable.volatile:
                message = f"'{variable.name}' is volatile: every access is a request of its own"
                yield facts.report(RULE, variable.at, message, "drop volatile", related)
                continue
            if ident in cached:
                yield from _cached(facts, d, ident)
                continue
            own = [a for group in accesses(facts, variable) for a in group]
            for a in own:
                reason = _reason(facts, a)
                if reason is not None:
                    verb = "read" if a.kind == "read" else "write"
                    yield facts.report(
                        RULE, a.at, f"no burst: this {verb} of '{variable.name}' {reason}", None, related
                    )
            yield from _carried(facts, own, variable.name, related[0])


def _cached(facts: Facts, port: Directive, ident: int) -> Iterator[Diagnostic]:
    """A cache in front of elements that are each read once, one after the other: it keeps them from bursts."""
    said = next((x for x in active(facts.program, "cache") if ident in x.variables), None)
    own = [a for group in accesses(facts, facts.program.variable(ident)) for a in group]
    asks = port.option("max_read_burst_length") is not None  # else the cache alone may be what is wanted
    if said is None or not asks or len(own) != 1 or own[0].kind != "read" or not own[0].affine or not own[0].index:
        return
    loop = facts.analysis.loops.get(own[0].loops[-1]) if len(own[0].loops) == 1 else None
    form = own[0].index[-1] if len(own[0].index) == 1 else None
    once = form is not None and loop is not None and form.coefficient(own[0].iterators[-1]) == 1 and loop.step == 1
    if once and _reason(facts, own[0]) is None:
        name = facts.program.variable(ident).name
        message = f"no burst: each element of '{name}' is read once and in order, and its cache prevents a burst"
        yield facts.report(RULE, said.at, message, "remove the CACHE", [(own[0].at, "the read"), (port.at, "the port")])


def _is_indexed(facts: Facts, name: str, ident: int) -> bool:
    """Whether single elements of an argument are accessed, here or in a function that is given it."""
    own = nodes(facts.program)[name]
    direct = any(isinstance(e, ArrayRef) and e.variable == ident for e in own)
    given = any(isinstance(e, Call) and any(isinstance(x, Name) and x.variable == ident for x in e.args) for e in own)
    return direct or given or any(isinstance(e, Unary) and e.op == "*" for e in own)


def _reason(facts: Facts, a: Access) -> str | None:
    if not a.loops:
        return None
    loop = facts.program.loops.get(a.loops[-1])
    if loop is not None and loop.test is not None and loop.kind == "while" and loop.test.at.span.holds(a.at.span):
        return f"decides how long loop {loop.name} runs"
    carried = (a.reason or "").endswith("changes from iteration to iteration")
    if not a.affine and (is_by_data(a) or carried) and _is_read_inside(facts, a):
        return "has an index that depends on data"
    if a.kind == "read" and loop is not None and (leaves := _ends(facts, a, loop)) is not None:
        return f"decides in line {leaves} whether loop {loop.name} goes on"
    info = facts.analysis.loops.get(a.loops[-1])
    if not a.affine:
        divided = (
            info is not None and info.variable is not None and _is_divided(facts, a, info.variable, info.step or 1)
        )
        if divided and info is not None:
            return f"has an index that divides the counter of loop {info.name}"
        jumps = _jumps(facts, a, loop) if facts.unrolled.get(a.loops[-1]) is None else None
        if jumps is not None and loop is not None:
            return f"{jumps} in loop {loop.name}"
        return "stands under a condition of its loop" if _is_conditional(facts, a) else None
    form = a.index[-1] if a.index else None
    if (
        form is None
        and info is not None
        and info.variable is not None
        and _is_divided(facts, a, info.variable, info.step or 1)
    ):
        return f"has an index that divides the counter of loop {info.name}"
    if form is None and loop is not None and facts.unrolled.get(loop.id) is None:
        jumps = _jumps(facts, a, loop)
        return f"{jumps} in loop {loop.name}" if jumps is not None else None
    if info is None or info.iterator is None or info.step is None or form is None or info.trip_count.exact == 1:
        return None
    stride = form.coefficient(info.iterator) * info.step
    if any(f is not None and f.coefficient(info.iterator) for f in (a.index or ())[:-1]):
        row = facts.program.variable(a.array).dims[-1] if facts.program.variable(a.array).dims else None
        return f"goes from row to row in loop {info.name}" if row != 1 else None
    if stride < 0:
        return f"goes backwards in loop {info.name}"
    unrolled = facts.unrolled.get(a.loops[-1]) is not None
    if stride > 1:
        alone = not unrolled and not _is_filled(facts, a, stride)
        return f"strides by {stride} elements in loop {info.name}" if alone else None
    return "stands under a condition of its loop" if stride == 1 and _is_conditional(facts, a) else None


def _jumps(facts: Facts, a: Access, loop: Loop | None) -> str | None:
    """How an index of a counter and of values that stay goes on, where no two iterations take elements in a row."""
    counter = facts.analysis.loops[loop.id].variable if loop is not None and loop.id in facts.analysis.loops else None
    step = facts.analysis.loops[loop.id].step if loop is not None and counter is not None else None
    node = next((e for e in nodes(facts.program)[a.function] if isinstance(e, ArrayRef) and e.id == a.ref), None)
    if counter is None or loop is None or not step or node is None or not node.indices:
        return None
    if any(counter in mentioned_in(index) for index in node.indices[:-1]):
        return None
    index, others = node.indices[-1], mentioned_in(node.indices[-1]) - {counter}
    if reads(index) or others & changed(facts.program, loop):
        return None
    trips = min(facts.analysis.loops[loop.id].trip_count.max or MOST_ITERATIONS, MOST_ITERATIONS)
    seen = set[int]()
    for trial in TRIALS if others else TRIALS[:1]:
        values = [
            value_of(facts.program, index, {counter: k * step, **dict.fromkeys(others, trial)}) for k in range(trips)
        ]
        plain = [v for v in values if v is not None]
        distances = {after - before for before, after in pairwise(plain)}
        if len(plain) < len(values) or not distances or distances & {-1, 0, 1}:
            return None
        seen |= distances
    if len(seen) == 1:
        return None  # a constant stride, which the form of the index would tell
    return "strides by a number that is not known" if others else "jumps from element to element"


def _ends(facts: Facts, a: Access, loop: Loop) -> int | None:
    """The line of the test that what an access reads decides, and that ends its loop: no burst has a length."""
    if loop.kind == "do" and loop.test is not None and mentioned_in(loop.test) & _values(facts, a, loop):
        return facts.place(loop.test.at).line
    for stmt in (s for s in loop.body.body if isinstance(s, If)):
        below = list(walk_statements(stmt))
        leaving = any(isinstance(s, Return) or (isinstance(s, Jump) and s.kind == "break") for s in below)
        decides = stmt.test.at.span.holds(a.at.span) or mentioned_in(stmt.test) & _values(facts, a, loop)
        if leaving and decides and not any(isinstance(s, Loop) for s in below):
            return facts.place(stmt.test.at).line
    return None


def _values(facts: Facts, a: Access, loop: Loop) -> frozenset[int]:
    """Local variables that get the element of an access as it is."""
    values: set[int] = set()
    for stmt in walk_statements(loop.body):
        for ident in stmt.variables if isinstance(stmt, Declare) else ():
            init = facts.program.variable(ident).init
            values |= {ident} if isinstance(init, ArrayRef) and init.id == a.ref else set()
        set_by = stmt.expr if isinstance(stmt, ExprStmt) else None
        if isinstance(set_by, Assign) and isinstance(set_by.target, Name) and isinstance(set_by.value, ArrayRef):
            values |= {set_by.target.variable} if set_by.value.id == a.ref else set()
    return frozenset(values)


def _is_filled(facts: Facts, a: Access, stride: int) -> bool:
    """Whether other accesses of the iteration take the elements that a stride leaves out: together they go on."""
    beside = [x for x in facts.analysis.of_array(a.array) if x.kind == a.kind and x.loops == a.loops and x.index]
    same = [x.index[-1] for x in beside if x.index and a.index and x.index[:-1] == a.index[:-1]]
    own = a.index[-1] if a.index else None
    return len({f.const % stride for f in same if f is not None and own is not None and f.terms == own.terms}) == stride


def _is_conditional(facts: Facts, a: Access) -> bool:
    """Whether an ``if`` around an access, in its innermost loop, tests what changes in the loop (HLS 214-232)."""
    loop, at = innermost(facts, a.loops), a.at.span
    if loop is None:
        return False
    fresh, conditional = changed(facts.program, loop), False
    element = facts.program.text(a.at)
    for stmt in walk_statements(loop.body):
        span = stmt.at.span
        around = span.path == at.path and span.start <= at.start and at.end <= span.end
        arms = (stmt.then, stmt.other) if isinstance(stmt, If) and around else ()
        own = next((x for x in arms if x is not None and x.at.span.start <= at.start < x.at.span.end), None)
        if own is not None and isinstance(stmt, If):
            if any(_is_same_in(facts, a, x) for x in arms if x is not None and x is not own):
                continue  # whichever arm is taken accesses it
            if any(isinstance(e, ArrayRef) and facts.program.text(e.at) == element for e in walk(stmt.test)):
                return False  # the test has read it already
            conditional = conditional or bool(fresh & mentioned_in(stmt.test))
    return conditional


def _is_same_in(facts: Facts, a: Access, arm: Stmt) -> bool:
    """Whether an arm has the same access."""
    span = arm.at.span
    beside = (b for b in facts.analysis.of_array(a.array) if b.kind == a.kind and b.index == a.index)
    return any(b.loops == a.loops and span.start <= b.at.span.start < span.end for b in beside)


def _carried(facts: Facts, own: list[Access], name: str, port: tuple[Origin, str]) -> Iterator[Diagnostic]:
    reported: set[int] = set()
    for a in own:
        loop = innermost(facts, a.loops)
        if a.kind != "write" or loop is None or loop.id in reported or facts.least is None:
            continue
        outer = parents(facts.program)[loop.id]
        if outer and pipelined_around(facts.program, a.function, outer[0]) is not None:
            continue  # unrolled: what one iteration of the pipeline writes and reads is one word
        witness = facts.least(loop.id, a.array)
        if witness is not None:
            reported.add(loop.id)
            message = f"no burst: an iteration of loop {loop.name} reads from '{name}' what one before has written"
            related = [(witness.source, "written here"), (loop.header, "the loop"), port]
            yield facts.report(RULE, witness.sink, message, None, related)


def _is_read_inside(facts: Facts, a: Access) -> bool:
    """Whether the index of an access holds a value that is read in its innermost loop itself."""
    loop = innermost(facts, a.loops)
    function = facts.program.functions.get(a.function)
    if loop is None or function is None:
        return False
    fresh, anew = read_values(facts.program, loop), changed(facts.program, loop)
    for top in own_expressions(facts.program, loop.body):
        for node in walk(top):
            if isinstance(node, ArrayRef) and node.id == a.ref:
                inside = [e for index in node.indices for e in walk(index)]
                same = (e for e in inside if isinstance(e, ArrayRef) and not mentioned_in(e) & anew)
                kept = {x for e in same for x in walk(e)}  # elements that the loop leaves alone are read before it
                inside = [e for e in inside if e not in kept]
                new = any(isinstance(e, (ArrayRef, Call)) for e in inside)
                return new or any(isinstance(e, Name) and e.variable in fresh for e in inside)
    return False


def _is_divided(facts: Facts, a: Access, counter: int, step: int) -> bool:
    """Whether an index holds a quotient or remainder of a loop's counter, other than by what that steps."""
    for top in own_expressions(facts.program, facts.program.functions[a.function].body):
        for node in walk(top):
            if isinstance(node, ArrayRef) and node.id == a.ref:
                parts = [e for index in node.indices for e in walk(index) if isinstance(e, Binary) and e.op in "/%"]
                parts = [e for e in parts if not (isinstance(e.right, Const) and e.right.value == step)]
                return any(isinstance(e, Name) and e.variable == counter for p in parts for e in walk(p.left))
    return False
