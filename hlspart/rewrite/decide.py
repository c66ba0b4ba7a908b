"""What to do with each array group, decided before any text is touched (all or nothing per group)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from hlspart import partition
from hlspart.layouts.layout import Layout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.access import Access, AccessAnalysis, ArrayGroup
from hlspart.model.options import RewriteOptions
from hlspart.model.program import ArrayRef, Program, Variable
from hlspart.model.results import BankVerdict, Validation
from hlspart.model.rewriting import GroupOutcome, Style
from hlspart.model.source import one_line
from hlspart.rewrite.crossbar import refuse_crossbar
from hlspart.rewrite.formulas import formulas
from hlspart.rewrite.gather import calls_of, refuse_layout, refuse_movement
from hlspart.rewrite.linear import effects
from hlspart.rewrite.names import Names
from hlspart.rewrite.outcomes import outcome_of
from hlspart.rewrite.plan import GroupRefusal, Plan
from hlspart.rewrite.refusals import Refusals
from hlspart.rewrite.regions import Blocked, Movement, Planner
from hlspart.rewrite.unroll import is_at_once
from hlspart.rewrite.uses import Uses

SELECTIONS = 20_000  # choices of a bank in the bank-centric text of one group, some seven tokens each
#: What only bank-centric code cannot write: the pragma can stay.
BANK_CENTRIC = frozenset((
    "write-order", "inner-loop", "inner-block", "jump", "alias", "index-form", "loop-header", "iterator",
    "shadowed-iterator", "size", "struct", "side-effect", "reference",
))  # fmt: skip
ALL_SELECTIONS = 100_000  # in that of a program, shared out evenly: beyond, compilers and our own reader give up


class GroupPlans(Struct, frozen=True):
    """Plans for the groups to edit, outcomes for the others."""

    plans: tuple[Plan, ...]
    outcomes: tuple[GroupOutcome, ...]


class Decider(Struct, frozen=True, dict=True):
    """Plans every partitioned group; ``styles`` gives each group's style, None to leave it as it is."""

    program: Program
    analysis: AccessAnalysis
    validation: Validation
    options: RewriteOptions
    uses: Uses
    styles: Mapping[int, Style | None]
    layouts: Mapping[int, Layout]
    strict: frozenset[int] | None = None  # under auto, for tools that partition: their pipelined loops
    costly: Mapping[int, frozenset[int]] = field(default_factory=dict)  # by group, loops that bank-centric code is for
    pipelined: frozenset[int] = frozenset()

    @cached_property
    def names(self) -> Names:
        """Names that no file of the program uses."""
        return Names.of(self.program)

    @cached_property
    def planner(self) -> Planner:
        """Sorts the accesses of bank-centric code."""
        return Planner(self.program, self.analysis, self.uses, self.by_ref, self.strict or frozenset(), self.costly)

    @cached_property
    def room(self) -> int:
        """Selections that bank-centric code of one group may have."""
        wanted = sum(bool(g.dims) for g in self.validation.groups.values()) + len(self.layouts)
        return min(SELECTIONS, ALL_SELECTIONS // max(1, wanted))

    @cached_property
    def refusals(self) -> Refusals:
        """What no way of writing serves."""
        return Refusals(self.program, self.uses)

    @cached_property
    def by_ref(self) -> Mapping[int, tuple[Access, ...]]:
        """Accesses of each ArrayRef."""
        by_ref: dict[int, list[Access]] = {}
        for access in self.analysis.accesses:
            by_ref.setdefault(access.ref, []).append(access)
        return {ref: tuple(accesses) for ref, accesses in by_ref.items()}

    def decide(self) -> GroupPlans:
        """All groups, in order."""
        results = [self._group(group) for group in self.analysis.groups]
        plans = (r for r in results if isinstance(r, Plan))
        return GroupPlans(tuple(plans), tuple(r for r in results if isinstance(r, GroupOutcome)))

    def _group(self, group: ArrayGroup) -> Plan | GroupOutcome | None:
        wanted = self.validation.groups.get(group.id)
        given = self.layouts.get(group.id)
        if given is None and (wanted is None or not wanted.dims):
            return self._unpartitioned(group)
        style = self.styles.get(group.id) if given is None else "crossbar"
        if style is None:
            return outcome_of(self.program, group, "kept", None, None)
        if group.top and not self.options.split_top and self.options.dialect == "c":
            at = self.program.variable(group.members[0]).at
            kept = GroupRefusal("top-level", "top-level signature kept", at)
            return outcome_of(self.program, group, "ignored", style, kept)
        result = self._plan(group, style, given)
        if isinstance(result, Plan):
            withheld = dict(self.options.withheld)
            why = next((withheld[n] for v in group.members if (n := self.program.variable(v).name) in withheld), None)
            slower = GroupRefusal("slower", why or "", self.program.variable(group.members[0]).at)
            return result if why is None else outcome_of(self.program, group, "kept", style, slower)
        served = self.strict is not None and given is None and result is not None and result.code in BANK_CENTRIC
        status = "kept" if result is None or served else "refused"  # the pragma serves, as far as it can
        return outcome_of(self.program, group, status, style, result)

    def _unpartitioned(self, group: ArrayGroup) -> GroupOutcome | None:
        """A group that somebody asked to partition and that validation turned down."""
        for status in self.validation.statuses:
            if status.variable not in group.members or status.status not in ("rejected", "conflict"):
                continue
            directive = self.program.directives[status.directive]
            if directive.kind != "array_partition":
                continue
            conflict = status.status == "conflict"
            code = "conflict" if conflict else status.code or "rejected"
            refusal = GroupRefusal(code, status.reason or status.status, status.at or directive.at)
            return outcome_of(self.program, group, "conflict" if conflict else "refused", None, refusal)
        return None

    def _plan(self, group: ArrayGroup, style: Style, given: Layout | None) -> Plan | GroupRefusal | None:
        if group.faults:
            fault = group.faults[0]
            return GroupRefusal(fault.code, fault.reason, fault.at)
        members = [self.program.variable(v) for v in group.members]
        layout = given or self._common_layout(members)
        if isinstance(layout, GroupRefusal):
            return layout
        overloaded = {name.partition("(")[0] for name in self.program.functions if "(" in name}
        for v in members:
            if v.storage == "parameter" and (v.function or "").partition("(")[0] in overloaded:
                return GroupRefusal(
                    "overload", f"{v.function} has overloads, from which other parameters might choose", v.at
                )
        for at in self.uses.function_values:
            if any(v.storage == "parameter" and v.function == at.name for v in members):
                return GroupRefusal("function-pointer", f"{at.name} is used through a pointer", at.at)
        for variable in members:
            refusal = self.refusals.of_declaration(variable) or self.refusals.of_uses(group, variable)
            if refusal is not None:
                return refusal
        refusal = self._access_refusal(group)
        if refusal is not None:
            return refusal
        if self.options.dialect == "hls-library":
            return self._gathered(group, layout, members, given is not None)
        product = layout.per_dimension
        if given is not None or product is None:
            return self._bank_centric(group, layout, members)
        banks_of, dynamic = self._banks_of(group, product)
        if banks_of and not self._is_reached(group):
            return None  # of dead code any text is right, and the pragma is the plainest
        if style == "split" and dynamic is not None:
            if self.options.style == "auto":
                return self._for_any_tool(group, product, banks_of, members)
            if self.options.dynamic == "reject":
                return dynamic
            style = self.options.dynamic
        if style == "crossbar" and dynamic is not None:
            return self._bank_centric(group, layout, members)
        effect = self._effect(group, product)
        if effect is not None:
            return effect
        if style == "bankdim":
            return self._bankdim(group, product, banks_of, members)
        called = any(v.storage == "parameter" for v in members) or bool(group.edges)
        bank_names = {v.id: self.names.banks(v.name, layout.banks) for v in members}

        def split_bank(ref: ArrayRef) -> tuple[int, ...]:
            flat = 0
            for dim, bank in zip(layout.dims, banks_of[ref.id], strict=True):
                flat = flat * dim.banks + (bank or 0)
            return (flat,)

        used = {v.id: self._used_banks(v, layout, split_bank) for v in members}
        return Plan(group, "split", layout, bank_names, not called, banks_of, used)  # crossbar of constant banks, too

    def _for_any_tool(
        self,
        group: ArrayGroup,
        layout: PerDimLayout,
        banks_of: Mapping[int, tuple[int | None, ...]],
        members: list[Variable],
    ) -> Plan | GroupRefusal | None:
        """Bank-centric code, and where that cannot be written the bank as a dimension."""
        plan = self._bank_centric(group, layout, members)
        if isinstance(plan, Plan) or plan.code == "macro":  # which may be written out
            return plan
        return self._effect(group, layout) or self._bankdim(group, layout, banks_of, members)

    def _elements(self, group: ArrayGroup) -> list[ArrayRef]:
        """Every element access of the group."""
        uses = (u for v in group.members for u in self.uses.by_variable.get(v, ()))
        return [u.node for u in uses if u.kind == "element" and isinstance(u.node, ArrayRef)]

    def _access_refusal(self, group: ArrayGroup) -> GroupRefusal | None:
        for ref in self._elements(group):
            accesses = self.by_ref.get(ref.id, ())
            if not accesses:
                return GroupRefusal("not-analysed", f"'{self.program.text(ref.at)}' is not analysed", ref.at)
            for access in accesses:
                if not access.affine:
                    reason = access.reason or "non standard affine access"
                    return GroupRefusal("non-affine", reason, access.reason_at or access.at)
                if not access.in_range:
                    return GroupRefusal("out-of-range", self._range_reason(access), access.at)
        return None

    def _is_reached(self, group: ArrayGroup) -> bool:
        """Whether some access of the group may happen."""
        verdicts = self.validation.groups[group.id].verdicts
        accesses = (a for ref in self._elements(group) for a in self.by_ref[ref.id])
        return any((verdict := verdicts.get(a.id)) is None or verdict.banks != () for a in accesses)

    def _banks_of(
        self, group: ArrayGroup, layout: PerDimLayout
    ) -> tuple[dict[int, tuple[int | None, ...]], GroupRefusal | None]:
        """Constant bank coordinates of every access, and the first access that has none."""
        verdicts = self.validation.groups[group.id].verdicts
        banks_of: dict[int, tuple[int | None, ...]] = {}
        dynamic: GroupRefusal | None = None
        for ref in self._elements(group):
            banks = _constant_banks(layout, [verdicts.get(a.id) for a in self.by_ref[ref.id]])
            banks_of[ref.id] = banks
            if None in banks and dynamic is None:
                text = one_line(self.program.text(ref.at))
                where = f"dim {banks.index(None) + 1} is reached by '{text}' in several banks"
                dynamic = GroupRefusal("dynamic-bank", f"bank cannot be divided: {where}", ref.at)
        return banks_of, dynamic

    def _used_banks(
        self, variable: Variable, layout: Layout, banks: Callable[[ArrayRef], Iterable[int]]
    ) -> frozenset[int]:
        """Banks of a member that count as used for a C compiler: accessed, but a local one must be read."""
        kinds = ("read",) if variable.storage in ("local", "static") else ("read", "write")
        used: set[int] = set()
        for use in self.uses.by_variable.get(variable.id, ()):
            if use.kind == "argument":
                return frozenset(range(layout.banks))
            if use.kind != "element" or not isinstance(use.node, ArrayRef):
                continue
            if any(a.kind in kinds for a in self.by_ref[use.node.id]):
                used.update(banks(use.node))
        return frozenset(used)

    def _effect(self, group: ArrayGroup, layout: PerDimLayout) -> GroupRefusal | None:
        for ref in self._elements(group):
            for k in layout.partitioned:
                effect = effects(ref.indices[k])
                if effect is not None:
                    reason = "an index with a side effect would be lost or evaluated twice"
                    return GroupRefusal("side-effect", reason, effect.at)
        return None

    def _bankdim(
        self,
        group: ArrayGroup,
        layout: PerDimLayout,
        banks_of: Mapping[int, tuple[int | None, ...]],
        members: list[Variable],
    ) -> Plan | None:
        partitioned = layout.partitioned
        if partitioned == tuple(range(len(partitioned))) and not any(layout.dims[k].has_local for k in partitioned):
            return None  # the banks are leading dimensions already
        external = any(
            d.kind == "array_partition" and d.source != "pragma" and d.usable and set(d.variables) & set(group.members)
            for d in self.program.directives
        )
        # A directive file goes on naming the old array: under a new name it cannot hit the new one.
        bank_names = {v.id: (self.names.twin(v.name),) if external else (v.name,) for v in members}
        return Plan(group, "bankdim", layout, bank_names, False, banks_of)

    def _bank_centric(self, group: ArrayGroup, layout: Layout, members: list[Variable]) -> Plan | GroupRefusal:
        plan = self.refusals.of_lent_elements(group) or self._crossbar(group, layout, members)
        return plan if isinstance(plan, GroupRefusal) else refuse_crossbar(self.program, plan) or plan

    def _crossbar(self, group: ArrayGroup, layout: Layout, members: list[Variable]) -> Plan | GroupRefusal:
        for ref in self._elements(group):
            effect = next((e for e in map(effects, ref.indices) if e is not None), None)
            if effect is not None:
                return GroupRefusal(
                    "side-effect", "an index with a side effect would be lost or evaluated twice", effect.at
                )
        movement = self.planner.plan(group, layout)
        if isinstance(movement, Blocked):
            return GroupRefusal(movement.code, movement.reason, movement.at)
        written = movement.selections(layout.banks)
        if written > self.room and self.options.dialect == "c":
            reason = f"bank-centric code would choose one of {layout.banks} banks {written // layout.banks} times"
            return GroupRefusal("size", reason, members[0].at)
        bank_names = {v.id: self.names.banks(v.name, layout.banks) for v in members}
        touched = _touched(movement, layout)
        stems = {v.id: self.names.stem(v.name) for v in members}
        in_place = dict.fromkeys(d.ref.variable for d in movement.direct)
        stores = [d for d in movement.direct if d.writes]

        fed = {edge.formal for edge in group.edges}
        owner = next((v for v in members if v.id not in fed), members[0])
        return Plan(
            group,
            "crossbar",
            layout,
            bank_names,
            False,
            {},
            {v.id: self._used_banks(v, layout, touched) for v in members},
            movement,
            formulas(layout, owner.name, self.names),
            stems,
            {v: self.names.free(f"{stems[v]}_GET") for v in in_place},
            {v: self.names.free(f"{stems[v]}_PUT") for v in in_place},
            {d.ref.id: self.names.free(f"{stems[d.ref.variable]}_t{k}") for k, d in enumerate(stores)},
            is_at_once(self.program, self.analysis, self.pipelined, group.id),
        )

    def _gathered(
        self, group: ArrayGroup, layout: Layout, members: list[Variable], inferred: bool
    ) -> Plan | GroupRefusal | None:
        """Calls of the library; nothing where the pragma alone serves, or no two reads share a cycle."""
        written = None if inferred else layout.per_dimension
        if written is not None and self._banks_of(group, written)[1] is None:
            return None
        refusal = refuse_layout(members, layout, self.program)
        plan = refusal or self._crossbar(group, layout, members)
        if isinstance(plan, GroupRefusal):
            return plan
        refusal = refuse_movement(self.program, plan.movement, layout.banks)
        if refusal is None and not any(calls_of(region, layout.banks) for region in plan.movement.regions):
            return None
        return refusal or replace(plan, gathered=True)

    def _common_layout(self, members: list[Variable]) -> PerDimLayout | GroupRefusal:
        common: PerDimLayout | None = None
        open_ended: list[Variable] = []
        for variable in members:
            layout = partition.layout_of(self.validation, self.analysis, self.program, variable.id)
            if layout is None and variable.storage == "parameter" and _extents(variable)[:1] == (None,):
                open_ended.append(variable)  # A[], *A: as long as what callers hand to it
                continue
            if layout is None:
                return GroupRefusal("unknown-extent", f"extents of '{variable.name}' are not known", variable.at)
            if common is not None and layout != common:
                reason = f"'{variable.name}' has another shape than the array it meets"
                return GroupRefusal("shape-mismatch", reason, variable.at)
            common = layout
        for variable in open_ended:
            if common is None or _extents(variable)[1:] != common.shape[1:]:
                return GroupRefusal("unknown-extent", f"extents of '{variable.name}' are not known", variable.at)
        if common is None:
            return GroupRefusal("unknown-extent", f"extents of '{members[0].name}' are not known", members[0].at)
        return common

    def _range_reason(self, access: Access) -> str:
        text = one_line(self.program.text(access.at))
        if access.witness is not None:
            where = ", ".join(f"{k} = {v}" for k, v in access.witness.items())
            return f"'{text}' leaves the array" + (f" at {where}" if where else "")
        return f"'{text}' is not proved to stay inside the array"


def _extents(variable: Variable) -> tuple[int | None, ...]:
    return variable.as_array.dims if variable.as_array is not None else ()


def _touched(movement: Movement, layout: Layout) -> Callable[[ArrayRef], Iterable[int]]:
    """Banks that the new text of an access names."""
    fixed = {ref.id: layout.bank(x) for ref, x in movement.fixed}
    fixed |= {s.ref.id: s.bank for r in movement.regions for s in r.sites if s.bank is not None}
    idle = {s.ref.id for r in movement.regions for s in r.sites if not s.loads and not s.stores}

    def touched(ref: ArrayRef) -> Iterable[int]:
        return () if ref.id in idle else (fixed[ref.id],) if ref.id in fixed else range(layout.banks)

    return touched


def _constant_banks(layout: PerDimLayout, verdicts: list[BankVerdict | None]) -> tuple[int | None, ...]:
    """Bank coordinate per dimension where all accesses agree on one value."""
    reached: set[int] = set()
    for verdict in verdicts:
        if verdict is None or verdict.banks is None:
            return tuple(0 if d.banks == 1 else None for d in layout.dims)
        reached.update(verdict.banks)
    tuples = [layout.bank_tuple(b) for b in reached] or [(0,) * len(layout.dims)]
    return tuple(column[0] if len(set(column)) == 1 else None for column in zip(*tuples, strict=True))
