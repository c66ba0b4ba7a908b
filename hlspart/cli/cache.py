"""The folder in which ``lint`` remembers what it found: it stands in a project, which may be anybody's.

So nothing in it is followed or trusted: it is opened once, and only used when it is a folder, no link, that
belongs to the user and that nobody else may write; entries are created, never opened for writing, and read
only when they are regular files that hold the digest of what they say, and of what they say it about.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import stat
from collections.abc import Callable, Iterator

from hlspart.reading import MAX_REPORT

_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINK
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class Cache:
    """Texts by key in a folder below the current one. What cannot be kept safely is not kept; nothing is raised."""

    def __init__(self, folder: str) -> None:
        """``folder``: one name; it is made when it is first needed."""
        self._name = folder

    def get(self, key: str) -> bytes | None:
        """What was put under ``key``; None where there is nothing, or nothing that can be relied on."""
        try:
            with self._opened() as folder:
                handle = os.open(_entry(key), os.O_RDONLY | os.O_NONBLOCK | _NO_LINK, dir_fd=folder)
                with os.fdopen(handle, "rb") as stream:
                    if not _own(os.fstat(handle), stat.S_ISREG):
                        return None
                    digest, _, data = stream.read(MAX_REPORT).partition(b"\n")
        except (OSError, ValueError):
            return None
        return data if digest == _digest(key, data) else None

    def put(self, key: str, data: bytes) -> None:
        """Keep ``data`` under ``key``."""
        with contextlib.suppress(OSError, ValueError), self._opened(create=True) as folder:
            with contextlib.suppress(FileExistsError):
                _write(folder, ".gitignore", b"*\n")
            temporary = f".{secrets.token_hex(8)}"
            try:
                _write(folder, temporary, _digest(key, data) + b"\n" + data)
                os.replace(temporary, _entry(key), src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                os.unlink(temporary, dir_fd=folder)

    @contextlib.contextmanager
    def _opened(self, create: bool = False) -> Iterator[int]:
        """A handle of the folder, for as long as it is used: what its name stands for may change meanwhile."""
        if os.open not in os.supports_dir_fd or not hasattr(os, "O_NOFOLLOW"):
            raise OSError("this system cannot open without following links")
        if create:
            with contextlib.suppress(FileExistsError):
                os.mkdir(self._name, 0o755)
        handle = os.open(self._name, _DIRECTORY)
        try:
            if not _own(os.fstat(handle), stat.S_ISDIR):
                raise PermissionError(f"{self._name} may be somebody else's")
            yield handle
        finally:
            os.close(handle)


def _entry(key: str) -> str:
    return f"{hashlib.sha256(key.encode('utf-8', 'surrogateescape')).hexdigest()[:40]}.json"


def _digest(key: str, data: bytes) -> bytes:
    """Binds an entry to all that its key stands for, not only to its name."""
    made = hashlib.sha256(f"{len(key)} {key}".encode("utf-8", "surrogateescape"))
    made.update(data)
    return made.hexdigest().encode()


def _own(status: os.stat_result, is_right: Callable[[int], bool]) -> bool:
    return is_right(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & _WRITABLE_BY_OTHERS


def _write(folder: int, name: str, data: bytes) -> None:
    with os.fdopen(os.open(name, _NEW, 0o644, dir_fd=folder), "wb") as out:
        out.write(data)
