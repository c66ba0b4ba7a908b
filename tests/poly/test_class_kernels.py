"""Kernels with classes: their II, and their accesses against runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from class_runs import claims, visits

from hlspart.model.options import Options
from hlspart.pipeline import Pipeline

KERNELS = Path(__file__).parent / "classes"
# by hand: ports (two of a memory, one of a stream) and what one iteration needs of the next
INTERVALS = {
    "ref_arg": (1,), "member_object": (1,), "array_of_objects": (2, 1), "inherit": (1, 1), "constructor": (1,),
    "static_member": (1,), "operators": (1,), "lambda": (1,), "range_for": (1, 1, 1, 1), "default_arguments": (1, 1),
    "binding": (1,), "enum_decltype": (1,), "functor": (1,), "outside": (1,), "nested_static_fn": (1, 1),
    "stream_wrapper": (1, 1), "window": (1,), "copy": (2,), "template_method": (1,), "complex": (1,),
    "ref_member": (1, 1), "delegating": (1, 1, 1), "shapes": (1, 1, 1), "references": (1, 2, 1),
    "array_arguments": (1, 1, 1, 1), "values": (1, 1, 1), "left_out": (1,),
}  # fmt: skip
# arrays of structures have no cells that note accesses; data decide where these are written; compilers leave out copies
NOT_COMPARED = {
    "operators": {"a", "b", "out"}, "complex": {"a", "b", "out"}, "array_of_objects": {"pe"}, "values": {"a"},
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(INTERVALS))
def test_loops_of_kernels_with_classes(name: str) -> None:
    path = str(KERNELS / f"{name}.cpp")
    pipeline = Pipeline([path], Options())
    assert [h for h in pipeline.program.holes if h.at.path == path] == []
    assert tuple(x.ii for x in pipeline.figures.loops if x.pipelined) == INTERVALS[name]


def test_accesses_are_those_of_runs(tmp_path: Path) -> None:
    texts = {p.stem: p.read_text() for p in sorted(KERNELS.glob("*.cpp"))}
    assert texts.keys() == INTERVALS.keys()
    runs = visits({f"k_{n}": t for n, t in texts.items() if n not in ("complex", "operators")}, tmp_path)
    compared = arrays = 0
    for name in texts:
        if f"k_{name}" not in runs:
            continue
        said, unknown = claims(KERNELS / f"{name}.cpp")
        visited = runs[f"k_{name}"]
        skipped = unknown | NOT_COMPARED.get(name, set())
        names = {array for array, _, _ in visited} - skipped
        arrays += len(names)
        for array in names:
            mine = {k: v for k, v in said.items() if k[0] == array}
            ran = {k: v for k, v in visited.items() if k[0] == array}
            assert mine == ran, (name, array)
            compared += sum(ran.values())
    assert (arrays, compared) == (63, 7212)
