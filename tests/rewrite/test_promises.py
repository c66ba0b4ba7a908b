"""What ``infer`` promises of arrays that need the rewrite is what the II model says of the rewritten text."""

from __future__ import annotations

import pytest

from hlspart.model.options import InferOptions, Options, RewriteOptions
from hlspart.pipeline import Pipeline

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
        (f"out[i][j] = {' + '.join(REFS)};", "", 1),
        (" ".join(f"{r} = in[i][j] + {k};" for k, r in enumerate(REFS)), "", 1),
        (" ".join(f"{r} += {k};" for k, r in enumerate(REFS)), "", 2),  # a sum waits for the store of the one before
        (f"A[i][j] = {' + '.join(REFS)};", ONE_PORT, 3),  # five loads in three banks, and a store
    ],
    ids=["read", "write", "read-modify-write", "in place, one port"],
)
def test_promised_is_emitted(statement: str, storage: str, ii: int) -> None:
    pipeline = of(kernel(statement, storage))
    inferred = pipeline.infer(ANY)
    assert any(array.needs_rewrite for array in inferred.arrays)
    emitted = of(pipeline._rewrite_as(RewriteOptions(), inferred).files["p.c"])
    found = [x.ii for x in emitted.figures.loops if x.pipelined and x.origin == "pragma"]
    assert [x.ii_after for x in inferred.loops] == found == [ii]


def test_refused_is_unknown() -> None:
    text = kernel(f"out[i][j] = {' + '.join(f'{r}.v' for r in REFS)};", "")
    text = text.replace("int A[13]", "struct { int v; } A[13]").replace("A[i][j] = in", "A[i][j].v = in")
    (loop,) = of(text.replace("= A[i][j];", "= A[i][j].v;")).infer(ANY).loops
    assert loop.ii_after is None
    assert loop.cause is not None and "unknown, because the rewrite refuses A: " in loop.cause


def test_what_takes_too_long_is_unknown() -> None:
    box = [f"A[i + {a}][j + {b}]" for a in (-1, 0, 1) for b in (-1, 0, 1)]
    (loop,) = of(kernel(" ".join(f"{r} += {k};" for k, r in enumerate(box)), ONE_PORT)).infer(ANY).loops
    assert loop.ii_after is None
    assert loop.cause is not None and "too many ways" in loop.cause
