"""Files that come from users and from projects they only look at: regular files up to a stated size, nothing else.

A pipe would wait for a writer, a device has no end; both can stand in a folder under any name.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

MAX_BYTES = 16 << 20  # of a source, a header, a settings or directive file
HEADER_SUFFIXES = (".h", ".hpp", ".hh")
MAX_REPORT = 64 << 20  # of what tools write: reports, logs, baselines, maps, vectors


class Unreadable(OSError):
    """A file that is not read for what it is; ``strerror`` says why."""

    def __init__(self, why: str, path: str) -> None:
        super().__init__(errno.EINVAL, why, path)


def read_file(path: str | os.PathLike[str], most: int = MAX_BYTES) -> bytes:
    """The bytes of a regular file of at most ``most`` bytes. Raises OSError, of anything else :class:`Unreadable`."""
    name = os.fspath(path)
    _check(os.stat(name), name)  # opening a device may do something already
    handle = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    with os.fdopen(handle, "rb") as stream:
        _check(status := os.fstat(handle), name)
        if status.st_size > most:  # many such files are not read for nothing
            raise _too_large(most, name)
        return _at_most(stream.read(most + 1), most, name)


def names_in(folder: str, suffixes: tuple[str, ...]) -> list[str]:
    """The names in a folder that end so, in order; none where it cannot be read."""
    try:
        return sorted(n for n in os.listdir(folder or ".") if n.endswith(suffixes))
    except OSError:
        return []


def any_case(folder: str, name: str) -> list[str]:
    """Files below ``folder`` whose path differs from ``name`` in case or in the kind of slash: kernels are written on
    systems that do not tell these apart."""
    paths = [folder]
    for part in name.replace("\\", "/").split("/"):
        if part in (".", "..", ""):
            paths = [os.path.normpath(os.path.join(f, part)) for f in paths]
            continue
        below: list[str] = []
        for base in paths:
            try:
                below += [os.path.join(base, e) for e in sorted(os.listdir(base or ".")) if e.lower() == part.lower()]
            except OSError:
                continue
        paths = below
    return paths


def read_stdin(most: int = MAX_BYTES) -> bytes:
    """Standard input, of at most ``most`` bytes. Raises OSError."""
    return _at_most(sys.stdin.buffer.read(most + 1), most, "-")


def _check(status: os.stat_result, path: str) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise Unreadable("is no regular file", path)


def _at_most(data: bytes, most: int, path: str) -> bytes:
    if len(data) > most:
        raise _too_large(most, path)
    return data


def _too_large(most: int, path: str) -> Unreadable:
    return Unreadable(f"is larger than {most >> 20} MB", path)
