"""What `verify` runs ends with it: whole process groups, bounded messages, bounded memory."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from verifying import compare

from hlspart.model.options import FrontendOptions
from hlspart.verification import VerifyOptions, verify
from hlspart.verification.execute import Child, Executable, Outcome

ALONE = "void top(int a[4]) { for (int i = 0; i < 4; i++) a[i] += 1; }\n"


def alive(pid: int) -> bool:
    """Whether a process runs (one that has ended and is not reaped yet does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ended(pid: int) -> bool:
    """Killed processes take a moment to go."""
    for _ in range(200):
        if not alive(pid):
            return True
        time.sleep(0.01)
    return False


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="limits of running processes need Linux")
def test_limits_leave_what_the_sanitizer_sets_again(tmp_path: Path) -> None:
    job = Child(["sh", "-c", "sleep 0.5; ulimit -Sc; ulimit -Hc; ulimit -Hf"], tmp_path, subprocess.PIPE, os.environ)
    soft, hard, file_blocks = job.wait(30)[1].split()
    core = resource.getrlimit(resource.RLIMIT_CORE)[1]
    assert soft == "0" and file_blocks != "unlimited"
    assert hard == ("unlimited" if core == resource.RLIM_INFINITY else str(core // 512))


def test_a_vector_within_which_a_start_ends_has_no_outcome(tmp_path: Path) -> None:
    job = Executable(ALONE + "int main(void) { return 0; }\n", "c", (), tmp_path, "original")
    job.stop()
    record = bytes(4) + b"12345678"
    (tmp_path / "original.out").write_bytes(record + record[:7])
    assert job._outcomes(2, 8) == [Outcome("ok", b"12345678")]
    (tmp_path / "original.out").write_bytes(record + b"\x0b\0\0\0")
    assert [o.status for o in job._outcomes(2, 8)] == ["ok", "fault"]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("own_end", [False, True], ids=["stopped", "ends by itself"])
def test_children_of_the_program_are_killed(tmp_path: Path, own_end: bool) -> None:
    script = f"sleep 600 & echo $! > pid; {'exit 3' if own_end else 'sleep 600'}"
    job = Child(["sh", "-c", script], tmp_path, -3, os.environ)  # the sleeper holds standard error open
    code, _ = job.wait(60 if own_end else 0.5)
    assert code == (3 if own_end else None)
    assert ended(int((tmp_path / "pid").read_text()))


def test_of_messages_without_end_both_ends_are_kept(tmp_path: Path) -> None:
    script = "import sys; sys.stderr.write('first\\n' + 'x' * 5_000_000 + '\\nlast'); sys.exit(4)"
    code, said = Child([sys.executable, "-c", script], tmp_path, -3, os.environ).wait(60)
    assert code == 4 and said.startswith("first\n") and said.endswith("\nlast")
    assert len(said) == 2 * (64 << 10)


def test_a_run_that_forks_and_never_ends(tmp_path: Path) -> None:
    text = f"""#include <unistd.h>
        #include <stdio.h>
        {ALONE}
        int main(int n, char **v) {{
            int child = fork();
            if (child == 0) for (;;) pause();
            FILE *f = fopen("child", "w"); fprintf(f, "%d", child); fclose(f);
            for (;;) pause();
        }}"""
    binary = Executable(text, "c", (), tmp_path, "forks")
    binary.wait()
    outcome = binary.run(b"", 0, 1.0)
    assert (outcome.status, outcome.message) == ("timeout", "still running after 1 s")
    assert ended(int((tmp_path / "child").read_text()))


def test_work_may_take_longer_than_sleep(tmp_path: Path) -> None:
    """On a machine that does other things, too, a run that works takes longer by the clock."""
    work = "import time\nwhile time.process_time() < 0.4: pass"
    assert Child([sys.executable, "-c", work], tmp_path, -3, os.environ).wait(0.1)[0] is None
    assert Child([sys.executable, "-c", work], tmp_path, -3, os.environ).wait(0.1, times=1000)[0] == 0
    assert Child(["sleep", "600"], tmp_path, -3, os.environ).wait(0.1, times=1000)[0] is None


def test_each_of_several_runs_is_stopped_by_its_work(tmp_path: Path) -> None:
    endless = "int k(int x) { volatile int on = x == 3; while (on) {} return x; }"
    result = compare(tmp_path, endless, endless, vectors=12, value_range=(0, 3), timeout=0.1)
    assert (result.status, result.vectors) == ("equal", 12) and result.tried is not None
    assert result.tried.timeouts > 0 == result.tried.faults


def test_memory_of_a_run_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hlspart.verification.execute.RUN_MEGABYTES", 64)
    text = """#include <stdlib.h>
        #include <string.h>
        int main(void) { for (;;) memset(malloc(1 << 20), 1, 1 << 20); }"""
    binary = Executable(text, "c", (), tmp_path, "grows")
    binary.wait()
    outcome = binary.run(b"", 0, 60)
    assert (outcome.status, outcome.message) == ("fault", "it uses more than 64 MB")


def test_a_compiler_that_is_not_needed_any_more_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = tmp_path / "slow"
    compiler.write_text('#!/bin/sh\ncase "$*" in *original*) echo "error: no" >&2; exit 1;; *-E*) exit 1;; esac\n'
                        f'echo $$ > {tmp_path}/pid\nexec sleep 600\n')  # fmt: skip
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    (tmp_path / "a.c").write_text(ALONE)
    (tmp_path / "b.c").write_text(ALONE)
    waited = iter(range(2000))
    original = Child.wait

    def wait(self: Child, seconds: float) -> tuple[int | None, str]:
        asked = "-E" in self._job.args  # what the compiler can do; the versions are compiled after that
        while not asked and not (tmp_path / "pid").exists() and next(waited, None) is not None:
            time.sleep(0.01)
        return original(self, seconds)

    monkeypatch.setattr(Child, "wait", wait)
    result = verify(str(tmp_path / "a.c"), str(tmp_path / "b.c"), VerifyOptions(top="top", frontend=FrontendOptions()))
    assert result.status == "incomparable" and "original version does not compile" in result.message
    assert ended(int((tmp_path / "pid").read_text()))
