"""The text of local copies: their declarations, the loops that load and store them, and the uses that change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from hlspart.expand.region import Refusal
from hlspart.expand.texts import affine_text, as_many, braced, in_front, indent_of, padded, type_text
from hlspart.model.access import AccessAnalysis, Affine
from hlspart.model.program import Program
from hlspart.model.source import Edit
from hlspart.reuse.local import LocalCopy
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.names import Names
from hlspart.rewrite.pragmas import renamed


def with_local_copies(
    program: Program, analysis: AccessAnalysis, copies: Sequence[LocalCopy]
) -> Mapping[str, tuple[Edit, ...]]:
    """Edits that make them; those whose text does not allow it are left out."""
    return as_many(program, copies, partial(_edits, program, analysis))


def _edits(program: Program, analysis: AccessAnalysis, copies: Sequence[LocalCopy], buffer: EditBuffer) -> None:
    names = Names.of(program)
    braced(program, buffer, [c.first for c in copies if c.first is c.last])
    for copy in copies:
        variable = program.variable(copy.variable)
        local = names.free(f"{variable.name}_local")
        points = [names.free("k") for s in copy.sides if s.words > 1 or s.kept]
        shape = "".join(
            f"[{(s.extent or s.words) if s.kept else s.words}]" for s in copy.sides if s.words > 1 or s.kept
        )
        lines = [f"{type_text(program, copy.variable)} {local}{shape};"]
        where = partial(affine_text, program, analysis, copy.first.function)
        bases = [where(side.base) if side.base.terms else "" for side in copy.sides]
        if copy.loaded:
            lines += _moved(variable.name, local, points, copy, bases, load=True)
        in_front(program, buffer, copy.first, lines)
        for use, index in copy.uses:
            if use.name.kind not in ("plain", "argument"):
                raise Refusal("macro", "a macro names the array", use.at)
            buffer.replace(use.name, local)
            for k, side in enumerate(copy.sides):
                if not side.kept:
                    form = index[k]
                    assert form is not None
                    place = form - side.base - Affine((), side.low)
                    text = f"[{where(place)}]" if side.words > 1 else ""
                    buffer.replace(use.brackets[k], text)
        _dependences(program, copy, local, buffer)
        if copy.written:
            pad = indent_of(program, copy.last.at)
            lines = _moved(local, variable.name, points, copy, bases, load=False)
            buffer.insert(copy.last.at.span.path, copy.last.at.span.end, "".join("\n" + padded(pad, x) for x in lines))


def _dependences(program: Program, copy: LocalCopy, local: str, buffer: EditBuffer) -> None:
    """What is said of the argument's dependences in these loops holds for the copy, and there only."""
    first, last, name = copy.first.at.span, copy.last.at.span, program.variable(copy.variable).name
    for directive in program.directives:
        if directive.kind != "dependence" or copy.variable not in directive.variables or directive.pragma is None:
            continue
        at = program.pragmas[directive.pragma].at
        if at.span.path == first.path and first.start <= at.span.start < last.end:
            new = renamed(program.text(at), name, local)
            if new is None:
                raise Refusal("pragma", f"a pragma on {name} is spelled in a way that cannot be edited", at)
            buffer.replace(at, new)


def _moved(
    source: str, target: str, points: Sequence[str], copy: LocalCopy, bases: Sequence[str], load: bool
) -> list[str]:
    """Loops that copy the elements, from the argument or back to it."""
    lines, own, outside = list[str](), list[str](), list[str]()
    left = list(points)
    for side, base in zip(copy.sides, bases, strict=True):
        if side.words == 1 and not side.kept:
            outside.append(_sum(base, side.low))
            continue
        point, pad = left.pop(0), "    " * len(own)
        start, end = (side.low, side.high + 1) if side.kept else (0, side.words)
        brace = " {" if not left else ""
        lines.append(f"{pad}for (int {point} = {start}; {point} < {end}; {point}++){brace}")
        own.append(point)
        outside.append(point if side.kept else _sum(" + ".join(x for x in (base, point) if x), side.low))
    here, there = "".join(f"[{p}]" for p in own), "".join(f"[{x}]" for x in outside)
    pad = "    " * len(own)
    moved = f"{target}{here} = {source}{there};" if load else f"{target}{there} = {source}{here};"
    return [*lines, "#pragma HLS PIPELINE II=1", f"{pad}{moved}", f"{pad[4:]}}}"] if own else [moved]


def _sum(text: str, constant: int) -> str:
    if not text:
        return str(constant)
    return text if not constant else f"{text} {'+' if constant > 0 else '-'} {abs(constant)}"
