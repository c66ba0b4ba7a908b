"""Random programs through ``rewrite`` in every style, each output compiled, run and compared.

    python tests/random_rewrites.py [--count 2000] [--seed 0] [--batch 25] [--style NAME] [--kind edges]

Kinds are ``kernels`` (accesses that banks can serve), ``edges`` (what C makes hard), ``edges++`` (what C++ does) and
``memories`` (fills, windows and updates of memories that have several names).
Prints after each batch, per style, what became of the array groups so far, how many programs changed and how many
computed the same as the original; a program that did not is named with its seed (``--show SEED`` prints it).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "rewrite"))

import edges
import memories
from generator import driver, features, generate
from rewrite_help import (
    EDGE_STYLES,
    SANITIZED,
    STYLES,
    WARNINGS,
    laid_out_at_random,
    outputs,
    pipeline,
    rewritten,
)

from hlspart.model.rewriting import RewriteResult


@dataclass(frozen=True)
class Kind:
    """A sort of programs: how they are made, what they have, and how they are built."""

    generate: Callable[[int], str]
    features: Callable[[int], set[str]]
    name: str = "p.c"
    compiler: tuple[str, ...] = ("gcc",)


KINDS = {
    "kernels": Kind(generate, features),
    "edges": Kind(edges.generate, edges.features, "p.c", ("gcc", "-std=gnu11")),
    "edges++": Kind(
        partial(edges.generate, cxx=True), partial(edges.features, cxx=True), "p.cpp", ("g++", "-std=c++14")
    ),
    "memories": Kind(memories.generate, memories.features, "p.c", ("gcc", "-std=gnu11")),
}


def lines(folder: Path, texts: dict[int, str], flags: list[str], kind: Kind) -> dict[int, list[str] | str]:
    """What each program prints; the compiler's or the sanitizer's words where it fails."""
    if not texts:
        return {}
    try:
        printed = outputs(folder, "programs", list(texts.values()), driver(list(texts)), flags, kind.compiler)
    except (AssertionError, subprocess.TimeoutExpired) as fault:
        if len(texts) == 1:
            return {next(iter(texts)): f"{fault}"[:1500]}
        items = list(texts.items())
        half = len(items) // 2
        return {**lines(folder, dict(items[:half]), flags, kind), **lines(folder, dict(items[half:]), flags, kind)}
    return {seed: [one for one in printed if one.startswith(f"{seed}/")] for seed in texts}


ALWAYS = ("auto", "bankdim", "split, dynamic bankdim")  # have a way to write every affine access
LAYOUTS = "layouts"  # crossbar with linear and block-cyclic layouts at random


def banked(text: str, style: str, seed: int, name: str) -> RewriteResult:
    """One program in one style; a style that is asked for is written whatever its II, which is not asked here."""
    if style == LAYOUTS:
        return laid_out_at_random(text, seed)
    options, tool = EDGE_STYLES[style]
    if options.style in ("auto", "reuse", "scalars"):
        return rewritten(text, style, name)
    return pipeline(text, tool, name).rewriting(options).run()


def affine_and_in_range(text: str, group: int) -> bool:
    """Whether nothing but the accesses' places could forbid to bank a group."""
    analysis = pipeline(text, "").analysis
    found = next(g for g in analysis.groups if g.id == group)
    return not found.faults and all(a.affine and a.in_range for m in found.members for a in analysis.of_array(m))


def batch(
    seeds: list[int], styles: list[str], folder: Path, tables: dict[str, Counter[str]], flags: list[str], kind: Kind
) -> None:
    """One compilation per style; counts go to ``tables``."""
    originals = {seed: kind.generate(seed) for seed in seeds}
    expected = lines(folder, originals, flags, kind)
    seen = {(seed, originals[seed]): printed for seed, printed in expected.items()}  # the same text prints the same
    for style in styles:
        table = tables[style]
        results = {}
        for seed, text in originals.items():
            try:
                results[seed] = banked(text, style, seed, kind.name)
            except Exception as fault:  # a traceback is a finding of this script
                table["TRACEBACK"] += 1
                print(f"seed {seed}, {style}: {fault!r}", flush=True)
        for seed, result in results.items():
            for outcome in result.outcomes:
                table[f"{outcome.status} {outcome.code or ''}".strip()] += 1
                if outcome.status in ("refused", "conflict") and kind is KINDS["kernels"]:
                    if style in ALWAYS and affine_and_in_range(originals[seed], outcome.group):
                        table["REFUSED THOUGH AFFINE AND IN RANGE"] += 1
                    print(f"seed {seed}, {style}: {outcome.code}: {outcome.reason}", flush=True)
        texts = {seed: result.files[kind.name] for seed, result in results.items()}
        new = {seed: text for seed, text in texts.items() if text != originals[seed]}
        table["programs changed"] += len(new)
        if kind is not KINDS["kernels"]:
            for seed, text in new.items():
                try:
                    again = banked(text, style, seed, kind.name).files[kind.name]
                except Exception as fault:
                    table["TRACEBACK"] += 1
                    print(f"seed {seed}, {style}, second run: {fault!r}", flush=True)
                    continue
                if again != text:
                    table["CHANGED BY A SECOND RUN"] += 1
                    print(f"seed {seed}, {style}: a second run changes the output", flush=True)
        ran = lines(folder, {seed: text for seed, text in new.items() if (seed, text) not in seen}, flags, kind)
        seen.update({(seed, texts[seed]): printed for seed, printed in ran.items()})
        for seed, text in texts.items():
            printed = seen[seed, text]
            same = printed == expected[seed] and isinstance(printed, list)
            table["programs equal" if same else "PROGRAMS DIFFERENT"] += 1
            if not same:
                print(f"seed {seed}, {style}: {printed if isinstance(printed, str) else 'other output'}", flush=True)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch", type=int, default=25)
    parser.add_argument("--fast", action="store_true", help="without warnings and sanitizers: compare outputs only")
    parser.add_argument("--kind", choices=KINDS, default="kernels")
    parser.add_argument("--style", choices=[*EDGE_STYLES, LAYOUTS], action="append")
    parser.add_argument("--features", action="store_true", help="print how many programs have what, and stop")
    parser.add_argument("--show", type=int, help="print the program of this seed and its outputs")
    arguments = parser.parse_args()
    kind = KINDS[arguments.kind]
    kernels = arguments.kind == "kernels"
    styles = arguments.style or ([*STYLES, LAYOUTS] if kernels else [*EDGE_STYLES])
    if arguments.show is not None:
        text = kind.generate(arguments.show)
        shown = (banked(text, style, arguments.show, kind.name).files[kind.name] for style in styles)
        print(text, *shown, sep="\n/* ------ */\n")
        return 0
    if arguments.features:
        count = Counter(
            f for seed in range(arguments.seed, arguments.seed + arguments.count) for f in kind.features(seed)
        )
        print("\n".join(f"{feature}: {n / arguments.count:.1%}" for feature, n in count.most_common()))
        return 0
    tables: dict[str, Counter[str]] = {style: Counter() for style in styles}
    seeds = list(range(arguments.seed, arguments.seed + arguments.count))
    strict = ["-w"] if arguments.fast else WARNINGS if kernels else SANITIZED
    with tempfile.TemporaryDirectory() as folder:
        for at in range(0, len(seeds), arguments.batch):
            batch(seeds[at : at + arguments.batch], styles, Path(folder), tables, strict, kind)
            print(f"{min(at + arguments.batch, len(seeds))} of {len(seeds)} programs")
            for style, table in tables.items():
                print(f"{style}: " + ", ".join(f"{k} {n}" for k, n in sorted(table.items())), flush=True)
    return int(any(k.isupper() or "DIFFERENT" in k for table in tables.values() for k in table))


if __name__ == "__main__":
    sys.exit(main())
