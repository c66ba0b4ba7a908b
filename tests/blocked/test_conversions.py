"""Propagation: the least conversions against all choices, and random graphs that run."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

from graphs import Graph, least, random_graph, source
from layout_texts import laid_out, runs, same

from hlspart.blocked.cut import CutValue, cost, spread
from hlspart.blocked.cut import least as least_cut
from tests.amounts import amount


def test_the_cut_is_the_least_of_all_choices() -> None:
    rng, less = random.Random(19), 0
    for _ in range(300):
        count = rng.randint(2, 7)
        kinds: Any = [rng.choice(("any", "any", "blocked", "compact")) for _ in range(count)]
        values = [
            CutValue(tuple(rng.sample(range(count), rng.randint(2, min(4, count)))), rng.randint(1, 30))
            for _ in range(rng.randint(1, 9))
        ]
        options = [("compact", "blocked") if k == "any" else (k,) for k in kinds]
        best = min(cost(choice, values) for choice in itertools.product(*options))
        found = least_cut(options, values)
        assert found.size == found.bound == cost(found.layouts, values) == best
        assert all(x in own for own, x in zip(options, found.layouts, strict=True))
        less += cost(spread(options, values, {}), values) > best
    assert less >= 30


KINDS = ("compact", "blocked", "tile=8,4", "tile=4,4")


def test_more_than_two_layouts_are_the_least_of_all_choices() -> None:
    rng, cut_short, several = random.Random(5), 0, 0
    for _ in range(300):
        kinds = KINDS[: rng.randint(3, 4)]
        count = rng.randint(3, 7)
        options = []
        for _ in range(count):
            some = rng.sample(kinds[1:], rng.randint(1, len(kinds) - 1))
            options.append(rng.choice(((rng.choice(kinds),), kinds, ("compact", *some))))
        values = [
            CutValue(tuple(rng.sample(range(count), rng.randint(2, min(4, count)))), rng.randint(1, 30))
            for _ in range(rng.randint(3, 9))
        ]
        best = min(cost(choice, values) for choice in itertools.product(*options))
        found = least_cut(options, values)
        assert found.size == found.bound == cost(found.layouts, values) == best
        assert all(x in own for own, x in zip(options, found.layouts, strict=True))
        several += len(set(found.layouts)) > 2
        hasty = least_cut(options, values, 0)
        assert hasty.bound <= best <= hasty.size == cost(hasty.layouts, values)
        cut_short += hasty.bound < hasty.size
    assert several >= 30 and cut_short >= 10


def test_forty_nests_of_four_layouts_are_proved() -> None:
    for seed in range(3):
        rng = random.Random(seed)
        options = [(rng.choice(KINDS),) if rng.random() < 0.3 else KINDS for _ in range(40)]
        around = [sorted({k, *(min(39, k + rng.randint(1, 5)) for _ in range(rng.randint(1, 3)))}) for k in range(39)]
        found = least_cut(options, [CutValue(tuple(members), rng.randint(1, 30)) for members in around])
        assert found.size == found.bound > 0


def test_random_graphs_as_c(tmp_path: Path) -> None:
    rng, made, above = random.Random(7), 0, 0
    for number in range(amount(15, 40)):
        graph = random_graph(rng)
        text = source(graph)
        found, new = laid_out(text)
        assert found.size == least(graph) == sum(c.size for c in found.conversions) and not found.diagnostics
        assert [n.demand for n in found.nests] == list(graph.kinds)
        above += found.spread > found.size
        made += len(found.conversions)
        if number % 10 == 0:
            parameters = [
                ("in", graph.input_rows),
                *((f"v{k}", n) for k, n in enumerate(graph.rows) if not graph.users[k]),
            ]
            names = runs(tmp_path, new, parameters)
            wanted = [f"layout_{'pack' if c.target == 'blocked' else 'unpack'}_{c.name}" for c in found.conversions]
            assert sorted(names) == sorted(wanted)
            same(tmp_path, text, new)
    assert made >= amount(20, 60) and above >= amount(1, 5)


def test_graphs_are_of_all_kinds() -> None:
    graphs: list[Graph] = [random_graph(random.Random(k)) for k in range(20)]
    assert {kind for g in graphs for kind in g.kinds} == {"any", "blocked", "compact"}
