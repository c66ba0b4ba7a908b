"""What the frontend's tests share."""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.frontend import load
from hlspart.model import program as ir
from hlspart.model.options import FrontendOptions, Options
from hlspart.pipeline import Pipeline

LOOP = """
    for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE
        STATEMENT
    }
"""


def program(text: str | bytes, path: str = "t.c", options: FrontendOptions | None = None, **others: str) -> ir.Program:
    """One unit from its text; ``others`` are further files, ``h_h="..."`` is ``h.h``."""
    files = {path: text, **{name.replace("_", "."): content for name, content in others.items()}}

    def read(name: str) -> bytes:
        if name not in files:
            raise FileNotFoundError(name)
        content = files[name]
        return content if isinstance(content, bytes) else content.encode("utf-8")

    return load([path], options or FrontendOptions(), read)


def good(text: str, path: str = "t.c", options: FrontendOptions | None = None, **others: str) -> ir.Program:
    """A program that must have loaded."""
    result = program(text, path, options, **others)
    assert result.units[0].error is None, str(result.units[0].error)
    return result


def whole(text: str) -> ir.Program:
    """A file of C++ without a hole."""
    found = good(text, "t.cpp")
    assert not found.holes, [h.cause for h in found.holes]
    return found


def intervals(text: str, path: str = "t.cpp") -> list[tuple[int | None, int | None]]:
    """II and depth of the pipelined loops."""
    pipeline = Pipeline([path], Options(), read=lambda path: text.encode())
    return [(x.ii, x.depth) for x in pipeline.figures.loops if x.pipelined]


def message(text: str | bytes, path: str = "t.c", options: FrontendOptions | None = None, **others: str) -> str:
    """The error of a unit, or of its first hole, as the user sees it."""
    loaded = program(text, path, options, **others)
    holes = [d for d in loaded.diagnostics if d.rule == "HLP003"]
    error = loaded.units[0].error or holes[0]
    return str(error)


def all_expressions(loaded: ir.Program) -> Iterator[ir.Expr]:
    """Every expression of every function, and of the initial values."""
    for function in loaded.functions.values():
        for stmt in ir.walk_statements(function.body):
            for expr in ir.expressions(stmt):
                yield from ir.walk(expr)
    for variable in loaded.variables:
        if variable.init is not None:
            yield from ir.walk(variable.init)


def refs(loaded: ir.Program, name: str) -> list[ir.ArrayRef]:
    """References of an array, in text order."""
    found = [e for e in all_expressions(loaded) if isinstance(e, ir.ArrayRef)]
    return [e for e in found if loaded.variables[e.variable].name == name]


def named(loaded: ir.Program, name: str) -> ir.Variable:
    """The only variable of that name."""
    (found,) = [v for v in loaded.variables if v.name == name]
    return found
