"""Offsets of blocks: against all orders of placing them, against simple bounds, and MiniMalloc's files."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from hlspart.buffers import solver
from hlspart.buffers.packing import Stacks, aligned, live_bound, pack, piled
from hlspart.buffers.problem import read_problem, solve, write_solution
from hlspart.model.buffers import CsvError, MemoryBlock

ROWS = json.loads((Path(__file__).parent / "packings.json").read_text())


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the solver: what is proved here is proved by the search alone."""
    monkeypatch.setattr(solver, "is_available", lambda: False)


def blocks(row: Sequence[Sequence[int]]) -> list[MemoryBlock]:
    return [MemoryBlock(str(k), *numbers) for k, numbers in enumerate(row)]


def check(problem: Sequence[MemoryBlock], offsets: Sequence[int], height: int) -> None:
    """No two blocks that are live at one step share a unit."""
    for at, block in zip(offsets, problem, strict=True):
        assert at % block.align == 0 and at >= 0 and at + block.size <= height
    for step in {b.lower for b in problem}:
        live = [(at, b) for at, b in zip(offsets, problem, strict=True) if b.lower <= step < b.upper]
        spans = sorted((at, at + b.size) for at, b in live if b.size)
        assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))


def least(problem: Sequence[MemoryBlock]) -> int:
    """The lowest height of all orders in which each block is put at its lowest free place.

    Some order gives a lowest packing: push all blocks of one down as far as they go, and take them by offset.
    """
    best = sum(aligned(b.size, b.align) for b in problem)
    for order in itertools.permutations(problem):
        placed: list[tuple[int, MemoryBlock]] = []
        for block in order:
            at = 0
            for start, other in sorted((p for p in placed if p[1].overlaps(block)), key=lambda p: p[0]):
                if at + block.size <= start:
                    break
                at = max(at, aligned(start + other.size, block.align))
            placed.append((at, block))
            if at + block.size >= best:
                break
        else:
            best = max(at + b.size for at, b in placed)
    return best


def random_problem(rng: random.Random, count: int) -> list[MemoryBlock]:
    out = []
    for k in range(count):
        lower = rng.randrange(8)
        size = rng.choice((0, 1, 2, 3, 5, 7, 12, 20)) if count > 3 else rng.randrange(9)
        out.append(MemoryBlock(str(k), lower, lower + rng.randint(1, 5), size, rng.choice((1, 1, 2, 4, 8))))
    return out


def test_small_problems_have_the_least_height_of_all_orders() -> None:
    rng, above_bound = random.Random(19), 0
    for _ in range(120):
        problem = random_problem(rng, rng.randint(1, 6))
        found = pack(problem)
        check(problem, found.offsets, max(found.height, 1))
        assert (found.height, found.proved) == (least(problem), True)
        assert found.bound == live_bound(problem) <= found.height
        above_bound += found.height > found.bound
    assert above_bound >= 10


def tied(rng: random.Random, count: int, steps: int) -> list[MemoryBlock]:
    """As many blocks as a chain of kernels has: sizes and alignments of all kinds."""
    out = []
    for k in range(count):
        lower, life = (
            (rng.randrange(steps), rng.choice((1, 2, 3, 5, 8, 13))) if steps else (k * 2 // 3, rng.randint(1, 6))
        )
        size = rng.choice((64, 128, 192, 256, 320, 768, 1024, rng.randint(1, 2048)))
        out.append(MemoryBlock(str(k), lower, lower + life, size, rng.choice((1, 64, 128, 256))))
    return out


def test_mixed_alignments_are_proved() -> None:
    searched = above_bound = 0
    for seed in (0, 4, 6, 7, 9, 22, 24, 28):
        rng = random.Random(seed)
        problem = tied(rng, rng.randint(24, 60), 0 if seed % 3 == 0 else 40)
        found = pack(problem)
        check(problem, found.offsets, found.height)
        assert found.proved and found.bound == live_bound(problem)
        searched += found.method == "search"
        above_bound += found.height > found.bound
    assert searched == 3 and above_bound >= 5


def test_the_least_height_of_a_stack_is_that_of_its_best_order() -> None:
    rng = random.Random(4)
    for _ in range(100):
        start = rng.randrange(20)
        stack = [
            MemoryBlock(str(k), 0, 1, rng.randint(1, 20), rng.choice((1, 2, 4, 8))) for k in range(rng.randint(1, 5))
        ]
        ends = []
        for order in itertools.permutations(stack):
            end = start
            for block in order:
                end = aligned(end, block.align) + block.size
            ends.append(end)
        assert Stacks(stack).height((1 << len(stack)) - 1, start) == min(ends)
        assert piled(stack, start) <= min(ends)


@pytest.mark.parametrize("number", range(len(ROWS)))
def test_recorded_problems_are_at_their_least_height(number: int) -> None:
    """``packings.json``: problems of seven blocks and more; the heights of the small ones were found by all orders."""
    row = ROWS[number]
    problem = blocks(row["blocks"])
    found = pack(problem)
    check(problem, found.offsets, found.height)
    assert (found.height, found.proved, found.bound) == (row["least"], True, row["live"])


def test_a_search_that_is_cut_off_proves_nothing() -> None:
    cut = 0
    for row in ROWS:
        problem = blocks(row["blocks"])
        found = pack(problem, max_work=3)
        check(problem, found.offsets, found.height)
        assert row["live"] <= found.bound <= row["least"] <= found.height
        assert not found.proved or found.height == row["least"]
        cut += not found.proved
    assert cut >= 3


def test_the_solver_goes_on_where_the_search_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ortools")
    monkeypatch.setattr(solver, "is_available", lambda: True)
    rows = [r for r in ROWS if 9 <= len(r["blocks"]) <= 16]
    methods = set()
    for row in rows:
        found = pack(blocks(row["blocks"]), max_work=3)
        check(blocks(row["blocks"]), found.offsets, found.height)
        assert (found.height, found.proved) == (row["least"], True)
        methods.add(found.method)
    assert "CP-SAT" in methods
    problem = blocks(rows[0]["blocks"])
    assert pack(problem, rows[0]["live"] - 1, max_work=3).proved


def test_a_capacity_is_enough() -> None:
    problem = blocks([(0, 4, 10), (2, 6, 10), (5, 9, 10), (8, 12, 10)])
    assert pack(problem).height == 20
    assert pack(problem, capacity=35).height <= 35


# ------------------------------------------------------------------------------------ files

CSV = "id,lower,upper,size,alignment,note\nb1,0,3,4,1,x\nb2,3,9,4,8,y\nb3,0,9,4,1,\n"


def test_a_problem_file_keeps_its_columns() -> None:
    problem = read_problem("p.csv", CSV)
    assert not isinstance(problem, CsvError)
    found = solve(problem)
    assert (found.size, found.bound, found.proved, found.unshared) == (8, 8, True, 12)
    assert [(b.first, b.last) for b in found.buffers] == [(0, 2), (3, 8), (0, 8)]
    lines = write_solution(problem, [b.offset for b in found.buffers]).splitlines()
    assert lines[0] == "id,lower,upper,size,alignment,note,offset"
    assert lines[2] == "b2,3,9,4,8,y,0"
    again = read_problem("p.csv", "\n".join(lines))
    assert not isinstance(again, CsvError) and write_solution(again, [7, 8, 9]).splitlines()[3] == "b3,0,9,4,1,,9"


def test_an_end_column_includes_its_step() -> None:
    problem = read_problem("p.csv", "buffer_id,start,end,size\na,0,2,4\nb,2,3,4\nc,3,3,4\n")
    assert not isinstance(problem, CsvError)
    assert [(b.lower, b.upper) for b in problem.blocks] == [(0, 3), (2, 4), (3, 4)]
    assert solve(problem).size == 8


@pytest.mark.parametrize(
    ("text", "line", "column", "word"),
    [
        ("", 1, 1, "header"),
        ("id,lower,size\n", 1, 1, "upper"),
        ("id,lower,start,upper,size\n", 1, 1, "two columns"),
        ("id,lower,upper,size\na,0,1\n", 2, 1, "3 fields"),
        ("id,lower,upper,size\na,0,x,1\n", 2, 5, "no integer"),
        ("id,lower,upper,size\na,3,3,1\n", 2, 5, "empty"),
        ("id,lower,upper,size\na,0,1,-1\n", 2, 7, "negative"),
        ("id,lower,upper,size,alignment\na,0,1,1,3\n", 2, 9, "power of two"),
        ("id,lower,upper,size,alignment\na,0,1,1,0\n", 2, 9, "power of two"),
        ("id,lower,upper,size\na,0,1,1\na,0,1,1\n", 3, 1, "second"),
    ],
)
def test_faults_of_problem_files_have_a_place(text: str, line: int, column: int, word: str) -> None:
    found = read_problem("p.csv", text)
    assert isinstance(found, CsvError)
    assert (found.line, found.column) == (line, column) and word in found.message
