"""Structures are taken apart together with all that they are handed to: every pair of parameter and argument."""

from __future__ import annotations

from itertools import product

import pytest

from hlspart.frontend import load
from hlspart.model.options import FrontendOptions
from hlspart.model.program import ArrayRef, Call, Expr, Name, Program, expressions, walk, walk_statements
from hlspart.transform.members import separate

PARAMETERS = ("struct pt p", "struct pt *p", "struct pt p[2]", "int *p", "int p")
ARGUMENTS = ("g", "&g", "g.v", "g.n", "&g.n", "&g.v[2]", "h", "&h[1]", "h[0]", "h[i].v", "&h[i].n")
TAILS = (("", ""), (", int k", ", 7"), (", ...", ", 7"), (", ...", ""))


def calls(program: Program) -> list[Call]:
    tops: list[Expr] = [e for f in program.functions.values() for s in walk_statements(f.body) for e in expressions(s)]
    return [e for top in tops for e in walk(top) if isinstance(e, Call)]


def read(parameter: str, argument: str, tail: tuple[str, str]) -> Program:
    text = (
        "struct pt { int v[8]; int n; };\nstruct pt g, h[4];\nint used(struct pt *q) { return q->v[1] + q->n; }\n"
        f"int f({parameter}{tail[0]}) {{ return 1; }}\n"
        f"int top(int i) {{ return f({argument}{tail[1]}) + used(&g) + h[i].v[i]; }}\n"
    )
    program = load(["k.c"], FrontendOptions(), lambda _: text.encode())
    assert program.units[0].error is None
    return program


@pytest.mark.parametrize("tail", TAILS)
def test_what_is_handed_on_is_apart_with_what_takes_it(tail: tuple[str, str]) -> None:
    separated = 0
    for parameter, argument in product(PARAMETERS, ARGUMENTS):
        program = read(parameter, argument, tail)
        copy, forward = separate(program, ("top",), "apart")
        if copy is program:
            continue
        separated += 1
        for call in calls(copy):
            function = copy.functions[call.function or ""]
            extra = 1 if function.variadic and tail[1] else 0
            assert len(call.args) == len(function.params) + extra
            used = {v.variable for arg in call.args for v in walk(arg) if isinstance(v, Name | ArrayRef)}
            assert not used & set(forward.variables.values()), (parameter, argument)
    assert separated > len(PARAMETERS) * len(ARGUMENTS) // 2


def test_a_structure_behind_dots_stays_whole_and_so_does_what_it_is_given() -> None:
    program = read("struct pt p", "g", (", ...", ", 7"))
    _, forward = separate(program, ("top",), "apart")
    assert {program.variable(v).name for v in forward.variables.values()} == {"h"}
