"""A transformed program with its text is the program that reading this text gives."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from hlspart.infer.emission import with_pragmas
from hlspart.model.access import LoopInfo
from hlspart.model.options import InferOptions, Options
from hlspart.model.program import ArrayRef, Block, Call, Const, Loop, ScalarType, walk_statements
from hlspart.pipeline import Pipeline
from hlspart.rewrite.unroll import unrolled
from hlspart.transform.changes import made
from hlspart.transform.clone import clone, refuse_clone
from hlspart.transform.copying import Copier, all_expressions
from hlspart.transform.emit import emit
from hlspart.transform.printer import Unprintable
from hlspart.transform.unroll import Unrolling
from tests.amounts import amount

sys.path.insert(0, str(Path(__file__).parent))
from reading import described, reread

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [*sorted((ROOT / "samples").glob("*.c")), *sorted((ROOT / "tests/rewrite/golden").glob("*/input.c"))]


def pipeline(text: str) -> Pipeline:
    return Pipeline(["k.c"], Options(), lambda _: text.encode())


def test_programs_with_inferred_pragmas_read_the_same() -> None:
    changed = 0
    for source in SOURCES[:: amount(2, 1)]:
        p = pipeline(source.read_text())
        program, forward = emit(p.program, with_pragmas(p.program, p.infer(InferOptions())))
        changed += bool(forward.texts)
        assert described(program) == described(reread({"k.c": program.sources["k.c"].text}))
    assert changed >= amount(5, 10)


PLANS: dict[str, Callable[[int], Unrolling]] = {
    "whole": lambda loop: Unrolling(loop, None),
    "by two": lambda loop: Unrolling(loop, 2),
    "by three": lambda loop: Unrolling(loop, 3),
    "by three under the test": lambda loop: Unrolling(loop, 3, tested=True),
}


def small(info: LoopInfo, plan: str) -> bool:
    return (info.trip_count.max or 99) <= (12 if plan == "whole" else 36)


@pytest.mark.parametrize("plan", [*PLANS][:: amount(2, 1)])
def test_unrolled_programs_read_the_same(plan: str) -> None:
    changed = 0
    for source in SOURCES:
        p = pipeline(source.read_text())
        loops = [loop for loop, info in p.analysis.loops.items() if small(info, plan)]
        new, copies = unrolled(p.program, p.analysis, [PLANS[plan](loop) for loop in loops])
        changed += new is not p.program
        program, forward = emit(p.program, new)
        assert described(program) == described(reread({"k.c": program.sources["k.c"].text}))
        for step in forward.texts.values():
            assert step[0].new.text == program.sources["k.c"].text
        olds = {e.id: e for f in p.program.functions.values() for e in _refs(f.body)}
        news = [e for f in program.functions.values() for e in _refs(f.body)]
        for e in news:  # each copy of an access knows which one it is a copy of, and where
            assert forward.span(e.name.span) == olds[copies.node(e.id)].name.span
    assert changed >= 8


def _refs(stmt: object) -> list[ArrayRef]:
    from hlspart.model.program import expressions, walk

    found = []
    for inner in walk_statements(stmt):  # type: ignore[arg-type]
        for top in expressions(inner):
            found += [e for e in walk(top) if isinstance(e, ArrayRef)]
    return found


TYPED = """#include <stdio.h>
#define AT(k) A[k]
#define BOTH(k) (A[k] + k)
typedef unsigned char byte;
int A[300];
long f(int n)
{
    long s = 0;
    for (unsigned char c = 250; c < 254; c++) s += A[c] + (c - 251 < 0) + (unsigned char)(c + 5);
    for (unsigned u = 0; u < 5; u++) s += (u - 3 < 2) + A[u];
    for (long long w = 1; w < 4; w++) s += (w << 33) + sizeof(w) + A[w];
    for (byte b = 0; b < 3; b++) { s += sizeof(b) + AT(b); }
    for (int i = 7; i >= 1; i -= 2) { int t = i * n; A[i] = t; s += BOTH(i); }
    for (short q = -3; q < 3; q++) s += A[q + 3] * q;
    return s;
}
int main(void)
{
    for (int i = 0; i < 300; i++) A[i] = 3 * i + 1;
    printf("%ld\\n", f(5));
    return 0;
}
"""


@pytest.mark.parametrize("plan", PLANS)
def test_iterators_keep_their_types(plan: str, tmp_path: Path) -> None:
    """gcc prints the same number for the loops and for what they are written out to."""
    p = pipeline(TYPED)
    wanted = [PLANS[plan](x.id) for x in walk_statements(p.program.functions["f"].body) if isinstance(x, Loop)]
    new, _ = unrolled(p.program, p.analysis, wanted)
    program, _ = emit(p.program, new)
    texts = [TYPED, program.sources["k.c"].text]
    assert len(list(_refs(program.functions["f"].body))) > len(list(_refs(p.program.functions["f"].body)))
    said = []
    for k, text in enumerate(texts):
        (tmp_path / f"{k}.c").write_text(text)
        subprocess.run(["gcc", "-Wall", "-Werror", "-o", tmp_path / str(k), tmp_path / f"{k}.c"], check=True)
        said.append(subprocess.run([tmp_path / str(k)], check=True, capture_output=True).stdout)
    assert said[0] == said[1]


COPIED = """typedef short word;
static int leaf(const word w[8], int k);
#define PUT(v) v[j] + leaf(v, j)
/* sums */ static int sum(const word v[8])
{
#pragma HLS INLINE off
    const int t[2] = {1, sizeof(word)};
    int s = t[0];
    SUM: for (int j = 0, k; j < 8; j++) {
#pragma HLS PIPELINE II=2
        s = s * 3 % 97 + PUT(v) + (int)sizeof s; // all of it
    }
    return s;
}
static int leaf(const word w[8], int k) { return w[3] + k; }
int f(int n)
{
    word A[8], B[8];
    int first = sum(A), second = sum(B) + 2 * sum(A);
    return first + second + leaf(B, 2);
}
"""


@pytest.mark.parametrize("name", ["sum", "leaf"])
def test_programs_with_copies_of_functions_read_the_same(name: str) -> None:
    p = pipeline(COPIED).program
    assert refuse_clone(p, p.functions[name]) is None
    calls = [e.id for f in p.functions.values() for e in all_expressions(p, f.body) if isinstance(e, Call)
             and e.function == name]  # fmt: skip
    new, copies = clone(p, name, f"{name}_2", calls[1:])
    program, forward = emit(p, new)
    text = program.sources["k.c"].text
    assert described(program) == described(reread({"k.c": text}))
    assert text.count(f"{name}_2(") == len(calls) - 1 + 1 + len(p.functions[name].prototypes)
    for variable in program.functions[f"{name}_2"].params:
        assert p.variable(copies.variable(variable)).function == name
    assert forward.texts["k.c"][0].new.text == text


@pytest.mark.parametrize(("body", "reads"), [("(2 * (x))", True), ("((x) + (x))", False)])
def test_a_new_node_in_an_argument_of_a_macro(body: str, reads: bool) -> None:
    """It is an argument there as well; where the macro says it twice, one text stands for both, which is refused."""
    p = pipeline(f"#define M(x) {body}\nint f(int A[8], int i) {{ return M(A[i]); }}\n")
    function, copier = p.program.functions["f"], Copier(p.program)
    (i,) = (v.id for v in p.program.variables if v.name == "i")
    new = copier.copy(
        function.body, {i: lambda at, exact: Const(made(at), ScalarType("int", "int", 32), 3, "3")}, own=True
    )
    assert isinstance(new, Block)
    changed, _ = copier.result(replace(function, body=new))
    if not reads:
        with pytest.raises(Unprintable, match="one text stands for"):
            emit(p.program, changed)
        return
    program, _ = emit(p.program, changed)
    text = program.sources["k.c"].text
    assert "M(A[3])" in text
    assert described(program) == described(reread({"k.c": text}))
