"""What all pipelined loops together ask of each group of arrays."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hlspart.banking.accesses import affine_index
from hlspart.banking.need import Need
from hlspart.hardware.slices import only_rows, slices
from hlspart.infer.followed import has_faults, is_followed
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.access import AccessAnalysis, Affine, ArrayGroup
from hlspart.model.directives import Directive, Option
from hlspart.model.options import InferOptions
from hlspart.model.ports import PortAccess
from hlspart.model.program import Call, Loop, Program, walk, walk_statements
from hlspart.model.results import ArrayResult, IIResult, LoopResult, Validation
from hlspart.partition import layout_of, requests
from hlspart.partition.layout import make_layout
from hlspart.predict import PortAccesses
from hlspart.predict.regressions import entries
from hlspart.semantics.effects import effects, statement_expressions
from hlspart.targets import Target

LoopKey = tuple[str, int]  # function and loop id; -1 for a function that is pipelined as a whole
COPIED = "ram_1wnr"  # a memory with a copy for each read
REBINDABLE = frozenset(
    {"ram_1p", "ram_2p", "ram_s2p", "ram_t2p", COPIED}
)  # what copies with a read port each stand for
OFF_CHIP = ("m_axi", "s_axilite", "fifo", "axis")  # no banks to be had


def key(loop: LoopResult) -> LoopKey:
    """What identifies a loop in results."""
    return loop.function, loop.loop


class LoopNeed(Struct, frozen=True):
    """One loop's accesses to one array of a group; ``need`` is at the II that this loop is to reach."""

    result: LoopResult
    variable: int
    need: Need
    entered: int  # times, as far as the loops around it say

    @property
    def by_data(self) -> bool:
        """Whether it loads elements that no iterator chooses."""
        problem = self.need.problem
        return any(s.read and affine_index(problem.accesses[s.position]) is None for s in problem.sites)

    @property
    def weight(self) -> int:
        """Iterations, for the cost of a slower II (unknown counts as many)."""
        return (self.result.trip_count.max or 1 << 20) * self.entered


class Demand(Struct, frozen=True):
    """All needs on one group of arrays.

    ``roots`` are the members that are no formal of a given caller: they carry the directives.
    ``bindings``: directives that say which memory it is. ``own``: what the tool partitions by itself.
    ``fault`` says why nothing may be partitioned; ``copyable``: the memory may have copies all the same, which the
    text does not see; ``rows``: functions get parts of it, so that directives alone may.
    """

    group: ArrayGroup
    roots: tuple[int, ...]
    shape: tuple[int, ...]
    bits: int
    storage: str
    port_count: int
    interface: bool
    bindings: tuple[int, ...]
    written: bool
    loops: tuple[LoopNeed, ...]
    existing: PerDimLayout | None
    own: PerDimLayout | None
    directives: tuple[int, ...]  # indices of the partition directives in effect
    fault: str | None
    copyable: bool
    rows: bool = False

    @property
    def bound(self) -> bool:
        """Whether a directive says which memory it is."""
        return bool(self.bindings)

    @property
    def accesses(self) -> int:
        """Accesses of the loop that makes the most."""
        return max((len(x.need.problem.sites) for x in self.loops), default=0)

    @property
    def touched(self) -> int:
        """Elements that an iteration of a loop takes, of the loop that takes the most: like indices take one."""
        return max((_touched(x.need) for x in self.loops), default=0)

    def at(self, floors: Mapping[LoopKey, int]) -> Demand:
        """The same demand, of the loops that ``floors`` names, each at its II."""
        loops = [x for x in self.loops if key(x.result) in floors]
        return replace(self, loops=tuple(replace(x, need=x.need.at(floors[key(x.result)])) for x in loops))

    @property
    def shifted(self) -> bool:
        """Whether it is a shift register: an iteration of some loop loads and stores known elements only."""
        return any(_known_elements(x.need) for x in self.loops) and not self.bound


def _known_elements(need: Need) -> bool:
    sites = need.problem.sites
    moved = not all(s.read for s in sites) and any(s.read for s in sites)
    forms = [affine_index(need.problem.accesses[s.position]) for s in sites]
    return moved and all(index is not None and not any(f.terms for f in index) for index in forms)


def _touched(need: Need) -> int:
    forms = ((s.position, affine_index(need.problem.accesses[s.position])) for s in need.problem.sites)
    return len({position if index is None else index for position, index in forms})


def pipelined(result: IIResult, functions: frozenset[str]) -> list[LoopResult]:
    """Loops that the tool pipelines, asked or not."""
    return [x for x in result.loops if x.pipelined and x.function in functions]


def with_pipelines(program: Program, result: IIResult, functions: frozenset[str]) -> Program:
    """The program with every innermost loop, whose body runs no other, pipelined where the tool pipelines none."""
    if pipelined(result, functions):
        return program
    looped = {loop.function for loop in program.loops.values()}
    added = []
    for loop in program.loops.values():
        nested = any(isinstance(s, Loop) for s in walk_statements(loop.body))
        if nested or loop.function not in functions or _called(program, loop) & looped:
            continue
        text = "HLS pipeline"
        added.append(Directive("pipeline", "vitis", "pragma", loop.header, text, (), {}, loop.function, loop.id, ()))
    return replace(program, directives=(*program.directives, *added))


def _called(program: Program, loop: Loop) -> frozenset[str]:
    """Functions that the body of a loop runs."""
    expressions = (e for top in statement_expressions(program, loop.body) for e in walk(top))
    names = tuple(e.function for e in expressions if isinstance(e, Call) and e.function is not None)
    return effects(program).reachable(names)


def unrolled(program: Program, loop: int, factor: int) -> Program:
    """The program with another unroll factor on one loop."""
    at, function = program.loops[loop].header, program.loops[loop].function
    text = f"HLS unroll factor={factor}"
    words = (Option("factor", str(factor), at),)
    added = Directive("unroll", "vitis", "pragma", at, text, words, {"factor": factor}, function, loop, ())
    kept = tuple(d for d in program.directives if d.kind != "unroll" or d.loop != loop)
    return replace(program, directives=(*kept, added))


def without(program: Program, directives: Sequence[int]) -> Program:
    """The program without some of its directives."""
    gone = set(directives)
    return replace(program, directives=tuple(d for k, d in enumerate(program.directives) if k not in gone))


def partition_indices(program: Program, analysis: AccessAnalysis) -> dict[int, tuple[int, ...]]:
    """Indices in ``Program.directives`` of the ARRAY_PARTITIONs of each group."""
    known = {id(d): k for k, d in enumerate(program.directives)}
    indices: dict[int, set[int]] = {}
    for request in requests(program):
        group = analysis.group_of.get(request.variable)
        if group is not None:
            indices.setdefault(group, set()).add(known[id(request.directive)])
    return {group: tuple(sorted(ids)) for group, ids in indices.items()}


def demands(
    program: Program,
    analysis: AccessAnalysis,
    validation: Validation,
    base: IIResult,
    target: Target,
    options: InferOptions,
    targets: Mapping[LoopKey, int],
) -> tuple[Demand, ...]:
    """One demand per array group that the pipelined loops of ``base`` touch, in order of declaration.

    ``targets`` gives the II to serve; ``base`` is the prediction without partitions.
    """
    loops: dict[int, list[LoopNeed]] = {}
    memories = {a.variable: a for a in base.arrays}
    effort = max(1, options.effort)
    performed = PortAccesses(program, analysis, target)
    entered = entries(program, base)
    for result in base.loops:
        if key(result) not in targets:
            continue
        whole = result.function if result.loop < 0 else None
        space, accesses = performed.of(result.loop, whole)
        for variable, touched in (
            x for v, demanded in sorted(accesses.items()) for x in _of_arrays(program, v, demanded)
        ):
            ident = analysis.group_of.get(variable)
            memory = memories.get(variable)
            if ident is None or memory is None or not touched or not program.variable(variable).is_array:
                continue
            ports, ii = target.ports(memory.storage), targets[key(result)]
            need = Need(space, touched, ports, ii, target.exclusive_arms, effort)
            loops.setdefault(ident, []).append(LoopNeed(result, variable, need, entered(result)))
    removable = partition_indices(program, analysis)
    demanded = []
    for group in analysis.groups:
        if group.id in loops:
            demand = _demand(program, analysis, validation, group, memories, target, tuple(loops[group.id]))
            if demand is not None:
                demanded.append(replace(demand, directives=removable.get(group.id, ())))
    return tuple(demanded)


def _of_arrays(
    program: Program, variable: int, accesses: Sequence[PortAccess]
) -> Iterator[tuple[int, tuple[PortAccess, ...]]]:
    """Accesses to a variable; those to a parameter that gets rows of arrays are to each of these, in one row."""
    yield variable, tuple(accesses)
    for array, fixed in sorted(slices(program).get(variable) or ()):
        first, zeros = (Affine((), 0),) * fixed, "-> [" + "0, " * fixed
        yield (
            array,
            tuple(
                replace(
                    a,
                    index=a.index and (*first, *a.index),
                    map=a.map and re.sub(r"->\s*\[", zeros, a.map),
                )
                for a in accesses
            ),
        )


def _demand(
    program: Program,
    analysis: AccessAnalysis,
    validation: Validation,
    group: ArrayGroup,
    memories: Mapping[int, ArrayResult],
    target: Target,
    needs: tuple[LoopNeed, ...],
) -> Demand | None:
    memory = memories[needs[0].variable]
    formals = {edge.formal for edge in group.edges}
    roots = tuple(m for m in group.members if m not in formals) or group.members[:1]
    dims = next(
        (program.variable(m).dims for m in (*roots, *group.members) if None not in program.variable(m).dims), ()
    )
    fault = None
    known = bool(dims) and all(n is not None and n > 0 for n in dims)
    ranks = {len(program.variable(m).dims) for m in group.members if program.variable(m).is_array}
    copyable = known and memory.storage not in OFF_CHIP and len(ranks) == 1
    if memory.storage in OFF_CHIP:
        fault = f"{memory.storage} memory has no banks"
    elif (
        has_faults(group)
        and not only_rows(program, group)
        and not is_followed(program, analysis.tops, group, target.auto_pipeline)
    ):
        fault = group.faults[0].reason
    elif (parts := validation.groups.get(group.id)) is not None and parts.divided:
        fault = "arrays that meet in an inlined function have partitions of their own"
    elif not known:
        fault = "its extents are not known"
    elif len({program.variable(m).dims[1:] for m in group.members if program.variable(m).is_array}) > 1:
        fault = "members of its call group differ in shape"
    shape = tuple(n or 0 for n in dims)
    alike = [m for m in group.members if program.variable(m).dims == dims]
    existing = layout_of(validation, analysis, program, alike[0]) if alike and fault is None else None
    if existing is not None and existing.banks == 1:
        existing = None
    return Demand(
        group=group,
        roots=roots,
        shape=shape,
        bits=memory.element_bits,
        storage=memory.storage,
        port_count=target.port_names(memory.storage) or 0,
        interface=any(
            program.variable(m).storage == "parameter" and program.variable(m).function in analysis.tops
            for m in group.members
        ),
        bindings=tuple(
            k
            for k, d in enumerate(program.directives)
            if d.usable and d.kind in ("bind_storage", "resource") and set(d.variables) & set(group.members)
        ),
        written=any(a.kind == "write" for m in group.members for a in analysis.of_array(m)),
        loops=needs,
        existing=existing,
        own=make_layout(dims, memory.partition) if any(x.origin == "auto" for x in memory.partition) else None,
        directives=(),
        fault=fault,
        copyable=copyable,
        rows=bool(group.faults),
    )


def with_ports(target: Target, ports: int) -> Target:
    """The target with so many ports, for reads and writes alike, on every memory that has a limit at all."""
    shared = {k: {"total": ports} if v and k not in OFF_CHIP else v for k, v in target.profile["ports"].items()}
    return replace(target, profile={**target.profile, "ports": shared})


def elements(demand: Demand) -> int:
    """Number of elements of the array."""
    return math.prod(demand.shape)


def partition_directives(
    program: Program, demand: Demand, layout: PerDimLayout, positional: bool = False
) -> tuple[Directive, ...]:
    """ARRAY_PARTITION directives that say ``layout`` for all roots of a demand."""
    directives = []
    for root in demand.roots:
        variable = program.variable(root)
        function = variable.function or demand.loops[0].result.function
        parts = [(k + 1, d) for k, d in enumerate(layout.dims) if d.banks > 1]
        every = len(parts) == len(layout.dims) and layout.is_complete
        for dim, d in [(0, parts[0][1])] if every and len(parts) > 1 else parts:
            kind = Option(d.kind, None, variable.at) if positional else Option("type", d.kind, variable.at)
            words = [Option("variable", variable.name, variable.at), kind]
            values = {"dim": dim}
            if d.factor is not None:
                values["factor"] = d.factor
                words.append(Option("factor", str(d.factor), variable.at))
            words.append(Option("dim", str(dim), variable.at))
            text = "HLS array_partition " + " ".join(
                o.name if o.value is None else f"{o.name}={o.value}" for o in words
            )
            at, named = variable.at, (root,)
            directives.append(
                Directive("array_partition", "vitis", "pragma", at, text, tuple(words), values, function, None, named)
            )
    return tuple(directives)


def storage_directive(
    program: Program, root: int, storage: str, function: str, bindings: Sequence[int] = ()
) -> Directive:
    """BIND_STORAGE of one array, in the kind of memory and with the latency that ``bindings`` ask for."""
    variable = program.variable(root)
    said = [Option("variable", variable.name, variable.at), Option("type", storage, variable.at)]
    for d in (program.directives[k] for k in bindings):
        core = (d.option("core") or "").lower().rpartition("_")[2]
        impl = core if core in ("bram", "uram", "lutram") else d.option("impl")
        for name, value in (("impl", impl), ("latency", d.option("latency"))):
            if value and not any(o.name == name for o in said):
                said.append(Option(name, value, variable.at))
    words = tuple(said)
    text = " ".join(["HLS bind_storage", *(f"{o.name}={o.value}" for o in words)])
    return Directive(
        "bind_storage", "vitis", "pragma", variable.at, text, words, {}, variable.function or function, None, (root,)
    )
