"""Each class of refusal: located, named, and the group's text left alone while others are rewritten."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from rewrite_help import banked

from hlspart.model.access import GroupFault

ROOT = Path(__file__).parent.parent.parent

OTHER = (
    "int other(void) { int O[8] = {1};\n#pragma HLS array_partition variable=O type=cyclic factor=2\n return O[0]; }\n"
)

# code -> (style, function body around A; the refused place)
CASES = {
    "dynamic-bank": ("split", "int A[16]; {P} for (int i = 0; i < 16; i++) A[i] = i; return A[x & 0];", "A[i]"),
    "out-of-range": ("bankdim", "int A[16]; {P} for (int i = 0; i < 17; i++) A[i] = i; return A[1];", "A[i]"),
    "non-affine": ("bankdim", "int A[16]; {P} A[(x * x) & 15] = 1; return A[1];", None),
    "address-taken": ("bankdim", "int A[16]; {P} int *p = A; p[0] = x; return A[1];", None),
    "extern-callee": ("bankdim", "void ext(int *); int A[16]; {P} ext(A); return A[1];", None),
    "volatile": ("bankdim", "volatile int A[16]; {P} A[1] = x; return A[1];", None),
    "side-effect": ("bankdim", "int A[16]; {P} A[(x = 3)] = 1; return A[3] + x;", None),
    "macro": ("bankdim", "int A[16]; {P} SET(1); return A[3] + x;", "SET(1)"),
    "pragma": (
        "split",
        "int A[16]; {P} \n#pragma HLS array_reshape variable=A factor=2\n A[0] = x; return A[3];",
        None,
    ),
}


@pytest.mark.parametrize("code", CASES)
def test_refused_with_its_place(code: str) -> None:
    style, body, place = CASES[code]
    body = body.replace("{P}", "\n#pragma HLS array_partition variable=A type=cyclic factor=4\n")
    text = "#define SET(i) A[i] = 7\n" + f"int f(int x) {{ {body} }}\n" + OTHER
    result = banked(text, style=style)
    outcome = next(o for o in result.outcomes if "A" in o.arrays)
    assert (outcome.status, result.findings) == ("refused", True), outcome
    assert outcome.code in (code, "opaque", "cast", "partition-and-reshape"), outcome
    assert outcome.reason and outcome.at is not None
    if place is not None:
        span = outcome.at.span
        assert outcome.code == code and text[span.start : span.end] == place
    message = next(d for d in result.diagnostics if d.rule == f"rewrite-{outcome.code}")
    assert message.place.line > 0 and "'A'" in message.message
    new = result.files["p.c"]
    before, after = text.split(OTHER)[0], new.split("int other")[0]
    assert before == after  # the refused group's text, pragma included
    assert "O_0[4]" in new or "O[2][4]" in new  # the other group is rewritten all the same


def test_top_signature_is_kept_without_a_finding() -> None:
    text = (
        "void f(int A[8]) {\n#pragma HLS array_partition variable=A type=cyclic factor=2\n"
        " for (int i = 0; i < 8; i += 2) A[i] = A[i + 1]; }\n"
    )
    kept = banked(text, style="split")
    assert kept.files["p.c"] == text and not kept.findings
    assert [(o.status, o.reason) for o in kept.outcomes] == [("ignored", "top-level signature kept")]
    assert [d.message for d in kept.diagnostics] == [
        "'A' left as it is: top-level signature kept; --split-top splits it too"
    ]
    assert "void f(int A_0[4], int A_1[4])" in banked(text, style="split", split_top=True).files["p.c"]


def test_array_of_a_header_that_is_not_given() -> None:
    files = {
        "p.c": '#include "h.h"\nint f(void) {\n#pragma HLS array_partition variable=G complete\n return G[0]; }\n',
        "h.h": "extern int G[8];\nint G[8];\n",
    }
    result = banked(files, style="bankdim")
    assert [(o.status, o.code) for o in result.outcomes] == [("refused", "header")]
    assert result.files == {"p.c": files["p.c"]}


def test_array_that_an_included_file_uses() -> None:
    files = {
        "p.c": 'static int G[8];\n#include "part.inc"\n'
        "int f(void) {\n#pragma HLS array_partition variable=G cyclic factor=2\n return G[0] + g(); }\n",
        "part.inc": "static int g(void) { return G[3]; }\n",
    }
    result = banked(files, style="bankdim")
    assert [(o.status, o.code) for o in result.outcomes] == [("refused", "header")]
    assert result.files == {"p.c": files["p.c"]}


def test_conflicting_requests_change_nothing() -> None:
    text = (
        "static int g(int B[8]) {\n#pragma HLS array_partition variable=B cyclic factor=4\n return B[0]; }\n"
        "int f(int x) { int A[8] = {1};\n#pragma HLS array_partition variable=A cyclic factor=2\n return g(A) + x; }\n"
    )
    result = banked(text, style="split")
    assert [o.status for o in result.outcomes] == ["conflict"] and result.findings
    assert result.files["p.c"] == text


def test_nothing_to_do_is_byte_identical() -> None:
    text = "int f(int x)\r\n{\r\n\tint A[4] = {0};\t/* kept */\r\n    return A[x & 3];\r\n}"
    assert banked(text, style="split").files["p.c"] == text


def test_one_macro_argument_with_two_meanings_is_refused() -> None:
    text = (
        "#define BOTH(e) do { x += e; { int A[4] = {9}; x += e; } } while (0)\n"
        "int f(int x) { int A[4] = {1};\n#pragma HLS array_partition variable=A complete\n"
        " BOTH(A[1]); return A[2] + x; }\n"
    )
    result = banked(text, style="split")
    assert [(o.status, o.code) for o in result.outcomes] == [("refused", "macro")] and result.files["p.c"] == text


CALLEES = {  # what takes a partitioned array without a partition of its own -> the refusal and its place
    "static int g(const int *v) { return *++v; }\n": ("address-taken", "++v"),
    "static int g(const int v[8]) { const int *p = v + 2; return *p; }\n": ("address-taken", "v"),
    "static int g(const void *v) { return *(const int *)v; }\n": ("cast", "A"),
    "static int g(const short *v) { return *v; }\n": ("cast", "A"),
    "static int g(const int v[4]) { return v[2]; }\n": ("shape-mismatch", "A"),
    "static int g(int *v) { return v[0] ? g(v) : 1; }\n": ("recursion", None),
    "int g(const int *v);\n": ("extern-callee", "A"),
    "int g();\n": ("extern-callee", "A"),
    "static int h(int n, ...) { return n; }\nstatic int g(int *v) { return h(2, v); }\n": ("extern-callee", "v"),
    "static int h(const int *v) { return *v; }\nstatic int g(int *v) { int (*p)(const int *) = h; return p(v); }\n": (
        "function-pointer", "v"
    ),
    "static int g(int v[8]) { int s = 0; for (int i = 0; i < 8; i++) s += v[(i * i) & 7]; return s; }\n": (
        "non-affine", "i * i"
    ),
    "static int g(int v[8]) { int s = 0; for (int i = 0; i < 9; i++) s += v[i]; return s; }\n": (
        "out-of-range", "v[i]"
    ),
}  # fmt: skip


@pytest.mark.parametrize("style", ["split", "bankdim", "crossbar"])
@pytest.mark.parametrize("callee", CALLEES)
def test_arrays_that_are_handed_on(callee: str, style: str) -> None:
    text = callee + (
        "int f(int x) { int A[8] = {1};\n#pragma HLS array_partition variable=A cyclic factor=2\n"
        " for (int i = 0; i < 8; i += 2) A[i] = A[i + 1] + x;\n return g(A) + A[3]; }\n"
    )
    result = banked(text, style=style)
    code, place = CALLEES[callee]
    (outcome,) = result.outcomes
    assert (outcome.status, outcome.code) == ("refused", code) and outcome.at is not None, outcome
    assert place in (None, text[outcome.at.span.start : outcome.at.span.end])
    assert result.files["p.c"] == text and result.findings


@pytest.mark.parametrize(
    ("array", "status"),
    [
        ("A[4] = {1, 2, 3, 4}", "refused"),
        ("A[4] = {{1, 2}, 3, 4}", "refused"),
        ("A[4] = {[1] = 3, 4}", "refused"),
        ("A[4] = {o, {1, 2}}", "rewritten"),
    ],
)
def test_structs_without_their_braces(array: str, status: str) -> None:
    """C deals 1, 2, 3, 4 out to two structs; only whole ones may go to the banks."""
    text = (
        f"typedef struct {{ int x, y; }} two;\nint f(two o) {{ two {array};\n"
        "#pragma HLS array_partition variable=A cyclic factor=2\n return A[0].x + A[1].y; }\n"
    )
    (outcome,) = banked(text, style="bankdim").outcomes
    assert outcome.status == status and outcome.code in (None, "initialiser")


def test_every_class_has_its_line_in_the_documentation() -> None:
    listed = set(re.findall(r"`([a-z-]+)`", (ROOT / "docs" / "rewrite.md").read_text().split("## What is refused")[1]))
    sources = "".join(p.read_text() for p in (ROOT / "hlspart" / "rewrite").glob("*.py"))
    named = set(re.findall(r"Refusal\(\s*\"([a-z-]+)\"", sources)) - {"top-level"}  # that group is ignored, not refused
    assert len(named) > 20
    assert (named | set(get_args(get_type_hints(GroupFault)["code"]))) - listed == set()


def test_code_that_would_be_too_long() -> None:
    body = "".join(f" s += A[(i + {k}) & 511];" for k in range(8))
    text = (
        "int f(const int x[512]) {\n int A[512], s = 0;\n#pragma HLS array_partition variable=A complete\n"
        f" for (int i = 0; i < 512; i++) A[i] = x[i];\n for (int i = 0; i < 512; i++) {{{body} }}\n return s; }}\n"
    )
    refused = banked(text, style="crossbar")
    assert refused.files["p.c"] == text and [(o.status, o.code) for o in refused.outcomes] == [("refused", "size")]
    assert [d.message for d in refused.diagnostics] == [
        "'A' left as it is: bank-centric code would choose one of 512 banks 67 times"
    ]
    short = banked(text.replace("512", "256").replace("511", "255"), style="crossbar")
    assert [o.status for o in short.outcomes] == ["rewritten"]


@pytest.mark.parametrize(
    ("members", "status"),
    [
        ("int x; int const y;", "refused"),
        ("int x; struct { const short y; } in[2];", "refused"),
        ("int x; int *const p;", "refused"),
        ("int x; const int *p;", "rewritten"),
        ("int x, y;", "rewritten"),
    ],
)
@pytest.mark.parametrize("kind", ["struct", "union"])
def test_elements_with_constant_members_are_not_stored_as_a_whole(
    kind: str, members: str, status: str, tmp_path: Path
) -> None:
    text = f"""{kind} S {{ {members} }};
int f(int x)
{{
    {kind} S A[16] = {{{{0}}}};
#pragma HLS array_partition variable=A type=cyclic factor=4
    for (int i = 0; i < 16; i++) A[(i * 5) & 15].x = x + i;
    return A[x & 15].x;
}}
"""
    result = banked(text, style="crossbar")
    assert [o.status for o in result.outcomes] == [status]
    (tmp_path / "new.c").write_text(next(iter(result.files.values())))
    assert subprocess.run(["gcc", "-w", "-fsyntax-only", "new.c"], cwd=tmp_path).returncode == 0
