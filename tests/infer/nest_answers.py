"""What commands say and write about a program, held against ``ii`` of the text before and of the text written.

The comparison is by labels and functions, and knows nothing of how the commands check themselves. Run as a script:
``python tests/infer/nest_answers.py FIRST COUNT`` for so many seeds of random nests, each for one of the tools;
``python tests/infer/nest_answers.py --files FILE_OR_FOLDER ...`` for the C and C++ files there, in the same way.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

import random_nests
from msgspec.structs import replace

from hlspart.infer import emission
from hlspart.model.inferred import InferResult
from hlspart.model.linting import LintReport
from hlspart.model.options import FrontendOptions, InferOptions, Options, RewriteOptions, TargetOptions
from hlspart.model.results import IIResult, LoopResult
from hlspart.pipeline import Pipeline
from hlspart.reading import read_file

TOOLS = (
    "vitis-2022.1", "vitis-2020.2", "vitis-2022.2", "vivado-hls-2019.2", "vitis-2024.2", "vitis-2025.2",
    "vivado-hls-2016.4", "vitis-2021.1", "vitis-2023.2",
)  # fmt: skip
STYLES = ("auto", "split", "bankdim", "crossbar")
Key = tuple[str, str]  # function and name
UNLABELLED = re.compile(r"(VITIS_LOOP_)(\d+)(_\d+)")
MISSED = re.compile(r"loop (\S+?)(?:, which the tool pipelines by itself)?: II (.+?) instead of (\d+)")  # lint's words


def pipeline(text: str, tool: str, cfg: str = "", path: str = "k.c") -> Pipeline:
    """A program of one file, its headers where it stands, and directives beside it."""
    files = {path: text.encode("utf-8", "surrogateescape"), "k.cfg": cfg.encode()}
    front = FrontendOptions(directive_files=("k.cfg",) if cfg else ())
    options = Options(frontend=front, target=TargetOptions(tool=tool))
    return Pipeline([path], options, lambda name: files[name] if name in files else read_file(name))


@dataclass
class Compared:
    """Contradictions, and how often there was something to contradict."""

    text: str
    tool: str
    path: str = "k.c"
    faults: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def _program(self, text: str, cfg: str = "") -> Pipeline:
        return pipeline(text, self.tool, cfg, self.path)

    def _moved(self, text: str, cfg: str = "") -> IIResult:
        """The figures of another text, where names of loops that tell a line tell that of the text before."""
        lines: dict[int, int] = {}
        for k in SequenceMatcher(None, self.text.splitlines(), text.splitlines(), autojunk=False).get_matching_blocks():
            lines.update(zip(range(k.b + 1, k.b + k.size + 1), range(k.a + 1, k.a + k.size + 1), strict=True))
        found = self._program(text, cfg).figures
        return replace(found, loops=tuple(replace(x, name=_renumbered(x.name, lines)) for x in found.loops))

    def run(self) -> Compared:
        """All commands that write, and what lint says."""
        p = self._program(self.text)
        before = p.figures
        for name, options in (
            ("infer", InferOptions()),
            ("infer --scheme pragma", InferOptions(scheme="pragma")),
            ("directives", InferOptions(scheme="pragma", beside=True, sparing=True)),
        ):
            result = self._program(self.text).infer(options)
            self._named(name, result, before)
            self._written(name, p, result, options, before)
        for options in (RewriteOptions(infer=True, split_top=True), *(RewriteOptions(style=s) for s in STYLES)):  # type: ignore[arg-type]
            result = self._program(self.text).rewrite(options)
            new = result.files[self.path]
            if new != self.text:
                name = "rewrite --infer" if options.infer else f"rewrite --style {options.style}"
                self.counts[name] += 1
                said = [d.message for d in result.diagnostics if d.rule == "rewrite-slower"]
                said = [x for x in said if "left as it is" not in x]
                assert not said or options.style != "auto"  # what is asked for is written, and what it costs said
                self._not_slower(name, before, self._moved(new), said)
        q = self._program(self.text)
        found = q.lint()
        self._linted(found, before)
        fixed = q.fix(found, unsafe=True).texts.get(self.path, self.text)
        if fixed != self.text:
            self.counts["lint --fix"] += 1
            self._not_slower("lint --fix", before, self._moved(fixed))
        return self

    def _linted(self, report: LintReport, before: IIResult) -> None:
        """Of a loop whose II lint says that it is missed, ii says so, too, with the same figures."""
        figures = {(x.name, str(x.figure), str(x.aim)) for x in before.loops if x.misses or x.ii is None}
        for item in report.diagnostics:
            said = MISSED.match(item.message)
            if said is not None:
                self.counts["lint on a missed II"] += 1
                if said.groups() not in figures:
                    self.faults.append(f"lint: {item.message}")

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
            new = emission.removals(p.program, result).get(self.path, self.text)
            after = self._moved(new, emission.emit(p.program, result, "cfg"))
        else:
            after = self._moved(texts.get(self.path, self.text))
        if any(a.fresh or a.removed for a in result.arrays):
            self.counts[name] += 1
            self._not_slower(name, before, after)
        if any(a.needs_rewrite for a in result.arrays):
            self.counts["needs the rewrite"] += 1
            after = self._moved(p.rewriting(RewriteOptions(split_top=True)).inferred(result).files[self.path])
            self._not_slower(f"{name}, rewritten", before, after)
        labels = {(x.function, x.name): _key(x) for x in before.loops}
        then = {_key(x): x for x in after.loops}
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


def _renumbered(name: str, lines: Mapping[int, int]) -> str:
    """The name of a loop without a label with the lines that its parts come from; those of new loops have none."""
    return UNLABELLED.sub(lambda m: f"{m[1]}{lines.get(int(m[2]), '')}{m[3]}", name)


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


def compared_files(given: Sequence[str]) -> Iterator[tuple[str, Compared]]:
    """Each C and C++ file with a loop for one of the tools."""
    paths = [p for g in map(Path, given) for p in (sorted(g.rglob("*")) if g.is_dir() else [g])]
    for k, path in enumerate(p for p in paths if p.suffix in (".c", ".cpp", ".cc", ".cxx")):
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        found = Compared(text, TOOLS[k % len(TOOLS)], str(path))
        program = pipeline(text, found.tool, "", str(path)).program
        if program.loops and not any(unit.error for unit in program.units):
            yield str(path), found.run()


def main(given: Sequence[str]) -> int:
    total, bad, count = Counter[str](), 0, 0
    files = given[:1] == ["--files"]
    first, last = (0, 0) if files else (int(given[0]), int(given[0]) + int(given[1]))
    for name, found in compared_files(given[1:]) if files else compared(range(first, last)):
        total, count = total + found.counts, count + 1
        bad += bool(found.faults)
        for fault in found.faults:
            print(f"{name} {found.tool}: {fault}", flush=True)
    print(f"{count} programs, {bad} with contradictions: {dict(total)}")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
