"""Fixes are proved by running the analysis again."""

from __future__ import annotations

import pytest

from hlspart.lint.fixes import Fixed
from hlspart.model.options import FrontendOptions, Options, TargetOptions
from hlspart.pipeline import Pipeline

BODY = "void f(int A[16], int B[4][4]) {{\n{pragmas}\n  for (int i = 0; i < 16; i++) A[i] = B[i / 4][0];\n}}\n"


def fix(text: str, tool: str | None = None, unsafe: bool = False) -> Fixed:
    made = pipeline(text, tool)
    return made.fix(made.lint(), unsafe=unsafe)


def pipeline(text: str, tool: str | None = None) -> Pipeline:
    return Pipeline(["k.c"], Options(FrontendOptions(), TargetOptions(tool=tool)), lambda _path: text.encode())


@pytest.mark.parametrize(
    ("line", "fixed", "rule", "safe", "tool"),
    [
        ("#pragma HLS array_partition variable=A complete factor=4",
         "#pragma HLS array_partition variable=A complete", "HLP112", True, None),
        ("#pragma HLS array_partition variable=A complete   factor = (2 * 2) // why",
         "#pragma HLS array_partition variable=A complete // why", "HLP112", True, None),
        ("#pragma HLS array_partition variable=A cyclic factor=32",
         "#pragma HLS array_partition variable=A cyclic factor=16", "HLP113", True, None),
        ("#pragma HLS array_partition variable=B complete",
         "#pragma HLS array_partition variable=B complete dim=1", "HLP406", True, None),
        ("#pragma HLS array_partition variable=A type=cyclic factor=4",
         "#pragma HLS array_partition variable=A cyclic factor=4", "HLP109", True, "vivado-hls-2019.2"),
        ("#pragma array_partition variable=A cyclic factor=4",
         "#pragma HLS array_partition variable=A cyclic factor=4", "HLP106", False, None),
    ],
)  # fmt: skip
def test_fix(line: str, fixed: str, rule: str, safe: bool, tool: str | None) -> None:
    before = BODY.format(pragmas=line)
    plain = fix(before, tool)
    if safe:
        assert [d.rule for d in plain.applied] == [rule]
    else:
        assert plain.applied == ()
        assert [d.rule for d, _ in plain.refused] == [rule]
    result = fix(before, tool, unsafe=True)
    assert result.texts == {"k.c": BODY.format(pragmas=fixed)}
    again = pipeline(result.texts["k.c"], tool).lint()
    assert rule not in [d.rule for d in again.diagnostics]


def test_a_repeated_line_is_removed() -> None:
    line = "#pragma HLS array_partition variable=A cyclic factor=4\n"
    before = BODY.format(pragmas=line + "  " + line.rstrip())
    result = fix(before)
    assert result.texts == {"k.c": BODY.format(pragmas=line.rstrip())}


def test_several_fixes_at_once_and_stable() -> None:
    lines = "#pragma HLS array_partition variable=A complete factor=4\n#pragma HLS array_partition variable=B complete"
    result = fix(BODY.format(pragmas=lines))
    assert sorted(d.rule for d in result.applied) == ["HLP112", "HLP406"]
    assert fix(result.texts["k.c"]).texts == {}


def test_wrong_dimension_is_an_unsafe_fix() -> None:
    text = (
        "void f(int A[8][8], int s[8]) {\n#pragma HLS array_partition variable=A cyclic factor=4 dim=1\n"
        "  for (int i = 0; i < 8; i++) {\n#pragma HLS pipeline II=1\n    int t = 0;\n"
        "    for (int k = 0; k < 8; k++) t += A[i][k];\n    s[i] = t;\n  }\n}\n"
    )
    result = fix(text, unsafe=True)
    assert [d.rule for d in result.applied] == ["HLP207"]
    assert result.texts["k.c"] == text.replace("dim=1", "dim=2")


def test_the_partition_that_a_loop_lacks_is_an_unsafe_fix() -> None:
    loop = (
        "  for (int i = 0; i < 64; i += 4) {\n#pragma HLS pipeline II=1\n"
        "    o[i] = A[i] + A[i + 1] + A[i + 2] + A[i + 3];\n  }\n"
    )
    head, old = "void f(int A[64], int o[64]) {\n", "#pragma HLS array_partition variable=A block factor=2\n"
    for held, indent in (("", "  "), (old, "")):
        new = f"{indent}#pragma HLS array_partition variable=A type=cyclic factor=2 dim=1\n"
        made = pipeline(head + held + loop + loop + "}\n")
        missed = [d for d in made.lint().diagnostics if d.rule == "HLP201"]
        assert [d.hint for d in missed] == [f"{new.strip()} gives II 1"] * 2
        assert made.fix(made.lint()).texts == {}
        result = made.fix(made.lint(), unsafe=True)
        assert result.texts == {"k.c": head + new + loop + loop + "}\n"}
        again = pipeline(result.texts["k.c"])
        assert [(x.ii, x.target_ii) for x in again.figures.loops] == [(1, 1)] * 2
        assert [d.rule for d in again.lint().diagnostics if d.severity != "info"] == []


def test_a_pragma_from_a_macro_is_not_edited() -> None:
    text = (
        "#define SUB(x) _Pragma(#x)\n#define PART(v) SUB(HLS array_partition variable=v complete factor=4)\n"
        "void f(int A[16]) {\n  PART(A)\n  for (int i = 0; i < 16; i++) A[i] = i;\n}\n"
    )
    report = pipeline(text).lint()
    assert [d.rule for d in report.diagnostics if d.rule == "HLP112"] == ["HLP112"]
    assert fix(text, unsafe=True).texts == {}


def test_a_fix_that_makes_a_function_slower_is_refused() -> None:
    """Two banks by a mask cost nothing; the division by three takes states, how many is not known."""
    text = (
        "void f(int A[3000], int o[16]) {\n#pragma array_partition variable=A cyclic factor=%d\n"
        "  for (int i = 0; i < 16; i++) {\n#pragma HLS pipeline II=1\n    o[i] = A[(i * 7 + 3) & 511];\n  }\n}\n"
    )
    assert fix(text % 2, unsafe=True).texts == {"k.c": (text % 2).replace("#pragma array", "#pragma HLS array")}
    refused = fix(text % 3, unsafe=True)
    assert refused.texts == {}
    (why,) = [reason for d, reason in refused.refused if d.rule == "HLP106"]
    assert why.startswith("it would make the program slower: f: its latency is unknown instead of 18")
