"""Channel layouts and tiles: numbers, addresses, and the C header of a layout."""

from __future__ import annotations

import itertools
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
from layout_texts import GCC

from hlspart.blocked.channels import ELEMENT_BYTES, burst, channel_layout, off_chip
from hlspart.blocked.emit import header
from hlspart.model.blocked import TileLayout

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
