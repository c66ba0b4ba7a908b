"""Proofs that an II is out of reach: values that go round through operators, whatever holds them on the way."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Literal

import pytest

import hlspart
from hlspart.cli.app import run
from tests.amounts import amount

FADD, FMUL, FDIV = 4, 3, 9  # states at 10 ns less 2.7 ns on ultrascale+ (reports); the last one may be handed on
CASES = {  # body of the loop; the II that is proved least, None: no proof
    "a recurrence of its own": ("s = s * b + x[i];", FMUL + FADD),
    "through a memory": ("y[i] = y[i - 1] / b + x[i];", FDIV + FADD - 1),
    "two iterations apart": ("y[i] = y[i - 2] / b;", (FDIV - 1) // 2),
    "when the data says so": ("if (x[i] > b) s = s / b;", FDIV - 1),
    "in either arm": ("if (n > i) s = s / b; else s = s * b;", FMUL - 1),
    "in either arm, of one length": ("if (n > i) s = x[i] - s; else s = s - b;", FADD - 1),
    "in one arm only": ("if (n > i) s = s / b; else s = x[i];", None),
    "by turns": ("if (n > i) { s = s / b; } else { y[0] = s; }", None),
    "every fourth time only": ("if (i % 4 == 0) s = s / b;", None),
    "every fourth time, if at all": ("if (i % 4 == 0 && x[i] > b) s = s / b;", None),
    "a store that may not happen": ("if (x[i] > b) y[i] = y[i - 1] / b;", None),
    "a place that data decides": ("y[k[i]] = y[k[i]] / b;", None),
    "another store between": ("y[i] = y[i - 2] / b; y[i - 1] = x[i];", None),
    "integers": ("n = n + k[i]; s = x[i];", None),
    "integers that a tool may regroup": ("n = n + k[i] + k[i - 1] + k[i - 2] + k[i] * 7; s = x[i];", None),
    "products and sums that change no float": ("s = (1.0 * s / 1 - 0.0f) * 1.0f; y[i] = x[i];", None),
    "a sum that makes +0 of -0": ("s = (s + 0.0f) * b;", FMUL + FADD),
    "a change of sign": ("s = s * -1; y[i] = s;", None),
    "a power of two, and a sum": ("s = s / 4 + x[i];", FADD - 1),
    "a number there and back": ("n = (short)(float)n + k[i];", None),
    "a double there and back": ("n = (double)n * 3.0 + k[i]; s = x[i];", None),
    "a byte by more than it holds": ("n = (unsigned char)n / 300 + k[i];", None),
    "a byte by what data says": ("n = (unsigned char)n / k[i] + 1;", None),
    "an integer by a number": ("n = n / 300 + k[i];", None),
    "an int in a wider type": ("n = (long long)n / k[i] + 1;", None),
    "an int in a wider variable": ("long long w = n; n = w / k[i] + 1;", None),
    "a byte in an int": ("int w = (unsigned char)n; n = w / k[i] + 1;", None),
    "a test by what data says": ("n = (n > 3) / k[i] + 1;", None),
    "a bool by what data says": ("bool w = n; n = w / k[i] + 1;", None),
    "an int by what data says": ("n = n / k[i] + 1;", 35),
    "an int by what a byte says": ("n = n / (char)k[i] + 1;", 35),
    "nothing recurs": ("y[i] = x[i] / b;", None),
    "an element that changes once": ("y[i] = y[7] / b + x[i];", None),
    "from the other end": ("y[65 - i] = y[i] / b;", None),
    "tests of one element that exclude each other": ("if (x[i] > b && x[i] < 1) s = s / b;", None),
    "tests that cannot hold in two iterations": ("if (k[i] > 5 && k[i + 1] < 3) s = s / b;", None),
    "the one arm, and the other": ("float t = s; if (x[i] > b) t = s / b; if (!(x[i] > b)) t = t / x[i]; s = t;", None),
    "one test of two selections": ("bool c = x[i] > b; float t = c ? s / b : s; s = c ? t : t / x[i];", FDIV - 1),
    "denied by a directive": ("\n#pragma HLS DEPENDENCE variable=y type=inter false\n    y[i] = y[i - 1] / b;", None),
}


def kernel(body: str, more: str = "") -> str:
    return (
        f"float f(const float x[64], float y[64], const int k[64], float b, int n) {{\n{more}    float s = 1;\n"
        "    L: for (int i = 2; i < 64; i++) {\n#pragma HLS PIPELINE II=1\n"
        f"    {body}\n    }}\n    y[0] = n;\n    return s;\n}}\n"
    )


@pytest.mark.parametrize("case", CASES)
def test_what_is_proved_is_the_sum_of_the_states_on_the_way(case: str) -> None:
    body, least = CASES[case]
    (loop,) = hlspart.parse(kernel(body)).pipeline.figures.loops
    assert (None if loop.proof is None else loop.proof.ii) == least
    if loop.proof is not None:
        assert least is not None and loop.ii is not None and loop.ii >= least
        everywhere = "#pragma HLS ARRAY_PARTITION variable=y type=complete\n"
        (held,) = hlspart.parse(kernel(body, everywhere)).pipeline.figures.loops
        assert held.least >= least
        (advice,) = hlspart.advise(hlspart.parse(kernel(body)), pareto=True).loops
        assert all(way.ii is None or way.ii >= least for way in advice.ways)


DEAD = {  # what follows the loop over s; whether its values are needed
    "returned": ("return s;", True),
    "read in a test": ("if (s > b) y[0] = 1; return b;", True),
    "set first": ("s = b; return s;", False),
    "set, then by itself": ("s = s * 2; return s;", True),
    "never read": ("return b;", False),
    "set in one arm": ("if (b > 1) s = 3; return s;", True),
    "set in both": ("if (b > 1) s = 3; else { s = b; } return s;", False),
    "set by a loop that may not run": ("for (int j = 0; j < n; j++) { s = j; y[j] = s; } return s;", True),
    "set by the next loop": ("for (int j = 0; j < n; j++) { s = j; y[j] = s; } return b;", False),
    "counts the next loop": ("for (s = 0; s < b; s++) y[1] = s; return s;", False),
    "read by the next loop": ("for (int j = 0; j < n; j++) { y[j] = s; s = j; } return b;", True),
}


@pytest.mark.parametrize("case", DEAD)
def test_values_that_nothing_reads_prove_nothing(case: str) -> None:
    """clang -O3 leaves neither product nor sum of those that nothing reads."""
    after, needed = DEAD[case]
    text = kernel("s = s * b + x[i]; y[i] = x[i];").replace("return s;", after)
    loop, *_ = hlspart.parse(text).pipeline.figures.loops
    assert (loop.proof is not None) == needed


def test_values_that_each_round_of_the_loop_around_sets_anew_prove_nothing() -> None:
    inner = "for (int i = 2; i < 64; i++) {\n#pragma HLS PIPELINE II=1\n s = s * b + x[i]; y[i] = x[i]; }"
    text = "void f(const float x[64], float y[64], float b) {{ {} for (int j = 0; j < 9; j++) {{ {} {} }} {} }}"
    needed = []
    places = (
        ("float s = 1;", "", "y[1] = s;"),
        ("float s = 1;", "", ""),
        ("", "float s = 1;", ""),
        ("float s;", "s = 1;", ""),
    )
    for before, within, after in places:
        loops = hlspart.parse(text.format(before, within, inner, after)).pipeline.figures.loops
        needed.append(any(x.proof is not None for x in loops))
    assert needed == [True, False, False, False]


@pytest.mark.parametrize(
    ("use", "proved"),
    (
        ("float t = s * 2; y[0] = n;", False),
        ("float t; t = s; t = t + 1;", False),
        ("float t = s; y[0] = t;", True),
        ("float t = s; float u = t; if (u > 1) y[0] = n;", True),
        ("s = s * 2; n = s; y[0] = n;", True),
        ("s = n; y[0] = s;", False),
    ),
)
def test_uses_whose_results_nothing_reads_are_none(use: str, proved: bool) -> None:
    text = kernel(CASES["a recurrence of its own"][0]).replace("y[0] = n;\n    return s;", f"{use}\n    return 0;")
    (loop,) = hlspart.parse(text).pipeline.figures.loops
    assert (loop.proof is not None) == proved


@pytest.mark.parametrize(("most", "least"), ((1, None), (2, 5), (3, 6), (30, 7)))
def test_a_loop_of_few_rounds_hands_on_fewer_values(most: int, least: int | None) -> None:
    """From ``most`` gaps between rounds one is left out, as the first round's product is one of constants."""
    (loop,) = hlspart.parse(kernel(f"s = s * b + x[i]; if (i >= {most + 2}) break;")).pipeline.figures.loops
    assert loop.proof is None or least is not None
    assert loop.proof is None or loop.proof.ii <= (least or 0)


@pytest.mark.parametrize("quotient", ("(n & 15) / (k[i] | 16)", "(n & 15) % (k[i] | 16)", "(n >> 3) / (m & 7)"))
def test_quotients_of_parts_of_values_prove_nothing(quotient: str) -> None:
    """The first is zero, and the second its dividend, as long as `k[i]` is not negative: 15 is less than 16."""
    text = "int f(const int k[64], int n, int m) {\n    L: for (int i = 0; i < 64; i++) {\n#pragma HLS PIPELINE II=1\n"
    (loop,) = hlspart.parse(f"{text} n = {quotient} + k[i]; }}\n    return n;\n}}\n").pipeline.figures.loops
    assert loop.proof is None
    (loop,) = hlspart.parse(f"{text} n = n / k[i] + m; }}\n    return n;\n}}\n").pipeline.figures.loops
    assert loop.proof is not None


def test_every_command_says_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.c").write_text(kernel(CASES["a recurrence of its own"][0]))
    said = "go below II 7, since * (line 5) -> + (line 5) leads from an iteration to the next"
    for command in ("advise", "ii", "infer", "lint"):
        run([command, "k.c"])
        out, err = capsys.readouterr()
        assert said in " ".join((out + err).split()), command
    for command in ("advise", "ii", "infer", "report"):
        run([command, "k.c", "--format", "json"])
        (loop,) = json.loads(capsys.readouterr().out)["files"][0]["loops"]
        assert [s["operation"] for s in loop["proof"]["cycle"]] == ["*", "+"] and loop["proof"]["ii"] == 7


@pytest.mark.parametrize("case", ("four each", "stored"))
def test_lint_says_that_ports_keep_a_loop_from_its_target(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments, body, least = THROUGH_PORTS[case]
    loop = f"L: for (int i = 0; i < 16; i++) {{\n#pragma HLS PIPELINE II=1\n{body}\n}}\n"
    Path("k.c").write_text(f"void f({arguments}) {{\n{loop}}}\n")
    for command in ("advise", "lint"):
        run([command, "k.c"])
        out, err = capsys.readouterr()
        assert f"ports of the top function, II {least} in its 16 iterations" in " ".join((out + err).split()), command


def test_consent_to_another_order_takes_the_proof_back() -> None:
    kernel_ = hlspart.parse(kernel("s += x[i];"))
    (kept,) = hlspart.advise(kernel_).loops
    (split,) = hlspart.advise(kernel_, allow_reassoc=True).loops
    assert kept.proved is not None and kept.first is None
    assert split.proved is None and split.first is not None and split.first.ii == 1


THROUGH_PORTS = {  # arguments, body of 16 iterations, the II that the distinct elements take at two ports
    "four each": ("const int *a, int o[16]", "o[i] = a[4 * i] + a[4 * i + 1] * a[4 * i + 2] - a[4 * i + 3];", 2),
    "stored": ("int k, int *a", "for (int j = 0; j < 6; j++) a[i * 6 + j] = i * j + k;", 3),
    "read again": ("const int *a, int o[16]", "o[i] = a[i] + a[i + 1] + a[i + 2] + a[i + 3];", None),
    "a directive may split it": ("const int a[64], int o[16]", "o[i] = a[4 * i] + a[4 * i + 1] + a[4 * i + 2];", 2),
    "more than what recurs": (
        "const float *a, float *o",
        "float s = 0; for (int j = 0; j < 16; j++) s += a[16 * i + j]; o[i % 2] = o[i % 2] / s;",
        8,
    ),
    "some are stored before": ("int *a, int o[16]", "a[4 * i] = i; o[i] = a[4 * i] + a[4 * i + 1] + a[4 * i + 2];", 2),
    "half are stored before": ("int *a, int o[16]", "a[i] = i; o[i] = a[i] * 3 + a[15 - i];", None),
    "in place": ("int k, int *a", "a[2 * i] -= k; a[2 * i + 1] += k;", 2),
    "in place, shifted": ("int *a", "a[i] = a[i + 1] + a[i + 2];", None),
}


@pytest.mark.parametrize("case", THROUGH_PORTS)
def test_elements_come_through_the_ports_of_the_top(case: str) -> None:
    arguments, body, least = THROUGH_PORTS[case]
    text = f"void f({arguments}) {{\nL: for (int i = 0; i < 16; i++) {{\n#pragma HLS PIPELINE II=1\n{body}\n}}\n}}\n"
    kernel_ = hlspart.parse(text)
    (loop,) = kernel_.pipeline.figures.loops
    assert loop.misses and (None if loop.proof is None else loop.proof.ii) == least
    if least is not None:
        after = kernel_.rewrite(infer=True).kernel().pipeline.figures
        cycles = after.functions[0].latency.max
        assert cycles is not None and (cycles >= 16 * least or loop.proof is None or loop.proof.at_ports)
        assert loop.proof is not None and "at the ports of the top function" in loop.proof.text
        assert loop.proof.at_ports == ("a[64]" in arguments) == ("more ports" in loop.proof.text)


RUN_TIME = {  # loop over n, the II that the elements of each iteration take at two ports
    "loaded": ("for (int i = 0; i < n; i++) {", "o[i] = a[3 * i] + a[3 * i + 1] * a[3 * i + 2];", 2),
    "copied": ("for (int i = 0; i < n; i++) {\n#pragma HLS UNROLL factor=8", "o[i] = a[i];", 4),
    "loops inside": ("for (int i = 0; i < n; i++) {", "for (int j = 0; j < 6; j++) o[i] += a[6 * i + j];", 3),
    "read again": ("for (int i = 0; i < n; i++) {", "o[i] = a[i] + a[i + 1] * a[i + 2];", None),
    "not always": ("for (int i = 0; i < n; i++) {", "if (i % 2) o[i] = a[3 * i] + a[3 * i + 1] * a[3 * i + 2];", None),
    "in a loop": (
        "for (int k = 0; k < n; k++) for (int i = 0; i < 16; i++) {",
        "o[i] += a[3 * i] + a[3 * i + 1] * a[3 * i + 2];",
        None,
    ),
}


@pytest.mark.parametrize("case", RUN_TIME)
def test_elements_of_a_loop_of_any_length_come_through_the_ports(case: str) -> None:
    header, body, least = RUN_TIME[case]
    text = f"void f(const int *a, int *o, int n) {{\n{header}\n#pragma HLS PIPELINE II=1\n{body}\n}}\n}}\n"
    (loop,) = [x for x in hlspart.parse(text).pipeline.figures.loops if x.pipelined]
    assert loop.may_miss and (None if loop.proof is None else loop.proof.ii) == least
    assert loop.proof is None or "'a'" in loop.proof.text or "'o'" in loop.proof.text


IN_PLACE = {  # body over n iterations, the II that what each loads and stores of ``a`` takes at two ports
    "a pair": ("a[2 * i] = a[2 * i + 1] - k; a[2 * i + 1] += k;", 2),
    "each one": ("a[i] += k;", None),
    "once more": ("a[3 * i] += k; a[3 * i + 1] += k; a[3 * i + 2] = k;", 3),  # 5 at two ports
    "stored first": ("a[3 * i] = k; a[3 * i + 1] = a[3 * i] + k; a[3 * i + 2] = k;", 2),
    "of the next one": ("a[2 * i] = a[2 * i + 2] + k; a[2 * i + 1] = k;", 2),
    "of the last one": ("a[2 * i + 2] = a[2 * i] + k; a[2 * i + 1] = k;", None),
    "over the others": ("a[2 * i] += k; a[2 * i + 1] += k; a[i + 1] = k;", None),
    "perhaps over the others": ("a[2 * i] += k; a[2 * i + 1] += k; if (k > i) a[i] = k;", None),
    "left alone": ("a[2 * i] = a[2 * i]; a[2 * i + 1] = a[2 * i + 1];", None),
}


@pytest.mark.parametrize("case", IN_PLACE)
def test_what_iterations_load_and_store_comes_and_goes_through_the_ports(case: str) -> None:
    body, least = IN_PLACE[case]
    text = (
        f"void f(int *a, int k, int n) {{\nfor (int i = 0; i < n; i++) {{\n#pragma HLS PIPELINE II=1\n{body}\n}}\n}}\n"
    )
    (loop,) = [x for x in hlspart.parse(text).pipeline.figures.loops if x.pipelined]
    assert (None if loop.proof is None else loop.proof.ii) == least


@pytest.mark.parametrize("store", ["", "for (int i = 0; i < n; i++) a[i] = k;"])
def test_what_another_loop_has_stored_need_not_come_through_the_ports(store: str) -> None:
    text = (
        f"void f(int *a, int *o, int k, int n) {{\n{store}\nL: for (int i = 0; i < n; i++) {{\n"
        "#pragma HLS PIPELINE II=1\no[i] = a[3 * i] + a[3 * i + 1] * a[3 * i + 2];\n}\n}\n"
    )
    (loop,) = [x for x in hlspart.parse(text).pipeline.figures.loops if x.name == "L"]
    assert loop.misses and (loop.proof is None) == bool(store)


@pytest.mark.parametrize("seed", range(amount(4, 120)))
def test_elements_of_iterations_are_no_more_than_a_run_moves(seed: int) -> None:
    """Elements that a run loads before it stores them, and that it stores, each once: any text moves at most these."""
    rng, proved, trips = random.Random(2_500_000 + seed), 0, 24
    for _ in range(12):
        step = rng.choice((2, 3, 3))
        places = [(step - (rng.random() < 0.05), k) for k in rng.sample(range(step + 2), step)]
        into = [(step - (rng.random() < 0.05), k) for k in rng.sample(range(step), rng.randint(2, step))]
        body, touched = "", list[tuple[str, tuple[int, int]]]()
        for target in into:
            taken = rng.sample(places, rng.randint(0, min(2, len(places))))
            body += f"a[{target[0]} * i + {target[1]}] = k" + "".join(f" + a[{p} * i + {q}]" for p, q in taken) + "; "
            touched += [*(("load", x) for x in taken), ("store", target)]
        head = "void f(int *a, int k, int n) {\nfor (int i = 0; i < n; i++) {\n#pragma HLS PIPELINE II=1\n"
        text = f"{head}{body}\n}}\n}}\n"
        (loop,) = [x for x in hlspart.parse(text).pipeline.figures.loops if x.pipelined]
        if loop.proof is None or "ports of the top" not in loop.proof.text:
            continue
        proved += 1
        loaded, stored = set[int](), set[int]()
        for i in range(trips):
            for kind, (step, first) in touched:
                if kind == "store":
                    stored.add(step * i + first)
                elif step * i + first not in stored:
                    loaded.add(step * i + first)
        # at two ports
        assert (len(loaded) + len(stored) + 1) // 2 > (loop.proof.ii - 1) * trips, body
    assert proved, "nothing was looked at"


VOLATILE = {  # body, the II that its accesses take at one port, one by one
    "read again": ("o[i] = a[i] + a[i + 1] + a[i + 2];", 3),
    "of one element": ("o[i] = a[0] + a[0];", 2),
    "where data say": ("o[i] = a[0]; if (o[i] > 3) o[i] += a[o[i] & 15];", None),
    "stored again": ("a[0] = i; a[0] = o[i]; a[0] = 0;", 3),
    "inside of a border": ("o[i] = i >= 4 && i < 12 ? a[i - 1] + a[i] + a[i + 1] : 0;", 2),
}


@pytest.mark.parametrize("case", VOLATILE)
def test_each_access_to_what_is_volatile_is_one_at_the_port(case: str) -> None:
    body, least = VOLATILE[case]
    text = (
        "void f(volatile int *a, int o[16]) {\n#pragma HLS INTERFACE m_axi port=a depth=64\n"
        f"L: for (int i = 0; i < 16; i++) {{\n#pragma HLS PIPELINE II=1\n{body}\n}}\n}}\n"
    )
    (loop,) = [x for x in hlspart.parse(text).pipeline.figures.loops if x.pipelined]
    assert loop.may_miss and (None if loop.proof is None else loop.proof.ii) == least
    assert loop.proof is None or ("volatile" in loop.proof.text and "outside" not in loop.proof.text)


def test_what_several_calls_load_may_be_kept_from_the_first_one() -> None:
    """Four calls of 16 iterations with 64 elements at two ports: 32 cycles of loading for 64 iterations."""
    loop = "L: for (int i = 0; i < 16; i++) {\n#pragma HLS PIPELINE II=1\n" + THROUGH_PORTS["four each"][1]
    text = f"static void g(const int a[64], int o[16]) {{\n#pragma HLS INLINE off\n{loop}\n}}\n}}\n"
    once = text + "void f(const int a[64], int o[16]) { g(a, o); }\n"
    often = text + "void f(const int a[64], int o[16]) { g(a, o); for (int k = 0; k < 3; k++) g(a, o); }\n"
    proofs = [next(x.proof for x in hlspart.parse(t).pipeline.figures.loops if x.name == "L") for t in (once, often)]
    assert proofs[0] is not None and proofs[1] is None


@pytest.mark.parametrize(("outer", "least"), [("4", 2), ("n", 2)])
def test_loops_around_count_as_iterations(outer: str, least: int | None) -> None:
    """256 elements at two ports in 64 iterations; run four times, one and the same element is loaded once."""
    text = (
        f"void f(const int *a, int o[4][16], int n) {{\nfor (int k = 0; k < {outer}; k++) {{\n    o[k][0] = k;\n"
        "L: for (int i = 0; i < 16; i++) {\n#pragma HLS PIPELINE II=1\n"
        "o[k][i] += a[64 * k + 4 * i] + a[64 * k + 4 * i + 1] * a[64 * k + 4 * i + 2] - a[64 * k + 4 * i + 3];"
        "\n}\n}\n}\n"
    )
    for same, proved in ((text, least), (text.replace("64 * k + ", ""), None)):
        (loop,) = [x for x in hlspart.parse(same).pipeline.figures.loops if x.name == "L"]
        assert loop.misses and (None if loop.proof is None else loop.proof.ii) == proved


@pytest.mark.parametrize(
    ("directive", "flow", "volatile", "least"),
    [
        ("m_axi port=a depth=64", "vivado", "", 4),
        ("m_axi port=a depth=64 max_widen_bitwidth=512", "vivado", "", None),
        ("m_axi port=a depth=64 max_widen_bitwidth=512", "vivado", "volatile ", 4),
        ("m_axi port=a depth=64", "vitis", "", None),
    ],
)
def test_elements_come_over_a_bus_that_nothing_widens(
    tmp_path: Path, directive: str, flow: Literal["vivado", "vitis"], volatile: str, least: int | None
) -> None:
    arguments, body, _ = THROUGH_PORTS["four each"]
    arguments = volatile + arguments
    text = (
        f"void f({arguments}) {{\n#pragma HLS INTERFACE {directive}\nL: for (int i = 0; i < 16; i++) {{\n"
        f"#pragma HLS PIPELINE II=1\n{body}\n}}\n}}\n"
    )
    (tmp_path / "k.c").write_text(text)
    (loop,) = hlspart.open(tmp_path / "k.c", flow=flow).pipeline.figures.loops
    assert (None if loop.proof is None else loop.proof.ii) == least
    assert least is None or (loop.ii == least and loop.proof is not None and "makes wider" in loop.proof.text)


@pytest.mark.parametrize(("at_top", "splits"), [("const int *a", False), ("const int a[64]", True)])
def test_what_may_be_split_is_what_the_top_declares(at_top: str, splits: bool) -> None:
    loop = THROUGH_PORTS["four each"][1]
    text = (
        "static void g(const int a[64], int o[16]) {\nL: for (int i = 0; i < 16; i++) {\n#pragma HLS PIPELINE II=1\n"
        f"{loop}\n}}\n}}\nvoid f({at_top}, int o[16]) {{ g(a, o); }}\n"
    )
    (found,) = hlspart.parse(text).pipeline.figures.loops
    assert found.misses and found.proof is not None and (found.proof.ii, found.proof.at_ports) == (2, splits)


CHANNELS = {  # body, the words that each iteration moves through one channel
    "read": ("o[i] = in.read() + in.read();", 2),
    "loops inside": ("int s = 0; for (int j = 0; j < 5; j++) s += in.read(); o[i] = s;", 5),
    "written": ("out.write(o[i]); out.write(i); out.write(3);", 3),
    "by turns": ("if (i % 2 == 0) o[i] = in.read() + in.read();", None),
    "by data": ("if (o[i] > 3) o[i] = in.read() + in.read();", None),
    "one each": ("out.write(in.read() + o[i]);", None),
}


@pytest.mark.parametrize("case", CHANNELS)
def test_channels_of_the_top_move_a_word_a_cycle(case: str) -> None:
    body, words = CHANNELS[case]
    text = (
        "#include <hls_stream.h>\nvoid f(hls::stream<int> &in, hls::stream<int> &out, int o[16]) {\n"
        f"L: for (int i = 0; i < 16; i++) {{\n#pragma HLS PIPELINE II=1\n{body}\n}}\n}}\n"
    )
    (loop,) = [x for x in hlspart.parse(text, "k.cpp").pipeline.figures.loops if x.pipelined]
    assert (None if loop.proof is None else loop.proof.ii) == words
    if words is not None:
        assert loop.ii == words and loop.proof is not None and "one a cycle" in loop.proof.text


@pytest.mark.parametrize(("reads", "words"), [("s[0].read() + s[1].read()", None), ("s[1].read() + s[1].read()", 2)])
def test_each_channel_of_an_array_moves_a_word_a_cycle(reads: str, words: int | None) -> None:
    text = (
        "#include <hls_stream.h>\nvoid f(hls::stream<int> s[2], int o[16]) {\n"
        f"for (int i = 0; i < 16; i++) {{\n#pragma HLS PIPELINE II=1\no[i] = {reads};\n}}\n}}\n"
    )
    (loop,) = [x for x in hlspart.parse(text, "k.cpp").pipeline.figures.loops if x.pipelined]
    assert loop.ii == (words or 1) and (None if loop.proof is None else loop.proof.ii) == words


def test_a_channel_between_loops_moves_a_word_a_cycle_as_well() -> None:
    text = """#include <hls_stream.h>
void f(const int a[64], int o[64]) {
    hls::stream<int> s;
F: for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE II=1
        for (int j = 0; j < 4; j++) s.write(a[i] + j);
    }
T: for (int i = 0; i < 64; i++) o[i] = s.read();
}
"""
    found = {x.name: x for x in hlspart.parse(text, "k.cpp").pipeline.figures.loops}
    proof = found["F"].proof
    assert found["F"].ii == 4 and found["T"].ii == 1
    assert proof is not None and proof.ii == 4 and "words hold several" in proof.text


UNITS = {  # body of the loop; least multiplications of an iteration, whatever the data is
    "all": ("y[i] = x[i] * b + x[i - 1] * b * x[i - 2];", 3),
    "each value once": ("y[i] = x[i] * b + b * x[i] + x[i - 1] * b;", 2),
    "of a value that goes on": ("s = s * b + x[i] * x[i - 1];", 2),
    "under a condition": ("if (k[i] > n) y[i] = x[i] * b + x[i - 1] * b;", None),
    "in an arm": ("y[i] = k[i] > n ? x[i] * b : x[i - 1] * b * x[i];", None),
    "always the same": ("y[i] = b * b * b * x[i];", None),
    "one only": ("y[i] = x[i] * b;", None),
}


@pytest.mark.parametrize("limit", (1, 2))
@pytest.mark.parametrize("case", UNITS)
def test_units_that_a_directive_allows_are_a_proof(case: str, limit: int) -> None:
    body, least = UNITS[case]
    text = kernel(body, f"#pragma HLS ALLOCATION operation instances=fmul limit={limit}\n")
    (loop,) = hlspart.parse(text).pipeline.figures.loops
    said = loop.proof.text if loop.proof is not None else ""
    proved = least is not None and -(-least // limit) > 1
    assert ("ALLOCATION allows" in said) == (proved and "goes on" not in case)
    assert not proved or (loop.proof is not None and loop.proof.ii <= loop.least)
    if "ALLOCATION" in said:
        assert loop.proof is not None and least is not None and loop.proof.ii == -(-least // limit)
        (advice,) = hlspart.advise(hlspart.parse(text), pareto=True).loops
        assert all(way.ii is None or way.ii >= loop.proof.ii for way in advice.ways)


@pytest.mark.parametrize(
    ("body", "proved"),
    [
        ("b[i] = x + y + a[i] * a[i + 1] + a[i + 2];", True),
        ("b[i] = a[i] * a[i + 1] + a[i + 2];", False),  # nothing asks for x and y: a window of 66 elements will do
        ("b[i] = n == 0 ? x : n == 1 ? y : a[i];", False),  # one element in an iteration, whatever n is
        ("a[i + 66] = x; a[i + 132] = y; b[i] = a[i] + a[i + 1] + a[i + 2];", False),  # they are there already
    ],
)
def test_only_loads_whose_values_matter_prove_an_ii_by_ports(body: str, proved: bool) -> None:
    text = f"""void f(int a[256], int b[64], int n) {{
  L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE II=1
    int x = a[i + 66], y = a[i + 132];
    {body}
  }}
}}
"""
    (loop,) = hlspart.parse(text).pipeline.figures.loops
    assert (loop.proof is not None) is proved


@pytest.mark.parametrize(
    ("body", "after", "proved"),
    [
        # what becomes of the caller's array is not followed
        ("t[i] = a[4*i] + a[4*i+1] + a[4*i+2] + a[4*i+3];", "o[k] = t[k];", False),
        ("t[i] = a[4*i] + a[4*i+1] + a[4*i+2] + a[4*i+3];", "o[k] = k;", False),
        ("t[i] = 0; for (int j = 0; j < 4; j++) t[i] += a[4*i+j];", "o[k] = t[k];", False),
        ("t[i] = a[4*i] + a[4*i+1] + a[4*i+2] + a[4*i+3];", "int dead = t[k]; o[k] = k;", False),
        ("t[i] = a[4*i] + a[4*i+1] + a[4*i+2] + a[4*i+3];", "o[0] = t[k];", False),
        ("o[i] = 0; for (int j = 0; j < 4; j++) o[i] += a[4*i+j];", "", True),
        ("o[i/2] = 0; for (int j = 0; j < 4; j++) o[i/2] += a[4*i+j];", "", False),  # every second sum is lost
        ("o[i] = 0; for (int j = 0; j < 4; j++) o[i] += a[4*i+j];", "o[k] = k;", False),
        ("for (int j = 0; j < 4; j++) o[i] = a[4*i+j];", "", False),  # three of four are lost
    ],
)
def test_sums_of_an_iteration_end_in_an_element_that_lasts(body: str, after: str, proved: bool) -> None:
    text = f"""static void g(const int a[256], int t[64], int o[64]) {{
    for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE II=1
        {body}
    }}
}}
void f(const int a[256], int o[64]) {{
#pragma HLS INTERFACE m_axi port=a
    int t[64];
    g(a, t, o);
    for (int k = 0; k < 64; k++) {{ {after} }}
}}
"""
    (loop,) = [x for x in hlspart.parse(text).pipeline.figures.loops if x.function == "g"]
    assert (loop.proof is not None and "'a'" in loop.proof.text) is proved


@pytest.mark.parametrize(
    "body",
    [
        "o[i] = a[i]*z[i] + a[i+64]*z[i] + a[i+128]*z[i] + a[i+192]*z[i];",  # a table of zeros
        "o[i] = (a[i] << 8) + (a[i+64] << 8) + (a[i+128] << 9) + a[i+192];",  # none of those bits is stored
        "o[i] = a[i]/256 + a[i+64]/256 + a[i+128]/300 + a[i+192];",
        "o[i] = (a[i] + a[i+64]) * (a[i+128] - a[i+128]) + a[i+192];",
        "sum += a[i] + a[i+64] + a[i+128];",  # multiplied by zero
    ],
)
def test_what_no_run_needs_proves_nothing(body: str) -> None:
    text = f"""void f(const unsigned char a[256], unsigned char o[64]) {{
    static const int z[64] = {{0}};
    int sum = 0;
    for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE II=1
        {body}
    }}
    o[0] += 0 * sum;
}}
"""
    assert all(x.proof is None for x in hlspart.parse(text, target="vitis-2022.1").ii().loops)


FACTORS = {  # what the top does first; whether some run makes the factor anything but zero
    "an argument": ("int w = n;", True),
    "its negative, called": ("int v = -n; int w = v;", True),
    "a constant": ("int w = 3;", True),
    "an element": ("int w = k[2];", True),
    "always even": ("int w = n * (n + 1) % 2;", False),
    "cut to nothing": ("int w = 0.5;", False),
    "changed": ("int w = n; if (n > 3) w = 0;", False),
}


@pytest.mark.parametrize("case", FACTORS)
@pytest.mark.parametrize("call", (True, False))
def test_a_factor_from_outside_counts_where_some_run_makes_it_count(case: str, call: bool) -> None:
    first, free = FACTORS[case]
    loop = (
        "for (int i = 0; i < 16; i++) {\n#pragma HLS PIPELINE II=1\n"
        "o[i] = a[4*i]*w + a[4*i+1]*w + a[4*i+2]*w + a[4*i+3]*w;\n}\n"
    )
    inner = f"static void g(const int a[64], int o[16], int w) {{ {loop} }}\n"
    text = (
        f"{inner * call}void f(const int a[64], int o[16], const int k[4], int n) {{\n{first}\n"
        f"{'g(a, o, w);' if call else loop}\n}}\n"
    )
    (found,) = [x for x in hlspart.parse(text).pipeline.figures.loops if x.pipelined]
    assert (found.proof is not None) is free


@pytest.mark.parametrize("added", ("n * (n + 1) % 2", "(n > 3 ? 0 : 1) >> 1", "0"))
def test_what_is_added_from_outside_may_be_nothing(added: str) -> None:
    text = """void f(int *a, int n) {
    for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE II=1
        a[3*i] += @; a[3*i+1] += @; a[3*i+2] += @;
    }
}
"""
    (found,) = hlspart.parse(text.replace("@", added)).pipeline.figures.loops
    assert found.proof is None
    (other,) = hlspart.parse(text.replace("@", "n")).pipeline.figures.loops
    assert other.proof is not None


@pytest.mark.parametrize(
    ("body", "proved"),
    [
        ("o[i] = b[g[4*i]] + b[g[4*i+1]] + b[g[4*i+2]] + b[g[4*i+3]];", True),
        ("o[i] = b[g[4*i]] * n + b[g[4*i+1]] + b[g[4*i+2] + g[4*i+3]];", True),
        ("o[i] = t[g[4*i]] + t[g[4*i+1]] + t[g[4*i+2]] + t[g[4*i+3]];", False),  # the table may be of one number
        ("o[i] = b[g[4*i] & n] + b[g[4*i+1] & n] + b[g[4*i+2] & n] + b[g[4*i+3] & n];", False),
        ("o[i] = g[g[4*i]] + g[g[4*i+1]] + g[g[4*i+2]] + g[g[4*i+3]];", False),  # places of its own
        ("b[i] = b[g[4*i]] + b[g[4*i+1]] + b[g[4*i+2]] + b[g[4*i+3]];", False),
        ("if (b[g[4*i]] > b[g[4*i+1]] + b[g[4*i+2]] + b[g[4*i+3]]) o[i] = n;", False),
    ],
)
def test_which_element_is_loaded_matters_where_some_run_has_different_ones(body: str, proved: bool) -> None:
    text = f"""static const int t[64] = {{5, 5}};
void f(const int g[64], int b[64], int o[16], int n) {{
#pragma HLS INTERFACE m_axi port=g
    for (int i = 0; i < 16; i++) {{
#pragma HLS PIPELINE II=1
        {body}
    }}
}}
"""
    (found,) = hlspart.parse(text).pipeline.figures.loops
    assert (found.proof is not None and "of 'g'" in found.proof.text) is proved


FILLED = {  # what fills an array that is a factor; whether some run has no zero in it
    "a copy": ("for (int i = 0; i < 64; i++) z[i] = w[i];", True),
    "sums": ("for (int i = 0; i < 64; i++) { z[i] = 0; for (int j = 0; j < 4; j++) z[i] += w[i] * n; }", True),
    "zeros": ("for (int i = 0; i < 64; i++) z[i] = n * (n + 1) % 2;", False),
    "zeros at last": ("for (int i = 0; i < 64; i++) z[i] = w[i]; for (int i = 0; i < 64; i++) z[i] = 0;", False),
    "zeros at last, in one loop": ("for (int i = 0; i < 64; i++) { z[i] = w[i]; z[i] = 0; }", False),
    "some of them": ("for (int i = 0; i < 64; i++) { z[i] = 0; if (i > 3) z[i] += w[i]; }", False),
    "differences": ("for (int i = 0; i < 64; i++) { z[i] = w[i]; z[i] -= w[i]; }", False),
    "a table": ("for (int i = 0; i < 64; i++) z[i] = t[i];", False),
    "from another": (
        "int v[64]; for (int i = 0; i < 64; i++) v[i] = w[i]; for (int i = 0; i < 64; i++) z[i] = v[i];",
        True,
    ),
    "a power of two": ("for (int i = 0; i < 64; i++) z[i] = w[i] * 64 * 64 * 64 * 64 * 64 * 64;", False),
    "a small one": ("for (int i = 0; i < 64; i++) z[i] = w[i] * 64 * 64;", True),
    "eight bits of one": ("for (int i = 0; i < 64; i++) z[i] = (unsigned char) (w[i] * 64 * 64);", False),
    "eight bits twice": (
        "unsigned char v[64]; for (int i = 0; i < 64; i++) v[i] = w[i] * 16;"
        "for (int i = 0; i < 64; i++) z[i] = (unsigned char) (v[i] * 16);",
        False,
    ),
    "a sum of as many": (
        "for (int i = 0; i < 64; i++) { unsigned char s = 0; for (int j = 0; j < 256; j++) s += n; z[i] = s; }",
        False,
    ),
    "a sum that holds as many": (
        "for (int i = 0; i < 64; i++) { int s = 0; for (int j = 0; j < 256; j++) s += n; z[i] = s; }",
        True,
    ),
    "elements of as many": (
        "unsigned char v[64]; for (int i = 0; i < 64; i++) { v[i] = 0; for (int j = 0; j < 256; j++) v[i] += w[i]; }"
        "for (int i = 0; i < 64; i++) z[i] = v[i];",
        False,
    ),
    "a sum of nothing": (
        "for (int i = 0; i < 64; i++) { int s = 0; for (int j = 0; j < 0; j++) s += w[i]; z[i] = s; }",
        False,
    ),
    "what takes itself away": ("int c = -n; for (int i = 0; i < 64; i++) z[i] = n + c;", False),
}


@pytest.mark.parametrize("case", FILLED)
def test_a_factor_of_the_own_arrays_counts_where_some_run_fills_them(case: str) -> None:
    first, filled = FILLED[case]
    text = f"""static const int t[64] = {{0}};
void f(const int a[256], const int w[64], int o[64], int n) {{
#pragma HLS INTERFACE m_axi port=a
    int z[64];
    {first}
    L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE II=1
        o[i] = a[4*i]*z[i] + a[4*i+1]*z[i] + a[4*i+2]*z[i] + a[4*i+3]*z[i];
    }}
}}
"""
    (loop,) = [x for x in hlspart.parse(text).pipeline.figures.loops if x.name == "L"]
    assert (loop.proof is not None and "of 'a'" in loop.proof.text) is filled


@pytest.mark.parametrize("first", ("b[q] += b[q];", "b[q] = b[q] * 2;"))
def test_an_argument_that_doubles_may_run_out_of_bits(first: str) -> None:
    text = f"""void f(const int a[256], int b[64], int o[64]) {{
#pragma HLS INTERFACE m_axi port=a
    for (int r = 0; r < 32; r++) for (int q = 0; q < 64; q++) {first}
    L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE II=1
        o[i] = a[4*i]*b[3] + a[4*i+1]*b[3] + a[4*i+2]*b[3] + a[4*i+3]*b[3];
    }}
}}
"""
    (loop,) = [x for x in hlspart.parse(text).pipeline.figures.loops if x.name == "L"]
    assert loop.proof is None or "of 'a'" not in loop.proof.text


@pytest.mark.parametrize(
    ("kind", "number", "proved"),
    [
        ("int", "65536", False),
        ("int", "3", True),
        ("float", "65536", True),
        ("unsigned char", "256", False),
    ],
)
def test_products_of_factors_of_a_table_may_run_out_of_bits(kind: str, number: str, proved: bool) -> None:
    of = "float" if kind == "float" else "int"
    text = f"""static const {kind} t[8] = {{{", ".join([number] * 8)}}};
void f(const {of} a[32], {of} o[8]) {{
#pragma HLS INTERFACE m_axi port=a
    for (int i = 0; i < 8; i++) {{
#pragma HLS PIPELINE II=1
        o[i] = a[4*i]*t[i]*t[7-i] + a[4*i+1]*t[i]*t[7-i] + a[4*i+2]*t[i]*t[7-i] + a[4*i+3]*t[i]*t[7-i];
    }}
}}
"""
    (loop,) = hlspart.parse(text).pipeline.figures.loops
    assert (loop.proof is not None and "of 'a'" in loop.proof.text) is proved


@pytest.mark.parametrize(("last", "proved"), [("z[q] = k[q];", True), ("z[q] = 0;", False)])
def test_an_own_array_of_zeros_that_is_added_stores_nothing(last: str, proved: bool) -> None:
    text = f"""void f(int *o, const int k[40]) {{
    int z[40];
    for (int q = 0; q < 40; q++) {{ z[q] = k[q]; }}
    for (int q = 0; q < 40; q++) {{ {last} }}
    L: for (int i = 0; i < 6; i++) {{
#pragma HLS PIPELINE II=1
        o[3*i] += z[i]; o[3*i+1] += z[i+1]; o[3*i+2] += z[i+2];
    }}
}}
"""
    (loop,) = [x for x in hlspart.parse(text).pipeline.figures.loops if x.name == "L"]
    assert (loop.proof is not None) is proved


@pytest.mark.parametrize(
    ("last", "proved"),
    [
        ("s", True),
        ("s - s", False),
        ("s > 3", False),
        ("s * 65536 * 65536", False),
        ("s % 1", False),
        ("(s, 3)", False),
        ("s * 3", True),
        ("s * none", False),
        ("ignores(s)", False),
    ],
)
def test_a_sum_matters_where_what_is_left_keeps_it(last: str, proved: bool) -> None:
    text = f"""static int ignores(int x) {{ return 3; }}
void f(const int a[32], int o[8]) {{
    int s = 0, none = 0;
    for (int i = 0; i < 8; i++) {{
#pragma HLS PIPELINE II=1
        s += a[4*i] + a[4*i+1] + a[4*i+2] + a[4*i+3];
    }}
    o[0] = {last};
}}
"""
    (loop,) = hlspart.parse(text, top="f").pipeline.figures.loops
    assert (loop.proof is not None) is proved


TWO_NAMES = """void g(float *y, float *z, const float x[64], float b) {
    L: for (int i = 1; i < 64; i++) {
#pragma HLS PIPELINE II=1
        y[i] = y[i - 1] / b;
        z[i] = x[i];
    }
}
void f(float y[64], const float x[64], float b) { g(y, y, x, b); }
"""
ZEROS = """float f(const float x[64], float b) {
    int z[64];
    float s = 1;
    for (int i = 0; i < 64; i++) z[i] = 0;
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
        if (z[i] > 0) s = s / b;
    }
    return s;
}
"""


@pytest.mark.parametrize("text", [TWO_NAMES, ZEROS])
def test_other_names_and_known_contents_are_no_proof(text: str) -> None:
    loops = [x for x in hlspart.parse(text).pipeline.figures.loops if x.name == "L"]
    assert [x.proof for x in loops] == [None]


LOCAL_OF_THE_CALLER = """static void row(int *q, int v) {
    for (int j = 0; j < 8; j++) q[j] = v + j;
}
static void fill(int a[256][8], int v) {
    L: for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE II=1
        row(&a[i][0], v + i);
    }
}
void f(int v, int out[256]) {
    int a[256][8];
    fill(a, v);
    for (int i = 0; i < 256; i++) out[i] = a[i][i % 8];
}
"""


def test_a_local_array_of_the_caller_is_no_argument_of_the_top() -> None:
    """A directive gives it the banks for II 1 (8 stores, 4 banks): its ports are none of the top function."""
    least = ("\n#pragma HLS ARRAY_PARTITION variable=a cyclic factor=4 dim=2", 1), ("", 4)
    for directive, ii in least:
        text = LOCAL_OF_THE_CALLER.replace("int a[256][8];", f"int a[256][8];{directive}")
        (loop,) = (x for x in hlspart.parse(text).pipeline.figures.loops if x.name == "L")
        assert (loop.figure, loop.proof) == (str(ii) if directive else "1..4", None)


@pytest.mark.parametrize(
    "header", ("unsigned i = 0; i < n; i++", "short i = 0; i < n; i++", "int i = 1; i < n; i *= 2")
)
def test_an_element_moves_with_an_iterator_of_no_known_values(header: str) -> None:
    text = f"void f(float a[64], float b, int n) {{\nfor ({header}) {{\n#pragma HLS PIPELINE II=1\n a[i] += b; }}\n}}\n"
    (loop,) = hlspart.parse(text).pipeline.figures.loops
    assert loop.proof is None and loop.banks[0].reads == loop.banks[0].writes == 1
    assert (loop.ii or loop.bounds) == (1 if "unsigned" in header else (1, 6))  # no test below n lets unsigned wrap
