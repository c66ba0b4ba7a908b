"""What commands say and write about a program, held against ``ii`` of the text before and of the text written.

The comparison is by labels and functions, and knows nothing of how the commands check themselves. Run as a script:
``python tests/infer/nest_answers.py FIRST COUNT`` for so many seeds of random nests, each for one of the tools.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import random_nests

from hlspart.infer import emission
from hlspart.model.inferred import InferResult
from hlspart.model.options import FrontendOptions, InferOptions, Options, RewriteOptions, TargetOptions
from hlspart.model.results import IIResult, LoopResult
from hlspart.pipeline import Pipeline

TOOLS = (
    "vitis-2022.1", "vitis-2020.2", "vitis-2022.2", "vivado-hls-2019.2", "vitis-2024.2", "vitis-2025.2",
    "vivado-hls-2016.4", "vitis-2021.1", "vitis-2023.2",
)  # fmt: skip
STYLES = ("auto", "split", "bankdim", "crossbar")
Key = tuple[str, str]  # function and name


def pipeline(text: str, tool: str, cfg: str = "") -> Pipeline:
    """A program of one file, and directives beside it."""
    files = {"k.c": text.encode(), "k.cfg": cfg.encode()}
    front = FrontendOptions(directive_files=("k.cfg",) if cfg else ())
    return Pipeline(["k.c"], Options(frontend=front, target=TargetOptions(tool=tool)), lambda path: files[path])


@dataclass
class Compared:
    """Contradictions, and how often there was something to contradict."""

    text: str
    tool: str
    faults: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def run(self) -> Compared:
        """All commands that write."""
        p = pipeline(self.text, self.tool)
        before = p.figures
        for name, options in (
            ("infer", InferOptions()),
            ("infer --scheme pragma", InferOptions(scheme="pragma")),
            ("directives", InferOptions(scheme="pragma", beside=True, sparing=True)),
        ):
            result = pipeline(self.text, self.tool).infer(options)
            self._named(name, result, before)
            self._written(name, p, result, options, before)
        for options in (RewriteOptions(infer=True, split_top=True), *(RewriteOptions(style=s) for s in STYLES)):  # type: ignore[arg-type]
            result = pipeline(self.text, self.tool).rewrite(options)
            new = result.files["k.c"]
            if new != self.text:
                name = "rewrite --infer" if options.infer else f"rewrite --style {options.style}"
                self.counts[name] += 1
                said = [d.message for d in result.diagnostics if d.rule == "rewrite-slower"]
                assert (
                    not said or options.style != "auto"
                )  # a style that is asked for is written, and what it costs said
                self._not_slower(name, before, pipeline(new, self.tool).figures, said)
        q = pipeline(self.text, self.tool)
        fixed = q.fix(q.lint(), unsafe=True).texts.get("k.c", self.text)
        if fixed != self.text:
            self.counts["lint --fix"] += 1
            self._not_slower("lint --fix", before, pipeline(fixed, self.tool).figures)
        return self

    def _named(self, name: str, result: InferResult, before: IIResult) -> None:
        """Infer names the pipelined loops of ii, with the same II; where there is none, loops that have no II."""
        loops = {(x.function, x.name): x for x in before.loops}
        pipelined = {key for key, x in loops.items() if x.pipelined}
        named = {(x.function, x.name) for x in result.loops}
        if named != pipelined and (pipelined or not named <= loops.keys()):
            self.faults.append(f"{name} names {sorted(named)}, ii {sorted(pipelined)}")
            return
        for x in result.loops:
            self.counts["loops"] += 1
            old = loops[x.function, x.name]
            bounds = old.bounds if old.ii is None else None
            if (x.ii_before, x.span_before) != (old.ii, bounds):
                said = f"{x.ii_before or x.span_before} instead of {old.ii or bounds}"
                self.faults.append(f"{name}: {x.name} before: {said}")

    def _written(self, name: str, p: Pipeline, result: InferResult, options: InferOptions, before: IIResult) -> None:
        """The II after is that of the text that is written; without the rewrite where nothing needs it."""
        texts = emission.pragma_texts(p.program, result)
        if options.beside:
            new = emission.removals(p.program, result).get("k.c", self.text)
            after = pipeline(new, self.tool, emission.emit(p.program, result, "cfg"))
        else:
            after = pipeline(texts.get("k.c", self.text), self.tool)
        if any(a.fresh or a.removed for a in result.arrays):
            self.counts[name] += 1
            self._not_slower(name, before, after.figures)
        if any(a.needs_rewrite for a in result.arrays):
            self.counts["needs the rewrite"] += 1
            after = pipeline(p.rewriting(RewriteOptions(split_top=True)).inferred(result).files["k.c"], self.tool)
            self._not_slower(f"{name}, rewritten", before, after.figures)
        labels = {(x.function, x.name): _key(x) for x in before.loops}
        then = {_key(x): x for x in after.figures.loops}
        for x in result.loops:
            new_loop = then.get(labels[x.function, x.name])
            if new_loop is None:
                self.faults.append(f"{name}: {x.name} is not in the text written")
            elif (x.ii_after, x.span_after) != (new_loop.ii, new_loop.bounds if new_loop.ii is None else None):
                said = f"{x.ii_after or x.span_after} instead of {new_loop.ii or new_loop.bounds}"
                self.faults.append(f"{name}: {x.name} after: {said}")
            self.counts["gains"] += x.ii_after is not None and x.ii_before is not None and x.ii_after < x.ii_before

    def _not_slower(self, name: str, before: IIResult, after: IIResult, told: Sequence[str] = ()) -> None:
        """``told``: what a command says of loops and functions that are slower."""
        then = {_key(x): x for x in after.loops}
        for old in before.loops:
            new = then.get(_key(old))
            if any(f" {old.name}: " in text for text in told):
                self.counts["slower, as said"] += 1
            elif old.pipelined and (new is None or _most(new) > _most(old)):
                said = "is gone" if new is None else f"has II {new.ii or new.bounds} instead of {old.ii or old.bounds}"
                self.faults.append(f"{name}: {old.name} {said}")
        latency = {x.name: x.latency.max for x in after.functions}
        unknown = any(x.pipelined and x.ii is None for x in after.loops)
        for f in before.functions:
            was, now = f.latency.max, latency.get(f.name)
            if any(
                f" {x.name}: " in text for text in told for x in (f, *(x for x in before.loops if x.function == f.name))
            ):
                continue
            excused = unknown or _gains(f.name, before, after)
            if was is not None and (not excused if now is None else now > was):
                self.faults.append(f"{name}: {f.name} takes {now} cycles instead of {was}")


def _key(loop: LoopResult) -> Key:
    """What names a loop in any text: a nest is flattened or not, its innermost label stays."""
    return loop.function, loop.label or loop.name


def _gains(function: str, before: IIResult, after: IIResult) -> bool:
    """Whether one loop alone gains more cycles than a division of 32 bits (36 states) costs in each of all loops."""
    then = {_key(x): x.latency.max for x in after.loops}
    pairs = [(x.latency.max, then.get(_key(x))) for x in before.loops if x.function == function and x.pipelined]
    hidden = sum(was is not None and now is None for was, now in pairs)
    return any(was is not None and now is not None and was - now > 36 * hidden for was, now in pairs)


def _most(loop: LoopResult) -> float:
    """The most that the II can be."""
    if not loop.pipelined:
        return float("inf")
    return loop.ii or (loop.bounds[1] if loop.bounds is not None else float("inf"))


def compared(seeds: range, tools: tuple[str, ...] = TOOLS) -> Iterator[tuple[int, Compared]]:
    """Each seed for one of the tools."""
    for seed in seeds:
        yield seed, Compared(random_nests.program(seed), tools[seed % len(tools)]).run()


def main(first: int, count: int) -> int:
    total, bad = Counter[str](), 0
    for seed, found in compared(range(first, first + count)):
        total += found.counts
        bad += bool(found.faults)
        for fault in found.faults:
            print(f"{seed} {found.tool}: {fault}", flush=True)
    print(f"{count} programs, {bad} with contradictions: {dict(total)}")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
