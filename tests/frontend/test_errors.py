"""Bad input: one clear located message each, never an exception; stated limits each with their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from frontend_help import good, message, program

from hlspart.frontend import load
from hlspart.model import program as ir
from hlspart.model.options import FrontendOptions
from hlspart.reading import MAX_BYTES
from tests.amounts import LONG

CASES = {
    "": "t.c:1:1: error: the file is empty [HLP001]",
    "  \n\n": "t.c:1:1: error: the file is empty [HLP001]",
    "/* only */\n": "t.c:1:1: error: the file holds no C [HLP001]",
    "#ifdef A\nint a;\n# endif\n": "t.c:1:1: error: no #if leaves any C; -D gives it the names it asks for [HLP001]",
    "int f(void) {\n  int a = ;\n}\n": "t.c:2:11: error: syntax error near ';' [HLP002]",
    "int a\nint b;": "t.c:1:5: error: syntax error near 'a': expected ';' or a function body [HLP002]",
    "void f(void) {\n if (1) {\n": "t.c:2:9: error: '{' is never closed [HLP002]",
    "void f(void) { } }\n": "t.c:1:18: error: '}' without its opening bracket [HLP002]",
    "void f(int*a) {\n for (int i = 0; i < 8; i++ {\n *a = 0;\n }\n}\n": "t.c:2:6: error: '(' is never closed [HLP002]",
    "int f(int *a) { return (a[1) + 2; }\n": "t.c:1:26: error: '[' is never closed [HLP002]",
    "int f(int a) { return (a] + 2); }\n": "t.c:1:25: error: ']' without its opening bracket [HLP002]",
    "int a[3;\n": "t.c:1:6: error: '[' is never closed [HLP002]",
    "int a; /* x\n": "t.c:1:8: error: unterminated comment [HLP002]",
    'char *s = "abc;\n': "t.c:1:11: error: unterminated literal [HLP002]",
    "int a;\n int \0 b;": "t.c:2:6: error: NUL byte in the source text [HLP002]",
    "#error no way\n": "t.c:1:1: error: #error no way [HLP002]",
    "int x;\n#if 1\nint a;\n": "t.c:2:1: error: #if without #endif [HLP002]",
    "#endif\n": "t.c:1:1: error: #endif without #if [HLP002]",
    "#if 1\n#else\n#else\n#endif\n": "t.c:3:1: error: #else after #else [HLP002]",
    "#if 1 +\n#endif\n": "t.c:1:5: error: #if expression is not constant: expression ends early [HLP002]",
    "#if 1/0\n#endif\n": "t.c:1:5: error: #if expression is not constant: division by zero [HLP002]",
    "#define 3\n": "t.c:1:2: error: #define needs a macro name [HLP002]",
    "#define F(a,b) a\nint x = F(1);\n": "t.c:2:9: error: macro F takes 2 arguments, 1 given [HLP002]",
    "#define F(a) a\nint x = F(1;\n": "t.c:2:9: error: unterminated use of macro F [HLP002]",
    "#define BAD int = 3\nint ok;\n  BAD;\n": (
        "t.c:3:3: error: syntax error near 'int': invalid declaration (in the expansion of BAD) [HLP002]"
    ),
    "#define ID(x) x\nint q = ID(1 + * / 2);\n": "t.c:2:18: error: syntax error near '/' [HLP002]",
    "#foo\n": "t.c:1:1: error: unknown directive #foo [HLP002]",
    "#include\n": "t.c:1:1: error: #include needs a file name [HLP002]",
    "int a = 09z;\n": "t.c:1:9: error: invalid number '09z' [HLP002]",
    "int a = 3 @ 4;\n": "t.c:1:11: error: stray '@' in the source [HLP002]",
    '#include "t.c"\n': "t.c:1:1: error: include loop: t.c -> t.c [HLP002]",
    "acc = 0;\nint f(void) { return 0; }\n": (
        "t.c:1:1: error: 'acc' begins a statement outside of any function: the file is a fragment of one [HLP002]"
    ),
    "for (i = 0; i < 4; i++) a[i] = 0;\n": (
        "t.c:1:1: error: 'for' begins a statement outside of any function: the file is a fragment of one [HLP002]"
    ),
    "word add(word a) { return a; }\n": (
        "t.c:1:1: error: 'word' is used as a type but declared nowhere: a header is missing, or another file includes "
        "this one [HLP002]"
    ),
    "int f(int n, word a) { return a; }\n": (
        "t.c:1:14: error: 'word' is used as a type but declared nowhere: a header is missing, or another file includes "
        "this one [HLP002]"
    ),
    "static int f\n_ARGS_ ((int a));\n": (
        "t.c:2:1: error: '_ARGS_' is used as a macro but declared nowhere: a header is missing, or another file "
        "includes this one [HLP002]"
    ),
    "int f(int k) {\n  __typeof__(k) s = 0;\n  return s; }\n": "t.c:2:3: error: __typeof__ is not supported [HLP003]",
    "#define TWIN(a) typeof(a) b = a\nvoid f(int a) {\n TWIN(a); }\n": (
        "t.c:3:2: error: typeof is not supported (in the expansion of TWIN) [HLP003]"
    ),
    "int g(void);\nvoid f(void) { int a[4] = {[0 ... 3] = g()}; }\n": (
        "t.c:2:40: error: initial value of a range of elements is more than constants and scalars [HLP003]"
    ),
    "int a[4] = {[3 ... 1] = 0};\n": "t.c:1:13: error: designator is an empty range [HLP003]",
    "int n, a[4] = {[0 ... n] = 0};\n": "t.c:1:16: error: designator is not an integer constant [HLP003]",
}


@pytest.mark.parametrize("text", CASES, ids=range(len(CASES)))
def test_message_and_place(text: str) -> None:
    assert message(text) == CASES[text]


def test_errors_in_headers_are_located_there() -> None:
    assert (
        message('int a;\n#include "h.h"\n', h_h="\n\nint b = ;\n") == "h.h:3:9: error: syntax error near ';' [HLP002]"
    )
    loop = message('#include "a.h"\n', a_h='#include "b.h"\n', b_h='\n#include "a.h"\n')
    assert loop == "a.h:1:1: error: include loop: b.h -> a.h -> b.h [HLP002]"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "huge.c").write_bytes(b" " * (MAX_BYTES + 1))
    (tmp_path / "odd.c").write_bytes(b"\xff\xfe\x00i")
    paths = [str(tmp_path / "no.c"), str(tmp_path), str(tmp_path / "huge.c"), str(tmp_path / "odd.c")]
    errors = [u.error for u in load(paths, FrontendOptions()).units]
    found = [e.message if e is not None else None for e in errors]
    assert found == [
        "cannot read: no such file", "cannot read: is a folder, not a file", "cannot read: is larger than 16 MB",
        "NUL byte in the source text",
    ]  # fmt: skip


DOUBLING = "#define A0 x x\n" + "".join(f"#define A{i} A{i - 1} A{i - 1}\n" for i in range(1, 40)) + "int A39;\n"
LIMITS = {
    "void g(int);\nvoid f(int x) {\n" + "g(x);\n" * 120_000 + "}": "more than 500000 tokens after macro expansion",
    DOUBLING: "macro expansion gives more than 1000000 tokens",
    "int a = " + "(" * 5000 + "1" + ")" * 5000 + ";": "brackets nested deeper than 256",
    "void f(void) {" + "{" * 5000 + "}" * 5000 + "}": "brackets nested deeper than 256",
    "int a = " + "!" * 5000 + "1;": "expression nested deeper than 1500",
    "int a = " + "1 ? 2 : " * 4000 + "1;": "expression nested deeper than 1500",
    "int a = " + "1 + " * 4000 + "1;": "expression nested deeper than 1500",
    "int a[] = {[0 ... 0xFFFFFFFFFFFF] = 1};": "designator names more than 65536 elements",
    "int a[][300] = {[0 ... 299][0 ... 299] = 1};": "designators name more than 65536 elements",
    "void f(void) {" + "if (1) " * 5000 + ";}": "statements nested deeper than 250",
    "void f(int a) {" + "if (a) a = 2; else " * 2000 + ";}": "statements nested deeper than 250",
}


SHORT = [text for text in LIMITS if LONG or text is not DOUBLING]


@pytest.mark.parametrize("text", SHORT, ids=range(len(SHORT)))
def test_limits_have_their_own_messages(text: str) -> None:
    error = program(text).units[0].error
    assert error is not None and error.rule == "HLP004" and LIMITS[text] in error.message


def test_long_inputs_within_the_limits_are_read() -> None:
    loaded = good(
        "int T[] = {" + "-1, 2.5f, 'a', 0x10," * 2000 + "};\nint f(void) { return T[" + "1 + " * 300 + "1]; }"
    )
    table = next(v for v in loaded.variables if v.name == "T")
    assert table.dims == (8000,)
    good("void f(int a) { switch (a) {" + "".join(f"case {i}: " for i in range(2000)) + "; } }")


def test_long_tables_of_constants_are_one_list() -> None:
    row = "{1, -2, (unsigned char)(3 << 2), 1 ? 4 : 5, 'x', ~0x0F, (2 + 3) * -1, },"
    loaded = good(
        f"typedef unsigned char u8;\nstatic const int T[][7] = {{ {row * 40} }};\nu8 U[] = {{ {'(u8)(1),' * 50} }};"
    )
    table, other = (next(v for v in loaded.variables if v.name == n) for n in "TU")
    assert (table.dims, other.dims) == ((40, 7), (50,))
    assert isinstance(table.init, ir.InitList)
    inner = table.init.items[0][1]
    assert isinstance(inner, ir.InitList)
    assert [loaded.text(v.at) for _, v in inner.items] == [
        "1", "-2", "(unsigned char)(3 << 2)", "1 ? 4 : 5", "'x'", "~0x0F", "(2 + 3) * -1",
    ]  # fmt: skip
    for broken in ("1 2", "+", "(1", "1)", "a b", "1 ? 2", "{1} 2", "1,,2", "(u8)"):
        text = f"typedef unsigned char u8;\nint T[] = {{ {'1,' * 40} {broken} }};"
        assert program(text).units[0].error is not None, broken


def test_a_broken_unit_leaves_nothing_behind() -> None:
    files = {"a.c": "int early[4];\n#pragma HLS x\nvoid f(void) { early[0] = 1; int z = ; }\n", "b.c": "int late[2];\n"}
    loaded = load(list(files), FrontendOptions(), lambda path: files[path].encode())
    assert loaded.units[0].error is not None and loaded.units[1].error is None
    assert [v.name for v in loaded.variables] == ["late"] and not loaded.functions
    assert [p.unread is not None for p in loaded.pragmas] == [True]  # which are told of all the same


def test_cpp_text_in_a_c_file_is_hinted_at() -> None:
    error = program("using namespace std;\nint a;\n").units[0].error
    assert error is not None and error.hint == "the text looks like C++: use --lang c++"


def test_the_extent_to_give_is_one_that_is_not_known() -> None:
    text = "const int H = 24;\nvoid f(int n, int o[H * WIDE]) {\n  int x[H * n];\n}\n"
    messages = [(d.rule, d.message) for d in program(text, "t.cpp").diagnostics]
    assert messages == [
        ("HLP003", "'WIDE' is declared nowhere: taken for a constant that nobody knows; -D WIDE=.. gives it"),
        ("HLP005", "constant extent needed; use -D n=.."),
    ]


def test_types_that_the_text_of_cpp_names_otherwise_are_declared() -> None:
    """By ``using``, in a class, or in a namespace or class that is not read."""
    text = (
        "#include <random>\nusing std::default_random_engine;\n"
        "class Parser { public: class Switch { public: Switch() {} int key; }; bool put(int k); };\n"
        "bool Parser::put(int k) { Switch s; s.key = k; string::size_type n = 0; return n < 1; }\n"
        "int draw(int seed) { static default_random_engine e; return seed; }\n"
    )
    assert "declared nowhere" not in str(program(text, "t.cpp").diagnostics)
    assert "declared nowhere" in str(program(text.replace("using std::", "// "), "t.cpp").diagnostics)


def test_functions_of_two_classes_that_are_not_declared_are_no_two_of_one_name() -> None:
    text = "bool First::pop() { return true; }\nbool Second::pop() { return false; }\n"
    assert program(text, "t.cpp").diagnostics == ()
    messages = [d.message for d in program(text.replace("Second", "First"), "t.cpp").diagnostics]
    assert messages == ["'pop' is defined twice"]


def test_a_declaration_may_be_the_arm_of_a_condition() -> None:
    text = "int f(int k) {\n  if (k == 1)\n    const int a = k;\n  else\n    short b = k;\n  return k;\n}\n"
    assert program(text, "t.cpp").diagnostics == ()
    found = program(text.replace("const int a = k", "ap_uint<3> a = k"), "t.cpp").diagnostics
    assert "not read" not in str(found)


def test_an_enumerator_that_is_missing_ends_the_list() -> None:
    text = "enum class E { A, , B };\nint f(int a) { return a; }\n"
    program = load(["k.cpp"], FrontendOptions(), read=lambda _: text.encode())
    assert any(d.severity == "error" for d in program.diagnostics)
