"""DEPENDENCE denies a dependence that the data decide.

## What it does
Reports `dependence ... inter false`, or a `distance` above 1, on an array that the loop writes at an index that
depends on data, and reads as well; in a function without a loop, where a loop calls it with such an index.

## Why is this bad
Whether two iterations meet cannot be known from the code. In a histogram, two equal bins within the pipeline's
depth lose a count: C simulation is right, the hardware is wrong for some inputs.

## Example
```c
void f(const int x[64], int hist[256]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1
#pragma HLS dependence variable=hist inter false
    hist[x[i] & 255] += 1;
  }
}
```

## Use instead
```c
void f(const int x[64], int hist[256]) {
  int old = x[0] & 255, sum = 0;
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=2
    int bin = x[i] & 255;
    if (bin != old) {
      hist[old] = sum;
      sum = hist[bin];
    }
    sum += 1;
    old = bin;
  }
  hist[old] = sum;
}
```

## Vitis message it predicts
None: the tool believes the pragma.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from hlspart.model.access import Access
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.program import ArrayRef, Binary, Call, Declare, Expr, If, Name, Stmt, walk, walk_statements
from hlspart.rules._base import Facts, Rule
from hlspart.rules._fifos import is_by_data
from hlspart.rules._mentions import changed, mentioned_in, read_values, reads
from hlspart.rules._uses import own_expressions

HINT = "keep the last element in a variable and compare the index, or prove that equal indices are apart"
RULE = Rule("HLP213", "dependence-by-data", "warning", hint=HINT)
_CLASSES = ("array", "pointer")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Denials that no analysis can confirm."""
    yield from _within(facts)
    for d in facts.program.directives:
        says = d.choice("dependent", ("true", "false"))
        denies = d.kind == "dependence" and d.usable and (says != "true" or d.values.get("distance", 0) > 1)
        forward = d.choice("direction", ("raw", "war", "waw")) in (None, "raw")
        if not denies or not forward or d.choice("type", ("inter", "intra")) == "intra":
            continue
        for ident in about(facts, d):
            inside = [a for a in facts.analysis.of_array(ident) if d.loop is None or d.loop in a.loops]
            inside = [a for a in inside if a.function == d.function and a.loops]
            written = next(
                (
                    a
                    for a in inside
                    if a.kind == "write" and (is_by_data(a) or _is_by_copy(facts, a)) and not _is_table(facts, a)
                ),
                None,
            )
            if written is None:
                inside = _in_callees(facts, d) or (_called_in_loops(facts, d, ident) if d.loop is None else [])
                written = next((a for a in inside if a.kind == "write"), None)
            if written is None:
                yield from _under_condition(facts, d, ident)
                continue
            read = next(
                (
                    a
                    for a in inside
                    if a.kind == "read" and (d.loop or not a.loops or set(a.loops) & set(written.loops))
                ),
                None,
            )
            if read is None or _compares(facts, d):
                continue
            name = facts.program.variable(ident).name
            message = (
                f"'{name}' has an index that depends on data: that iterations do not meet cannot be known; "
                "the hardware is wrong where two of them do within the pipeline"
            )
            related = [(written.at, "written here"), (read.at, "read here")]
            yield facts.report(RULE, d.at, message, None, related)


def _compares(facts: Facts, d: Directive) -> bool:
    """Whether the loop compares what it has just read with what it keeps of earlier iterations, to be right."""
    loop = facts.program.loops[d.loop] if d.loop is not None else None
    if loop is None:
        return False
    fresh, kept = read_values(facts.program, loop), changed(facts.program, loop.body)
    for test in (s.test for s in walk_statements(loop.body) if isinstance(s, If)):
        for e in walk(test):
            if isinstance(e, Binary) and e.op in ("==", "!="):
                sides = mentioned_in(e.left), mentioned_in(e.right)
                if any(a & fresh and b & kept - fresh for a, b in (sides, sides[::-1])):
                    return True
    return False


def about(facts: Facts, d: Directive) -> Sequence[int]:
    """The arrays that a DEPENDENCE is about: what names none is about all of its loop."""
    if d.variables or d.option("variable") is not None or d.loop is None or d.choice("class", _CLASSES) == "pointer":
        return d.variables
    inside = {a.array: None for a in facts.analysis.accesses if d.loop in a.loops and a.function == d.function}
    return [array for array in inside if facts.program.variable(array).is_array]


def _under_condition(facts: Facts, d: Directive, ident: int) -> Iterator[Diagnostic]:
    """A write that data decide, of what a later iteration reads."""
    witness = facts.carried(replace(d, variables=(ident,))) if facts.carried is not None else None
    loop = facts.program.loops[d.loop] if d.loop is not None else None
    if witness is None or witness.sure or loop is None:
        return
    fresh, at = read_values(facts.program, loop), witness.source.span
    for stmt in walk_statements(loop.body):
        arms = (stmt.then, stmt.other) if isinstance(stmt, If) else ()
        around = any(x is not None and x.at.span.start <= at.start < x.at.span.end for x in arms)
        if around and isinstance(stmt, If) and (fresh & mentioned_in(stmt.test) or reads(stmt.test)):
            name = facts.program.variable(ident).name
            message = (
                f"data decide whether '{name}' is written here, and {witness.distance} iterations later it is read "
                f"in loop {loop.name}: the hardware is wrong where it is"
            )
            related = [(witness.source, "written here"), (witness.sink, "read here")]
            hint = f"remove it, or say distance={witness.distance} dependent=true"
            yield facts.report(RULE, d.at, message, hint, related)
            return


def _is_by_copy(facts: Facts, access: Access) -> bool:
    """Whether an index is a member of a structure that the loop reads from somewhere."""
    at = access.reason_at
    if access.affine or at is None or "struct member" not in (access.reason or "") or not access.loops:
        return False
    name = facts.program.text(at).partition(".")[0].strip()
    fresh = read_values(facts.program, facts.program.loops[access.loops[-1]])
    return any(facts.program.variable(v).name == name for v in fresh)


def _is_table(facts: Facts, access: Access) -> bool:
    """Whether the value that an index depends on stands in a table of constants, which its user knows."""
    if access.reason_at is None:
        return False
    around = access.reason_at.span
    loads = [
        facts.program.variable(a.array) for a in facts.analysis.accesses
        if a.at.span.path == around.path and around.start <= a.at.span.start < around.end
    ]  # fmt: skip
    return bool(loads) and all(v.const and v.init is not None for v in loads)


def _in_callees(facts: Facts, d: Directive) -> list[Access]:
    """Accesses in what the loops that a directive is about call, by an argument that is read from somewhere."""
    groups = {facts.analysis.group_of.get(v) for v in d.variables}
    loops = [x for x in facts.program.loops.values() if x.id == d.loop or (d.loop is None and x.function == d.function)]
    accesses: list[Access] = []
    for call in (call for loop in loops for call in _calls(facts, loop.body)):
        inside = [a for a in facts.analysis.accesses if a.function == call.function]
        tied = [a for a in inside if facts.analysis.group_of.get(a.array) in groups - {None}]
        accesses += _by_argument(facts, call, tied)
    return accesses


def _called_in_loops(facts: Facts, d: Directive, ident: int) -> list[Access]:
    """Accesses of a function without a loop, where a loop calls it with an index that is read from somewhere."""
    own = [a for a in facts.analysis.of_array(ident) if a.function == d.function]
    if any(a.loops for a in own) or any(x.function == d.function for x in facts.program.loops.values()):
        return []
    for loop in facts.program.loops.values():
        for call in _calls(facts, loop.body):
            accesses = _by_argument(facts, call, own) if call.function == d.function else []
            if accesses:
                return accesses
    return []


def _calls(facts: Facts, body: Stmt) -> list[Call]:
    tops = own_expressions(facts.program, body)
    return [e for top in tops for e in walk(top) if isinstance(e, Call) and e.function in facts.program.functions]


def _by_argument(facts: Facts, call: Call, accesses: Sequence[Access]) -> list[Access]:
    """Those whose index depends on data, or on a parameter for which a call gives what it reads from somewhere."""
    function = facts.program.functions[call.function or ""]
    pairs = zip(function.params, call.args, strict=False)
    data = {p for p, arg in pairs if any(isinstance(e, ArrayRef) or _read(e) for e in walk(arg))}
    for stmt in walk_statements(function.body):  # what is computed from such a parameter
        for v in stmt.variables if isinstance(stmt, Declare) else ():
            init = facts.program.variable(v).init
            if init is not None and data & {e.variable for e in walk(init) if isinstance(e, Name)}:
                data.add(v)
    indices = {
        e.id: {x.variable for index in e.indices for x in walk(index) if isinstance(x, Name)}
        for top in own_expressions(facts.program, function.body) for e in walk(top) if isinstance(e, ArrayRef)
    }  # fmt: skip
    return [a for a in accesses if is_by_data(a) or data & indices.get(a.ref, set())]


def _read(expr: Expr) -> bool:
    return isinstance(expr, Call) and expr.function == "stream.read"


def _within(facts: Facts) -> Iterator[Diagnostic]:
    """A denial within an iteration, of a write and a later read whose indices are two values of data."""
    for d in facts.program.directives:
        denies = d.kind == "dependence" and d.usable and d.choice("dependent", ("true", "false")) != "true"
        if not denies or d.choice("type", ("inter", "intra")) != "intra":
            continue
        for ident in about(facts, d):
            inside = [a for a in facts.analysis.of_array(ident) if a.function == d.function and is_by_data(a)]
            inside = sorted((a for a in inside if d.loop is None or d.loop in a.loops), key=lambda a: a.order)
            pairs = ((w, r) for w in inside if w.kind == "write" for r in inside if r.kind == "read")
            meeting = (p for p in pairs if p[0].order < p[1].order and p[0].loops == p[1].loops)
            written, read = next((p for p in meeting if not set(p[0].branch) ^ set(p[1].branch)), (None, None))
            if written is None or read is None or _is_table(facts, written) or _is_table(facts, read):
                continue
            name = facts.program.variable(ident).name
            message = (
                f"data decide whether '{name}' is read where this iteration has written it: the hardware is wrong then"
            )
            related = [(written.at, "written here"), (read.at, "read here")]
            yield facts.report(RULE, d.at, message, "remove it, or compare the two indices", related)
            break
