"""What a change brings: lines that differ from a revision, and what was found before it (``--diff-base``)."""

from __future__ import annotations

import codecs
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.linting import LintReport, fingerprints
from hlspart.reading import read_file

Lines = Mapping[str, tuple[tuple[int, int], ...]]
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_WHOLE = ((1, 1 << 30),)


# a folder may look like a repository whose settings name programs to run
_CAREFULLY = ("--no-pager", "--no-optional-locks", "-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false",
              "-c", "core.hooksPath=/dev/null")  # fmt: skip


class GitError(Exception):
    """git is missing, or does not know the revision; one line."""


class Changes(Struct, frozen=True):
    """``lines``: path -> ranges of lines (first, last) that differ; a file that git does not track has changed
    as a whole. ``elsewhere``: other files of the repositories have changed, headers perhaps. ``commits``: top
    folder of each repository -> what it is compared with. ``was``: real path -> (top folder, name then) of what
    has changed or was renamed; ``none``: real paths that were not there.
    """

    lines: Lines
    elsewhere: bool
    commits: Mapping[str, str] = field(default_factory=dict)
    was: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    none: frozenset[str] = frozenset()

    def before(self, path: str) -> bytes:
        """The bytes of a file as they were. Raises OSError."""
        real = os.path.realpath(path)
        if real in self.none:
            raise FileNotFoundError(2, "No such file", path)
        if real not in self.was and os.path.exists(real):
            return read_file(real)
        inside = ((top, os.path.relpath(real, top)) for top in self.commits if real.startswith(top + os.sep))
        top, name = self.was.get(real) or next(inside, ("", ""))
        try:
            return _git(top, "show", f"{self.commits.get(top)}:{name}")
        except GitError as error:
            raise FileNotFoundError(2, str(error), path) from None


def changes(revision: str, paths: Sequence[str]) -> Changes:
    """What differs in the work tree from where it left ``revision`` (their merge base). Raises GitError."""
    if revision.startswith("-"):
        raise GitError(f"{revision!r} is no revision")
    real = {os.path.realpath(p): p for p in paths}
    lines: dict[str, tuple[tuple[int, int], ...]] = {}
    commits: dict[str, str] = {}
    was: dict[str, tuple[str, str]] = {}
    none: set[str] = set()
    elsewhere = False
    for top, inside in _repositories(real).items():
        commits[top] = _base(top, revision)
        tracked = {os.path.join(top, n) for n in _text(top, "ls-files", "-z").split("\0")}
        for path in inside:
            lines[real[path]] = () if path in tracked else _WHOLE
        none.update(set(inside) - tracked)
        for old, new, ranges in _differences(top, commits[top]):
            path = os.path.join(top, new)
            if old is None:
                none.add(path)
            else:
                was[path] = (top, old)
            if path in real:
                lines[real[path]] = ranges
            else:
                elsewhere = True
    return Changes(lines, elsewhere, commits, was, frozenset(none))


def _repositories(paths: Iterable[str]) -> dict[str, list[str]]:
    """Top folder of each repository -> the paths in it."""
    tops: dict[str, str] = {}
    repositories: dict[str, list[str]] = {}
    for path in paths:
        folder = os.path.dirname(path)
        if folder not in tops:
            tops[folder] = os.path.realpath(_text(folder, "rev-parse", "--show-toplevel").rstrip("\n"))
        repositories.setdefault(tops[folder], []).append(path)
    return repositories


def _base(top: str, revision: str) -> str:
    """The commit to compare with: the merge base with HEAD, or the revision itself where there is none."""
    commit = _text(top, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", what=f"no revision {revision!r}")
    try:
        return _text(top, "merge-base", commit.strip(), "HEAD").strip()
    except GitError:
        return commit.strip()


def _differences(top: str, commit: str) -> Iterator[tuple[str | None, str, tuple[tuple[int, int], ...]]]:
    """(name before, name now, ranges of lines that differ) of every file that is there now and differs."""
    form = ("--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules")
    text = _text(top, "-c", "core.quotePath=false", "diff", "--unified=0", "--find-renames", *form, commit)
    old: str | None = None
    new: str | None = None
    ranges: list[tuple[int, int]] = []
    body = 0  # lines of the hunk that are still to come
    for line in text.split("\n"):
        if body > 0:
            body -= not line.startswith("\\")
        elif line.startswith("diff --git "):
            if new is not None:
                yield old, new, tuple(ranges)
            old, new, ranges = None, None, []
        elif line.startswith(("--- ", "rename from ")):
            old = _name(line)
        elif line.startswith(("+++ ", "rename to ")):
            new = _name(line)
        elif hunk := _HUNK.match(line):
            first, count = int(hunk.group(2)), int(hunk.group(3) or 1)
            body = int(hunk.group(1) or 1) + count
            # a pure removal stands between two lines: both are looked at
            ranges.append((first, first + count - 1) if count else (first, first + 1))
    if new is not None:
        yield old, new, tuple(ranges)


def _name(line: str) -> str | None:
    """The file that a header line of a diff names."""
    text = re.sub(r"^(?:---|\+\+\+|rename from|rename to) ", "", line).rstrip("\t")
    if text.startswith('"'):
        text = codecs.escape_decode(text[1:-1].encode())[0].decode("utf-8", "surrogateescape")
    if text == "/dev/null":
        return None
    return text[2:] if line.startswith(("---", "+++")) else text


def _git(folder: str, *args: str, what: str | None = None) -> bytes:
    try:
        done = subprocess.run(["git", *_CAREFULLY, "-C", folder or ".", *args], capture_output=True, check=False)
    except OSError as error:
        raise GitError(f"cannot run git: {error.strerror}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise GitError(what or (said[0] if said else f"git {args[0]} failed"))
    return done.stdout


def _text(folder: str, *args: str, what: str | None = None) -> str:
    return _git(folder, *args, what=what).decode("utf-8", "surrogateescape")


# ----------------------------------------------------------------------------------- findings


def brought(report: LintReport, changes: Changes, before: LintReport | None) -> list[Diagnostic]:
    """The findings on changed lines, or explained by one, and those that were not there ``before``."""
    old = {mark for _, mark in fingerprints(before)} if before is not None else set()
    same = set(report.files) - set(before.files if before is not None else ())  # not looked at: nothing is new there
    return [
        item
        for item, mark in fingerprints(report)
        if item.place.path in report.broken
        or any(_touches(p, changes.lines) for p in (item.place, *(r.place for r in item.related)))
        or (item.place.path not in same and mark not in old)
    ]


def _touches(place: Place, lines: Lines) -> bool:
    return any(first <= place.end_line and place.line <= last for first, last in lines.get(place.path, ()))
