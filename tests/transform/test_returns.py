"""Calls of functions that return from the middle: what their expansion computes is what the compiled function does."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from amounts import amount

from hlspart.frontend import load
from hlspart.model import program as ir
from hlspart.model.options import FrontendOptions
from hlspart.transform.inline import inline

VALUES = [(a, b) for a in range(-1, 5) for b in (0, 3)]


def body(rnd: random.Random, depth: int) -> Iterator[str]:
    """Statements that assign ``a`` and ``b`` and may return anywhere."""
    for _ in range(rnd.randint(1, 3)):
        kind = rnd.choice(("assign", "assign", "if", "switch", "return")) if depth else "assign"
        if kind == "assign":
            yield f"{rnd.choice('ab')} = {rnd.choice('ab')} {rnd.choice('+-*')} {rnd.randint(1, 4)};"
        elif kind == "if":
            other = f" else {{ {' '.join(body(rnd, depth - 1))} }}" if rnd.random() < 0.5 else ""
            yield f"if ({rnd.choice('ab')} > {rnd.randint(-1, 5)}) {{ {' '.join(body(rnd, depth - 1))} }}{other}"
        elif kind == "switch":
            labels = rnd.sample(["case 0:", "case 1: case 2:", "case 3:", "case -1:", "default:"], rnd.randint(1, 4))
            ends = ("break;", f"return {rnd.choice('ab')} + {rnd.randint(5, 9)};", "return b;", "")
            arms = (f"{label} {' '.join(body(rnd, depth - 1))} {rnd.choice(ends)}" for label in labels)
            yield f"switch ({rnd.choice('ab')}) {{ {' '.join(arms)} }}"
        else:
            yield f"return {rnd.choice('ab')} * 2;"
            return


class Run:
    """Scalars of an expanded function, step by step."""

    def __init__(self, program: ir.Program, function: str, values: tuple[int, ...]) -> None:
        self.program, self.result = program, 0
        self.env = dict(zip(program.functions[function].params, values, strict=True))

    def value(self, e: ir.Expr) -> int:
        match e:
            case ir.Const(value=value):
                return int(value)
            case ir.Name(variable=variable):
                return self.env.get(variable, 0)
            case ir.Assign(target=ir.Name(variable=variable), value=value):
                self.env[variable] = self.value(value)
                return self.env[variable]
            case ir.Unary(op="-", operand=x):
                return -self.value(x)
            case ir.Cast(operand=x):
                return self.value(x)
            case ir.Binary(op=op, left=a, right=b):
                x, y = self.value(a), self.value(b)
                return {"+": x + y, "-": x - y, "*": x * y, ">": int(x > y)}[op]
        raise AssertionError(e)

    def run(self, statements: tuple[ir.Stmt, ...]) -> str | None:
        for stmt in statements:
            how = self.step(stmt)
            if how is not None:
                return how
        return None

    def step(self, stmt: ir.Stmt) -> str | None:
        match stmt:
            case ir.Block(body=inner):
                return self.run(inner)
            case ir.Declare(variables=variables):
                for v in variables:
                    first = self.program.variable(v).init
                    self.env[v] = 0 if first is None else self.value(first)
            case ir.ExprStmt(expr=e):
                self.value(e)
            case ir.If(test=test, then=then, other=other):
                return self.step(then) if self.value(test) else self.step(other) if other is not None else None
            case ir.Switch(test=test, body=block):
                return self.switch(self.value(test), block.body)
            case ir.Return(value=value):
                assert value is not None
                self.result = self.value(value)
                return "return"
            case ir.Jump(kind="break"):
                return "break"
        return None

    def switch(self, value: int, inner: tuple[ir.Stmt, ...]) -> str | None:
        labels = [k for k, s in enumerate(inner) if isinstance(s, ir.Case)]
        lows = {k: inner[k].low for k in labels}
        chosen = [k for k in labels if (low := lows[k]) is not None and self.value(low) == value]
        chosen = chosen or [k for k in labels if lows[k] is None]
        how = self.run(inner[chosen[0] + 1 :]) if chosen else None
        return None if how == "break" else how


def test_expanded_calls_compute_what_the_compiled_ones_do(tmp_path: Path) -> None:
    rnd, count, kernels, mains = random.Random(7), amount(40, 2000), "", ""
    for n in range(count):
        kernels += f"int g{n}(int a, int b) {{ {' '.join(body(rnd, 3))} return a - b; }}\n"
        kernels += f"int f{n}(int a, int b) {{ int r = g{n}(a, b); return r; }}\n"
        mains += "".join(f'  printf("%d\\n", f{n}({a}, {b}));\n' for a, b in VALUES)
    (tmp_path / "t.c").write_text(f"#include <stdio.h>\n{kernels}int main(void) {{\n{mains}}}\n")
    subprocess.run(["gcc", "-w", "-O0", "-o", tmp_path / "t", tmp_path / "t.c"], check=True)
    printed = subprocess.run([tmp_path / "t"], check=True, capture_output=True, text=True).stdout.split()
    program, expected, calls = load(["t.c"], FrontendOptions(), lambda _: kernels.encode()), iter(map(int, printed)), 0
    for n in range(count):
        copy, _ = inline(program, f"f{n}")
        left = len(copy.functions) > 1
        calls += left
        for values in VALUES:
            wanted = next(expected)
            if not left:
                run = Run(copy, f"f{n}", values)
                assert run.run(copy.functions[f"f{n}"].body.body) == "return"
                assert run.result == wanted, n
    assert calls < count // 2  # where an arm falls into the next one, or what follows would stand twice


@pytest.mark.parametrize(
    "text",
    [
        "switch (a) { case 1: return 4; case 2: case 3: return 5; default: return 6; }",
        "switch (a) { case 1: return 4; case 2: b = 3; break; } return b;",
        "switch (a) { case 1: b = 4; break; case 2: b = 3; break; default: return a; } return b;",
        "switch (a) { case 1: return 4; case 2: { return 3; } } b = b * 2; return b;",
        "if (a > 1) { if (b) return 1; b = 3; } return b;",
    ],
)
def test_what_returns_from_an_arm_is_expanded(text: str) -> None:
    whole = f"int g(int a, int b) {{ {text} }}\nint f(int a, int b) {{ return g(a, b); }}\n"
    program, _ = inline(load(["t.c"], FrontendOptions(), lambda _: whole.encode()), "f")
    assert list(program.functions) == ["f"]
