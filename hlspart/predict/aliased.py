"""Two names of one memory in a loop: it takes them for memories apart, so that its II is the least there can be."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hlspart.frontend.types import size_of
from hlspart.hardware.shared import shared
from hlspart.hardware.storage import Storage
from hlspart.lowering.doubt import Doubt
from hlspart.model.causes import Cause
from hlspart.model.program import held
from hlspart.predict.loops import Prediction


def one_memory(storage: Storage, touched: Collection[int]) -> Iterator[tuple[frozenset[int], str]]:
    """Pairs of names of one array among ``touched``, each with the sentence that says so."""
    program = storage.program
    for pair, (how, line) in shared(program).items():
        if pair <= frozenset(touched):
            names = " and ".join(program.variable(v).name for v in sorted(pair))
            yield pair, f"{names} are one memory {how} in line {line}"


def is_in_registers(storage: Storage, pair: Collection[int]) -> bool:
    """Whether one of the names has no ports: values then pass between iterations unseen."""
    return any(storage.memory(v).registers for v in pair)


def of_one_memory(p: Prediction) -> Iterator[Doubt]:
    """What the ports and dependences of the one memory may add to those of its names.

    At most, its accesses go one by one, and each store waits for all that an iteration does.
    """
    assert p.schedule is not None
    storage = p.elaborated.storage
    for pair, text in one_memory(storage, p.elaborated.members):
        if is_in_registers(storage, pair):
            continue
        mine = [op for op in p.problem.graph.ops.values() if op.ref is not None and op.ref.variable in pair]
        stores = sum(op.kind == "store" for op in mine)
        most = (p.schedule.depth + len(mine)) * (1 + stores) if stores else len(mine)
        yield Doubt(Cause(text), ii=max(most, p.schedule.ii))


def of_views(p: Prediction) -> Iterator[Doubt]:
    """What it adds that a name has larger elements than the array that it stands for.

    A report (2022.2, m_axi) has II 8 where a pointer to vectors of 8 numbers reads an array of such numbers.
    """
    assert p.schedule is not None
    program = p.elaborated.storage.program
    for pair in shared(program):
        for variable in pair & p.elaborated.members.keys():
            (other,) = pair - {variable}
            mine, theirs = (size_of(held(program.variable(v).type)) for v in (variable, other))
            if mine is None or theirs is None or mine <= theirs:
                continue
            names = program.variable(variable).name, program.variable(other).name
            text = "in how many accesses of {1} an element of {0} is moved is not known".format(*names)
            most = -(-mine // theirs) * len(p.elaborated.members[variable])
            if most > p.schedule.ii:
                yield Doubt(Cause(text), ii=most)
