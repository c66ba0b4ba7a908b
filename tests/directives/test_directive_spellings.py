"""Every spelling of a pragma that people write means the same directive, with exact places."""

from __future__ import annotations

import pytest
from directive_helpers import one, program_of

KERNEL = """\
#define UF 4
#define K (2 * UF)
#define PRAGMA_SUB(x) _Pragma(#x)
#define PRAGMA_HLS(x) PRAGMA_SUB(HLS x)
enum {{ BANKS = 8 }};
static const int WIDE = 8;
void f(int A[64][32]) {{
  const int deep = 4 + UF;
{line}
  L: for (int i = 0; i < 64; i++) A[i][0] = deep;
}}
"""


@pytest.mark.parametrize(
    "line",
    [
        "#pragma HLS array_partition variable=A cyclic factor=8 dim=1",
        "#pragma HLS ARRAY_PARTITION variable=A cyclic factor=8 dim=1",
        "#pragma HLS Array_Partition variable=A type=cyclic factor=8 dim=1",
        "#pragma hls array_partition variable=A type=cyclic factor=8 dim=1",
        "#pragma HLS array_partition cyclic variable=A factor=8 dim=1",
        "#pragma HLS array_partition factor=8 dim=1 cyclic variable=A",
        "#pragma HLS array_partition variable=A dim=1 factor=8 type=CYCLIC",
        "#pragma HLS array_partition variable = A type = cyclic factor = 8 dim = 1",
        "#pragma HLS array_partition variable=A cyclic factor=8",
        "#pragma HLS array_partition variable=A cyclic factor=UF*2 dim=1",
        "#pragma HLS array_partition variable=A cyclic factor=(2*UF) dim=1",
        "#pragma HLS array_partition variable=A cyclic factor=K dim=1",
        "#pragma HLS array_partition variable=A cyclic factor=64/8 dim=1",
        "#pragma HLS array_partition variable=A cyclic factor=BANKS dim=1",
        "#pragma HLS array_partition variable=A cyclic factor=WIDE dim=1",
        "#pragma HLS array_partition variable=A cyclic factor=deep dim=1",
        "#pragma HLS array_partition variable=A cyclic factor=1<<3 dim=1",
        "#pragma HLS array_partition variable=A cyclic factor=(int)WIDE dim=1",
        "#pragma HLS array_partition variable=A factor=-(unsigned int)-(int)K cyclic",
        '#pragma HLS array_partition variable="A" type="cyclic" factor="8" dim=1',
        "#pragma HLS array_partition variable=A cyclic \\\n   factor=8 \\\n dim=1",
        "#pragma HLS array_partition variable=A cyclic factor=8 dim=1 // eight banks",
        "#pragma HLS array_partition variable=A /* why */ cyclic factor=8 dim=1",
        '  _Pragma("HLS array_partition variable=A cyclic factor=8 dim=1")',
        "  PRAGMA_HLS(array_partition variable=A cyclic factor=UF*2 dim=1)",
        "  # pragma   HLS  array_partition   variable=A   cyclic   factor=8   dim=1",
        "#pragma HLS if (UF == 4) array_partition variable=A cyclic factor=8 dim=1",
    ],
)
def test_partition_spellings_mean_the_same(line: str) -> None:
    program = program_of(KERNEL.format(line=line))
    directive = one(program)
    assert (directive.kind, directive.dialect, directive.problems) == ("array_partition", "vitis", ())
    assert directive.choice("type", ("cyclic", "block", "complete")) == "cyclic"
    assert directive.values["factor"] == 8
    assert directive.values.get("dim", 1) == 1
    assert [program.variable(v).name for v in directive.variables] == ["A"]
    assert directive.function == "f"
    assert directive.modelled


def test_options_have_their_own_places() -> None:
    text = KERNEL.format(line="#pragma HLS array_partition variable=A \\\n  cyclic factor=UF*2 dim=1")
    program = program_of(text)
    spans = {o.name: program.text(o.at) for o in one(program).options}
    assert spans == {"variable": "variable", "cyclic": "cyclic", "factor": "factor", "dim": "dim"}
    factor = next(o for o in one(program).options if o.name == "factor")
    assert factor.at.span.start == text.index("factor=UF")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("#pragma HLS array_partition cyclic factor=8", "missing-option"),
        ("#pragma HLS array_partition variable=A type=cylic factor=8", "bad-choice"),
        ("#pragma HLS array_partition variable=A cyclic factor=2.5", "bad-value"),
        ("#pragma HLS array_partition variable=A cyclic factor=abc", "bad-value"),
        ("#pragma HLS array_partition variable=A cyclic factor=0", "bad-factor"),
        ("#pragma HLS array_partition variable=A cyclic factor=-3", "bad-factor"),
        ("#pragma HLS array_partition variable=A cyclic factor= dim=1", "missing-value"),
        ("#pragma HLS array_partition variable=A cyclic factor=8 banks=2", "unknown-option"),
        ("#pragma HLS array_partition variable=A cyclic factor=8 factor=4", "duplicate-option"),
        ("#pragma HLS array_partition variable A cyclic factor=8", "missing-equals"),
        ("#pragma HLS array_partition variable=B cyclic factor=8", "unknown-variable"),
        ("#pragma HLS array_partition variable=A cyclic factor=8 = 3", "syntax"),
        ("#pragma HLS array_partion variable=A cyclic factor=8", "unknown-pragma"),
        ("#pragma HLS", "syntax"),
        ("#pragma HLS if (UF == 5) array_partition variable=A cyclic factor=8", "condition-false"),
        ("#pragma array_partition variable=A cyclic factor=8", "missing-keyword"),
        ("#pragma AP array_partition variable=A cyclic factor=8", "other-dialect"),
        ("#pragma ACCEL parallel flatten", "other-dialect"),
        ("#pragma HLS memory partition variable(A) type(cyclic) dim(1) factor(8)", "other-dialect"),
        ("#pragma HLS pipeline II=0", "bad-ii"),
        ("#pragma HLS unroll factor=4", "outside-loop"),
        ("#pragma HLS loop_tripcount min=1 max=4", "outside-loop"),
    ],
)
def test_faults_have_a_code_and_no_effect(line: str, code: str) -> None:
    directive = one(program_of(KERNEL.format(line=line)))
    assert code in [p.code for p in directive.problems]
    assert not directive.usable


@pytest.mark.parametrize("line", ["#pragma scop", "#pragma GCC ivdep", "#pragma omp parallel for", "#pragma unroll"])
def test_pragmas_of_other_tools_are_no_directives(line: str) -> None:
    program = program_of(KERNEL.format(line=line))
    assert program.directives == ()
    assert len(program.pragmas) == 1


def test_unknown_condition_keeps_the_directive_but_not_its_figures() -> None:
    text = KERNEL.format(line="#pragma HLS if (unknown > 2) array_partition variable=A cyclic factor=8")
    directive = one(program_of(text))
    assert directive.usable
    assert not directive.modelled


def test_valid_but_unmodelled() -> None:
    pragma = "#pragma HLS performance target_ti=100"
    text = f"void f(int A[8]) {{\n  for (int i = 0; i < 8; i++) {{\n{pragma}\n    A[i] = 0;\n  }}\n}}\n"
    directive = one(program_of(text))
    assert directive.usable
    assert not directive.modelled
    assert directive.loop is not None


def test_several_variables_in_one_pragma() -> None:
    program = program_of(
        "void f(int A[8], int B[8]) {\n#pragma HLS array_partition variable=A,B complete\n  A[0] = B[0];\n}\n"
    )
    assert [program.variable(v).name for v in one(program).variables] == ["A", "B"]


def test_struct_member_is_known_and_not_modelled() -> None:
    program = program_of(
        "typedef struct { int v[8]; } T;\nint f(T s) {\n#pragma HLS array_partition variable=s.v complete\n"
        "  return s.v[0];\n}\n"
    )
    assert [p.code for p in one(program).problems] == ["struct-member"]
    assert not one(program).modelled


def test_opencl_attribute_is_another_dialect() -> None:
    program = program_of(
        "void f(void) {\n  int A[8] __attribute__((xcl_array_partition(block, 4, 1)));\n  A[0] = 1;\n}\n"
    )
    assert (one(program).dialect, one(program).kind) == ("opencl", "array_partition")


def test_loop_and_function_attachment() -> None:
    program = program_of(
        "void f(int A[8][8]) {\n#pragma HLS inline off\n  OUTER: for (int i = 0; i < 8; i++) {\n"
        "#pragma HLS pipeline II=2 rewind\n    for (int j = 0; j < 8; j++) {\n"
        "#pragma HLS unroll factor=4 skip_exit_check\n      A[i][j] = 0;\n    }\n  }\n}\n"
    )
    names = [None if d.loop is None else program.loops[d.loop].name for d in program.directives]
    assert names == [None, "OUTER", "VITIS_LOOP_5_1"]
    assert program.directives[1].values == {"ii": 2}
    assert program.directives[1].has("rewind")
    assert program.directives[2].has("skip_exit_check")
