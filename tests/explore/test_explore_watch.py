"""What is said of a search that is under way."""

from scaling import makespan

from hlspart.explore.search import SearchProblem, tasks
from hlspart.explore.space import Space
from hlspart.explore.watch import Watch
from hlspart.model.exploring import Dim, ExternalMemory, Operand, ResourceBudget, TiledNest


def test_best_bound_and_gap_close_in() -> None:
    dims = tuple(Dim(((k, 1),), 1) for k in range(2))
    space = Space(TiledNest("n", (("i", 12), ("j", 9)), (Operand("A", 4, dims, True, True),)), 6)
    problem = SearchProblem((space,), ExternalMemory(), ResourceBudget())
    planned = list(tasks([space], ExternalMemory()))
    said: list[str] = []
    watch = Watch(problem, planned, said.append)
    assert watch.line == f"0 of {len(planned)} tasks, 0 evaluated, 0 pruned"
    for task in reversed(planned):
        watch.take([problem.run(task)])
    gaps = [float(line.rpartition(" ")[2]) for line in said]
    assert len(gaps) == len(planned) >= 4
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 1
    assert gaps[-1] == 1
    assert f"{len(planned)} of {len(planned)} tasks" in said[-1]


def test_tasks_on_many_workers_take_as_long_as_counted() -> None:
    assert makespan([1.0] * 8, 1, 0) == 8
    assert makespan([1.0] * 8, 4, 0) == 2
    assert makespan([3.0, 1.0, 1.0, 1.0], 2, 0) == 3  # the longest first
    assert makespan([1.0] * 4, 4, 0.25) == 2.25  # handed out at 0.25 .. 1, in at 1.5 .. 2.25
