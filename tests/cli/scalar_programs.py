"""Random programs whose difficulty is in their scalars: nested conditions, divisions, shifts, casts, chains."""

from __future__ import annotations

import random

_TYPES = ("int", "unsigned", "short", "unsigned char", "long", "long long", "unsigned long", "signed char", "_Bool")
_BINARY = ("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^")
_COMPARE = ("<", "<=", ">", ">=", "==", "!=", "&&", "||")


class _Program:
    def __init__(self, rnd: random.Random) -> None:
        self.rnd = rnd
        self.names = ["x", "y", "u"]

    def expression(self, depth: int) -> str:
        """An expression whose value C defines often enough; nothing here is run."""
        rnd = self.rnd
        if depth == 0:
            return (
                rnd.choice(self.names) if rnd.random() < 0.75 else str(rnd.choice((0, 1, 2, 3, 5, 7, 8, 16, 31, 255)))
            )
        a = self.expression(depth - 1)
        b = self.expression(rnd.randrange(depth))
        form = rnd.randrange(9)
        if form < 2:
            op = rnd.choice(_BINARY)
            return f"({a} {op} {rnd.choice((2, 3, 4, 5, 7)) if op in ('/', '%', '<<', '>>') else b})"
        if form == 2:
            return f"({a} {rnd.choice(('+', '-'))} {a} / {rnd.choice((2, 3, 5))})"
        if form == 3:
            return f"({a} {rnd.choice(_COMPARE)} {b} ? {b} : {self.expression(rnd.randrange(depth))})"
        if form == 4:
            return f"{rnd.choice(('MIN', 'MAX'))}({a}, {b})"
        if form == 5:
            return f"(({rnd.choice(_TYPES)}){a})"
        if form == 6:
            return f"{rnd.choice(('-', '~', '!'))}({a})"
        if form == 7:
            return f"(({a}) % {rnd.choice((2, 3, 6, 8))} {rnd.choice(('+', '-', '*'))} ({b}) / {rnd.choice((2, 4, 9))})"
        return f"({a} {rnd.choice(('+', '-'))} {b})"

    def chain(self, length: int) -> list[str]:
        """Declarations each of which uses the one before it more than once."""
        rnd = self.rnd
        lines = []
        shape = rnd.choice((
            "{p} + {p} / 2", "{p} - {p} % 3", "MAX({p}, {p} / 2 + 1)", "({p} > y ? {p} - 1 : {p} + 2)",
            "(short)({p} * 3 + {p} / 7)", "{p} * {p} % 251", "MIN(MAX({p}, {q}), {p} + {q})",
            "{p} ^ ({p} >> 1)", "(unsigned char){p} + {q} / 2",
            "({p} & 1 ? {p} * 3 + 1 : {p} / 2)", "{p} / 2 - {q} / 3 + ({p} + {q}) % 5", "({p} < {q}) + ({p} << 1)",
        ))  # fmt: skip
        previous, older = rnd.choice(self.names), rnd.choice(self.names)
        for number in range(length):
            name = f"c{len(self.names)}_{number}"
            lines.append(f"{rnd.choice(_TYPES[:5])} {name} = {shape.format(p=previous, q=older)};")
            previous, older = name, previous
        self.names.append(previous)
        return lines

    def guards(self, depth: int, inner: str) -> list[str]:
        """``inner`` below ``depth`` conditions, some of which change a scalar."""
        rnd = self.rnd
        if depth == 0:
            return [inner]
        test = f"{self.expression(1)} {rnd.choice(_COMPARE)} {self.expression(1)}"
        body = self.guards(depth - 1, inner)
        changed = rnd.choice(("x", "y"))
        before = [f"    {changed} = {self.expression(2)};"] if rnd.random() < 0.4 else []
        other = [f"}} else {{ {changed} = {self.expression(2)};"] if rnd.random() < 0.4 else []
        return [f"if ({test}) {{", *before, *("    " + line for line in body), *other, "}"]

    def body(self) -> list[str]:
        """Statements of an innermost loop, which use an array at places that the scalars give."""
        rnd = self.rnd
        lines: list[str] = []
        for _ in range(rnd.randrange(1, 4)):
            kind = rnd.randrange(4)
            if kind == 0:
                lines += self.chain(rnd.choice((3, 8, 24)))
            elif kind == 1:
                name = f"v{len(self.names)}"
                lines.append(f"{rnd.choice(_TYPES)} {name} = {self.expression(rnd.randrange(2, 6))};")
                self.names.append(name)
            elif kind == 2:
                lines += self.guards(
                    rnd.choice((2, 5, 9)), f"a[({self.expression(2)}) & 63] = {rnd.choice(self.names)};"
                )
            else:
                changed = rnd.choice(("x", "y", "u"))
                lines.append(f"{changed} = {self.expression(rnd.randrange(2, 5))};")
        place = f"{self.names[-1]} % 64" if rnd.random() < 0.5 else self.expression(3)
        return [*lines, f"{rnd.choice(('a', 'b'))}[{place}] += b[i + {rnd.choice(self.names)}];"]

    def text(self) -> str:
        """The whole program."""
        rnd = self.rnd
        depth = rnd.randrange(1, 4)
        before = self.chain(rnd.choice((2, 6, 20))) if rnd.random() < 0.4 else []
        lines = [
            "#define MIN(a, b) ((a) < (b) ? (a) : (b))", "#define MAX(a, b) ((a) > (b) ? (a) : (b))",
            "void top(int a[64], int b[128], int x, int y, unsigned u)", "{",
            *(f"    {x}" for x in before),
        ]  # fmt: skip
        iterators = "ijk"[:depth]
        for level, name in enumerate(iterators):
            bound = rnd.choice(("16", "64", "x", f"MIN(16, {self.expression(1)})"))
            first = rnd.choice(("0", "0", "1", f"MAX(0, {self.expression(1)})"))
            step = rnd.choice((f"{name}++", f"{name}++", f"{name} += 3", f"{name} = {name} * 2 + 1"))
            lines.append(f"{'    ' * (level + 1)}for (int {name} = {first}; {name} < {bound}; {step})" + " {")
            self.names.append(name)
        lines += ["    " * (depth + 1) + line for line in self.body()]
        lines += ["    " * level + "}" for level in range(depth, 0, -1)]
        return "\n".join([*lines, "}", ""])


def generate(seed: int) -> str:
    """The program of a seed: C that compilers accept, at most some 200 lines."""
    return _Program(random.Random(seed)).text()
