"""How much of a folder of C and C++ kernels the access analysis understands, as a Markdown table.

    python tests/coverage_accesses.py FOLDER [--top PATTERN] [--suffix .c] [-I DIR] [-D NAME] [--totals] [--reasons]

``--top 'kernel_{}'`` counts only the function whose name is formed from the file's name (dashes
become underscores; files without it are left out), otherwise all functions that the file defines itself. An access is
*affine* when its element is a quasi-affine function of the loop iterators, *exact* when its iterations are known
exactly, *in range* when it is proved to stay inside its array. A loop is *counted* when its iterations are known.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from hlspart.accesses import analyse
from hlspart.frontend import load
from hlspart.model.options import FrontendOptions

COLUMNS = ("accesses", "affine", "exact", "in range", "loops", "counted")


def one(path: Path, top: str | None, options: FrontendOptions, reasons: Counter[str]) -> Counter[str] | str | None:
    """Figures of one file, the reason why it is not analysed, or None when it has no such function."""
    program = load([str(path)], options)
    error = program.units[0].error
    if error is not None:
        return f"line {error.place.line}: {error.message}"
    if top is not None and top not in program.functions:
        return None
    own = {top} if top else {f for f, of in program.functions.items() if of.at.span.path == str(path)}
    analysis = analyse(program, top)
    table: Counter[str] = Counter()
    for access in analysis.accesses:
        if access.function in own:
            table["accesses"] += 1
            table["affine"] += access.affine
            table["exact"] += access.affine and access.exact
            table["in range"] += access.in_range
            if access.reason is not None:
                reasons[re.sub("`[^`]*`", "`..`", access.reason)] += 1
    for loop in analysis.loops.values():
        if loop.function in own:
            table["loops"] += 1
            table["counted"] += loop.iterator is not None
    return table


def main() -> int:
    """Print the table; 1 when a file made the analysis fail."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--top", help="name of the function, {} standing for the file's name")
    parser.add_argument("--suffix", action="append", help="files to take (default: .c and .cpp)")
    parser.add_argument("-I", dest="include", action="append", default=[])
    parser.add_argument("-D", dest="define", action="append", default=[])
    parser.add_argument("--totals", action="store_true", help="only the last line of the table")
    parser.add_argument("--reasons", action="store_true", help="why accesses are not affine, most frequent first")
    args = parser.parse_args()
    suffixes = tuple(args.suffix or (".c", ".cpp"))
    total: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    failed: list[str] = []
    begun = time.perf_counter()
    print("| file | parsed | " + " | ".join(COLUMNS) + " |")
    print("|---|---|" + "---|" * len(COLUMNS))
    for path in sorted(p for p in args.folder.rglob("*") if p.suffix in suffixes and p.is_file()):
        top = args.top.format(path.stem.replace("-", "_")) if args.top else None
        options = FrontendOptions(tuple(args.define), (), (*args.include, str(path.parent)))
        name = path.relative_to(args.folder)
        try:
            found = one(path, top, options, reasons)
        except Exception:
            failed.append(f"{name}:\n{traceback.format_exc()}")
            continue
        if found is None:
            continue
        total["files"] += 1
        if isinstance(found, str):
            total["refused"] += 1
            row = f"| {name} | no: {found} |" + " |" * len(COLUMNS)
        else:
            total += found
            row = f"| {name} | yes | " + " | ".join(str(found[c]) for c in COLUMNS) + " |"
        if not args.totals:
            print(row)
    parsed = total["files"] - total["refused"]
    figures = " | ".join(str(total[c]) for c in COLUMNS)
    print(f"| {args.folder.name}: {total['files']} files | {parsed} | {figures} |")
    print(f"{time.perf_counter() - begun:.1f} s", file=sys.stderr)
    if args.reasons:
        for reason, count in reasons.most_common():
            print(f"{count:6} {reason}")
    for text in failed:
        print(text, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
