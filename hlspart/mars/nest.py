"""The loop nest of a function as abstract accesses: what dataflow and tiling need, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from hlspart.mars.conditional import merged
from hlspart.mars.layouts import ArrayFacts
from hlspart.model.access import Access, AccessAnalysis, Affine, LoopInfo
from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.mars import NestAccess, TileForm
from hlspart.model.program import (
    Assign,
    Block,
    Call,
    Declare,
    Expr,
    ExprStmt,
    IncDec,
    Jump,
    Label,
    Loop,
    Name,
    Program,
    Return,
    Stmt,
    Switch,
    Variable,
    expressions,
    held,
    storage_bits,
    substatements,
    walk,
    walk_statements,
)
from hlspart.model.source import Origin
from hlspart.semantics.effects import statement_expressions
from hlspart.semantics.named import assigns, mentions
from hlspart.semantics.overlap import overlaps
from hlspart.sets.dataflow import largest


class TileNest(Struct, frozen=True):
    """One outermost loop of a function.

    ``key`` maps an array's key in ``accesses`` (its name, or name and id where two share one) to its
    variable. ``tiled``: forms of the tiling that the source itself has, with the names of its tile loops.
    ``fault``: why no tiling of the nest can be judged.
    """

    function: str
    loop: Loop
    accesses: tuple[NestAccess, ...]
    facts: Mapping[str, ArrayFacts]
    key: Mapping[str, int]
    iterators: tuple[str, ...]
    source_tiling: tuple[TileForm, ...]
    tile_loops: tuple[str, ...]
    fault: str | None = None
    sources: Mapping[int, Access] = field(default_factory=dict)  # the accesses behind ``accesses``, by id
    same: Mapping[int, int] = field(default_factory=dict)  # ArrayRef -> access that stands for it, too
    kept: Mapping[int, int] = field(default_factory=dict)  # reads of old values -> their writes


def place(program: Program, at: Origin) -> Place:
    """Where a piece of the program stands."""
    source = program.sources[at.span.path]
    line, column = source.line_column(at.span.start)
    end_line, end_column = source.line_column(at.span.end)
    return Place(at.span.path, line, column, end_line, end_column)


def error(program: Program, at: Origin, name: str, message: str) -> Diagnostic:
    """A located message of this command."""
    return Diagnostic(name, name, "error", place(program, at), message)


def nests(program: Program, analysis: AccessAnalysis, function: str, opaque: bool = False) -> tuple[TileNest, ...]:
    """The outermost loops of ``function`` that touch arrays, in text order.

    ``opaque``: conditions on iterators count as if they depended on data.
    """
    body = program.functions[function].body
    ranks = _ranks(body)
    tile_nests = []
    for loop in _outermost(body):
        inside = {s.id for s in walk_statements(loop) if isinstance(s, Loop)}
        mine = [a for a in analysis.accesses if a.function == function and a.loops and a.loops[0] in inside]
        if mine:
            tile_nests.append(_nest(program, analysis, function, loop, mine, ranks, opaque))
    return tuple(tile_nests)


def _outermost(stmt: Stmt) -> Iterator[Loop]:
    for sub in substatements(stmt):
        if isinstance(sub, Loop):
            yield sub
        else:
            yield from _outermost(sub)


def _ranks(body: Block) -> dict[int, int]:
    """Text order of loops."""
    return {s.id: k for k, s in enumerate(s for s in walk_statements(body) if isinstance(s, Loop))}


def _nest(
    program: Program,
    analysis: AccessAnalysis,
    function: str,
    loop: Loop,
    mine: Sequence[Access],
    ranks: Mapping[int, int],
    opaque: bool,
) -> TileNest:
    plain = not any(isinstance(s, Jump | Return | Switch | Label) for s in walk_statements(loop))
    free = 1 + max(a.id for a in analysis.accesses)
    one = merged(mine, free, plain, opaque)
    refs = {a.id: a.ref for a in mine}
    mine = one.accesses
    private = {v for s in walk_statements(loop) if isinstance(s, Declare) for v in s.variables}
    arrays = dict.fromkeys(a.array for a in mine if a.array not in private)
    names = [program.variable(v).name for v in arrays]
    key = {(n if names.count(n) == 1 else f"{n}#{v}"): v for n, v in zip(names, arrays, strict=True)}
    back = {v: k for k, v in key.items()}
    faults: dict[int, str] = {}
    for a in mine:
        problem = _fault(program, analysis, a)
        if a.array in back and problem is not None:
            faults.setdefault(a.array, problem)
    for v, a in one.faults.items():
        text = program.text(a.at)
        faults.setdefault(v, f"{text} (line {program.line(a.at)}) may find a value written under a condition before it")
    good = [a for a in mine if a.array in back and a.array not in faults]
    first = _first_order(good)
    accesses = tuple(_access(program, analysis, a, back[a.array], first) for a in good)
    facts = {}
    for name, v in key.items():
        variable = program.variable(v)
        line = program.line(variable.at)
        bits = storage_bits(held(variable.type)) or 0
        facts[name] = ArrayFacts(variable.name, line, bits or 32, variable.dims, faults.get(v))
    iterators = tuple(dict.fromkeys(n for a in accesses for n in a.iterators))
    forms, tile_loops = _source_tiling(analysis, loop, accesses)
    return TileNest(
        function,
        loop,
        accesses,
        facts,
        key,
        iterators,
        forms,
        tile_loops,
        _scalar_fault(program, analysis, loop, private) or _names_fault(program, analysis, loop),
        {a.id: a for a in good},
        {refs[k]: v for k, v in one.same.items()},
        {k: v for k, v in one.kept.items() if any(a.id == k for a in good)},
    )


def _fault(program: Program, analysis: AccessAnalysis, a: Access) -> str | None:
    line = program.line(a.at)
    text = program.text(a.at)
    if not a.affine or a.map is None:
        return f"{text} (line {line}) is not affine: {a.reason}"
    uncounted = next((analysis.loops[k] for k in a.loops if analysis.loops[k].iterator is None), None)
    if uncounted is not None:
        return f"{text} (line {line}) stands in a loop without a counted form: {uncounted.cause}"
    if a.kind == "write" and not a.exact:
        return f"{text} (line {line}) is written under a condition that depends on data"
    if any(analysis.loops[k].exits for k in a.loops):
        return f"{text} (line {line}) stands in a loop that may be left early"
    return None


def _first_order(accesses: Sequence[Access]) -> dict[int, int]:
    """Least evaluation order among the accesses of each loop: its rank among what stands beside it."""
    first: dict[int, int] = {}
    for a in accesses:
        for k in a.loops:
            first[k] = min(first.get(k, a.order), a.order)
    return first


def _access(program: Program, analysis: AccessAnalysis, a: Access, array: str, first: Mapping[int, int]) -> NestAccess:
    backwards = tuple((analysis.loops[k].step or 1) < 0 for k in a.loops)
    line, column = program.sources[a.at.span.path].line_column(a.at.span.start)
    assert a.map is not None
    return NestAccess(
        a.id,
        array,
        a.kind,
        a.iterators,
        a.domain,
        a.map,
        (*(first[k] for k in a.loops), a.order),
        line,
        column,
        program.text(a.at),
        backwards,
    )


def _scalar_fault(program: Program, analysis: AccessAnalysis, loop: Loop, private: set[int]) -> str | None:
    """A scalar from outside the nest that is written in it must get its value anew in each iteration."""
    counters = {info.variable for info in analysis.loops.values()}
    for s in walk_statements(loop):
        for e in expressions(s):
            for x in walk(e):
                target = x.target if isinstance(x, Assign) else x.operand if isinstance(x, IncDec) else None
                if not isinstance(target, Name) or target.variable in private or target.variable in counters:
                    continue
                variable = program.variable(target.variable)
                if not _is_renewed(program, loop, variable):
                    return (
                        f"scalar {variable.name} (line {program.line(target.at)}) carries a value between iterations:"
                        " declare it inside the innermost loop, or make it an array"
                    )
    return None


def _names_fault(program: Program, analysis: AccessAnalysis, loop: Loop) -> str | None:
    names = overlaps(program, analysis.tops).stored_twice_named(statement_expressions(program, loop))
    return None if names is None else f"{names[0].name} and {names[1].name} may be one array"


def _is_renewed(program: Program, loop: Loop, variable: Variable) -> bool:
    """Whether all uses lie in one loop body that first assigns the variable, unconditionally."""
    inner: Loop | None = loop
    while inner is not None:
        deeper = [s for s in inner.body.body if mentions(program, s, variable.id)]
        if not deeper:
            return False
        head = deeper[0]
        if isinstance(head, ExprStmt) and isinstance(head.expr, Assign):
            # every enclosing loop's other statements must not use it: then each iteration starts with this
            return assigns(head, variable.id)
        inner = head if isinstance(head, Loop) and len(deeper) == 1 else None
    return False


def _source_tiling(
    analysis: AccessAnalysis, loop: Loop, accesses: Sequence[NestAccess]
) -> tuple[tuple[TileForm, ...], tuple[str, ...]]:
    """Loops ``for (i = ii; i < ii + s; ..)`` inside ``for (ii = c; ..; ii += s)``: forms ``i - c`` of size s."""
    infos: list[LoopInfo] = [
        analysis.loops[s.id] for s in walk_statements(loop) if isinstance(s, Loop) and s.id in analysis.loops
    ]
    forms: list[TileForm] = []
    outer: list[str] = []
    for info in infos:
        lower, name = info.lower, info.iterator
        if lower is None or name is None or info.step != 1 or len(lower.terms) != 1 or lower.const:
            continue
        tile, factor = lower.terms[0]
        above = next((x for x in infos if x.iterator == tile), None)
        if factor != 1 or above is None or above.lower is None or above.lower.terms or tile in outer:
            continue
        if above.step is None or above.step < 2 or not _is_within(accesses, name, tile, above.step):
            continue
        form = Affine.of({name: 1}, -above.lower.const)
        forms.append(TileForm(form, above.step, str(form)))
        outer.append(tile)
    return tuple(forms), tuple(outer)


def _is_within(accesses: Sequence[NestAccess], name: str, tile: str, step: int) -> bool:
    """Whether ``name`` stays below ``tile + step`` wherever both loops enclose an access."""
    for a in accesses:
        if name in a.iterators and tile in a.iterators:
            form = [int(n == name) - int(n == tile) for n in a.iterators]
            most = largest(a.domain, form)
            if most is None or most >= step:
                return False
    return True


def calls_functions(program: Program, function: str) -> bool:
    """Whether the function calls another one that has a body here."""
    body = program.functions[function].body
    every: Iterator[Expr] = (x for s in walk_statements(body) for e in expressions(s) for x in walk(e))
    return any(isinstance(x, Call) and x.function in program.functions for x in every)
