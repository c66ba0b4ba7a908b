"""Findings on, or caused by, lines that changed since a revision (``--diff-base``)."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence

from hlspart.model.diagnostics import Diagnostic, Place

Lines = Mapping[str, tuple[tuple[int, int], ...]]
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


class GitError(Exception):
    """git is missing, or does not know the revision; one line."""


def changed_lines(revision: str, paths: Sequence[str]) -> Lines:
    """Path -> ranges of lines (first, last) that differ from ``revision`` in the work tree.

    A file that git does not track has changed as a whole. Raises GitError.
    """
    found: dict[str, tuple[tuple[int, int], ...]] = {}
    for path in paths:
        folder, name = os.path.split(os.path.abspath(path))
        options = ("--no-color", "--no-ext-diff", "--unified=0", "--no-renames")
        if revision.startswith("-"):
            raise GitError(f"{revision!r} is no revision")
        _git(folder, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", what=f"no revision {revision!r}")
        if not _git(folder, "ls-files", "--", name):
            found[path] = ((1, 1 << 30),)
            continue
        text = _git(folder, "diff", *options, revision, "--", name)
        found[path] = tuple(_ranges(text))
    return found


def _git(folder: str, *args: str, what: str | None = None) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", folder or ".", *args], capture_output=True, text=True, errors="replace", check=False
        )
    except OSError as error:
        raise GitError(f"cannot run git: {error.strerror}") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise GitError(what or (lines[0] if lines else f"git {args[0]} failed"))
    return done.stdout


def _ranges(diff: str) -> list[tuple[int, int]]:
    ranges = []
    for line in diff.splitlines():
        match = _HUNK.match(line)
        if match:
            first, count = int(match.group(1)), int(match.group(2) or 1)
            # a pure removal stands between two lines: both are looked at
            ranges.append((first, first + count - 1) if count else (first, first + 1))
    return ranges


def on_changed(findings: Iterable[Diagnostic], changed: Lines) -> list[Diagnostic]:
    """The findings whose place, or a place that explains them, lies on changed lines."""
    return [d for d in findings if any(_touches(p, changed) for p in (d.place, *(r.place for r in d.related)))]


def _touches(place: Place, changed: Lines) -> bool:
    return any(first <= place.end_line and place.line <= last for first, last in changed.get(place.path, ()))
