"""Random HLS kernels whose arrays are small enough to try every partition.

One to three arrays of one to three dimensions, as locals or parameters, on memories of one or two ports; up to
three nests that share them, with target II 1 or 2, strides, unrolled loops, guards, stores and places that are
data. Everything is in range, so that the kernels also run.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

EXTENTS = {1: (8, 12, 15, 16), 2: (4, 5, 6), 3: (3, 4)}
HEAD = "#pragma HLS PIPELINE II={}"


@dataclass(frozen=True)
class _Array:
    name: str
    kind: str
    shape: tuple[int, ...]
    local: bool


def kernel(rng: random.Random) -> str:
    """The text of one kernel ``f``."""
    arrays = [_array(rng, name) for name in "ABC"[: rng.choice([1, 1, 2, 2, 3])]]
    nests = rng.choice([1, 1, 2, 2, 3])
    formals = [f"{a.kind} {a.name}{_extents(a)}" for a in arrays if not a.local]
    formals += [f"int out{k}[64]" for k in range(nests)] + ["int in[16]"]
    lines = [f"void f({', '.join(formals)})", "{"]
    for a in arrays:
        if a.local:
            lines.append(f"    {a.kind} {a.name}{_extents(a)};")
            if rng.random() < 0.3:
                lines.append(f"#pragma HLS BIND_STORAGE variable={a.name} type=ram_1p")
        elif rng.random() < 0.3:
            lines.append(f"#pragma HLS INTERFACE mode=ap_memory port={a.name} storage_type=ram_1p")
    for a in (x for x in arrays if x.local):
        loops = [f"for (int {v} = 0; {v} < {n}; {v}++)" for v, n in zip("ijk", a.shape, strict=False)]
        element = a.name + "".join(f"[{v}]" for v in "ijk"[: len(a.shape)])
        lines += [f"    {' '.join(loops)} {{", HEAD.format(rng.choice([1, 1, 2])), f"        {element} = i;", "    }"]
    for k in range(nests):
        lines += _nest(rng, arrays, k)
    return "\n".join([*lines, "}", ""])


def _array(rng: random.Random, name: str) -> _Array:
    rank = rng.choice([1, 1, 2, 2, 3])
    kind = rng.choice(["int", "char", "short"])
    return _Array(name, kind, tuple(rng.choice(EXTENTS[rank]) for _ in range(rank)), rng.random() < 0.7)


def _extents(array: _Array) -> str:
    return "".join(f"[{n}]" for n in array.shape)


def _nest(rng: random.Random, arrays: list[_Array], number: int) -> list[str]:
    """One pipelined loop, maybe in a nest, maybe over an inner loop that is unrolled."""
    step, trips, width = rng.choice([1, 1, 1, 2, 3]), rng.choice([2, 3, 4]), rng.randint(1, 4)
    most = {"i": step * (trips - 1), "u": width - 1}
    lines = []
    if rng.random() < 0.4:
        most["j"] = rng.choice([1, 2])
        bound = "i" if rng.random() < 0.25 and most["j"] <= most["i"] else str(most["j"])
        lines.append(f"    N{number}: for (int j = 0; j <= {most['j']}; j++)")
        start = "j" if bound == "i" else "0"
    else:
        start = "0"
    lines.append(f"    L{number}: for (int i = {start}; i <= {most['i']}; i += {step}) {{")
    lines.append(HEAD.format(rng.choice([1, 1, 1, 2])))
    reads = [_element(rng, rng.choice(arrays), most) for _ in range(rng.randint(1, 4))]
    body = f"for (int u = 0; u < {width}; u++) s += {' + '.join(reads)};"
    guard = rng.random()
    if guard < 0.12:
        body = f"if (i > {step}) {{ {body} }} else s = {reads[0].replace('u', '0')};"
    elif guard < 0.24:
        body = f"if (in[i & 15] > 2) {{ {body} }} else s = {reads[-1].replace('u', '0')};"
    lines += ["        int s = 0;", f"        {body}"]
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        at = {v: n for v, n in most.items() if v != "u"}
        lines.append(f"        {_element(rng, rng.choice(arrays), at)} = s;")
    lines += [f"        out{number}[{'i' if 'j' not in most else '4*i + j'}] = s;", "    }"]
    return lines


def _element(rng: random.Random, array: _Array, most: dict[str, int]) -> str:
    return array.name + "".join(f"[{_index(rng, n, most)}]" for n in array.shape)


def _index(rng: random.Random, extent: int, most: dict[str, int]) -> str:
    """An index within 0 .. extent-1 for iterators from 0 to ``most``."""
    if rng.random() < 0.03:
        return f"in[{rng.randint(0, 15)}] & {(1 << (extent.bit_length() - 1)) - 1}"
    for _ in range(20):
        parts, top = [], 0
        for name, limit in most.items():
            times = rng.choice([0, 0, 1, 1, 2, 4]) if name != "j" else rng.choice([0, 0, 1])
            if times:
                parts.append(name if times == 1 else f"{times}*{name}")
                top += times * limit
        if top < extent:
            const = rng.randint(0, min(3, extent - 1 - top)) if parts else rng.randrange(extent)
            return " + ".join([*parts, str(const)] if const or not parts else parts)
    return str(rng.randrange(extent))
