"""Shared by the tests of the rewrite: texts in, texts out, and what gcc says of them."""

from __future__ import annotations

import math
import random
import re
import subprocess
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from hlspart.accesses import analyse
from hlspart.frontend import load
from hlspart.layouts.blockcyclic import BlockCyclicLayout
from hlspart.layouts.lattice import LatticeLayout, linear
from hlspart.layouts.layout import Layout
from hlspart.layouts.table import TableLayout
from hlspart.model.access import AccessAnalysis
from hlspart.model.options import FrontendOptions, Options, RewriteOptions, TargetOptions
from hlspart.model.program import Program
from hlspart.model.results import Validation
from hlspart.model.rewriting import RewriteResult
from hlspart.partition import validate
from hlspart.pipeline import Pipeline
from hlspart.rewrite import rewrite

WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-Wno-unused-label", "-Wno-type-limits"]
WARNINGS += ["-Wno-misleading-indentation"]  # of programs in one line
WARNINGS += ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]

STYLES = {
    "auto": (RewriteOptions(), ""),
    "auto, generic tool": (RewriteOptions(), "generic"),
    "split": (RewriteOptions(style="split"), ""),
    "split, dynamic bankdim": (RewriteOptions(style="split", dynamic="bankdim"), ""),
    "bankdim": (RewriteOptions(style="bankdim"), ""),
    "crossbar": (RewriteOptions(style="crossbar"), ""),
    "split, unrolled": (RewriteOptions(style="split", unroll=True), ""),
}
EDGE_STYLES = {
    **STYLES,
    "inferred": (RewriteOptions(infer=True), ""),
    "reuse": (RewriteOptions(style="reuse"), ""),
    "scalars": (RewriteOptions(style="scalars"), ""),
    "bankdim, clones": (RewriteOptions(style="bankdim", clone=True, split_struct=True), ""),
}
SANITIZED = ["-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]


def rewritten(text: str, style: str, name: str = "p.c") -> RewriteResult:
    """One program in one style, through the whole pipeline."""
    rewrite, tool = EDGE_STYLES[style]
    return pipeline(text, tool, name).rewrite(rewrite)


@lru_cache(maxsize=128)
def pipeline(text: str, tool: str, name: str = "p.c") -> Pipeline:
    """What is known of one program, for all styles together."""
    return Pipeline([name], Options(target=TargetOptions(tool=tool or None)), lambda _: text.encode())


def laid_out(text: str, layouts: Mapping[int, Layout]) -> RewriteResult:
    """The bank-centric rewrite of some arrays (by id) under layouts that no pragma says, through the whole pipeline."""
    made = pipeline(text, "")
    groups = {made.analysis.group_of[variable]: layout for variable, layout in layouts.items()}
    return made.rewriting(RewriteOptions()).banked(groups)


def random_lattice(r: random.Random, shape: tuple[int, ...], most: int) -> LatticeLayout:
    """The cosets of a random lattice of index 2 to ``most``: often of several characters."""
    while True:
        diagonal = [r.choice((1, 1, 2, 3, 4)) for _ in shape]
        if 2 <= math.prod(diagonal) <= most:
            break
    rows = [
        tuple(0 if k < j else h if k == j else r.randrange(h) for k, h in enumerate(diagonal))
        for j in range(len(shape))
    ]
    return LatticeLayout.of_hnf(shape, tuple(rows))


def random_layout(r: random.Random, shape: tuple[int, ...]) -> Layout:
    """A linear, block-cyclic, lattice or table layout of 2 to 12 banks."""
    kind = r.choice(("linear", "block-cyclic", "lattice", "table"))
    if kind == "lattice":
        return random_lattice(r, shape, 12)
    if kind == "table":
        classes = random_lattice(r, shape, 24)
        banks = r.randint(1 + (classes.banks > 2), min(classes.banks, 9))
        table = [*range(banks), *(r.randrange(banks) for _ in range(classes.banks - banks))]
        return TableLayout(classes, tuple(r.sample(table, len(table))))
    while True:
        banks, block = r.choice((2, 3, 4, 5, 6, 7, 9)), r.choice((2, 3))
        alpha = tuple(r.randrange(banks) for _ in shape)
        if math.gcd(*alpha, banks * block) == 1:
            return linear(shape, alpha, banks) if kind == "linear" else BlockCyclicLayout(shape, alpha, banks, block)


def laid_out_at_random(text: str, seed: int) -> RewriteResult:
    """The bank-centric rewrite of every array whose extents are known under a random layout."""
    program, analysis, _ = analysed(text)
    r = random.Random(seed)
    firsts = [program.variable(g.members[0]) for g in analysis.groups if not g.top]
    return laid_out(text, {v.id: random_layout(r, v.dims) for v in firsts if v.dims and all(v.dims)})


def piped(texts: str | Mapping[str, str], **rewrite: object) -> RewriteResult:
    """One rewrite through the whole pipeline, with the edits that open the way."""
    files = {"p.c": texts} if isinstance(texts, str) else texts
    made = Pipeline(list(files), Options(), lambda path: files[path].encode())
    return made.rewrite(RewriteOptions(**rewrite))  # type: ignore[arg-type]


Analysed = tuple[Program, AccessAnalysis, Validation]


def analysed(texts: str | Mapping[str, str], top: str | None = None) -> Analysed:
    """Program, accesses and partitions of some texts (one is called ``p.c``)."""
    files = {"p.c": texts} if isinstance(texts, str) else texts
    paths = [name for name in files if name.endswith(".c")]
    program = load(paths, FrontendOptions(), lambda path: files[path].encode())
    assert not any(unit.error for unit in program.units), program.diagnostics
    analysis = analyse(program, top)
    return program, analysis, validate(program, analysis)


def banked(texts: str | Mapping[str, str], top: str | None = None, **options: object) -> RewriteResult:
    """The result of one rewrite."""
    return rewrite(*analysed(texts, top), RewriteOptions(**options))  # type: ignore[arg-type]


def banked_as(text: str, array: str, layout: Layout) -> RewriteResult:
    """The bank-centric rewrite of one array under a layout that no pragma says."""
    program, analysis, validation = analysed(text)
    groups = [g.id for g in analysis.groups if any(program.variable(m).name == array for m in g.members)]
    return rewrite(program, analysis, validation, RewriteOptions(), layouts=dict.fromkeys(groups, layout))


def dangling(text: str) -> list[str]:
    """Pragmas of ``text`` about a variable that is declared nowhere where they stand.

    Scopes as the frontend sees them; the words of the text, which nothing but this function reads, as a second witness.
    """
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    words = set(re.findall(r"\w+", re.sub(r"^[ \t]*#pragma.*|//.*", "", code, flags=re.M)))
    named = re.findall(r"^[ \t]*#pragma.*?\b(?:variable|port)\s*=\s*(\w+(?:\s*,\s*\w+)*)", text, re.M | re.I)
    bad = [name for names in named for name in re.findall(r"\w+", names) if name not in words]
    program = load(["p.c"], FrontendOptions(), lambda _: text.encode())
    wants = [d for d in program.directives if d.option("variable") or d.option("port")]
    return bad + [d.text for d in wants if not d.variables]


def outputs(
    folder: Path,
    name: str,
    texts: Sequence[str],
    driver: str,
    flags: Sequence[str] = tuple(WARNINGS),
    compiler: Sequence[str] = ("gcc",),
) -> list[str]:
    """Lines that the program of ``texts`` and ``driver`` prints; no warning, no sanitizer report."""
    parts = []
    for text in texts:  # each text's macros end with it
        macros = dict.fromkeys(re.findall(r"^#define (\w+)", text, re.M))
        parts.append("#line 1\n" + text + "".join(f"\n#undef {m}" for m in macros) + "\n")
    suffix = "cpp" if compiler[0] == "g++" else "c"
    sources = [folder / f"{name}.{suffix}", folder / f"{name}_main.{suffix}"]
    sources[0].write_text("\n".join(parts))
    sources[1].write_text(driver)
    built = subprocess.run(
        [*compiler, *flags, *map(str, sources), "-o", str(folder / name)], capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr[:3000]
    done = subprocess.run([str(folder / name)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and not done.stderr, done.stderr[:3000]
    return done.stdout.splitlines()
