"""Building and running drivers with the system's C compiler, sanitizers on."""

from __future__ import annotations

import contextlib
import math
import os
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Literal

from msgspec import Struct

from hlspart.verification.interface import Incomparable

FLAGS = (
    "-Og", "-g1", "-w", "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all",
    "-fno-sanitize=bool,enum",  # banked code loads words that it does not use
    "-ffp-contract=off",
    "-ffunction-sections", "-Wl,--gc-sections",  # what only the user's main needs may be missing
)  # fmt: skip

#: Types of the synthesis tool for machines without it; the compiler looks there last.
HEADERS = Path(__file__).parent / "headers"
COMPILE_SECONDS = 300
RUN_MEGABYTES = 4096  # of memory, all processes of a run together
TOO_LARGE = "it uses more than"
_ASKED = 10.0  # seconds for a compiler to say whether it knows an option
_BY_THE_CLOCK = 20  # times its seconds of work that a run may take on a machine that does other things
_TOO_LONG = (signal.SIGPROF, signal.SIGALRM)
_LOOK = 0.05  # seconds from one look at a process to the next
_KEPT = 64 << 10  # bytes of each end of what a program prints
_FILE_BYTES = 1 << 30  # of each file that a run writes


Filling = Literal["pattern", "zero"] | None  # what locals without an initial value hold; None: whatever there is


class Outcome(Struct, frozen=True):
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


class _Messages:
    """Both ends of what comes through a pipe, whoever holds its other end open."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe, self._open = pipe, True
        self._head, self._tail = b"", b""

    def read(self, seconds: float) -> bool:
        """Wait for a part and take it; whether there is more to wait for."""
        if self._open and select.select([self._pipe], [], [], seconds)[0]:
            data = os.read(self._pipe.fileno(), 1 << 16)
            self._open = bool(data)
            self.add(data)
        return self._open

    def add(self, data: bytes) -> None:
        """Keep a part."""
        room = _KEPT - len(self._head)
        self._head, self._tail = self._head + data[:room], (self._tail + data[room:])[-_KEPT:]

    def close(self) -> None:
        """Take what is there already; those who write more are gone."""
        for _ in range(64):
            if not self._open or not select.select([self._pipe], [], [], 0)[0]:
                break
            self.read(0)
        self._pipe.close()

    def text(self) -> str:
        """What is kept."""
        return (self._head + self._tail).decode("utf-8", "replace")


def _processes(group: int) -> Iterator[list[str]]:
    """What the system tells of the processes of a group, from their state on; none where it does not tell."""
    with contextlib.suppress(OSError):
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                with contextlib.suppress(OSError, IndexError):
                    fields = Path(entry.path, "stat").read_text(errors="replace").rpartition(")")[2].split()
                    if int(fields[2]) == group:
                        yield fields


def _memory(group: int) -> int:
    """Bytes of memory that the processes of a group hold; 0 where the system does not tell."""
    return sum(int(fields[21]) for fields in _processes(group)) * os.sysconf("SC_PAGE_SIZE")


def _is_at_work(group: int) -> bool:
    """Whether a process of a group runs, or would if the machine let it."""
    return any(fields[0] in "RD" for fields in _processes(group))


class Child:
    """A program in a process group of its own, which is killed whole when it ends or is stopped.

    Of what it prints both ends are kept; where a running process can be given limits, so are its files.
    """

    def __init__(self, command: Sequence[str], folder: Path, stdout: int, environment: Mapping[str, str]) -> None:
        """``stdout``: where its standard output goes, as for :class:`subprocess.Popen`; PIPE joins what is kept."""
        joined = stdout == subprocess.PIPE
        self._job = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.STDOUT if joined else subprocess.PIPE,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        pipe = self._job.stdout if joined else self._job.stderr
        assert pipe is not None
        self._said = _Messages(pipe)
        self._stopped = False
        with contextlib.suppress(AttributeError, OSError, ValueError):  # it may have ended
            resource.prlimit(self._job.pid, resource.RLIMIT_FSIZE, (_FILE_BYTES, _FILE_BYTES))
            # The hard limit stays: AddressSanitizer reads it at its start and ends where it cannot set it again.
            hard = resource.prlimit(self._job.pid, resource.RLIMIT_CORE)[1]
            resource.prlimit(self._job.pid, resource.RLIMIT_CORE, (0, hard))

    def wait(self, seconds: float, megabytes: int | None = None, times: int = 1) -> tuple[int | None, str]:
        """Exit code (None: it was still running after ``seconds``) and what it printed.

        While it is at work, which other work on the machine makes slower, it may take ``times`` as long. A group that
        comes to use more than ``megabytes`` is stopped, and :data:`TOO_LARGE` is printed.
        """
        until = (start := time.monotonic()) + seconds
        look, ended, idle = time.monotonic() + _LOOK, False, 0
        try:
            while not (ended := self._is_ended()):
                if (now := time.monotonic()) >= until:
                    idle = 0 if _is_at_work(self._job.pid) else idle + 1
                    if now - start >= seconds * times or idle > 1:
                        ended = self._is_ended()  # meanwhile
                        break
                    until = now + _LOOK
                if megabytes is not None and now >= look:
                    look = now + _LOOK
                    if _memory(self._job.pid) > megabytes << 20:
                        self._said.add(f"\n{TOO_LARGE} {megabytes} MB".encode())
                        os.killpg(self._job.pid, signal.SIGKILL)
                if not self._said.read(min(until - now, _LOOK)):
                    time.sleep(min(until - now, 0.002))
        finally:
            self.stop()
        return self._job.returncode if ended else None, self._said.text()

    def _is_ended(self) -> bool:
        """Whether it has ended; where the system can, it is not reaped yet: the number of its group stays its own."""
        if not hasattr(os, "waitid"):
            return self._job.poll() is not None
        return self._stopped or os.waitid(os.P_PID, self._job.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def stop(self) -> None:
        """Kill what is left of the group."""
        if self._stopped:
            return
        self._stopped = True
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._job.pid, signal.SIGKILL)
        self._job.wait()
        self._said.close()


@cache
def filling_flags(program: str) -> tuple[str, ...] | None:
    """How to have a compiler fill locals, but for with what; None: it cannot. gcc 12 and clang 8 can."""
    # without -fno-tree-fre, gcc takes a value that is only set under a condition for one that is always set
    for more in (("-fno-tree-fre",), ()):
        command = [program, "-Werror", *more, "-ftrivial-auto-var-init=zero", "-E", "-x", "c", os.devnull]
        if Child(command, Path.cwd(), subprocess.DEVNULL, os.environ).wait(_ASKED)[0] == 0:
            return more
    return None


class Executable:
    """A driver being compiled in the background; ``run`` waits for it."""

    def __init__(
        self, text: str, language: str, flags: Sequence[str], folder: Path, name: str, filling: Filling = None,
        beside: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """``beside``: further sources, compiled along."""
        self._name = name
        self._source = folder / f"{name}{'.cpp' if language == 'c++' else '.c'}"
        self._program, self._needs = folder / name, folder / f"{name}.d"
        self._folder = folder
        self._given, self._got = folder / f"{name}.in", folder / f"{name}.out"
        self._source.write_bytes(text.encode("utf-8", "surrogateescape"))
        filled: list[str] = []
        if filling is not None:
            filled = [*(filling_flags(compiler(language)) or ()), f"-ftrivial-auto-var-init={filling}"]
        if language == "c++":
            flags = [*flags, "-idirafter", str(HEADERS), "-MD", "-MF", str(self._needs)]
        sources = [*beside, str(self._source)]  # the needs of the last one are kept
        command = [compiler(language), *FLAGS, *filled, *flags, *sources, "-o", str(self._program), "-lm"]
        self._job = Child(command, Path.cwd(), subprocess.PIPE, os.environ)

    def wait(self) -> None:
        """Raises Incomparable with the compiler's first error."""
        code, output = self._job.wait(COMPILE_SECONDS)
        if code is None:
            raise Incomparable(f"the {self._name.partition('-')[0]} version is not compiled after {COMPILE_SECONDS} s")
        if code:
            lines = output.splitlines()
            errors = [x for x in lines if "error:" in x or "undefined reference" in x] or lines or ["?"]
            first = re.sub(re.escape(str(self._folder)) + r"/?", "", errors[0])
            raise Incomparable(f"the {self._name.partition('-')[0]} version does not compile: {first.strip()}")

    def own_headers(self) -> tuple[str, ...]:
        """Headers of :data:`HEADERS` that stood for those of the synthesis tool."""
        needed = self._needs.read_text(errors="replace").split() if self._needs.exists() else []
        return tuple(sorted({Path(path).name for path in needed if Path(path).parent == HEADERS}))

    def stop(self) -> None:
        """End a compilation that nobody waits for any more."""
        self._job.stop()

    def run(self, vector: bytes, record: int, timeout: float) -> Outcome:
        """Run on one input vector; ``record`` is the size of the outputs."""
        code, errors = self._execute([vector], timeout)
        if code is None or -code in _TOO_LONG:
            return Outcome("timeout", message=f"still running after {timeout:g} s")
        if code:
            return Outcome("fault", message=_fault(errors, code))
        return self._outcomes(1, record)[0]

    def run_all(
        self, vectors: Sequence[bytes], record: int, limit: float, direction: int | None = None
    ) -> list[Outcome]:
        """Run on each vector, in a process of its own that may work for ``limit`` seconds: a time-out is the last.

        The fault of one among several has no message. ``direction``: how to round, as the driver takes it.
        """
        if not vectors:
            return []
        if len(vectors) == 1 and direction is None:
            return [self.run(vectors[0], record, limit)]
        self._execute(vectors, limit, direction)
        outcomes = self._outcomes(len(vectors), record)
        return outcomes or [Outcome("fault", message="the run broke off")]

    def _execute(self, vectors: Sequence[bytes], limit: float, direction: int | None = None) -> tuple[int | None, str]:
        """Return code (None: stopped by the clock) and messages of one start; ``limit``: seconds of work for each."""
        parts = [struct.pack("<qqq", len(vectors), max(1, int(limit * 1e6)), math.ceil(_BY_THE_CLOCK * limit))]
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
        command = [str(self._program), str(self._given), str(self._got)]
        command += [] if direction is None else [str(direction)]
        seconds = limit * len(vectors) + 5 * (len(vectors) > 1)
        return Child(command, self._folder, subprocess.DEVNULL, settings).wait(seconds, RUN_MEGABYTES, _BY_THE_CLOCK)

    def _outcomes(self, count: int, record: int) -> list[Outcome]:
        """What the records of the last start say, as far as they are complete."""
        data = self._got.read_bytes() if self._got.exists() else b""
        out = []
        for at in range(0, count * (record + 4), record + 4):
            piece = data[at : at + 4 + record]
            if len(piece) < 4 + record and (len(piece) < 4 or not any(piece[:4])):
                break  # the start ended within this vector
            status = int.from_bytes(piece[:4], "little")
            if status == 0:
                out.append(Outcome("ok", piece[4:]))
            else:
                out.append(Outcome("timeout" if status & 127 in _TOO_LONG else "fault"))
        return out


def _fault(text: str, code: int) -> str:
    if code == -signal.SIGKILL and TOO_LARGE in text:
        return text[text.rindex(TOO_LARGE) :]
    for pattern in (r"(\S+:\d+:\d+): runtime error: (.*)", r"()ERROR: AddressSanitizer: (\S+)"):
        match = re.search(pattern, text)
        if match:
            where = os.path.basename(match[1]) + ": " if match[1] else ""
            message = where + match[2].replace("use-after-poison", "access outside of an argument")
            frame = re.search(r"#\d+ \S+ in (\S+) (\S+:\d+)", text) if not where else None
            return message + (f" in {frame[1]} at {os.path.basename(frame[2])}" if frame else "")
    return f"killed by signal {-code}" if code < 0 else f"exit code {code}"
