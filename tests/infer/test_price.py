"""What a partition may cost: the bound on banks, the curve, registers ahead of a loop, multiplexers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from inferring import array, pipeline, run

from hlspart.banking.accesses import MOST_HELD
from hlspart.infer.choice import MOST_AT_PORTS, MOST_OWN, SPARE, SPARE_AT_PORTS, USUAL
from hlspart.model.options import InferOptions, RewriteOptions
from hlspart.render import shapes
from hlspart.render import text as render


def strided(argument: bool, banked: str = "", accesses: int = 4) -> str:
    """Stores that move by 256: a cyclic bank is decided for divisors of that, and 32 blocks part four of them."""
    stores = " ".join(f"a[256 * i + {256 // accesses * k}] = x[i] + {k};" for k in range(accesses))
    body = f"""    L: for (int i = 0; i < 16; i++) {{
#pragma HLS PIPELINE II=1
        {stores}
    }}
"""
    if argument:
        return f"void k(int x[16], int a[4096])\n{{\n{banked}{body}}}\n"
    rest = "    for (int i = 0; i < 4096; i++) out[i] = a[i];\n"
    return f"void k(int x[16], int out[4096])\n{{\n    int a[4096];\n{banked}{body}{rest}}}\n"


@pytest.mark.parametrize("argument", [True, False])
def test_pragmas_are_proposed_up_to_the_knee(argument: bool) -> None:
    """4 accesses on 2 ports ask for 2 banks: 32 for II 1 are no bargain, one bank gives II 2."""
    found = run(strided(argument), scheme="pragma")
    (loop,) = [x for x in found.loops if x.name == "L"]
    assert (array(found, "a").banks, loop.ii_before, loop.ii_after) == (1, 2, 2)
    said = "no pragma was found that serves L below II 2 with at most 16 banks (--max-banks allows more)"
    assert said in array(found, "a").reason  # two banks are the lower bound: 16 are no proof


def least(most: int, ports: int) -> tuple[int, int]:
    """(II, banks) by enumeration: the least II that at most ``most`` banks give eight stores, and the least banks."""

    def busiest(bank: Callable[[int], int]) -> int:
        reached = [{bank(256 * i + 32 * k) for i in range(16)} for k in range(8)]
        return max(sum(b in banks for banks in reached) for b in set().union(*reached))

    found = [(-(-8 // ports), 1)]
    for n in range(2, most + 1):
        size = -(-4096 // n)
        loads = [busiest(lambda x, n=n: x % n)]
        loads += [busiest(lambda x, size=size: x // size)] if -(-4096 // size) == n else []
        found.append((-(-min(loads) // ports), n))
    return min(found)


@pytest.mark.parametrize(("argument", "ports"), [(True, 1), (True, 2), (False, 1), (False, 2)])
def test_the_bound_grows_with_what_accesses_ask_for(argument: bool, ports: int) -> None:
    spare, most = (SPARE_AT_PORTS, MOST_AT_PORTS) if argument else (SPARE, MOST_OWN)
    bound = min(most, max(USUAL, spare * 8 // ports))
    ii, banks = least(bound, ports)
    result = run(strided(argument, accesses=8), scheme="pragma", ports=ports)
    (loop,) = [x for x in result.loops if x.name == "L"]
    assert loop.ii_after in (ii, ii + 1)  # some IIs that ports allow have no schedule
    assert array(result, "a").banks <= bound and (loop.ii_after > ii or array(result, "a").banks >= banks)


def test_what_the_user_says_and_the_curve_go_beyond_the_knee() -> None:
    free = run(strided(True), scheme="pragma", max_banks=1024)
    assert array(free, "a").banks == 32 and {x.ii_after for x in free.loops} == {1}
    points = run(strided(True), scheme="pragma", pareto=True).pareto
    assert [(p["ii"], p["banks"]) for p in points] == [(1, 33), (2, 2)]


def test_a_partition_beyond_the_knee_stays_where_it_serves() -> None:
    pragma = "#pragma HLS ARRAY_PARTITION variable=a block factor=32\n"
    result = run(strided(True, pragma), scheme="pragma")
    found = array(result, "a")
    assert (found.banks, found.fresh, found.removed) == (32, False, ())
    assert [(x.ii_before, x.ii_after) for x in result.loops] == [(1, 1)]


def rows(side: int) -> str:
    return f"""void k(int in[{side}][{side}], int out[{side}])
{{
    int a[{side}][{side}];
#pragma HLS ARRAY_PARTITION variable=a complete dim=1
    for (int i = 0; i < {side}; i++) for (int j = 0; j < {side}; j++) a[i][j] = in[i][j];
    L: for (int i = 0; i < {side}; i++) {{
#pragma HLS PIPELINE II=1
        int s = 0;
        for (int j = 0; j < {side}; j++) s += a[i][j];
        out[i] = s;
    }}
}}
"""


@pytest.mark.parametrize("side", [4, 8, 16, 20, 64])
def test_words_that_are_loaded_ahead_are_registers_or_not_taken_for_granted(side: int) -> None:
    figures = pipeline(rows(side)).ii
    (loop,) = [x for x in figures.loops if x.name == "L"]
    (memory,) = [x for x in figures.arrays if x.name == "a"]
    if side * side <= MOST_HELD:  # one register for each word, one multiplexer of `side` inputs for each column
        assert (loop.ii, memory.registers) == (1, 32 * side * side)
        assert memory.mux_luts == -(-side * (side - 1) * 32 // 3)
    else:
        assert (loop.ii, loop.bounds, memory.registers) == (None, (1, side // 2), 0)
        assert "whether loads leave the loop" in (loop.cause or "")


STAR = """\
void k(int in[16][16], int out[16][16])
{
    int a[16][16];
    for (int i = 0; i < 16; i++) for (int j = 0; j < 16; j++) a[i][j] = in[i][j];
    for (int i = 1; i < 15; i++) for (int j = 1; j < 15; j++) {
#pragma HLS PIPELINE II=1
        out[i][j] = a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1];
    }
}
"""


def test_the_selection_of_banks_is_counted() -> None:
    found = pipeline(STAR)
    result = found.infer(InferOptions(scheme="any"))
    chosen = array(result, "a")
    assert chosen.needs_rewrite and chosen.selection_luts > 0
    (crossbar,) = [c for c in found.rewriting(RewriteOptions()).inferred(result).crossbars if c.address_inputs > 1]
    values = crossbar.accesses * (crossbar.banks - 1) * 32
    addresses = crossbar.banks * crossbar.loads * (crossbar.address_inputs - 1) * 16
    residues = 0 if crossbar.banks in (4, 8) else crossbar.accesses * 8 * 16
    assert crossbar.luts == -(-(values + addresses) // 3) + residues
    shown = render.infer(shapes.infer(found.program, found.analysis, result, ["k.c"]))
    said = f"about {chosen.selection_luts} LUTs choose among banks by a rule of thumb: hlspart ii counts those of the "
    assert said + "text written\n" in shown


SELECTED = """\
void k(const int in[32], int A0[16], int A1[16], int out[32])
{
    L: for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
        int b = in[i] & 1, w = in[i] >> 28 & 15;
        int v = b ? A1[b ? w : 3] : A0[b ? 5 : w];
        out[i] = v;
    }
}
"""


def test_selections_of_the_text_are_counted() -> None:
    """A choice between two words of 32 bits, and one between two addresses of 4 bits for each memory."""
    luts = {a.name: a.mux_luts for a in pipeline(SELECTED).ii.arrays}
    assert sorted(luts.values()) == [0, 0, 2, -(-(32 + 4) // 3)] and luts["in"] == luts["out"] == 0
    assert {r.name: r.used for r in pipeline(SELECTED).ii.resources}["LUT"] == sum(luts.values())


def test_banks_that_the_text_selects_are_counted_by_ii() -> None:
    found = pipeline(STAR)
    text = found.rewriting(RewriteOptions()).inferred(found.infer(InferOptions(scheme="any"))).files["k.c"]
    banks = [a for a in pipeline(text).ii.arrays if a.name.startswith("a_")]
    words = 5 * (len(banks) - 1)  # five loads, each one of the banks
    assert len(banks) > 2 and sum(a.mux_luts for a in banks) >= words * 32 // 3
