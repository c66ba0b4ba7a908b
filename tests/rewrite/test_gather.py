"""``--dialect hls-library``: what it writes runs like the original with a stand-in of the vendor's header."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from hlspart.cli.app import cli
from hlspart.model.options import Options, RewriteOptions
from hlspart.model.rewriting import RewriteResult
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify

HERE = Path(__file__).parent
KERNEL = """void k(const int in[64], int out[64])
{{
    int A[61];
#pragma HLS array_partition variable=A type=cyclic factor={factor}
    for (int i = 0; i < 61; i++)
#pragma HLS pipeline
        A[i] = in[i];
    for (int i = {first}; i < {end}; i++) {{
#pragma HLS pipeline
{body}
    }}
    for (int i = 0; i < 61; i++)
        out[i] ^= A[i];
}}
"""
BODIES = {  # factor, first and end of the loop, body, calls of hls::gather
    "window": (4, 0, 58, "out[i] = A[i] + 3 * A[i + 1] - A[i + 2] * A[i + 3];", 1),
    "lanes that nothing reads": (4, 1, 60, "out[i] = A[i + 1] - A[i - 1];", 1),
    "no power of two": (3, 0, 59, "out[i] = A[i] - A[i + 1] * 2;", 1),
    "strides": (4, 0, 29, "out[i] = A[2 * i] * A[2 * i + 1];", 1),
    "two in a bank": (2, 0, 57, "out[i] = A[i] + A[i + 1] + A[i + 2] + A[i + 3];", 2),
    "twice": (4, 0, 60, "out[i] = A[i] + A[i + 1] * A[i];", 1),
    "guards": (4, 0, 61, "if (i > 0) out[i] = A[i - 1]; out[i] += A[i]; if (i < 60) out[i] -= A[i + 1];", 1),
    "a store behind": (4, 0, 60, "out[i] = A[i] + A[i + 1]; A[i] = out[i] & 15;", 1),
    "downwards": (5, 0, 56, "out[i] = A[60 - i] + A[59 - i] * A[57 - i];", 1),
    "an inner loop": (4, 0, 58, "int s = 0; for (int j = 0; j < 4; j++) s += A[i + j] << j; out[i] = s;", 1),
}
STORE_FIRST = "out[i] = A[i]; if (out[i] & 1) A[i] = 0; out[i] -= A[i + 1] ? A[i - 1] : A[i];"
TWO_ITERATORS = """static int two(int r)
{
    int A[8 * 9];
#pragma HLS array_partition variable=A type=cyclic factor=8
    for (int i = 0; i < 72; i++)
        A[i] = i * r;
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 6; j++)
#pragma HLS pipeline
            r ^= A[8 * i + j] + A[8 * i + j + 2];
    return r;
}
"""
PARAMETERS = """static int sum(float A[24], int at)
{
    float s = 0;
    for (int i = 0; i < 20; i++)
#pragma HLS pipeline
        s += A[i] * A[i + 1] + A[i + 3];
    return (int)s + at;
}
static int one(float B[24], int at)
{
#pragma HLS array_partition variable=B type=cyclic factor=4
    return sum(B, at) + sum(B, 2);
}
"""


def library(text: str, path: str = "p.cpp", infer: bool = False) -> RewriteResult:
    options = RewriteOptions(style="auto" if infer else "crossbar", dialect="hls-library", infer=infer)
    return Pipeline([path], Options(), lambda _: text.encode()).rewrite(options)


def test_calls_of_the_library_run_like_the_original(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {
        name: KERNEL.format(factor=factor, first=first, end=end, body=body).replace(
            "void k(", f"static void k{number}("
        )
        for number, (name, (factor, first, end, body, _)) in enumerate(BODIES.items())
    }
    text = "".join(texts.values()) + TWO_ITERATORS + PARAMETERS
    calls = "".join(f"    k{number}(in, out + {64 * number});\n" for number in range(len(texts)))
    text += f"int top(const int in[64], int out[{64 * len(texts)}], float f[24])\n{{\n{calls}"
    text += "    return two(in[0]) ^ (one(f, 3) & 1023);\n}\n"
    result = library(text)
    assert {o.status for o in result.outcomes} == {"rewritten"}, result.outcomes
    new = result.files["p.cpp"]
    wanted = [calls for _, _, _, _, calls in BODIES.values()]
    assert [part.count("hls::gather<") for part in new.split("static void k")[1:-1]] == wanted[:-1]
    assert new.count("hls::gather<") == sum(wanted) + 2
    assert new.count("#pragma HLS array_partition variable=") == len(texts) + 2  # the library demands it of the tool
    files = [tmp_path / "old.cpp", tmp_path / "new.cpp"]
    for file, content in zip(files, (text, new), strict=True):
        file.write_text(content)
    monkeypatch.setenv("CPLUS_INCLUDE_PATH", str(HERE / "standin"))
    compared = verify(str(files[0]), str(files[1]), VerifyOptions(top="top", vectors=2))
    assert compared.status == "equal", compared.message


def test_the_inferred_partition_is_said_with_the_call() -> None:
    text = KERNEL.format(factor=1, first=0, end=58, body="out[i] = A[i] + A[i + 1] + A[i + 2] + A[i + 3];")
    text = text.replace("#pragma HLS array_partition variable=A type=cyclic factor=1\n", "")
    new = library(text, infer=True).files["p.cpp"]
    assert "#pragma HLS ARRAY_PARTITION variable=A type=cyclic factor=2 dim=1" in new
    assert new.count("hls::gather<int, 2>") == 2


@pytest.mark.parametrize(
    ("text", "path", "reason"),
    [
        (KERNEL.format(factor=4, first=0, end=60, body="out[i] = A[i] + A[i + 1];"), "p.c", "is C++, and p.c is C"),
        (
            "int k(int r) { int A[8][8];\n#pragma HLS array_partition variable=A type=cyclic factor=2 dim=2\n"
            "for (int i = 0; i < 7; i++) {\n#pragma HLS pipeline\nA[i][i + 1] = i; r += A[i][i] + A[i][i + 1]; }"
            " return r; }",
            "p.cpp",
            "one-dimensional arrays",
        ),
        (KERNEL.format(factor=4, first=0, end=60, body="A[i] = 1; A[i + 1] = 2;"), "p.cpp", "hls::scatter"),
        (KERNEL.format(factor=2, first=0, end=20, body="out[i] = A[i] + A[3 * i + 1];"), "p.cpp", "distance to others"),
        (KERNEL.format(factor=4, first=1, end=60, body=STORE_FIRST), "p.cpp", "follows a store"),
    ],
)
def test_what_the_library_cannot_say_keeps_its_text(text: str, path: str, reason: str) -> None:
    options = RewriteOptions(style="crossbar", dialect="hls-library")
    result = Pipeline([path], Options(), lambda _: text.encode()).rewrite(options)
    assert result.files[path] == text
    (outcome,) = result.outcomes
    assert (outcome.status, outcome.code) == ("refused", "dialect") and reason in (outcome.reason or "")


def test_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "p.cpp"
    options = RewriteOptions(style="crossbar", dialect="hls-library")
    factor, first, end, body, _ = BODIES["window"]
    path.write_text(KERNEL.format(factor=factor, first=first, end=end, body=body))
    for status, code in (("rewritten", None), ("refused", "extern-callee")):
        before = path.read_text()
        result = Pipeline([str(path)], Options()).rewrite(options)
        path.write_text(result.files[str(path)])
        assert [(o.status, o.code) for o in result.outcomes] == [(status, code)]
    assert path.read_text() == before


def test_the_dialect_is_one_of_bank_centric_code(tmp_path: Path) -> None:
    (tmp_path / "p.cpp").write_text("void f(void) {}\n")
    done = CliRunner().invoke(cli, ["rewrite", str(tmp_path / "p.cpp"), "--style", "split", "--dialect", "hls-library"])
    assert done.exit_code == 2 and "--style crossbar" in done.output
