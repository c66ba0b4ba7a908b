"""A variable in a pragma is the one that C's scope rules give at that place."""

from __future__ import annotations

import pytest
from directive_helpers import one, program_of


def test_inner_array_shadows_outer() -> None:
    text = (
        "int f(int A[16]) {\n  int s = A[0];\n  {\n    int A[4];\n#pragma HLS array_partition variable=A complete\n"
        "    A[0] = s;\n    s = A[0];\n  }\n  return s;\n}\n"
    )
    program = program_of(text)
    variable = program.variable(one(program).variables[0])
    assert (variable.dims, program.line(variable.at)) == ((4,), 4)


def test_outer_array_before_the_inner_declaration() -> None:
    text = (
        "int f(int A[16]) {\n  int s = A[0];\n  {\n#pragma HLS array_partition variable=A complete\n    int A[4];\n"
        "    A[0] = s;\n    s = A[0];\n  }\n  return s;\n}\n"
    )
    program = program_of(text)
    assert program.variable(one(program).variables[0]).dims == (16,)


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("int f(void) {\n#pragma HLS array_partition variable=t complete\n  int t[4] = {1};\n  return t[0];\n}\n",
         "declared-later", "line 3"),
        ("int g(void) {\n  int t[4] = {1};\n  return t[0];\n}\n"
         "int f(void) {\n#pragma HLS array_partition variable=t complete\n  return g();\n}\n",
         "not-visible", "function 'g'"),
        ("int f(void) {\n#pragma HLS array_partition variable=u complete\n  return 0;\n}\n", "unknown-variable", "'u'"),
    ],
)  # fmt: skip
def test_what_is_not_visible_is_said(text: str, code: str, words: str) -> None:
    directive = one(program_of(text))
    assert [p.code for p in directive.problems] == [code]
    assert words in directive.problems[0].message
    assert directive.variables == ()


def test_pragma_outside_of_functions() -> None:
    text = "int A[8];\n#pragma HLS array_partition variable=A complete\nint f(void) { return A[0]; }\n"
    assert "outside-function" in [p.code for p in one(program_of(text)).problems]


def test_global_array_in_a_function() -> None:
    text = "int A[8];\nint f(void) {\n#pragma HLS array_partition variable=A complete\n  return A[0];\n}\n"
    program = program_of(text)
    assert one(program).usable
    assert program.variable(one(program).variables[0]).storage == "global"
