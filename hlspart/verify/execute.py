"""Building and running drivers with the system's C compiler, sanitizers on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hlspart.verify.interface import Incomparable

FLAGS = (
    "-O1", "-g1", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-ffp-contract=off",
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

    def run(self, data: bytes, timeout: float) -> Outcome:
        """Run on input bytes."""
        given, got = self._folder / f"{self._name}.in", self._folder / f"{self._name}.out"
        given.write_bytes(data)
        got.unlink(missing_ok=True)
        settings = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=0"}
        try:
            done = subprocess.run(
                [str(self._program), str(given), str(got)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=timeout,
                env=settings,
                cwd=self._folder,
            )
        except subprocess.TimeoutExpired:
            return Outcome("timeout", message=f"still running after {timeout:g} s")
        if done.returncode:
            return Outcome("fault", message=_fault(done.stderr.decode("utf-8", "replace"), done.returncode))
        return Outcome("ok", got.read_bytes())


def _fault(text: str, code: int) -> str:
    for pattern in (r"(\S+:\d+:\d+): runtime error: (.*)", r"()ERROR: AddressSanitizer: (\S+)"):
        found = re.search(pattern, text)
        if found:
            where = os.path.basename(found[1]) + ": " if found[1] else ""
            message = where + found[2]
            frame = re.search(r"#\d+ \S+ in (\S+) (\S+:\d+)", text) if not where else None
            return message + (f" in {frame[1]} at {os.path.basename(frame[2])}" if frame else "")
    return f"killed by signal {-code}" if code < 0 else f"exit code {code}"
