"""Every style's output compiles without new warnings, computes the same, and is what a second run leaves as it is."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pytest
from rewrite_help import WARNINGS

from hlspart.model.options import InferOptions, Options, RewriteOptions, TargetOptions
from hlspart.model.rewriting import RewriteResult
from hlspart.pipeline import Pipeline
from tests.amounts import LONG

STYLES = {
    "auto": (RewriteOptions(), None),
    "auto, generic tool": (RewriteOptions(), "generic"),
    "split": (RewriteOptions(style="split"), None),
    "split, unrolled": (RewriteOptions(style="split", unroll=True, dynamic="crossbar"), None),
    "bankdim": (RewriteOptions(style="bankdim"), None),
    "bankdim, clones": (RewriteOptions(style="bankdim", clone=True, split_struct=True), None),
    "crossbar": (RewriteOptions(style="crossbar", split_top=True), None),
    "inferred": (RewriteOptions(infer=True, split_top=True), "vitis-2020.2"),
}
#: What differs little from other pairs: tried by ``make test-long``.
LIKE = {
    ("c", "auto"), ("c", "auto, generic tool"), ("c", "bankdim"), ("c", "split"),
    ("cpp", "auto"), ("cpp", "auto, generic tool"), ("cpp", "bankdim"), ("cpp", "split"), ("cpp", "split, unrolled"),
}  # fmt: skip
HERE = Path(__file__).parent
COMPILERS = {"c": ["gcc", "-std=gnu11"], "cpp": ["g++", "-std=c++14"]}


@dataclass(frozen=True)
class Case:
    """A program, and what becomes of its groups of arrays under two styles."""

    name: str
    text: str
    wanted: dict[str, list[str]]


def _cases(suffix: str) -> list[Case]:
    found = []
    for number, part in enumerate((HERE / f"hard_cases.{suffix}").read_text().split("//// ")[1:]):
        head, text = part.split("\n", 1)
        name, outcomes = head.split(": ")
        bankdim, crossbar = (one.split() for one in outcomes.split("; "))
        found.append(Case(name, text.replace("@", str(number)), {"bankdim": bankdim, "crossbar": crossbar}))
    return found


CASES = {suffix: _cases(suffix) for suffix in COMPILERS}


@lru_cache(maxsize=256)  # all cases, which one style after the other rewrites
def made(text: str, suffix: str, tool: str | None) -> Pipeline:
    return Pipeline([f"p.{suffix}"], Options(target=TargetOptions(tool=tool)), lambda _: text.encode())


def rewritten(text: str, suffix: str, style: str) -> RewriteResult:
    options, tool = STYLES[style]
    return made(text, suffix, tool).rewrite(options)


def outputs(folder: Path, suffix: str, name: str, texts: Sequence[str]) -> list[str]:
    """What all programs print together; each stands in a file of its own, warnings are errors."""
    parts, calls = [], []
    for number, text in enumerate(texts):
        (folder / f"{name}{number}.{suffix}").write_text(text)
        parts += [
            f'#include "{name}{number}.{suffix}"',
            *map("#undef {}".format, re.findall(r"^#define (\w+)", text, re.M)),
        ]
        calls.append(f'printf("{number} %d\\n", f{number}(n));')
    source = folder / f"{name}.{suffix}"
    main = ["int main(void) {", "for (int n = 0; n < 4; n++) {", *calls, "}", "return 0; }"]
    source.write_text("\n".join(["#include <stdio.h>", *parts, *main]))
    command = [*COMPILERS[suffix], *WARNINGS, str(source), "-o", str(folder / name)]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr[:3000]
    done = subprocess.run([str(folder / name)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and not done.stderr, done.stderr[:3000]
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What the programs of each language print."""
    folder = tmp_path_factory.mktemp("old")
    return {suffix: outputs(folder, suffix, "old", [c.text for c in cases]) for suffix, cases in CASES.items()}


@pytest.mark.parametrize(
    ("suffix", "style"),
    [(suffix, style) for suffix in COMPILERS for style in STYLES if LONG or (suffix, style) not in LIKE],
)
def test_compiles_and_computes_the_same(
    suffix: str, style: str, expected: dict[str, list[str]], tmp_path: Path
) -> None:
    new = [rewritten(case.text, suffix, style).files[f"p.{suffix}"] for case in CASES[suffix]]
    found = outputs(tmp_path, suffix, "new", new)
    pairs = zip(found, expected[suffix], strict=True)
    assert not {CASES[suffix][int(line.split()[0])].name for line, old in pairs if line != old}
    assert [rewritten(text, suffix, style).files[f"p.{suffix}"] for text in new] == new


@pytest.mark.parametrize("style", ["bankdim", "crossbar"])
@pytest.mark.parametrize("suffix", COMPILERS)
def test_what_becomes_of_each(suffix: str, style: str) -> None:
    for case in CASES[suffix]:
        outcomes = rewritten(case.text, suffix, style).outcomes
        assert [o.code or o.status for o in outcomes] == case.wanted[style], case.name


PAST_THE_END = """#include <stdio.h>
void f(const int in[169], int res[2])
{
    int A[169];
#pragma HLS BIND_STORAGE variable=A type=ram_1p
    for (int z = 0; z < 169; z++) A[z] = in[z];
    int a = 0, b = 0, c = 0;
    for (int i = 0; i < 37; i++) {
#pragma HLS PIPELINE II=1
#pragma HLS UNROLL factor=2
        a ^= A[60 - i] + 2 * A[53 - i] + 3 * A[40 - i];
    }
    for (int i = 2; i < 43; i++) {
#pragma HLS PIPELINE II=1
#pragma HLS UNROLL factor=4
        b ^= A[2 * i + 46] + 2 * A[2 * i + 41];
    }
    for (int i = 2; i < 123; i += 3) {
#pragma HLS PIPELINE II=1
#pragma HLS UNROLL factor=2
        c ^= A[i + 45] + 2 * A[i + 38] + 3 * A[i + 44] + 6 * A[i + 40];
    }
    res[0] = a;
    res[1] = b ^ c;
}
int main(void)
{
    int in[169], res[2];
    for (int z = 0; z < 169; z++) in[z] = z * z % 97;
    f(in, res);
    printf("%d %d\\\\n", res[0], res[1]);
    return 0;
}
"""


@pytest.mark.skipif(not LONG, reason="takes long: make test-long")
def test_a_table_is_not_looked_up_outside_of_it(tmp_path: Path) -> None:
    """Copies beyond the last iteration ask for the bank of an element that is none; ``-fsanitize=shift`` sees it."""
    made = Pipeline(["p.c"], Options(), lambda _: PAST_THE_END.encode())
    new = made.rewrite(RewriteOptions(infer=True, style="crossbar")).files["p.c"]
    assert "TABLE" in new
    printed = []
    for text in (PAST_THE_END, new):
        (tmp_path / "p.c").write_text(text)
        command = ["gcc", "-std=gnu11", *WARNINGS, str(tmp_path / "p.c"), "-o", str(tmp_path / "p")]
        assert subprocess.run(command, capture_output=True, text=True).returncode == 0
        done = subprocess.run([str(tmp_path / "p")], capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr
        printed.append(done.stdout)
    assert printed[0] == printed[1]


REGISTERS = """void top(int in[64], int out[64])
{
    static short A[16][5] = {{47, 42}, {15}, {34, 47, 3, 57, 15}, {54, 79}, {76, 25, 18, 33, 67}};
    L: for (int i = 0; i < 6; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 5; k++) {
#pragma HLS UNROLL factor=3
                A[10 + 2 * j][k] ^= A[2 * i + 2][k] + in[i];
            }
    for (int p = 0; p < 16; p++)
        for (int q = 0; q < 5; q++)
            out[(p * 5 + q) & 63] = A[p][q];
}
"""


@pytest.mark.skipif(not LONG, reason="takes long: make test-long")
def test_the_inference_looks_at_what_it_wrote() -> None:
    """Its banks may be so small that they serve as registers: the first run says so, not a second one."""
    pipeline = Pipeline(["p.c"], Options(), lambda _: REGISTERS.encode())
    pipeline.inferred = pipeline.infer(InferOptions(scheme="any"))  # three banks by a pragma would do
    rewriting = pipeline.rewriting(RewriteOptions(infer=True))
    once = rewriting.with_pragmas(rewriting.run()).files["p.c"]
    assert re.findall(r"array_partition variable=A_\d+ type=complete", once)


def test_what_cannot_be_read_back_is_not_proposed() -> None:
    """A text of 21 banks has too many ways to check: pragmas serve, and ``infer`` says what ``rewrite`` then writes."""
    pipeline = Pipeline(["p.c"], Options(), lambda _: REGISTERS.encode())
    (found,) = [a for a in pipeline.inferred.arrays if a.name == "A"]
    assert (found.banks, found.needs_rewrite) == (3, False) and "too many ways to check" in found.reason
    said = [x.ii_after for x in pipeline.inferred.loops]
    written = pipeline.rewrite(RewriteOptions(infer=True)).files
    assert [x.ii for x in pipeline.predict(written).loops if x.pipelined] == said == [2, 1]
