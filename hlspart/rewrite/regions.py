"""Bank-centric code, the questions: which accesses of one array happen together, and may they move?

A region is the body of the innermost loop around some accesses. Its reads move to the front of the
iteration and its stores to the end; this module decides where that is right, and which accesses
can share one load or store site per bank. Proofs are emptiness tests of isl sets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hlspart.layouts.blockcyclic import BlockCyclicLayout
from hlspart.layouts.lattice import LatticeLayout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.access import Access, AccessAnalysis, Affine, ArrayGroup
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Binary,
    Block,
    Call,
    Conditional,
    Declare,
    Expr,
    If,
    IncDec,
    Jump,
    Label,
    Loop,
    PragmaMark,
    Program,
    Return,
    Stmt,
    Switch,
    children,
    expressions,
    walk,
    walk_statements,
)
from hlspart.model.source import Origin
from hlspart.rewrite.uses import Uses

Layout = PerDimLayout | LatticeLayout | BlockCyclicLayout


@dataclass(frozen=True, slots=True)
class Blocked:
    """Why accesses cannot be moved together."""

    code: str
    reason: str
    at: Origin


@dataclass(frozen=True, eq=False)
class Site:
    """One textual access of a region. ``index`` is over iterators; ``conditional``: not in every iteration."""

    ref: ArrayRef
    read: Access | None
    write: Access | None
    index: tuple[Affine, ...]
    conditional: bool
    parent: Assign | IncDec | None
    read_lane: int = -1
    write_lane: int = -1

    @property
    def access(self) -> Access:
        """Either of the two; they share domain and map."""
        access = self.read or self.write
        assert access is not None
        return access


@dataclass(frozen=True)
class Region:
    """All accesses to one array in the body of one loop, in order of evaluation."""

    loop: Loop
    variable: int
    names: Mapping[str, str]  # iterator name in sets -> variable name
    sites: tuple[Site, ...]
    read_lanes: int
    write_lanes: int
    independent: bool = False  # no element is written and read in different iterations


@dataclass
class _Found:
    """What stands directly in a loop body."""

    refs: dict[int, tuple[ArrayRef, bool, Assign | IncDec | None]] = field(default_factory=dict)
    jumps: list[Origin] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    inner: list[Loop] = field(default_factory=list)


def regions(
    program: Program,
    analysis: AccessAnalysis,
    group: ArrayGroup,
    layout: Layout,
    uses: Uses,
    by_ref: Mapping[int, Sequence[Access]],
) -> tuple[tuple[Region, ...], tuple[tuple[ArrayRef, tuple[int, ...]], ...]] | Blocked:
    """The regions of all members of ``group`` and their accesses to fixed elements outside of loops, or why
    bank-centric code is not possible."""
    fixed: list[tuple[ArrayRef, tuple[int, ...]]] = []
    found: dict[tuple[int, int], list[ArrayRef]] = {}
    for member in group.members:
        for use in uses.by_variable.get(member, ()):
            if use.kind != "element":
                continue
            assert isinstance(use.node, ArrayRef)
            access = by_ref[use.node.id][0]
            if not access.loops:
                forms = access.index or (None,)
                if any(f is None or f.terms for f in forms):
                    return Blocked("no-loop", "an access outside of loops", use.node.at)
                fixed.append((use.node, tuple(f.const for f in forms if f is not None)))
                continue
            found.setdefault((access.loops[-1], member), []).append(use.node)
    result = []
    for (loop, member), refs in found.items():
        region = _region(program, analysis, group, layout, program.loops[loop], member, refs, by_ref, uses)
        if isinstance(region, Blocked):
            return region
        result.append(region)
    return tuple(result), tuple(fixed)


def _region(
    program: Program,
    analysis: AccessAnalysis,
    group: ArrayGroup,
    layout: Layout,
    loop: Loop,
    member: int,
    refs: Sequence[ArrayRef],
    by_ref: Mapping[int, Sequence[Access]],
    uses: Uses,
) -> Region | Blocked:
    body = _Found()
    _statement(program, loop.body, False, body)
    first = by_ref[refs[0].id][0]
    names: dict[str, str] = {}
    for ident in first.loops:
        info = analysis.loops[ident]
        if info.iterator is not None and info.variable is not None:
            names[info.iterator] = program.variable(info.variable).name
    if len(set(names.values())) != len(names):
        return Blocked("shadowed-iterator", "two iterators of the nest have one name", loop.at)
    sites = []
    for ref in refs:
        if ref.id not in body.refs:
            return Blocked("loop-header", "an access in a loop's header", ref.at)
        _, conditional, parent = body.refs[ref.id]
        accesses = by_ref[ref.id]
        read = next((a for a in accesses if a.kind == "read"), None)
        write = next((a for a in accesses if a.kind == "write"), None)
        index = accesses[0].index
        forms = [f for f in index or () if f is not None]
        if index is None or len(forms) != len(index):
            return Blocked("index-form", "an index that is not a sum of iterators", ref.at)
        if any(n not in names for f in forms for n in f.names):
            return Blocked("index-form", "an index with a value that is no iterator", ref.at)
        sites.append(Site(ref, read, write, tuple(forms), conditional or bool(body.jumps), parent))
    sites.sort(key=lambda s: min(a.order for a in (s.read, s.write) if a is not None))
    blocked = _order(program, group, loop, member, sites, body, uses, by_ref)
    if blocked is not None:
        return blocked
    region = _with_lanes(layout, loop, member, names, sites)
    for k, early in enumerate(region.sites):
        for late in region.sites[k + 1 :]:
            if early.write and late.write and early.write_lane > late.write_lane and _meet(early, late):
                return Blocked("write-order", "two stores of one iteration may go to one element", late.ref.at)
    return region


def _order(
    program: Program,
    group: ArrayGroup,
    loop: Loop,
    member: int,
    sites: Sequence[Site],
    body: _Found,
    uses: Uses,
    by_ref: Mapping[int, Sequence[Access]],
) -> Blocked | None:
    """Whether reads first, stores last keeps the order that matters."""
    writes = any(s.write for s in sites)
    if writes and body.jumps:
        return Blocked("jump", "a jump could skip the stores at the end of the iteration", body.jumps[0])
    inner = {other.id for outer in body.inner for other in _loops(outer)}
    for use in uses.by_variable.get(member, ()):
        if use.kind == "element" and isinstance(use.node, ArrayRef):
            for access in by_ref[use.node.id]:
                if inner & set(access.loops) and (writes or access.kind == "write"):
                    return Blocked("inner-loop", "the array is also accessed in a loop inside this one", access.at)
    for other in group.members:
        if other == member or {program.variable(v).storage for v in (member, other)} & {"parameter"} == set():
            continue
        for use in uses.by_variable.get(other, ()):  # the two may be one array
            if use.kind == "element" and isinstance(use.node, ArrayRef):
                for access in by_ref[use.node.id]:
                    if loop.id in access.loops and (writes or access.kind == "write"):
                        return Blocked("alias", "two parameters may be the same array", access.at)
    called = {c.function for c in body.calls}
    for call in body.calls:
        for argument in call.args:
            for node in walk(argument):
                if getattr(node, "variable", None) in group.members and not isinstance(node, ArrayRef):
                    return Blocked("call", "the array is handed on inside the loop that accesses it", call.at)
    if program.variable(member).function is None and any(name in program.functions for name in called if name):
        return Blocked("call", "a called function may access the array", body.calls[0].at)
    for k, early in enumerate(sites):
        for late in sites[k + 1 :]:
            if early.write and late.read and _meet(early, late):
                reason = "a value is written and read again in one iteration"
                return Blocked("read-after-write", reason, late.ref.at)
    return None


def _loops(loop: Loop) -> Iterator[Loop]:
    for stmt in walk_statements(loop):
        if isinstance(stmt, Loop):
            yield stmt


def _meet(a: Site, b: Site) -> bool:
    """Whether the two touch one element in some iteration (True also when isl gives up)."""
    from hlspart.poly.region import Regions, TooHard

    space = Regions(a.access.iterators, (1,) * len(a.access.iterators))
    try:
        both = space.region(a.access.domain).meet(space.region(b.access.domain))
        extents = (0,) * len(a.index)
        touched = space.touch(both, a.index, None, extents).agree(space.touch(both, b.index, None, extents))
        return not touched.empty
    except TooHard:
        return True


def _with_lanes(layout: Layout, loop: Loop, member: int, names: Mapping[str, str], sites: Sequence[Site]) -> Region:
    """Deal the sites out to lanes: sites of one lane never need different elements of one bank at once."""
    conflicts = _conflicts(layout, sites)
    read = _lanes([k for k, s in enumerate(sites) if s.read], conflicts)
    write = _lanes([k for k, s in enumerate(sites) if s.write], conflicts)
    placed = tuple(
        Site(s.ref, s.read, s.write, s.index, s.conditional, s.parent, read.get(k, -1), write.get(k, -1))
        for k, s in enumerate(sites)
    )
    return Region(
        loop,
        member,
        names,
        placed,
        max(read.values(), default=-1) + 1,
        max(write.values(), default=-1) + 1,
        _independent(placed),
    )


def _conflicts(layout: Layout, sites: Sequence[Site]) -> set[tuple[int, int]]:
    """Pairs that may need different elements of one bank in one iteration."""
    from hlspart.poly.region import Regions, TooHard

    iterators = sites[0].access.iterators
    space = Regions(iterators, (1,) * len(iterators))
    axes = tuple(f"x{k}" for k in range(len(layout.shape)))
    bank = (layout.isl_bank(axes),)
    extents = (0,) * len(axes)
    found: set[tuple[int, int]] = set()
    for a in range(len(sites)):
        for b in range(a + 1, len(sites)):
            one, two = sites[a], sites[b]
            delta = tuple(y - x for x, y in zip(one.index, two.index, strict=True))
            if not any(delta_k.terms or delta_k.const for delta_k in delta):
                continue
            try:
                for active in (one, two):
                    where = space.region(active.access.domain)
                    for site in (one, two):
                        where = where.meet(space.region(_inside(site, layout, iterators)))
                    first = space.touch(where, one.index, None, extents)
                    second = space.touch(where, two.index, None, extents)
                    same = first.then(axes, bank).agree(second.then(axes, bank)).minus(first.agree(second))
                    if not same.empty:
                        found.add((a, b))
                        break
            except TooHard:
                found.add((a, b))
    return found


def _inside(site: Site, layout: Layout, iterators: Sequence[str]) -> str:
    """Iterations in which the site's index is inside the array."""
    from hlspart.poly.region import isl_text

    bounds = [f"0 <= {isl_text(f)} < {n}" for f, n in zip(site.index, layout.shape, strict=True)]
    return f"{{ [{', '.join(iterators)}] : {' and '.join(bounds)} }}"


def _lanes(positions: Sequence[int], conflicts: set[tuple[int, int]]) -> dict[int, int]:
    """A colouring of the conflict graph, greedily, the most constrained first."""
    degree = {p: sum(p in pair for pair in conflicts) for p in positions}
    lane: dict[int, int] = {}
    for p in sorted(positions, key=lambda q: (-degree[q], q)):
        taken = {lane[q] for q in lane if (min(p, q), max(p, q)) in conflicts}
        lane[p] = next(k for k in range(len(positions) + 1) if k not in taken)
    return lane


def _independent(sites: Sequence[Site]) -> bool:
    """Whether no element is touched by a write and another access in different iterations of the nest."""
    from hlspart.poly.region import Regions, TooHard

    if not any(s.write for s in sites):
        return True
    iterators = sites[0].access.iterators
    if not iterators or any("->" in s.access.domain.split("{")[0] for s in sites):
        return False
    later = tuple(f"{n}__2" for n in iterators)
    space = Regions((*iterators, *later), (1,) * (2 * len(iterators)))
    differ = " or ".join(f"{n} != {m}" for n, m in zip(iterators, later, strict=True))
    apart = f"{{ [{', '.join((*iterators, *later))}] : {differ} }}"
    try:
        for write in (s for s in sites if s.write):
            for other in sites:
                here = _lifted(write.access.domain, iterators, later, 0)
                there = _lifted(other.access.domain, iterators, later, 1)
                where = space.region(here).meet(space.region(there)).meet(space.region(apart))
                moved = tuple(Affine.of({f"{n}__2": c for n, c in f.terms}, f.const) for f in other.index)
                extents = (0,) * len(write.index)
                touched = space.touch(where, write.index, None, extents).agree(space.touch(where, moved, None, extents))
                if not touched.empty:
                    return False
    except TooHard:
        return False
    return True


def _lifted(domain: str, names: Sequence[str], later: Sequence[str], half: int) -> str:
    """``domain`` as a set over both copies of the iterators."""
    head = f"[{', '.join(names)}]"
    wide = ", ".join((*names, *later))
    if half == 0:
        return domain.replace(head, f"[{wide}]", 1)
    shifted = domain
    for n, m in zip(names, later, strict=True):
        shifted = re.sub(rf"\b{re.escape(n)}\b", m, shifted)
    return shifted.replace(f"[{', '.join(later)}]", f"[{wide}]", 1)


def _statement(program: Program, stmt: Stmt, conditional: bool, found: _Found, in_switch: bool = False) -> None:
    match stmt:
        case Block():
            for inner in stmt.body:
                _statement(program, inner, conditional, found, in_switch)
        case If():
            _expression(stmt.test, conditional, None, found)
            _statement(program, stmt.then, True, found, in_switch)
            if stmt.other is not None:
                _statement(program, stmt.other, True, found, in_switch)
        case Switch():
            _expression(stmt.test, conditional, None, found)
            _statement(program, stmt.body, True, found, True)
        case Loop():
            found.inner.append(stmt)
            for inner in walk_statements(stmt):
                if isinstance(inner, Return) or (isinstance(inner, Jump) and inner.kind == "goto"):
                    found.jumps.append(inner.at)
                for expr in expressions(inner):
                    found.calls.extend(node for node in walk(expr) if isinstance(node, Call))
        case Declare():
            for variable in stmt.variables:
                init = program.variable(variable).init
                if init is not None:
                    _expression(init, conditional, None, found)
        case Return() | Label():
            found.jumps.append(stmt.at)
            for expr in expressions(stmt):
                _expression(expr, conditional, None, found)
        case Jump():
            if not (in_switch and stmt.kind == "break"):
                found.jumps.append(stmt.at)
        case PragmaMark():
            pass
        case _:
            for expr in expressions(stmt):
                _expression(expr, conditional, None, found)


def _expression(expr: Expr, conditional: bool, parent: Assign | IncDec | None, found: _Found) -> None:
    match expr:
        case ArrayRef():
            found.refs[expr.id] = (expr, conditional, parent)
            for index in expr.indices:
                _expression(index, conditional, None, found)
        case Assign():
            _expression(expr.target, conditional, expr, found)
            _expression(expr.value, conditional, None, found)
        case IncDec():
            _expression(expr.operand, conditional, expr, found)
        case Conditional():
            _expression(expr.test, conditional, None, found)
            _expression(expr.then, True, None, found)
            _expression(expr.other, True, None, found)
        case Binary(op="&&" | "||"):
            _expression(expr.left, conditional, None, found)
            _expression(expr.right, True, None, found)
        case Call():
            found.calls.append(expr)
            for argument in expr.args:
                _expression(argument, conditional, None, found)
        case _:
            for child in children(expr):
                _expression(child, conditional, None, found)
