"""Building and running drivers with the system's C compiler, sanitizers on."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hlspart.verify.interface import Incomparable

FLAGS = (
    "-O1", "-g1", "-w", "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all",
    "-fno-sanitize=bool,enum",  # banked code loads words that it does not use
    "-ffp-contract=off",
    "-ffunction-sections", "-Wl,--gc-sections",  # what only the user's main needs may be missing
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """``ok`` with the output bytes; ``fault`` or ``timeout`` with one line that says what happened."""

    status: Literal["ok", "fault", "timeout"]
    data: bytes = b""
    message: str = ""


def compiler(language: str) -> str:
    """The system's compiler; $CC or $CXX wins."""
    names = [os.environ.get("CC"), "cc", "gcc", "clang"]
    if language == "c++":
        names = [os.environ.get("CXX"), "c++", "g++", "clang++"]
    for name in names:
        if name and shutil.which(name):
            return name
    raise Incomparable(f"no {language.upper()} compiler found ({', '.join(n for n in names if n)})")


class Binary:
    """A driver being compiled in the background; ``run`` waits for it."""

    def __init__(self, text: str, language: str, flags: Sequence[str], folder: Path, name: str) -> None:
        self._name = name
        self._source = folder / f"{name}{'.cpp' if language == 'c++' else '.c'}"
        self._program = folder / name
        self._folder = folder
        self._given, self._got = folder / f"{name}.in", folder / f"{name}.out"
        self._source.write_bytes(text.encode("utf-8", "surrogateescape"))
        command = [compiler(language), *FLAGS, *flags, str(self._source), "-o", str(self._program), "-lm"]
        self._job = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def wait(self) -> None:
        """Raises Incomparable with the compiler's first error."""
        output, _ = self._job.communicate()
        if self._job.returncode:
            lines = output.decode("utf-8", "replace").splitlines()
            errors = [x for x in lines if "error:" in x or "undefined reference" in x] or lines or ["?"]
            first = re.sub(re.escape(str(self._folder)) + r"/?", "", errors[0])
            raise Incomparable(f"the {self._name} version does not compile: {first.strip()}")

    def run(self, vector: bytes, record: int, timeout: float) -> Outcome:
        """Run on one input vector; ``record`` is the size of the outputs."""
        try:
            code, errors = self._execute([vector], timeout, timeout)
        except subprocess.TimeoutExpired:
            return Outcome("timeout", message=f"still running after {timeout:g} s")
        if code:
            return Outcome("fault", message=_fault(errors, code))
        return self._outcomes(1, record)[0]

    def run_all(self, vectors: Sequence[bytes], record: int, limit: float) -> list[Outcome]:
        """Run on each vector, in a process of its own that may take ``limit`` seconds: a time-out is the last.

        The fault of one among several has no message.
        """
        if not vectors:
            return []
        if len(vectors) == 1:
            return [self.run(vectors[0], record, limit)]
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._execute(vectors, limit, limit * len(vectors) + 5)
        found = self._outcomes(len(vectors), record)
        return found or [Outcome("fault", message="the run broke off")]

    def _execute(self, vectors: Sequence[bytes], limit: float, timeout: float) -> tuple[int, str]:
        """Return code and messages of one start."""
        parts = [struct.pack("<qq", len(vectors), max(1, int(limit * 1e6)))]
        for vector in vectors:
            parts += [struct.pack("<q", len(vector)), vector]
        self._given.write_bytes(b"".join(parts))
        self._got.unlink(missing_ok=True)
        symbols = f"symbolize={int(len(vectors) == 1)}"
        settings = {
            **os.environ,
            "ASAN_OPTIONS": f"detect_leaks=0:max_malloc_fill_size=1073741824:malloc_fill_byte=254:{symbols}",
            "UBSAN_OPTIONS": f"print_stacktrace=0:{symbols}",
        }
        done = subprocess.run(
            [str(self._program), str(self._given), str(self._got)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=timeout,
            env=settings,
            cwd=self._folder,
        )
        return done.returncode, done.stderr.decode("utf-8", "replace")

    def _outcomes(self, count: int, record: int) -> list[Outcome]:
        """What the records of the last start say, as far as they are complete."""
        data = self._got.read_bytes() if self._got.exists() else b""
        out = []
        for at in range(0, count * (record + 4), record + 4):
            piece = data[at : at + 4 + record]
            if len(piece) < 4:
                break
            status = int.from_bytes(piece[:4], "little")
            if status == 0:
                out.append(Outcome("ok", piece[4:]))
            else:
                out.append(Outcome("timeout" if status & 127 == signal.SIGALRM else "fault"))
        return out


def _fault(text: str, code: int) -> str:
    for pattern in (r"(\S+:\d+:\d+): runtime error: (.*)", r"()ERROR: AddressSanitizer: (\S+)"):
        found = re.search(pattern, text)
        if found:
            where = os.path.basename(found[1]) + ": " if found[1] else ""
            message = where + found[2].replace("use-after-poison", "access outside of an argument")
            frame = re.search(r"#\d+ \S+ in (\S+) (\S+:\d+)", text) if not where else None
            return message + (f" in {frame[1]} at {os.path.basename(frame[2])}" if frame else "")
    return f"killed by signal {-code}" if code < 0 else f"exit code {code}"
