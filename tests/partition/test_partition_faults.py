"""Every fault of an ARRAY_PARTITION, with status, code, place and hint."""

from __future__ import annotations

import pytest
from partition_helpers import partitions, validated

from hlspart.partition import layout_of, requests, validate

KERNEL = """\
void f(int A[17], int B[9][4], int n) {{
  int s = n;
{lines}
  for (int i = 0; i < 17; i++) A[i] = s;
  for (int i = 0; i < 9; i++) for (int j = 0; j < 4; j++) B[i][j] = s;
}}
"""


def kernel(*lines: str) -> str:
    return KERNEL.format(lines="\n".join(f"#pragma HLS {line}" for line in lines))


@pytest.mark.parametrize(
    ("pragma", "code"),
    [
        ("array_partition variable=zz complete", "unknown-variable"),
        ("array_partition variable=s complete", "not-an-array"),
        ("array_partition variable=A complete dim=2", "dim-range"),
        ("array_partition variable=A complete dim=-1", "dim-range"),
        ("array_partition variable=B cyclic factor=2 dim=3", "dim-range"),
        ("array_partition variable=A cyclic factor=0", "bad-factor"),
        ("array_partition variable=A cyclic factor=-3", "bad-factor"),
        ("array_partition variable=A cyclic factor=2.5", "bad-value"),
        ("array_partition variable=A cyclic factor=abc", "bad-value"),
        ("array_partition variable=A cyclic", "missing-factor"),
        ("array_partition variable=A block dim=1", "missing-factor"),
        ("array_partition variable=A type=cyclik factor=2", "bad-choice"),
        ("array_partition variable=A cyclic factor=2 bank=3", "unknown-option"),
        ("array_partition cyclic factor=2", "missing-option"),
    ],
)
def test_rejected(pragma: str, code: str) -> None:
    program, analysis, validation = validated(kernel(pragma))
    (status,) = partitions(validation)
    assert (status.status, status.code, status.line) == ("rejected", code, 3)
    assert status.reason
    assert requests(program) == ()
    assert validation.groups == {}
    for variable in program.arrays():
        layout = layout_of(validation, analysis, program, variable.id)
        assert layout is not None
        assert layout.banks == 1


@pytest.mark.parametrize(
    ("pragma", "code", "banks"),
    [
        ("array_partition variable=A complete factor=3", "factor-unused", 17),
        ("array_partition variable=A cyclic factor=40", "factor-clamped", 17),
        ("array_partition variable=B block factor=4 dim=1", "empty-bank", 3),
    ],
)
def test_applied_with_a_remark(pragma: str, code: str, banks: int) -> None:
    text = kernel(pragma).replace("for (int i", "\n#pragma HLS pipeline\n  for (int i")  # function pipeline unrolls all
    program, analysis, validation = validated(text.replace("\n#pragma HLS pipeline\n  for (int i", "for (int i", 1))
    (status,) = partitions(validation)
    assert status.status == "applied"
    named = "A" if "=A" in pragma else "B"
    variable = next(v for v in program.arrays() if v.name == named)
    layout = layout_of(validation, analysis, program, variable.id)
    assert layout is not None
    assert layout.banks == banks
    if status.code != code:  # a bank that is not decided is the first remark; the note comes before it
        assert status.code == "bank-divided"
    assert status.reason


@pytest.mark.parametrize(
    ("pragma", "extents", "banks", "depths"),
    [
        ("variable=A cyclic factor=4", 17, 4, [5, 4, 4, 4]),
        ("variable=A block factor=4", 17, 4, [5, 5, 5, 2]),
        ("variable=B complete dim=1", 36, 9, [4] * 9),
        ("variable=B complete dim=2", 36, 4, [9] * 4),
        ("variable=B dim=0", 36, 36, [1] * 36),
        ("variable=B block factor=3 dim=1", 36, 3, [12, 12, 12]),
    ],
)
def test_sizes(pragma: str, extents: int, banks: int, depths: list[int]) -> None:
    program, analysis, validation = validated(kernel(f"array_partition {pragma}"))
    variable = next(v for v in program.arrays() if f"variable={v.name} " in pragma)
    layout = layout_of(validation, analysis, program, variable.id)
    assert layout is not None
    assert [layout.depth(b) for b in range(layout.banks)] == depths
    assert (layout.banks, sum(depths)) == (banks, extents)


def test_repetition_is_redundant_and_difference_a_conflict() -> None:
    _, _, same = validated(
        kernel("array_partition variable=A cyclic factor=2", "array_partition variable=A cyclic factor=2")
    )
    assert [s.status for s in partitions(same)] == ["applied", "redundant"]
    _, _, other = validated(
        kernel("array_partition variable=A cyclic factor=2", "array_partition variable=A block factor=2")
    )
    first, second = partitions(other)
    assert (first.status, second.status) == ("conflict", "conflict")
    assert "line 4" in (first.reason or "")
    assert "line 3" in (second.reason or "")
    (group,) = other.groups.values()
    assert group.dims == ()


def test_all_dimensions_beside_one() -> None:
    _, _, validation = validated(
        kernel("array_partition variable=B complete dim=0", "array_partition variable=B cyclic factor=2 dim=1")
    )
    assert [s.status for s in partitions(validation)] == ["conflict", "conflict"]
    _, _, validation = validated(
        kernel("array_partition variable=B complete dim=0", "array_partition variable=B complete dim=1")
    )
    assert [s.status for s in partitions(validation)] == ["applied", "redundant"]


def test_two_dimensions_are_merged() -> None:
    _, _, validation = validated(
        kernel("array_partition variable=B cyclic factor=3 dim=1", "array_partition variable=B complete dim=2")
    )
    (group,) = validation.groups.values()
    assert [(d.dim, d.type, d.factor, d.origin) for d in group.dims] == [
        (1, "cyclic", 3, "pragma"),
        (2, "complete", 4, "pragma"),
    ]


def test_one_bank_is_ignored() -> None:
    _, _, validation = validated(kernel("array_partition variable=A cyclic factor=1"))
    assert [(s.status, s.code) for s in partitions(validation)] == [("ignored", "one-bank")]


def test_axi_port_and_reshape() -> None:
    _, _, validation = validated(
        kernel("interface m_axi port=A depth=17", "array_partition variable=A cyclic factor=2")
    )
    assert [(s.status, s.code) for s in partitions(validation)] == [("rejected", "m-axi")]
    _, _, validation = validated(
        kernel("array_reshape variable=A cyclic factor=2", "array_partition variable=A cyclic factor=2")
    )
    assert [(s.status, s.code) for s in partitions(validation)] == [("rejected", "partition-and-reshape")]


def test_directive_file_against_pragma() -> None:
    text = kernel("array_partition variable=A cyclic factor=2")
    _, _, validation = validated(text, d_cfg="syn.directive.array_partition=f A type=cyclic factor=4\n")
    assert [s.status for s in partitions(validation)] == ["conflict", "conflict"]
    assert "d.cfg, line 1" in (partitions(validation)[0].reason or "")


def test_stream_pointer_and_run_time_extent() -> None:
    text = "void f(int *p, int n) {\n#pragma HLS array_partition variable=p complete\n  p[0] = n;\n}\n"
    assert [s.code for s in partitions(validated(text)[2])] == ["not-an-array"]
    text = "void f(int p[], int n) {\n#pragma HLS array_partition variable=p complete\n  p[0] = n;\n}\n"
    status = partitions(validated(text)[2])[0]
    assert status.status == "rejected"
    assert status.code in ("unknown-extent", "not-an-array")


@pytest.mark.parametrize(
    ("first", "second", "states"),
    [
        ("pipeline II=1", "pipeline II=1", ["applied", "redundant"]),
        ("pipeline II=1", "pipeline II=2", ["applied", "conflict"]),
        ("loop_tripcount min=5 max=2", "pipeline", ["rejected", "applied"]),
        ("latency max=3", "dependence variable=A inter false", ["unmodelled", "applied"]),
    ],
)
def test_other_directives(first: str, second: str, states: list[str]) -> None:
    text = (
        "void f(int A[8]) {\n  for (int i = 0; i < 8; i++) {\n"
        f"#pragma HLS {first}\n#pragma HLS {second}\n    A[i] = i;\n  }}\n}}\n"
    )
    _, _, validation = validated(text)
    assert [s.status for s in validation.statuses] == states


def test_default_ports_of_the_vitis_flow() -> None:
    text = kernel(
        "interface ap_memory port=B", "array_partition variable=A complete", "array_partition variable=B complete"
    )
    program, analysis, _ = validated(text)
    states = [s.code for s in partitions(validate(program, analysis, argument="m_axi"))]
    assert states == ["m-axi", "bank-divided"]
    assert "m-axi" not in [s.code for s in partitions(validate(program, analysis))]


def test_storage_of_an_argument_of_the_top_function() -> None:
    """UG1399: from 2022.1 on the memory of such an argument is chosen by INTERFACE alone."""
    text = """void g(int x[8]) {
#pragma HLS bind_storage variable=x type=ram_1p
  x[0] = 1;
}
void f(int A[8]) {
  static int local[8];
#pragma HLS bind_storage variable=A type=ram_1p
#pragma HLS bind_storage variable=local type=ram_1p
  g(A);
  local[0] = A[0];
}
"""
    _, _, validation = validated(text)
    assert [(s.line, s.status, s.code) for s in validation.statuses] == [
        (2, "applied", None), (7, "applied", "argument-storage"), (8, "applied", None),
    ]  # fmt: skip
    assert validation.statuses[1].hint == "#pragma HLS interface mode=ap_memory port=A storage_type=ram_1p"


@pytest.mark.parametrize(
    ("pragma", "banks"), [("cyclic factor=65536", 65536), ("cyclic factor=65537", None), ("complete", None)]
)
def test_banks_beyond_counting(pragma: str, banks: int | None) -> None:
    text = f"void f(int A[1000000]) {{\n#pragma HLS array_partition variable=A {pragma}\n  A[3] = 1;\n}}\n"
    program, analysis, validation = validated(text)
    (status,) = partitions(validation)
    assert (status.status, status.code) == (("applied", None) if banks else ("unmodelled", "too-many-banks"))
    layout = layout_of(validation, analysis, program, status.variable)
    assert layout is not None
    assert layout.banks == (banks or 1)
