"""Copies for analysis are made once for all directives, and have the directives that were asked about."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from hlspart.accesses import analyse
from hlspart.frontend import load
from hlspart.lowering.operations import Body
from hlspart.lowering.statements import Elaborator
from hlspart.model.options import FrontendOptions, Options, TargetOptions
from hlspart.pipeline import Pipeline
from hlspart.transform.inline import inline
from hlspart.transform.members import separate

TEXT = b"""struct S { int a[8]; int n; };
static void add(int x[8], int out[8]) {
  int tmp[8];
#pragma HLS ARRAY_PARTITION variable=tmp cyclic factor=2
  L: for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE II=2
    tmp[i] = x[i]; out[i] = tmp[i];
  }
}
void top(int x[8], int out[8]) {
  struct S s;
#pragma HLS ARRAY_PARTITION variable=s.a cyclic factor=4
  for (int i = 0; i < 8; i++) s.a[i] = x[i];
  add(x, out);
  for (int i = 0; i < 8; i++) out[i] += s.a[i];
}
"""


def test_calls_expanded_under_other_directives() -> None:
    program = load(["k.c"], FrontendOptions(), lambda _: TEXT)
    first, _ = inline(program, "top")
    other = replace(program, directives=tuple(d for d in program.directives if d.kind != "pipeline"))
    second, _ = inline(other, "top")
    assert second.functions is first.functions and analyse(second, "top") is analyse(first, "top")
    kinds = [[d.kind for d in p.directives] for p in (first, second)]
    assert kinds[0].count("pipeline") == 2 and kinds[1].count("pipeline") == 0
    assert [k.count("array_partition") for k in kinds] == [3, 3]


def test_structures_apart_under_other_directives() -> None:
    program = load(["k.c"], FrontendOptions(), lambda _: TEXT)
    first, _ = separate(program, ("top",), "whole")
    other = replace(program, directives=tuple(d for d in program.directives if d.kind != "pipeline"))
    second, _ = separate(other, ("top",), "whole")
    assert second.functions is first.functions and len(second.directives) == len(first.directives) - 1
    bare = replace(program, directives=())
    third, _ = separate(bare, ("top",), "whole")
    assert third.functions is not first.functions and not third.directives


def test_structures_apart_under_other_partitions() -> None:
    """The arrays of the members have what is said of the whole, in one code."""
    text = TEXT.replace(
        b"struct S s;", b"struct S s; struct S t[8];\n#pragma HLS ARRAY_PARTITION variable=t cyclic factor=2\n"
    )
    text = text.replace(b"+= s.a[i]", b"+= s.a[i] + t[i].n").replace(
        b"s.a[i] = x[i];", b"{ s.a[i] = x[i]; t[i].n = x[i]; }"
    )
    program = load(["k.c"], FrontendOptions(), lambda _: text)
    bare = replace(program, directives=tuple(d for d in program.directives if d.option("variable") != "t"))
    first, second = (separate(p, ("top",), "whole")[0] for p in (program, bare))
    assert second.functions is first.functions and second.variables is first.variables
    parts = [[first.variable(v).name for d in p.directives for v in d.variables if d.usable] for p in (first, second)]
    assert "t.a" in parts[0] and "t.a" not in parts[1]


def test_a_function_without_expanded_calls_stays_in_its_program() -> None:
    program = load(["k.c"], FrontendOptions(), lambda _: TEXT)
    assert inline(program, "add")[0] is program
    assert inline(program, "top", frozenset({"add"}))[0] is program


def test_operations_are_made_once_for_all_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Pipeline(["k.c"], Options(), lambda _: TEXT)
    before = asked.figures
    made: list[object] = []
    finish = Elaborator.finish

    def counted(self: Elaborator) -> Body:
        made.append(self)
        return finish(self)

    monkeypatch.setattr(Elaborator, "finish", counted)
    fewer = tuple(d for d in asked.program.directives if d.option("variable") != "tmp")
    second = asked.with_program(replace(asked.program, directives=fewer))
    assert len(second.figures.loops) == len(before.loops) == 3 and not made
    other = Pipeline(["k.c"], Options(), lambda _: TEXT.replace(b"x[i]; out", b"x[i] + 1; out"))
    assert len(other.figures.loops) == 3 and made


@pytest.mark.parametrize("tool", ["vitis-2022.1", "vitis-2024.2"])
def test_pipelined_loops_are_those_of_the_figures(tool: str) -> None:
    found = 0
    for path in sorted(Path("samples").glob("*.c")):
        asked = Pipeline([str(path)], Options(target=TargetOptions(tool=tool)))
        assert asked.pipelined == {x.loop for x in asked.figures.loops if x.pipelined and x.loop >= 0}
        found += len(asked.pipelined)
    assert found > 20
