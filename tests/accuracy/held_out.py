"""Prediction against reports of designs that are no part of this repository: every loop and function counts.

A specification is a JSON list. Each entry names a design: ``sources`` (paths below ``--root``, or their text by name in
``texts``), ``top``, ``tool``, ``part``, ``clock_ns``, ``directives`` (files), ``include`` (folders of headers),
``settings`` (configuration of the project by key, such as ``config_compile.unsafe_math_optimizations``) and ``project``
(its file, which says folders of headers and macros, and sources where the entry has none). What the report says of it
is one of

- a loop: ``loop`` (its reported name), ``module``, ``ii``, ``depth``;
- a function: ``latency_min``, ``latency_max``, and ``bram18k``, ``dsp``, ``ff``, ``lut`` where they are known;
- ``reports``: synthesis reports (paths below ``--root``), all loops of which count.

A design that is not read, or not in time, has loops that are "not found" and functions without a figure.

Halves are drawn by :func:`half`: rules may be found in the one, the other is counted only.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import re
import signal
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import projects

from hlspart.model.access import Bounds
from hlspart.model.comparing import LoopComparison, Report, ReportedLoop
from hlspart.model.options import FrontendOptions, Options, TargetOptions
from hlspart.model.parts import FunctionUse
from hlspart.pipeline import Pipeline
from hlspart.reports.reports import merged, read

Entry = Mapping[str, Any]
RESOURCES = ("dsp", "bram18k", "ff", "lut")
WALL = 10  # times as long by the clock, for a call that no signal interrupts
OUTCOMES = ("right", "wrong", "bounds", "bounds that miss", "unknown", "not found")


@dataclass(frozen=True, slots=True)
class Judged:
    """One reported loop or function: what became of it, and by how much each figure is off."""

    design: str
    name: str
    outcome: str
    said: str  # predicted for reported
    cause: str = ""
    depth_off: int | None = None  # of a loop whose II is right
    depth: bool = False  # whether the report has one


@dataclass(frozen=True, slots=True)
class Function:
    """A reported function and its prediction."""

    design: str
    name: str
    reported: Bounds
    predicted: Bounds
    cause: str
    resources: Mapping[str, tuple[int, int | None]] = field(default_factory=dict)  # reported, predicted

    @property
    def known(self) -> bool:
        """Whether both latencies are predicted."""
        return self.predicted.min is not None and self.predicted.max is not None

    @property
    def exact(self) -> bool:
        """Least and most cycles as reported."""
        return self.predicted == self.reported

    @property
    def near(self) -> bool:
        """Least and most cycles within 5 %."""
        pairs = zip(_ends(self.predicted), _ends(self.reported), strict=True)
        return all(p is not None and r is not None and abs(p - r) <= 0.05 * r for p, r in pairs)

    @property
    def fair(self) -> bool:
        """Most cycles within 20 %."""
        p, r = self.predicted.max, self.reported.max
        return p is not None and r is not None and abs(p - r) <= 0.2 * r

    @property
    def nothing(self) -> bool:
        """No cycles where the report has some."""
        return self.predicted.max == 0 and bool(self.reported.max)


def _ends(bounds: Bounds) -> tuple[int | None, int | None]:
    return bounds.min, bounds.max


def half(name: str) -> str:
    """The half that a design is in, by the MD5 of its name: ``used`` where it is even, else ``held``.

    Names: ``owner/repository`` for repositories as a whole, ``owner/repository:folder`` for the designs of one,
    ``source/algo/top`` for functions of zedong-peng/ForgeHLS-benchmark.
    """
    return "held" if hashlib.md5(name.encode(), usedforsecurity=False).digest()[-1] % 2 else "used"


def designs(entries: Iterable[Entry]) -> list[list[Entry]]:
    """Entries of one design together, as it is predicted once."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        keys = (
            "sources",
            "texts",
            "top",
            "tool",
            "part",
            "clock_ns",
            "flow",
            "directives",
            "include",
            "settings",
            "project",
        )
        found.setdefault(json.dumps([entry.get(k) for k in keys], sort_keys=True), []).append(entry)
    return list(found.values())


def judge(entries: Sequence[Entry], root: Path) -> tuple[list[Judged], list[Function]]:
    """What the prediction of one design says of all that is reported of it. Raises what reading it raises."""
    first = entries[0]
    pipeline = _pipeline(first, root)
    said = list(_reported(entries, root))
    report = Report(first["tool"], first["part"], first["clock_ns"], tuple(said), (), ())
    result = pipeline.figures
    rows = pipeline.compared(report).loops
    name = _title(first)
    loops = [_loop(name, row) for row in rows if row.reported is not None and row.reported.ii is not None]
    functions = []
    for entry in entries:
        if "latency_min" in entry:
            mine = next((f for f in result.functions if f.name == entry["top"]), None)
            predicted = mine.latency if mine is not None else Bounds(None, None)
            used = mine.resources if mine is not None else FunctionUse()
            pairs = {k: (int(entry[k]), getattr(used, k)) for k in RESOURCES if entry.get(k) is not None}
            cause = "" if mine is None else mine.cause or ""
            functions.append(Function(name, entry["top"], _cycles(entry), predicted, cause, pairs))
    return loops, functions


def missing(entries: Sequence[Entry], root: Path, why: str) -> tuple[list[Judged], list[Function]]:
    """What is counted of a design that was not predicted."""
    name = _title(entries[0])
    reported = (x for x in _reported(entries, root) if x.ii is not None)
    loops = [Judged(name, x.name, "not found", f"- for {x.ii}", why) for x in reported]
    functions = [
        Function(name, e["top"], _cycles(e), Bounds(None, None), why,
                 {k: (int(e[k]), None) for k in RESOURCES if e.get(k) is not None})
        for e in entries if "latency_min" in e
    ]  # fmt: skip
    return loops, functions


def _pipeline(entry: Entry, root: Path) -> Pipeline:
    texts = {name: text.encode() for name, text in entry.get("texts", {}).items()}
    names = [n for n in texts if Path(n).suffix not in (".h", ".hpp")]
    paths = [str(root / s) for s in entry.get("sources", ())] or names
    said = projects.project(root / entry["project"]) if "project" in entry else projects.Project()
    paths = paths or [str(p) for p in said.sources]
    directives = [str(root / d) for d in entry.get("directives", ())]
    own = dict.fromkeys(Path(p).parent for p in paths)
    others = projects.nearest((root / d for d in entry.get("include", ())), Path(paths[0])) if paths else []
    folders = dict.fromkeys(str(f) for f in (*own, *said.include, *others))
    frontend = FrontendOptions(include_dirs=tuple(folders), directive_files=tuple(directives), defines=said.defines)
    target = TargetOptions(
        part=entry["part"], tool=entry["tool"], clock_ns=entry["clock_ns"], flow=entry.get("flow"),
        settings=tuple(entry.get("settings", {}).items()),
    )  # fmt: skip

    def content(path: str) -> bytes:
        return texts[path] if path in texts else Path(path).read_bytes()

    return Pipeline(paths, Options(frontend=frontend, target=target, top=entry["top"]), content)


def _reported(entries: Sequence[Entry], root: Path) -> Iterator[ReportedLoop]:
    none = Bounds(None, None)
    for entry in entries:
        if "loop" in entry:
            trip = Bounds(*entry["trip"]) if "trip" in entry else none
            module, depth = entry.get("module"), entry.get("depth")
            yield ReportedLoop(module, entry["loop"], entry["ii"], entry.get("target"), depth, trip, none, True, "")
        paths = [root / r for r in entry.get("reports", ())]
        found = merged(read(str(p), p.read_text(errors="replace")) for p in paths)
        yield from found.loops


def _cycles(entry: Entry) -> Bounds:
    low, high = (None if entry[k] in (None, "NA") else int(float(entry[k])) for k in ("latency_min", "latency_max"))
    return Bounds(low, high)


def _title(entry: Entry) -> str:
    return str(entry.get("algo") or entry.get("name") or Path(next(iter(entry.get("sources") or ("?",)))).stem)


def _loop(design: str, row: LoopComparison) -> Judged:
    said = row.reported
    assert said is not None
    low, high = row.predicted_bounds or (None, None)
    figure = str(row.predicted_ii) if row.predicted_ii is not None else f"{low}..{high}" if low is not None else "?"
    off = None if said.depth is None or row.predicted_depth is None else row.predicted_depth - said.depth
    if row.predicted_depth is None and row.predicted_trip is None:
        outcome = "not found"
    elif row.predicted_ii is not None:
        outcome = "right" if row.predicted_ii == said.ii else "wrong"
    elif low is not None and high is not None:
        outcome = "bounds" if low <= (said.ii or 0) <= high else "bounds that miss"
    else:
        outcome = "unknown"
    cause = row.why or ""
    return Judged(design, said.name, outcome, f"{figure} for {said.ii}", cause, off, said.depth is not None)


# ------------------------------------------------------------------------------------- running


def run(
    spec: Path, root: Path, seconds: float, only: str | None = None, part: str | None = None
) -> tuple[list[Judged], list[Function]]:
    """All designs of a specification (``part``: of one half), a process and ``seconds`` of a processor for each."""
    entries = [e for e in json.loads(spec.read_text(encoding="utf-8")) if only is None or re.search(only, _title(e))]
    entries = [e for e in entries if part is None or half(str(e.get("name") or _title(e))) == part]
    context = multiprocessing.get_context("fork")
    loops: list[Judged] = []
    functions: list[Function] = []
    for design in designs(entries):
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(there, design, root, seconds))
        process.start()
        there.close()
        answer: object = _late(seconds)
        if here.poll(WALL * seconds):
            try:
                answer = here.recv()
            except EOFError:
                answer = "the process ended without an answer"
        process.kill()
        process.join()
        some, more = missing(design, root, answer) if isinstance(answer, str) else answer  # type: ignore[misc]
        loops += some
        functions += more
    return loops, functions


def _late(seconds: float) -> str:
    return f"not read in {seconds:g} s"


def _work(pipe: Any, design: Sequence[Entry], root: Path, seconds: float) -> None:
    def stop(*_: object) -> None:
        pipe.send(_late(seconds))
        os._exit(1)

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        pipe.send(judge(design, root))
    except Exception as error:  # an answer of its own: it is counted
        pipe.send(f"{type(error).__name__}: {error}")


# ------------------------------------------------------------------------------------- tables


def loop_table(loops: Sequence[Judged]) -> str:
    """Outcomes of all loops, and depths of the right ones."""
    count, whole = Counter(x.outcome for x in loops), max(1, len(loops))
    lines = [f"loops in the reports    {len(loops):6}"]
    lines += [f"  {name:21} {count[name]:6} {count[name] / whole:7.1%}" for name in OUTCOMES]
    numbers = count["right"] + count["wrong"]
    lines.append(f"  right of numbers given{count['right']:6} of {numbers} ({count['right'] / max(1, numbers):.1%})")
    right = [x for x in loops if x.outcome == "right" and x.depth]
    near = sum(x.depth_off is not None and abs(x.depth_off) <= 1 for x in right)
    unknown = sum(x.depth_off is None for x in right)
    lines.append(f"  depth within 1        {near:6} of {len(right)} right loops ({unknown} unknown)")
    return "\n".join(lines)


def function_table(functions: Sequence[Function]) -> str:
    """Latencies of all functions, and their resources."""
    whole = max(1, len(functions))
    known = [f for f in functions if f.known]
    rows = (
        ("with a latency", len(known), whole),
        ("exact", sum(f.exact for f in functions), whole),
        ("within 5 %", sum(f.near for f in known), max(1, len(known))),
        ("most within 20 %", sum(f.fair for f in functions), whole),
        ("none for some", sum(f.nothing for f in functions), whole),
    )
    lines = [f"functions               {len(functions):6}"]
    lines += [f"  {name:21} {n:6} of {all_} ({n / all_:.1%})" for name, n, all_ in rows]
    for name in RESOURCES:
        pairs = [f.resources[name] for f in functions if name in f.resources]
        if not pairs:
            continue
        given = [(r, p) for r, p in pairs if p is not None]
        used = [(r, p) for r, p in given if r or p]
        close = sum(abs(p - r) <= 0.1 * r for r, p in given)
        off = [abs(p - r) / r for r, p in given if r]
        middle = f", median error {statistics.median(off):.0%}" if off else ""
        within = sum(abs(p - r) <= 0.1 * r for r, p in used)
        lines.append(
            f"  {name.upper():8} within 10 %  {close:6} of {len(pairs)} ({close / len(pairs):.1%}); where there is any "
            f"{within} of {len(used)}{middle}"
        )
    return "\n".join(lines)


def causes(loops: Sequence[Judged], functions: Sequence[Function]) -> str:
    """What is not right, the most frequent cause first."""

    def plain(text: str) -> str:
        return re.sub(r"\d+", "N", text)[:110]

    lines = []
    found = Counter((x.outcome, plain(x.cause)) for x in loops if x.outcome != "right")
    lines += [f"{n:5} {outcome}: {why}" for (outcome, why), n in found.most_common()]
    unknown = Counter(plain(f.cause) for f in functions if not f.known)
    lines += [f"{n:5} no latency: {why}" for why, n in unknown.most_common()]
    return "\n".join(lines)


def listed(loops: Sequence[Judged], functions: Sequence[Function]) -> str:
    """Every loop and function that is not right."""
    lines = [f"{x.design} {x.name}: {x.outcome}, {x.said}: {x.cause}" for x in loops if x.outcome != "right"]
    for x in loops:
        if x.outcome == "right" and x.depth and not (x.depth_off is not None and abs(x.depth_off) <= 1):
            lines.append(f"{x.design} {x.name}: depth off by {x.depth_off}: {x.cause}")
    for f in functions:
        if not f.exact:
            said = f"{f.predicted.min}..{f.predicted.max} for {f.reported.min}..{f.reported.max}"
            lines.append(f"{f.design} {f.name}: {said}{' near' if f.near else ''} {f.cause}")
    return "\n".join(lines)
