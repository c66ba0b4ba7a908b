"""Bank-centric code, the questions: which accesses of one array happen together, and may they move?

A region is a run of statements in the body of the innermost loop around some accesses, the whole
body where possible. Its loads move to its front and its stores to its end; this module decides
where that is right. Accesses that cannot move stay in place, each with its own selection of a bank.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from hlspart.layouts.layout import Layout
from hlspart.model.access import Access, AccessAnalysis, Affine, ArrayGroup
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Declare,
    IncDec,
    Loop,
    Name,
    Program,
    Stmt,
    expressions,
    walk,
    walk_statements,
)
from hlspart.model.source import Origin
from hlspart.rewrite.contents import Contents, StoreForm, contents, loops_in, writers
from hlspart.rewrite.lanes import deal_lanes, is_inside_everywhere, meet, never_meet_across, steady_bank
from hlspart.rewrite.uses import Uses


class Blocked(Struct, frozen=True):
    """Why accesses cannot be moved together."""

    code: str
    reason: str
    at: Origin


class Forwarding(Struct, frozen=True):
    """An earlier store of the iteration that may go to the element read; ``same``: whenever both happen, it does."""

    store: int  # ArrayRef.id
    same: bool


class TextAccess(Struct, frozen=True, eq=False):
    """One textual access of a region. ``index`` is over iterators; ``conditional``: not in every iteration.

    ``forwards``: the stores that it may read from, latest first. A lane is -1 where none is needed.
    ``bank``: the one that it is in, in every iteration, if that is so.
    """

    ref: ArrayRef
    read: Access | None
    write: Access | None
    index: tuple[Affine, ...]
    conditional: bool
    writer: StoreForm | None
    forwards: tuple[Forwarding, ...] = ()
    stored: bool = True  # False: a later store of every iteration goes to the same element
    forwarded: bool = False  # in every iteration the value comes from an earlier store
    read_lane: int = -1
    write_lane: int = -1
    bank: int | None = None

    @property
    def access(self) -> Access:
        """Either of the two; they share domain and map."""
        access = self.read or self.write
        assert access is not None
        return access

    @property
    def takes(self) -> bool:
        """Whether the old value is needed."""
        return self.read is not None or (self.writer is not None and self.writer.partial)

    @property
    def loads(self) -> bool:
        """Whether the old value must be loaded."""
        return self.takes and not self.forwarded

    @property
    def stores(self) -> bool:
        """Whether a value must be stored."""
        return self.write is not None and self.stored


class AccessRegion(Struct, frozen=True):
    """Accesses to one array in statements ``first`` .. ``last`` of a loop body, in order of evaluation.

    ``number`` counts the regions of one array in one body.
    """

    loop: Loop
    variable: int
    number: int
    first: Stmt
    last: Stmt
    names: Mapping[str, str]  # iterator name in sets -> variable name
    sites: tuple[TextAccess, ...]
    read_lanes: int
    write_lanes: int
    apart: bool  # stores of different lanes never go to one element in one iteration
    outside: frozenset[tuple[Affine, ...]] = frozenset()  # indices that leave the array where nothing is accessed
    #: "inter": the loop reads and writes, never one element in two iterations; "inter direction=RAW": it never reads
    #: what an earlier iteration has written; "": neither is proved (first region only)
    independent: str = ""


class Direct(Struct, frozen=True, eq=False):
    """An access that stays in place: a selection among the banks of its own."""

    ref: ArrayRef
    function: str
    reads: bool
    writes: bool
    writer: StoreForm | None
    why: Blocked


class Movement(Struct, frozen=True):
    """Every access of a group: in a region, to one known element, or in place."""

    regions: tuple[AccessRegion, ...] = ()
    fixed: tuple[tuple[ArrayRef, tuple[int, ...]], ...] = ()  # accesses in place to a known element
    direct: tuple[Direct, ...] = ()

    def selections(self, banks: int) -> int:
        """Choices of a bank that the text holds: address and value of a load; test, address and value of a store.

        In place the formulas of the bank stand in each of them, which is as long as eight.
        """
        loads = sum(len({s.index for s in region.sites if s.loads}) for region in self.regions)
        stores = sum(s.stores for region in self.regions for s in region.sites)
        return banks * (2 * loads + 3 * stores + 8 * len(self.direct))


class Planner(Struct, frozen=True, dict=True):
    """Sorts the accesses of groups.

    Nothing may stay in place in ``strict`` loops, which must reach their II, unless another of the group's
    ``gains``, the loops that bank-centric code is for, is served all the same.
    """

    program: Program
    analysis: AccessAnalysis
    uses: Uses
    by_ref: Mapping[int, Sequence[Access]]
    strict: frozenset[int] = frozenset()
    gains: Mapping[int, frozenset[int]] = field(default_factory=dict)  # by group

    @cached_property
    def writers(self) -> Mapping[int, StoreForm]:
        """What stores through each reference, by ArrayRef.id."""
        return {ref: w for f in self.program.functions.values() for ref, w in writers(self.program, f).items()}

    def plan(self, group: ArrayGroup, layout: Layout) -> Movement | Blocked:
        """Where each access of ``group`` goes, or why no loop that is to gain does."""
        references: dict[tuple[int, int], list[ArrayRef]] = {}
        stays: list[tuple[ArrayRef, Blocked]] = []
        for member in group.members:
            for use in self.uses.by_variable.get(member, ()):
                if use.kind != "element":
                    continue
                assert isinstance(use.node, ArrayRef)
                access = self.by_ref[use.node.id][0]
                if access.loops:
                    references.setdefault((access.loops[-1], member), []).append(use.node)
                else:
                    stays.append((use.node, Blocked("no-loop", "an access outside of loops", use.node.at)))
        result: list[AccessRegion] = []
        blocked: Blocked | None = None
        for (loop, member), refs in references.items():
            here = self._body(group, layout, self.program.loops[loop], member, refs)
            if isinstance(here, Blocked):
                if self.strict & set(self.by_ref[refs[0].id][0].loops):
                    blocked = blocked or here
                stays += [(ref, here) for ref in refs]
            else:
                result += here
        if blocked is not None and not any(r.loop.id in self.gains.get(group.id, ()) for r in result):
            return blocked
        known = [(ref, self._element(ref), why) for ref, why in stays]
        fixed = tuple((ref, x) for ref, x, _ in known if x is not None)
        return Movement(tuple(result), fixed, tuple(self._direct(ref, why) for ref, x, why in known if x is None))

    def _element(self, ref: ArrayRef) -> tuple[int, ...] | None:
        """The one element that ``ref`` is, if its index is constant."""
        forms = self.by_ref[ref.id][0].index or (None,)
        known = tuple(f.const for f in forms if f is not None and not f.terms)
        return known if len(known) == len(forms) else None

    def _direct(self, ref: ArrayRef, why: Blocked) -> Direct:
        accesses = self.by_ref[ref.id]
        kinds = {a.kind for a in accesses}
        writes = "write" in kinds
        return Direct(ref, accesses[0].function, "read" in kinds, writes, self.writer(ref, writes), why)

    def writer(self, ref: ArrayRef, writes: bool) -> StoreForm | None:
        """What stores through ``ref``."""
        return self.writers.get(ref.id) if writes else None

    def _body(
        self, group: ArrayGroup, layout: Layout, loop: Loop, member: int, refs: Sequence[ArrayRef]
    ) -> list[AccessRegion] | Blocked:
        """The regions of one array in one loop body."""
        body = contents(self.program, loop)
        for stmt in loop.body.body:
            for inner in walk_statements(stmt):
                if isinstance(inner, Declare) and member in inner.variables and inner is not stmt:
                    return Blocked("inner-block", "the array is declared in a block inside the loop's body", inner.at)
        names: dict[str, str] = {}
        for ident in self.by_ref[refs[0].id][0].loops:
            info = self.analysis.loops[ident]
            if info.iterator is not None and info.variable is not None:
                names[info.iterator] = self.program.variable(info.variable).name
        shadowed = self._shadowed(self.by_ref[refs[0].id][0].loops, names)
        if shadowed is not None:
            return shadowed
        sites = []
        for ref in refs:
            site = self._site(ref, body, names)
            if isinstance(site, Blocked):
                return site
            sites.append(site)
        sites.sort(key=lambda s: min(a.order for a in (s.read, s.write) if a is not None))
        barriers = self._barriers(group, loop, member, sites, body)
        if isinstance(barriers, Blocked):
            return barriers
        runs = _runs(sites, barriers, body)
        if isinstance(runs, Blocked):
            return runs
        ends = [max(body.refs[s.ref.id][0] for s in run) for run in runs]
        changed = self._changed(self.by_ref[refs[0].id][0].loops, loop.body.body[ends[-1]])
        if changed is not None:
            return Blocked("iterator", "the iterator changes before the access", changed)
        whole = self._whole_domain(loop, body)
        result = []
        for number, run in enumerate(runs):
            region = _region(layout, loop, member, number, _forwarded(run), body, names)
            if isinstance(region, Blocked):
                return region
            result.append(replace(region, outside=_outside(region, layout, whole)))
        everything = [s for region in result for s in region.sites]
        inside = {other.id for _, outer in body.inner for other in loops_in(outer)}
        alone = not any(inside & set(a.loops) for a in self.analysis.of_array(member))
        if len(result) > 1 or not alone:  # a directive speaks of the whole loop
            result = [replace(region, apart=False) for region in result]
        if any(s.takes for s in everything) and alone:
            accesses = [a for s in everything for a in (s.read, s.write) if a is not None]
            result[0] = replace(result[0], independent=self._independent(accesses))
        return result

    def _independent(self, accesses: Sequence[Access]) -> str:
        """What is proved of accesses in different iterations, see :class:`AccessRegion`."""
        if never_meet_across(accesses):
            return "inter"
        steps = [self.analysis.loops[x].step for x in accesses[0].loops]
        known = [s for s in steps if s is not None]
        return "inter direction=RAW" if len(known) == len(steps) and never_meet_across(accesses, known) else ""

    def _site(self, ref: ArrayRef, body: Contents, names: Mapping[str, str]) -> TextAccess | Blocked:
        accesses = self.by_ref[ref.id]
        if ref.id not in body.refs:
            return Blocked("loop-header", "an access in a loop's header", ref.at)
        position, conditional = body.refs[ref.id]
        read = next((a for a in accesses if a.kind == "read"), None)
        write = next((a for a in accesses if a.kind == "write"), None)
        index = accesses[0].index
        forms = [f for f in index or () if f is not None]
        if index is None or len(forms) != len(index):
            return Blocked("index-form", "an index that is not a sum of iterators", ref.at)
        if any(n not in names for f in forms for n in f.names):
            return Blocked("index-form", "an index with a value that is no iterator", ref.at)
        writer = self.writer(ref, write is not None)
        return TextAccess(ref, read, write, tuple(forms), conditional or body.is_jumped(position), writer)

    def _shadowed(self, loops: Sequence[int], names: Mapping[str, str]) -> Blocked | None:
        """Whether a name of an iterator means something else somewhere in the nest."""
        if len(set(names.values())) != len(names):
            return Blocked(
                "shadowed-iterator", "two iterators of the nest have one name", self.program.loops[loops[-1]].at
            )
        iterators = {self.analysis.loops[ident].variable for ident in loops}
        for stmt in walk_statements(self.program.loops[loops[0]].body):
            for variable in stmt.variables if isinstance(stmt, Declare) else ():
                if variable not in iterators and self.program.variable(variable).name in names.values():
                    return Blocked("shadowed-iterator", "another variable has the name of an iterator", stmt.at)
        return None

    def _changed(self, loops: Sequence[int], last: Stmt) -> Origin | None:
        """Where the iterator of a loop may change before the end of ``last``, a statement of the innermost one."""
        for ident in loops:
            loop = self.program.loops[ident]
            roots = [
                e for s in walk_statements(loop.body) if s.at.span.start < last.at.span.end for e in expressions(s)
            ]
            for expr in roots if loop.test is None else (loop.test, *roots):
                for node in walk(expr):
                    target = node.target if isinstance(node, Assign) else getattr(node, "operand", None)
                    changes = isinstance(node, Assign | IncDec) and isinstance(target, Name)
                    if changes and target.variable == self.analysis.loops[ident].variable:  # type: ignore[union-attr]
                        return node.at
        return None

    def _whole_domain(self, loop: Loop, body: Contents) -> Access | None:
        """An access, to any array, that happens in every iteration of the loop."""
        for ref, (position, conditional) in body.refs.items():
            for access in self.by_ref.get(ref, ()):
                if not conditional and not body.is_jumped(position) and access.loops[-1:] == (loop.id,):
                    return access
        return None

    def _barriers(
        self, group: ArrayGroup, loop: Loop, member: int, sites: Sequence[TextAccess], body: Contents
    ) -> set[int] | Blocked:
        """Positions of statements that no access may move across."""
        writes = any(s.write for s in sites)
        barriers: set[int] = set()
        place = {other.id: position for position, outer in body.inner for other in loops_in(outer)}
        for access in self._of(member):
            if writes or access.kind == "write":
                barriers.update(place[one] for one in access.loops if one in place)
        for other in group.members:
            if other == member or {self.program.variable(v).storage for v in (member, other)} & {"parameter"} == set():
                continue
            for access in self._of(other):  # the two may be one array
                if loop.id in access.loops and (writes or access.kind == "write"):
                    return Blocked("alias", "two parameters may be the same array", access.at)
        for position, call in body.calls:
            handed = any(
                getattr(node, "variable", None) in group.members and not isinstance(node, ArrayRef)
                for argument in call.args
                for node in walk(argument)
            )
            if handed or (self.program.variable(member).function is None and call.function in self.program.functions):
                barriers.add(position)
        return barriers

    def _of(self, member: int) -> Iterator[Access]:
        for use in self.uses.by_variable.get(member, ()):
            if use.kind == "element" and isinstance(use.node, ArrayRef):
                yield from self.by_ref[use.node.id]


def _runs(sites: Sequence[TextAccess], barriers: set[int], body: Contents) -> list[list[TextAccess]] | Blocked:
    """Sites in runs between barriers."""
    runs: list[list[TextAccess]] = []
    last = -1
    for site in sites:
        at = body.refs[site.ref.id][0]
        if at in barriers:
            return Blocked("inner-loop", "one statement accesses the array in an inner loop and outside", site.ref.at)
        if not runs or any(last < b < at for b in barriers):
            runs.append([])
        runs[-1].append(site)
        last = at
    return runs


def _forwarded(run: Sequence[TextAccess]) -> list[TextAccess]:
    """The sites with what earlier stores give them, and without the stores that later ones undo."""
    result = []
    stores = sorted((s for s in run if s.write is not None), key=lambda s: -_order(s.write))
    for site in run:
        forwardings: list[Forwarding] = []
        complete = False
        before = _order(site.read or site.write)
        for store in stores if site.takes else ():
            if _order(store.write) >= before or not meet(store.access, site.access):
                continue
            forwardings.append(Forwarding(store.ref.id, store.index == site.index))
            complete = forwardings[-1].same and not store.conditional
            if complete:
                break
        undone = any(
            s.index == site.index and not s.conditional and _order(s.write) > _order(site.write) for s in stores
        )
        result.append(replace(site, forwards=tuple(forwardings), forwarded=complete, stored=not undone))
    return result


def _order(access: Access | None) -> int:
    return -1 if access is None else access.order


def _region(
    layout: Layout,
    loop: Loop,
    member: int,
    number: int,
    sites: Sequence[TextAccess],
    body: Contents,
    names: Mapping[str, str],
) -> AccessRegion | Blocked:
    """Deal the sites out to lanes: sites of one lane never need different elements of one bank at once."""
    positions = [body.refs[s.ref.id][0] for s in sites]
    start, end = min(positions), max(positions)
    if any(s.write for s in sites):
        for at, jump in body.jumps:
            if start <= at <= end:
                return Blocked("jump", "a jump could skip the stores at the end", jump)
    slots = list(dict.fromkeys(s.index for s in sites))
    domains = [[s.access for s in sites if s.index == slot] for slot in slots]
    numbers = {slot: k for k, slot in enumerate(slots)}
    reading = {numbers[s.index] for s in sites if s.loads}
    writing = [(numbers[s.index], _order(s.write)) for s in sites if s.stores]
    assigned = deal_lanes(layout, slots, domains, reading, writing)
    if assigned is None:
        return Blocked("write-order", "two stores of one iteration may go to one element in either order", loop.at)
    read, write, apart = assigned
    banks = [steady_bank(layout, slot, accesses[0]) for slot, accesses in zip(slots, domains, strict=True)]
    placed = tuple(
        replace(
            s,
            read_lane=read[numbers[s.index]] if s.loads else -1,
            write_lane=write[numbers[s.index]] if s.stores else -1,
            bank=banks[numbers[s.index]],
        )
        for s in sites
    )
    first, last = loop.body.body[start], loop.body.body[end]
    lanes = (max(read.values(), default=-1) + 1, max(write.values(), default=-1) + 1)
    return AccessRegion(loop, member, number, first, last, names, placed, *lanes, apart=apart)


def _outside(region: AccessRegion, layout: Layout, whole: Access | None) -> frozenset[tuple[Affine, ...]]:
    """Indices loaded under a condition that may be outside of the array where it does not hold."""
    loaded = {s.index for s in region.sites if s.loads}
    guarded = loaded - {s.index for s in region.sites if not s.conditional}
    return frozenset(i for i in guarded if whole is None or not is_inside_everywhere(whole, i, layout.shape))
