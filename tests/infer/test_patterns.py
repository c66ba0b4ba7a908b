"""Classical access patterns as C kernels: the whole way from the text to the number of banks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from hlspart.infer import infer
from hlspart.model.options import InferOptions, Options
from hlspart.pipeline import Pipeline

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


@pytest.mark.parametrize("ports", [1, 2])
@pytest.mark.parametrize("name", PATTERNS)
def test_least_banks_of_a_classical_pattern(name: str, ports: int) -> None:
    text = kernel(PATTERNS[name]["groups"]).encode()
    minima = PATTERNS[name]["minima"][str(ports)]
    pipeline = Pipeline(["f.c"], Options(), lambda path: text)
    for scheme, model in (("any", "static"), ("pragma", "ideal")):
        options = InferOptions(ports=ports, scheme=scheme, arrays=("A",))  # type: ignore[arg-type]
        result = infer(pipeline.program, pipeline.analysis, pipeline.validation, pipeline.target, options, model)  # type: ignore[arg-type]
        (found,) = [a for a in result.arrays if a.name == "A"]
        assert found.banks == minima[scheme]
        assert found.proved_minimal and found.lower_bound == minima["lower_bound"]
        assert [loop.ii_after for loop in result.loops] == [1] * len(PATTERNS[name]["groups"])
        if scheme == "any":
            assert found.absolute
