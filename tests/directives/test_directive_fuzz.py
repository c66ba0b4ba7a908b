"""No text makes a reader of directives fail."""

from __future__ import annotations

from directive_helpers import program_of
from hypothesis import given, settings
from hypothesis import strategies as st

from hlspart.frontend.directives import read_project

PIECES = st.sampled_from(
    ["set_directive_array_partition", "syn.directive.pipeline", "=", "-factor", "-type", "cyclic", "f", "A", "f/L", "{",
     "}", "[", "]", '"', "'", "\\", "\n", ";", "#", " ", "$x", "${", "set", "if", "else", "source", "namespace", "(",
     ")",
     "variable", "factor", "2", "-3", "2.5", ",", "->", "::", ".", "II", "HLS", "array_partition", "unroll", "\r\n",
     "\t",
     "if(", "part", "clock=", "5ns", "add_files", "create_clock", "-period", "\x00", "ä"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=30).map(" ".join) | st.lists(PIECES, max_size=30).map("".join)
KERNEL = "void f(int A[8]) {{\n{line}\n  L: for (int i = 0; i < 8; i++) A[i] = i;\n}}\n"


@settings(derandomize=True, max_examples=150, deadline=None)
@given(TEXTS)
def test_directive_files(text: str) -> None:
    for name in ("d.cfg", "d.tcl"):
        project = read_project(name, lambda _path: text.encode())
        assert project.form == name[2:]
        program = program_of({"k.c": KERNEL.format(line=""), name: text}, name)
        for directive in program.directives:
            assert directive.usable or directive.problems
            assert 1 <= program.line(directive.at) <= text.count("\n") + 1


@settings(derandomize=True, max_examples=150, deadline=None)
@given(TEXTS.filter(lambda t: not set("\n\r\\\x00") & set(t)))
def test_pragmas(text: str) -> None:
    source = KERNEL.format(line=f"#pragma HLS {text}")
    if text.count('"') % 2 or text.count("'") % 2:
        return
    program = program_of(source)
    assert len(program.pragmas) == 1
    for directive in program.directives:
        assert directive.pragma == 0
        assert program.line(directive.at) == 2
