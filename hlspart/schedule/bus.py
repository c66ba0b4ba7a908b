"""Whether an iteration holds the requests of its m_axi accesses, or only their data.

Reports (see `[axi]` of the profiles) show a request, the data and, after stores, a response of many states each.
Where the tool makes one burst of all iterations, request and response stand outside of the loop. It does not say
when it does; reports agree on the loops that :func:`requests` lets pass, on others they differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hlspart.model import program as c
from hlspart.schedule.graph import Op
from hlspart.schedule.nests import Nest, Nests, Order
from hlspart.schedule.storage import BUS, Storage

_LEVELS = 2  # of nests whose bursts reports agree on


def requests(nests: Nests, nest: Nest, how: Order, ops: Iterable[Op], storage: Storage) -> str | None:
    """Why it is not known that the requests of a nest's m_axi accesses leave it; None where they do."""
    used = [op for op in ops if op.ref is not None and storage.memory(op.ref.variable).storage == BUS]
    why = _loops(nests, nest, storage) or _accesses(used, how, storage) if used else None
    return None if why is None else unknown(storage, {op.ref.variable for op in used if op.ref is not None}, why)


def unknown(storage: Storage, variables: Iterable[int], why: str) -> str:
    """The cause of a depth or latency that is not known, for the reader."""
    waits = [storage.bus_states(v) for v in variables]
    read, written = (max(x[k] for x in waits) for k in (0, 1))
    return f"whether m_axi requests ({read} states, responses {written}) are part of it is not known: {why}"


def _loops(nests: Nests, nest: Nest, storage: Storage) -> str | None:
    if not storage.target.bursts:
        return f"no report of {storage.target.tool} shows when it makes bursts"
    if storage.target.flow == "vitis":
        return "the tool may widen the ports"
    if nest.loop is None or len(nest.chain) > _LEVELS or nest.unroll > 1 or nest.before or nest.after:
        return "it is no plain loop or nest of two"
    infos = [nests.info(x) for x in nest.chain]
    counted = all(
        i is not None and i.iterator and i.step == 1 and i.lower is not None and not i.lower.terms and not i.exits
        for i in infos
    )
    if not counted or any(i is None or i.trip_count.exact is None for i in infos[1:]):
        return "its iterations are not counted one by one"
    if any(isinstance(s, c.If | c.Switch | c.Loop) for b in nest.body for s in c.walk_statements(b)):
        return "it holds conditions or inner loops"
    return None


def _accesses(used: Sequence[Op], how: Order, storage: Storage) -> str | None:
    buses = [storage.memory(op.ref.variable).resource for op in used if op.ref is not None]
    if len(set(buses)) < len(buses):
        return "several accesses share a bus"
    for op in used:
        assert op.ref is not None
        name = storage.program.variable(op.ref.variable).name
        if any(storage.program.variable(m).volatile for m in storage.members(op.ref.variable)):
            return f"{name} is volatile"
        if op.ref.guarded or op.ref.branch:
            return f"the access to {name} stands under a condition"
        if storage.widened(op.ref.variable) or not _plain(storage.program.variable(op.ref.variable).type):
            return f"the port of {name} may get another width than its elements"
        if not _in_order(op, how, storage):
            return f"iterations do not access {name} element by element"
    return None


def _plain(kind: c.CType) -> bool:
    """Whether elements are numbers of a width that a bus has."""
    while isinstance(kind, c.PointerType | c.ArrayType):
        kind = kind.target if isinstance(kind, c.PointerType) else kind.element
    return isinstance(kind, c.ScalarType) and kind.bits in (8, 16, 32, 64)


def _in_order(op: Op, how: Order, storage: Storage) -> bool:
    """Whether each iteration accesses the element behind that of the one before."""
    assert op.ref is not None
    dims = storage.memory(op.ref.variable).layout.dims
    if op.ref.index is None or len(op.ref.index) != len(dims):
        return False
    steps, stride = dict.fromkeys(how.names, 0), 1
    for form, dim in reversed(list(zip(op.ref.index, dims, strict=True))):
        if form is None:
            return False
        for n in how.names:
            steps[n] += form.coefficient(n) * stride
        stride *= dim.extent
    return tuple(steps[n] for n in how.names) == how.weights
