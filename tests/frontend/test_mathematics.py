"""Types of calls of the library's mathematics in C++: g++ says how wide each of them is."""

import subprocess

import pytest

from hlspart.frontend import load
from hlspart.model import program as c
from hlspart.model.options import FrontendOptions
from hlspart.semantics.effects import statement_expressions

CALLS = ("exp(x)", "std::exp(x)", "::log(x)", "sqrt(x)", "std::pow(x, x)", "pow(x, x)", "exp(d)", "sin(x) * x")
HEADS = (
    "#include <cmath>",
    "#include <math.h>",
    "#include <cmath>\n#include <math.h>",
    "#include <cmath>\nusing namespace std;",
    "#include <cmath>\n#include <algorithm>",
    "#include <cmath>\nusing std::exp;\nusing std::sqrt;\nusing std::pow;",
)


@pytest.mark.parametrize("head", HEADS)
def test_widths(head, tmp_path):
    calls = [call for call in CALLS if "using std::" not in head or ("::log" not in call and "sin" not in call)]
    text = f"{head}\nvoid f(float x, double d, double *r) {{ " + " ".join(f"*r = {call};" for call in calls) + " }\n"
    program = load(["k.cpp"], FrontendOptions(), read=lambda _: text.encode())
    statements = [s for s in c.walk_statements(program.functions["f"].body) if isinstance(s, c.ExprStmt)]
    widths = []
    for stmt in statements:
        (assigned,) = statement_expressions(program, stmt)
        value = assigned.value
        while isinstance(value, c.Cast):
            value = value.operand
        widths.append(value.type.bits // 8)
    checks = "".join(f'static_assert(sizeof({call}) == {w}, "{call}");' for call, w in zip(calls, widths, strict=True))
    source = tmp_path / "k.cpp"
    source.write_text(f"{head}\nfloat x; double d;\n{checks}\n")
    subprocess.run(["g++", "-std=c++14", "-fsyntax-only", str(source)], check=True, timeout=20)
