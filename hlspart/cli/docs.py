"""Generated documentation: ``python -m hlspart.cli.docs [--check] FOLDER`` (see ``make docs``)."""

from __future__ import annotations

import sys
from pathlib import Path


def main(args: list[str]) -> int:
    """Write docs/rules/, or say which pages are stale."""
    from hlspart.lint import pages

    check = "--check" in args
    folder = Path(next(a for a in args if not a.startswith("-"))) / "rules"
    wanted = {name: text if text.endswith("\n") else text + "\n" for name, text in pages().items()}
    there = {p.name: p.read_text(encoding="utf-8") for p in folder.glob("*.md")} if folder.is_dir() else {}
    stale = sorted(name for name in {*wanted, *there} if wanted.get(name) != there.get(name))
    if check:
        if stale:
            print(f"stale pages in {folder}: {', '.join(stale)}; run make docs", file=sys.stderr)
        return 1 if stale else 0
    folder.mkdir(parents=True, exist_ok=True)
    for name in stale:
        if name in wanted:
            (folder / name).write_text(wanted[name], encoding="utf-8")
        else:
            (folder / name).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
