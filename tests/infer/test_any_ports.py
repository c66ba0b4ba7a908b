"""Banks that ``--scheme any`` counts serve the text of the rewrite: loads and stores, bank by bank, while it runs."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from inferring import array, pipeline

import hlspart
from hlspart.model.options import InferOptions, RewriteOptions, TargetOptions
from hlspart.targets import load
from hlspart.verification import VerifyOptions, verify
from tests.amounts import amount

SIZE = 14


def stores(seed: int) -> tuple[str, int]:
    """A nest that reads some elements around (i, j) and stores some, in a memory of one or two ports."""
    random = Random(seed)
    ports = 1 + seed % 2
    spots = [(a, b) for a in range(-2, 3) for b in range(-2, 3)]
    reads, written = random.sample(spots, random.randint(2, 5)), random.sample(spots, random.randint(1, 2))
    terms = " + ".join(f"{k + 1} * A[i + {a}][j + {b}]" for k, (a, b) in enumerate(reads))
    body = f"int s = {terms};\n            " + " ".join(
        f"A[i + {a}][j + {b}] = (s + {k}) & 255;" for k, (a, b) in enumerate(written)
    )
    if random.random() < 0.3:
        body = f"if (in[i][j] > 0) {{ {body} }}"
    whole = f"for (int i = 0; i < {SIZE}; i++) for (int j = 0; j < {SIZE}; j++)"
    text = f"""void f(const int in[{SIZE}][{SIZE}], int out[{SIZE}][{SIZE}])
{{
    int A[{SIZE}][{SIZE}];
#pragma HLS BIND_STORAGE variable=A type={"ram_t2p" if ports == 2 else "ram_1p"}
    {whole} A[i][j] = in[i][j] & 255;
    for (int i = 2; i < {SIZE - 2}; i++)
        for (int j = 2; j < {SIZE - 2}; j++) {{
#pragma HLS PIPELINE II=1
            {body}
        }}
    {whole} out[i][j] = A[i][j];
}}
"""
    return text, ports


def asked(text: str, new: str, folder: Path) -> int:
    """Accesses of the busiest bank of A in one iteration, counted while the new text runs."""
    (folder / "old.c").write_text(text)
    (folder / "new.c").write_text(new)
    found = verify(str(folder / "old.c"), str(folder / "new.c"), VerifyOptions(vectors=1, ports=load(TargetOptions())))
    assert found.status == "equal", found.message
    return max(u.reads + u.writes for u in found.ports if u.array.startswith("A_"))


@pytest.mark.parametrize("seed", amount((0, 7), (0, 3, 5, 7, 9, 11)))
def test_no_bank_is_asked_for_more_than_its_ports(seed: int, tmp_path: Path) -> None:
    text, ports = stores(seed)
    p = pipeline(text)
    result = p.infer(InferOptions(scheme="any"))
    found = array(result, "A")
    (loop,) = [x for x in result.loops if x.target_ii is not None]
    ii = loop.ii_after or (loop.span_after or (1, 1))[0]
    assert found.needs_rewrite
    new = p.rewriting(RewriteOptions()).inferred(result).files["k.c"]
    assert asked(text, new, tmp_path) <= ports * ii


ALL_AT_ONCE = """\
void mv(float x[8], const float a[8][64], const float y[64])
{
L:  for (int j = 0; j < 64; j++) {
#pragma HLS PIPELINE II=1
        for (int i = 0; i < 8; i++)
            x[i] = x[i] * 2 + a[i][j];
    }
}
"""


def test_an_argument_of_which_each_iteration_takes_all_elements_is_registers_where_a_memory_is_in_the_way() -> None:
    answer = hlspart.parse(ALL_AT_ONCE).rewrite(infer=True)
    banked = answer.kernel().ii()
    split = ALL_AT_ONCE.replace("{\nL", "{\n#pragma HLS ARRAY_PARTITION variable=x cyclic factor=4\n"
                                "#pragma HLS ARRAY_PARTITION variable=a cyclic factor=4 dim=1\nL")  # fmt: skip
    (mine,), (memories,) = ([x for x in r.loops if x.pipelined] for r in (banked, hlspart.parse(split).ii()))
    assert mine.least < memories.least
    assert "variable=x type=complete" in answer.texts["kernel.c"]


def test_an_argument_of_which_an_iteration_takes_half_is_no_registers() -> None:
    text = """void f(int s[8], const int b[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    if (b[i] > 0) { s[0] = s[1] + b[i]; s[1] = s[0] ^ 3; } else { s[2] = s[3] + b[i]; s[3] = s[2] ^ 5; }
    s[1] += s[0];
  }
}
"""
    assert array(pipeline(text).infer(InferOptions(scheme="pragma")), "s").kind != "complete"
