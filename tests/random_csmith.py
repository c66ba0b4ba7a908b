"""Programs of csmith with a random partition on every array, rewritten in three styles, compiled, run and compared.

    python tests/random_csmith.py [--count 500] [--seed 0] [--style NAME] [--show SEED]

Needs csmith (Debian: ``csmith`` and ``libcsmith-dev``) and gcc. A program prints a checksum of all its globals;
outputs are built with sanitizers wherever the original passes them. Programs that do not end, and programs without
arrays, are skipped and not counted. Exit code 1 where an output differs, does not compile or changes when it is
rewritten again.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from functools import lru_cache
from pathlib import Path

from hlspart.model.options import FrontendOptions, Options, RewriteOptions
from hlspart.model.rewriting import RewriteResult
from hlspart.pipeline import Pipeline
from hlspart.reading import read_file

STYLES = {
    "split, dynamic bankdim": RewriteOptions(style="split", dynamic="bankdim"),
    "bankdim": RewriteOptions(style="bankdim"),
    "crossbar": RewriteOptions(style="crossbar"),
}
SHAPES = (  # what csmith is asked for: arrays that are only indexed, and arrays that pointers reach
    ("--no-pointers", "--no-volatiles", "--no-structs", "--no-unions"),
    ("--no-pointers", "--no-volatile-pointers"),
    ("--no-volatiles", "--max-pointer-depth", "1"),
    (),
)
SMALL = ("--max-funcs", "4", "--max-block-depth", "3", "--max-expr-complexity", "6", "--inline-function")
ARRAY = re.compile(r"^( *)(?:[\w*]+ +)+[*\w ]*?\**(\w+)((?:\[\d+\])+)(?:;| = .*;)", re.M)
HEADERS = next((p for p in (Path("/usr/include/csmith"), *Path("/usr/include").glob("csmith*")) if p.is_dir()), None)
BUILT = ["gcc", "-w", "-std=gnu11", f"-I{HEADERS}"]
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]


def partition(r: random.Random, name: str, extents: list[int]) -> str:
    """A pragma that asks for banks in a random dimension."""
    dim = r.randrange(len(extents)) + 1
    kind = r.choice(("complete", "cyclic", "cyclic", "block"))
    factor = "" if kind == "complete" else f" factor={r.randint(2, 4)}"
    return f"#pragma HLS ARRAY_PARTITION variable={name} {kind}{factor} dim={dim}"


def program(seed: int, csmith: str) -> str:
    """One program; a pragma follows every declaration of an array, those of globals open ``main``."""
    r = random.Random(seed)
    command = [csmith, "-s", str(seed + 1), *SMALL, *SHAPES[seed % len(SHAPES)]]
    with tempfile.TemporaryDirectory() as folder:  # csmith leaves a file where it runs
        made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    shared: list[str] = []

    def placed(found: re.Match[str]) -> str:
        pragma = partition(r, found[2], [int(extent) for extent in re.findall(r"\d+", found[3])])
        if found[1]:
            return f"{found[0]}\n{pragma}"
        shared.append(pragma)
        return found[0]

    text = ARRAY.sub(placed, made)
    return re.sub(r"^(int main \(.*\)\n\{)", lambda at: "\n".join((at[0], *shared)), text, flags=re.M)


def ran(folder: Path, text: str, flags: list[str]) -> str:
    """What a program prints, or what the compiler or a sanitizer says."""
    (folder / "built.c").write_text(text)
    built = subprocess.run([*BUILT, *flags, "built.c", "-o", "built"], cwd=folder, capture_output=True, text=True)
    if built.returncode != 0:
        return f"does not compile: {built.stderr[:1500]}"
    done = subprocess.run(["./built"], cwd=folder, capture_output=True, text=True, timeout=5)
    return done.stdout if done.returncode == 0 else f"fails: {done.stderr[:1500]}"


@lru_cache(maxsize=4)
def pipeline(text: str) -> Pipeline:
    """What is known of one program, for all styles together."""
    options = Options(frontend=FrontendOptions(include_dirs=(f"{HEADERS}",)))
    return Pipeline(["p.c"], options, lambda path: text.encode() if path == "p.c" else read_file(path))


def rewritten(text: str, style: str) -> RewriteResult:
    """One program in one style, whatever its II."""
    return pipeline(text).rewriting(STYLES[style]).run()


def compared(folder: Path, seed: int, text: str, styles: list[str], tables: dict[str, Counter[str]]) -> bool:
    """All styles of one program; whether it could be compared."""
    flags = SANITIZED
    try:
        expected = ran(folder, text, flags)
        if not expected.startswith("checksum"):
            flags = []
            expected = ran(folder, text, flags)
    except subprocess.TimeoutExpired:
        return False
    assert expected.startswith("checksum"), f"seed {seed}: {expected}"
    for style in styles:
        table = tables[style]
        try:
            result = rewritten(text, style)
            (new,) = result.files.values()
            (again,) = rewritten(new, style).files.values()
        except Exception as fault:  # a traceback is a finding of this script
            table["TRACEBACK"] += 1
            print(f"seed {seed}, {style}: {fault!r}", flush=True)
            continue
        for outcome in result.outcomes:
            table[f"{outcome.status} {outcome.code or ''}".strip()] += 1
        table["programs changed"] += new != text
        try:
            printed = expected if new == text else ran(folder, new, flags)
        except subprocess.TimeoutExpired:
            printed = "does not end"
        table["programs equal" if printed == expected else "PROGRAMS DIFFERENT"] += 1
        if printed != expected:
            print(f"seed {seed}, {style}: {printed}", flush=True)
        if again != new:
            table["CHANGED BY A SECOND RUN"] += 1
            print(f"seed {seed}, {style}: a second run changes the output", flush=True)
    return True


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--style", choices=STYLES, action="append")
    parser.add_argument("--show", type=int, help="print the program of this seed and its outputs")
    arguments = parser.parse_args()
    csmith = shutil.which("csmith")
    if csmith is None or HEADERS is None or shutil.which("gcc") is None:
        print("skipped: csmith, its headers (Debian: csmith, libcsmith-dev) or gcc is not installed", file=sys.stderr)
        return 0
    styles = arguments.style or [*STYLES]
    tables: dict[str, Counter[str]] = {style: Counter() for style in styles}
    count, seed = 0, arguments.seed
    with tempfile.TemporaryDirectory() as named:
        folder = Path(named)
        if arguments.show is not None:
            text = program(arguments.show, csmith)
            outputs = [one for style in styles for one in rewritten(text, style).files.values()]
            print(text, *outputs, sep="\n/* ------ */\n")
            return 0
        while count < arguments.count:
            text = program(seed, csmith)
            if ARRAY.search(text) and compared(folder, seed, text, styles, tables):
                count += 1
                if count % 25 == 0 or count == arguments.count:
                    print(f"{count} programs, seeds {arguments.seed} to {seed}")
                    for style, table in tables.items():
                        print(f"{style}: " + ", ".join(f"{k} {n}" for k, n in sorted(table.items())), flush=True)
            seed += 1
    return int(any(key[:4].isupper() for table in tables.values() for key in table))


if __name__ == "__main__":
    sys.exit(main())
