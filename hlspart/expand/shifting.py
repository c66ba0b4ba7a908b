"""Elements updated in place, in registers that move with the loop: each is loaded once and stored once.

``if (a[j] > a[j + 1]) swap`` loads and stores two elements in each iteration, and the next one waits for both. Here an
element is loaded by the first iteration that may use it, stays in a variable of its own, moves on from variable to
variable, and is stored by the last one. Every element takes the same operations in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

from msgspec import Struct

from hlspart.expand.accumulators import innermost
from hlspart.expand.interleave import around
from hlspart.expand.purity import used_by_calls
from hlspart.expand.region import Refusal, build, first_value
from hlspart.expand.scalars import certain_references, subscript_names
from hlspart.expand.texts import Texts, as_many, block_of, braced, in_front, indent_of, names_in, type_text
from hlspart.model.access import Access, AccessAnalysis, LoopInfo
from hlspart.model.program import (
    ArrayRef,
    Jump,
    Label,
    Loop,
    PragmaMark,
    Program,
    Return,
    ScalarType,
    walk,
    walk_statements,
)
from hlspart.model.results import IIResult
from hlspart.model.source import Edit
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.names import Names
from hlspart.semantics.effects import effects, statement_expressions

_MOST_KEPT = 8  # elements of one row


class ShiftedElements(Struct, frozen=True):
    """Elements of an array that follow each other as ``loop`` runs; ``places``: its references by how many further on.

    The one at ``depth`` is the youngest. ``source``: a reference whose subscripts only the iterator moves.
    """

    loop: Loop
    array: int
    places: tuple[tuple[ArrayRef, int], ...]
    source: tuple[ArrayRef, int]

    @property
    def depth(self) -> int:
        """The most iterations for which an element is kept."""
        return max(place for _, place in self.places)


def shifted(program: Program, analysis: AccessAnalysis, figures: IIResult) -> tuple[ShiftedElements, ...]:
    """Arrays updated in place by loops that miss their II by ports or by recurrences through them."""
    elements: list[ShiftedElements] = []
    for result in figures.loops:
        limits = (x for x in result.limits if x.kind in ("memory-port", "recurrence") and x.ii > (result.aim or 1))
        short = {x.array if x.kind == "memory-port" else x.variable for x in limits}
        if result.misses and result.loop >= 0 and short:
            for loop in innermost(program, result):
                elements += (x for x in _of_loop(program, analysis, loop) if program.variable(x.array).name in short)
    return tuple(elements)


def in_registers(
    program: Program, analysis: AccessAnalysis, chosen: Sequence[ShiftedElements]
) -> dict[str, tuple[Edit, ...]]:
    """Edits that keep the elements in variables; arrays whose text does not allow it stay."""
    return as_many(program, chosen, partial(_edits, program, analysis))


def _of_loop(program: Program, analysis: AccessAnalysis, loop: Loop) -> Iterator[ShiftedElements]:
    info = analysis.loops[loop.id]
    if loop.kind != "for" or info.iterator is None or info.variable is None or not info.step or info.exits:
        return
    if any(isinstance(s, Jump | Return | Label) for s in walk_statements(loop.body)):
        return
    refs = {
        e.id: e for root in statement_expressions(program, loop.body) for e in walk(root) if isinstance(e, ArrayRef)
    }
    certain = {r for s in loop.body.body for r in certain_references(program, s)}
    inside = [a for a in analysis.accesses if loop.id in a.loops]
    elsewhere = used_by_calls(program, analysis, loop)
    for array in dict.fromkeys(a.array for a in inside if a.kind == "write" and a.array not in elsewhere):
        variable = program.variable(array)
        kind = getattr(variable.type, "element", getattr(variable.type, "target", None))
        group = next((g for g in analysis.groups if g.id == analysis.group_of.get(array)), None)
        known = group is not None and not group.faults and len(group.members) == 1
        mine = [a for a in inside if a.array == array]
        if not known or variable.volatile or not isinstance(kind, ScalarType) or any(a.ref not in refs for a in mine):
            continue
        for row in _rows(mine, info) or ():
            elements = _of_row(program, loop, array, [(refs[a.ref], place) for a, place in row], certain)
            if elements is not None and any(a.kind == "write" for a, _ in row):
                yield elements


def _rows(accesses: Sequence[Access], info: LoopInfo) -> list[list[tuple[Access, int]]] | None:
    """Accesses that meet in later iterations, each with its place; None where it is not known which ones do."""
    rows: dict[tuple[int, ...], list[tuple[Access, int]]] = {}
    terms = None
    for access in accesses:
        if access.index is None or None in access.index or access.loops[-1] != info.loop:
            return None
        forms = [f for f in access.index if f is not None]
        moves = [f.coefficient(info.iterator or "") * (info.step or 0) for f in forms]
        if sum(map(bool, moves)) != 1 or terms not in (None, tuple(f.terms for f in forms)):
            return None
        terms = tuple(f.terms for f in forms)
        (dim,) = (k for k, move in enumerate(moves) if move)
        key = tuple(f.const % abs(moves[dim]) if k == dim else f.const for k, f in enumerate(forms))
        rows.setdefault(key, []).append((access, (forms[dim].const - key[dim]) // moves[dim]))
    least = {key: min(place for _, place in row) for key, row in rows.items()}
    return [[(access, place - least[key]) for access, place in row] for key, row in rows.items()]


def _of_row(
    program: Program, loop: Loop, array: int, places: Sequence[tuple[ArrayRef, int]], certain: set[int]
) -> ShiftedElements | None:
    """The elements of one row; None where some iteration may use neither the first nor the last of them.

    Those are loaded and stored in every iteration, so they have to be in the array.
    """
    sure = {place for ref, place in places if ref.id in certain}
    last = max(place for _, place in places)
    if not 1 <= last <= _MOST_KEPT or not {0, last} <= sure:
        return None
    moved = effects(program).modified(loop) - names_in_header(loop)
    plain = [(r, p) for r, p in places if not subscript_names(r) & moved and r.at.kind == "plain"]
    unique = {(r.id, p): (r, p) for r, p in places}
    return ShiftedElements(loop, array, tuple(unique.values()), plain[0]) if plain else None


def names_in_header(loop: Loop) -> frozenset[int]:
    """Variables that the step of a loop names: its iterator, and what that moves by."""
    return names_in(loop.step)


def _edits(program: Program, analysis: AccessAnalysis, chosen: Sequence[ShiftedElements], buffer: EditBuffer) -> None:
    names = Names.of(program)
    first, last, behind = dict[Loop, list[str]](), dict[Loop, list[str]](), dict[Loop, list[str]]()
    for item in chosen:
        loop, info = item.loop, analysis.loops[item.loop.id]
        build(program, analysis, loop.function, (loop.id,), counted=False, in_order=True)
        editable = all(ref.at.editable and ref.at.kind == "plain" for ref, _ in item.places)
        if block_of(program, loop) is None or loop.at.span.path not in program.given or not editable:
            raise Refusal("macro", "a macro makes the accesses", loop.header)
        texts = Texts(program, program.functions[loop.function].body)
        name, kind = program.variable(item.array).name, type_text(program, item.array)
        kept = [names.free(f"{name}_at{k}") for k in range(item.depth + 1)]
        start = texts.text(first_value(program, loop).at.span, {}, {})
        runs, end = _runs(program, texts, item, info, start, names)
        in_front(program, buffer, loop, [
            *runs.declared,
            *([f"{kind} {', '.join(kept[:-1])};", f"if ({runs.test}) {{"] if runs.test else []),
            *(f"{runs.pad}{'' if runs.test else f'{kind} '}{kept[k]} = {_element(texts, item, info, start, k)};"
              for k in range(item.depth)),
            *(["}"] if runs.test else []),
        ])  # fmt: skip
        iterator = program.variable(info.variable or 0).name
        first.setdefault(loop, []).append(f"{kind} {kept[-1]} = {_element(texts, item, info, iterator, item.depth)};")
        last.setdefault(loop, []).extend([
            f"{_element(texts, item, info, iterator, 0)} = {kept[0]};",
            *(f"{old} = {young};" for old, young in pairwise(kept)),
            *runs.counted,
        ])  # fmt: skip
        behind.setdefault(loop, []).extend([
            *([f"if ({runs.test}) {{"] if runs.test else []),
            *(f"{runs.pad}{_element(texts, item, info, end, k)} = {kept[k]};" for k in range(item.depth)),
            *(["}"] if runs.test else []),
        ])  # fmt: skip
        for ref, place in item.places:
            buffer.replace(ref.at, kept[place])
    for loop in first:
        body = [s for s in loop.body.body if not isinstance(s, PragmaMark)]
        pad = indent_of(program, body[0].at)
        around(program, loop, (body[0], body[-1]), f"\n{pad}".join(first[loop]), last[loop], buffer)
        outer = indent_of(program, loop.at)
        buffer.insert(loop.at.span.path, loop.at.span.end, "".join(f"\n{outer}{line}" for line in behind[loop]))
    braced(program, buffer, first)


class _Runs(Struct, frozen=True):
    """How to tell whether a loop runs at all, and where it ends; ``test`` empty: it always runs."""

    declared: tuple[str, ...]
    test: str
    counted: tuple[str, ...]

    @property
    def pad(self) -> str:
        """In front of what runs only with the loop."""
        return "    " if self.test else ""


def _runs(
    program: Program, texts: Texts, item: ShiftedElements, info: LoopInfo, start: str, names: Names
) -> tuple[_Runs, str]:
    """Whether the loop runs, and the text of the value with which its iterator leaves it."""
    trips, lower, step = info.trip_count, info.lower, info.step or 0
    if trips.exact is not None and trips.exact > 0 and lower is not None and not lower.terms:
        return _Runs((), "", ()), str(lower.const + step * trips.exact)
    assert info.variable is not None
    iterator, kind = program.variable(info.variable).name, type_text(program, info.variable)
    end = names.free(f"{iterator}_end")
    counted = f"{end} = {iterator} {'-' if step < 0 else '+'} {abs(step)};"
    declared = [f"{kind} {end} = {start};"]
    if trips.min:
        return _Runs(tuple(declared), "", (counted,)), end
    if item.loop.test is None or effects(program).modified(item.loop) & names_in(item.loop.test) - {info.variable}:
        raise Refusal("trip-count", f"whether {item.loop.name} runs cannot be told ahead of it", item.loop.header)
    runs = names.free(f"{iterator}_runs")
    test = texts.text(item.loop.test.at.span, {info.variable: f"({start})"}, {})
    return _Runs((*declared, f"const int {runs} = {test};"), runs, (counted,)), end


def _element(texts: Texts, item: ShiftedElements, info: LoopInfo, at: str, place: int) -> str:
    """The text of an element, with ``at`` for the iterator."""
    ref, own = item.source
    further = (place - own) * (info.step or 0)
    if at.lstrip("-").isdigit():
        value, further = str(int(at) + further), 0
    else:
        value = at if at.isidentifier() else f"({at})"
    if further:
        value = f"({value} {'-' if further < 0 else '+'} {abs(further)})"
    value = f"({value})" if value[0] == "-" else value
    return texts.text(ref.at.span, {info.variable or 0: value}, {})
