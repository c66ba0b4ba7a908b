"""From a program and a ``--tile`` text to a :class:`MarsResult`, with located messages for what cannot be used."""

from __future__ import annotations

from hlspart.mars.copies import apart, copies
from hlspart.mars.copies import notes as copy_notes
from hlspart.mars.layouts import layouts
from hlspart.mars.nest import TileNest, calls_functions, error, nests
from hlspart.mars.placement import placed
from hlspart.mars.tiling import BadTiling, names_of, parse
from hlspart.model.access import AccessAnalysis
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.mars import MarsArray, MarsOptions, MarsResult, TileForm
from hlspart.model.program import Program
from hlspart.model.source import Origin
from hlspart.sets.region import TooHard

TILE, REFUSED, ILLEGAL = "mars-tile", "mars-refused", "mars-illegal-tiling"


def expanded(program: Program, analysis: AccessAnalysis, function: str) -> tuple[Program, AccessAnalysis]:
    """The program with the calls of ``function`` expanded, where it has any."""
    if not calls_functions(program, function):
        return program, analysis
    from hlspart.accesses import analyse as accesses
    from hlspart.transform.inline import inline

    copy, _ = inline(program, function)
    return copy, accesses(copy, function)


def analyse(
    program: Program,
    analysis: AccessAnalysis,
    function: str,
    tiles: str | None,
    options: MarsOptions | None = None,
) -> MarsResult:
    """MARS of the loop nest of ``function`` that ``tiles`` (None: the source's own tile loops) applies to."""
    options = options or MarsOptions()
    program, analysis = expanded(program, analysis, function)
    at = program.functions[function].name_at
    path = at.span.path
    chosen = choose(program, analysis, function, tiles, options)
    if isinstance(chosen, Diagnostic):
        return MarsResult(path, function, (), diagnostics=(chosen,), unusable=True)
    nest, forms = chosen
    if nest.fault is not None:
        return _refused(program, nest, forms, nest.fault)
    tile_loops = nest.tile_loops if forms == nest.source_tiling else ()
    opaque = False
    moved: tuple[str, ...] = ()
    try:
        if options.place:
            placement = placed(nest, analysis, forms)
            if isinstance(placement, str):
                return _refused(program, nest, forms, placement)
            nest, moved = placement
        result = layouts(nest.accesses, forms, nest.facts, options, tile_loops)
        if result.apart and not options.place:
            other = next(n for n in nests(program, analysis, function, True) if n.loop is nest.loop)
            again = layouts(other.accesses, forms, other.facts, options, tile_loops)
            if not again.apart:
                nest, result, opaque = other, again, True
        stored = copies(nest, result, forms, options, tile_loops)
        if stored and not options.copies:
            helped = ", ".join(nest.facts[k].name for k in stored)
            moved = (*moved, f"with --copies {helped} would be stored once for each class of accesses")
            stored = {}
        if stored:
            moved = (*moved, *copy_notes(nest, stored))
            nest = apart(nest, stored)
            result = layouts(nest.accesses, forms, nest.facts, options, tile_loops)
    except TooHard as problem:
        return _refused(program, nest, forms, f"the dataflow of the nest is not decided: {problem}")
    notes = (*moved, *result.notes)
    if opaque:
        notes = ("a condition splits the nest: every tile moves the data of all its arms", *notes)
    said_all = [_at_access(program, nest, v.reader.id, ILLEGAL, str(v)) for v in result.violations]
    for record in result.arrays:
        if not record.accepted and not any(str(v) == record.reason for v in result.violations):
            where = _where(program, nest, record)
            said_all.append(error(program, where, REFUSED, f"{record.name}: {record.reason}"))
    return MarsResult(
        path,
        function,
        forms,
        result.arrays,
        result.actual,
        tuple(dict.fromkeys(said_all)),
        legal=not result.violations,
        opaque=opaque,
        placed=options.place,
        loop=nest.loop.id,
        copies=stored,
        notes=notes,
    )


def _refused(program: Program, nest: TileNest, forms: tuple[TileForm, ...], reason: str) -> MarsResult:
    """No array has an answer, for one reason."""
    arrays = tuple(
        MarsArray(f.name, False, reason, "input", "unknown", f.line, element_bits=f.element_bits)
        for f in nest.facts.values()
    )
    said = error(program, nest.loop.at, REFUSED, reason)
    return MarsResult(nest.loop.at.span.path, nest.function, forms, arrays, diagnostics=(said,), loop=nest.loop.id)


def choose(
    program: Program, analysis: AccessAnalysis, function: str, tiles: str | None, options: MarsOptions
) -> tuple[TileNest, tuple[TileForm, ...]] | Diagnostic:
    """The nest and its tiling, or what is wrong with either."""
    here = program.functions[function].name_at
    every = nests(program, analysis, function)
    if not every:
        return error(program, here, TILE, f"{function} has no loop nest that accesses an array")
    if options.nest is not None:
        lines = ", ".join(str(program.line(n.loop.at)) for n in every)
        every = tuple(n for n in every if options.nest in _called(program, analysis, n))
        if not every:
            return error(program, here, TILE, f"{function} has no nest {options.nest}: nests begin in lines {lines}")
    if tiles is None:
        tiled = [n for n in every if n.source_tiling]
        if len(tiled) != 1:
            what = "several loop nests are tiled" if tiled else "no --tile is given and no loop of the source is tiled"
            return error(program, (tiled or every)[0].loop.at, TILE, f"{what}; iterators are {_names(every[0])}")
        return tiled[0], tiled[0].source_tiling
    forms = parse(tiles, ())
    if isinstance(forms, BadTiling):
        return error(program, every[0].loop.at, TILE, str(forms))
    names = set(names_of(forms))
    fitting = [n for n in every if names <= set(n.iterators)]
    if not fitting:
        nearest = max(every, key=lambda n: len(names & set(n.iterators)))
        wrong = parse(tiles, nearest.iterators)
        if not isinstance(wrong, BadTiling):  # no access is left that could be tiled
            faults = [f.fault for f in nearest.facts.values() if f.fault is not None]
            return error(program, nearest.loop.at, TILE, "; ".join(faults) or "no access of the nest can be tiled")
        return error(program, nearest.loop.at, TILE, str(wrong))
    if len(fitting) > 1:
        lines = ", ".join(str(program.line(n.loop.at)) for n in fitting)
        several = f"several loop nests of {function} have these iterators (lines {lines}); --nest LINE chooses one"
        return error(program, fitting[1].loop.at, TILE, several)
    nest = fitting[0]
    for a in () if options.place else nest.accesses:
        missing = [n for n in names_of(forms) if n not in a.iterators]
        if missing:
            return _at_access(
                program, nest, a.id, TILE,
                f"{a.text} lies outside the loop over {missing[0]}: the tiling applies to no such statement"
                " (--place puts it there)",
            )  # fmt: skip
    return nest, forms


def _called(program: Program, analysis: AccessAnalysis, nest: TileNest) -> tuple[str, str]:
    """What ``--nest`` may call a nest."""
    return analysis.loops[nest.loop.id].name, str(program.line(nest.loop.at))


def _names(nest: TileNest) -> str:
    return ", ".join(nest.iterators)


def _at_access(program: Program, nest: TileNest, ident: int, name: str, text: str) -> Diagnostic:
    return error(program, nest.sources[ident].at, name, text)


def _where(program: Program, nest: TileNest, record: MarsArray) -> Origin:
    variable = next((v for k, v in nest.key.items() if nest.facts[k].name == record.name), None)
    return nest.loop.at if variable is None else program.variable(variable).at
