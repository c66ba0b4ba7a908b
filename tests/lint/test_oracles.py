"""Deadlock by depth, order of FIFOs and distances of dependences, against small simulations and enumerations."""

from __future__ import annotations

import random

from lint_helpers import lint_of


def _ends(programs: list[list[tuple[str, int]]], depths: list[int]) -> bool:
    """Whether all tasks come to their end: one step of any task that can go on, until none can."""
    fill, at = [0] * len(depths), [0] * len(programs)
    moved = True
    while moved:
        moved = False
        for k, steps in enumerate(programs):
            while at[k] < len(steps):
                kind, channel = steps[at[k]]
                room = fill[channel] < depths[channel] if kind == "w" else fill[channel] > 0
                if not room:
                    break
                fill[channel] += 1 if kind == "w" else -1
                at[k], moved = at[k] + 1, True
    return all(at[k] == len(steps) for k, steps in enumerate(programs))


def _network(rng: random.Random) -> tuple[str, list[list[tuple[str, int]]], list[int]]:
    """Two tasks and two streams: what one writes in bursts of some sizes the other reads in bursts of others."""
    total, depths = 12, [rng.randint(1, 13), rng.randint(1, 13)]
    orders: list[list[tuple[str, int]]] = []
    text = ["#include <hls_stream.h>"]
    for task, kind, call in (("put", "w", "{}.write(a[i]);"), ("get", "r", "b[i] += {}.read();")):
        burst = rng.choice((1, 2, 3, 4, 6, 12))
        first = rng.randint(0, 1)
        steps: list[tuple[str, int]] = []
        body = []
        for channel in (first, 1 - first):
            body.append(f"    for (int i = 0; i < {burst}; i++) {call.format(f's{channel}')}")
            steps += [(kind, channel)] * burst
        head = f"void {task}(int a[12], int b[12], hls::stream<int> &s0, hls::stream<int> &s1) {{"
        text += [head, f"  for (int k = 0; k < {total // burst}; k++) {{", *body, "  }", "}"]
        orders.append(steps * (total // burst))
    text += ["void top(int a[12], int b[12], int c[12], int d[12]) {", "#pragma HLS DATAFLOW"]
    text += [f"  hls::stream<int, {depth}> s{k};" for k, depth in enumerate(depths)]
    text += ["  put(a, c, s0, s1);", "  get(d, b, s0, s1);", "}"]
    return "\n".join(text) + "\n", orders, depths


def test_a_network_stops_where_a_simulation_of_it_stops() -> None:
    rng = random.Random(23)
    outcomes = []
    for _ in range(10):
        text, orders, depths = _network(rng)
        found = [d for d in lint_of({"k.cpp": text}).diagnostics if d.rule == "HLP610"]
        assert bool(found) == (not _ends(orders, depths)), text
        outcomes.append(bool(found))
        if found and "is needed" in found[0].message:
            channel = found[0].message.split("'")[1]
            needed = int(found[0].message.split(";")[1].split()[0])
            for depth, ends in ((needed, True), (needed - 1, False)):
                deeper = [depth if f"s{k}" == channel else d for k, d in enumerate(depths)]
                assert _ends(orders, deeper) is ends, text
    assert 2 < sum(outcomes) < 9


def test_the_order_of_a_fifo_is_that_of_an_enumeration() -> None:
    rng = random.Random(5)
    outcomes = []
    for _ in range(12):
        outer, inner = rng.choice((2, 3, 4)), rng.choice((2, 4))
        i, j, start = rng.choice((1, inner, outer)), rng.choice((1, outer, -1)), rng.choice((0, 0, 1))
        order = [start + i * x + j * y for x in range(outer) for y in range(inner)]
        if min(order) < 0:
            order, start = [k - min(order) for k in order], start - min(order)
        size = max(order) + 1
        text = (
            f"void top(const int a[{size}], int b[{outer * inner}]) {{\n#pragma HLS INTERFACE ap_fifo port=a\n"
            f"  for (int x = 0; x < {outer}; x++)\n    for (int y = 0; y < {inner}; y++)\n"
            f"      b[{inner} * x + y] = a[{start} + {i} * x + ({j}) * y];\n}}\n"
        )
        found = [d for d in lint_of(text).diagnostics if d.rule == "HLP611"]
        assert bool(found) == (order != list(range(size))), (text, order)
        outcomes.append(bool(found))
    assert 2 < sum(outcomes) < 11


def test_distances_are_those_of_an_enumeration() -> None:
    rng = random.Random(7)
    outcomes = []
    for k in range(12):
        op, most = (("-", 5), ("^", 6), ("%", 9), (">>", 3))[k % 4]
        by, n = rng.randint(2 if op == "%" else 1, most), 24
        first = by if op == "-" else 0
        reads = {i: {"-": i - by, "^": i ^ by, "%": i % by, ">>": i >> by}[op] for i in range(first, n)}
        near = [i - e for i, e in reads.items() if first <= e < i]
        text = (
            f"void top(int x[32], const int w[32]) {{\n  for (int i = {first}; i < {n}; i++) {{\n"
            f"#pragma HLS PIPELINE\n#pragma HLS DEPENDENCE variable=x inter false\n"
            f"    x[i] = x[i {op} {by}] + w[i];\n  }}\n}}\n"
        )
        found = [d for d in lint_of(text).diagnostics if d.rule == "HLP209"]
        assert bool(found) == bool(near), (text, near)
        if near:
            assert f"iterations {min(near)} before" in found[0].message, (text, min(near))
        outcomes.append(bool(found))
    assert len(outcomes) == 12
    assert sum(outcomes) > 5


def test_a_sum_begins_before_its_start_where_an_enumeration_says_so() -> None:
    rng = random.Random(11)
    outcomes = []
    for _ in range(24):
        rounds, n, by, first = rng.randint(1, 3), rng.choice((6, 8)), rng.choice((1, 2)), rng.randint(0, 2)
        inside, at = rng.random() < 0.5, rng.choice(("i", f"{n - 1} - i", f"(i * {by}) % {n}"))
        clear = f"for (int k = {first}; k < {n}; k += {by}) s[k] = 0;"
        text = (
            f"void top(const int x[{n}], int y[{n}]) {{\n  int s[{n}];\n" + ("" if inside else f"  {clear}\n")
            + f"  for (int r = 0; r < {rounds}; r++) {{\n" + (f"    {clear}\n" if inside else "")
            + f"    for (int i = 0; i < {n}; i++) s[{at}] += x[i];\n  }}\n"
            + f"  for (int i = 0; i < {n}; i++) y[i] = s[i];\n}}\n"
        )  # fmt: skip
        written, bare = set(), False
        for r in range(rounds):
            if inside or r == 0:
                written |= set(range(first, n, by))
            for i in range(n):
                element = {"i": i, f"{n - 1} - i": n - 1 - i}.get(at, i * by % n)
                bare |= element not in written
                written.add(element)
        found = [
            d
            for d in lint_of(text).diagnostics
            if d.rule == "HLP437" and "+= x[i]" in text.split("\n")[d.place.line - 1]
        ]
        assert bool(found) == bare, text
        outcomes.append(bare)
    assert 4 < sum(outcomes) < 22
