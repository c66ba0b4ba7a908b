"""Files that commands write: atomically, and not at all when nothing changed."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import click


def write_output(path: str, data: bytes) -> bool:
    """Write ``data`` to ``path``, see :func:`write_outputs`. Returns whether it changed."""
    return write_outputs([(path, data)])


def write_outputs(outputs: Iterable[tuple[str, bytes]]) -> bool:
    """Write all of ``(path, data)`` by renames, or nothing where one cannot be written (ClickException).

    An identical file keeps its mtime. Returns whether any changed.
    """
    ready: list[tuple[str, str]] = []  # temporary file, target
    changed = False
    path = ""
    try:
        for path, data in outputs:
            target = os.path.realpath(path)
            with contextlib.suppress(FileNotFoundError):
                mode = os.stat(target).st_mode
                if not stat.S_ISREG(mode):  # a device or a pipe cannot be renamed over
                    with open(target, "wb") as out:
                        out.write(data)
                    changed = True
                    continue
                if Path(target).read_bytes() == data:
                    continue
            folder = os.path.dirname(target)
            os.makedirs(folder, exist_ok=True)
            if target in (other for _, other in ready):
                raise click.ClickException(f"cannot write {path}: two outputs go there")
            handle, temporary = tempfile.mkstemp(dir=folder, prefix=".hlspart-")
            ready.append((temporary, target))
            with os.fdopen(handle, "wb") as out:
                out.write(data)
            os.chmod(temporary, _mode_for(target))
        while ready:
            path = ready[0][1]
            os.replace(*ready[0])
            del ready[0]
            changed = True
    except OSError as error:
        raise click.ClickException(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        for temporary, _ in ready:
            os.unlink(temporary)
    return changed


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
