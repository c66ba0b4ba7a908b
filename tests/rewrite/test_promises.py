"""What ``infer`` promises of arrays that need the rewrite is what the II model says of the rewritten text."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from hlspart.cli.app import cli
from hlspart.model.options import InferOptions, Options, RewriteOptions, TargetOptions
from hlspart.pipeline import Pipeline
from hlspart.targets import load
from hlspart.verification import VerifyOptions, verify
from tests.amounts import amount

OFFSETS = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))


def kernel(statement: str, storage: str) -> str:
    return f"""void f(const int in[13][13], int out[13][13])
{{
    int A[13][13];
{storage}    for (int i = 0; i < 13; i++)
        for (int j = 0; j < 13; j++)
            A[i][j] = in[i][j];
    for (int i = 1; i < 12; i++)
        for (int j = 1; j < 12; j++) {{
#pragma HLS PIPELINE II=1
            {statement}
        }}
    for (int i = 0; i < 13; i++)
        for (int j = 0; j < 13; j++)
            out[i][j] = A[i][j];
}}
"""


def of(text: str) -> Pipeline:
    return Pipeline(["p.c"], Options(), lambda _: text.encode())


REFS = [f"A[i + {a}][j + {b}]" for a, b in OFFSETS]
ANY = InferOptions(scheme="any")
ONE_PORT = "#pragma HLS BIND_STORAGE variable=A type=ram_1p\n"


@pytest.mark.parametrize(
    ("statement", "storage", "ii"),
    [
        (" ".join(f"{r} = in[i][j] + {k};" for k, r in enumerate(REFS)), "", 1),
        (" ".join(f"{r} += {k};" for k, r in enumerate(REFS)), "", 2),  # a sum waits for the store of the one before
    ],
    ids=["write", "read-modify-write"],
)
def test_promised_is_emitted(statement: str, storage: str, ii: int) -> None:
    pipeline = of(kernel(statement, storage))
    inferred = pipeline.infer(ANY)
    assert any(array.needs_rewrite for array in inferred.arrays)
    emitted = of(pipeline.rewriting(RewriteOptions()).inferred(inferred).files["p.c"])
    found = [x.ii for x in emitted.figures.loops if x.pipelined and x.origin == "pragma"]
    assert [x.ii_after for x in inferred.loops if x.target_ii is not None] == found == [ii]


def test_banks_are_those_for_the_ii_that_the_text_has() -> None:
    """Five elements that are read and stored: 10 accesses. II 1 takes 5 banks of 2 ports, the sums make it II 2."""
    pipeline = of(kernel(" ".join(f"{r} += {k};" for k, r in enumerate(REFS)), ""))
    for options in (ANY, InferOptions()):
        inferred = pipeline.infer(options)
        assert [a.banks for a in inferred.arrays if a.needs_rewrite] == [3]  # 10 accesses, 3 banks, 2 ports, 2 cycles
        emitted = of(pipeline.rewriting(RewriteOptions()).inferred(inferred).files["p.c"])
        assert [x.ii for x in emitted.figures.loops if x.origin == "pragma"] == [2]


BOX = tuple((a, b) for a in (-1, 0, 1) for b in (-1, 0, 1))
LOG = (*BOX, (-2, 0), (2, 0), (0, -2), (0, 2))  # Laplacian of Gaussian
STAR3 = ((0, 0, 0), *(tuple(s * (k == d) for k in range(3)) for d in range(3) for s in (-1, 1)))


def stencil(pattern: tuple[tuple[int, ...], ...], mode: str, ports: int) -> str:
    """A kernel that reads, writes or replaces the elements of ``pattern`` of an array in memories with ``ports``."""
    reach, names = max(max(x) for x in pattern), "ijk"[: len(pattern[0])]
    size = 2 * reach + 6
    dims, here = f"[{size}]" * len(names), "".join(f"[{n}]" for n in names)
    refs = ["A" + "".join(f"[{n} + {o}]" if o else f"[{n}]" for n, o in zip(names, x, strict=True)) for x in pattern]
    statement = {
        "read": f"out{here} = {' + '.join(refs)};",
        "write": " ".join(f"{r} = in{here} + {k};" for k, r in enumerate(refs)),
        "in place": f"A{here} = {' + '.join(f'({r} & 1023)' for r in refs)};",
    }[mode]
    whole = "".join(f"for (int {n} = 0; {n} < {size}; {n}++) " for n in names)
    inside = "".join(f"for (int {n} = {reach}; {n} < {size - reach}; {n}++) " for n in names)
    return f"""void f(const int in{dims}, int out{dims})
{{
    int A{dims};
#pragma HLS BIND_STORAGE variable=A type={"ram_t2p" if ports == 2 else "ram_1p"}
    {whole}A{here} = in{here};
    {inside}{{
#pragma HLS PIPELINE II=1
        {statement}
    }}
    {whole}out{here} ^= A{here};
}}
"""


@pytest.mark.parametrize(
    ("pattern", "ports", "mode", "banks", "ii"),
    [  # banks of reads and writes: the published minimum; in place: the least for the II that the recurrence leaves
        (OFFSETS, 1, "read", 5, 1),
        (OFFSETS, 1, "write", 5, 1),
        (OFFSETS, 1, "in place", 5, 2),
        (OFFSETS, 2, "read", 3, 1),
        (OFFSETS, 2, "in place", 2, 2),
        (BOX, 2, "read", 5, 1),
        (LOG, 2, "read", 7, 1),
        (STAR3, 2, "read", 4, 1),
    ][amount(2, 0) :: amount(2, 1)],
)
def test_stencils_at_the_least_number_of_banks(
    tmp_path: Path, pattern: tuple[tuple[int, ...], ...], ports: int, mode: str, banks: int, ii: int
) -> None:
    text = stencil(pattern, mode, ports)
    pipeline = of(text)
    inferred = pipeline.infer(ANY)
    found = {pipeline.program.variable(a.variable).name: (a.banks, a.proved_minimal) for a in inferred.arrays}
    assert found["A"] == (banks, True)
    new = pipeline.rewriting(RewriteOptions()).inferred(inferred).files["p.c"]
    # The II model knows nothing of the layout and reads the text that was written.
    assert [x.ii for x in of(new).figures.loops if x.pipelined and x.origin == "pragma"] == [ii]
    assert [x.ii_after for x in inferred.loops if x.target_ii is not None] == [ii]
    (tmp_path / "old.c").write_text(text)
    (tmp_path / "new.c").write_text(new)
    options = VerifyOptions(vectors=1, ports=load(TargetOptions()))
    compared = verify(str(tmp_path / "old.c"), str(tmp_path / "new.c"), options)
    assert compared.status == "equal", compared.message
    used = [u.reads + u.writes for u in compared.ports if u.array.startswith("A_")]
    assert used and max(used) <= ports * ii


def test_refused_is_unknown() -> None:
    text = kernel(f"out[i][j] = {' + '.join(f'{r}.v' for r in REFS)};", "")
    text = text.replace("int A[13]", "struct { int v; } A[13]").replace("A[i][j] = in", "A[i][j].v = in")
    loops = of(text.replace("= A[i][j];", "= A[i][j].v;")).infer(ANY).loops
    (loop,) = [x for x in loops if x.target_ii is not None]
    assert loop.ii_after is None
    assert loop.cause is not None and "unknown, because the rewrite refuses A: " in loop.cause


def test_what_takes_too_long_is_unknown() -> None:
    box = [f"A[i + {a}][j + {b}]" for a in (-1, 0, 1) for b in (-1, 0, 1)]
    loops = of(kernel(" ".join(f"{r} += {k};" for k, r in enumerate(box)), ONE_PORT)).infer(ANY).loops
    (loop,) = [x for x in loops if x.target_ii is not None]
    assert loop.ii_after is None
    assert loop.cause is not None and "too many ways" in loop.cause


BY_BANK = """void f(int x[64], int y[64])
{
    int B[24];
#pragma HLS ARRAY_PARTITION variable=B type=cyclic factor=8 dim=1
    int t = 0;
    L2: for (int i = 0; i < 24; i++) B[i] = x[i] + 3;
    L3: for (int i = 0; i < 8; i++) {
        B[3] = x[1] + B[0];
        L4: for (int j = 0; j < 4; j++) t += B[j];
    }
    y[0] = t;
}
"""


def test_a_style_that_is_asked_for_is_written_and_what_it_costs_said(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(BY_BANK)
    done = CliRunner().invoke(
        cli, ["rewrite", str(tmp_path / "p.c"), "--style", "crossbar", "-o", str(tmp_path / "q.c")]
    )
    auto = of(BY_BANK).rewrite(RewriteOptions()).files["p.c"]
    texts = (BY_BANK, (tmp_path / "q.c").read_text(), auto)
    before, asked, chosen = (of(text).figures.functions[0].latency.max for text in texts)
    assert chosen <= before < asked and done.exit_code == 0
    assert f"warning: in the rewritten text f: {asked} cycles instead of {before} [rewrite-slower]" in done.stderr


MANY = """void f(int x[100][100], int y[100])
{
    int B[100][100];
#pragma HLS ARRAY_PARTITION variable=B type=cyclic factor=25 dim=1
#pragma HLS ARRAY_PARTITION variable=B type=cyclic factor=25 dim=2
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 100; j += 4) {
#pragma HLS PIPELINE II=1
            int v = x[i][j];
            B[i][j] = v; B[i][j + 1] = v; B[i][j + 2] = v; B[i][j + 3] = v;
        }
    L: for (int i = 0; i < 100; i++) {
#pragma HLS PIPELINE
        int t = 0;
        for (int j = 0; j < 25; j++) t += B[i][j];
        y[i] = t;
    }
}
"""


def test_a_text_that_takes_minutes_to_read_back_is_not_written_unasked(tmp_path: Path) -> None:
    """25 reads, each of one of 625 banks: the check of such a text took most of a minute."""
    result = of(MANY).rewrite(RewriteOptions())
    assert result.files["p.c"] == MANY
    (outcome,) = [o for o in result.outcomes if o.arrays == ("B",)]
    assert outcome.code == "slower" and "too many ways" in (outcome.reason or "")
    (tmp_path / "p.c").write_text(MANY)
    args = ["rewrite", str(tmp_path / "p.c"), "--style", "crossbar", "-o", str(tmp_path / "q.c")]
    done = CliRunner().invoke(cli, args)
    assert done.exit_code == 0 and (tmp_path / "q.c").read_text() != MANY
    assert "is not known [rewrite-unchecked]" in done.stderr


def test_a_loop_that_banks_make_slower_may_read_through_a_pointer() -> None:
    """Once an internal error: what a loop reads need not be an array of the program."""
    text = """static const char *note = "abcdefghijklmnopq";
void sw(const int in[40], int out[40])
{
    int a[44], b[160];
#pragma HLS ARRAY_PARTITION variable=a cyclic factor=4
#pragma HLS ARRAY_PARTITION variable=b cyclic factor=4
    for (int i = 0; i < 44; i++) a[i] = i < 40 ? in[i] : 0;
    for (int i = 0; i < 40; i++) {
#pragma HLS PIPELINE II=1
        int s = a[i] + a[i + 1] + a[i + 2] + a[i + 3];
        b[4 * i] = s; b[4 * i + 1] = s >> 1; b[4 * i + 2] = s >> 2; b[4 * i + 3] = s >> 3;
    }
    for (int i = 0; i < 40; i++) {
#pragma HLS PIPELINE II=1
        int v;
        switch (b[4 * i] & 7) {
        case 0: v = a[i]; break;
        case 1: v = a[i + 1] + a[i + 2]; out[i] = v;
        case 4: v = b[4 * i + 1] - b[4 * i + 2]; break;
        default: do { if (a[i] < 50) { a[i] += 100; b[4 * i + 3]--; } } while (0); v = a[i] ^ b[4 * i + 3];
        }
        out[i] = v + note[i & 15];
    }
}
"""
    result = Pipeline(["p.c"], Options(), lambda _: text.encode()).rewrite(RewriteOptions())
    assert {o.code for o in result.outcomes if o.arrays == ("a",)} == {"slower"}


def test_a_second_rewrite_changes_nothing_however_little_is_tried() -> None:
    text = """void k(int in[169], int res[1])
{
    int A[169];
#pragma HLS BIND_STORAGE variable=A type=ram_1p
    for (int z = 0; z < 169; z++) A[z] = in[z];
    int c = 0;
    for (int i = 0; i < 37; i++) {
#pragma HLS PIPELINE II=1
#pragma HLS UNROLL factor=2
        c ^= A[44 - i] + 2*A[41 - i] + 3*A[36 - i];
    }
    res[0] = c;
}
"""
    options, texts = RewriteOptions(infer=True, most_work=0), [text]
    for _ in range(2):
        texts.append(of(texts[-1]).rewrite(options).files["p.c"])
    assert texts[0] != texts[1] == texts[2]


SKEWED = """void skew(const int in[64], int rows[16], int columns[16]) {
  int a[64];
#pragma HLS bind_storage variable=a type=ram_1p impl=bram
  for (int i = 0; i < 64; i++) a[i] = in[i];
  R: for (int r = 0; r < 16; r++) {
#pragma HLS pipeline II=1
    rows[r] = a[4 * r] + a[4 * r + 1] * 2 + a[4 * r + 2] * 3 + a[4 * r + 3] * 5;
  }
  for (int b = 0; b < 4; b++)
    C: for (int c = 0; c < 4; c++) {
#pragma HLS pipeline II=1
      columns[4 * b + c] = a[16 * b + c] + a[16 * b + c + 4] * 2 + a[16 * b + c + 8] * 3 + a[16 * b + c + 12] * 5;
    }
}
"""


@pytest.mark.parametrize("options", ["--scheme any", "--scheme any --max-banks 8"])
def test_the_command_that_infer_names_writes_what_it_found(options: str, tmp_path: Path) -> None:
    """Nothing is named where ``rewrite`` does not take the options of the inference."""
    path, new = tmp_path / "k.c", tmp_path / "new.c"
    path.write_text(SKEWED)
    said = CliRunner().invoke(cli, ["infer", str(path), *options.split()]).stdout
    (array,) = (line for line in said.splitlines() if "k/a (" in line or "skew/a (" in line)
    named = [line for line in said.splitlines() if "no pragma alone achieves this" in line]
    if options != "--scheme any":
        assert named and "writes it" not in named[0]
        return
    command = named[0].partition(": hlspart ")[2].removesuffix(" writes it").split()
    assert CliRunner().invoke(cli, [*command, str(path), "-o", str(new)]).exit_code == 0
    assert "4 banks" in array and "a[64] in 4 banks" in new.read_text()
    assert {x.ii for x in Pipeline([str(new)], Options()).ii.loops} == {1}


def test_what_is_slower_in_a_loop_is_slower_whatever_else_is_known() -> None:
    """The first text has a loop of unknown latency; once that is known, the function takes fewer cycles at most."""
    text = """static int t[8] = {3, 1, 4, 1, 5, 9, 2, 6};
static int A[15] = {51, 15, 30, 40, 8, 58};
void k(int in[32], int out[32])
{
    int acc = (in[0] & 63) + t[1];
    int *B[19] = {t, t + 3, &t[2]};
#pragma HLS array_partition variable=A type=block factor=3
#pragma HLS array_partition variable=B type=cyclic factor=4
    for (long i = 0; i < 7; i += 2) {
        { static int v; acc = (acc + ++v * ((((*(A + 11))) + 9) & 7)) & 1023; }
    }
    for (int z = 0; z < 15; z++) out[z] = (acc * 3 + A[z]) & 0xffff;
    for (int z = 0; z < 19; z++) out[z] = (out[z] * 3 + (B[z] ? *B[z] : 0)) & 0xffff;
}
"""
    texts = [text]
    for _ in range(2):
        pipeline = Pipeline(["p.c"], Options(target=TargetOptions(tool="generic")), lambda _: texts[-1].encode())
        texts.append(pipeline.rewrite(RewriteOptions()).files["p.c"])
    assert texts[0] != texts[1] == texts[2]
