"""The headers that stand for those of the synthesis tool: numbers of any width against plain integers, streams."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from hlspart.verification import VerifyOptions, verify
from hlspart.verification.execute import HEADERS
from tests.amounts import amount

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")

INTEGERS = """
#include <ap_int.h>
#include <cassert>
template <int A, bool SA, int B, bool SB> void all_pairs() {
    for (int i = 0; i < 150; i++)
        for (int j = 0; j < 150; j++) {
            ap_int_base<A, SA> a = i * 7919 + j * 31;
            ap_int_base<B, SB> b = j * 104729 - i;
            long long x = (long long)a.get(), y = (long long)b.get();
            assert((a + b).get() == x + y && (a - b).get() == x - y && (a * b).get() == x * y);
            assert(y == 0 || ((a / b).get() == x / y && (a % b).get() == x % y));
            assert((a < b) == (x < y) && (a == b) == (x == y) && (a >= b) == (x >= y));
            assert((a & b).get() == (x & y) && (a ^ b).get() == (x ^ y) && (a | b).get() == (x | y));
            assert((a + 3).get() == x + 3 && (5 - b).get() == 5 - y && (a >> 2).get() == x >> 2);
        }
}
int main() {
    all_pairs<8, true, 8, true>(); all_pairs<8, true, 5, false>(); all_pairs<5, false, 9, true>();
    all_pairs<12, false, 12, false>(); all_pairs<1, false, 3, true>(); all_pairs<33, true, 20, false>();
    ap_uint<8> a = 0x5a;
    ap_int<12> c = -5;
    static_assert(decltype(a + c)::width == 13 && decltype(a * c)::width == 20, "UG1399: widths of results");
    assert(a.range(7, 4) == 5);
    a.range(3, 0) = 3;
    assert(a == 0x53);
    a[0] = 0;
    a(7, 4) = c;
    assert(a == 0xb2);
    ap_uint<16> both = (a, ap_uint<8>(0x11));
    ap_uint<8> high, low;
    (high, low) = both;
    assert(both == 0xb211 && high == 0xb2 && low == 0x11);
    ap_uint<4> four = 15;
    four++;
    assert(four == 0);
    four -= 1;
    ap_int<4> sign = 7;
    sign += 1;
    assert(four == 15 && sign == -8 && (c >> 1) == -3 && ap_uint<8>("0xff", 16) == 255);
    ap_uint<64> ones = ~ap_uint<64>(0);
    assert(ones.to_uint64() == ~0ull && ones.and_reduce() && (ones * ones).range(3, 0) == 1);
    assert(sizeof(ap_uint<8>) == 1 && sizeof(ap_int<33>) == 8 && a * 0.5 == 89.0);
}
"""

FIXED = """
#include <ap_fixed.h>
#include <cassert>
#include <cmath>
template <ap_q_mode Q> bool becomes(double x, double down, double y, double up) {
    ap_fixed<8, 4, Q> a = x, b = y;
    return a.to_double() == down && b.to_double() == up;
}
int main() {
    ap_fixed<8, 4> a = 1.5, b = -2.25;
    assert((a * b).to_double() == -3.375 && (a + b).to_double() == -0.75 && (a - b).to_double() == 3.75);
    static_assert(decltype(a * b)::width == 16 && decltype(a * b)::iwidth == 8, "UG1399: widths of results");
    ap_fixed<8, 4> wraps = 9.0;
    ap_fixed<8, 4, AP_TRN, AP_SAT> stays = 9.0;
    assert(wraps == -7 && stays.to_double() == 7.9375);
    stays = -20;
    assert(stays == -8);
    double h = 1.0 / 32, up = 1.0625;  // half of the last place of eight bits, four of them whole
    assert(becomes<AP_TRN>(1 + h, 1, -1 - h, -up) && becomes<AP_TRN_ZERO>(1 + h, 1, -1 - h, -1));
    assert(becomes<AP_RND>(1 + h, up, -1 - h, -1) && becomes<AP_RND_ZERO>(1 + h, 1, -1 - h, -1));
    assert(becomes<AP_RND_MIN_INF>(1 + h, 1, -1 - h, -up) && becomes<AP_RND_INF>(1 + h, up, -1 - h, -up));
    assert(becomes<AP_RND_CONV>(1 + h, 1, 1 + 3 * h, 1.125));
    ap_int<8> whole = ap_fixed<16, 6>(-2.75);
    assert(whole == -2 && (ap_fixed<16, 6>(whole)) == -2 && (a > b ? a : b) == a);
    for (int n = -2000; n < 2000; n++) {
        double v = n / 256.0;
        ap_fixed<20, 8> exact = v;
        ap_fixed<12, 8> floor = exact;
        ap_fixed<12, 8, AP_RND> round = exact;
        assert(exact.to_double() == v && floor.to_double() == std::floor(v * 16) / 16);
        assert(round.to_double() == std::floor(v * 16 + 0.5) / 16);
    }
}
"""

HALF = """
#include <hls_half.h>
#include <cassert>
static half of(unsigned pattern) { uint16_t b = pattern; half h; __builtin_memcpy((void *)&h, &b, 2); return h; }
static unsigned bits(half h) { uint16_t b; __builtin_memcpy(&b, &h, 2); return b; }
int main() {
    for (unsigned k = 0; k < 65536; k++) {
        float x = of(k);
        assert(x != x || bits(half(x)) == k);
        if ((k & 0x7fff) >= 0x7bff) continue;  // between neighbours the even one is nearest
        assert(bits(half((x + float(of(k + 1))) / 2)) == (k & 1 ? k + 1 : k));
    }
    half a = 1.5f, b = 2;
    assert(a * b == 3 && a + 1 == 2.5f && a > 1 && float(half(65520.0f)) > 1e9f && float(half(1e-8f)) == 0);
}
"""

REST = """
#include <ap_shift_reg.h>
#include <ap_axi_sdata.h>
#include <ap_fixed.h>
#include <hls_math.h>
#include <hls_video.h>
#include <hls_vector.h>
#include <cassert>
int main() {
    hls::stream<ap_axiu<32, 1, 1, 1>> channel("channel");
    ap_axiu<32, 1, 1, 1> word;
    word.data = 7;
    word.last = 1;
    channel << word;
    assert(channel.size() == 1 && channel.read().data == 7 && channel.empty() && !channel.read_nb(word));
    hls::vector<int, 4> v = 1;
    v = v + v;
    v[2] = 5;
    ap_shift_reg<int, 4> row;
    row.shift(1);
    row.shift(2);
    assert(row.read(1) == 1 && row.shift(9, 1) == 1 && row.read() == 9);
    assert(v.reduce_add() == 11 && hls::max(2, 3) == 3 && hls::sqrt(4.0f) == 2);
    ap_fixed<16, 8> root = hls::sqrt(ap_fixed<16, 8>(2.25)), whole = hls::abs(ap_fixed<16, 8>(-3));
    assert(root == 1.5 && whole == 3 && hls::abs(-3) == 3);
}
"""


@pytest.mark.parametrize("text", [INTEGERS, FIXED, HALF, REST], ids=["integers", "fixed", "half", "rest"])
def test_the_headers_compute_as_the_manual_says(tmp_path: Path, text: str) -> None:
    (tmp_path / "k.cpp").write_text(text)
    build = ["g++", "-Wall", "-Wextra", "-fsanitize=undefined", "-fno-sanitize-recover=all", "-idirafter", str(HEADERS)]
    subprocess.run([*build, "-Werror", "k.cpp", "-o", "k"], cwd=tmp_path, check=True)
    subprocess.run(["./k"], cwd=tmp_path, check=True)


TABLES = """#include <ap_fixed.h>
constexpr ap_int<8> whole[] = {200, -128, 0x7f};
constexpr ap_uint<4> wrapped[] = {17, -1};
constexpr ap_fixed<8, 4> cut[] = {0.3, -0.3, 1, 100.7f};
constexpr ap_fixed<8, 4, AP_RND, AP_SAT> kept[] = {0.3, -100.0, 1e9};
static_assert(whole[0].get() == -56 && whole[1].get() == -128 && whole[2].get() == 127, "");
static_assert(wrapped[0].get() == 1 && wrapped[1].get() == 15, "");
static_assert(cut[0].raw.get() == 4 && cut[1].raw.get() == -5 && cut[2].raw.get() == 16 && cut[3].raw.get() == 75, "");
static_assert(kept[0].raw.get() == 5 && kept[1].raw.get() == -128 && kept[2].raw.get() == 127, "");
"""
"""4 bits of a fraction: 100.7 is 1611 / 16, of which 8 bits are 75. What runs at the start of a program takes a
compiler with sanitizers minutes for thousands of weights."""


@pytest.mark.parametrize("standard", ["c++14", "c++17", "gnu++17"])
def test_tables_of_numbers_are_data(tmp_path: Path, standard: str) -> None:
    (tmp_path / "k.cpp").write_text(TABLES)
    build = ["g++", f"-std={standard}", "-fsyntax-only", "-idirafter", str(HEADERS), "k.cpp"]
    subprocess.run(build, cwd=tmp_path, check=True)


KERNEL = """#include <ap_axi_sdata.h>
#include <ap_fixed.h>
#include <hls_stream.h>
typedef ap_axiu<32, 1, 1, 1> word;
static void copy(hls::stream<word> &from, hls::stream<int> &to)
{
    for (int i = 0; i < 64; i++) to.write(from.read().data);
}
void top(hls::stream<word> &in, hls::stream<int> &out, const ap_fixed<16, 6> k[4], ap_fixed<16, 6> r[4])
{
    hls::stream<int> middle("middle");
    copy(in, middle);
    int row[64];
    for (int i = 0; i < 64; i++) row[i] = middle.read();
    for (int i = 0; i < 63; i++) out.write(row[i] ^ row[63 - i]);
    for (int i = 0; i < 4; i++) r[i] = k[i] * k[3 - i] + ap_fixed<16, 6>(0.5);
}
"""


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ("row[63 - i]", "row[62 - i + (i != 5)]", "out[5]"),
        ("", "", ""),
        ("(0.5)", "(0.501)", "r[0]"),
        ("i < 64; i++) to", "i < 63; i++) to", "in[0]"),
        ("i < 63", "i < 62", "out[62]"),
        ("k[3 - i] +", "k[3 - i] * (i < 3 ? 1 : 2) +", "r[3]"),
    ][: amount(1, 6)],
)
def test_streams_and_fixed_point_numbers_are_driven(tmp_path: Path, old: str, new: str, where: str) -> None:
    for name, text in (("a.cpp", KERNEL), ("b.cpp", KERNEL.replace(old, new, 1) if old else KERNEL)):
        (tmp_path / name).write_text(text)
    result = verify(str(tmp_path / "a.cpp"), str(tmp_path / "b.cpp"), VerifyOptions(top="top", vectors=20))
    assert result.own_headers == ("ap_axi_sdata.h", "ap_fixed.h", "ap_int.h", "hls_stream.h"), result.message
    assert result.status == ("different" if old else "equal"), result.message
    assert where in result.message
    if not old:
        assert result.vectors == 20 and {"in", "out", "r", "words_left_in_in"} <= set(result.compared)


def test_a_header_of_the_tool_comes_before_ours(tmp_path: Path) -> None:
    (tmp_path / "hls_math.h").write_text("namespace hls { inline int twice(int x) { return 2 * x; } }\n")
    (tmp_path / "k.cpp").write_text("#include <hls_math.h>\nint k(int n) { return hls::twice(n / 4); }\n")
    result = verify(str(tmp_path / "k.cpp"), str(tmp_path / "k.cpp"), VerifyOptions(top="k", vectors=3))
    assert (result.status, result.own_headers) == ("equal", ())
