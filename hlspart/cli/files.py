"""Files that commands write: atomically, and not at all when nothing changed."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from hlspart.cli.progress import PROGRESS
from hlspart.model.printable import one_line, printable
from hlspart.reading import read_file


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
                    _into_device(target, data)
                    changed = True
                    continue
                if os.path.getsize(target) == len(data) and read_file(target, len(data)) == data:
                    continue
            folder = os.path.dirname(target)
            os.makedirs(folder, exist_ok=True)
            if target in (other for _, other in ready):
                raise click.ClickException(f"cannot write {path}: two outputs go there")
            import tempfile

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


def _into_device(path: str, data: bytes) -> None:
    """Write to a device or a pipe; a pipe that nobody reads is an error and not a wait without an end."""
    handle = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    os.set_blocking(handle, True)
    with open(handle, "wb") as out:
        out.write(data)


def _mode_for(path: str) -> int:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def say(message: str) -> None:
    """One line for people, on standard error."""
    PROGRESS.stop()
    print(one_line(message), file=sys.stderr)


def terminal_width() -> int | None:
    """Columns of standard output; None where it is no terminal."""
    import shutil

    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def write_report(text: str, path: str | None = None, coloured: bool = False) -> None:
    """A report to a file or to standard output, printable whatever the sources hold."""
    data = encode(printable(text, coloured))
    if path is None:
        _to_stdout(data)
    else:
        write_output(path, data)


def write_product(text: str) -> None:
    """What is C, or is for other tools, to standard output: byte for byte, but on a terminal."""
    _to_stdout(encode(printable(text) if sys.stdout.isatty() else text))


def _to_stdout(data: bytes) -> None:
    PROGRESS.stop()
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def encode(text: str) -> bytes:
    """The bytes of a text that was decoded as UTF-8 with surrogateescape."""
    return text.encode("utf-8", "surrogateescape")


def dependency_rule(outputs: list[str], inputs: list[str]) -> str:
    """A make rule like gcc -MD -MP writes: the outputs depend on the inputs, which may vanish.

    Raises ClickException for a name that make cannot be told: as it stands it would mean something else.
    """

    def quote(path: str) -> str:
        if _NOT_IN_MAKE.search(path):
            raise click.ClickException(f"no dependency file: make has no way to write the file name {path!a}")
        return _QUOTED_IN_MAKE.sub(r"\\\g<0>", path).replace("$", "$$")

    unique = list(dict.fromkeys(inputs))
    text = " ".join(map(quote, outputs)) + ":" + "".join(f" \\\n  {quote(p)}" for p in unique) + "\n"
    return text + "".join(f"{quote(p)}:\n" for p in unique[1:])


_QUOTED_IN_MAKE = re.compile(r"[ #:*?\[\]|]")
_NOT_IN_MAKE = re.compile(r"^~|[\x00-\x1f\x7f=;%\\]")  # "=" makes a line an assignment, ";" begins a command


def makefile() -> str:
    """Path of the make rules that users include."""
    return str(Path(__file__).resolve().parent.parent / "share" / "hlspart.mk")
