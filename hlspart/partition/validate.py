"""The status of every directive, and the partition of every array group.

What *applied* and *rejected* mean is set down in docs/validation.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from msgspec.structs import replace

from hlspart.model.access import Access, AccessAnalysis, ArrayGroup, FaultCode
from hlspart.model.directives import PARTITION_TYPES, Directive, Fault
from hlspart.model.program import Program
from hlspart.model.results import BankVerdict, DimPartition, GroupPartition, PragmaState, PragmaStatus, Validation
from hlspart.partition.calls import Expansions
from hlspart.partition.inlining import Inlining
from hlspart.partition.layout import make_layout
from hlspart.partition.merge import Merged, group_items, merge
from hlspart.partition.others import status_of_other
from hlspart.partition.requests import Evaluated, evaluated
from hlspart.partition.unrolling import is_decided, unroll_factors
from hlspart.partition.verdicts import Verdicts

_MODES = ("m_axi", "ap_memory", "bram", "axis", "ap_fifo", "ap_none", "ap_vld", "ap_hs", "ap_bus")  # of data
MOST_BANKS = 1 << 16  # of one array; tools stop long before
NOT_FOLLOWED = frozenset(
    (*get_args(FaultCode), "group-extent", "inlined-apart")
)  # remarks on partitions that only the tool acts on
_COST_OF_AN_ACCESS = "hlspart does not rewrite the array, and counts that access on every bank it may reach"
_COST_OF_A_FAULT = "hlspart does not rewrite the array, and a loop with accesses that it cannot follow has no known II"
RANK: dict[PragmaState, int] = {  # the worst first
    "conflict": 0, "rejected": 1, "unmodelled": 2, "applied": 3, "ignored": 4, "redundant": 5,
}  # fmt: skip


def validate(
    program: Program, analysis: AccessAnalysis, bank_model: str = "static", argument: str = "ap_memory"
) -> Validation:
    """Status of each directive of ``program`` and partition of each group.

    ``bank_model`` does not change a status: a partition whose banks are undecided takes effect under
    both models, it only counts differently. ``argument``: storage of an array of a top function for which no
    INTERFACE says otherwise, see :attr:`hlspart.targets.Target.argument_storage`.
    """
    return _Validator(program, analysis, argument).run()


class _Validator:
    def __init__(self, program: Program, analysis: AccessAnalysis, argument: str) -> None:
        self.program, self.analysis, self.argument = program, analysis, argument
        self.groups = {g.id: g for g in analysis.groups}
        self.factors = unroll_factors(program)
        self.expansions = Expansions(program, analysis)
        self.inlining = Inlining(program)
        self.verdicts = Verdicts(analysis.loops)
        self.by_array: dict[int, list[Access]] = {}
        for access in analysis.accesses:
            self.by_array.setdefault(access.array, []).append(access)
        self.statuses: dict[int, PragmaStatus] = {}
        self.refused: list[Evaluated] = []  # requests on m_axi ports

    def run(self) -> Validation:
        items = self._without_axi(evaluated(self.program))
        for item in items:
            if item.request is None or item.request.variable not in self.analysis.group_of:
                self._single(item)
        partitions = {}
        for ident, members in group_items(items, self.analysis.group_of).items():
            partitions[ident] = self._group(self.groups[ident], members)
        earlier: dict[object, int] = {}
        for index, directive in enumerate(self.program.directives):
            if index not in self.statuses:
                self.statuses[index] = status_of_other(self.program, self.analysis.tops, index, directive, earlier)
        ordered = tuple(self.statuses[k] for k in range(len(self.program.directives)))
        return Validation(ordered, partitions, ports=self._banks_of_ports())

    # --------------------------------------------------------------------------- one directive

    def _set(
        self,
        item: Evaluated,
        status: PragmaState,
        main: Fault | None = None,
        dim: int | None = None,
        other: Evaluated | None = None,
    ) -> None:
        """Note a status with its ``main`` remark; of several variables of one directive the worst counts."""
        made = base_status(self.program, item.index, item.directive, status)
        made = replace(made, variable=item.variable, dim=dim, other=None if other is None else other.index)
        remarks = [*item.notes, *(p for p in item.directive.problems if p != main)]
        if main is not None:
            remarks.append(main)
        if remarks:
            said = remarks if status == "applied" else [main or remarks[0]]
            main = main or remarks[0]
            reason = "; ".join(p.message for p in said)
            made = replace(
                made, code=main.code, reason=reason, hint=main.hint, at=main.at, notes=tuple(dict.fromkeys(remarks))
            )
        known = self.statuses.get(item.index)
        if known is None or RANK[status] < RANK[known.status]:
            self.statuses[item.index] = made

    def _single(self, item: Evaluated) -> None:
        if item.fault is not None:
            state: PragmaState = "rejected"
            if item.fault.code in ("condition-false", "unread"):
                state = "ignored"
            elif not item.fault.fatal:
                complete = (item.directive.choice("type", PARTITION_TYPES) or "complete") == "complete"
                alone = item.fault.code == "open-extent" and complete and not item.directive.has("off")
                state = "applied" if alone else "unmodelled"
            self._set(item, state, item.fault)
        elif not item.directive.modelled:
            text = "hlspart does not model this form"
            self._set(item, "unmodelled", Fault("unmodelled", text, item.directive.at, fatal=False))
        else:
            self._set(item, "applied")

    def _ports(self) -> dict[int, str]:
        """Groups that an m_axi port belongs to, with the reason why it is one."""
        ports: dict[int, str] = {}
        chosen: set[int] = set()
        for directive in self.program.directives:
            mode = directive.choice("mode", _MODES) if directive.kind == "interface" and directive.usable else None
            if mode in _MODES:
                chosen.update(directive.variables)
            if mode == "m_axi":
                for variable in directive.variables:
                    group = self.analysis.group_of.get(variable, -1 - variable)
                    ports[group] = f"line {self.program.line(directive.at)}"
        if self.argument == "m_axi":
            for name in self.analysis.tops:
                for variable in self.program.functions[name].params:
                    if self.program.variable(variable).is_array and variable not in chosen:
                        ports.setdefault(self.analysis.group_of.get(variable, -1 - variable), "by default in this flow")
        return ports

    def _masters(self) -> frozenset[int]:
        """Arguments behind an AXI master, and the parameters that calls hand them on to."""
        named = [d for d in self.program.directives if d.kind == "interface" and d.usable]
        known = {v for d in named if d.choice("mode", _MODES) == "m_axi" for v in d.variables}
        if self.argument == "m_axi":
            chosen = {v for d in named if d.choice("mode", _MODES) in _MODES for v in d.variables}
            known |= {v for name in self.analysis.tops for v in self.program.functions[name].params} - chosen
        edges = [e for g in self.analysis.groups for e in g.edges]
        while more := {e.formal for e in edges if e.actual in known} - known:
            known |= more
        return frozenset(known)

    def _without_axi(self, items: Sequence[Evaluated]) -> list[Evaluated]:
        """A group that an m_axi port belongs to is memory outside of the device: it has no banks."""
        ports = self._ports()
        result = []
        for item in items:
            port = None
            if item.request is not None:
                variable = item.request.variable
                port = ports.get(self.analysis.group_of.get(variable, -1 - variable))
            if port is not None and item.variable is not None:
                name = self.program.variable(item.variable).name
                if item.variable not in self._masters():
                    text = f"'{name}' is handed to a function that an m_axi port ({port}) is handed to as well"
                    fault = Fault("tied-to-port", text, item.directive.at, fatal=False)
                else:
                    text = f"'{name}' is an m_axi port ({port}): it cannot be partitioned"
                    fault = Fault("m-axi", text, item.directive.at, "copy it into a local array and partition that")
                self.refused.append(item)
                item = replace(item, request=None, fault=fault)
            result.append(item)
        return result

    def _banks_of_ports(self) -> dict[int, tuple[DimPartition, ...]]:
        """What the refused requests on m_axi ports come to, where they do not contradict each other."""
        groups = group_items(self.refused, self.analysis.group_of)
        merged_groups = {ident: merge(self.program, items) for ident, items in groups.items()}
        return {ident: merged.dims for ident, merged in merged_groups.items() if merged.banks <= MOST_BANKS}

    # --------------------------------------------------------------------------------- groups

    def _group(self, group: ArrayGroup, items: list[Evaluated]) -> GroupPartition:
        requests = tuple(i.request for i in items if i.request)
        parts = self.inlining.parts(group, items) if merge(self.program, items).conflicts else ()
        if not parts:
            dims, verdicts = self._arrays(group, items)
            return GroupPartition(group.id, dims, requests, verdicts)
        divided: dict[int, set[tuple[DimPartition, ...]]] = {}
        every: dict[int, BankVerdict] = {}
        lost = self.inlining.remark(group)
        for part in parts:
            inside = replace(group, members=part.members, faults=())
            dims, verdicts = self._arrays(inside, [items[k] for k in part.positions], lost)
            every |= verdicts
            for member in (*part.members, *part.formals):
                divided.setdefault(member, set()).add(dims)
        alike = {
            member: divided_dims.pop() if len(divided_dims) == 1 else None for member, divided_dims in divided.items()
        }
        return GroupPartition(group.id, (), requests, every, alike)

    def _arrays(
        self, group: ArrayGroup, items: list[Evaluated], lost: Fault | None = None
    ) -> tuple[tuple[DimPartition, ...], dict[int, BankVerdict]]:
        """Partition of arrays that are laid out alike, and the verdicts of their accesses.

        ``lost``: what is not followed of them in any case.
        """
        merged = merge(self.program, items)
        many = self._too_many(items, merged)
        verdicts = self._verdicts(group, merged) if many is None else {}
        lost = lost or (self._not_followed(group, merged) if many is None else None)
        for position, item in enumerate(items):
            at = item.directive.at
            if position in merged.conflicts:
                self._conflict(items, position, merged)
            elif position in merged.redundant:
                first = items[merged.redundant[position]]
                text = f"says the same as {self._where(first, item)}"
                self._set(item, "redundant", Fault("redundant", text, at, "remove one of them"), other=first)
            elif merged.conflicts:
                text = "another directive on the same array group is in conflict; the group is left as it is"
                self._set(item, "ignored", Fault("group-conflict", text, at))
            elif position in merged.empty:
                problem = Fault("one-bank", "it makes one bank only", at, "remove it, or raise the factor")
                self._set(item, "ignored", problem)
            elif item.request is None or item.request.off or not merged.dims:
                self._set(item, "applied")
            elif many is not None:
                self._set(item, "unmodelled", many)
            elif lost is not None:
                self._set(item, "applied", lost)
            else:
                open_bank, dim = self._undecided(group, verdicts, item.request.dim)
                self._set(item, "applied", open_bank, dim)
        return merged.dims if many is None else (), verdicts

    def _too_many(self, items: Sequence[Evaluated], merged: Merged) -> Fault | None:
        """Whether a partition has more banks than are counted one by one."""
        if merged.banks <= MOST_BANKS:
            return None
        text = f"{merged.banks} banks are more than the {MOST_BANKS} that hlspart counts"
        return Fault("too-many-banks", text, items[0].directive.at, "choose a smaller factor", fatal=False)

    def _conflict(self, items: list[Evaluated], position: int, merged: Merged) -> None:
        other, dim = merged.conflicts[position]
        mine, theirs = items[position], items[other]
        place = self._where(theirs, mine)
        reason = f"dim {dim}: {_wish(mine)} here, {_wish(theirs)} in {place}"
        if mine.variable != theirs.variable and theirs.variable is not None and mine.variable is not None:
            one, two = self.program.variable(mine.variable), self.program.variable(theirs.variable)
            reason += f"; '{one.name}' and '{two.name}' are one array through calls"
        hint = "give both the same type and factor, or remove one"
        self._set(mine, "conflict", Fault("conflict", reason, mine.directive.at, hint), dim, theirs)

    def _where(self, item: Evaluated, beside: Evaluated) -> str:
        at = item.directive.at
        line = f"line {self.program.line(at)}"
        same = at.span.path == beside.directive.at.span.path
        return line if same else f"{at.span.path}, {line}"

    def _verdicts(self, group: ArrayGroup, merged: Merged) -> dict[int, BankVerdict]:
        if not merged.dims:
            return {}
        verdicts: dict[int, BankVerdict] = {}
        arrays = [self.program.variable(member).as_array for member in group.members]
        shapes = [() if array is None else array.dims for array in arrays]
        for member, shape in zip(group.members, shapes, strict=True):
            if shape[:1] == (None,):  # A[], *A: as long as the array that callers hand to it
                shape = next((s for s in shapes if s and s[1:] == shape[1:] and s[0] is not None), shape)
            layout = make_layout(shape, merged.dims)
            for access in self.by_array.get(member, ()):
                if layout is None or any(d.dim > len(layout.dims) for d in merged.dims):
                    verdicts[access.id] = BankVerdict("non-affine", None)
                elif not access.affine and self.expansions.is_affine(access):
                    verdicts[access.id] = self.expansions.verdict(access, layout)
                else:
                    verdicts[access.id] = self.verdicts.verdict(access, layout)
        return verdicts

    def _accesses(self, group: ArrayGroup) -> list[Access]:
        """Accesses of a group in the order of the text."""
        accesses = [a for m in group.members for a in self.by_array.get(m, ())]
        return sorted(accesses, key=lambda a: (a.at.span.path, a.at.span.start, a.id))

    def _not_followed(self, group: ArrayGroup, merged: Merged) -> Fault | None:
        """What is not analysed of a partitioned group: its first non-affine access, or a fault of the group.

        A tool partitions the array all the same.
        """
        if not merged.dims:
            return None
        for access in self._accesses(group):
            if not access.affine and not self.expansions.is_affine(access):
                text = " ".join(self.program.text(access.at).split())
                why = f" ({access.reason})" if access.reason else ""
                reason = f"non standard affine access of {self._named(access.array)}: {text!r}"
                reason += f" in line {self.program.line(access.at)}{why}: {_COST_OF_AN_ACCESS}"
                hint = "make the index an affine form of the loop iterators, or remove the partition"
                return Fault("non-affine", reason, access.reason_at or access.at, hint, fatal=False)
        if group.faults:
            fault = group.faults[0]
            name = self.program.variable(fault.variable).name
            code = "group-extent" if fault.code == "unknown-extent" else fault.code
            text = f"'{name}': {fault.reason} (line {self.program.line(fault.at)}): {_COST_OF_A_FAULT}"
            return Fault(code, text, fault.at, fatal=False)
        return None

    def _undecided(
        self, group: ArrayGroup, verdicts: dict[int, BankVerdict], wanted: int
    ) -> tuple[Fault | None, int | None]:
        """The first access whose bank is open in dimension ``wanted`` (0: in any)."""
        for access in self._accesses(group):
            verdict = verdicts[access.id]
            if verdict.kind == "const" or (verdict.kind == "const-after-unroll" and self._decided(verdict)):
                continue
            if wanted not in (0, verdict.dim):
                continue
            text = " ".join(self.program.text(access.at).split())
            banks = "several banks" if verdict.banks is None else f"banks {listed(verdict.banks)}"
            reason = f"bank cannot be divided: dim {verdict.dim} of {self._named(access.array)}: {text!r}"
            reason += f" in line {self.program.line(access.at)}"
            problem = Fault("bank-divided", f"{reason} reaches {banks}", access.at, self._advice(verdict), fatal=False)
            return problem, verdict.dim
        return None, None

    def _named(self, ident: int) -> str:
        """Kind and name of an array: ``argument 'A'``."""
        variable = self.program.variable(ident)
        return f"{'argument' if variable.storage == 'parameter' else variable.storage} '{variable.name}'"

    def _decided(self, verdict: BankVerdict) -> bool:
        return is_decided(verdict.unrolls, self.factors)

    def _advice(self, verdict: BankVerdict) -> str:
        names = {loop: self.analysis.loops[loop].name for loop, _ in verdict.unrolls if loop in self.analysis.loops}
        if verdict.kind == "const-after-unroll":
            return " and ".join(f"unroll {names[loop]} by {u}" for loop, u in verdict.unrolls if loop in names)
        if verdict.kind == "const-after-split":
            return "split the loop at the borders of the blocks"
        return "choose a dimension and factor that fit the step of the index"


def _wish(item: Evaluated) -> str:
    request = item.request
    assert request is not None
    return request.type + (f" factor={request.factor}" if request.factor is not None else "")


def listed(banks: Sequence[int]) -> str:
    """``0..3`` or ``1, 3``."""
    if len(banks) > 2 and banks[-1] - banks[0] == len(banks) - 1:
        return f"{banks[0]}..{banks[-1]}"
    return ", ".join(map(str, banks[:8])) + (", ..." if len(banks) > 8 else "")


def base_status(program: Program, index: int, directive: Directive, status: PragmaState) -> PragmaStatus:
    """A status without a reason."""
    at = directive.at
    return PragmaStatus(index, at.span.path, program.line(at), directive.text, status, None, None)
