"""What a text is shown on: how wide it is, and whether it has colours.

A command says once what its text goes to; tables and marks ask here, so that no renderer hands a width on. Without a
screen (a file, a pipe, a library call) text is as wide as it comes and has no colour.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from msgspec import Struct

_LEAST_WIDTH = 40  # columns: what is narrower wraps by itself
_COLOUR = re.compile("\033\\[[0-9;]*m")
_CODES = {"bad": "31", "doubtful": "33", "good": "32", "strong": "1"}
_TO_COPY = ("#pragma ", "set_directive", "hlspart ")  # a line of C, Tcl or a shell, which all continue it behind a \\


class Screen(Struct, frozen=True):
    """``width`` in columns, None where nothing limits it.

    ``arguments``: files and options, as typed, that say again what was looked at; None for a library call.
    ``options``: what was typed for the one command alone. ``files``: those that ``arguments`` begins with.
    """

    width: int | None = None
    colour: bool = False
    arguments: str | None = None
    options: str = ""
    files: tuple[str, ...] = ()


_PAPER = Screen()
_CURRENT: ContextVar[Screen] = ContextVar("screen", default=_PAPER)


@contextmanager
def shown_on(screen: Screen) -> Iterator[None]:
    """What is rendered inside goes to ``screen``."""
    token = _CURRENT.set(screen)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def width() -> int | None:
    """Columns that a table may take."""
    limit = _CURRENT.get().width
    return None if limit is None else max(limit, _LEAST_WIDTH)


def typed() -> tuple[str | None, str]:
    """What the next command has to be told again, and what only the same command understands, see :class:`Screen`."""
    screen = _CURRENT.get()
    return screen.arguments, screen.options


def named(paths: Sequence[str]) -> str:
    """A program as a command names it: its files and the options as they were typed, else its ``paths``."""
    screen, own = _CURRENT.get(), set(map(os.path.realpath, paths))
    if screen.arguments is None:
        return shlex.join(paths)
    files = [f for f in screen.files if os.path.realpath(f) in own]
    return shlex.join(files or screen.files) + screen.arguments.removeprefix(shlex.join(screen.files))


def paint(text: str, mark: str) -> str:
    """``text`` in the colour of ``mark``: bad, doubtful, good, strong; unchanged for "" and without colours."""
    return f"\033[{_CODES[mark]}m{text}\033[0m" if mark and _CURRENT.get().colour else text


def folded(text: str) -> str:
    """Lines that are too long continue below, indented; what is meant to be copied stays on one line."""
    limit = width()
    if limit is None:
        return text
    return "".join(f"{part}\n" for line in text.splitlines() for part in _fold(line, limit))


def _fold(line: str, limit: int) -> list[str]:
    plain = _COLOUR.sub("", line)
    if len(plain) <= limit:
        return [line]
    lead = len(plain) - len(plain.lstrip())
    indent = " " * min(lead + 4, limit // 4)
    if plain.lstrip().startswith(_TO_COPY):
        parts = wrapped(plain, limit - 2, indent)
        return [f"{part} \\" for part in parts[:-1]] + parts[-1:]
    parts = wrapped(plain, limit, indent)
    if plain == line:
        return parts
    code = _COLOUR.match(line)  # only whole lines are painted
    return [f"{code[0]}{part}\033[0m" for part in parts] if code else parts


def wrapped(text: str, limit: int, indent: str = "") -> list[str]:
    """``text`` in lines of at most ``limit`` characters, the first as it begins, the others behind ``indent``.

    Lines break at blanks, in words that are too long behind ``/`` and ``_``, and else anywhere.
    """
    lines, line = [], ""
    for word in _WORDS.findall(text):
        parts = [word] if len(word.rstrip()) <= limit - len(indent) else _PARTS.findall(word)
        for part in parts:
            if line.strip() and len(line) + len(part.rstrip()) > limit:
                lines.append(line.rstrip())
                line = indent
            line += part if line.strip() or not lines else part.lstrip()
            while len(line.rstrip()) > limit:
                lines.append(line[:limit])
                line = indent + line[limit:]
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


_WORDS = re.compile(r"\s*\S+\s?|\s+")
_PARTS = re.compile(r"\s*[^/_\s]*[/_]+|\s*[^/_\s]+\s?|\s+")
