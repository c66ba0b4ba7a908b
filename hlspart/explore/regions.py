"""Regions: nests that follow each other and hand their values on where they lie on the chip.

A region is what the user calls one, or what a pattern of nest kinds finds. A line of a pattern file is
``[PRIORITY:] KIND[*] KIND[*] ... | KIND ...``: ``|`` splits it, ``X*`` is X once to :data:`REPEATS` times.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hlspart.explore.errors import RequestFileError
from hlspart.explore.held import cycles
from hlspart.explore.layers import LayerEdge
from hlspart.explore.records import HeldArray, ReadNest, named_otherwise
from hlspart.model.exploring import ExternalMemory
from hlspart.model.program import ArrayRef, Assign, Declare, ExprStmt, Loop, PragmaMark, Program, walk_statements

KINDS = ("copy", "map", "stencil", "reduce", "matmul")
REPEATS = 4
_LINE = re.compile(r"(?:(-?\d+)\s*:)?(.*)")


class KindPattern(Struct, frozen=True):
    """Kinds in a row, and which of them may repeat."""

    text: str
    priority: int
    kinds: tuple[tuple[str, bool], ...]

    def lengths(self, kinds: Sequence[str], start: int) -> list[int]:
        """How many nests from ``start`` on it can match, in all ways."""
        ends = {start}
        for kind, repeats in self.kinds:
            reached = set()
            for end in ends:
                for n in range(1, (REPEATS if repeats else 1) + 1):
                    if end + n > len(kinds) or kinds[end + n - 1] != kind:
                        break
                    reached.add(end + n)
            ends = reached
        return sorted(end - start for end in ends)


class NestRegion(Struct, frozen=True):
    """Numbers of nests in the order of the text; ``by``: the pattern or the pragma that made them one."""

    members: tuple[int, ...]
    by: str | None = None


def patterns(path: str, text: str) -> tuple[KindPattern, ...]:
    """The patterns of a file. Raises :class:`RequestFileError`."""
    patterns = []
    for number, line in enumerate(text.splitlines(), 1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        head = _LINE.fullmatch(content)
        priority, rest = (head[1], head[2]) if head is not None else (None, content)
        for part in rest.split("|"):
            words = part.split()
            for word in words:
                if word.removesuffix("*") not in KINDS:
                    at = line.index(word) + 1
                    raise RequestFileError(
                        f"{path}:{number}:{at}: error: {word!r} is no kind of nest: {', '.join(KINDS)}"
                    )
            if not words:
                raise RequestFileError(f"{path}:{number}:1: error: a pattern is empty")
            kinds = tuple((w.removesuffix("*"), w.endswith("*")) for w in words)
            patterns.append(KindPattern(" ".join(words), int(priority or 0), kinds))
    return tuple(patterns)


def kind(nest: ReadNest) -> str:
    """What a nest does: sums of products, other sums, windows, copies, or a value for each element."""
    tiled = nest.nest
    if tiled.reductions:
        factors = [o for o in tiled.operands if not o.written and o.loops & tiled.reductions]
        return "matmul" if len(factors) > 1 else "reduce"
    if any(d.width > 1 or len(d.terms) > 1 for o in tiled.operands if o.read and not o.written for d in o.dims):
        return "stencil"
    statements = [s for s in walk_statements(nest.body) if not isinstance(s, PragmaMark | Declare)]
    moves = [
        isinstance(s, ExprStmt) and isinstance(s.expr, Assign) and s.expr.op == "="
        and isinstance(s.expr.value, ArrayRef) for s in statements if s is not nest.body and not isinstance(s, Loop)
    ]  # fmt: skip
    return "copy" if moves and all(moves) and not nest.kept else "map"


def regions(
    nests: Sequence[ReadNest | None], given: Sequence[NestRegion], taken: Sequence[KindPattern],
    edges: Sequence[LayerEdge],
) -> tuple[NestRegion, ...]:  # fmt: skip
    """Every nest in one region; None: one that keeps its text. ``given``: what the user made.

    Of the patterns' matches the longest is taken first, then the one of the highest priority, then the first in the
    text; in a match each nest reads what the one before it wrote.
    """
    used = {m for r in given for m in r.members}
    kinds = ["" if n is None or k in used else kind(n) for k, n in enumerate(nests)]
    linked = {(e.before, e.behind) for e in edges if "RAW" in e.kinds and "barrier" not in e.kinds}
    matches = []
    for number, pattern in enumerate(taken):
        for start in range(len(nests)):
            for length in pattern.lengths(kinds, start):
                if all((k, k + 1) in linked for k in range(start, start + length - 1)):
                    matches.append((-length, -pattern.priority, start, number))
    all_regions = list(given)
    for length, _, start, number in sorted(matches):
        members = tuple(range(start, start - length))
        if not used & set(members):
            used |= set(members)
            all_regions.append(NestRegion(members, taken[number].text))
    all_regions += [NestRegion((k,)) for k in range(len(nests)) if k not in used]
    return tuple(sorted(all_regions, key=lambda r: r.members))


def joined(
    program: Program, nests: Mapping[int, ReadNest], held: tuple[HeldArray, ...], off_chip: ExternalMemory
) -> dict[int, ReadNest]:
    """The nests of a region with what they hand on used where it lies: arrays of the function, and what is ``held``."""
    windows = [
        (k, o.written, w.variable)
        for k, n in nests.items()
        for o, w in zip(n.nest.operands, n.windows, strict=True)
        if not o.private
    ]
    local = {v.id for _, _, v in windows if v.storage in ("local", "static")}
    written = {v.id for _, writes, v in windows if writes}
    shared = {i for i in local & written if len({k for k, _, v in windows if v.id == i}) > 1}
    shared -= {i for n in nests.values() for i in named_otherwise(program, n)}
    shared |= {a.variable.id for a in held}

    def placed(number: int, nest: ReadNest) -> ReadNest:
        first, last = number == min(nests), number == max(nests)
        moves = [replace(a, loaded=a.loaded and first, stored=a.stored and last) for a in held]
        operands = tuple(
            replace(o, in_place=o.in_place or w.variable.id in shared)
            for o, w in zip(nest.nest.operands, nest.windows, strict=True)
        )
        tiled = replace(nest.nest, operands=operands, borders=cycles(moves, off_chip))
        return replace(nest, nest=tiled, held=held, first=first, last=last)

    return {k: placed(k, n) for k, n in nests.items()}
