"""A vendor that there is not: its tool, devices, memories and spellings are one TOML file, and no line of code."""

from __future__ import annotations

import ast
import shutil
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from hlspart.model.options import InferOptions, Options, TargetOptions
from hlspart.pipeline import Pipeline
from hlspart.targets import known, load, profile

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "hlspart/targets/data"

ACME = """
tool = "acme-hls-2031.1"
vendor = "acme"
inherits = "generic"
aliases = ["acme"]
uncertainty = "0.5ns"
default_part = "zp-40f"
default_clock_ns = 4.0
default_family = "zephyr"

[directives]                 # manual: ARRAY_PARTITION takes the bare word
partition = true
bare_types = true
deprecated = ["resource"]

[ports]                      # data sheet: four ports, two of which write
auto = { writes = 2, total = 4 }
ap_memory = { writes = 2, total = 4 }

[memory]                     # data sheet: registered outputs
load = { auto = 3 }

[storage]                    # data sheet: no memory of logic cells
lutram_bits = 0
uram_bits = 20000

[memory_delay]
zephyr = { scalar = 0.1, fifo = 0.5, lutram = 0.3, bram = 0.9, uram = 0.9, uram_deep = 0.9 }

[devices]
ultraram = [40, 1024]
[devices.families]
zephyr = ["zp-"]
[devices.memories]
zephyr = [[40, 512], [20, 1024]]
[devices.parts]
zp-40 = { bram18k = 100, uram = 8, dsp = 64, lut = 40000, ff = 80000 }

[operators.zephyr]           # data sheet
fadd = { delay_ns = 9.0, dsp = 1, source = "data sheet" }
add = { delay_ns = 0.5, source = "data sheet" }
mul = { delay_ns = 1.0, dsp = 1, source = "data sheet" }
"""

SUM = """
float sum(float A[64], float B[64]) {
  #pragma HLS array_partition variable=B type=cyclic factor=2
  #pragma HLS resource variable=A core=RAM_2P
  float s = 0;
  for (int i = 0; i < 64; i++) {
    #pragma HLS pipeline
    s += A[i] + B[i];
  }
  return s;
}
"""

ROWS = """
void rows(int A[256], int y[32]) {
  for (int i = 0; i < 32; i++) {
    #pragma HLS pipeline II=1
    int low = A[8 * i] + A[8 * i + 1] + A[8 * i + 2] + A[8 * i + 3];
    int high = A[8 * i + 4] + A[8 * i + 5] + A[8 * i + 6] + A[8 * i + 7];
    y[i] = low + high;
  }
}
"""


def pipeline(tmp_path: Path, text: str) -> Pipeline:
    acme, kernel = tmp_path / "acme.toml", tmp_path / "kernel.c"
    acme.write_text(ACME)
    kernel.write_text(text)
    return Pipeline([str(kernel)], Options(target=TargetOptions(target_file=str(acme))))


def test_its_figures_decide(tmp_path: Path) -> None:
    target = pipeline(tmp_path, SUM).target
    assert (target.vendor, target.family, target.part, target.clock_ns) == ("acme", "zephyr", "zp-40f", 4.0)
    assert target.effective_ns == 3.5
    assert (target.resources.bram18k, target.resources.uram) == (100, 8)
    fadd = target.operator("fadd", 32)
    assert fadd is not None and (fadd.states, fadd.dsp) == (3, 1)  # 9 ns in periods of 3.5 ns
    rule = target.memories
    assert rule.bram18k(1000, 32) == 2  # two of 512 x 40
    assert target.uram(1500, 50) == 4
    assert (
        target.memories.is_uram(1024, 40)
        and not target.memories.is_uram(2000, 40)
        and not target.memories.is_uram(100, 40)
    )
    assert not target.memories.is_lutram(4, 8)
    assert target.access_ns(512, 32) == 0.9
    assert target.notes == ()


def test_its_memories_and_operators_decide_an_ii(tmp_path: Path) -> None:
    (loop,) = pipeline(tmp_path, SUM).ii.loops
    assert loop.ii == 2  # a carried sum of three states: a latency of two
    (loop,) = pipeline(tmp_path, ROWS).ii.loops
    assert loop.ii == 2  # eight loads, four ports


def test_its_spellings_are_written_and_asked_for(tmp_path: Path) -> None:
    found = pipeline(tmp_path, ROWS).infer(InferOptions(target_ii=1))
    lines = [p for a in found.arrays for p in a.pragmas]
    assert lines == ["#pragma HLS array_partition variable=A cyclic factor=2 dim=1"]
    findings = {d.name for d in pipeline(tmp_path, SUM).lint().diagnostics}
    assert {"type-spelling", "deprecated-pragma"} <= findings


def test_a_file_among_the_profiles_is_a_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in DATA.glob("*.toml"):
        shutil.copy(path, tmp_path)
    (tmp_path / "acme-hls-2031.1.toml").write_text(ACME)
    monkeypatch.setattr(profile, "_folder", lambda: tmp_path)
    profile._data.cache_clear()
    profile._tool_profile.cache_clear()
    assert "acme-hls-2031.1" in known().tools
    assert known().families["zephyr"] == ("zp-",)
    assert load(TargetOptions(tool="ACME HLS 2031.1")).tool == load(TargetOptions(tool="acme 2031.1")).tool
    assert load(TargetOptions(tool="acme-2031.1")).part == "zp-40f"
    assert load(TargetOptions(tool="vitis 2022.1")).tool == "vitis-2022.1"


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a module's syntax tree."""
    return tuple(ast.walk(ast.parse(path.read_text())))


def test_code_names_no_tool() -> None:
    """Outside targets/ and the readers of reports nothing depends on the name of a tool or a flow."""
    wrong, seen = [], 0
    for path in sorted((ROOT / "hlspart").rglob("*.py")):
        if path.parent.name == "targets" or path.name == "reports.py":
            continue
        for node in nodes(path):
            if not isinstance(node, ast.Compare | ast.Call):
                continue
            seen += 1
            begins = (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "startswith"
            )
            if not (begins or isinstance(node, ast.Compare)):
                continue
            below = list(ast.walk(node))
            tool = any(isinstance(n, ast.Attribute) and n.attr in ("tool", "flow", "vendor", "family") for n in below)
            if tool and any(isinstance(n, ast.Constant) and isinstance(n.value, str) and n.value for n in below):
                wrong.append(f"{path.relative_to(ROOT)}: {ast.unparse(node)}")
    assert wrong == []
    assert seen > 5000


def test_a_flag_gates_one_behaviour() -> None:
    """Each of the flags that one flag once was is read at one place."""
    flags = (
        "forwards_stores", "rotates_sums", "bypasses_stores", "trusts_distances", "unrelated_rows",
        "resumes_sums", "keeps_resumed_nests", "keeps_chained_nests", "widest_port", "index_bits", "bare_types",
    )  # fmt: skip
    reads: Counter[str] = Counter()
    for path in (ROOT / "hlspart").rglob("*.py"):
        if path.parent.name not in ("targets", "rules", "lint"):
            reads.update(n.attr for n in nodes(path) if isinstance(n, ast.Attribute))
    assert {flag: reads[flag] for flag in flags} == dict.fromkeys(flags, 1)
