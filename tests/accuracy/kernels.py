"""Kernels of the calibration set, written for hlspart: the same loop nests, and their pragmas from a row's name.

A row's configuration is ``arrays__loops``: arrays as ``name_dim_factor`` (cyclic), joined by ``_``; loops
from outer to inner as ``label_p|n_unroll_f|n`` (pipelined or not, unroll factor, LOOP_FLATTEN).
Loops of a nest that a row does not name are outside of its function: their variables are parameters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

N = 64


@dataclass(frozen=True)
class NestText:
    """A nest: (label, variable) of its loops, its statement, statements before each loop, array ranks."""

    loops: tuple[tuple[str, str], ...]
    statement: str
    arrays: dict[str, int]
    scalars: tuple[str, ...] = ()
    before: tuple[tuple[str, str], ...] = ()  # (label, statement ahead of that loop)


NESTS: dict[str, tuple[NestText, ...]] = {
    "atax": (
        NestText((("lp1", "i"), ("lp2", "j")), "tmp[i] = tmp[i] + A[i][j] * x[j];", {"tmp": 1, "A": 2, "x": 1}),
        NestText((("lp3", "i"), ("lp4", "j")), "y[j] = y[j] + A[i][j] * tmp[i];", {"y": 1, "A": 2, "tmp": 1}),
    ),
    "gemm": (
        NestText((("lp1", "i"), ("lp2", "j")), "C[i][j] = beta * C[i][j];", {"C": 2}, ("beta",)),
        NestText(
            (("lp3", "i"), ("lp4", "j"), ("lp5", "k")),
            "C[i][j] += alpha * A[i][k] * B[k][j];",
            {"C": 2, "A": 2, "B": 2},
            ("alpha",),
        ),
    ),
    "syr2k": (
        NestText((("lp1", "i"), ("lp2", "j")), "C[i][j] = beta * C[i][j];", {"C": 2}, ("beta",)),
        NestText(
            (("lp3", "i"), ("lp4", "j"), ("lp5", "k")),
            "C[i][j] += A[j][k] * alpha * B[i][k] + B[j][k] * alpha * A[i][k];",
            {"C": 2, "A": 2, "B": 2},
            ("alpha",),
        ),
    ),
    "k2mm": (
        NestText(
            (("lp1", "i"), ("lp2", "j"), ("lp3", "k")),
            "tmp[i][j] += alpha * A[i][k] * B[k][j];",
            {"tmp": 2, "A": 2, "B": 2},
            ("alpha",),
        ),
        NestText(
            (("lp4", "i"), ("lp5", "j"), ("lp6", "k")),
            "D[i][j] += tmp[i][k] * C[k][j];",
            {"D": 2, "tmp": 2, "C": 2},
            ("beta",),
            (("lp6", "D[i][j] *= beta;"),),
        ),
    ),
}


def source(kernel: str, config: str) -> str:
    """C text of one row: a function that holds the loops the row names."""
    arrays, loops = config.split("__")
    asked = re.findall(r"(lp\d+)_([pn])_(\d+)_([fn])", loops)
    labels = [label for label, *_ in asked]
    nest = next(n for n in NESTS[kernel] if labels[0] in dict(n.loops))
    variables = dict(nest.loops)
    outside = [v for label, v in nest.loops if label not in labels]
    parameters = [f"float {a}" + f"[{N}]" * rank for a, rank in nest.arrays.items()]
    parameters += [f"float {s}" for s in nest.scalars] + [f"int {v}" for v in outside]
    lines = [f"void {kernel}({', '.join(parameters)})", "{"]
    lines += [f"#pragma HLS INTERFACE mode=ap_memory port={a} storage_type=ram_s2p" for a in nest.arrays]
    for name, dim, factor in re.findall(r"([A-Za-z]+)_(\d+)_(\d+)", arrays):
        if int(factor) > 1:
            lines.append(f"#pragma HLS ARRAY_PARTITION variable={name} type=cyclic factor={factor} dim={dim}")
    before = dict(nest.before)
    for depth, (label, pipelined, unroll, flatten) in enumerate(asked):
        pad, v = "  " * (depth + 1), variables[label]
        if label in before and depth:
            lines.append(pad + before[label])
        lines.append(f"{pad}{label}: for (int {v} = 0; {v} < {N}; {v}++) {{")
        if pipelined == "p":
            lines.append("#pragma HLS PIPELINE")
        if int(unroll) > 1:
            lines.append(f"#pragma HLS UNROLL factor={unroll}")
        if flatten == "n":
            lines.append("#pragma HLS LOOP_FLATTEN off")
    lines.append("  " * (len(asked) + 1) + nest.statement)
    lines += ["  " * (depth + 1) + "}" for depth in reversed(range(len(asked)))]
    return "\n".join([*lines, "}", ""])
