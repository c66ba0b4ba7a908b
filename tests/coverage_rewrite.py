"""How much of a folder of C kernels the rewrite can bank, each result compared with its original.

    python tests/coverage_rewrite.py FOLDER [--style bankdim] [--top PATTERN] [-I DIR] [-D NAME] [--only TEXT]

For each C file and each of cyclic 2, 3, 4, block 3 and complete on dimension 1, 2, 3: a directive
file asks for that partition of every array of the top function at once; the output must verify
equal. ``--top 'kernel_{}'`` forms the top's name from the file's name (dashes become underscores).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from msgspec.structs import replace

from hlspart.model.access import AccessAnalysis
from hlspart.model.options import FrontendOptions, Options, RewriteOptions
from hlspart.model.program import Program
from hlspart.model.rewriting import RewriteResult
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify

NO_LEAKS = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
CASES = (("cyclic", 2), ("cyclic", 3), ("cyclic", 4), ("block", 3), ("complete", None))


def directives(program: Program, analysis: AccessAnalysis, kind: str, factor: int | None, dim: int) -> str:
    """A directive file that partitions every array of the analysed functions along ``dim``."""
    lines = ["[hls]"]
    for group in analysis.groups:
        fed = {edge.formal for edge in group.edges}
        for member in group.members:
            variable = program.variable(member)
            if member in fed or len(variable.dims) < dim or variable.function not in (*analysis.tops, None):
                continue
            function = variable.function or analysis.tops[0]
            size = "" if factor is None else f" factor={factor}"
            lines.append(f"syn.directive.array_partition={function} {variable.name} type={kind}{size} dim={dim}")
    return "\n".join(lines) + "\n"


def verify_options(path: Path, top: str, result: RewriteResult, frontend: FrontendOptions) -> VerifyOptions:
    """Compare through the signature of ``top``; the output finds the headers of the original."""
    frontend = replace(frontend, include_dirs=(*frontend.include_dirs, str(path.parent)))
    return VerifyOptions(top=top, frontend=frontend, map=json.loads(json.dumps(result.map_json())), vectors=1)


def run(path: Path, frontend: FrontendOptions, include: Path, link: list[str], folder: Path) -> tuple[str, str]:
    """Output and error output of the whole program made of ``path`` and ``link``."""
    flags = [f"-D{d}" for d in frontend.defines] + [f"-I{d}" for d in (*frontend.include_dirs, str(include))]
    program = folder / "program"
    command = ["gcc", "-w", "-fsanitize=address,undefined", *flags, str(path), *link, "-o", str(program), "-lm"]
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode:
        return "gcc failed", built.stderr
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=60, env=NO_LEAKS)
    return done.stdout + str(done.returncode), done.stderr.replace(str(path.parent), "")


def driven(plain: Pipeline, result: RewriteResult) -> str:
    """The top to run: the one that holds rewritten arrays."""
    functions = [a.function for a in result.arrays if a.function in plain.analysis.tops]
    return functions[0] if functions and functions[0] else plain.analysis.tops[0]


def one(
    path: Path, top: str | None, style: str, frontend: FrontendOptions, folder: Path, link: list[str]
) -> Counter[str]:
    """All cases of one file; prints what is not plainly equal."""
    table: Counter[str] = Counter()
    plain = Pipeline([str(path)], Options(frontend=frontend, top=top))
    headers = [h for unit in plain.program.units for h in unit.headers if Path(h).parent == path.parent]
    paths = [str(path), *dict.fromkeys(headers)]
    units = Pipeline(paths, Options(frontend=frontend)).program.units
    paths = [u.path for u in units if u.error is None or u.path == str(path)]  # without headers that are fragments
    plain = Pipeline(paths, Options(frontend=frontend, top=top))
    if any(unit.error for unit in plain.program.units) or (top and top not in plain.program.functions):
        return Counter({"not analysed": 1})
    whole = link or "main" in plain.analysis.tops
    expected = run(path, frontend, path.parent, link, folder) if whole else ("", "")
    if expected[0] == "gcc failed":
        return Counter({"original does not compile alone": 1})
    fully = {
        g.id
        for g in plain.analysis.groups
        if not g.faults and all(a.affine and a.in_range for m in g.members for a in plain.analysis.of_array(m))
    }
    for kind, factor in CASES:
        for dim in (1, 2, 3):
            config = folder / "case.cfg"
            config.write_text(directives(plain.program, plain.analysis, kind, factor, dim))
            if "syn" not in config.read_text():
                continue
            options = FrontendOptions(frontend.defines, (), frontend.include_dirs, (str(config),))
            pipeline = Pipeline(paths, Options(frontend=options, top=top))
            result = pipeline.rewrite(RewriteOptions(style=style, split_top=True))  # type: ignore[arg-type]
            label = f"{path.stem} {kind} {factor} dim={dim}"
            for outcome in result.outcomes:
                table[f"{outcome.status} {outcome.code or ''}".strip()] += 1
                if outcome.status in ("refused", "conflict") and outcome.group in fully:
                    table["REFUSED THOUGH AFFINE AND IN RANGE"] += 1
                    print(f"{label}: {outcome.arrays} {outcome.code}: {outcome.reason}")
            if not any(o.status == "rewritten" for o in result.outcomes):
                continue
            output = folder / path.name
            for given, text in result.files.items():
                (folder / Path(given).name).write_text(text)
            whole = link or (top or driven(plain, result)) == "main"
            if whole:
                status, message = run(output, frontend, path.parent, link, folder), ""
                same = status == expected or ("Sanitizer" in expected[1] and status[0] == expected[0])
                status = "equal" if same else "different"
            else:
                answer = verify(
                    str(path), str(output), verify_options(path, top or driven(plain, result), result, frontend)
                )
                status, message = answer.status, answer.message
            table[f"verify {status}"] += 1
            if status != "equal":
                print(f"{label}: {status}: {message[:600]}")
    return table


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--style", default="bankdim")
    parser.add_argument("--top", default=None)
    parser.add_argument("-I", dest="include", action="append", default=[])
    parser.add_argument("-D", dest="define", action="append", default=[])
    parser.add_argument("--link", action="append", default=[], help="compare runs of the whole program with this file")
    parser.add_argument("--only", default="")
    parser.add_argument("--skip", default="//")
    arguments = parser.parse_args()
    total: Counter[str] = Counter()
    frontend = FrontendOptions(tuple(arguments.define), (), tuple(arguments.include))
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(arguments.folder.rglob("*.c")):
            if arguments.only not in str(path) or arguments.skip in str(path):
                continue
            top = arguments.top.format(path.stem.replace("-", "_")) if arguments.top else None
            table = one(path, top, arguments.style, frontend, Path(folder), arguments.link)
            total += table
            print(f"{path.relative_to(arguments.folder)}: " + ", ".join(f"{k} {n}" for k, n in sorted(table.items())))
            print("total so far: " + ", ".join(f"{k} {n}" for k, n in sorted(total.items())), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
