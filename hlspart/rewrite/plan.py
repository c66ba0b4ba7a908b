"""What to do with each array group, decided before any text is touched (all or nothing per group)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hlspart import partition
from hlspart.layouts.perdim import DimLayout, PerDimLayout
from hlspart.model.access import Access, AccessAnalysis, ArrayGroup
from hlspart.model.options import RewriteOptions
from hlspart.model.program import ArrayRef, ArrayType, Call, Function, Program, Variable
from hlspart.model.results import BankVerdict, GroupPartition, Validation
from hlspart.model.rewriting import GroupOutcome, Style
from hlspart.model.source import Origin
from hlspart.rewrite.linear import effects
from hlspart.rewrite.names import Names
from hlspart.rewrite.uses import Use, Uses


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a group keeps its text: ``code`` names the documented class."""

    code: str
    reason: str
    at: Origin


@dataclass(frozen=True)
class Plan:
    """A group that will be rewritten. ``names``: the new arrays of each member (one for bankdim)."""

    group: ArrayGroup
    style: Style
    layout: PerDimLayout
    names: Mapping[int, tuple[str, ...]]
    scalar_banks: bool
    banks_of: Mapping[int, tuple[int | None, ...]]  # ArrayRef.id -> constant bank coordinate per dimension

    def bank_shape(self, bank: int) -> tuple[int, ...]:
        """Extents of one bank's C array under split; () for a scalar."""
        pairs = zip(self.layout.dims, self.layout.bank_shape(bank), strict=True)
        shape = tuple(size for dim, size in pairs if dim.kind != "complete")
        return shape or (() if self.scalar_banks else (1,))

    @property
    def padded_shape(self) -> tuple[int, ...]:
        """Extents of the one array under bankdim: bank dimensions first, then the longest bank's."""
        dims = self.layout.dims
        heads = tuple(dims[k].banks for k in self.layout.partitioned)
        return heads + tuple(d.size(0) for d in dims if d.kind != "complete")


@dataclass(frozen=True)
class Decision:
    """Plans for the groups to edit, outcomes for the others."""

    plans: tuple[Plan, ...]
    outcomes: tuple[GroupOutcome, ...]


def decide(
    program: Program,
    analysis: AccessAnalysis,
    validation: Validation,
    options: RewriteOptions,
    uses: Uses,
    styles: Mapping[int, Style | None],
) -> Decision:
    """Plan every partitioned group; ``styles`` gives each group's style, None to leave it as it is."""
    names = Names(source.text for source in program.sources.values())
    by_ref: dict[int, list[Access]] = {}
    for access in analysis.accesses:
        by_ref.setdefault(access.ref, []).append(access)
    plans: list[Plan] = []
    outcomes: list[GroupOutcome] = []
    for group in analysis.groups:
        wanted = validation.groups.get(group.id)
        if wanted is None:
            continue
        if not wanted.dims:
            outcome = _unpartitioned(program, group, validation)
            if outcome is not None:
                outcomes.append(outcome)
            continue
        style = styles.get(group.id)
        if style is None:
            outcomes.append(outcome_of(program, group, "kept", None, None))
            continue
        if group.top and not options.split_top:
            at = program.variable(group.members[0]).at
            outcomes.append(
                outcome_of(program, group, "ignored", style, Refusal("top-level", "top-level signature kept", at))
            )
            continue
        result = _plan(program, analysis, validation, wanted, group, style, options, uses, by_ref, names)
        if isinstance(result, Plan):
            plans.append(result)
        elif result is None:
            outcomes.append(outcome_of(program, group, "kept", style, None))
        else:
            outcomes.append(outcome_of(program, group, "refused", style, result))
    return Decision(tuple(plans), tuple(outcomes))


def outcome_of(
    program: Program, group: ArrayGroup, status: str, style: Style | None, refusal: Refusal | None
) -> GroupOutcome:
    """The outcome record of a group."""
    arrays = tuple(dict.fromkeys(program.variable(v).name for v in group.members))
    return GroupOutcome(
        group.id,
        arrays,
        status,  # type: ignore[arg-type]
        style,
        refusal.code if refusal else None,
        refusal.reason if refusal else None,
        refusal.at if refusal else None,
    )


def _unpartitioned(program: Program, group: ArrayGroup, validation: Validation) -> GroupOutcome | None:
    """A group that somebody asked to partition and that validation turned down."""
    for status in validation.statuses:
        if status.variable not in group.members or status.status not in ("rejected", "conflict"):
            continue
        directive = program.directives[status.directive]
        if directive.kind != "array_partition":
            continue
        code = "conflict" if status.status == "conflict" else status.code or "rejected"
        refusal = Refusal(code, status.reason or status.status, status.at or directive.at)
        return outcome_of(program, group, "conflict" if status.status == "conflict" else "refused", None, refusal)
    return None


def _plan(
    program: Program,
    analysis: AccessAnalysis,
    validation: Validation,
    wanted: GroupPartition,
    group: ArrayGroup,
    style: Style,
    options: RewriteOptions,
    uses: Uses,
    by_ref: Mapping[int, list[Access]],
    names: Names,
) -> Plan | Refusal | None:
    if group.faults:
        fault = group.faults[0]
        return Refusal(fault.code, fault.reason, fault.at)
    members = [program.variable(v) for v in group.members]
    layout = _common_layout(program, analysis, validation, members)
    if isinstance(layout, Refusal):
        return layout
    for variable in members:
        refusal = _declaration_refusal(program, variable) or _use_refusal(program, group, uses, variable)
        if refusal is not None:
            return refusal
    banks_of: dict[int, tuple[int | None, ...]] = {}
    dynamic: Refusal | None = None
    for use in (u for v in group.members for u in uses.by_variable.get(v, ())):
        if use.kind != "element":
            continue
        assert isinstance(use.node, ArrayRef)
        accesses = by_ref.get(use.node.id, [])
        if not accesses:
            return Refusal("not-analysed", f"access in {use.function or 'an initialiser'} is not analysed", use.node.at)
        for access in accesses:
            if not access.affine:
                return Refusal(
                    "non-affine", access.reason or "non standard affine access", access.reason_at or access.at
                )
            if not access.in_range:
                return Refusal("out-of-range", _range_reason(program, access), access.at)
        banks = _constant_banks(layout, [wanted.verdicts.get(a.id) for a in accesses])
        if None in banks:
            dim = banks.index(None) + 1
            dynamic = dynamic or Refusal(
                "dynamic-bank",
                f"bank cannot be divided: dim {dim} is reached by '{program.text(use.node.at)}' in several banks",
                use.node.at,
            )
        banks_of[use.node.id] = banks
        for k in layout.partitioned:
            effect = effects(use.node.indices[k])
            if effect is not None:
                return Refusal("side-effect", "an index with a side effect would be lost or evaluated twice", effect.at)
    if style == "split" and dynamic is not None:
        if options.dynamic == "reject":
            return dynamic
        style = options.dynamic
    if style == "crossbar":
        style = "bankdim"
    if style == "bankdim":
        return _bankdim(program, group, layout, banks_of, names, members)
    called = any(v.storage == "parameter" for v in members) or bool(group.edges)
    bank_names = {v.id: names.banks(v.name, layout.banks) for v in members}
    return Plan(group, "split", layout, bank_names, not called, banks_of)


def _bankdim(
    program: Program,
    group: ArrayGroup,
    layout: PerDimLayout,
    banks_of: dict[int, tuple[int | None, ...]],
    names: Names,
    members: list[Variable],
) -> Plan | Refusal | None:
    parted = layout.partitioned
    if parted == tuple(range(len(parted))) and all(layout.dims[k].kind == "complete" for k in parted):
        return None  # the banks are leading dimensions already
    external = any(
        d.kind == "array_partition" and d.source != "pragma" and d.usable and set(d.variables) & set(group.members)
        for d in program.directives
    )
    # A directive file goes on naming the old array: under a new name it cannot hit the new one.
    bank_names = {v.id: (names.banks(f"{v.name}_banked", 1)[0],) if external else (v.name,) for v in members}
    return Plan(group, "bankdim", layout, bank_names, False, banks_of)


def _constant_banks(layout: PerDimLayout, verdicts: list[BankVerdict | None]) -> tuple[int | None, ...]:
    """Bank coordinate per dimension where all accesses agree on one value."""
    reached: set[int] = set()
    for verdict in verdicts:
        if verdict is None or verdict.banks is None:
            return tuple(0 if d.banks == 1 else None for d in layout.dims)
        reached.update(verdict.banks)
    tuples = [layout.bank_tuple(b) for b in reached] or [(0,) * len(layout.dims)]
    return tuple(column[0] if len(set(column)) == 1 else None for column in zip(*tuples, strict=True))


def _common_layout(
    program: Program, analysis: AccessAnalysis, validation: Validation, members: list[Variable]
) -> PerDimLayout | Refusal:
    found: PerDimLayout | None = None
    for variable in members:
        layout = partition.layout_of(validation, analysis, program, variable.id)
        if layout is None:
            return Refusal("unknown-extent", f"extents of '{variable.name}' are not known", variable.at)
        if found is not None and layout != found:
            return Refusal(
                "shape-mismatch", f"'{variable.name}' has another shape than the array it meets", variable.at
            )
        found = layout
    assert found is not None
    return found


def _range_reason(program: Program, access: Access) -> str:
    if access.witness is not None:
        where = ", ".join(f"{k} = {v}" for k, v in access.witness.items())
        return f"'{program.text(access.at)}' leaves the array" + (f" at {where}" if where else "")
    return f"'{program.text(access.at)}' is not proved to stay inside the array"


def _declaration_refusal(program: Program, variable: Variable) -> Refusal | None:
    given = {unit.path for unit in program.units}
    if variable.extern and variable.storage != "parameter":
        return Refusal("extern", f"'{variable.name}' is defined in a file that is not given", variable.at)
    for declarator in variable.declarations:
        path = declarator.declarator.span.path
        if path not in given:
            return Refusal("header", f"'{variable.name}' is declared in {path}, which is not given", declarator.name)
    if variable.volatile:
        return Refusal("volatile", f"'{variable.name}' is volatile", variable.at)
    if not isinstance(variable.type, ArrayType):
        return Refusal("pointer", f"'{variable.name}' is a pointer", variable.at)
    return None


def _use_refusal(program: Program, group: ArrayGroup, uses: Uses, variable: Variable) -> Refusal | None:
    reasons = {
        "row": ("partial-subscript", "a row of the array is handed on"),
        "address": ("address-taken", "its address is taken"),
        "whole": ("address-taken", "the array is used as a pointer"),
    }
    for use in uses.by_variable.get(variable.id, ()):
        if use.kind in reasons:
            code, reason = reasons[use.kind]
            return Refusal(code, f"'{variable.name}': {reason}", use.node.at)
        at = use.around.at if use.kind == "sizeof" and use.around is not None else use.node.at
        if at.kind in ("macro", "mixed"):
            return Refusal("macro", f"'{variable.name}' is used inside the macro {at.macro or ''}".rstrip(), at)
        if use.kind == "argument":
            call = use.call
            assert call is not None
            formal = formal_of(program, call, use.position or 0)
            if formal is None or formal not in group.members:
                return Refusal(
                    "extern-callee", f"'{variable.name}' is handed to {call.function or 'a pointer'}", call.at
                )
        if use.kind == "element" and len(shared := _meanings(uses, use)) > 1:
            other = program.variable(next(iter(shared - {variable.id}))).name
            return Refusal("macro", f"one macro argument means '{variable.name}' and '{other}'", use.node.at)
    return None


def _meanings(uses: Uses, use: Use) -> frozenset[int]:
    span = (use.node.name if isinstance(use.node, ArrayRef) else use.node.at).span
    return uses.shared_spans[span.path, span.start, span.end]


def formal_of(program: Program, call: Call, position: int) -> int | None:
    """The parameter that argument ``position`` of ``call`` becomes."""
    function: Function | None = program.functions.get(call.function or "")
    if function is None or position >= len(function.params):
        return None
    return function.params[position]


def dim_text(dims: tuple[DimLayout, ...]) -> str:
    """``cyclic factor=4 dim=1, ..`` for comments and messages."""
    parts = []
    for k, dim in enumerate(dims):
        if dim.kind != "whole":
            factor = "" if dim.kind == "complete" else f" factor={dim.banks}"
            parts.append(f"{dim.kind}{factor} dim={k + 1}")
    return ", ".join(parts)
