"""The least banks of a pragma against every (type, factor) per dimension, written out and read by ``ii``."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator

import pytest
from inferring import array, iis, run

from hlspart.layouts.perdim import DimLayout

MOST = 16


def kernel(rng: random.Random) -> tuple[str, tuple[int, ...]]:
    """One or two pipelined loops over an array, with constant, strided and unrolled indices, and guards."""
    names = "ij"[: rng.choice([1, 1, 2])]
    n = rng.choice([8, 12, 16]) if len(names) == 1 else rng.choice([4, 6])
    step, width, kind = rng.choice([1, 1, 2, 4]), rng.randint(1, 4), rng.choice(["int", "char", "short"])
    last = max(1, (n - 4) // step - 1) * step
    headers = " ".join(f"W{v}: for (int {v} = 0; {v} < {n}; {v}++)" for v in names)
    element = "".join(f"[{v}]" for v in names)
    text = (
        f"void f({kind} out[64])\n{{\n    {kind} A{f'[{n}]' * len(names)};\n"
        f"    {headers} {{\n#pragma HLS PIPELINE\n        A{element} = i;\n    }}\n"
    )
    for loop in range(rng.choice([1, 1, 2])):
        bases, ends = ["i", "i", "i*2", str(rng.randint(0, n - 1))], ["0", "1", "2", "k"]
        chosen = ["".join(f"[{rng.choice(bases)}+{rng.choice(ends)}]" for _ in names) for _ in range(rng.randint(1, 4))]
        inside = [x for x in chosen if max(eval(p, {"i": last, "k": width - 1}) for p in re.findall(r"[^][]+", x)) < n]
        reads = [f"A{x}" for x in inside] or ["A" + "[i]" * len(names)]
        body = f"for (int k = 0; k < {width}; k++) s += {' + '.join(reads)};"
        if rng.random() < 0.2:
            body = f"if (i > 1) {{ {body} }} else s = {reads[0].replace('k', '0')};"
        write = f" A{'[i]' * len(names)} = s;" if rng.random() < 0.2 else ""
        text += (
            f"    L{loop}: for (int i = 0; i <= {last}; i += {step}) {{\n"
            f"#pragma HLS PIPELINE II={rng.choice([1, 1, 2])}\n        int s = 0;\n"
            f"        {body}\n        out[i] = s;{write}\n    }}\n"
        )
    return text + "}\n", (n,) * len(names)


def partitions(shape: tuple[int, ...]) -> Iterator[tuple[int, str]]:
    """(banks, pragmas) of all partitions up to MOST banks, the fewest banks first."""
    found: dict[int, dict[str, int]] = {}
    for n in shape:
        ways = {"": 1}
        for kind, factor in itertools.product(("cyclic", "block"), range(2, n + 1)):
            ways[f"{kind} factor={factor}"] = DimLayout.of(kind, n, factor).banks  # type: ignore[arg-type]
        found[len(found)] = ways
    sets = [(w, b) for w, b in ((c, _product(found, c)) for c in itertools.product(*found.values())) if b <= MOST]
    for words, banks in sorted(sets, key=lambda x: x[1]):
        lines = (f"#pragma HLS ARRAY_PARTITION variable=A {w} dim={k}\n" for k, w in enumerate(words, 1) if w)
        yield banks, "".join(lines)


def _product(found: dict[int, dict[str, int]], words: tuple[str, ...]) -> int:
    banks = 1
    for dim, word in enumerate(words):
        banks *= found[dim][word]
    return banks


def assert_least(text: str, shape: tuple[int, ...]) -> None:
    """Nothing with fewer banks, or a better II, than what is inferred is accepted by ``ii``."""
    result = run(text, scheme="pragma", max_banks=MOST)
    inferred, promised = array(result, "A"), {x.name: x.ii_after or 0 for x in result.loops}
    start = text.index("\n", text.index(" A[")) + 1
    for banks, pragmas in partitions(shape):
        if banks > inferred.banks:
            break
        got = iis(text[:start] + pragmas + text[start:])
        serves = all((got[name] or 0) <= ii for name, ii in promised.items())
        assert not serves or (banks == inferred.banks and all(got[n] == ii for n, ii in promised.items())), pragmas
        if serves:
            break


LEAVES = """\
void f(char out[64])
{
    char A[6][6];
    W: for (int i = 0; i < 6; i++) WJ: for (int j = 0; j < 6; j++) {
#pragma HLS PIPELINE
        A[i][j] = i;
    }
    L: for (int i = 0; i < 2; i++) {
#pragma HLS PIPELINE II=1
        int s = 0;
        for (int k = 0; k < 3; k++) s += A[i+2][k] + A[i+2][i] + A[i][i];
        out[i] = s;
    }
}
"""


def test_loads_that_leave_their_loop_under_a_partition_need_no_ports() -> None:
    found = array(run(LEAVES, scheme="pragma"), "A")
    assert (found.banks, found.pragmas) == (6, ("#pragma HLS array_partition variable=A type=complete dim=1",))
    assert found.proved_minimal and not found.absolute
    assert_least(LEAVES, (6, 6))
    stored = LEAVES.replace("out[i] = s;", "out[i] = s; A[5][5] = s;")  # now nothing may leave
    assert array(run(stored, scheme="pragma"), "A").banks == 9


def test_the_ideal_count_does_not_claim_what_it_does_not_know() -> None:
    text = LEAVES.replace("A[i+2][k] +", "A[i+2][k] + A[i+1][k] + A[i][k] + A[i+3][k] + A[i+4][k] +")
    found = array(run(text, model="ideal", scheme="pragma"), "A")
    assert found.banks <= 6 or (not found.proved_minimal and "leave the loop" in found.reason)


@pytest.mark.parametrize("seed", range(12))
def test_random_kernels(seed: int) -> None:
    assert_least(*kernel(random.Random(seed)))
