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


def test_what_is_not_followed_of_a_group_is_a_remark() -> None:
    text = (
        "int f(int n) {\n  int A[8];\n#pragma HLS array_partition variable=A cyclic factor=2\n  int *p = A;\n"
        "  p++;\n  *p = n;\n  return A[0];\n}\n"
    )
    _, _, validation = validated(text)
    (status,) = partitions(validation)
    assert (status.status, status.code) == ("applied", "address-taken")
    assert "has no known II" in (status.reason or "")
    assert status.at is not None
    assert [d.factor for g in validation.groups.values() for d in g.dims] == [2]


CALLEE = """\
static int get(int A[64], int r, int c) {{ return A[r * 8 + c]; }}
void f(int x[64], int out[8]{more}) {{
  int A[64];
#pragma HLS array_partition variable=A cyclic factor=4
  for (int i = 0; i < 64; i++) {{
#pragma HLS unroll factor=4
    A[i] = x[i];
  }}
  for (int i = 0; i < 8; i++) {{
#pragma HLS pipeline
    for (int j = 0; j < 8; j++)
      out[i] += get(A, {row}, j);
  }}
}}
"""


def test_an_index_of_a_callee_is_judged_with_the_arguments_of_its_calls() -> None:
    _, _, validation = validated(CALLEE.format(more="", row="i"))
    (status,) = partitions(validation)
    assert (status.status, status.reason) == ("applied", None)
    (group,) = validation.groups.values()
    assert sorted((v.kind, v.banks) for v in group.verdicts.values()) == [("const-after-unroll", (0, 1, 2, 3))] * 2


def test_an_index_of_a_callee_that_no_call_makes_affine_is_a_remark() -> None:
    _, _, validation = validated(CALLEE.format(more=", int n[8]", row="n[i]"))
    (status,) = partitions(validation)
    assert (status.status, status.code) == ("applied", "non-affine")
    assert "'A[r * 8 + c]' in line 1" in (status.reason or "") and "does not rewrite" in (status.reason or "")


def test_one_call_that_is_not_affine_is_enough_for_the_remark() -> None:
    text = CALLEE.format(more=", int n", row="i").replace(
        "  for (int i = 0; i < 8", "  out[0] = get(A, n, n);\n  for (int i = 0; i < 8"
    )
    _, _, validation = validated(text)
    assert [(s.status, s.code) for s in partitions(validation)] == [("applied", "non-affine")]
