"""Bank-centric code, the questions: which accesses of one array happen together, and may they move?

A region is a run of statements in the body of the innermost loop around some accesses, the whole
body where possible. Its reads move to its front and its stores to its end; this module decides
where that is right, and which accesses can share one load or store site per bank. Proofs are
emptiness tests of isl sets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

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
    """Accesses to one array in statements ``first`` .. ``last`` of a loop body, in order of evaluation.

    ``number`` counts the regions of one array in one body.
    """

    loop: Loop
    variable: int
    number: int
    first: Stmt
    last: Stmt
    names: Mapping[str, str]  # iterator name in sets -> variable name
    sites: tuple[Site, ...]
    read_lanes: int
    write_lanes: int
    independent: bool = False  # the loop reads and writes, never one element in two iterations (first region only)


@dataclass
class _Found:
    """What stands directly in a loop body."""

    position: int = 0  # of the body's statement that is looked at
    refs: dict[int, tuple[int, bool, Assign | IncDec | None]] = field(default_factory=dict)
    jumps: list[tuple[int, Origin]] = field(default_factory=list)
    calls: list[tuple[int, Call]] = field(default_factory=list)
    inner: list[tuple[int, Loop]] = field(default_factory=list)


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
    result: list[Region] = []
    for (loop, member), refs in found.items():
        found_here = _body(program, analysis, group, layout, program.loops[loop], member, refs, by_ref, uses)
        if isinstance(found_here, Blocked):
            return found_here
        result += found_here
    return tuple(result), tuple(fixed)


def _body(
    program: Program,
    analysis: AccessAnalysis,
    group: ArrayGroup,
    layout: Layout,
    loop: Loop,
    member: int,
    refs: Sequence[ArrayRef],
    by_ref: Mapping[int, Sequence[Access]],
    uses: Uses,
) -> list[Region] | Blocked:
    """The regions of one array in one loop body."""
    body = _Found()
    for body.position, stmt in enumerate(loop.body.body):
        _statement(program, stmt, False, body)
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
        site = _site(ref, by_ref[ref.id], body, names)
        if isinstance(site, Blocked):
            return site
        sites.append(site)
    sites.sort(key=lambda s: min(a.order for a in (s.read, s.write) if a is not None))
    barriers = _barriers(program, group, loop, member, sites, body, uses, by_ref)
    if isinstance(barriers, Blocked):
        return barriers
    result = []
    for number, run in enumerate(_runs(sites, barriers, body)):
        if isinstance(run, Blocked):
            return run
        region = _with_lanes(layout, loop, member, number, run, body, names)
        if isinstance(region, Blocked):
            return region
        result.append(region)
    everything = [s for region in result for s in region.sites]
    inside = {other.id for _, outer in body.inner for other in _loops(outer)}
    if any(s.read for s in everything) and not any(inside & set(a.loops) for a in analysis.of_array(member)):
        result[0] = replace(result[0], independent=_independent(everything))
    return result


def _site(ref: ArrayRef, accesses: Sequence[Access], body: _Found, names: Mapping[str, str]) -> Site | Blocked:
    if ref.id not in body.refs:
        return Blocked("loop-header", "an access in a loop's header", ref.at)
    _, conditional, parent = body.refs[ref.id]
    read = next((a for a in accesses if a.kind == "read"), None)
    write = next((a for a in accesses if a.kind == "write"), None)
    index = accesses[0].index
    forms = [f for f in index or () if f is not None]
    if index is None or len(forms) != len(index):
        return Blocked("index-form", "an index that is not a sum of iterators", ref.at)
    if any(n not in names for f in forms for n in f.names):
        return Blocked("index-form", "an index with a value that is no iterator", ref.at)
    return Site(ref, read, write, tuple(forms), conditional or bool(body.jumps), parent)


def _barriers(
    program: Program,
    group: ArrayGroup,
    loop: Loop,
    member: int,
    sites: Sequence[Site],
    body: _Found,
    uses: Uses,
    by_ref: Mapping[int, Sequence[Access]],
) -> set[int] | Blocked:
    """Positions of statements that no access may move across."""
    writes = any(s.write for s in sites)
    barriers: set[int] = set()
    place = {other.id: position for position, outer in body.inner for other in _loops(outer)}
    for use in uses.by_variable.get(member, ()):
        if use.kind == "element" and isinstance(use.node, ArrayRef):
            for access in by_ref[use.node.id]:
                if writes or access.kind == "write":
                    barriers.update(place[one] for one in access.loops if one in place)
    for other in group.members:
        if other == member or {program.variable(v).storage for v in (member, other)} & {"parameter"} == set():
            continue
        for use in uses.by_variable.get(other, ()):  # the two may be one array
            if use.kind == "element" and isinstance(use.node, ArrayRef):
                for access in by_ref[use.node.id]:
                    if loop.id in access.loops and (writes or access.kind == "write"):
                        return Blocked("alias", "two parameters may be the same array", access.at)
    for position, call in body.calls:
        handed = any(
            getattr(node, "variable", None) in group.members and not isinstance(node, ArrayRef)
            for argument in call.args
            for node in walk(argument)
        )
        if handed or (program.variable(member).function is None and call.function in program.functions):
            barriers.add(position)
    return barriers


def _runs(sites: Sequence[Site], barriers: set[int], body: _Found) -> Iterator[list[Site] | Blocked]:
    """Sites in runs such that within one, reads may come first and stores last."""
    run: list[Site] = []
    for site in sites:
        at = body.refs[site.ref.id][0]
        if at in barriers:
            yield Blocked("inner-loop", "one statement accesses the array in an inner loop and outside", site.ref.at)
            return
        if run:
            last = body.refs[run[-1].ref.id][0]
            forwarded = site.read and any(s.write and _meet(s, site) for s in run)
            if forwarded and any(s.write and _meet(s, site) and body.refs[s.ref.id][0] == at for s in run):
                reason = "a value is written and read again in one statement"
                yield Blocked("read-after-write", reason, site.ref.at)
                return
            if forwarded or any(last < b < at for b in barriers):
                # All sites of this statement must stay together: none may be in the run already.
                if last == at:
                    yield Blocked("read-after-write", "a value is written and read again", site.ref.at)
                    return
                yield run
                run = []
        run.append(site)
    yield run


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


def _with_lanes(
    layout: Layout,
    loop: Loop,
    member: int,
    number: int,
    sites: Sequence[Site],
    body: _Found,
    names: Mapping[str, str],
) -> Region | Blocked:
    """Deal the sites out to lanes: sites of one lane never need different elements of one bank at once."""
    positions = [body.refs[s.ref.id][0] for s in sites]
    start, end = min(positions), max(positions)
    if any(s.write for s in sites):
        for at, jump in body.jumps:
            if start <= at <= end:
                return Blocked("jump", "a jump could skip the stores at the end", jump)
    conflicts = _conflicts(layout, sites)
    read = _lanes([k for k, s in enumerate(sites) if s.read], conflicts)
    write = _lanes([k for k, s in enumerate(sites) if s.write], conflicts)
    placed = tuple(replace(s, read_lane=read.get(k, -1), write_lane=write.get(k, -1)) for k, s in enumerate(sites))
    for k, early in enumerate(placed):
        for late in placed[k + 1 :]:
            if early.write and late.write and early.write_lane > late.write_lane and _meet(early, late):
                return Blocked("write-order", "two stores of one iteration may go to one element", late.ref.at)
    return Region(
        loop,
        member,
        number,
        loop.body.body[start],
        loop.body.body[end],
        names,
        placed,
        max(read.values(), default=-1) + 1,
        max(write.values(), default=-1) + 1,
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
            if not any(d.terms or d.const for d in delta):
                continue
            if not any(d.terms for d in delta) and layout.same_bank(tuple(d.const for d in delta)) is False:
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
    """Whether there are writes, and no element is written in one iteration of the nest and accessed in another."""
    from hlspart.poly.region import Regions, TooHard

    iterators = sites[0].access.iterators
    if not any(s.write for s in sites) or len(iterators) != len(sites[0].access.loops):
        return False
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
            found.inner.append((found.position, stmt))
            for inner in walk_statements(stmt):
                if isinstance(inner, Return) or (isinstance(inner, Jump) and inner.kind == "goto"):
                    found.jumps.append((found.position, inner.at))
                for expr in expressions(inner):
                    found.calls.extend((found.position, node) for node in walk(expr) if isinstance(node, Call))
        case Declare():
            for variable in stmt.variables:
                init = program.variable(variable).init
                if init is not None:
                    _expression(init, conditional, None, found)
        case Return() | Label():
            found.jumps.append((found.position, stmt.at))
            for expr in expressions(stmt):
                _expression(expr, conditional, None, found)
        case Jump():
            if not (in_switch and stmt.kind == "break"):
                found.jumps.append((found.position, stmt.at))
        case PragmaMark():
            pass
        case _:
            for expr in expressions(stmt):
                _expression(expr, conditional, None, found)


def _expression(expr: Expr, conditional: bool, parent: Assign | IncDec | None, found: _Found) -> None:
    match expr:
        case ArrayRef():
            found.refs[expr.id] = (found.position, conditional, parent)
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
            found.calls.append((found.position, expr))
            for argument in expr.args:
                _expression(argument, conditional, None, found)
        case _:
            for child in children(expr):
                _expression(child, conditional, None, found)
