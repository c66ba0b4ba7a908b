"""Correct kernels with one pragma broken: each break that changes a prediction is found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

from hlspart.model.linting import LintReport
from hlspart.model.options import FrontendOptions, Options, TargetOptions
from hlspart.pipeline import Pipeline

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
        case "factor":
            new = re.sub(r"factor=\d", "factor=3", old)
            new = new.replace("II=1", "II=0")
        case "name":
            new = (
                re.sub(r"variable=(\w+)", r"variable=\1x", old)
                .replace("pipeline", "pipelin")
                .replace("unroll", "unrol")
            )
        case "type":
            new = re.sub(r"\b(cyclic|block|complete)\b", r"\1e", old)
        case "scope":
            body = next(k for k, t in enumerate(lines) if t.startswith(("static", "void")))
            lines.insert(body + 1, old)
            del lines[line + 1]
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
            at = next(k for k in range(line - 1, -1, -1) if lines[k].rstrip().endswith("{"))
            if "array_partition" in old:
                while not lines[at].startswith(("void", "int ")):
                    at -= 1
            lines.insert(at, old)
            return "\n".join(lines) + "\n", None, None
        case "file":
            match = re.search(r"variable=(\w+) (\w+)(.*)", old)
            if match is None:
                return None
            rest = match.group(3)
            directives = f"syn.directive.array_partition=kernel {match.group(1)} type={match.group(2)}{rest}\n"
            new = ""
        case "version":
            new = re.sub(r" (cyclic|block|complete)\b", r" type=\1", old)
            tool = "vivado-hls-2019.2"
    if new == old:
        return None
    lines[line] = new
    return "\n".join(lines) + "\n", directives, tool


def look(text: str, directives: str | None = None, tool: str | None = None) -> tuple[LintReport, object]:
    """The report, and the prediction it must not stay silent about."""
    texts = {"k.c": text, "d.cfg": directives or ""}
    files = ("d.cfg",) if directives else ()
    pipeline = Pipeline(
        ["k.c"], Options(FrontendOptions(directive_files=files), TargetOptions(tool=tool)), lambda p: texts[p].encode()
    )
    ii = pipeline.ii
    figures = [(x.name.split("_")[0], x.ii, x.target_ii) for x in ii.loops if x.origin != "auto"]
    banks = sorted((a.name, a.banks) for a in ii.arrays)
    states = Counter(s.status for s in pipeline.validation.statuses)
    return pipeline.lint(), (figures, banks, states)


def cases() -> Iterator[tuple[str, int, str]]:
    for name, text in KERNELS.items():
        for line, content in enumerate(text.splitlines()):
            if content.startswith("#pragma"):
                for kind in KINDS:
                    if broken(text, line, kind) is not None:
                        yield name, line, kind


@pytest.mark.parametrize("name", KERNELS)
def test_unbroken_kernels_are_clean(name: str) -> None:
    report, _ = look(KERNELS[name])
    assert [str(d) for d in report.diagnostics if d.severity in ("error", "warning")] == []


@cache
def rows() -> list[tuple[str, int, str, bool, list[str]]]:
    """(kernel, line, kind, whether a prediction changed, rules that are new) of every break."""
    before = {name: look(text) for name, text in KERNELS.items()}
    table = []
    for name, line, kind in cases():
        made = broken(KERNELS[name], line, kind)
        assert made is not None
        text, directives, tool = made
        report, figures = look(text, directives, tool)
        old = Counter(d.rule for d in before[name][0].diagnostics)
        new = sorted((Counter(d.rule for d in report.diagnostics) - old).keys())
        same = tool is not None or figures == before[name][1]
        table.append((name, line + 1, kind, not same, new))
    return table


def test_breaks_that_change_a_prediction_are_found() -> None:
    table = rows()
    changed = [r for r in table if r[3]]
    assert len(table) > 60
    assert len(changed) > 40
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


def document() -> str:
    """The page docs/lint-mutations.md: run this file as a script to print it."""
    lines = ["| kernel | line | break | prediction changes | rules that find it |", "|---|---|---|---|---|"]
    for name, line, kind, differs, new in rows():
        lines.append(f"| {name} | {line} | {kind} | {'yes' if differs else 'no'} | {', '.join(new) or '-'} |")
    head = (
        "# Breaks that lint finds\n\nEach pragma of three correct kernels (`tests/lint/test_lint_mutations.py`) broken"
        " in twelve ways. A break that\nchanges the status of a directive, the banks of an array or the II of a loop"
        " must be found; the unbroken\nkernels give no warning.\n\n"
    )
    return head + "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(document(), end="")
