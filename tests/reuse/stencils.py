"""Stencils in several styles, and random ones."""

from __future__ import annotations

import random

import hlspart

PLAIN = "void {name}(int in[256][256], int out[256][256]) {{\n"
BUS = (
    "void {name}(int in[256][256], int out[256][256]) {{\n"
    "#pragma HLS INTERFACE m_axi port=in bundle=a\n#pragma HLS INTERFACE m_axi port=out bundle=b\n"
)
FRAME = (
    "void {name}(int in[256][256], int out[256][256]) {{\n    static int img[256][256];\n"
    "    for (int r = 0; r < 256; r++)\n        for (int c = 0; c < 256; c++) {{\n#pragma HLS PIPELINE II=1\n"
    "            img[r][c] = in[r][c];\n        }}\n"
)
INNER = """    for (int i = 1; i < 255; i++) {
        for (int j = 1; j < 255; j++) {
#pragma HLS PIPELINE II=1
@
        }
    }
}
"""
JACOBI = INNER.replace(
    "@", "            out[i][j] = (I[i][j] + I[i - 1][j] + I[i + 1][j] + I[i][j - 1] + I[i][j + 1]) / 5;"
)
SOBEL = (
    "    const int gx[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}}, gy[3][3] = {{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}};\n"
    + INNER.replace(
        "@",
        """            int sx = 0, sy = 0;
            for (int m = 0; m < 3; m++)
                for (int n = 0; n < 3; n++) {
                    sx += gx[m][n] * I[i + m - 1][j + n - 1];
                    sy += gy[m][n] * I[i + m - 1][j + n - 1];
                }
            out[i][j] = (sx < 0 ? -sx : sx) + (sy < 0 ? -sy : sy);""",
    )
)
PREWITT = INNER.replace(
    "@",
    """            int east = I[i - 1][j + 1] + I[i][j + 1] + I[i + 1][j + 1], west = I[i - 1][j - 1] + I[i][j - 1];
            int south = I[i + 1][j - 1] + I[i + 1][j] + I[i + 1][j + 1], north = I[i - 1][j - 1] + I[i - 1][j];
            int dx = east - west - I[i + 1][j - 1], dy = south - north - I[i - 1][j + 1];
            out[i][j] = dx * dx + dy * dy;""",
)
MEDIAN = INNER.replace(
    "@",
    """            int v[9];
            for (int m = -1; m <= 1; m++)
                for (int n = -1; n <= 1; n++) v[m * 3 + n + 4] = I[i + m][j + n];
            for (int s = 0; s < 9; s++)
                for (int t = 0; t < 8; t++)
                    if (v[t] > v[t + 1]) {
                        int w = v[t];
                        v[t] = v[t + 1];
                        v[t + 1] = w;
                    }
            out[i][j] = v[4];""",
)
GAUSS = """    int y, x;
row:
    for (y = 0; y < 252; y++)
    col: for (x = 0; x < 252; x++) {
#pragma HLS PIPELINE
            int s = 0;
            for (int m = 0; m < 5; m++)
                for (int n = 0; n < 5; n++)
                    s += (3 - (m < 2 ? 2 - m : m - 2)) * (3 - (n < 2 ? 2 - n : n - 2)) * I[y + m][x + n];
            out[y + 2][x + 2] = s / 81;
        }
}
"""
LOG = """    for (int y = 0; y < 256; y++)
        for (int x = 0; x < 256; x++) {
#pragma HLS PIPELINE II=1
            int v = 0;
            if (y >= 2 && y < 254 && x >= 2 && x < 254) { // not on the border
                v = 16 * I[y][x] - 2 * (I[y - 1][x] + I[y + 1][x] + I[y][x - 1] + I[y][x + 1])
                    - (I[y - 2][x] + I[y + 2][x] + I[y][x - 2] + I[y][x + 2])
                    - (I[y - 1][x - 1] + I[y - 1][x + 1] + I[y + 1][x - 1] + I[y + 1][x + 1]);
            }
            out[y][x] = v;
        }
}
"""
#: name -> (body, BRAM18K of a line buffer written by hand)
SIX = {
    "jacobi": (JACOBI, 2), "sobel": (SOBEL, 2), "median": (MEDIAN, 2), "prewitt": (PREWITT, 2), "log": (LOG, 4),
    "gauss": (GAUSS, 4),
}  # fmt: skip
STYLES = {"bram": (PLAIN, "in"), "m_axi": (BUS, "in"), "frame": (FRAME, "img")}


HEAT = """void heat(float A[20][20][20], float B[20][20][20]) {
    for (int i = 1; i < 19; i++)
        for (int j = 1; j < 19; j++)
            for (int k = 1; k < 19; k++)
#pragma HLS PIPELINE II=1
                B[i][j][k] = 0.125f * (A[i + 1][j][k] - 2.0f * A[i][j][k] + A[i - 1][j][k])
                    + 0.125f * (A[i][j + 1][k] - 2.0f * A[i][j][k] + A[i][j - 1][k])
                    + 0.125f * (A[i][j][k + 1] - 2.0f * A[i][j][k] + A[i][j][k - 1]) + A[i][j][k];
}
"""

POOL = """void pool(const int in[64][64], int out[32][32]) {
    int a[64][64];
    for (int y = 0; y < 64; y++) for (int x = 0; x < 64; x++) a[y][x] = in[y][x];
    for (int y = 0; y < 32; y++)
        for (int x = 0; x < 32; x++) {
#pragma HLS PIPELINE II=1
            int p = a[2 * y][2 * x], q = a[2 * y][2 * x + 1], r = a[2 * y + 1][2 * x], s = a[2 * y + 1][2 * x + 1];
            int m = p > q ? p : q, n = r > s ? r : s;
            out[y][x] = m > n ? m : n;
        }
}
"""


def stencil(name: str, style: str) -> str:
    """One of the six in one of the styles."""
    head, array = STYLES[style]
    body = SIX[name][0]
    return head.format(name=name) + body.replace("I[", f"{array}[")


def equal(old: hlspart.Kernel, new: hlspart.RewriteAnswer, vectors: int = 3) -> bool:
    """Whether both do the same on some inputs (exact for small values, whose sums do not overflow)."""
    return bool(hlspart.verify(old, new, vectors=vectors, value_range=(-1000, 1000)))


def random_stencil(seed: int) -> str:
    """A nest of one to three loops over one or two arrays that are read at random offsets, in all of their planes."""
    rng = random.Random(seed)
    rank = rng.choice((1, 2, 2, 2, 3))
    steps = [rng.choice((1, 1, 1, 2)) for _ in range(rank)]
    scales = [rng.choice((1, 1, 2)) if s == 1 else 1 for s in steps]
    lows, trips = [rng.randint(0, 3) for _ in range(rank)], [rng.randint(3, 9) for _ in range(rank)]
    names, kinds = "ijk"[:rank], [rng.choice(("int", "int", "unsigned", "short")) for _ in range(rank)]
    flat, guarded, flip = rng.random() < 0.3, rng.random() < 0.4, rank == 2 and rng.random() < 0.2
    tops = [low + step * (n - 1) for low, step, n in zip(lows, steps, trips, strict=True)]
    reach = [rng.randint(1, 3) for _ in range(rank)]
    params, reads = [], []
    extents = [s * t + 2 * r + 1 for s, t, r in zip(scales, tops, reach, strict=True)]
    order = list(reversed(range(rank))) if flip else list(range(rank))
    for array in ("a", "b")[: rng.choice((1, 1, 2))]:
        params.append(
            f"int {array}" + (f"[{_product(extents)}]" if flat else "".join(f"[{extents[d]}]" for d in order))
        )
        for _ in range(rng.randint(2, 6)):
            index = [f"{s} * {n} + {r + rng.randint(-r, r)}" for s, n, r in zip(scales, names, reach, strict=True)]
            if flat:
                text = index[0]
                for part, extent in zip(index[1:], extents[1:], strict=True):
                    text = f"({text}) * {extent} + {part}"
                reads.append(f"{array}[{text}]")
            else:
                reads.append(array + "".join(f"[{index[d]}]" for d in order))
    planes, first = rng.choice((0, 1, 2, 3)) * (not flat), rng.randint(0, 1)
    if planes:  # the same elements of each
        behind, plane = rng.randint(0, rank), f"[p + {first}]" if first else "[p]"
        params = [_at_dimension(p, behind, f"[{planes + first}]") for p in params]
        reads = [_at_dimension(r, behind, plane) for r in reads]
    out = "".join(f"[{t + 1}]" for t in tops)
    at = "".join(f"[{n}]" for n in names)
    text = f"void f({', '.join(params)}, int out{out}) {{\n"
    for d, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        test = rng.choice((f"{name} <= {tops[d]}", f"{name} < {tops[d] + 1}"))
        step = f"{name} += {steps[d]}" if steps[d] > 1 else rng.choice((f"{name}++", f"++{name}"))
        text += f"{'    ' * (d + 1)}for ({kind} {name} = {lows[d]}; {test}; {step}) {{\n"
    text += "#pragma HLS PIPELINE II=1\n"
    pad = "    " * (rank + 1)
    value = " + ".join(f"{rng.randint(1, 9)} * {r}" for r in reads)
    if planes:
        text += f"{pad}int t = 0;\n{pad}for (int p = 0; p < {planes}; p++) t += {value};\n"
        value = "t"
    if guarded:
        one = reads[0].replace("[p + ", "[").replace("[p]", "[0]")
        text += f"{pad}if ({names[-1]} != {lows[-1]} && {names[0]} < {tops[0]})\n{pad}    out{at} = {value};\n"
        text += f"{pad}else\n{pad}    out{at} = {one};\n"
    elif planes:
        text += f"{pad}out{at} = t;\n"
    else:
        text += f"{pad}int t = {value}; /* sum */\n{pad}out{at} = t;\n"
    return text + "".join("    " * d + "}\n" for d in reversed(range(1, rank + 1))) + "}\n"


def _at_dimension(text: str, dimension: int, more: str) -> str:
    """``more`` in front of a bracket of an array's text."""
    parts = text.split("[")
    return "[".join(parts[: dimension + 1]) + more + "".join(f"[{p}" for p in parts[dimension + 1 :])


def _product(numbers: list[int]) -> int:
    result = 1
    for n in numbers:
        result *= n
    return result
