"""Report formats of `hlspart lint`, against the schemas of those who read them."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import xmlschema

SCHEMAS = Path(__file__).resolve().parents[1] / "schemas"
TEXT = """/* é */ void f(const int in[32], int o[32]) {
int a[32];
#pragma HLS ARRAY_PARTITION variable=nope type=cyclic factor=2
#pragma HLS ARRAY_PARTITION variable=a type=complete factor=3
#pragma HLS ARRAY_PARTITION variable=a type=cyclic factor=2
load: for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
  a[i] = in[i]; }
sum: for (int i = 0; i < 29; i++) {
#pragma HLS PIPELINE II=1
  o[i] = a[i] + a[i+1] + a[i+2] + a[i+3]; }
}
"""
NAMES = ("f.c", "odd, 100% name: é #1.c", "broken.c", "clean.c")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Findings of all severities with related places and fixes, in names that need quoting, and a broken file."""
    for name in NAMES[:2]:
        (tmp_path / name).write_text(TEXT)
    (tmp_path / "broken.c").write_text("void f( {\n#pragma HLS \x01 <&> ]]>\n")
    (tmp_path / "clean.c").write_text("int f(int x) { return x; }\n")
    return tmp_path


def shown(text: str) -> str:
    """As a line of text has it: control characters as escapes."""
    return re.sub(r"[\x00-\x1f]", lambda m: f"\\x{ord(m[0]):02x}", text)


_REPORTS: dict[tuple[object, ...], str] = {}


def report(cli, form: str, *files: str) -> str:
    """Kept for files of the same names and contents."""
    asked = (form, *((name, Path(name).read_bytes()) for name in files or NAMES))
    if asked not in _REPORTS:
        _REPORTS[asked] = cli("lint", *(files or NAMES), "--no-cache", "--format", form).out
    return _REPORTS[asked]


def known(cli, *files: str) -> list[dict[str, Any]]:
    found = json.loads(report(cli, "json", *files))["diagnostics"]
    assert {d["severity"] for d in found} >= {"error", "warning"}
    assert any(d["related"] for d in found) and any(d["fix"] for d in found)
    return found


@cache
def sarif_schema() -> jsonschema.Draft4Validator:
    return jsonschema.Draft4Validator(json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text()))


def test_sarif_keeps_to_the_schema_of_oasis(cli, tree: Path) -> None:
    for files in (NAMES, ("clean.c",), ("broken.c",)):
        shape = json.loads(report(cli, "sarif", *files))
        assert [str(e) for e in sarif_schema().iter_errors(shape)] == []
        assert shape["$schema"] == sarif_schema().schema["id"]
    shape["runs"][0]["results"][0]["level"] = "info"  # the schema says so where something is wrong
    assert not sarif_schema().is_valid(shape)


def test_sarif_content(cli, tree: Path) -> None:
    wanted = known(cli)
    (run,) = json.loads(report(cli, "sarif"))["runs"]
    rules, results = run["tool"]["driver"]["rules"], run["results"]
    assert [r["ruleId"] for r in results] == [d["rule"] for d in wanted]
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] and rules[r["ruleIndex"]]["helpUri"] for r in results)
    assert [bool(r.get("relatedLocations")) for r in results] == [bool(d["related"]) for d in wanted]
    assert [bool(r.get("fixes")) for r in results] == [bool(d["fix"]) for d in wanted]
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results}
    assert "odd%2C%20100%25%20name%3A%20%C3%A9%20%231.c" in uris
    assert not [u for u in uris if u.startswith("/") or ":" in u]
    assert run["invocations"] == [{"executionSuccessful": False}] and run["columnKind"] == "unicodeCodePoints"


def test_fingerprints_do_not_know_line_numbers(cli, tree: Path) -> None:
    def marks(form: str) -> list[str]:
        shape = json.loads(report(cli, form, "f.c"))
        if form == "gitlab":
            return [i["fingerprint"] for i in shape]
        return [r["partialFingerprints"]["hlspart/v1"] for r in shape["runs"][0]["results"]]

    before = {form: marks(form) for form in ("sarif", "gitlab")}
    assert len(set(before["sarif"])) == len(before["sarif"]) >= 4
    (tree / "f.c").write_text("\n\n" + TEXT)
    assert {form: marks(form) for form in before} == before


def test_junit_keeps_to_the_schema_of_jenkins(cli, tree: Path) -> None:
    schema = xmlschema.XMLSchema(str(SCHEMAS / "junit-10.xsd"))
    for files in (NAMES, ("clean.c",)):
        text = report(cli, "junit", *files)
        schema.validate(text)
        suites = ET.fromstring(text)
        cases = suites.findall("testsuite/testcase")
        assert suites.get("tests") == str(len(cases))
        assert suites.get("failures") == str(len(suites.findall(".//failure")))
        assert {s.get("name") for s in suites} >= set(files)
    wanted = known(cli)
    serious = [d for d in wanted if d["severity"] != "info"]
    assert len(ET.fromstring(report(cli, "junit")).findall(".//failure")) == len(serious)


# reviewdog's DiagnosticResult as its protocol defines it, closed: no key that it does not know
POSITION = {
    "type": "object",
    "required": ["line", "column"],
    "additionalProperties": False,
    "properties": {"line": {"type": "integer", "minimum": 1}, "column": {"type": "integer", "minimum": 1}},
}
RANGE = {
    "type": "object",
    "required": ["start", "end"],
    "additionalProperties": False,
    "properties": {"start": POSITION, "end": POSITION},
}
LOCATION = {
    "type": "object",
    "required": ["path", "range"],
    "additionalProperties": False,
    "properties": {"path": {"type": "string", "pattern": "^[^/]"}, "range": RANGE},
}
RDJSON = {
    "type": "object", "required": ["source", "diagnostics"], "additionalProperties": False, "properties": {
        "source": {"type": "object", "required": ["name"], "additionalProperties": False,
                   "properties": {"name": {"type": "string"}, "url": {"type": "string"}}},
        "diagnostics": {"type": "array", "items": {
            "type": "object", "required": ["message", "location", "severity", "code"], "additionalProperties": False,
            "properties": {
                "message": {"type": "string", "minLength": 1}, "location": LOCATION,
                "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
                "code": {"type": "object", "required": ["value"], "additionalProperties": False,
                         "properties": {"value": {"type": "string"}, "url": {"type": "string"}}},
                "suggestions": {"type": "array", "minItems": 1, "items": {
                    "type": "object", "required": ["range", "text"], "additionalProperties": False,
                    "properties": {"range": RANGE, "text": {"type": "string"}}}},
                "relatedLocations": {"type": "array", "items": {
                    "type": "object", "required": ["location"], "additionalProperties": False,
                    "properties": {"message": {"type": "string"}, "location": LOCATION}}}}}}},
}  # fmt: skip


def test_rdjson(cli, tree: Path) -> None:
    wanted = known(cli)
    shape = json.loads(report(cli, "rdjson"))
    jsonschema.validate(shape, RDJSON)
    items = shape["diagnostics"]
    assert [i["location"]["range"]["start"]["line"] for i in items] == [d["line"] for d in wanted]
    assert [len(i.get("suggestions", ())) for i in items] == [len(d["fix"]["edits"]) if d["fix"] else 0 for d in wanted]


def test_rdjson_counts_bytes(cli, tree: Path) -> None:
    (tree / "f.c").write_text(TEXT.replace("type=complete factor", "/* é */ type=complete factor"))
    shape = json.loads(cli("lint", "f.c", "--format", "rdjson", "--select", "HLP112").out)
    (found,) = shape["diagnostics"]
    columns = cli("lint", "f.c", "--format", "json", "--select", "HLP112").json["diagnostics"][0]["column"]
    assert found["location"]["range"]["start"]["column"] == columns + 1


GITLAB = {  # the code-quality report as GitLab's manual describes it
    "type": "array", "items": {
        "type": "object", "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "additionalProperties": False, "properties": {
            "description": {"type": "string", "minLength": 1}, "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {"type": "object", "required": ["path", "lines"], "additionalProperties": False, "properties": {
                "path": {"type": "string", "pattern": r"^(?![/\\]|\./)."},
                "lines": {"type": "object", "required": ["begin"], "additionalProperties": False, "properties": {
                    "begin": {"type": "integer", "minimum": 1}, "end": {"type": "integer", "minimum": 1}}}}}}},
}  # fmt: skip


def test_gitlab(cli, tree: Path) -> None:
    shape = json.loads(report(cli, "gitlab"))
    jsonschema.validate(shape, GITLAB)
    assert [i["location"]["lines"]["begin"] for i in shape] == [d["line"] for d in known(cli)]
    assert len({i["fingerprint"] for i in shape}) == len(shape)


# ::level key=value,..::text, with what would end a part written as %XX
COMMAND = re.compile(
    r"::(error|warning|notice) file=([^,:]+),line=(\d+),endLine=(\d+)(?:,col=(\d+),endColumn=(\d+))?"
    r",title=([^,:]+)::(.+)"
)


def test_github_annotations(cli, tree: Path) -> None:
    def plain(text: str) -> str:
        return re.sub("%(2C|3A|0A|0D|25)", lambda m: chr(int(m.group(1), 16)), text)

    wanted, lines = known(cli), report(cli, "github").splitlines()
    assert len(lines) == len(wanted)
    levels = {"error": "error", "warning": "warning", "info": "notice"}
    for line, d in zip(lines, wanted, strict=True):
        match = COMMAND.fullmatch(line)
        assert match, line
        level, file, first, last, column, end, title, text = match.groups()
        assert (level, plain(file)) == (levels[d["severity"]], d["path"])
        assert (int(first), int(last)) == (d["line"], d["end_line"])
        if d["line"] == d["end_line"]:
            assert (int(column), int(end)) == (d["column"], max(d["column"], d["end_column"] - 1))
        assert plain(title) == f"{d['rule']} {d['name']}"
        assert plain(text) == shown(d["message"]) + (f"\nhelp: {d['hint']}" if d["hint"] else "")
    odd = "file=odd%2C 100%25 name%3A é #1.c,line=3,endLine=3,col=29,endColumn=36,title=HLP401 unknown-variable::"
    assert any(line.startswith(f"::error {odd}ARRAY_PARTITION: no variable 'nope'%0Ahelp: ") for line in lines)


def test_concise(cli, tree: Path) -> None:
    wanted = known(cli)
    lines = report(cli, "concise").splitlines()
    assert lines == [
        f"{d['path']}:{d['line']}:{d['column']}: {d['severity']}: {shown(d['message'])} [{d['rule']}]" for d in wanted
    ]


def test_all_formats_at_once_and_twice_the_same(cli, tree: Path) -> None:
    forms = ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "rdjson")
    files = [f for form in forms for f in ("--format", f"{form}={form}.out")]
    assert cli("lint", *NAMES, *files).code == 2
    for form in forms:
        text = (tree / f"{form}.out").read_text()
        assert text == report(cli, form) and str(tree) not in text
        if form in ("text", "sarif", "gitlab"):  # paths are relative however they are given
            assert text == report(cli, form, *(str(tree / n) for n in NAMES))
