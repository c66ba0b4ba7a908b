"""The language server, asked over standard input and output by a client that knows nothing of pygls."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hlspart.cli.app import run

pytest.importorskip("pygls")

TEXT = """// \u00fc \U0001f600 units of UTF-16 are counted
#include "sizes.h"
int total(const int in[N]) {
  int mem[N], sum = 0;
LOAD: for (int i = 0; i < N; i++) {
#pragma HLS pipeline II=1
    mem[i] = in[i];
  }
SUM: for (int i = 2; i < N; i++) {
#pragma HLS pipeline II=1
    /* \U0001f600 */ sum ^= mem[i] ^ mem[i - 1] ^ mem[i - 2];
  }
  return sum;
}
"""
FAULTY = """void f(int o[8]) {
  int a[8];
#pragma HLS array_partition variable=a cyclic factor=2
#pragma HLS array_partition variable=a cyclic factor=2
  for (int i = 0; i < 8; i++) a[i] = i;
  for (int i = 0; i < 8; i++) {
#pragma HSL pipeline II=1
    o[i] = a[i];
  }
}
"""


class Client:
    """JSON-RPC with headers, as the protocol says."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hlspart", "lsp"], cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        )  # fmt: skip
        self.folder = folder
        self.number = 0
        self.shown: dict[str, list[Any]] = {}  # published findings by file
        self.versions: dict[str, int | None] = {}
        self.capabilities = self.ask("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}})[
            "capabilities"
        ]
        self.tell("initialized", {})

    def send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while (line := self.process.stdout.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        assert length, (self.process.stderr.read() if self.process.stderr else b"")[-800:]
        message = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            name = message["params"]["uri"].rpartition("/")[2]
            self.shown[name] = message["params"]["diagnostics"]
            self.versions[name] = message["params"].get("version")
        return message

    def tell(self, method: str, params: dict[str, Any]) -> None:
        self.send({"method": method, "params": params})

    def ask(self, method: str, params: dict[str, Any] | None) -> Any:
        self.number += 1
        self.send({"id": self.number, "method": method, **({} if params is None else {"params": params})})
        while (message := self.receive()).get("id") != self.number:
            pass
        assert "error" not in message, message
        return message["result"]

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def findings(self, name: str, version: int) -> list[Any]:
        while self.versions.get(name) != version:
            self.receive()
        return self.shown[name]

    def open(self, name: str, text: str) -> None:
        item = {"uri": self.uri(name), "languageId": "c", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})

    def change(self, name: str, version: int, text: str) -> None:
        about = {"uri": self.uri(name), "version": version}
        self.tell("textDocument/didChange", {"textDocument": about, "contentChanges": [{"text": text}]})

    def about(self, name: str, line: int, column: int) -> dict[str, Any]:
        return {"textDocument": {"uri": self.uri(name)}, "position": {"line": line, "character": column}}

    def lenses(self, name: str) -> list[tuple[int, str]]:
        found = self.ask("textDocument/codeLens", {"textDocument": {"uri": self.uri(name)}})
        return [(x["range"]["start"]["line"], x["command"]["title"]) for x in found]


@pytest.fixture
def client(tmp_path: Path) -> Any:
    (tmp_path / "sizes.h").write_text("#define N 64\n")
    (tmp_path / "k.c").write_text("int nothing;\n")  # what is on the disk is not what the editor has
    made = Client(tmp_path)
    yield made
    made.ask("shutdown", None)
    made.tell("exit", {})
    assert made.process.wait(10) == 0


def test_findings_lenses_and_notes_follow_the_unsaved_text(client: Client) -> None:
    assert client.capabilities["codeLensProvider"] is not None and client.capabilities["hoverProvider"]
    client.open("k.c", TEXT)
    found = client.findings("k.c", 1)
    assert [(d["code"], d["range"]["start"]["line"], d["severity"], d["source"]) for d in found] == [
        ("HLP201", 8, 2, "hlspart")
    ]
    lines = TEXT.splitlines()
    assert client.lenses("k.c") == [
        (4, "II 1, depth 2, 64 cycles"),
        (8, "II 2 (target 1), depth 3, 124 cycles: mem, 3 accesses on 2 ports"),
    ]
    column = lines[10].index("mem[i - 2]") + 1  # the smiling face before it is two units wide
    note = client.ask("textDocument/hover", client.about("k.c", 10, column + 3))
    assert note["range"] == {
        "start": {"line": 10, "character": column},
        "end": {"line": 10, "character": column + len("mem[i - 2]")},
    }
    said = note["contents"]["value"]
    assert "read of `mem`" in said and "1 bank, 2 ports each" in said and "slot 0: total.mem p0" in said
    assert client.ask("textDocument/hover", client.about("k.c", 0, 0)) is None
    header = client.ask("textDocument/hover", client.about("k.c", 8, 8))["contents"]["value"]
    assert "loop `SUM`" in header and "`mem` bank 0: 3 reads, 0 writes, 2 ports" in header

    client.change("k.c", 2, TEXT.replace(" ^ mem[i - 2]", ""))
    assert client.findings("k.c", 2) == []
    assert client.lenses("k.c")[1] == (8, "II 1, depth 2, 62 cycles")
    client.change("k.c", 3, "void f( {")
    assert [d["code"] for d in client.findings("k.c", 3)] == ["HLP002"]
    assert client.lenses("k.c") == []
    assert (client.folder / "k.c").read_text() == "int nothing;\n"


def test_a_header_that_changes_in_the_editor_counts(client: Client) -> None:
    client.open("k.c", TEXT)
    client.findings("k.c", 1)
    client.versions.clear()
    client.open("sizes.h", "#define N 32\n")
    client.findings("k.c", 1)
    assert client.lenses("k.c")[0] == (4, "II 1, depth 2, 32 cycles")


def test_fixes_change_what_they_say_and_nothing_else(client: Client) -> None:
    client.open("f.c", FAULTY)
    found = client.findings("f.c", 1)
    assert len(found) >= 2
    text, fixed = FAULTY, 0
    for version in range(2, 6):
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 10, "character": 0}}
        params = {"textDocument": {"uri": client.uri("f.c")}, "range": whole, "context": {"diagnostics": []}}
        offered = client.ask("textDocument/codeAction", params)
        if not offered:
            break
        (edits,) = offered[0]["edit"]["changes"].values()
        code = offered[0]["diagnostics"][0]["code"]
        text = applied(text, edits)
        client.change("f.c", version, text)
        after = client.findings("f.c", version)
        assert code not in [d["code"] for d in after] or len(after) < len(found)
        found, fixed = after, fixed + 1
    assert fixed == 2 and text.count("array_partition") == 1 and "#pragma HLS pipeline II=1" in text
    assert [x for x in text.splitlines() if "#pragma" not in x] == [x for x in FAULTY.splitlines() if "#" not in x]


def applied(text: str, edits: list[Any]) -> str:
    """``text`` after the edits, last first; one unit is one character here."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    places = [(starts[p["line"]] + p["character"] for p in (e["range"]["start"], e["range"]["end"])) for e in edits]
    for (start, end), edit in sorted(((tuple(p), e) for p, e in zip(places, edits, strict=True)), reverse=True,
                                     key=lambda x: x[0]):  # fmt: skip
        text = text[:start] + edit["newText"] + text[end:]
    return text


def test_bad_settings_are_said_in_the_file(tmp_path: Path) -> None:
    (tmp_path / ".hlspart.toml").write_text('part = "no-such-part"\n')
    client = Client(tmp_path)
    client.open("k.c", TEXT)
    (item,) = client.findings("k.c", 1)
    assert "no-such-part" in item["message"] and item["severity"] == 1
    client.ask("shutdown", None)
    client.tell("exit", {})
    assert client.process.wait(10) == 0


def test_without_pygls_the_message_says_what_to_type(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pygls", None)
    monkeypatch.setitem(sys.modules, "pygls.lsp.server", None)
    monkeypatch.delitem(sys.modules, "hlspart.cli.language_server", raising=False)
    assert run(["lsp"]) == 2
    assert "pip install 'hlspart[lsp]'" in capfd.readouterr().err


def measured() -> None:
    """Seconds from a changed text to its findings; printed by ``python tests/editor/test_language_server.py``."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        client = Client(Path(folder))
        client.open("k.c", TEXT.replace('#include "sizes.h"', "#define N 64"))
        client.findings("k.c", 1)
        for version in range(2, 8):
            start = time.perf_counter()
            client.change("k.c", version, TEXT.replace('#include "sizes.h"', f"#define N {64 + version}"))
            client.findings("k.c", version)
            print(f"findings {time.perf_counter() - start:.3f} s", end=", ")
            start = time.perf_counter()
            client.lenses("k.c")
            print(f"lenses {time.perf_counter() - start:.3f} s")
        client.tell("exit", {})


if __name__ == "__main__":
    measured()
