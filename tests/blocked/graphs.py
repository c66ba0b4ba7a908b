"""Random graphs of nests that hand values on, as C, and the least converted bytes by trying all choices."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Graph:
    """``users`` of the value of each nest, ``first``: nests that read the input; sizes in rows of 64 ints."""

    kinds: tuple[str, ...]
    users: tuple[tuple[int, ...], ...]
    first: tuple[int, ...]
    rows: tuple[int, ...]
    input_rows: int


def random_graph(rng: random.Random) -> Graph:
    count = rng.randint(3, 7)
    kinds = tuple(rng.choice(("any", "any", "blocked", "compact")) for _ in range(count))
    users: list[list[int]] = [[] for _ in range(count)]
    first = []
    for k in range(count):
        sources = rng.sample(range(-1, k), rng.randint(1, min(2, k + 1)))
        for source in sources:
            (first if source < 0 else users[source]).append(k)
    rows = tuple(rng.randint(1, 20) for _ in range(count))
    return Graph(kinds, tuple(map(tuple, users)), tuple(first), rows, rng.randint(1, 20))


def least(graph: Graph) -> int:
    """By all choices. Values without users are outputs; inputs and outputs are compact."""
    best = -1
    choices = [("blocked", "compact") if k == "any" else (k,) for k in graph.kinds]
    for layouts in itertools.product(*choices):
        total = 0
        for k, own in enumerate(layouts):
            others = {layouts[u] for u in graph.users[k]} or {"compact"}
            total += 256 * graph.rows[k] * bool(others - {own})
        total += 256 * graph.input_rows * any(layouts[u] == "blocked" for u in graph.first)
        best = total if best < 0 else min(best, total)
    return best


def source(graph: Graph) -> str:
    """A function with these nests."""
    outputs = [k for k, users in enumerate(graph.users) if not users]
    parameters = [f"const int in[{graph.input_rows}][64]", *(f"int v{k}[{graph.rows[k]}][64]" for k in outputs)]
    lines = [f"void top({', '.join(parameters)})", "{"]
    lines += [f"    int v{k}[{n}][64];" for k, n in enumerate(graph.rows) if k not in outputs]
    for k, kind in enumerate(graph.kinds):
        terms = [f"v{s}[i % {graph.rows[s]}][63 - c]" for s in range(k) if k in graph.users[s]]
        terms += [] if terms or k in graph.first else ["c"]
        terms += [f"in[i % {graph.input_rows}][c]"] if k in graph.first else []
        lines += [
            f"#pragma hlspart layout nest={kind}",
            f"    for (int i = 0; i < {graph.rows[k]}; i++)",
            f"        for (int c = 0; c < 64; c++) v{k}[i][c] = ({' + '.join(terms)}) % 1000 + {k};",
        ]
    return "\n".join([*lines, "}", ""])
