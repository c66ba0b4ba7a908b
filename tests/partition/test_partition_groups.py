"""Arrays tied by calls share one partition, all or nothing."""

from __future__ import annotations

from partition_helpers import partitions, validated

from hlspart.partition import layout_of

KERNEL = """\
void h(int y[16]) {{
{h}
  for (int i = 0; i < 4; i++) y[4 * i] = i;
}}
void g(int x[16]) {{
{g}
  h(x);
}}
void f(int A[16], int B[16]) {{
{f}
  g(A);
  g(B);
  A[1] = 2;
}}
"""


def test_a_request_spreads_to_all_members() -> None:
    pragma = "#pragma HLS array_partition variable=x cyclic factor=4"
    program, analysis, validation = validated(KERNEL.format(f="", g=pragma, h=""))
    (group,) = validation.groups.values()
    assert [(d.dim, d.type, d.factor) for d in group.dims] == [(1, "cyclic", 4)]
    banks = {}
    for variable in program.arrays():
        layout = layout_of(validation, analysis, program, variable.id)
        assert layout is not None
        banks[variable.name] = layout.banks
    assert banks == {"y": 4, "x": 4, "A": 4, "B": 4}
    assert sorted((v.kind, v.banks) for v in group.verdicts.values()) == [("const", (0,)), ("const", (1,))]


def test_conflict_across_calls_names_both_sites() -> None:
    text = KERNEL.format(
        f="#pragma HLS array_partition variable=B cyclic factor=2",
        g="",
        h="#pragma HLS array_partition variable=y cyclic factor=4",
    )
    program, analysis, validation = validated(text)
    first, second = partitions(validation)
    assert (first.status, second.status) == ("conflict", "conflict")
    assert first.reason == (
        "dim 1: cyclic factor=4 here, cyclic factor=2 in line 10; 'y' and 'B' are one array through calls"
    )
    assert "in line 2" in (second.reason or "")
    for variable in program.arrays():
        layout = layout_of(validation, analysis, program, variable.id)
        assert layout is not None
        assert layout.banks == 1


def test_equal_requests_on_caller_and_callee_agree() -> None:
    text = KERNEL.format(
        f="#pragma HLS array_partition variable=A cyclic factor=4",
        g="",
        h="#pragma HLS array_partition variable=y type=cyclic factor=4 dim=1",
    )
    _, _, validation = validated(text)
    assert [s.status for s in partitions(validation)] == ["applied", "redundant"]


def test_a_third_request_is_ignored_in_a_conflict() -> None:
    text = KERNEL.format(
        f="#pragma HLS array_partition variable=B cyclic factor=2\n#pragma HLS array_partition variable=A off=true",
        g="#pragma HLS array_partition variable=x cyclic factor=4",
        h="",
    )
    _, _, validation = validated(text)
    assert [s.status for s in partitions(validation)] == ["conflict", "conflict", "ignored"]


def test_group_faults_reject() -> None:
    text = (
        "int f(int n) {\n  int A[8];\n#pragma HLS array_partition variable=A cyclic factor=2\n  int *p = A;\n"
        "  p++;\n  *p = n;\n  return A[0];\n}\n"
    )
    _, _, validation = validated(text)
    (status,) = partitions(validation)
    assert status.status == "rejected"
    assert status.reason
    assert status.at is not None
