"""Files that commands write: atomically, and not at all when nothing changed."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from pathlib import Path

import click


def write_output(path: str, data: bytes) -> bool:
    """Write ``data`` to ``path`` by a rename; an identical file keeps its mtime. Returns whether it changed."""
    target = os.path.realpath(path)
    try:
        with contextlib.suppress(FileNotFoundError):
            mode = os.stat(target).st_mode
            if not stat.S_ISREG(mode):  # a device or a pipe cannot be renamed over
                with open(target, "wb") as out:
                    out.write(data)
                return True
            if Path(target).read_bytes() == data:
                return False
        folder = os.path.dirname(target)
        os.makedirs(folder, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".hlspart-")
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(data)
            os.chmod(temporary, _mode_for(target))
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise click.ClickException(f"cannot write {path}: {error.strerror or error}") from None
    return True


def _mode_for(path: str) -> int:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def write_stdout(data: str) -> None:
    """Text to standard output, bytes of undecodable source text unharmed."""
    sys.stdout.flush()
    sys.stdout.buffer.write(encode(data))
    sys.stdout.buffer.flush()


def encode(text: str) -> bytes:
    """The bytes of a text that was decoded as UTF-8 with surrogateescape."""
    return text.encode("utf-8", "surrogateescape")


def display_path(path: str) -> str:
    """``path`` relative to the current folder, as it appears in every output."""
    if os.path.isabs(path):
        path = os.path.relpath(path)
    while path.startswith("./"):
        path = path[2:].lstrip("/") or "."
    return path


def dependency_rule(outputs: list[str], inputs: list[str]) -> str:
    """A make rule like gcc -MD -MP writes: the outputs depend on the inputs, which may vanish."""

    def quote(path: str) -> str:
        return path.replace("$", "$$").replace("#", "\\#").replace(" ", "\\ ")

    unique = list(dict.fromkeys(inputs))
    text = " ".join(map(quote, outputs)) + ":" + "".join(f" \\\n  {quote(p)}" for p in unique) + "\n"
    return text + "".join(f"{quote(p)}:\n" for p in unique[1:])


def makefile() -> str:
    """Path of the make rules that users include."""
    return str(Path(__file__).resolve().parent.parent / "share" / "hlspart.mk")
