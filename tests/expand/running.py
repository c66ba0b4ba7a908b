"""Original and expanded functions side by side: the element loops also run backwards and rotated."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from hlspart.expand.engine import Engine, RegionPlan
from hlspart.model.expanding import Form, Request
from hlspart.model.options import Options
from hlspart.model.source import apply_edits
from hlspart.pipeline import Pipeline

_PROCESS = re.compile(r"^    f_\w+_pe\(.*\n", re.M)
_ELEMENTS = re.compile(r"for \(int (\w+_p(?:_\d+)?) = 0; \1 < (\w+); \1\+\+\) \{")

#: Main program around pairs of functions ``void f(int a[64], int b[64], int c[24][24], int o[2])``.
_MAIN = """
#include <stdio.h>
#include <string.h>
typedef void (*F)(int *, int *, int (*)[24], int *);
static unsigned state = 1;
static int next(void) { state = state * 1103515245u + 12345u; return (int)(state >> 16) % 2000 - 1000; }
static int a[2][64], b[2][64], c[2][24][24], o[2][2];
static void fill(int *p, int n) { for (int i = 0; i < n; i++) p[i] = next(); }
static int bad = 0, ran = 0;
static void run(const char *name, F f, F g) {
    fill(a[0], 64); fill(b[0], 64); fill(&c[0][0][0], 24 * 24); fill(o[0], 2);
    memcpy(a[1], a[0], sizeof a[0]); memcpy(b[1], b[0], sizeof b[0]);
    memcpy(c[1], c[0], sizeof c[0]); memcpy(o[1], o[0], sizeof o[0]);
    f(a[0], b[0], c[0], o[0]); g(a[1], b[1], c[1], o[1]);
    ran++;
    if (memcmp(a[0], a[1], sizeof a[0]) || memcmp(b[0], b[1], sizeof b[0]) || memcmp(c[0], c[1], sizeof c[0])
        || memcmp(o[0], o[1], sizeof o[0])) { printf("differs: %s\\n", name); bad++; }
}
"""


def backwards(text: str) -> str:
    """The elements in the other order."""
    calls = _PROCESS.findall(text)
    text = _PROCESS.sub(lambda _: calls.pop(), text)
    return _ELEMENTS.sub(r"for (int \1 = \2 - 1; \1 >= 0; \1--) {", text)


def rotated(text: str) -> str:
    """The elements from the middle on."""
    return _ELEMENTS.sub(r"for (int \1_r = 0; \1_r < \2; \1_r++) { const int \1 = (\1_r + \2 / 2) % \2;", text)


def renamed(text: str, name: str) -> str:
    """The function ``f`` and those written for it, under another name."""
    return re.sub(r"\bf(_\w+)?\(", rf"{name}\1(", text)


def open_text(text: str) -> Pipeline:
    """A pipeline over one text, without a file."""
    return Pipeline(["nest.c"], Options(), lambda _: text.encode())


def plan_of(pipeline: Pipeline, loop: str, pes: tuple[int, ...], **given: object) -> tuple[RegionPlan, str | None]:
    """The plan of a region and the new text, if there is one."""
    loops = [x for x in pipeline.program.loops.values() if x.name in loop.split(",")]
    loops.sort(key=lambda x: x.at.span.start)
    values: dict[str, object] = {
        "function": loops[0].function, "loops": tuple(x.id for x in loops), "pe": pes, "grid": None,
        "maps": ("cyclic",) * len(loops), "order": "time-space", "reduce": "tree", "reassoc": True, "interleave": 1,
        "remainder": "guard", "stage": (), "objective": "steps", "time_tile": True, "origin": "option",
    }  # fmt: skip
    request = Request(**{**values, **given})  # type: ignore[arg-type]
    interleave = request.interleave if isinstance(request.interleave, int) else 1
    plan = Engine(pipeline.program, pipeline.analysis, None).plan(
        request, Form(request.remainder == "peel", interleave)
    )
    if plan.edit is None:
        return plan, None
    return plan, apply_edits(pipeline.program.sources["nest.c"], plan.edits)


def differing(pairs: Sequence[tuple[str, str, str]], folder: Path) -> list[str]:
    """Names of the pairs (name, original, expanded) that differ in some order of the elements; run under sanitizers."""
    parts, calls = [_MAIN], []
    for n, (name, old, new) in enumerate(pairs):
        parts.append("static " + renamed(old, f"f{n}"))
        for k, text in enumerate((new, backwards(new), rotated(new))):
            parts.append("static " * (not text.startswith("static")) + renamed(text, f"g{n}_{k}"))
            calls.append(f'    run("{name}", f{n}, g{n}_{k});')
    parts.append("int main(void) {\n" + "\n".join(calls) + f"\n    return bad || ran != {3 * len(pairs)};\n}}\n")
    (folder / "all.c").write_text("\n".join(parts))
    build = ["gcc", "-std=gnu11", "-w", "-O0", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"]
    subprocess.run([*build, str(folder / "all.c"), "-o", str(folder / "all")], check=True)
    done = subprocess.run([str(folder / "all")], capture_output=True, text=True, env={"ASAN_OPTIONS": "detect_leaks=0"})
    found = [line.removeprefix("differs: ") for line in done.stdout.splitlines()]
    assert done.returncode == 0 or found, done.stderr
    return found
