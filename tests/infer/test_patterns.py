"""Classical access patterns as C kernels: the whole way from the text to the number of banks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest

from hlspart.infer import Inference
from hlspart.model.inferred import InferResult
from hlspart.model.options import InferOptions, Options
from hlspart.pipeline import Pipeline
from tests.amounts import amount

PATTERNS = json.loads((Path(__file__).parent.parent / "banking" / "patterns.json").read_text())


def kernel(groups: Sequence[Sequence[Sequence[int]]]) -> str:
    """One pipelined nest per group over an array of at least four times the window."""
    cells = [o for g in groups for o in g]
    rank = len(cells[0])
    extents = [4 * (max(o[k] for o in cells) - min(o[k] for o in cells) + 1) for k in range(rank)]
    brackets = "".join(f"[{n}]" for n in extents)
    names = "ijk"[:rank]
    lines = [f"void f(const int A{brackets}, int out[{len(groups)}]{brackets})", "{"]
    for number, offsets in enumerate(groups):
        for k, name in enumerate(names):
            low, high = -min(o[k] for o in offsets), extents[k] - max(o[k] for o in offsets)
            lines.append(f"    for (int {name} = {low}; {name} < {high}; {name}++)" + " {" * (k == rank - 1))
        lines.append("#pragma HLS PIPELINE II=1")
        reads = ["A" + "".join(f"[{n} + {c}]" for n, c in zip(names, o, strict=True)) for o in offsets]
        target = f"out[{number}]" + "".join(f"[{n}]" for n in names)
        lines += [f"        {target} = {' + '.join(reads)};", "    }"]
    return "\n".join([*lines, "}", ""])


def searched(text: bytes, options: InferOptions, model: Literal["static", "ideal"] = "static") -> InferResult:
    """What the search finds; the II of a text that needs the rewrite is another question."""
    p = Pipeline(["f.c"], Options(), lambda path: text)
    return Inference(p.program, p.analysis, p.validation, p.target, options, model).run().result


@pytest.mark.parametrize("ports", [1, 2])
@pytest.mark.parametrize("name", [*PATTERNS][:: amount(2, 1)])
def test_least_banks_of_a_classical_pattern(name: str, ports: int) -> None:
    text = kernel(PATTERNS[name]["groups"]).encode()
    minima = PATTERNS[name]["minima"][str(ports)]
    for scheme, model in (("any", "static"), ("pragma", "ideal")):
        options = InferOptions(ports=ports, scheme=scheme, arrays=("A",))  # type: ignore[arg-type]
        result = searched(text, options, model)  # type: ignore[arg-type]
        (found,) = [a for a in result.arrays if a.name == "A"]
        assert found.banks == minima[scheme]
        assert found.proved_minimal and found.lower_bound == minima["lower_bound"]
        assert [loop.ii_after for loop in result.loops] == [1] * len(PATTERNS[name]["groups"])
        if scheme == "any":
            assert found.absolute


def fixed(offsets: Sequence[int], extent: int, trips: int) -> str:
    """One read per offset, of a parameter."""
    reads = " + ".join(f"A[i + {o}]" for o in offsets)
    head = f"void f(const int A[{extent}], int out[{trips}])"
    loop = f"    for (int i = 0; i < {trips}; i++) {{\n#pragma HLS PIPELINE II=1\n        out[i] = {reads};\n    }}"
    return f"{head}\n{{\n{loop}\n}}\n"


@pytest.mark.parametrize(
    ("offsets", "extent", "trips", "ports", "pragma", "any_"),
    [
        ([0, 8], 16, 8, 2, "none 1", 1),  # 16 banks by a rule of distances
        ([0, 16, 32], 48, 16, 1, "block 3", 3),  # 48 by distances
        ([0, 16, 32], 48, 16, 2, "block 2", 2),
        ([0, 4, 8, 13], 64, 48, 2, "none 1", 3),  # cyclic 3 serves ideally; a tool sees no bank
        ([0, 4, 8], 64, 48, 2, "none 1", 2),
        ([0, 4, 8, 12, 16], 20, 4, 2, "block 4", 3),  # three blocks of 7: one of them meets three of the reads
        ([0, 5, 11], 15, 4, 1, "block 3", 3),  # no factor divides the extent
    ],
)
def test_mistakes_of_other_tools_from_the_text(
    offsets: list[int], extent: int, trips: int, ports: int, pragma: str, any_: int
) -> None:
    text = fixed(offsets, extent, trips).encode()
    found = {}
    for scheme in ("pragma", "any"):
        options = InferOptions(ports=ports, scheme=scheme, arrays=("A",))  # type: ignore[arg-type]
        result = searched(text, options)
        (found[scheme],) = [a for a in result.arrays if a.name == "A"]
    assert (f"{found['pragma'].kind} {found['pragma'].banks}", found["any"].banks) == (pragma, any_)
    assert found["any"].proved_minimal
