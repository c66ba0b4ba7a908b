"""Channel layouts and tiles: numbers, C that runs, and the least conversions against all choices."""

from __future__ import annotations

import itertools
import json
import random
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from graphs import Graph, least, random_graph, source

from hlspart.blocked import propagate
from hlspart.blocked.channels import ELEMENT_BYTES, burst, channel_layout, off_chip
from hlspart.blocked.cut import CutValue, cost, spread
from hlspart.blocked.cut import least as least_cut
from hlspart.blocked.emit import header
from hlspart.cli.app import run
from hlspart.model.blocked import Propagation, TileLayout
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify

GCC = ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-fsanitize=address,undefined"]

# shape, dtype: name, form, cx, c0, padded channels, bytes of a batch, stride, total, total with padding
NUMBERS = [
    ((2, 1, 2, 131), "fp16", "NCx", "blocked", 2, 4, 132, 528, 768, 1296, 1536),
    ((4, 112, 2, 30), "fp16", "NCx", "single", 0, 32, 32, 14336, 14336, 57344, 57344),
    ((4, 112, 2, 129), "fp16", "NCx", "blocked", 2, 4, 132, 59136, 59136, 236544, 236544),
    ((2, 1, 1, 40), "fp16", "NCx", "blocked", 1, 0, 64, 128, 256, 384, 512),
    ((2, 1, 1, 100), "fp16", "NCx", "blocked", 2, 0, 128, 256, 256, 512, 512),
    ((1, 1, 1, 64), "fp16", "Cx", "blocked", 1, 0, 64, 128, 256, 128, 256),
    ((1, 4, 4, 131), "int8", "Cx", "blocked", 1, 4, 132, 2112, 2304, 2112, 2304),
    ((2, 1, 1, 200), "int8", "NCx", "blocked", 2, 0, 256, 256, 256, 512, 512),
    ((1, 1, 1, 32), "fp32", "Cx", "single", 0, 32, 32, 128, 256, 128, 256),
    ((1, 1, 1, 33), "fp32", "Cx", "blocked", 1, 0, 64, 256, 256, 256, 256),
    ((1, 1, 1, 64), "uint8", "Cx", "single", 0, 64, 64, 64, 256, 64, 256),
    ((1, 1, 1, 65), "int8", "Cx", "blocked", 1, 0, 128, 128, 256, 128, 256),
]


@pytest.mark.parametrize("row", NUMBERS)
def test_numbers_of_channel_layouts(row: tuple[Any, ...]) -> None:
    x = channel_layout(row[0], row[1])
    found = (x.name, x.form, x.cx, x.c0, x.padded_c, x.batch_bytes, x.batch_stride, x.total_bytes, x.total_padded)
    assert found == row[2:]


def test_addresses_are_those_of_the_parts_laid_one_after_the_other() -> None:
    rng = random.Random(3)
    for _ in range(60):
        shape = (
            rng.randint(1, 3),
            rng.randint(1, 4),
            rng.randint(1, 4),
            rng.choice((1, 3, 31, 32, 33, 40, 64, 70, 131, 200)),
        )
        x = channel_layout(shape, rng.choice(list(ELEMENT_BYTES)))
        seen: dict[int, tuple[int, ...]] = {}
        for n, y, w, c in itertools.product(*map(range, shape)):
            seen[x.address(n, y, w, c)] = (n, y, w, c)
        assert len(seen) == shape[0] * shape[1] * shape[2] * shape[3]
        assert max(seen) + x.element_bytes <= x.total_bytes and all(a % x.element_bytes == 0 for a in seen)
        # within a batch: planes of a block of channels, in each the points row by row, in each the channels
        order = [seen[a] for a in sorted(seen)]
        group = x.block if x.form == "blocked" else x.c0
        assert order == sorted(order, key=lambda p: (p[0], p[3] // group, p[1], p[2], p[3]))


CHECK = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lay.h"
int main(void)
{
    long count = %d;
    unsigned char *src = malloc(count * LAYOUT_ELEMENT_BYTES), *back = malloc(count * LAYOUT_ELEMENT_BYTES);
    unsigned char *dst = malloc(LAYOUT_BYTES);
    for (long k = 0; k < count * LAYOUT_ELEMENT_BYTES; k++) src[k] = (unsigned char)(rand() | 1);
    memset(dst, 0xaa, LAYOUT_BYTES);
    layout_pack(src, dst);
    long used = 0;
    for (long k = 0; k < LAYOUT_BYTES; k++) used += dst[k] != 0;
    if (used != count * LAYOUT_ELEMENT_BYTES) return 1;
    layout_unpack(dst, back);
    if (memcmp(src, back, count * LAYOUT_ELEMENT_BYTES)) return 2;
    %s
    free(src); free(back); free(dst);
    return 0;
}
"""


def test_the_header_packs_and_unpacks(tmp_path: Path) -> None:
    for number, (shape, dtype) in enumerate(
        [((2, 1, 2, 131), "fp16"), ((1, 3, 2, 30), "int8"), ((2, 2, 2, 40), "fp32")]
    ):
        x = channel_layout(shape, dtype)
        at = [tuple(random.Random(k).randrange(d) for d in shape) for k in range(4)]
        asked = "\n    ".join(
            f"if (layout_at({a}, {b}, {c}, {d}) != {x.address(a, b, c, d)}) return 3;" for a, b, c, d in at
        )
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "lay.h").write_text(header(x))
        (folder / "t.c").write_text(CHECK % (shape[0] * shape[1] * shape[2] * shape[3], asked))
        subprocess.run([*GCC, "t.c", "-o", "t"], cwd=folder, check=True)
        subprocess.run(["./t"], cwd=folder, check=True)


def test_bursts_stop_at_borders() -> None:
    assert burst(0, 6000, 16, 512).pieces == (4096, 1904)
    assert burst(4000, 6000, 16, 512).pieces == (96, 4096, 1808)
    assert burst(8192, 0, 16, 512).pieces == ()
    rng = random.Random(5)
    for _ in range(200):
        base, size = rng.randrange(20000), rng.randrange(1, 20000)
        x = burst(base, size, 16, 512)
        assert sum(x.pieces) == size and len(x.pieces) == (base + size - 1) // 4096 - base // 4096 + 1
        assert x.transactions >= len(x.pieces)


def test_large_constants_come_first_and_small_ones_cross_no_border() -> None:
    assert off_chip([("a", 1932), ("b", 242)], 1, 64).to_json() == {"base": {"a": 0, "b": 1984}, "end": 2226}
    rng = random.Random(6)
    for _ in range(200):
        pe, align = rng.choice((1, 4, 16)), rng.choice((1, 64, 256))
        sizes = {
            f"c{k}": rng.choice((rng.randint(1, 500), rng.randint(3000, 9000), rng.randint(1, 200000)))
            for k in range(8)
        }
        plan = off_chip(list(sizes.items()), pe, align)
        large = [n for n, s in sizes.items() if s > 4096 * pe]
        assert list(plan.base)[: len(large)] == large and all(plan.base[n] % 4096 == 0 for n in large)
        spans = [(plan.base[n], plan.base[n] + sizes[n]) for n in plan.base]
        assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))
        assert plan.end == spans[-1][1]
        for name, at in plan.base.items():
            assert at % align == 0
            if sizes[name] <= 4096:
                assert at // 4096 == (at + sizes[name] - 1) // 4096
    assert next(iter(off_chip([("s", 65536), ("l", 65537)], 16, 64).base)) == "l"


def test_tiles_hold_every_element_once() -> None:
    x = TileLayout((5, 7), (2, 3))
    places = {(i, j): x.index((i, j)) for i in range(5) for j in range(7)}
    assert x.elements == 3 * 3 * 6 and len(set(places.values())) == 35 and max(places.values()) < x.elements
    assert [places[0, 0], places[0, 1], places[1, 0], places[0, 3], places[2, 0]] == [0, 1, 3, 6, 18]


# ------------------------------------------------------------------------------- propagation


def laid_out(text: str, top: str = "top") -> tuple[Propagation, str]:
    p = Pipeline(["p.c"], Options(top=top), lambda _: text.encode())
    found, texts = propagate(p.program, p.analysis, top, {})
    return found, texts["p.c"] if isinstance(texts, dict) else ""


def test_the_cut_is_the_least_of_all_choices() -> None:
    rng, less = random.Random(19), 0
    for _ in range(300):
        count = rng.randint(2, 7)
        kinds: Any = [rng.choice(("any", "any", "blocked", "compact")) for _ in range(count)]
        values = [
            CutValue(tuple(rng.sample(range(count), rng.randint(2, min(4, count)))), rng.randint(1, 30))
            for _ in range(rng.randint(1, 9))
        ]
        options = [("compact", "blocked") if k == "any" else (k,) for k in kinds]
        best = min(cost(choice, values) for choice in itertools.product(*options))
        found = least_cut(options, values)
        assert found.size == found.bound == cost(found.layouts, values) == best
        assert all(x in own for own, x in zip(options, found.layouts, strict=True))
        less += cost(spread(options, values, {}), values) > best
    assert less >= 30


KINDS = ("compact", "blocked", "tile=8,4", "tile=4,4")


def test_more_than_two_layouts_are_the_least_of_all_choices() -> None:
    rng, cut_short, several = random.Random(5), 0, 0
    for _ in range(300):
        kinds = KINDS[: rng.randint(3, 4)]
        count = rng.randint(3, 7)
        options = []
        for _ in range(count):
            some = rng.sample(kinds[1:], rng.randint(1, len(kinds) - 1))
            options.append(rng.choice(((rng.choice(kinds),), kinds, ("compact", *some))))
        values = [
            CutValue(tuple(rng.sample(range(count), rng.randint(2, min(4, count)))), rng.randint(1, 30))
            for _ in range(rng.randint(3, 9))
        ]
        best = min(cost(choice, values) for choice in itertools.product(*options))
        found = least_cut(options, values)
        assert found.size == found.bound == cost(found.layouts, values) == best
        assert all(x in own for own, x in zip(options, found.layouts, strict=True))
        several += len(set(found.layouts)) > 2
        hasty = least_cut(options, values, 0)
        assert hasty.bound <= best <= hasty.size == cost(hasty.layouts, values)
        cut_short += hasty.bound < hasty.size
    assert several >= 30 and cut_short >= 10


def test_forty_nests_of_four_layouts_are_proved() -> None:
    for seed in range(3):
        rng = random.Random(seed)
        options = [(rng.choice(KINDS),) if rng.random() < 0.3 else KINDS for _ in range(40)]
        around = [sorted({k, *(min(39, k + rng.randint(1, 5)) for _ in range(rng.randint(1, 3)))}) for k in range(39)]
        found = least_cut(options, [CutValue(tuple(members), rng.randint(1, 30)) for members in around])
        assert found.size == found.bound > 0


def counted(text: str) -> str:
    """The text with a line on standard error for every conversion that runs."""
    return "#include <stdio.h>\n" + re.sub(
        r"(static void (layout_(?:un)?pack_\w+)\([^)]*\)\n\{)", r'\1 fprintf(stderr, "\2\\n");', text
    )


def runs(folder: Path, text: str, parameters: list[tuple[str, int]]) -> list[str]:
    """Names of the conversions that one call makes."""
    arrays = "".join(f"static int {n}[{r}][64];\n" for n, r in parameters)
    call = f"int main(void) {{ top({', '.join(n for n, _ in parameters)}); return 0; }}\n"
    (folder / "c.c").write_text(counted(text) + arrays + call)
    subprocess.run([*GCC, "c.c", "-o", "c"], cwd=folder, check=True)
    return subprocess.run(["./c"], cwd=folder, check=True, stderr=subprocess.PIPE, text=True).stderr.split()


def test_random_graphs_as_c(tmp_path: Path) -> None:
    rng, made, above = random.Random(7), 0, 0
    for number in range(40):
        graph = random_graph(rng)
        text = source(graph)
        found, new = laid_out(text)
        assert found.size == least(graph) == sum(c.size for c in found.conversions) and not found.diagnostics
        assert [n.demand for n in found.nests] == list(graph.kinds)
        above += found.spread > found.size
        made += len(found.conversions)
        if number % 10 == 0:
            parameters = [
                ("in", graph.input_rows),
                *((f"v{k}", n) for k, n in enumerate(graph.rows) if not graph.users[k]),
            ]
            names = runs(tmp_path, new, parameters)
            wanted = [f"layout_{'pack' if c.target == 'blocked' else 'unpack'}_{c.name}" for c in found.conversions]
            assert sorted(names) == sorted(wanted)
            same(tmp_path, text, new)
    assert made >= 60 and above >= 5


def same(folder: Path, old: str, new: str, top: str = "top") -> None:
    (folder / "old.c").write_text(old)
    (folder / "new.c").write_text(new)
    result = verify(str(folder / "old.c"), str(folder / "new.c"), VerifyOptions(top=top, vectors=2))
    assert result.status == "equal", result.message


def nest(kind: str | None, statement: str) -> str:
    pragma = f"#pragma hlspart layout nest={kind}\n" if kind else ""
    return (
        f"{pragma}    for (int y = 0; y < 3; y++)\n        for (int x = 0; x < 2; x++)\n"
        f"            for (int c = 0; c < 70; c++) {{ {statement} }}\n"
    )


def tensor(*nests: str, constants: str = "") -> str:
    shape = "[1][3][2][70]"
    head = f"void top(const int in{shape}, int out{shape})\n{{\n{constants}    int a{shape}, b{shape}, d{shape};\n"
    return head + "".join(nests) + "}\n"


FIRST, LAST = "a[0][y][x][c] = in[0][y][x][c] * 3 % 7;", "out[0][y][x][c] = b[0][y][x][69 - c];"
MIDDLE = "b[0][y][x][c] = a[0][2 - y][x][c] + 1;"


def test_a_chain_is_converted_where_it_begins_and_ends(tmp_path: Path) -> None:
    text = tensor(nest("blocked", FIRST), nest(None, MIDDLE), nest("blocked", LAST))
    found, new = laid_out(text)
    assert [(c.name, c.target, c.line) for c in found.conversions] == [("in", "blocked", 5), ("out", "compact", 12)]
    assert {a.name: a.layout for a in found.arrays} == {"in": "both", "out": "both", "a": "blocked", "b": "blocked"}
    same(tmp_path, text, new)
    compact = tensor(nest("blocked", FIRST), nest("compact", MIDDLE), nest("blocked", LAST))
    found, new = laid_out(compact)
    assert [c.name for c in found.conversions] == ["in", "a", "b", "out"]
    same(tmp_path, compact, new)


def test_users_of_one_value_share_its_conversion_until_it_is_written_again(tmp_path: Path) -> None:
    two = "d[0][y][x][c] = a[0][y][x][c] + b[0][y][x][c];"
    again = "a[0][y][x][c] = in[0][y][x][c];"
    end = "out[0][y][x][c] = d[0][y][x][c];"
    shared = tensor(nest("compact", FIRST), nest("blocked", MIDDLE), nest("blocked", two), nest("blocked", end))
    found, _ = laid_out(shared)
    assert [(c.name, len(c.merged)) for c in found.conversions] == [("a", 1), ("out", 0)]
    twice = tensor(
        nest("compact", FIRST),
        nest("blocked", MIDDLE),
        nest("compact", again),
        nest("blocked", two),
        nest("blocked", end),
    )
    found, new = laid_out(twice)
    assert [(c.name, c.merged) for c in found.conversions] == [("a", ()), ("a", ()), ("out", ())]
    same(tmp_path, twice, new)


def test_constants_are_laid_out_before_the_program_runs(tmp_path: Path) -> None:
    constants = "    static const int w[70] = {5, 6, [69] = 7};\n"
    first = "b[0][y][x][c] = in[0][y][x][c] % 9 * w[c];"
    text = tensor(nest("blocked", first), nest("blocked", LAST), constants=constants)
    found, new = laid_out(text)
    assert [c.name for c in found.conversions] == ["in", "out"] and "w_blocked[72] = {5, 6, 0" in new
    assert next(a for a in found.arrays if a.name == "w").layout == "blocked" and " w[70]" not in new
    same(tmp_path, text, new)
    both = tensor(nest("blocked", first), nest("compact", LAST.replace("= b", "= w[c] % 3 + b")), constants=constants)
    found, new = laid_out(both)
    w = next(a for a in found.arrays if a.name == "w")
    assert w.layout == "both" and "two copies" in w.reason and " w[70]" in new and "w_blocked[72]" in new
    assert [c.name for c in found.conversions] == ["in", "b"]
    same(tmp_path, both, new)


TILED = """float top(float a[37][10], float o[37][10], int n)
{
#pragma hlspart layout variable=b tile=8,4
#pragma hlspart layout variable=a tile=16,3
    float b[37][10], s = 0;
    for (int i = 0; i < 37; i++)
        for (int j = 0; j < 10; j++) b[i][j] = a[i][j] + j;
    for (int i = 0; i < 37; i++)
        for (int j = 0; j < 10; j++)
            if (n > i) a[i][j] = b[36 - i][(j * 3) % 10];
    for (int i = 0; i < 37; i++) { o[i][0] = b[i][a[i][0] > 3 ? 1 : 2]; s = o[i][0]; }
    return s;
}
"""


def test_tiles_of_any_array(tmp_path: Path) -> None:
    found, new = laid_out(TILED)
    assert [(c.name, c.target) for c in found.conversions] == [("a", "tile=16,3"), ("a", "compact")]
    assert "b_blocked[480]" in new and "#pragma hlspart" not in new and " b[37][10]" not in new
    same(tmp_path, TILED, new)


PACKED = """static const signed char w[8][5] = {{1, 2, 3, 4, 5}, {6}, [3] = {9, 8, 7}, [7] = {[4] = -3}};
void top(const int in[8], int out[5])
{
#pragma hlspart layout variable=w pack=4
    for (int j = 0; j < 5; j++) {
        out[j] = 0;
        for (int i = 0; i < 8; i++) out[j] += w[i][j] * (in[i] % 1000);
    }
}
"""


@pytest.mark.parametrize("kind", ["ap_fixed<16, 8>", "ap_ufixed<8, 3>", "ap_int<32>"])
def test_elements_of_fixed_point(tmp_path: Path, kind: str) -> None:
    text = tensor(nest("blocked", "a[0][y][x][c] = in[0][y][x][c];"), nest(None, LAST.replace("b[", "a[")))
    text = "#include <ap_fixed.h>\n#include <ap_int.h>\n" + re.sub(r"\bint (?=(in|out|a)\[)", f"{kind} ", text)
    (tmp_path / "old.cpp").write_text(text)
    code = run(["layout", str(tmp_path / "old.cpp"), "--top", "top", "-o", str(tmp_path / "new.cpp")])
    new = (tmp_path / "new.cpp").read_text()
    assert code == 0 and f"{kind} a_blocked[" in new and "a_blocked[layout_at_a(0, y, x, c)] =" in new
    result = verify(str(tmp_path / "old.cpp"), str(tmp_path / "new.cpp"), VerifyOptions(top="top", vectors=2))
    assert result.status == "equal", result.message


def test_constants_are_packed_into_words(tmp_path: Path) -> None:
    found, new = laid_out(PACKED)
    assert not found.conversions and " w[8]" not in new
    same(tmp_path, PACKED, new)
    rows = [[1, 2, 3, 4, 5], [6], [], [9, 8, 7], [], [], [], [0, 0, 0, 0, -3]]
    words = [[0] * 20 for _ in range(2)]  # row i / 4, place 4 * j + i % 4
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            words[i // 4][4 * j + i % 4] = value
    main = 'int main(void) { for (int k = 0; k < 40; k++) printf("%d ", w_blocked[k]); return 0; }'
    (tmp_path / "w.c").write_text("#include <stdio.h>\n" + new + main)
    subprocess.run([*GCC, "w.c", "-o", "w"], cwd=tmp_path, check=True)
    printed = subprocess.run(["./w"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert [int(n) for n in printed.split()] == words[0] + words[1]


@pytest.mark.parametrize(
    ("old", "wrong", "word"),
    [
        ("tile=8,4", "tile=8", "each of the 2 dimensions"),
        ("tile=8,4", "tile=8,0", "each of the 2 dimensions"),
        ("tile=8,4", "layout=NCx", "channel layouts are for four"),
        ("tile=8,4", "layout=xyz", "not known"),
        ("tile=8,4", "pack=4", "b has 37 rows, no multiple of 4"),
        ("tile=8,4", "pack=0", "a number of rows"),
        ("variable=b", "variable=q", "no array 'q'"),
        ("variable=b tile=8,4", "variable=a tile=2,2", "two layouts for a"),
        ("variable=b tile=8,4", "nest=odd", "not known"),
        ("variable=b tile=8,4", "nest=8,0", "not known"),
        ("variable=b tile=8,4", "speed=3", "say nest="),
    ],
)
def test_faults_of_directives_have_a_place(old: str, wrong: str, word: str) -> None:
    found, _ = laid_out(TILED.replace(old, wrong, 1))
    assert found.unusable and len(found.diagnostics) == 1 and word in found.diagnostics[0].message
    assert found.diagnostics[0].place.line in (3, 4)


def test_a_directive_in_a_function_that_is_called_is_a_fault() -> None:
    source = """void scale(int a[8]) {
#pragma hlspart layout variable=a tile=4
    for (int i = 0; i < 8; i++) a[i] *= 2;
}
void other(int a[8]) {
#pragma hlspart layout variable=a tile=4
    for (int i = 0; i < 8; i++) a[i] *= 2;
}
void top(int a[8]) { scale(a); }
"""
    found, _ = laid_out(source)
    (fault,) = found.diagnostics
    assert found.unusable and fault.place.line == 2 and "belongs in top" in fault.message


def test_a_nest_that_cannot_be_blocked_is_told() -> None:
    parts = nest("blocked", FIRST.replace("* 3", "* 3 + z[c]")), nest(None, MIDDLE), nest("blocked", LAST)
    found, new = laid_out(tensor(*parts, constants="    double z[70] = {1};\n"))
    assert [d.severity for d in found.diagnostics] == ["error"]
    assert "uses 'z', which cannot be blocked" in found.diagnostics[0].message and new
    assert [n.layout for n in found.nests] == ["compact", "compact", "blocked"]


def test_nests_of_three_layouts(tmp_path: Path) -> None:
    """Channels, tiles and rows: values go from one to the other without a stop between."""
    two = "d[0][y][x][c] = a[0][y][x][c] + b[0][y][x][c];"
    end = "out[0][y][x][c] = d[0][y][x][c] + a[0][y][x][(c + 1) % 70];"
    text = tensor(nest("blocked", FIRST), nest("2,8", MIDDLE), nest(None, two), nest("2,8", end))
    found, new = laid_out(text)
    assert [n.layout for n in found.nests] == ["blocked", "tile=2,8", "tile=2,8", "tile=2,8"]
    moves = [(c.name, c.source, c.target, len(c.merged)) for c in found.conversions]
    assert moves == [
        ("in", "compact", "blocked", 0), ("a", "blocked", "tile=2,8", 2), ("out", "tile=2,8", "compact", 0)
    ]  # fmt: skip
    assert (found.size, found.bound) == (3 * 1680, 3 * 1680) and "layout_repack_a(a_blocked, a_2x8_blocked);" in new
    same(tmp_path, text, new)


EARLY = """void top(int in[12], int out[12], int n)
{
#pragma hlspart layout variable=out tile=5
#pragma hlspart layout variable=t tile=7
    int t[12];
    for (int i = 0; i < 12; i++) out[i] = t[i] = in[i];
    if (n > 5) return;
    for (int i = 0; i < 12; i++) out[i] = t[11 - i] + 1;
}
"""


def test_what_comes_from_outside_stays_where_a_function_ends_early(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    found, new = laid_out(EARLY)
    assert [d.message.partition(": ")[2] for d in found.diagnostics] == [
        "out cannot be in tiles: it has values where top begins, which may be left or entered by a jump"
    ]
    assert "#pragma hlspart layout variable=out tile=5" in new and "t_blocked[layout_at_t(11 - i)]" in new
    same(tmp_path, EARLY, new)
    path = tmp_path / "p.c"
    path.write_text(EARLY)
    assert run(["layout", str(path), "--top", "top", "--interface-layout", "out=4"]) == 2
    assert "out cannot come in tiles of 4: it has values" in capfd.readouterr().err


def test_tiles_of_an_array_that_a_call_gets_are_refused(tmp_path: Path) -> None:
    text = "static void f(int x[12]) { x[3] = 1; }\n" + EARLY.replace("if (n > 5) return;", "f(t);")
    found, new = laid_out(text)
    assert [d.place.line for d in found.diagnostics if d.place] == [6] and "handed to a call" in found.diagnostics[
        0
    ].message
    assert "#pragma hlspart layout variable=t tile=7" in new and "out_blocked[layout_at_out(i)] = t[i]" in new
    same(tmp_path, text, new)


@pytest.mark.parametrize("said", ["variable=t tile=2,8", "variable=t layout=compact"])
@pytest.mark.parametrize("storage", ["", "static "])
def test_initial_values_are_converted(tmp_path: Path, said: str, storage: str) -> None:
    text = f"""void top(const int in[4][40], int out[4][40])
{{
#pragma hlspart layout {said}
    {storage}int t[4][40] = {{{{1, 2, 3}}, {{[7] = 5}}}};
#pragma hlspart layout nest=2,4
    for (int x = 0; x < 4; x++)
        for (int c = 0; c < 20; c++) t[x][c] += in[x][c] % 100;
    for (int x = 0; x < 4; x++)
        for (int c = 0; c < 40; c++) out[x][c] = t[x][c];
}}
"""
    found, new = laid_out(text)
    assert next(c for c in found.conversions if c.name == "t").source == "compact"
    same(tmp_path, text, new)


COMES = """static int total(const int v[1][3][2][70])
{
    int s = 0;
    for (int c = 0; c < 70; c++) s += v[0][1][1][c] %% 50;
    return s;
}
void top(const int in[1][3][2][70], int out[1][3][2][70], int sum[1])
{
    int a[1][3][2][70];
%s%s%s}
"""
CALLER = """#include <stdio.h>
#include <string.h>
#define top plain
#define total plain_total
#include "old.c"
#undef top
#undef total
#include "new.c"
static int in[1][3][2][70], out[1][3][2][70], sum[1], packed[%d], result[%d], back[1][3][2][70], other[1];
int main(void)
{
    for (int k = 0; k < 420; k++) (&in[0][0][0][0])[k] = k * 37 %% 101, (&out[0][0][0][0])[k] = k;
    memcpy(back, out, sizeof back);
    for (int y = 0; y < 3; y++) for (int x = 0; x < 2; x++) for (int c = 0; c < 70; c++) {
        packed[layout_at_in(0, y, x, c)] = in[0][y][x][c];
        result[layout_at_out(0, y, x, c)] = out[0][y][x][c];
    }
    plain(in, out, sum);
    top(packed, result, other);
    for (int y = 0; y < 3; y++) for (int x = 0; x < 2; x++) for (int c = 0; c < 70; c++)
        if (result[layout_at_out(0, y, x, c)] != out[0][y][x][c]) return 1;
    return sum[0] != other[0] || sum[0] == 0;
}
"""


@pytest.mark.parametrize(
    ("layout", "first", "asked", "conversions"),
    [
        ("NCx", "blocked", "compact", [("in", "compact")]),
        ("4,8", "4,8", "compact", [("in", "compact")]),
        ("NCx", "compact", "any", [("in", "compact")]),
        ("NCx", "blocked", "any", []),
        ("4,8", "4,8", "any", []),
    ],
)
def test_arguments_that_come_in_another_layout(
    layout: str, first: str, asked: str, conversions: list[tuple[str, str]], tmp_path: Path
) -> None:
    call = f"#pragma hlspart layout nest={asked}\n    sum[0] = total(in);\n"
    declared = "void top(const int first[1][3][2][70], int out[1][3][2][70], int sum[1]);\n"
    declared += "void top(const int [1][3][2][70], int [1][3][2][70], int [1]);\n"
    text = declared + COMES % (nest(first, FIRST), call, nest(None, "out[0][y][x][c] += a[0][2 - y][x][c];"))
    (tmp_path / "old.c").write_text(text)
    said = [x for name in ("in", "out") for x in ("--interface-layout", f"{name}={layout}")]
    new = str(tmp_path / "new.c")
    report = tmp_path / "r.json"
    assert run(["layout", str(tmp_path / "old.c"), "--top", "top", *said, "-o", new, "--format", f"json={report}"]) == 0
    (entry,) = json.loads(report.read_text())["files"]
    assert [(c["array"], c["to"]) for c in entry["conversions"] if c["array"] == "in"] == conversions
    sizes = tuple(next(a for a in entry["arrays"] if a["name"] == n)["form"] for n in ("in", "out"))
    counts = tuple(f["elements"] if "elements" in f else f["total_bytes"] // 4 for f in sizes)
    (tmp_path / "t.c").write_text(CALLER % counts)
    subprocess.run([*GCC, "t.c", "-o", "t"], cwd=tmp_path, check=True)
    subprocess.run(["./t"], cwd=tmp_path, check=True)


@pytest.mark.parametrize(
    ("said", "text", "word"),
    [
        ("a=NCx", "", "no array among the arguments"),
        ("in=NCx", '#include "top.h"\n', "would have to change"),
        ("in=NCx", "#define int double\n", "cannot come blocked"),
    ],
)
def test_arguments_that_cannot_come_so(
    said: str, text: str, word: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.c"
    path.write_text(text + tensor(nest("blocked", FIRST), nest(None, MIDDLE), nest(None, LAST)))
    (tmp_path / "top.h").write_text("void top(const int in[1][3][2][70], int out[1][3][2][70]);\n")
    out = tmp_path / "o.c"
    code = run(["layout", str(path), "--top", "top", "--interface-layout", said, "-o", str(out)])
    assert code == (1 if "change" in word else 2) and word in capfd.readouterr().err
    assert (not out.exists()) if code == 2 else out.read_text() == path.read_text()


CHAIN = """static void relu(int x[1][4][4][40]);
static int least(const int v[1][4][4][40], int y, int c) { return v[0][y][0][c] > 9 ? 9 : v[0][y][0][c]; }
static void conv(const int x[1][4][4][40], const int w[2][2][40][40], int y[1][4][4][40])
{
    for (int h = 0; h < 4; h++) for (int v = 0; v < 4; v++) for (int o = 0; o < 40; o++) {
        int s = 0;
        for (int a = 0; a < 2; a++) for (int b = 0; b < 2; b++) for (int c = 0; c < 40; c++)
            if (h + a < 4 && v + b < 4) s += x[0][h + a][v + b][c] % 100 * (w[a][b][c][o] % 100);
        y[0][h][v][o] = s % 1000;
    }
}
/* in place */
static void relu(int x[1][4][4][40])
{
    for (int h = 0; h < 4; h++) for (int v = 0; v < 4; v++) for (int o = 0; o < 40; o++)
        if (x[0][h][v][o] < 0) x[0][h][v][o] = least(x, h, o) & 7;
}
void top(const int in[1][4][4][40], const int w[2][2][40][40], int out[1][4][4][40])
{
    int t[1][4][4][40], u[1][4][4][40];
    conv(in, w, t);
    relu(t);
    conv(t, w, u);
    relu(u);
    for (int h = 0; h < 4; h++) for (int v = 0; v < 4; v++) for (int o = 0; o < 40; o++)
        out[0][h][v][o] = u[0][3 - h][v][o];
}
"""


def test_functions_follow_the_layout_of_what_they_are_handed(tmp_path: Path) -> None:
    """Two convolutions with maps between and behind them: only what comes and goes is converted, the weights once."""
    found, new = laid_out(CHAIN)
    assert {n.layout for n in found.nests[:-1]} == {"blocked"} and found.size == found.bound
    assert [(c.name, c.target) for c in found.conversions] == [("in", "blocked"), ("w", "blocked"), ("u", "compact")]
    assert new.count("static void relu(int x[1024])") == 2 and "/* in place */\nstatic void relu" in new
    same(tmp_path, CHAIN, new)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("static void relu(int x[1][4][4][40]);", '#include "relu.h"', "relu, which a header declares"),
        ("void top(", "int other(int x[1][4][4][40]) { relu(x); return 1; }\nvoid top(", "which other calls, too"),
        ("least(x, h, o)", "*x[0][0][0]", "'x' of relu, which is used in a macro or through a pointer"),
        ("    relu(t);", "    relu(t); void (*f)(int[1][4][4][40]) = relu; f(t);", "relu"),
        ("    relu(u);", "    int s[1][4][4][39]; relu((int (*)[4][4][40])s);", "relu"),
        (
            "{\n    for (int h",
            "{\n#pragma HLS array_partition variable=x\n    for (int h",
            "is named by ARRAY_PARTITION",
        ),
        ("    conv(t,", "#pragma hlspart layout nest=compact\n    conv(t,", "wants another layout"),
    ],
)
def test_functions_that_cannot_follow(old: str, new: str, why: str) -> None:
    """All that reach the function stay compact, and the nest that a directive asks of says why, with its place."""
    asked = "#pragma hlspart layout nest=blocked\n    relu(t);"
    if old == "    conv(t,":
        old, new = "    conv(in,", "#pragma hlspart layout nest=blocked\n    conv(in,"
        asked = "    relu(t);\n#pragma hlspart layout nest=compact"
    text = CHAIN.replace("    relu(t);", asked).replace(old, new)
    header = "static void relu(int x[1][4][4][40]);\n"
    p = Pipeline(["p.c"], Options(top="top"), lambda path: (header if path.endswith("h") else text).encode())
    found, _ = propagate(p.program, p.analysis, "top", {})
    assert [d.severity for d in found.diagnostics] == ["error"] and why in found.diagnostics[0].message
    line = text[: text.index("nest=blocked")].count("\n") + 2
    assert found.diagnostics[0].place is not None and found.diagnostics[0].place.line == line


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("relu(int x[1][4][4][40])\n", "relu(tensor x)\n"),
        ("relu(int x[1][4][4][40])\n", "relu(int x SHAPE)\n"),
        ("relu(int x[1][4][4][40])\n", "relu(x) int x[1][4][4][40];\n"),
        ("relu(int x[1][4][4][40]);", "relu(tensor);"),
        ("    int t[1][4][4][40], u", "    tensor t; int u"),
    ],
)
def test_extents_of_a_named_type_or_macro(old: str, new: str, tmp_path: Path) -> None:
    text = "typedef int tensor[1][4][4][40];\n#define SHAPE [1][4][4][40]\n" + CHAIN.replace(old, new)
    found, laid = laid_out(text)
    assert found.conversions and "_blocked" in laid
    same(tmp_path, text, laid)


def test_a_function_of_another_namespace_stays(tmp_path: Path) -> None:
    text = CHAIN.replace("/* in place */\nstatic", "/* in place { */\nstatic").replace("relu(t)", "nn::relu(t)")
    text = text.replace("relu(u)", "nn::relu(u)").replace("static void relu(int x[1][4][4][40]);\n", "namespace nn {\n")
    text = text.replace("void top(", "} // nn\nvoid top(").replace("    conv(", "    nn::conv(")
    p = Pipeline(["p.cpp"], Options(top="top"), lambda _: text.encode())
    found, _ = propagate(p.program, p.analysis, "top", {})
    assert all(n.reason.endswith("which is in another namespace") for n in found.nests[:4]) and found.size == 0


def test_a_constant_that_a_function_reads_by_its_name_stays(tmp_path: Path) -> None:
    text = CHAIN.replace("static void relu", "static const int bias[1][4][4][40] = {{{{1, 2}}}};\nstatic void relu", 1)
    text = text.replace("? 9", "? bias[0][y][0][c]").replace(
        "out[0][h][v][o] =", "out[0][h][v][o] = bias[0][h][v][o] +"
    )
    found, new = laid_out(text)
    assert next(a for a in found.arrays if a.name == "bias").layout == "compact"
    same(tmp_path, text, new)


def test_a_file_without_demands_stays_as_it_is() -> None:
    text = tensor(nest(None, FIRST), nest(None, MIDDLE), nest(None, LAST))
    found, new = laid_out(text)
    assert (found.size, found.conversions, new) == (0, (), text)


@pytest.mark.parametrize("sum_", ["s += {}", "s = s + {}", "s = {} + s"])
def test_convolutions_are_anchors(tmp_path: Path, sum_: str) -> None:
    text = """void top(const int in[1][4][4][8], const int k[3][3][8][6], int out[1][4][4][6])
{
    int t[1][4][4][8];
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            for (int c = 0; c < 8; c++) t[0][y][x][c] = in[0][y][x][c] % 100;
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            for (int o = 0; o < 6; o++) {
                int s = 0;
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++)
                        for (int c = 0; c < 8; c++)
                            if (y + i < 4 && x + j < 4) SUM;
                out[0][y][x][o] = s;
            }
}
""".replace("SUM", sum_.format("t[0][y + i][x + j][c] * (k[i][j][c][o] % 100)"))
    found, new = laid_out(text)
    assert [n.demand for n in found.nests] == ["any", "blocked"] and "product" in found.nests[1].reason
    assert found.nests[1].layout == "blocked" and found.size == 4 * 4 * 4 * (8 + 6) + 4 * 3 * 3 * 8 * 6
    same(tmp_path, text, new)


@pytest.mark.parametrize(
    "head",
    ['extern "C" ', "template <int N> ", "// of top\ntemplate <typename T,\n  int N = (1 << 2)> /* here */\nstatic "],
)
def test_functions_are_written_before_the_head_of_a_definition(tmp_path: Path, head: str) -> None:
    body = tensor(nest("blocked", FIRST), nest(None, MIDDLE), nest("blocked", LAST))
    use = ""
    if "template" in head:
        use = "void all(int a[1][3][2][70], int b[1][3][2][70]) { top<T>(a, b); }\n"
        use = use.replace("T", "int, 4" if "typename" in head else "4")
    text = f"{head}{body}{use}"
    p = Pipeline(["p.cpp"], Options(), lambda _: text.encode())
    (top,) = (f for f in p.program.functions if f.startswith("top"))
    found, texts = propagate(p.program, p.analysis, top, {})
    assert found.size == 3360 and isinstance(texts, dict)
    (tmp_path / "new.cpp").write_text(texts["p.cpp"])
    subprocess.run(["g++", "-c", "-Wall", "-Wno-unknown-pragmas", "new.cpp"], cwd=tmp_path, check=True)
    assert texts["p.cpp"].startswith("// of top" if head.startswith("//") else "static inline")


def test_json_of_a_propagation() -> None:
    found, _ = laid_out(tensor(nest("blocked", FIRST), nest(None, MIDDLE), nest("blocked", LAST)))
    shape = json.loads(json.dumps(found.to_json()))
    assert (shape["conversion_bytes"], shape["conversions_bfs"], shape["proved_minimal"]) == (3360, 3360, True)
    assert shape["conversions"][0] == {
        "array": "in", "from": "compact", "to": "blocked", "at_line": 5, "bytes": 1680, "merged_with": []
    }  # fmt: skip


def test_graphs_are_of_all_kinds() -> None:
    graphs: list[Graph] = [random_graph(random.Random(k)) for k in range(20)]
    assert {kind for g in graphs for kind in g.kinds} == {"any", "blocked", "compact"}


PLANNED = """void top(const int a[2][3][4][40], int out[2][3][4][40], int m[12][10])
{
    int t[2][3][4][40];
%sFILL:
    for (int k = 0; k < 960; k++)
        t[k / 480][k / 160 %% 3][k / 40 %% 4][k %% 40] = a[k / 480][k / 160 %% 3][k / 40 %% 4][k %% 40] + 1;
    for (int k = 0; k < 960; k++)
        out[k / 480][k / 160 %% 3][k / 40 %% 4][k %% 40] = t[k / 480][k / 160 %% 3][k / 40 %% 4][k %% 40] * 2;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 10; j++) m[i][j] += i ^ j;
%s}
"""


def test_a_plan_says_what_pragmas_say(tmp_path: Path) -> None:
    pragmas, plain, plan = tmp_path / "p.c", tmp_path / "f.c", tmp_path / "plan.toml"
    pragmas.write_text(
        PLANNED % ("#pragma hlspart layout nest=blocked\n", "#pragma hlspart layout variable=m tile=4,5\n")
    )
    plain.write_text(PLANNED % ("", ""))
    plan.write_text('[layout.nests]\nFILL = "blocked"\n[layout.arrays]\nm = [4, 5]\n')
    said = {}
    for name, path, more in (("pragma", pragmas, []), ("plan", plain, ["--plan", str(plan)])):
        out = tmp_path / f"{name}.json"
        written = str(tmp_path / f"{name}.c")
        assert run(["layout", str(path), *more, "--format", f"json={out}", "-o", written]) == 0
        (entry,) = json.loads(out.read_text())["files"]
        said[name] = ([(n["demand"], n["layout"]) for n in entry["nests"]], entry["conversion_bytes"])
        assert verify(str(path), written, VerifyOptions(top="top")).status == "equal"
    assert said["plan"] == said["pragma"]
    assert said["plan"][0][0] == ("blocked", "blocked") and said["plan"][1] > 0
    assert (tmp_path / "plan.c").read_text() != plain.read_text()
    plan.write_text("[layout.arrays]\nm = { pack = 3 }\n")
    report = tmp_path / "packed.json"
    assert run(["layout", str(plain), "--plan", str(plan), "--format", f"json={report}"]) == 0
    conversions = json.loads(report.read_text())["files"][0]["conversions"]
    assert [(c["array"], c["to"]) for c in conversions] == [("m", "tile=3,1"), ("m", "compact")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[layout.nests]\nNONE = "blocked"\n', "no nest 'NONE' in top"),
        ('[layout.nests]\nFILL = "sideways"\n', "nest=sideways is not known"),
        ("[layout.arrays]\nm = [4]\n", "one positive size for each of the 2 dimensions of m"),
        ("[layout.arrays]\n\nm = 4\n", "plan.toml:3: m: an array has a layout"),
        ("[layout]\nx = 1\n", "holds the tables nests and arrays"),
        ("[layout.arrays\n", "plan.toml: "),
    ],
)
def test_a_plan_that_cannot_be_used(text: str, message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "f.c").write_text(PLANNED % ("", ""))
    (tmp_path / "plan.toml").write_text(text)
    out = tmp_path / "o.c"
    assert run(["layout", str(tmp_path / "f.c"), "--plan", str(tmp_path / "plan.toml"), "-o", str(out)]) == 2
    assert message in capfd.readouterr().err and not out.exists()


def test_a_pointer_that_a_call_hands_on_keeps_its_nest_compact(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once an internal error: such a pointer has no extents."""
    text = "struct s { struct s *next; };\nstatic void clear(p) struct s *p; { if (p) p->next = 0; }\n"
    (tmp_path / "f.c").write_text(text + "int main(void) { struct s *p = 0; clear(p); return 0; }\n")
    assert run(["layout", str(tmp_path / "f.c")]) == 0
    assert "'p' of clear, which cannot be blocked: it is a pointer" in capsys.readouterr().out
