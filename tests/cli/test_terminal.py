"""What people see: the width and colours of a terminal, the verdict first, the next step last, help, progress."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from hlspart.cli import progress
from hlspart.cli.app import COMMANDS, run
from hlspart.cli.app import cli as group
from hlspart.cli.help import SHARED, CommandWithExample
from hlspart.render.screen import Screen, folded, shown_on
from hlspart.render.table import table
from tests.amounts import amount

ROOT = Path(__file__).resolve().parents[2]
COLOUR = re.compile("\033\\[[0-9;]*m")
WIDTHS = (80, 100, 120)
LONG = """
void convolution_over_the_whole_picture(const int in[64], int out[64]) {
  int intermediate_values_of_the_first_pass[64];
load_everything_that_the_window_needs: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    intermediate_values_of_the_first_pass[i] = in[i]; }
three_neighbours_of_every_element_in_one_step: for (int i = 1; i < 63; i++) {
#pragma HLS PIPELINE II=1
    out[i] = intermediate_values_of_the_first_pass[i] + intermediate_values_of_the_first_pass[i - 1]
           + intermediate_values_of_the_first_pass[i + 1]; }
}
"""
STEPS = """
void steps(int A[65][130]) {
  for (int t = 1; t <= 64; t++)
    for (int i = 1; i < 129; i++)
      A[t][i] = (A[t - 1][i - 1] + A[t - 1][i] + A[t - 1][i + 1]) / 3;
}
"""


def on_terminal(act: Callable[[], object], columns: int) -> str:
    """What ``act`` writes, in a child whose standard streams are a terminal."""
    child, end = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR"):
            os.environ.pop(name, None)
        sys_streams()
        act()
        os._exit(0)
    out = b""
    try:
        while data := os.read(end, 1 << 16):
            out += data
    except OSError:  # how Linux says that the other end is closed
        pass
    os.waitpid(child, 0)
    os.close(end)
    return out.decode().replace("\r\n", "\n")


def sys_streams() -> None:
    """Python's streams over the descriptors again: the test runner has put others in their place."""
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("bottleneck", "conv2d", "gemm", "histogram", "polyphase"):
        shutil.copy(ROOT / f"samples/{name}.c", tmp_path)
    (tmp_path / "long.c").write_text(LONG)
    (tmp_path / "steps.c").write_text(STEPS)
    return tmp_path


FILES = ("bottleneck.c", "conv2d.c", "histogram.c", "polyphase.c", "long.c")


@pytest.mark.parametrize("columns", amount(WIDTHS[:1], WIDTHS))
@pytest.mark.parametrize(
    "args",
    [
        ("ii", *FILES),
        ("accesses", *FILES),
        ("infer", *FILES),
        ("infer", "conv2d.c", "--pareto"),
        ("ii", "conv2d.c", "--explain", "conv_r_conv_c"),
        ("expand", "gemm.c", "--loop", "ROWS", "--sweep", "1,2,4"),
        ("buffers", "bottleneck.c"),
        ("advise", "bottleneck.c", "conv2d.c"),
        ("layout", "conv2d.c"),
        ("mars", "steps.c", "--tile", "t+i:8,t-i:8"),
        ("explore", "gemm.c", "--pe", "4", "--plan"),
        ("trace", "bottleneck.c", "--stage", "ii"),
        ("rules",),
    ][:: amount(2, 1)],
    ids=lambda a: "-".join(a[:1] + a[2:3]),
)
def test_everything_fits_the_terminal(
    here: Path, args: tuple[str, ...], columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_AFTER", 600)
    text = COLOUR.sub("", on_terminal(lambda: run(args), columns))
    lines = text.splitlines()
    assert len(lines) > 2 and "error" not in lines[0]
    assert [x for x in lines if len(x) > columns] == []
    assert columns == 120 or max(map(len, lines)) > columns * 3 // 5  # the room is used


def test_advice_begins_with_a_verdict_and_leaves_out_costs_that_no_way_has(cli, here: Path) -> None:
    lines = cli("advise", "bottleneck.c").out.splitlines()
    assert lines[0] == "bottleneck.c: 2 pipelined loops, 1 late; `rewrite --infer` changes 2"
    heads = [x.split() for x in lines if x.split()[:1] == ["way"]]
    assert len(heads) == 2 and all("URAM" not in h and "DSP" not in h and "BRAM18K" in h for h in heads)
    assert lines[-2:] == ["next: reuse buffers", "  hlspart rewrite bottleneck.c --infer -o NEW.c"]


def test_where_the_default_is_to_keep_the_text_the_price_of_the_others_is_said(cli, tmp_path: Path) -> None:
    (tmp_path / "sum.c").write_text(
        "void f(const float a[64], float o[1]) {\n  float s = 0;\n"
        "SUM: for (int i = 0; i < 64; i++) {\n#pragma HLS PIPELINE II=1\n    s += a[i]; }\n  o[0] = s; }\n"
    )
    out = cli("ii", "sum.c").out
    assert "f/SUM: `rewrite --infer` keeps it as it is; other ways, with their price:\n    1. partial sums: II 1" in out
    assert out.endswith("\n  hlspart advise sum.c\n")
    assert "\n    accumulators: hlspart rewrite sum.c --infer --allow-reassoc -o OUT\n" in cli("advise", "sum.c").out


def test_loops_above_one_without_a_target_are_named(cli, tmp_path: Path) -> None:
    (tmp_path / "t.c").write_text(
        "void f(const int a[66], int o[64]) {\nSUM: for (int i = 0; i < 64; i++) o[i] = a[i] + a[i + 1] + a[i + 2]; }\n"
    )
    out = cli("ii", "t.c").out
    assert "t.c: no pipelined loop misses a target II; without a target: SUM II 2\n" in out


def test_ii_and_infer_call_the_same_loops_late_and_uncertain(cli, tmp_path: Path) -> None:
    (tmp_path / "h.c").write_text(
        "void f(const unsigned char v[64], const unsigned char w[64], int h[256]) {\n"
        "BINS: for (int i = 0; i < 256; i++) {\n#pragma HLS UNROLL factor=8\n    h[i] = 0; }\n"
        "COUNT: for (int i = 0; i < 64; i++) {\n#pragma HLS PIPELINE II=1\n    h[v[i]] = i; h[w[i]] = 1; }\n}\n"
    )
    said = "h.c: 1 of 2 pipelined loops has no certain II: COUNT II 1 to 2, target 1; without a target: BINS II 4\n"
    assert said in cli("ii", "h.c").out
    said = "h.c: the loop has no certain II: COUNT; no partition looked at mends it; BINS, without a target, gains\n"
    assert cli("infer", "h.c").out.startswith(said)


def test_the_next_step_is_none_that_is_known_to_be_in_vain(cli, tmp_path: Path) -> None:
    (tmp_path / "r.c").write_text(
        "void f(const char p[64], const char q[64], const char r[64], const int a[256], int o[64]) {\n"
        "ANY: for (int i = 0; i < 64; i++) {\n#pragma HLS PIPELINE II=1\n    o[i] = a[p[i]] + a[q[i]] + a[r[i]]; }\n}\n"
    )
    out = cli("ii", "r.c").out
    assert "f/ANY: no way that hlspart can write is better\n" in out
    assert out.endswith("next: what the loop waits for\n  hlspart ii r.c --explain f/ANY\n")


def test_without_a_command_the_commands_are_shown(cli, here: Path) -> None:
    shown = cli()
    assert (shown.code, shown.err) == (0, "") and shown.out == cli("--help").out and "\n  ii  " in shown.out
    assert "no command 'bottleneck.c'; to look at it: hlspart ii bottleneck.c\n" in cli("bottleneck.c").err
    assert "no command 'ruls'; did you mean rules?\n" in cli("ruls").err


def test_verify_fits_the_terminal_and_colours_its_verdict(here: Path) -> None:
    asked = ("verify", "steps.c", "steps.c", "--top", "steps", "--vectors", "3")
    out = on_terminal(lambda: run(asked), 50)
    assert "\033[32msteps.c and steps.c: equal on 3 vectors" in out
    assert [x for x in COLOUR.sub("", out.split("\r")[-1]).splitlines() if len(x) > 50] == []


def test_a_sweep_has_the_figures_of_the_text_as_it_is(cli, here: Path) -> None:
    rows = [x.split() for x in cli("expand", "gemm.c", "--loop", "ROWS", "--sweep", "1,2").out.splitlines()[-2:]]
    assert rows == [["1", "37952", "1", "3", "0", "1.0"], ["2", "18976", "1", "6", "0", "1.0"]]


def test_lint_says_that_nothing_can_be_fixed(cli, tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text("void f(int a[4]) {\n#pragma HLS PIPELIN\n  a[0] = 1;\n}\n")
    assert "nothing to change: no safe fix for any of 1 findings" in cli("lint", "p.c", "--fix", "--diff").err


def test_a_pipe_gets_every_column_on_one_line(cli, here: Path) -> None:
    done = cli("ii", "long.c")
    (head,) = [x for x in done.out.splitlines() if "Modules & Loops" in x]
    for column in ("Line", "Issue", "Latency (cycles)", "Latency (ns)", "Iteration Latency", "Target", "Interval"):
        assert column in head
    assert "FF ~" in head and "\033" not in done.out  # estimates, of functions
    row = next(x for x in done.out.splitlines() if "o three_neighbours" in x)
    assert head.index("Interval") + len("Interval") == row.index(" 2 ", head.index("Target") + 6) + 2  # to the right


def test_assumptions_then_the_verdict_and_the_next_step_last(cli, here: Path) -> None:
    lines = cli("ii", "bottleneck.c", "--tool", "vitis-2021.2", "--clock", "5").out.splitlines()
    assert lines[0].startswith("assumed: ")
    assert lines[2] == "bottleneck.c: 1 of 2 pipelined loops misses the target II: SUM_LOOP II 2 instead of 1"
    step = "  hlspart rewrite bottleneck.c --tool vitis-2021.2 --clock 5 --infer -o NEW.c"
    assert lines[-2:] == ["next: reuse buffers", step]
    first, *_, last = cli("infer", "bottleneck.c", "--tool", "vitis-2021.2", "--clock", "5").out.splitlines()
    assert (
        first == "bottleneck.c: 1 of 2 loops misses the target II: SUM_LOOP; with the partitions below none misses it"
    )
    assert last == step
    assert cli(*step.split()[1:]).code == 0
    after = cli("ii", "NEW.c", "--tool", "vitis-2021.2", "--clock", "5").out.splitlines()
    assert re.fullmatch(r"NEW.c: .* reach(es)? (its|their) target II", after[2]) and not after[-1].startswith(
        "  hlspart"
    )


def test_a_step_of_infer_says_its_own_options_again(cli, here: Path) -> None:
    (here / "quads.c").write_text(
        "void f(int A[256], int y[64]) { for (int i = 0; i < 64; i++) {\n#pragma HLS pipeline II=1\n"
        "y[i] = A[4 * i] + A[4 * i + 1] + A[4 * i + 2] + A[4 * i + 3]; } }\n"
    )
    step = cli("infer", "quads.c", "--max-banks", "8", "--pow2").out.splitlines()[-1]
    assert step == "  hlspart infer quads.c --max-banks 8 --pow2 --emit diff"
    assert cli(*step.split()[1:]).out.startswith("--- ")
    step = cli("infer", "bottleneck.c", "--scheme", "any").out.splitlines()[-1]
    assert "rewrite" not in step  # which has no --scheme and might write other banks


@pytest.mark.parametrize("command", amount(["ii"], ["ii", "infer"]))
def test_missed_targets_are_red_where_colours_are_wanted(cli, here: Path, command: str) -> None:
    always = cli(command, "bottleneck.c", "--color", "always").out
    plain = cli(command, "bottleneck.c").out
    assert COLOUR.sub("", always) == plain != always
    missed = next(x for x in always.splitlines() if ("SUM_LOOP" in x and "|" not in x and "126" in x) or "2  " in x)
    assert "\033[31m2\033[0m" in always and "\033[32m1\033[0m" in always and missed
    shown = on_terminal(lambda: run((command, "bottleneck.c")), 100)
    assert "\033[31m" in shown
    assert "\033" not in on_terminal(lambda: run((command, "bottleneck.c", "--color", "never")), 100)
    assert cli(command, "bottleneck.c", "--color", "always", "--format", "json").out.startswith("{")


def test_an_unknown_ii_is_not_green(cli, here: Path) -> None:
    (here / "u.c").write_text(
        "void f(int n, int a[64], const int p[64]) { for (int i = 0; i < 64; i++) {\n#pragma HLS pipeline II=1\n"
        "while (a[p[i]] > n) a[p[i]] -= n; } }\n"
    )
    loops = cli("ii", "u.c", "--format", "json").json["files"][0]["loops"]
    assert any(x["pipelined"] and x["ii"] is None for x in loops)
    out = cli("ii", "u.c", "--color", "always").out
    assert "\033[33m?" in out and "no certain II" in out and "\033[32m" not in out


def test_folded_commands_and_pragmas_still_work() -> None:
    pragma = "    #pragma HLS array_partition variable=a_rather_long_name type=cyclic factor=16 dim=1"
    with shown_on(Screen(50)):
        lines = folded(pragma + "\n").splitlines()
    assert len(lines) > 1 and all(x.endswith(" \\") for x in lines[:-1]) and max(map(len, lines)) <= 50
    assert " ".join(x.removesuffix("\\") for x in lines).split() == pragma.split()


def test_tables_lose_no_text_when_they_are_folded() -> None:
    rows = [("alpha/beta_gamma" * k, k, "some words about it " * k) for k in range(1, 6)]
    with shown_on(Screen(60)):
        text = table(("name", "number", "words"), rows)
    assert max(map(len, text.splitlines())) <= 60
    squeezed = re.sub(r"\s", "", text)
    assert sum(text.count(x) for x in ("some", "words")) >= 2 * 15 and squeezed.count("gamma") == 15
    with shown_on(Screen(60)):
        assert table(("a", "empty", "b"), [("x", "-", 1), ("y", "", 20)]) == "  a   b\n  x   1\n  y  20\n"


# ---------------------------------------------------------------------------------------- help


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_own_options_first_and_an_example_that_parses(cli, name: str) -> None:
    command = group.get_command(click.Context(group), name)
    assert isinstance(command, CommandWithExample)
    text = cli(name, "--help").out
    titles = re.findall(r"^(\S.*):$", text, re.M)
    assert titles[:2] == ["Example", "Options"]
    shared = [t for t in titles if t in SHARED]
    assert titles[len(titles) - len(shared) :] == shared == [t for t in SHARED if t in titles]
    words = command.example.split()
    assert words[0] == name and f"hlspart {command.example}" in text
    known = {o for p in command.params for o in (*p.opts, *p.secondary_opts)}
    assert {w for w in words if w.startswith("-")} <= known


# ------------------------------------------------------------------------------------ messages


def test_a_missing_header_is_said_once(cli, tmp_path: Path) -> None:
    for name in ("x.c", "y.c", "z.c"):
        (tmp_path / name).write_text(f'#include "gone.h"\nint {name[0]}(int a[4]) {{ return a[0]; }}\n')
    done = cli("ii", "x.c", "y.c", "z.c")
    assert done.err.count("gone.h") == 1 and done.err.startswith("x.c:1:1: note: header gone.h not found")
    text = cli("lint", "x.c", "y.c", "z.c", "--no-cache").out
    assert text.count("header gone.h") == 1 and "(and in 2 more places)" in text
    found = cli("lint", "x.c", "y.c", "z.c", "--no-cache", "--format", "json").json["diagnostics"]
    assert [d["path"] for d in found if d["rule"] == "HLP006"] == ["x.c", "y.c", "z.c"]


# ------------------------------------------------------------------------------------ progress


def test_progress_comes_and_goes_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_AFTER", 0.02)
    monkeypatch.setattr(progress, "_EVERY", 0.01)

    def work() -> None:
        with progress.PROGRESS:
            time.sleep(0.2)
            progress.PROGRESS.note("3 of 4 programs")
            time.sleep(0.2)

    shown = on_terminal(work, 80)
    assert "working: 0 s" in shown and "3 of 4 programs: 0 s" in shown and shown.endswith(" \r") and "\033" not in shown
    monkeypatch.setattr(progress, "_AFTER", 60)
    assert on_terminal(work, 80) == ""


def test_progress_is_not_for_files(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_AFTER", 0.01)
    with progress.Progress():
        time.sleep(0.05)
    assert capfd.readouterr().err == ""


# --------------------------------------------------------------------------------------- watch


def test_watch_runs_again_when_a_header_changes(tmp_path: Path) -> None:
    (tmp_path / "n.h").write_text("#define N 8\n")
    (tmp_path / "k.c").write_text(
        '#include "n.h"\nvoid f(int a[64]) {\nL: for (int i = 0; i < N; i++) {\n#pragma HLS pipeline\n'
        "    a[i] = i;\n  }\n}\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "hlspart", "ii", "k.c", "--watch"], cwd=tmp_path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background jobs ignore it
    )  # fmt: skip
    assert process.stdout is not None
    try:
        for text, trips in (("#define N 16\n", 8), ("void f( {", 16), ("#define N 64\n", None), ("", 64)):
            said = ""
            while "watching 2 files" not in (line := process.stdout.readline()):
                assert line, said
                said += line
            assert (f"  {trips} " in said) if trips else "n.h:1" in said or "undeclared" in said, said
            (tmp_path / "new").write_text(text)
            (tmp_path / "new").replace(tmp_path / "n.h")  # in one step, or it is looked at while it is empty
    finally:
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(60) == 130
        finally:
            process.kill()
    assert run(["ii", "-", "--watch"]) == 2
