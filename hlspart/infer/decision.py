"""The choice for one demand, and its record in the result."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from hlspart.infer.choice import Choice, Chooser
from hlspart.infer.demand import Demand, LoopKey, key
from hlspart.model.directives import Directive
from hlspart.model.inferred import InferredArray
from hlspart.model.program import Program
from hlspart.model.results import DimPartition


class Decision(Struct, frozen=True):
    """The choice for one demand, the directives that say it and those that it replaces.

    ``said``: the directives of the choice, whether they are new or there already.
    """

    demand: Demand
    choice: Choice
    directives: tuple[Directive, ...]
    removed: tuple[int, ...]
    reason: str
    said: tuple[Directive, ...] = ()


def as_it_is(demand: Demand, copies: int) -> str:
    """Why nothing is proposed for an array with which every loop has its II as it is, in so many ``copies``."""
    if demand.own is None:
        why = f": the tool makes {copies} copies of it for its reads by itself" if copies > 1 else ""
        return f"every loop has II {max(x.need.ii for x in demand.loops)} or less without{why}"
    dims = " and ".join(str(k) for k, d in enumerate(demand.own.dims, 1) if d.banks > 1)
    return f"the tool splits dimension {dims} completely by itself"


def restated(d: Decision, reached: Mapping[LoopKey, int], chooser: Chooser) -> Decision:
    """An array that is left whole, with the II at which it serves: others may have made a loop faster."""
    needs = [x.need for x in d.demand.loops]
    now = [x.need.at(reached.get(key(x.result), x.need.ii)) for x in d.demand.loops]
    old = chooser.none(needs).reason
    if d.choice.kind == "none" and d.choice.proved and old in d.reason and all(n.trivial for n in now):
        return replace(d, reason=d.reason.replace(old, chooser.none(now).reason))
    return d


def record(program: Program, d: Decision) -> InferredArray:
    """What the result says about the array."""
    variable = program.variable(d.demand.roots[0])
    choice = d.choice
    said = d.directives or tuple(program.directives[k] for k in d.demand.directives if k not in d.removed)
    if choice.kind == "replicate":
        said = d.said
    dims: tuple[DimPartition, ...] = ()
    if choice.kind != "none":
        dims = tuple(
            DimPartition(k + 1, x.kind, x.banks, "inferred")  # type: ignore[arg-type]
            for k, x in enumerate(choice.layout.dims)
            if x.banks > 1
        )
    return InferredArray(
        unasked=choice.kind == "none" and d.demand.own is not None and d.demand.existing == d.demand.own,
        variable=variable.id,
        name=variable.name,
        function=variable.function,
        line=program.line(variable.at),
        accesses=d.demand.accesses,
        ports=d.demand.port_count,
        lower_bound=choice.lower_bound,
        banks=choice.banks,
        proved_minimal=choice.proved,
        space=choice.space,
        absolute=choice.absolute,
        kind=choice.kind,
        pragmas=tuple(_line(x) for x in said) if choice.kind != "none" and not choice.rewrite else (),
        mapping=choice.mapping,
        bank_depth=max(choice.layout.depth(b) for b in {0, choice.layout.banks - 1}),
        needs_rewrite=choice.rewrite,
        dims=dims,
        reason=d.reason,
        roots=d.demand.roots,
        removed=d.removed,
        copies=choice.copies,
        bram18k=choice.cost.bram18k,
        registers=choice.cost.register_bits,
        selection_luts=choice.cost.selection,
        fresh=bool(d.directives),
        scope=d.demand.loops[0].result.function,
        split_top=choice.rewrite and d.demand.interface,
    )


def _line(directive: Directive) -> str:
    """A directive as the pragma line that says it."""
    return f"#pragma {directive.text.removeprefix('#pragma').strip()}"
