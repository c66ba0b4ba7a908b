"""From C text to what inference proposes, and kernels that several tests look at."""

from __future__ import annotations

from typing import Any, Literal

from hlspart.infer.emission import pragma_texts
from hlspart.model.inferred import InferredArray, InferredLoop, InferResult
from hlspart.model.options import FrontendOptions, InferOptions, Options
from hlspart.pipeline import Pipeline


def pipeline(text: str, cfg: str | None = None, **options: Any) -> Pipeline:
    files = {"k.c": text.encode(), "k.cfg": (cfg or "").encode()}
    front = FrontendOptions(directive_files=("k.cfg",) if cfg is not None else ())
    return Pipeline(["k.c"], Options(frontend=front, **options), lambda path: files[path])


def run(text: str, model: Literal["static", "ideal"] = "static", cfg: str | None = None, **options: Any) -> InferResult:
    return pipeline(text, cfg, bank_model=model).infer(InferOptions(**options))


def asked(result: InferResult) -> list[InferredLoop]:
    """The loops with an II that the source asks for; tools pipeline others by themselves."""
    return [x for x in result.loops if x.target_ii is not None]


def array(result: InferResult, name: str) -> InferredArray:
    (found,) = [a for a in result.arrays if a.name == name]
    return found


def pasted(text: str, **options: Any) -> str:
    p = pipeline(text)
    return pragma_texts(p.program, p.infer(InferOptions(**options))).get("k.c", text)


def iis(text: str, cfg: str | None = None) -> dict[str, int | None]:
    return {loop.name: loop.ii for loop in pipeline(text, cfg).ii.loops if loop.pipelined}


UNROLLED = """\
void k(int A[64], int out[16])
{
L:  for (int t = 0; t < 16; t++) {
#pragma HLS PIPELINE II=1
        int s = 0;
        for (int k = 0; k < 4; k++)
            s += A[4*t+k];
        out[t] = s;
    }
}
"""
FAR = """\
void k(int x[32], int out[8])
{
    int A[32];
F:  for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE
        A[i] = x[i];
    }
L:  for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE II=1
        out[i] = A[i] + A[i+8] + A[i+16] + A[i+24];
    }
}
"""
MATMUL = """\
void k(int A[8][8], int B[8][8], int C[8][8])
{
    for (int i = 0; i < 8; i++)
L:      for (int j = 0; j < 8; j++) {
#pragma HLS PIPELINE II=1
            int s = 0;
            for (int k = 0; k < 8; k++)
                s += A[i][k] * B[k][j];
            C[i][j] = s;
        }
}
"""
WINDOW = """\
void k(int in[128], int out[126])
{
    int mem[128];
F:  for (int i = 0; i < 128; i++) {
#pragma HLS PIPELINE
        mem[i] = in[i];
    }
L:  for (int i = 2; i < 128; i++) {
#pragma HLS PIPELINE II=1
        out[i-2] = mem[i] + mem[i-1] + mem[i-2];
    }
}
"""
OVER = UNROLLED.replace("{\nL:", "{\n#pragma HLS ARRAY_PARTITION variable=A cyclic factor=16 // wide\nL:")
