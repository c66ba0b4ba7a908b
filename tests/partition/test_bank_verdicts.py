"""Bank verdicts against enumeration of the loops."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from partition_helpers import partitions, validated

from hlspart.accesses.walk import Walker
from hlspart.layouts.dimension import DimLayout
from hlspart.model.results import BankVerdict


def verdicts(text: str) -> list[BankVerdict]:
    """Verdicts of the one partitioned group, in order of the text."""
    _, analysis, validation = validated(text)
    (group,) = validation.groups.values()
    return [group.verdicts[a.id] for a in analysis.accesses if a.id in group.verdicts]


@pytest.mark.parametrize(
    ("partition", "index", "loop", "expected"),
    [
        ("cyclic factor=4", "5", "i = 0; i < 2", ("const", (1,), None)),
        ("block factor=4", "20", "i = 0; i < 2", ("const", (2,), None)),
        ("cyclic factor=4", "2*i+1", "i = 0; i < 8", ("const-after-unroll", (1, 3), 2)),
        ("cyclic factor=4", "4*i+1", "i = 0; i < 8", ("const", (1,), None)),
        ("block factor=8", "i", "i = 4; i < 8", ("const", (1,), None)),
        ("block factor=8", "i", "i = 4; i < 12", ("const-after-split", (1, 2), None)),
        ("cyclic factor=4", "i", "i = 31; i >= 0", ("const-after-unroll", (0, 1, 2, 3), 4)),
        ("cyclic factor=3", "i", "i = 0; i < 32", ("const-after-unroll", (0, 1, 2), 3)),
        ("cyclic factor=4", "i / 2", "i = 0; i < 64", ("const-after-unroll", (0, 1, 2, 3), 8)),
        ("cyclic factor=4", "(2 * i) % 16", "i = 0; i < 32", ("const-after-unroll", (0, 2), 2)),
        ("block factor=4", "i % 8", "i = 0; i < 64", ("const", (0,), None)),
        ("complete", "7", "i = 0; i < 3", ("const", (7,), None)),
        ("complete", "i", "i = 0; i < 3", ("const-after-unroll", (0, 1, 2), 3)),
    ],
)
def test_published_cases(partition: str, index: str, loop: str, expected: tuple[object, ...]) -> None:
    step = "i--" if ">=" in loop else "i++"
    text = (
        f"void f(int A[32]) {{\n#pragma HLS array_partition variable=A {partition}\n"
        f"  for (int {loop}; {step}) A[{index}] = i;\n}}\n"
    )
    (verdict,) = verdicts(text)
    assert (verdict.kind, verdict.banks, verdict.unroll) == expected


@settings(derandomize=True, max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(["cyclic", "block"]),
    factor=st.integers(2, 7),
    coefficients=st.tuples(st.integers(0, 6), st.integers(0, 4)),
    offset=st.integers(0, 5),
    trips=st.tuples(st.integers(1, 6), st.integers(1, 5)),
    step=st.integers(1, 3),
)
def test_against_enumeration(
    kind: str, factor: int, coefficients: tuple[int, int], offset: int, trips: tuple[int, int], step: int
) -> None:
    a, b = coefficients
    values = [(m, n, a * m * step + b * n + offset) for m, n in itertools.product(range(trips[0]), range(trips[1]))]
    extent = max(v for _, _, v in values) + 1 + offset % 3
    text = (
        f"void f(int A[{extent}]) {{\n#pragma HLS array_partition variable=A {kind} factor={factor}\n"
        f"  for (int i = 0; i < {trips[0] * step}; i += {step})\n    for (int j = 0; j < {trips[1]}; j++)\n"
        f"      A[{a}*i + {b}*j + {offset}] = i;\n}}\n"
    )
    layout = DimLayout.of(kind, extent, factor)  # type: ignore[arg-type]
    if layout.banks == 1:
        return
    (verdict,) = verdicts(text)
    reached = sorted({layout.bank(v) for _, _, v in values})
    assert verdict.banks == tuple(reached)
    assert (verdict.kind == "const") == (len(reached) == 1)
    if kind == "cyclic" and len(reached) > 1:  # unrolling each loop that changes the bank decides it
        assert verdict.kind == "const-after-unroll"
    if verdict.kind != "const-after-unroll":
        return
    _, analysis, _ = validated(text)
    loops = analysis.accesses[0].loops
    factors = [dict(verdict.unrolls).get(loop, 1) for loop in loops]
    assert verdict.unroll == (verdict.unrolls[0][1] if len(verdict.unrolls) == 1 else None)

    def decides(outer: int, inner: int) -> bool:
        copies: dict[tuple[int, int], set[int]] = {}
        for m, n, v in values:
            copies.setdefault((m % outer, n % inner), set()).add(layout.bank(v))
        return all(len(banks) == 1 for banks in copies.values())

    assert decides(*factors)
    for k, u in enumerate(factors):
        for smaller in (x for x in range(1, u) if u % x == 0):
            assert not decides(*(smaller if k == n else factors[n] for n in range(2)))


def test_unrolled_loops_decide_banks() -> None:
    kernel = (
        "void f(int A[32]) {{\n#pragma HLS array_partition variable=A cyclic factor=4\n"
        "  L: for (int i = 0; i < 32; i++) {{\n{pragma}\n    A[i] = i;\n  }}\n}}\n"
    )
    (plain,) = partitions(validated(kernel.format(pragma=""))[2])
    assert (plain.status, plain.code, plain.dim) == ("applied", "bank-divided", 1)
    assert "bank cannot be divided: dim 1 of argument 'A': 'A[i]' in line 5 reaches banks 0..3" in (plain.reason or "")
    assert plain.hint == "unroll L by 4"
    for pragma, code in (
        ("#pragma HLS unroll factor=4", None),
        ("#pragma HLS unroll factor=8", None),
        ("#pragma HLS unroll", None),
        ("#pragma HLS unroll factor=2", "bank-divided"),
        ("#pragma HLS pipeline", "bank-divided"),
    ):
        (status,) = partitions(validated(kernel.format(pragma=pragma))[2])
        assert (status.status, status.code) == ("applied", code), pragma


def test_loops_of_a_function_that_a_pipeline_calls_are_unrolled() -> None:
    text = (
        "int sum(int A[8]) {\n#pragma HLS array_partition variable=A complete\n  int s = 0;\n"
        "  for (int i = 0; i < 8; i++) s += A[i];\n  return s;\n}\n"
        "void f(int A[8], int out[4]) {\n  for (int n = 0; n < 4; n++) {\n%s    out[n] = sum(A);\n  }\n}\n"
    )
    assert [s.code for s in partitions(validated(text % "")[2])] == ["bank-divided"]
    assert [s.code for s in partitions(validated(text % "#pragma HLS pipeline\n")[2])] == [None]


def test_two_unrolled_dimensions() -> None:
    text = (
        "void f(int A[8][8]) {\n#pragma HLS array_partition variable=A cyclic factor=2 dim=1\n"
        "#pragma HLS array_partition variable=A cyclic factor=4 dim=2\n"
        "  for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) A[i][j] = i;\n}\n"
    )
    (verdict,) = verdicts(text)
    assert (verdict.kind, [u for _, u in verdict.unrolls], verdict.unroll) == ("const-after-unroll", [2, 4], None)
    assert verdict.banks == tuple(range(8))


def test_non_affine_and_dynamic() -> None:
    text = (
        "void f(int A[16], int idx[16]) {\n#pragma HLS array_partition variable=A cyclic factor=4\n"
        "  for (int i = 0; i < 16; i++) A[idx[i]] = i;\n}\n"
    )
    _, _, validation = validated(text)
    (status,) = partitions(validation)
    assert (status.status, status.code) == ("applied", "non-affine")
    assert "non standard affine access of argument 'A': 'A[idx[i]]' in line 3" in (status.reason or "")
    (group,) = validation.groups.values()
    assert [v.kind for v in group.verdicts.values()] == ["non-affine"]
    assert math.prod(d.factor for d in group.dims) == 4  # a tool still makes the banks
    text = text.replace("A[idx[i]]", "A[(7 * i + 3) % 16]").replace("factor=4", "factor=16")
    assert [(v.kind, v.unroll) for v in verdicts(text)] == [("const-after-unroll", 16)]
    text = text.replace("i < 16", "i < 1024").replace("(7 * i + 3) % 16", "i / 64")
    assert [v.kind for v in verdicts(text)] == ["dynamic"]


@pytest.mark.parametrize("functions", [6, 24])
def test_functions_are_walked_once_for_the_calls_that_reach_them(
    functions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each top calls one function of its own, whose index is affine in the top alone."""
    walks: list[str] = []
    run = Walker.run
    monkeypatch.setattr(Walker, "run", lambda walker: (walks.append(walker.function.name), run(walker))[1])
    text = "".join(
        f"static int pick{k}(int A[8], int n) {{ return A[n * n]; }}\n"
        f"int top{k}(void) {{ int A[8] = {{{k}}};\n#pragma HLS ARRAY_PARTITION variable=A complete\n"
        f"return pick{k}(A, 1) + pick{k}(A, 2); }}\n"
        for k in range(functions)
    )
    _, analysis, validation = validated(text)
    kinds = [
        group.verdicts[a.id].banks
        for group in validation.groups.values()
        for a in analysis.accesses
        if a.id in group.verdicts and a.function.startswith("pick")
    ]
    assert kinds == [(1, 4)] * functions
    assert len(walks) == 3 * functions
