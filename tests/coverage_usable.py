"""For how many files of a list there is a usable answer, and why not for the others.

    python tests/coverage_usable.py LIST [--reasons] [-- -I..]

LIST names one file per line, with options -I and -D of its own behind it: what its build gives.
Each has 40 s of processor time.
*usable*: at least half of the loops that are pipelined have an II; *bounds*: an II or finite bounds of it; loops whose
PIPELINE stands in a hole of the file count as without one. *no loop*: nothing is pipelined; *no loop, all read*: in a
file without a hole and with all its headers; *no loop, latencies*: where each function has a latency as well, so that
nothing is left to say.
*no instance*: it would be usable without the loops in templates that nothing of the file instantiates and whose
parameters decide: their II does not exist yet (``hlspart ii --instantiate`` gives the parameters values).
*whole*: the file could not be read at all.
"""

from __future__ import annotations

import resource
import sys
from collections import Counter
from multiprocessing import Process, SimpleQueue
from pathlib import Path

from hlspart.included import where_included
from hlspart.model.options import FrontendOptions, Options
from hlspart.pipeline import Pipeline
from hlspart.semantics.parameters import open_parts


def verdict(path: str, options: Options) -> tuple[str, list[str]]:
    """What became of a file, and the causes."""
    pipeline = where_included(Pipeline([path], options))
    program = pipeline.program
    error = program.units[0].error
    if error is not None:
        return "whole", [error.message]
    loops = [x for x in pipeline.figures.loops if x.pipelined]
    numbers = sum(x.ii is not None for x in loops)
    bounded = sum(x.ii is not None or x.bounds is not None for x in loops)
    kinds = {d.pragma: d.kind for d in program.directives if d.pragma is not None}
    lost = [p for p in program.pragmas if p.unread is not None and p.at.span.path == path]
    lost = [p for p in lost if kinds.get(p.index) == "pipeline"]
    count = len(loops) + len(lost)
    causes = [x.cause or "" for x in loops if x.ii is None] + [p.unread.cause for p in lost if p.unread is not None]
    if count == 0:
        unread = path in program.without_header() or any(h.at.path == path for h in program.holes)
        known = all(x.latency.max is not None for x in pipeline.figures.functions)
        return "no loop" if unread else f"no loop, {'latencies' if known else 'all read'}", causes
    if 2 * numbers >= count:
        return "usable", causes
    if 2 * bounded >= count:
        return "bounds", causes
    depending = open_parts(program)
    open_ = sum(x.ii is None and x.function in depending for x in loops)
    return "no instance" if open_ and 2 * numbers >= count - open_ else "unknown", causes


SECONDS = 40


def _one(path: str, options: Options, found: SimpleQueue[tuple[str, list[str]]]) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    found.put(verdict(path, options))


def limited(path: str, options: Options) -> tuple[str, list[str]]:
    """``verdict`` in a process of its own."""
    found: SimpleQueue[tuple[str, list[str]]] = SimpleQueue()
    process = Process(target=_one, args=(path, options, found))
    process.start()
    process.join()
    return ("time" if process.exitcode else "no answer", []) if found.empty() else found.get()


def main() -> None:
    """Print the counts."""
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    folders = tuple(w[2:] for w in words[cut + 1 :] if w.startswith("-I"))
    found: Counter[str] = Counter()
    for line in Path(words[0]).read_text().split("\n"):
        path, *own = line.split() or [""]
        if path:
            own_folders = (w[2:] for w in own if w.startswith("-I"))
            defines = tuple(w[2:] for w in own if w.startswith("-D"))
            frontend = FrontendOptions(include_dirs=(*folders, *own_folders), defines=defines)
            what, causes = limited(path, Options(frontend=frontend))
            found[what] += 1
            if "--reasons" in words:
                print(f"{what}: {path}: {'; '.join(dict.fromkeys(causes))}")
    print(", ".join(f"{what} {count}" for what, count in sorted(found.items())))


if __name__ == "__main__":
    main()
