"""Accesses that a tool may see better: banks of places that are constants apart, loads under several conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hlspart.lowering.doubt import Doubt, about
from hlspart.lowering.graph import Graph, MemoryRef, Op, excludes
from hlspart.predict.loops import Prediction


def of_steps(p: Prediction) -> Iterator[Doubt]:
    """What `a[16 * c + 0]`, `a[16 * c + 1]`, .. ask for where every ``c`` may be: all banks, or each one of its own.

    A report (2024.2) has II 1 for 16 of them in 16 cyclic banks.
    """
    item, graph = p.elaborated, p.problem.graph
    for variable, members in item.members.items():
        memory = item.storage.memory(variable)
        if memory.registers or memory.layout.banks == 1:
            continue
        apart = [graph.ops[i] for i in members if i in graph.ops and _is_chosen(graph.ops[i])]
        places = {(op.kind, op.ref.key): (op.kind, _bases(op, graph)) for op in apart if op.ref is not None}
        if len(set(places.values())) == len(places):
            continue
        mine = {op.id for op in apart}
        gone = frozenset(e for e in graph.edges if e.kind == "memory" and e.source in mine and e.sink in mine)
        name = item.storage.program.variable(variable).name
        text = f"whether accesses of {name} that are constants apart are in banks of their own is not known"
        yield Doubt(about(text, apart), gone=gone, idle=lambda v, _, mine=variable: v == mine, banks=True)  # type: ignore[misc]


def _is_chosen(op: Op) -> bool:
    """Whether the place of an access is a value of the iteration."""
    return op.ref is not None and op.ref.key[0] == "value" and op.ref.map is None


def _bases(op: Op, graph: Graph) -> tuple[object, ...]:
    """The values that an address is made of, without constants that are added to them."""
    assert op.ref is not None
    return tuple(_base(x, graph.ops, graph.outside) if isinstance(x, int) else x for x in _values(op.ref.key))


def _values(key: tuple[object, ...]) -> tuple[object, ...]:
    last = key[-1]
    return (*key[:-1], *last) if isinstance(last, tuple) else key


def _base(ident: int, ops: Mapping[int, Op], outside: Mapping[int, Op]) -> int:
    """The other operand of a sum with a constant, else the value itself."""
    op = ops.get(ident)
    if op is None or op.kind != "add" or len(op.args) != 2:
        return ident
    rest = [a for a in op.args if (known := outside.get(a)) is None or known.kind != "const"]
    return rest[0] if len(rest) == 1 else ident


def of_conditions(p: Prediction) -> Iterator[Doubt]:
    """Loads of one element under several conditions, which the tool may make one ahead of them.

    A report (2023.2) has II 1 for four. Nothing in the loop stores to the array.
    """
    item, ops = p.elaborated, p.problem.graph.ops
    for variable, members in item.members.items():
        mine = [ops[i] for i in members if i in ops]
        if item.storage.memory(variable).registers or any(op.kind != "load" for op in mine):
            continue
        seen: dict[tuple[object, ...], list[MemoryRef]] = {}
        again: list[Op] = []
        for op in mine:
            if op.ref is not None and op.ref.branch:
                others = seen.setdefault(op.ref.key, [])
                again += [op] if any(not excludes(op.ref.branch, x.branch) for x in others) else []
                others.append(op.ref)
        if again:
            name = item.storage.program.variable(variable).name
            text = f"whether loads of one element of {name} under several conditions are one is not known"
            yield Doubt(about(text, again), left=frozenset(op.id for op in again))
