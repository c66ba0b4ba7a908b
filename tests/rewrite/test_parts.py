"""The small parts: names, index forms, initialisers, line maps, multiply-shift."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rewrite_help import banked, outputs

from hlspart.layouts.dimension import DimLayout
from hlspart.model.source import Edit, SourceText, Span, apply_edits
from hlspart.rewrite.formulas import multiply_shift
from hlspart.rewrite.names import Names
from hlspart.transform.lines import line_runs

FIXED = settings(derandomize=True, max_examples=60, deadline=None)


def test_names_are_free_and_repeatable() -> None:
    names = Names(["int A_0, B; /* A_b1 */ A_bank"])
    assert names.banks("C", 2) == names.banks("C", 3)[:2] == ("C_0", "C_1")
    assert names.banks("A", 2) == ("A_bank0", "A_bank1") == names.banks("A", 2)
    assert names.banks("B", 2) == ("B_0", "B_1")
    assert names.free("B") == "B_2" and names.free("y") == "y" and names.free("y") == "y_2"
    assert names.twin("C") == names.twin("C") == "C_banked"
    assert Names(["A_b0"]).stem("A") != "A"


@FIXED
@given(st.integers(2, 70), st.integers(1, 5000))
def test_multiply_shift_is_exact_on_its_range(divisor: int, greatest: int) -> None:
    found = multiply_shift(divisor, greatest)
    assert found is not None
    factor, shift = found
    assert factor * greatest < 1 << 32
    assert all(n * factor >> shift == n // divisor for n in range(greatest + 1))


def test_no_multiply_shift_beyond_32_bits() -> None:
    assert multiply_shift(7, (1 << 32) - 1) is None


@FIXED
@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 8), st.sampled_from(["", "x", "\n", "a\nb\nc"])), max_size=6)
)
def test_line_runs_follow_untouched_lines(raw: list[tuple[int, int, str]]) -> None:
    text = "".join(f"{k}\n" for k in range(20))
    source = SourceText("p.c", text)
    edits, at = [], 0
    for start, length, new in sorted(raw):
        start = max(start, at)
        end = min(start + length, len(text))
        if start < end or new:
            edits.append(Edit(Span("p.c", start, end), new))
            at = end + 1
    edits = [e for e in edits if e.span.start <= len(text)]
    changed = apply_edits(source, edits).split("\n")
    table = {r.old + k: r.new + k for r in line_runs(source, tuple(edits)) for k in range(r.count)}
    assert sorted(table) == list(range(1, 22))
    touched = {
        n for e in edits for n in range(source.line_column(e.span.start)[0], source.line_column(e.span.end)[0] + 1)
    }
    for old in set(range(1, 21)) - touched:
        assert changed[table[old] - 1] == str(old - 1)


@pytest.mark.parametrize(
    ("index", "partition", "expected"),
    [
        ("4*i + 1", "cyclic factor=4", "A_1[i]"),
        ("i * 4 + 7", "cyclic factor=4", "A_3[i + 1]"),
        ("(i << 2) - 0 + 2", "cyclic factor=4", "A_2[i]"),
        ("8*i + 4*j + 3", "cyclic factor=4", "A_3[2 * i + j]"),
        ("20 - 4*i", "cyclic factor=4", "A_0[5 - i]"),
        ("OFF + 4*i", "cyclic factor=4", "A_1[i + 1]"),
        ("i + 16", "block factor=4", "A_1[i + 6]"),
        ("13", "cyclic factor=4", "A_1[3]"),
    ],
)
def test_index_is_simplified(index: str, partition: str, expected: str) -> None:
    text = (
        "#define OFF 5\nint f(int x) {\n static int A[40];\n"
        f"#pragma HLS array_partition variable=A {partition}\n"
        f" for (int i = 0; i < 4; i++) for (int j = 0; j < 2; j++) x += A[{index}] + j + i;\n return x; }}\n"
    )
    new = banked(text, style="split").files["p.c"]
    assert f"x += {expected} + j + i;" in new


def test_a_macro_that_hides_a_sum_is_no_operand() -> None:
    text = (
        "#define NEXT i + 1\nint f(int x) {\n static int A[40];\n"
        "#pragma HLS array_partition variable=A cyclic factor=4\n"
        " for (int i = 0; i < 30; i++) x += A[NEXT];\n return x; }\n"
    )
    assert "A[(NEXT) % 4][(NEXT) / 4]" in banked(text, style="bankdim").files["p.c"]


INITIALISERS = [
    "int X[7] = {1, 2, 3}",
    "int X[7] = {[5] = 7, [1] = 2, 3}",
    "int X[3][4] = {{1, 2}, {3}, {4, 5, 6, 7}}",
    "int X[3][4] = {1, 2, 3, 4, 5, 6, 7}",
    "int X[3][4] = {1, 2, 3, 4, {5}, [2][1] = 9, 8}",
    "int X[2][3][2] = {{1, 2, {3}, 4}, {{5}, 6}}",
    "int X[2][3][2] = {1, 2, 3, {4}, 5}",
    "int X[2][3][2] = {[1] = {[2] = {7, 8}}, [0][1] = {1}}",
    'char X[6] = "ab\\n"',
    'char X[6] = {"abcdefg" + 0 ? 65 : 66}',
    'char X[3][4] = {"ab", {"c"}, "def"}',
    "char X[2][2][3] = {{\"a\"}, \"bc\", {'x', 'y'}}",
    "int X[] = {3, 1, 2, [8] = 4}",
    "short X[5] = {0}",
    "int X[3] = {(2, 5), 1}",
    "int X[] = {[0 ... 3] = 4, [5] = 1, 2, [2 ... 2] = 3}",
    "int X[3][4] = {[0 ... 1] = {1, [2 ... 3] = 5}, [1 ... 2][1 ... 2] = -1, 8}",
]


def test_text_behind_a_store_stays_outside_of_its_if(tmp_path: Path) -> None:
    """gcc warns of a statement on the line of the last guarded store."""
    text = """int f(void) {
  int A[6], B[6];
#pragma HLS array_partition variable=A type=cyclic factor=2
  for (int i = 0; i < 6; i++) { A[i] = i; B[i] = 2 * i; }
  return A[5] + A[4] + B[5];
}"""
    new = banked(text, style="crossbar").files["p.c"]
    driver = '#include <stdio.h>\nint f(void); int main(void) { printf("%d\\n", f()); }\n'
    assert outputs(tmp_path, "f", [new], driver) == ["19"]


@pytest.mark.parametrize("style", ["split", "bankdim"])
def test_initialisers_mean_the_same(style: str, tmp_path: Path) -> None:
    """Every element read through constant indices, original against rewritten, for many initialisers at once."""
    shapes = [
        [7],
        [7],
        [3, 4],
        [3, 4],
        [3, 4],
        [2, 3, 2],
        [2, 3, 2],
        [2, 3, 2],
        [6],
        [6],
        [3, 4],
        [2, 2, 3],
        [9],
        [5],
        [3],
        [7],
        [3, 4],
    ]
    functions, kept = [], 0
    for number, (init, shape) in enumerate(zip(INITIALISERS, shapes, strict=True)):
        for mode in ("type=cyclic factor=2", "type=block factor=3", "type=complete"):
            for dim in range(1, len(shape) + 1):
                reads = " ".join(
                    f'printf(" %d", (int)X{"".join(f"[{i}]" for i in x)});'
                    for x in itertools.product(*map(range, shape))
                )
                functions.append(
                    f"void f{len(functions)}(void) {{ {'static ' if number % 2 else ''}{init};\n"
                    f"#pragma HLS array_partition variable=X {mode} dim={dim}\n {reads} }}\n"
                )
    text = "#include <stdio.h>\n" + "".join(functions)
    result = banked(text, style=style)
    kept = sum(o.status != "rewritten" for o in result.outcomes)
    assert kept <= (3 if style == "split" else 3 + len(shapes)), [o for o in result.outcomes if o.code]
    main = "int main(void) {" + "".join(f'f{k}(); puts("");' for k in range(len(functions))) + " return 0; }\n"
    printed = []
    for name, body in (("old", text), ("new", result.files["p.c"])):
        (tmp_path / f"{name}.c").write_text(body + main)
        command = ["gcc", "-w", "-fsanitize=address,undefined", str(tmp_path / f"{name}.c"), "-o", str(tmp_path / name)]
        subprocess.run(command, check=True)
        printed.append(subprocess.run([str(tmp_path / name)], check=True, capture_output=True, text=True).stdout)
    assert printed[0] == printed[1] and len(printed[0].splitlines()) == len(functions)


def test_dimension_layouts_round_trip() -> None:
    """The formulas of this package and those of the layouts agree on every index (all kinds, uneven extents)."""
    for kind, extent, factor in itertools.product(("cyclic", "block"), range(1, 24), range(1, 9)):
        dim = DimLayout.of(kind, extent, factor)  # type: ignore[arg-type]
        for i in range(extent):
            bank, local = dim.bank(i), dim.local(i)
            back = local * dim.banks + bank if kind == "cyclic" else bank * dim.block + local
            assert back == i and local < dim.size(bank) <= dim.size(0)


@pytest.mark.parametrize(
    ("parameter", "expected"),
    [
        ("int A[/* rows */][4]", "int A[2][5][2]"),
        ("int A[restrict /* rows */][4]", "int A[restrict 2][5][2]"),
        ("int A[/* rows */ 5][4]", "int A[2][/* rows */ 5][2]"),
    ],
)
def test_a_bracket_of_comments_has_no_extent(parameter: str, expected: str) -> None:
    text = f"""static int g({parameter}) {{
#pragma HLS array_partition variable=A cyclic factor=2 dim=2
  return A[0][1];
}}
int f(int x) {{
  static int B[5][4];
  B[0][1] = x;
  return g(B);
}}
"""
    assert expected in banked(text, style="bankdim", split_top=True).files["p.c"]
