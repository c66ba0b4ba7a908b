# ruff: noqa: E501 (C text stays on its line)
"""Every span is exact: plain ones are the text itself, others say that they are not."""

from __future__ import annotations

from frontend_help import all_expressions, good, named, program, refs
from hypothesis import given, settings
from hypothesis import strategies as st

from hlspart.frontend import hidden_uses
from hlspart.frontend.tokens import lex_line
from hlspart.model import program as ir
from hlspart.model.options import FrontendOptions

KERNEL = """#define N 8
#define AT(a, i, j) a[(i) * 4 + (j)]
#define TWICE(x) ((x) + (x))
#define SECOND A[1]
#define ID(x) x
#define BOTH(x, y) x = y
int A[N], B[N][N] , C[64];
void f(int i, int j) {
  A [ i ] = B[i] [j];   /* a comment
  of two lines */ A[N-1] = A[ID(i)] + ID(A[2]) + ID(ID(A[3]));
  AT(C, i, j) = TWICE(A[i+1]) + SECOND;
  ID(A)[4] = (A)[5] + (*(A + 6)) + *A;
  BOTH(A[6], B[1][2]);
  B[A[0]][A[(i + 1) & 7]] = A[i] -ID(-1);
}
"""


def texts(loaded: ir.Program, name: str) -> list[tuple[str, str]]:
    return [(loaded.text(r.at), r.at.kind) for r in refs(loaded, name)]


def test_kinds_and_texts() -> None:
    loaded = good(KERNEL)
    assert texts(loaded, "A") == [
        ("A [ i ]", "plain"), ("A[N-1]", "plain"), ("A[ID(i)]", "plain"), ("A[2]", "argument"),
        ("A[3]", "argument"), ("A[i+1]", "argument"), ("A[i+1]", "argument"), ("SECOND", "macro"),
        ("ID(A)[4]", "plain"), ("(A)[5]", "plain"), ("*(A + 6)", "plain"), ("*A", "plain"), ("A[6]", "argument"),
        ("A[0]", "plain"), ("A[(i + 1) & 7]", "plain"), ("A[i]", "plain"),
    ]  # fmt: skip
    assert texts(loaded, "B") == [
        ("B[i] [j]", "plain"), ("B[1][2]", "argument"), ("B[A[0]][A[(i + 1) & 7]]", "plain"),
    ]  # fmt: skip
    assert texts(loaded, "C") == [("AT(C, i, j)", "macro")]
    brackets = [[loaded.text(b) for b in r.brackets] for r in refs(loaded, "B")]
    assert brackets[0] == ["[i]", "[j]"] and brackets[2] == ["[A[0]]", "[A[(i + 1) & 7]]"]
    at = refs(loaded, "A")[0].at
    assert loaded.sources["t.c"].line_column(at.span.start) == (9, 3)


def test_an_assignment_of_two_arguments_is_no_argument() -> None:
    loaded = good(KERNEL)
    kinds = {loaded.text(e.at): e.at.kind for e in all_expressions(loaded) if isinstance(e, ir.Assign)}
    assert kinds["BOTH(A[6], B[1][2])"] == "macro"


def test_pieces_that_begin_or_end_in_an_inner_use() -> None:
    loaded = good(
        "#define ID(x) x\n#define IN(x) x\n#define TWO(x, y) x y\nint A[4], B[4];\nvoid f(int i) {\n"
        "  ID(B[0] = A[IN(i)] + IN(A[1]) + TWO(A, [2]));\n}\n"
    )
    found = {loaded.text(e.at): e.at.kind for e in all_expressions(loaded) if isinstance(e, (ir.Binary, ir.ArrayRef))}
    assert found == {
        "B[0]": "argument", "A[IN(i)]": "argument", "A[1]": "argument",
        "ID(B[0] = A[IN(i)] + IN(A[1]) + TWO(A, [2]))": "macro",
    }  # fmt: skip


def test_minus_before_a_macro_of_a_minus() -> None:
    loaded = good(KERNEL)
    last = [e for e in all_expressions(loaded) if isinstance(e, ir.Binary) and e.op == "-"][-1]
    assert isinstance(last.right, ir.Unary) and loaded.text(last.at) == "A[i] -ID(-1)"


def test_places_in_headers_and_includes_inside_initialisers() -> None:
    loaded = good(
        '#include "d.h"\nint T[] = {\n#include "v.h"\n};\nint f(void) { return H[1] + T[0]; }\n',
        d_h="\n  int H[3];\n",
        v_h="1, 2, 3, 4\n",
    )
    assert named(loaded, "H").at.span.path == "d.h"
    assert loaded.line(named(loaded, "H").at) == 2
    table = named(loaded, "T")
    assert table.dims == (4,)
    assert isinstance(table.init, ir.InitList) and table.init.at.kind == "mixed"
    assert {value.at.span.path for _, value in table.init.items} == {"v.h"}
    assert loaded.units[0].headers == ("d.h", "v.h")


def test_declarator_pieces() -> None:
    loaded = good(
        "static const int A[2][3] = {{1}}, *p, b = 4 ;\nextern int (*q)[5];\n"
        "void f(const int X[4], int * const y, int [7], struct s { int a; } z) { unsigned long L[2], m; }\n"
    )

    def pieces(name: str) -> list[str | int | None]:
        d = named(loaded, name).declarations[0]
        text = loaded.text
        initial = None if d.initialiser is None else text(d.initialiser)
        return [
            text(d.statement),
            text(d.specifiers),
            text(d.declarator),
            text(d.name),
            *map(text, d.brackets),
            initial,
            d.index,
            d.count,
        ]

    whole = "static const int A[2][3] = {{1}}, *p, b = 4 ;"
    assert pieces("A") == [whole, "static const int", "A[2][3]", "A", "[2]", "[3]", "{{1}}", 0, 3]
    assert pieces("p") == [whole, "static const int", "*p", "p", None, 1, 3]
    assert pieces("b") == [whole, "static const int", "b", "b", "4", 2, 3]
    assert pieces("q") == ["extern int (*q)[5];", "extern int", "(*q)[5]", "q", "[5]", None, 0, 1]
    assert pieces("X") == ["const int X[4]", "const int", "X[4]", "X", "[4]", None, 0, 4]
    assert pieces("y") == ["int * const y", "int", "* const y", "y", None, 1, 4]
    assert pieces("L") == ["unsigned long L[2], m;", "unsigned long", "L[2]", "L", "[2]", None, 0, 2]
    function = loaded.functions["f"]
    assert loaded.text(function.signature).endswith("z)") and loaded.text(function.name_at) == "f"


BLANK = st.sampled_from(["", " ", "\n", "/* c */", "  // x\n", "\t", " \\\n", "\r\n"])


@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    st.lists(BLANK, min_size=14, max_size=14), st.sampled_from(["A", "M", "ID(A)"]), st.sampled_from(["i", "K", "A[2]"])
)
def test_layout_never_moves_a_span(blanks: list[str], name: str, index: str) -> None:
    pieces = [name, "[", index, "+", "1", "]", "=", "A", "[", "(", index, ")", "]", ";"]
    body = "".join(b + p for b, p in zip(blanks, pieces, strict=True))
    text = f"#define M A\n#define K 3\n#define ID(x) x\nint A[9];\nvoid f(int i) {{{body}}}\n"
    loaded = good(text)
    found = refs(loaded, "A")
    assert len(found) >= 2
    for ref in found:
        source = loaded.text(ref.at)
        if ref.at.kind != "plain":
            continue
        words = [t.text for t in lex_line(source.replace("\\\n", " "))]
        assert words[0] in ("A", "M", "ID") and words[-1] == "]"
        inside = [loaded.text(b) for b in ref.brackets]
        assert all(t.startswith("[") and t.endswith("]") for t in inside)
    assert sum(r.at.kind == "plain" for r in found) >= 2


def test_crlf_and_bytes_that_are_no_utf8() -> None:
    text = b"/* caf\xe9 */ int A[4];\r\n// \xff\r\n#pragma HLS array_partition variable=A \\\r\n  complete // \xfe\r\nvoid f(void) {\r\n  A[1] = 2;\r\n}\r\n"
    loaded = program(text)
    assert loaded.units[0].error is None
    (ref,) = refs(loaded, "A")
    assert loaded.text(ref.at) == "A[1]" and loaded.line(ref.at) == 6
    assert loaded.pragmas[0].text == "HLS array_partition variable=A complete"
    assert loaded.sources["t.c"].text.encode("utf-8", "surrogateescape") == text


def test_inactive_regions_are_known() -> None:
    loaded = good("int A[4];\n#ifdef DEBUG\nint x = A[0];\n#else\nint y;\n#endif\n")
    assert [loaded.text(s) for s in loaded.inactive] == ["#ifdef DEBUG\nint x = A[0];\n"]
    other = good(
        "int A[4];\n#ifdef DEBUG\nint x = 1;\n#else\nint y;\n#endif\n", options=FrontendOptions(defines=("DEBUG",))
    )
    assert [other.text(s) for s in other.inactive] == ["#else\nint y;\n"]


def test_arrays_named_in_inactive_text() -> None:
    loaded = good(
        "int A[2], B[2], C[2];\nvoid f(int D[2]) { int E[2];\n#ifndef __SYNTHESIS__\n  int x = A[1] + D[0]; // B[0]\n#if B\n#endif\n#endif\n"
        "  E[0] = D[1]; }\nvoid g(int D[2]) { D[0] = 1; }\n"
    )
    hidden = {
        (loaded.variables[i].function, loaded.variables[i].name): loaded.line(at)
        for i, at in hidden_uses(loaded).items()
    }
    assert hidden == {(None, "A"): 4, ("f", "D"): 4}
    assert {loaded.text(at) for at in hidden_uses(loaded).values()} == {"A", "D"}
