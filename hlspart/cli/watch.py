"""``--watch``: a command again and again, whenever a file that it read, or was given, has changed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable

import click

from hlspart.cli.files import say
from hlspart.settings import SettingsError

_READ = "hlspart.read"  # key of the context: files that a run read
_POLL = 0.3  # seconds


def was_read(paths: Iterable[str]) -> None:
    """What the running command depends on, for ``--watch``."""
    click.get_current_context().meta[_READ] = tuple(paths)


def repeated(ctx: click.Context, run: Callable[[], object]) -> object:
    """Runs until it is interrupted. Raises UsageError where there is no file to wait for."""
    given = tuple(ctx.params.get("files", ()))
    if "-" in given or not given:
        raise click.UsageError("--watch needs files, not standard input")
    files = set(given)  # also those of runs before: a broken file does not say what it includes
    while True:
        if sys.stdout.isatty():
            click.clear()
        before = _state(files)
        try:
            run()
        except (click.ClickException, SettingsError) as error:
            say(f"hlspart: error: {error.format_message() if isinstance(error, click.ClickException) else error}")
        sys.stdout.flush()
        files.update(ctx.meta.get(_READ, ()))
        before |= _state(files - before.keys())
        say(f"watching {len(files)} file{'s' * (len(files) > 1)}; stop with Ctrl-C")
        while _state(files) == before:
            time.sleep(_POLL)


def _state(paths: Iterable[str]) -> dict[str, tuple[int, int, int]]:
    """Time, size and number of each file; zeros for one that is not there. A folder stands for the files in it."""
    state = {}
    for path in paths:
        for file in [path, *_inside(path)]:
            try:
                known = os.stat(file)
                state[file] = (known.st_mtime_ns, known.st_size, known.st_ino)
            except OSError:
                state[file] = (0, 0, 0)
    return state


def _inside(path: str) -> list[str]:
    if not os.path.isdir(path):
        return []
    return [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names if "cache" not in folder]
