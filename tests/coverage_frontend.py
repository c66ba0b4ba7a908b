"""What the frontend reads of a folder of kernels, as a Markdown table.

    python tests/coverage_frontend.py FOLDER... [--cpp] [--list] [-- -D.. -I..]

For each folder: files, how many were read, array references, how many of them have an exact (plain)
span, and wrong spans: a plain span is lexed again and must begin with the array's name and end with ``]``.
``--cpp`` takes .cpp files without a ``main`` instead of .c files; ``--list`` names what was refused.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from hlspart.frontend import load
from hlspart.frontend.tokens import lex_line
from hlspart.model import program as ir
from hlspart.model.options import FrontendOptions


def references(program: ir.Program) -> list[ir.ArrayRef]:
    """Every array reference of a program."""
    roots = [v.init for v in program.variables if v.init is not None]
    for function in program.functions.values():
        for stmt in ir.walk_statements(function.body):
            roots.extend(ir.expressions(stmt))
    return [e for root in roots for e in ir.walk(root) if isinstance(e, ir.ArrayRef)]


def by_another_name(ref: ir.ArrayRef) -> bool:
    """Whether a C++ reference stands for the element: its name is all the text there is."""
    return all(b.span == ref.at.span for b in ref.brackets)


def exact(program: ir.Program, ref: ir.ArrayRef) -> bool:
    """Whether a plain span with brackets is the reference's own text."""
    words = [t.text for t in lex_line(program.text(ref.at))]
    name = program.variables[ref.variable].name
    while words and words[0] == "(":
        words.pop(0)
    begins = bool(words) and (words[0] == name or ref.name.kind != "plain")
    brackets = all(program.text(b)[0] == "[" and program.text(b)[-1] == "]" for b in ref.brackets if b.kind == "plain")
    return begins and words[-1] == "]" and brackets


def main() -> None:
    """Print the table."""
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    flags = words[cut + 1 :]
    options = FrontendOptions(
        defines=tuple(w[2:] for w in flags if w.startswith("-D")),
        include_dirs=tuple(w[2:] for w in flags if w.startswith("-I")),
    )
    folders = [w for w in words[:cut] if not w.startswith("--")]
    suffix = "*.cpp" if "--cpp" in words else "*.c"
    print("| folder | files | read | references | plain | wrong spans |\n|---|---|---|---|---|---|")
    refused: list[str] = []
    for folder in folders:
        files = sorted(Path(folder).rglob(suffix))
        if "--cpp" in words:
            files = [f for f in files if not re.search(r"\bmain\s*\(", f.read_text(errors="replace"))]
        read = total = plain = wrong = 0
        for path in files:
            program = load([str(path)], options)
            if program.units[0].error is not None:
                refused.append(str(program.units[0].error))
                continue
            read += 1
            found = references(program)
            total += len(found)
            here = [r for r in found if r.at.kind == "plain" and r.brackets and not by_another_name(r)]
            plain += sum(r.at.kind == "plain" for r in found)
            wrong += sum(not exact(program, r) for r in here)
        print(f"| {Path(folder).name} | {len(files)} | {read} | {total} | {plain} | {wrong} |")
    if "--list" in words:
        print("\n" + "\n".join(f"- {text}" for text in refused))


if __name__ == "__main__":
    main()
