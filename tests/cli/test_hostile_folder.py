"""One folder with all that is hostile at once: every command ends, and writes nowhere else."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import KERNEL, Cli

COMMANDS = (
    "lint .", "lint k.c z.c p.c pw.c dangling.c self", "lint --fix z.c", "lint --fix pw.c dangling.c self p.c",
    "ii k.c", "ii hls_config.cfg", "ii s.tcl", "ii k.c --directives s.tcl", "ii k.c --format json=/dev/full",
    "ii t.hpp", "infer k.c", "infer --in-place a/loop/k.c", "infer --in-place link.c", "accesses k.c", "advise k.c",
    "rewrite --infer k.c -o out.c", "rewrite k.c -o self", "rewrite --infer k.c -o a/loop/self/x.c", "rewrite k.c -o a",
    "report k.c -o out.html", "report a -o a", "directives k.c", "directives k.c -o p.tcl", "mars k.c",
    "buffers k.c -o out.c", "layout k.c -o out.c", "expand --plan k.c", "explore k.c --top k", "trace k.c --stage ii",
    "verify k.c z.c --vectors 1", "compare k.c --report a", "explain /dev/zero",
)  # fmt: skip


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder, and beside it one file that links lead to; what waits for ever is stopped."""
    folder = tmp_path / "in"
    (folder / "a").mkdir(parents=True)
    (tmp_path / "outside.c").write_text(KERNEL)
    for name, target in {
        "a/loop": "..", "self": "self", "dangling.c": "nowhere", "z.c": "/dev/zero", "z.h": "/dev/zero",
        "pw.c": "/etc/passwd", "link.c": "../outside.c",
    }.items():  # fmt: skip
        (folder / name).symlink_to(target)
    for name in ("p.c", "p.tcl", "a/f.h"):
        os.mkfifo(folder / name)
    includes = "".join(f'#include "{x}"\n' for x in ("z.h", "a/f.h", "/dev/zero", "/dev/stdin", "a", "self"))
    (folder / "k.c").write_text(includes + KERNEL)
    (folder / "t.hpp").write_text("template <int N> void t(int a[N]) { for (int i = 0; i < N; i++) a[i] = N; }\n")
    (folder / "k.cpp").write_text(includes + '#include "t.hpp"\n')
    odd = folder / "n\x1b[2J\nx"
    odd.mkdir()
    (odd / "q\rk.c").write_text(KERNEL)
    (folder / "huge.h").write_bytes(b"")
    os.truncate(folder / "huge.h", 1 << 40)
    (folder / "h.c").write_text('#include "huge.h"\n' + KERNEL)
    (folder / "hls_config.cfg").write_text("[hls]\nsyn.file=/dev/zero\nsyn.file=p.c\nsyn.file=self\nsyn.top=k\n")
    (folder / "s.tcl").write_text("source z.h\nsource p.tcl\nadd_files [glob /dev/*]\nadd_files k.c\nset_top k\n")
    (folder / ".hlspart-cache").mkdir()
    (folder / ".hlspart-cache" / ".gitignore").symlink_to("../../outside.c")
    os.mkfifo(folder / ".hlspart-cache" / "entry.json")
    signal.alarm(240)
    monkeypatch.chdir(folder)
    yield folder
    signal.alarm(0)


def test_every_command_ends_and_writes_nowhere_else(cli: Cli, hostile: Path) -> None:
    outside = hostile.parent / "outside.c"
    known = {"in", "outside.c"}
    ended: dict[int, int] = {}
    for command in COMMANDS:
        done = cli(*command.split())
        said = done.out + done.err
        assert done.code in (0, 1, 2) and "Traceback" not in said and "\x1b[2J" not in said, (command, done)
        assert done.code != 2 or "error:" in said.lower(), (command, said)
        ended[done.code] = ended.get(done.code, 0) + 1
        assert {p.name for p in hostile.parent.iterdir()} == known, command
        if command != "infer --in-place link.c":  # a link that the user names is the file that it leads to
            assert outside.read_text() == KERNEL, command
        outside.write_text(KERNEL)
    assert ended[0] >= 8 and ended[2] >= 8
