"""Which files are one program: read off in one pass over any text."""

from __future__ import annotations

import pytest

from hlspart.model.options import Options
from hlspart.programs import programs


def groups(**texts: str) -> list[tuple[str, ...]]:
    """Files, a name and a text each, as they are grouped."""
    return programs(list(texts), Options(), lambda path: texts[path].encode())


@pytest.mark.parametrize(
    ("one", "two", "together"),
    [
        ("void f(void) { g(1); }", "int g(int x) { return x; }", True),
        ("void f(void) { g(1); }", "int g(int x);", False),
        ("extern int t[4], u; int f(void) { return u; }", "int a = 1;\nint u;\n", True),
        ("int f(void) { extern int u; return u; }", "int *u;", True),
        ("extern struct s o;", "struct s { int m; };\nstruct s o;", True),
        ("extern int u;", "static int u;", False),
        ("extern int u;", "int f(void) { int u = 2; return u; }", False),
        ('extern "C" { int u; }', 'extern "C" { extern int u; }', True),
        ("int f(int x) { if (x) return 1; return 0; }", "int g(int x) { if (x) { return 1; } return 0; }", False),
        ("int f(void) { return 0; } // g(1)", "int g(int x) { return x; }", False),
        ('#define CALL g(1)\nconst char *s = "g(2)";', "int g(int x) { return x; }", False),
    ],
)
def test_files_are_tied_by_what_they_use(one: str, two: str, together: bool) -> None:
    found = groups(a=one, b=two)
    assert found == ([("a", "b")] if together else [("a",), ("b",)])


HARD = (
    "a(\n",
    "abc def\n",
    "extern a b\n",
    "f( ",
    "/*",
    '"',
    "'\\",
    "/* *",
    "a[",
    "{(",
    "#\\\n",
    " \t",
    "\n ",
    "a,",
    "=",
)


@pytest.mark.parametrize("piece", HARD, ids=repr)
def test_a_long_text_is_read_in_one_pass(piece: str) -> None:
    text = piece * 100_000  # anything that looks at pairs of places would not come back
    assert groups(a=text, b="int z;") == [("a",), ("b",)]
