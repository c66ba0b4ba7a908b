"""What a bank buys: targets, objectives, clashing loops, hints on unrolling, Pareto points."""

from __future__ import annotations

from inferring import FAR, MATMUL, WINDOW, array, iis, pasted, pipeline, run

from hlspart.model.options import InferOptions


def test_recurrence_decides_and_no_more_banks_are_asked_for() -> None:
    text = """\
void k(float A[64], float out[1])
{
    float s = 0;
L:  for (int t = 0; t < 16; t++) {
#pragma HLS PIPELINE II=1
        s = s + A[4*t] * A[4*t+1] * A[4*t+2] * A[4*t+3];
    }
    out[0] = s;
}
"""
    result = run(text)
    (loop,) = result.loops
    assert loop.target_ii == 1 and loop.ii_after is not None and loop.ii_after > 1
    assert loop.cause is not None and loop.cause.startswith("s: ")
    assert array(result, "A").kind == "none"


def test_target_ii_two_needs_half_the_banks() -> None:
    assert [array(run(MATMUL, target_ii=ii), "A").banks for ii in (1, 2, 4)] == [4, 2, 1]


def test_hint_on_the_next_unroll_factor_is_what_the_model_says_of_it() -> None:
    text = FAR
    hints = {x.name: x.hint for x in run(text, hints=True).loops}
    assert hints["L"] == "unroll factor=2: 4 cycles instead of 8, with A in 4 banks instead of 2"
    twice = text.replace(
        "L:  for (int i = 0; i < 8; i++) {\n", "L:  for (int i = 0; i < 8; i++) {\n#pragma HLS UNROLL factor=2\n"
    )
    assert array(run(twice), "A").banks == 4
    loop = next(x for x in pipeline(pasted(twice)).ii.loops if x.name == "L")
    assert (loop.ii, loop.trip_count.max) == (1, 4)


def test_hint_says_when_unrolling_gains_nothing() -> None:
    text = """\
void k(float A[64], float out[1])
{
    float s = 0;
L:  for (int t = 0; t < 64; t++) {
#pragma HLS PIPELINE II=1
        s += A[t];
    }
    out[0] = s;
}
"""
    (loop,) = run(text, hints=True).loops
    twice = iis(text.replace("II=1\n", "II=1\n#pragma HLS UNROLL factor=2\n"))["L"]
    assert loop.ii_after is not None and twice is not None and twice >= 2 * loop.ii_after
    assert loop.hint == f"unroll factor=2 gains nothing: II {twice} for 2 iterations"
    assert run(text).loops[0].hint is None


def test_pareto_points_beat_each_other_in_nothing() -> None:
    points = run(MATMUL, pareto=True).pareto
    assert [(p["ii"], p["banks"]) for p in points] == [(1, 9), (2, 5), (4, 3)]


def test_transposed_accesses_never_end_in_a_thousand_registers() -> None:
    text = """\
void k(int x[32][32], int out[32][32])
{
    int A[32][32];
F:  for (int i = 0; i < 32; i++)
        for (int j = 0; j < 32; j++) {
#pragma HLS PIPELINE
            A[i][j] = x[i][j];
        }
L:  for (int i = 0; i < 31; i++)
        for (int j = 0; j < 31; j++) {
#pragma HLS PIPELINE II=1
            out[i][j] = A[i][j] + A[j][i] + A[i+1][j] + A[j+1][i];
        }
}
"""
    found = array(run(text), "A")
    assert found.kind != "complete" and found.banks <= 16


def test_fewer_banks_promise_no_more_than_they_serve() -> None:
    text = WINDOW.replace("mem[i-1] + mem[i-2]", "mem[i-1] + mem[i-2] + mem[i-3] + mem[i-4]").replace("i = 2", "i = 4")
    for ii, banks in ((1, 3), (2, 2), (3, 1)):
        result = run(text, target_ii=ii)
        assert array(result, "mem").banks == banks
        assert result.loops[1].ii_after == ii
    points = run(text, pareto=True).pareto
    assert [(p["ii"], p["banks"]) for p in points] == [(1, 5), (2, 4), (3, 3)]


CLASH = """\
void k(int in[16][16], int out[16], int out2[16])
{
    int A[16][16];
F:  for (int i = 0; i < 16; i++)
G:      for (int j = 0; j < 16; j++) {
#pragma HLS PIPELINE II=1
            A[i][j] = in[i][j];
        }
R:  for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE II=1
        int s = 0;
        for (int j = 0; j < 8; j++)
            s += A[i][j];
        out[i] = s;
    }
C:  for (int j = 0; j < 12; j++) {
#pragma HLS PIPELINE II=1
        int s = 0;
        for (int i = 0; i < 8; i++)
            s += A[i][j];
        out2[j] = s;
    }
}
"""


def test_clashing_nests_share_one_mapping_or_the_cheaper_one_gives_way() -> None:
    joint = array(run(CLASH, scheme="any"), "A")
    assert (joint.banks, joint.absolute, joint.needs_rewrite) == (4, True, True)
    capped = run(CLASH, scheme="pragma", max_banks=4)
    found = array(capped, "A")
    assert found.pragmas == ("#pragma HLS array_partition variable=A type=cyclic factor=4 dim=2",)
    assert found.reason.endswith(
        "not all loops can have their II: R at II 4 costs 48 cycles, C at II 4 costs 36 cycles"
    )
    assert [(x.name, x.ii_after, x.span_after) for x in capped.loops] == [
        ("F_G", 1, None), ("R", 1, None), ("C", None, (1, 4)),
    ]  # fmt: skip
    assert iis(pasted(CLASH, scheme="pragma", max_banks=4)) == {"F_G": 1, "R": 1, "C": None}  # may split dimension 1


def test_pareto_points_are_not_beaten_and_each_is_what_its_target_gives() -> None:
    points = run(CLASH, scheme="any", pareto=True).pareto
    assert [p["ii"] for p in points] == sorted({p["ii"] for p in points})  # type: ignore[type-var]
    for one in points:
        for other in points:
            assert one is other or any(int(str(one[k])) < int(str(other[k])) for k in ("ii", "banks", "bram18k"))
        again = run(CLASH, scheme="any", target_ii=int(str(one["ii"])))
        assert sum(a.banks for a in again.arrays) == one["banks"]


def test_objectives_and_powers_of_two() -> None:
    five = FAR.replace("A[i+24]", "A[i+24] + A[i+1]").replace("int A[32]", "int A[2048]").replace("i < 32", "i < 2048")
    three = array(run(five, scheme="any"), "A")
    powers = array(run(five, scheme="any", pow2=True), "A")
    assert (three.banks, powers.banks) == (3, 4) and "powers of two" in powers.space
    two = run(five, scheme="any", pow2=True, max_banks=2)
    assert array(two, "A").banks == 2 and (two.loops[1].span_before, two.loops[1].ii_after) == ((1, 3), 2)
    blocks = {o: array(run(five, objective=o), "A") for o in ("banks", "bram", "lut")}
    assert blocks["bram"].bram18k <= min(x.bram18k for x in blocks.values())


def test_no_bank_is_spent_below_the_least_that_an_unknown_ii_can_be() -> None:
    text = """\
void k(double A[40][40], double x[40], double b[40])
{
    for (int i = 0; i < 40; i++) {
        x[i] = b[i];
L:      for (int j = 0; j < i; j++) {
#pragma HLS PIPELINE II=1
#pragma HLS UNROLL factor=4
            x[i] -= A[i][j] * x[j];
        }
        x[i] = x[i] / A[i][i];
    }
}
"""
    p = pipeline(text)
    result = p.infer(InferOptions())
    (loop,) = [x for x in p.ii.loops if x.pipelined]
    assert loop.ii is None and loop.bounds is not None and loop.bounds[0] >= 20  # a chain of four sums
    assert [a.kind for a in result.arrays] == ["none", "none"] and result.loops[0].ii_after is None


BINS = """\
void k(const int in[64], int out[8])
{
    int bin[8];
Z:  for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE
        bin[i] = 0;
    }
L:  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
        bin[i & 7] += in[i];
    }
O:  for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE
        out[i] = bin[i];
    }
}
"""


SHIFTED = """\
void k(const int x[64], int y[64], const int c[17])
{
    int past[17];
Z:  for (int i = 0; i < 17; i++) {
#pragma HLS PIPELINE
        past[i] = 0;
    }
L:  for (int n = 0; n < 64; n++) {
#pragma HLS PIPELINE II=1
        int sum = 0;
        for (int t = 16; t > 0; t--)
            past[t] = past[t - 1];
        past[0] = x[n];
        for (int t = 0; t < 17; t++)
            sum += past[t] * c[t];
        y[n] = sum;
    }
}
"""


def test_a_shift_register_becomes_registers_whatever_its_size() -> None:
    found = array(run(SHIFTED), "past")
    assert (found.kind, found.banks) == ("complete", 17)
    assert found.reason.endswith("registers answer at once, 544 bits in all")
    before = {x.name: x.bounds for x in pipeline(SHIFTED).ii.loops}
    assert before["L"] == (1, 17) and set(iis(pasted(SHIFTED)).values()) == {1}
    moving = SHIFTED.replace("past[t - 1];", "past[t - 1] + past[(n + t) & 15];")  # would ask for multiplexers
    assert array(run(moving), "past").kind != "complete"


def test_a_small_array_whose_recurrence_is_too_slow_becomes_registers() -> None:
    result = run(BINS)
    found = array(result, "bin")
    assert (found.kind, found.banks, found.proved_minimal) == ("complete", 8, False)
    assert found.reason == "a memory leaves L at II 1..2: registers answer at once, 256 bits in all"
    assert [x.ii_after for x in result.loops] == [1, 1, 1] and set(iis(pasted(BINS)).values()) == {1}
    assert pasted(pasted(BINS)) == pasted(BINS)
    for other in ({"scheme": "any"}, {"max_banks": 4}):
        assert array(run(BINS, **other), "bin").kind == "none"
    large = BINS.replace("[8]", "[32]").replace("& 7", "& 31").replace("< 8", "< 32")  # 1024 bits
    assert array(run(large), "bin").kind == "none"
    assert array(run(large, scheme="pragma"), "bin").kind == "complete"


def test_registers_serve_an_index_from_data_too() -> None:
    text = BINS.replace("bin[i & 7] += in[i]", "bin[in[i]] += 1")
    found = array(run(text), "bin")
    assert found.pragmas == ("#pragma HLS array_partition variable=bin type=complete dim=1",)
    assert set(iis(pasted(text)).values()) == {1}


def test_registers_at_an_interface_only_where_so_many_are_allowed() -> None:
    text = FAR.replace("    int A[32];\nF:", "F:").replace("int x[32]", "int x[32], int A[32]")
    text = text.replace("A[i+24]", "A[i+24] + A[0] + A[i+3] + A[i+5]")
    assert array(run(text, scheme="pragma"), "A").kind != "complete"
    asked = run(text, scheme="pragma", max_banks=32)
    assert array(asked, "A").banks == 32 and asked.loops[1].ii_after == 1


def test_a_split_that_the_tool_may_make_is_not_promised() -> None:
    result = run(FAR, max_banks=1)
    (loop,) = [x for x in pipeline(FAR).ii.loops if x.name == "L"]
    promised = result.loops[1]
    assert (promised.ii_after, promised.span_after) == (loop.ii, loop.bounds) == (None, (1, 2))
    assert promised.cause is not None and "by itself is not known; A bank 0: 4 reads" in promised.cause
    assert [(p["ii"], p["banks"]) for p in run(FAR, pareto=True).pareto] == [(1, 4), (2, 3)]
