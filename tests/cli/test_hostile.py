"""Folders and sources that somebody else wrote, and meant ill: links, pipes, devices, spoilt caches, escapes."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import FAULTY, KERNEL, Cli

from tests.amounts import amount

CACHE = ".hlspart-cache"
LINT = ("lint", "--jobs", "1")


@pytest.fixture(autouse=True)
def not_for_ever() -> Iterator[None]:
    """What waits for a pipe fails instead of stopping the run."""
    signal.alarm(300)
    yield
    signal.alarm(0)


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    (tmp_path / "f.c").write_text(FAULTY)
    return tmp_path


def entry(folder: Path) -> Path:
    """The one entry of a cache."""
    (found,) = (folder / CACHE).glob("*.json")
    return found


# --------------------------------------------------------------------------------- links in the cache


def test_links_in_the_cache_are_not_written_through(cli: Cli, faulty: Path) -> None:
    victim = faulty / "victim"
    victim.write_text("mine")
    (faulty / CACHE).mkdir()
    (faulty / CACHE / ".gitignore").symlink_to(victim)
    assert cli(*LINT, "f.c").code == 1
    assert victim.read_text() == "mine"
    # an entry that is a link: a new file takes its place
    name = entry(faulty)
    good = name.read_bytes()
    name.unlink()
    name.symlink_to(victim)
    assert cli(*LINT, "f.c").code == 1
    assert victim.read_text() == "mine" and not name.is_symlink() and name.read_bytes() == good


def test_an_entry_that_shares_its_bytes_with_another_file(cli: Cli, faulty: Path) -> None:
    cli(*LINT, "f.c")
    victim, name = faulty / "victim", entry(faulty)
    victim.write_text("mine")
    name.unlink()
    os.link(victim, name)
    assert cli(*LINT, "f.c").code == 1
    assert victim.read_text() == "mine" and name.stat().st_nlink == 1


@pytest.mark.parametrize("target", ["elsewhere", "missing"])
def test_a_cache_that_is_a_link_is_not_used(cli: Cli, faulty: Path, target: str) -> None:
    (faulty / "elsewhere").mkdir()
    (faulty / CACHE).symlink_to(target)
    assert cli(*LINT, "f.c").code == 1
    assert list((faulty / "elsewhere").iterdir()) == [] and not (faulty / "missing").exists()


@pytest.mark.parametrize("kind", ["file", "pipe"])
def test_a_cache_that_is_no_folder(cli: Cli, faulty: Path, kind: str) -> None:
    if kind == "file":
        (faulty / CACHE).write_text("mine")
    else:
        os.mkfifo(faulty / CACHE)
    assert cli(*LINT, "f.c").code == 1
    assert not (faulty / CACHE).is_dir()


def test_pipes_in_the_cache(cli: Cli, faulty: Path) -> None:
    cli(*LINT, "f.c")
    name = entry(faulty)
    name.unlink()
    os.mkfifo(name)
    (faulty / CACHE / ".gitignore").unlink()
    os.mkfifo(faulty / CACHE / ".gitignore")
    assert cli(*LINT, "f.c").code == 1
    assert name.is_file()


@pytest.mark.parametrize("mode", [0o777, 0o775])
def test_a_cache_that_others_may_write_is_not_used(cli: Cli, faulty: Path, mode: int) -> None:
    (faulty / CACHE).mkdir()
    (faulty / CACHE).chmod(mode)
    assert cli(*LINT, "f.c").code == 1
    assert list((faulty / CACHE).iterdir()) == []


def test_a_cache_of_somebody_else_is_not_used(cli: Cli, faulty: Path) -> None:
    (faulty / CACHE).mkdir()
    try:
        os.chown(faulty / CACHE, 12345, 12345)
    except PermissionError:
        pytest.skip("needs another user")
    assert cli(*LINT, "f.c").code == 1
    assert list((faulty / CACHE).iterdir()) == []


# ------------------------------------------------------------------------------------- spoilt entries


def spoil(good: bytes) -> dict[str, bytes]:
    """Entries that are not what was written."""
    digest, _, body = good.partition(b"\n")
    data = json.loads(body)
    clean = json.dumps({**data, "diagnostics": []}).encode()
    odd = json.dumps(
        {**data, "diagnostics": [{**data["diagnostics"][0], "place": ["f.c", "x", None, [], {}]}]}
    ).encode()
    return {
        "empty": b"", "no JSON": digest + b"\n{", "cut short": good[:-20], "other findings": digest + b"\n" + clean,
        "other types": digest + b"\n" + odd, "no digest": body, "a list": b"\n[]", "nested": b"[" * 100_000,
        "bytes": bytes(range(256)) * 10, "null": b"null",
    }  # fmt: skip


SPOILT = (
    "empty",
    "no JSON",
    "cut short",
    "other findings",
    "other types",
    "no digest",
    "a list",
    "nested",
    "bytes",
    "null",
)


@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_entry_is_ignored_and_rewritten(cli: Cli, faulty: Path, how: str) -> None:
    first = cli(*LINT, "f.c")
    name = entry(faulty)
    good = name.read_bytes()
    cases = spoil(good)
    assert tuple(cases) == SPOILT
    name.write_bytes(cases[how])
    again = cli(*LINT, "f.c")
    assert again == first and first.code == 1 and "HLP000" not in again.out
    assert name.read_bytes() == good


def test_an_entry_says_nothing_about_other_content(cli: Cli, faulty: Path) -> None:
    """The entry of a clean file under the name of that of a faulty one."""
    cli(*LINT, "f.c")
    bad = entry(faulty)
    faults = bad.read_bytes()
    (faulty / "f.c").write_text("int f(int x) { return x; }\n")
    assert cli(*LINT, "f.c").code == 0
    (clean,) = set((faulty / CACHE).glob("*.json")) - {bad}
    bad.write_bytes(clean.read_bytes())
    (faulty / "f.c").write_text(FAULTY)
    assert cli(*LINT, "f.c").code == 1
    assert bad.read_bytes() == faults


# ------------------------------------------------------------------------------------ pipes, devices


ODD = ("pipe", "device", "huge")


def put(path: Path, kind: str) -> None:
    """A pipe that nobody writes, a device without an end, a file of 100 MB (and no room on the disk)."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as out:
            out.truncate(100 << 20)


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("command", ["accesses", "ii", "infer", "rewrite", "report", "directives", "lint", "mars"])
def test_an_input_that_is_no_regular_file(cli: Cli, tmp_path: Path, command: str, kind: str) -> None:
    put(tmp_path / "k.c", kind)
    done = cli(command, "k.c", *(["-o", "out"] if command in ("rewrite", "report") else []))
    why = "is larger than 16 MB" if kind == "huge" else "is no regular file"
    assert done.code == 2 and f"k.c:1:1: error: cannot read: {why} [HLP001]" in done.out + done.err


@pytest.mark.parametrize("kind", ODD)
def test_other_files_that_are_no_regular_files(cli: Cli, tmp_path: Path, kind: str) -> None:
    (tmp_path / "k.c").write_text(KERNEL)
    (tmp_path / "c.rpt").write_text("no report")
    put(tmp_path / "odd", kind)
    put(tmp_path / "odd.tcl", kind)
    put(tmp_path / "odd.cfg", kind)
    put(tmp_path / "odd.toml", kind)
    (tmp_path / "s.tcl").write_text("source odd.tcl\nadd_files k.c\nset_top k\n")
    calls = [
        ("ii", "k.c", "--config", "odd.toml"), ("ii", "k.c", "--target", "odd.toml"),
        ("ii", "odd.cfg"), ("ii", "odd.tcl"),
        ("ii", "k.c", "--directives", "odd.tcl"), ("lint", "k.c", "--no-cache", "--baseline", "odd"),
        ("compare", "k.c", "--report", "odd"), ("compare", "k.c", "--log", "odd"),
        ("verify", "k.c", "k.c", "--map", "odd"), ("verify", "k.c", "k.c", "--replay", "odd"), ("verify", "k.c", "odd"),
    ]  # fmt: skip
    why = r"is larger than \d\d MB|is no regular file|cannot read the directive file"
    for call in calls:
        done = cli(*call)
        if kind == "huge" and "--directives" in call:  # too large a directive file is a finding at its place
            assert done.code in (1, 2)
        elif kind == "huge" and "--report" not in call and "--log" not in call and call[0] in ("verify", "compare"):
            assert done.code == 2
        else:
            assert done.code == 2 and re.search(why, done.err), (call, done)
    assert cli("ii", "s.tcl").code in (0, 1, 2)


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_settings_file_that_is_found_and_is_no_regular_file(cli: Cli, tmp_path: Path, kind: str) -> None:
    (tmp_path / "k.c").write_text(KERNEL)
    put(tmp_path / ".hlspart.toml", kind)
    assert cli("ii", "k.c").code == 0


@pytest.mark.parametrize("kind", ODD)
def test_a_header_that_is_no_regular_file_is_named(cli: Cli, tmp_path: Path, kind: str) -> None:
    put(tmp_path / "h.h", kind)
    (tmp_path / "k.c").write_text('#include "h.h"\n' + KERNEL)
    done = cli("ii", "k.c")
    why = "is larger than 16 MB" if kind == "huge" else "is no regular file"
    assert done.code == 0 and f"k.c:1:1: note: header h.h {why}, skipped [HLP006]" in done.err
    assert f"header h.h {why}, skipped" in cli(*LINT, "k.c").out


@pytest.mark.parametrize(
    "command",
    [("rewrite", "--infer", "-o", "p"), ("report", "-o", "p"), ("buffers", "-o", "p"), ("ii", "--format", "json=p")],
    ids=" ".join,
)
def test_an_output_that_is_a_pipe_which_nobody_reads(cli: Cli, tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "k.c").write_text(KERNEL)
    os.mkfifo(tmp_path / "p")
    done = cli(*command, "k.c")
    assert done.code == 2 and "error: cannot write p: No such device or address" in done.err


def test_an_output_that_is_a_pipe_which_somebody_reads(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(KERNEL)
    os.mkfifo(tmp_path / "p")
    cli("ii", "--format", "json=file", "k.c")
    expected = (tmp_path / "file").read_bytes()
    with subprocess.Popen(["cat", str(tmp_path / "p")], stdout=subprocess.PIPE) as reader:
        with (tmp_path / "p").open("wb"):  # until the reader is there
            assert cli("ii", "--format", "json=p", "k.c").code == 0
        assert reader.communicate()[0] == expected and len(expected) > 1000


def test_headers_that_double_at_every_level(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hlspart.frontend.preprocess.MAX_BYTES", 2 << 20)
    for level in range(40):
        (tmp_path / f"h{level}.h").write_text(f'#include "h{level + 1}.h"\n' * 2)
    (tmp_path / "h40.h").write_text("")
    (tmp_path / "k.c").write_text('#include "h0.h"\n' + KERNEL)
    done = cli("accesses", "k.c")
    assert done.code == 2 and "[HLP004]" in done.err


# ------------------------------------------------------------------------- what reaches the terminal

NASTY = "\x1b[2J\x1b]0;title\x07\x9b31m\u202egpj.c\u2066\x7f\u200b"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f]")
SOURCE = f"""void top(int in[8], int out[8]) {{ int A[8]; /* {NASTY} */
#pragma HLS ARRAY_PARTITION variable=A{NASTY} cyclic factor=2
#pragma HLS {NASTY} variable=A
#pragma HLS ARRAY_PARTITION variable=<script>alert(1)</script> type={NASTY}
name: for (int i = 0; i < 8; i++) out[i] = in[in[i]] /* {NASTY} */;
}}
"""
PLAIN = "void top(int in[8], int out[8]) {\n#pragma HLS ARRAY_PARTITION variable=B cyclic factor=2\n" \
        "int a[8]; for (int i = 0; i < 8; i++) out[i] = in[in[i]];\n}\n"  # fmt: skip

REPORTS = [
    *((c, "--format", f) for c in ("accesses", "ii", "infer", "mars") for f in ("text", "json")),
    ("rewrite", "--infer", "-o", "o.c"), ("report", "-o", "o.html"), ("directives", "-o", "o.tcl", "--emit", "tcl"),
    *(("lint", "--no-cache", "--format", f, "--color", c) for c in ("never", "always")
      for f in ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "rdjson")),
]  # fmt: skip
COLOUR = re.compile("\x1b\\[(?:\\d+)?m")


@pytest.mark.parametrize("command", REPORTS, ids=" ".join)
def test_nothing_commands_the_terminal(cli: Cli, tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "r.c").write_text(SOURCE)
    (tmp_path / "s.c").write_text(f"int x{NASTY};\n{SOURCE}")
    (tmp_path / f"n{NASTY}.c").write_text(PLAIN)
    for name in ("r.c", "s.c", f"n{NASTY}.c"):
        done = cli(command[0], name, *command[1:])
        assert (done.code == 2) == (name == "s.c" or command[0] == "mars")
        assert not CONTROL.search(done.err)
        out = COLOUR.sub("", done.out) if command[-1] == "always" and command[3] == "text" else done.out
        assert not CONTROL.search(out)
        page = tmp_path / "o.html"
        assert not page.exists() or not CONTROL.search(page.read_text())
        if "json" in command:
            assert json.loads(done.out)["files"]  # and means the same as before
    if command[:3] == ("lint", "--no-cache", "--format") and command[3] == "json":
        found = json.loads(cli("lint", f"n{NASTY}.c", *command[1:]).out)
        assert {d["path"] for d in found["diagnostics"]} == {f"n{NASTY}.c"}


# Of these a name or a text of the sources may become a part of what they say.
FURTHER = [
    *(("compare", "{}", "--report", "r.rpt", "--format", f) for f in ("text", "json")),
    *(("compare", "{}", "--log", "r.log", "--format", f) for f in ("text", "json")),
    *(("verify", "{}", "{}", "--vectors", "9", "--format", f) for f in ("text", "json")),
    ("lint", "{}", "--show-config"),
    ("lint", "{}", "--no-cache", "--diff"),
    ("infer", "{}", "--emit", "diff"),
    ("expand", "{}", "--plan"),
    ("buffers", "{}"),
    ("layout", "{}"),
    ("targets", "{}"),
    ("explain", "{}"),
    ("trace", "{}"),
]


@pytest.mark.parametrize("command", FURTHER[:: amount(2, 1)], ids=" ".join)
def test_nothing_of_further_commands_commands_the_terminal(cli: Cli, tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "r.c").write_text(SOURCE)
    (tmp_path / f"n{NASTY}.c").write_text(KERNEL.replace("// local", f"// {NASTY}"))
    (tmp_path / ".hlspart.toml").write_text(f'part = "x{NASTY[4:8]}"\n'.replace("\x1b", "\\u001b").replace("\x07", ""))
    report = f"== Vitis HLS Report for 'k{NASTY}'\n* Version: 2022.2{NASTY}\n"
    (tmp_path / "r.rpt").write_text(report)
    (tmp_path / "r.log").write_text(f"INFO: [HLS 200-10] {NASTY}\nINFO: [SCHED 204-61] Pipelining loop '{NASTY}'.\n")
    codes = set()
    for name in ("r.c", f"n{NASTY}.c", f"missing{NASTY}.c"):
        for settings in amount((True,), (True, False)) if command[0] == "verify" else (True, False):
            if not settings:
                (tmp_path / ".hlspart.toml").unlink(missing_ok=True)
            done = cli(*(name if word == "{}" else word for word in command))
            codes.add(done.code)
            assert not CONTROL.search(done.err) and not CONTROL.search(done.out), (name, done)
    assert codes <= {0, 1, 2}


def test_bytes_that_are_no_text(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "r.c").write_bytes(SOURCE.replace(NASTY, "~").encode().replace(b"~", b"\x9b31m\xff"))
    for command in (("lint", "r.c", "--no-cache"), ("ii", "r.c"), ("accesses", "r.c", "--format", "json")):
        done = cli(*command)
        assert not CONTROL.search(done.out + done.err)


def test_the_file_keeps_its_bytes(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "r.c").write_text(KERNEL.replace("// local", f"// {NASTY}"))
    assert cli("rewrite", "r.c", "-o", "o.c").code == 0
    assert NASTY in (tmp_path / "o.c").read_text()


LINES = [c for c in REPORTS if "json" not in c and "sarif" not in c and "gitlab" not in c and "rdjson" not in c]


@pytest.mark.parametrize("command", LINES, ids=" ".join)
def test_a_newline_in_a_file_name_splits_no_line(cli: Cli, tmp_path: Path, command: tuple[str, ...]) -> None:
    told = {}
    for name in ("plain.c", "a\n::error::b\n1:1: error: c.c"):
        (tmp_path / name).write_text(PLAIN)
        done = cli(command[0], name, *command[1:])
        told[name] = (done.code, done.out.count("\n"), done.err.count("\n"))
        assert not re.search("^::error::b", done.out + done.err, re.M)
    assert len(set(told.values())) == 1


@pytest.mark.parametrize(
    "command", [("rewrite", "--infer", "--diff"), ("infer", "--emit", "diff"), ("lint", "--no-cache", "--diff")],
    ids=" ".join,
)  # fmt: skip
def test_a_diff_names_files_as_git_does(cli: Cli, tmp_path: Path, command: tuple[str, ...]) -> None:
    told = {}
    for name, shown in (("p.c", "p.c"), ('a\n+++ b\x1b"é.c', '"a/a\\012+++ b\\033\\042\\303\\251.c"')):
        (tmp_path / name).write_text(KERNEL)
        out = cli(command[0], name, *command[1:]).out
        lines = out.splitlines()
        told[name] = len(lines)
        if lines and name != "p.c":
            assert shown.replace("a/a", "a" if command[0] == "infer" else "a/a") in lines[0] and not CONTROL.search(out)
    assert len(set(told.values())) == 1 and (told["p.c"] or command[0] != "rewrite")


def test_messages_about_names_with_newlines(cli: Cli, tmp_path: Path) -> None:
    for call in (("ii", "no\nsuch\x1b.c"), ("ii", "--top", "x\ny", "k.c"), ("infer", "--array", "x\ny", "k.c"),
                 ("ii", "--config", "no\nsuch", "k.c"), ("compare", "k.c", "--report", "no\nsuch")):  # fmt: skip
        (tmp_path / "k.c").write_text(KERNEL)
        done = cli(*call)
        assert done.code == 2 and not CONTROL.search(done.err)
        assert all(re.match(r"hlspart|try 'hlspart|no\\nsuch", line) for line in done.err.splitlines()), done.err


# -------------------------------------------------------------------------------- dependency files


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_make_reads_odd_names_as_names(cli: Cli, tmp_path: Path) -> None:
    names = ["a b.h", "$(shell touch pwned).h", "c#d.h", "p:q.h", "*.h", "[a].h", "t|u.h", "v~.h", "w?.h"]
    for name in names:
        (tmp_path / name).write_text("")
    (tmp_path / "k.c").write_text("".join(f'#include "{n}"\n' for n in names) + KERNEL)
    assert cli("rewrite", "k.c", "-o", "o.c", "-MD").code == 0
    (tmp_path / "Makefile").write_text(".PHONY: all\nall: o.c\n\t@echo up to date\ninclude o.d\no.c:\n\t@echo again\n")

    def make() -> str:
        return subprocess.run(
            ["make", "--no-print-directory"], cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout

    for path in (*(tmp_path / n for n in names), tmp_path / "k.c"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    os.utime(tmp_path / "o.c", (1_100_000_000, 1_100_000_000))
    assert make() == "up to date\n"
    for name in names:  # each is a dependency under its own name
        os.utime(tmp_path / name, (1_200_000_000, 1_200_000_000))
        assert make() == "again\nup to date\n", name
        os.utime(tmp_path / name, (1_000_000_000, 1_000_000_000))
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize(
    "name", ["SHELL=x.h", "a\n\ttouch pwned.h", "b\\.h", "x;touch pwned.h", "~.h", "%.h"], ids=repr
)
def test_names_that_make_cannot_be_told(cli: Cli, tmp_path: Path, name: str) -> None:
    (tmp_path / "k.c").write_text(KERNEL)
    (tmp_path / name.replace(".h", ".c")).write_text(KERNEL)
    done = cli("rewrite", name.replace(".h", ".c"), "-o", "o.c", "-MD")
    assert done.code == 2 and "no dependency file" in done.err
    assert not (tmp_path / "o.d").exists() and not (tmp_path / "o.c").exists()
