"""Whether `advise`, `ii`, `infer`, `report`, `lint` and `directives` say the same of the loops in a list of files.

    python tests/coverage_agree.py FILE...

Compared are the ways of each late loop, with their commands, in the four reports; and that the hints of `lint`, the
notes of `directives` and the next steps name no other command than these.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

REPORTS = ("advise", "ii", "infer", "report")
STEP = re.compile(r"hlspart (?:rewrite|infer) .*?(?= -o OUT| -o NEW|;|$)", re.MULTILINE)


def printed(*command: str) -> tuple[str, str]:
    """What a command writes to standard output and to standard error."""
    done = subprocess.run([sys.executable, "-m", "hlspart", *command], capture_output=True, text=True, check=False)
    return done.stdout, done.stderr


def ways_of(path: str, command: str) -> dict[str, list[Any]]:
    """By loop the commands that its ways are written with, the first one to take, and what II each has."""
    files = json.loads(printed(command, path, "--format", "json")[0])["files"]
    loops = [x for f in files for x in f["loops"] if x.get("ways")]
    return {f"{x['function']}/{x['name']}": [(w["command"], w["ii"]) for w in x["ways"]] for x in loops}


def disagreements(path: str) -> list[str]:
    """Each place that says another thing than `advise`."""
    ways = {command: ways_of(path, command) for command in REPORTS}
    advised = ways["advise"]
    out = [
        f"{command}: {loop}: {way}, advise: {advised.get(loop)}"
        for command in REPORTS[1:]
        for loop, way in ways[command].items()
        if way != advised.get(loop)
    ]
    known = {command for listed in advised.values() for command, _ in listed if command is not None}
    steps = {command.partition(" -o OUT")[0] for command in known}
    said = {command: printed(command, path)[0].rpartition("next: ")[2] for command in ("advise", "ii", "infer")}
    said["lint"] = " ".join(
        x["hint"] or "" for x in json.loads(printed("lint", path, "--format", "json")[0])["diagnostics"]
    )
    said["directives"] = printed("directives", path)[1]
    for command, text in said.items():
        others = [step for step in STEP.findall(text) if step.strip() not in steps]
        out += [f"{command}: {step}, of advise: {sorted(steps)}" for step in others]
    return out


def main() -> None:
    """A line per file and one per disagreement."""
    wrong = 0
    for path in sys.argv[1:]:
        different = disagreements(path)
        wrong += bool(different)
        print(f"{path}: {'agree' if not different else ''}", *different, sep="\n  ", flush=True)
    print(f"{len(sys.argv) - 1 - wrong} of {len(sys.argv) - 1} files: all places agree")


if __name__ == "__main__":
    main()
