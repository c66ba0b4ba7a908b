"""Correct kernels with one pragma broken: each break that changes a prediction is found."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from hlspart.model.linting import LintReport
from hlspart.model.options import FrontendOptions, Options, TargetOptions
from hlspart.pipeline import Pipeline

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.amounts import amount

KERNELS = {
    "matmul": """\
#define N 8
static void other(int A[N][N]) {
  A[0][0] = 1;
}
void matmul(int A[N][N], int B[N][N], int C[N][N]) {
#pragma HLS array_partition variable=A cyclic factor=4 dim=2
#pragma HLS array_partition variable=B cyclic factor=4 dim=1
  ROW: for (int i = 0; i < N; i++) {
    COL: for (int j = 0; j < N; j++) {
#pragma HLS pipeline II=1
      int s = 0;
      for (int k = 0; k < N; k++) s += A[i][k] * B[k][j];
      C[i][j] = s;
    }
  }
}
""",
    "fir": """\
static void other(int x) {
  (void)x;
}
void fir(const int in[64], int out[64], const int tap[8]) {
  int line[8];
#pragma HLS array_partition variable=line complete dim=1
#pragma HLS array_partition variable=tap block factor=4 dim=1
  for (int k = 0; k < 8; k++) {
#pragma HLS unroll
    line[k] = 0;
  }
  SAMPLE: for (int n = 0; n < 64; n++) {
#pragma HLS pipeline II=1
    int acc = 0;
    for (int k = 7; k > 0; k--) {
      line[k] = line[k - 1];
      acc += line[k] * tap[k];
    }
    line[0] = in[n];
    out[n] = acc + line[0] * tap[0];
  }
}
""",
    "dot": """\
static int other(int x) {
  return x;
}
int dot(int a[64], int b[64]) {
#pragma HLS array_partition variable=a cyclic factor=4 dim=1
#pragma HLS array_partition variable=b cyclic factor=4 dim=1
  int acc = 0;
  L: for (int i = 0; i < 64; i += 8) {
#pragma HLS pipeline II=1
    int s = 0;
    for (int k = 0; k < 8; k++) s += a[i + k] * b[i + k];
    acc += s;
  }
  return acc;
}
""",
}
KINDS = ("dim", "factor", "name", "type", "scope", "order", "duplicate", "macro", "case", "position", "file", "version")


def broken(text: str, line: int, kind: str) -> tuple[str, str | None, str | None] | None:
    """(kernel, directive file, tool) with pragma line ``line`` (from 0) broken, None where it cannot be."""
    lines = text.splitlines()
    old = lines[line]
    new, tool, directives = old, None, None
    match kind:
        case "dim":
            new = re.sub(r"dim=(\d)", lambda m: f"dim={3 - int(m.group(1))}", old)
            if new == old and "variable=" in old:
                new = old + " dim=2"
        case "factor":
            new = re.sub(r"factor=\d", lambda m: "factor=5" if m.group() == "factor=3" else "factor=3", old)
            new = new.replace("II=1", "II=0")
        case "name":
            new = re.sub(r"variable=(\w+)", r"variable=\1x", old)
            new = re.sub(r"\b(pipelin|unro)\w+", r"\1", new, flags=re.IGNORECASE)
        case "type":
            new = re.sub(r"\b(cyclic|block|complete)\b", r"\1e", old)
        case "scope":
            other = next((k for k, t in enumerate(lines) if re.match(r"static \w+ other\(", t)), None)
            del lines[line]
            lines.insert(0 if other is None else other + 1, old)
            return "\n".join(lines) + "\n", None, None
        case "order":
            words = old.split()
            new = " ".join(words[:3] + words[:2:-1])
        case "duplicate":
            new = old + "\n" + re.sub(r"factor=\d", "factor=2", old).replace("II=1", "II=2")
        case "macro":
            new = re.sub(r"(factor|dim|II)=\d", r"\1=UNDEFINED_MACRO", old)
        case "case":
            new = re.sub(r"variable=(\w+)", lambda m: f"variable={m.group(1).swapcase()}", old)
        case "position":
            del lines[line]
            start = r"\w.*\(" if "variable=" in old else r".*[^;]$"
            lines.insert(next(k for k in range(line - 1, -1, -1) if re.match(start, lines[k])), old)
            return "\n".join(lines) + "\n", None, None
        case "file":
            match = re.search(r"variable=(\w+) (?:type=)?(\w+)(.*)", old)
            if match is None:
                return None
            rest = match.group(3)
            directives = f"syn.directive.array_partition=kernel {match.group(1)} type={match.group(2)}{rest}\n"
            new = ""
        case "version":
            new = re.sub(r" (cyclic|block|complete)\b", r" type=\1", old)
            tool = "vivado-hls-2019.2"
            if "type=" in old:
                return text, None, tool
    if new == old:
        return None
    lines[line] = new
    return "\n".join(lines) + "\n", directives, tool


Figures = tuple[Counter[tuple[str, int | None]], list[tuple[str, int]], Counter[str]]


@cache
def look(text: str, directives: str | None = None, tool: str | None = None) -> tuple[LintReport, Figures]:
    """The report, and the prediction it must not stay silent about."""
    texts = {"k.c": text, "d.cfg": directives or ""}
    files = ("d.cfg",) if directives else ()
    pipeline = Pipeline(
        ["k.c"], Options(FrontendOptions(directive_files=files), TargetOptions(tool=tool)), lambda p: texts[p].encode()
    )
    ii = pipeline.ii
    figures = Counter((x.name.split("_")[0], x.ii) for x in ii.loops)
    banks = sorted((a.name, a.banks) for a in ii.arrays)
    states = Counter(s.status for s in pipeline.validation.statuses)
    return pipeline.lint(), (figures, banks, states)


def differ(old: Figures, new: Figures) -> bool:
    """Whether a loop lost its II, or banks or statuses changed; that another loop has an II now is no loss."""
    return bool(old[0] - new[0]) or old[1:] != new[1:]


def cases(kernels: Mapping[str, str]) -> Iterator[tuple[str, int, str]]:
    for name, text in kernels.items():
        for line, content in enumerate(text.splitlines()):
            if content.startswith("#pragma"):
                for kind in KINDS:
                    if broken(text, line, kind) is not None:
                        yield name, line, kind


@pytest.mark.parametrize("name", KERNELS)
def test_unbroken_kernels_are_clean(name: str) -> None:
    report, _ = look(KERNELS[name])
    assert [str(d) for d in report.diagnostics if d.severity in ("error", "warning")] == []


def said(report: LintReport) -> set[tuple[str, str]]:
    """Rule and message of each finding, without the lines that an edit moves."""
    return {(d.rule, re.sub(r"lines? [\d, ]+|VITIS_LOOP_[\d_]+", "", d.message)) for d in report.diagnostics}


Row = tuple[str, int, str, bool, list[str]]


def rows(kernels: Mapping[str, str]) -> list[Row]:
    """(kernel, line, kind, whether a prediction changed, rules that are new) of every break."""
    before = {name: look(text) for name, text in kernels.items()}
    table = []
    for name, line, kind in cases(kernels):
        made = broken(kernels[name], line, kind)
        assert made is not None
        text, directives, tool = made
        report, figures = look(text, directives, tool)
        new = sorted({rule for rule, _ in said(report) - said(before[name][0])})
        table.append((name, line + 1, kind, tool is None and differ(before[name][1], figures), new))
    return table


def test_breaks_that_change_a_prediction_are_found() -> None:
    table = rows(amount({name: KERNELS[name] for name in list(KERNELS)[::3]}, KERNELS))
    changed = [r for r in table if r[3]]
    assert len(table) > amount(25, 60)
    assert len(changed) > amount(15, 40)
    assert {r[2] for r in table} == set(KINDS)
    silent = [r for r in changed if not r[4]]
    assert silent == []
    for name, _line, kind, differs, new in table:
        if kind == "order":
            assert not differs
            assert new == []
        if kind == "version":
            known = {d.rule for d in look(KERNELS[name], tool="vivado-hls-2019.2")[0].diagnostics}
            assert [r for r in new if r not in known] == ["HLP109"]


def document(samples: Path) -> str:
    """What finds each break, as a table; run this file as a script to print it."""
    own, theirs = rows(KERNELS), rows({f"samples/{p.name}": p.read_text() for p in sorted(samples.glob("*.c"))})
    lines = ["| kernel | line | break | prediction changes | rules that find it |", "|---|---|---|---|---|"]
    for name, line, kind, differs, new in own + theirs:
        lines.append(f"| {name} | {line} | {kind} | {'yes' if differs else 'no'} | {', '.join(new) or '-'} |")
    changed = [r for r in own + theirs if r[3]]
    silent = [r for r in changed if not r[4]]
    head = (
        f"{len(own)} and {len(theirs)} breaks, of which {len(changed)} change a prediction;"
        f" {len(silent)} of these are not found.\n\n"
    )
    return head + "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(document(Path(__file__).resolve().parents[2] / "samples"), end="")
