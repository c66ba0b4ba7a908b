"""Calls of memcpy and memset, and initial values, are loops of the tool's own: one element each cycle."""

import json

import pytest
from click.testing import CliRunner
from predicting import result

from hlspart.cli.compare import command
from hlspart.model.access import Bounds

BUS = "#pragma HLS INTERFACE m_axi port=in offset=slave bundle=one\n#pragma HLS INTERFACE m_axi port=out bundle=two\n"
NEW = {"tool": "vitis-2022.2", "part": "xc7z020clg400-1", "clock_ns": 10.0}
OLD = {"tool": "vivado-hls-2018.3", "part": "xc7z020clg400-1", "clock_ns": 10.0}

# a call, the same written out, its iterations
COPIES = [
    ("memcpy(a, in, 64 * sizeof(float));", "W: for (int k = 0; k < 64; k++) a[k] = in[k];", 64),
    ("memcpy(a, in + 3 * n, sizeof a);", "W: for (int k = 0; k < 64; k++) a[k] = in[3 * n + k];", 64),
    ("memcpy(b[n], (const float *)&in[n], 16 * sizeof(float));", "W: for (int k = 0; k < 16; k++) b[n][k] = in[n + k];",
     16),
    ("memcpy(b, in, sizeof b);",
     "V: for (int j = 0; j < 4; j++) W: for (int k = 0; k < 16; k++) b[j][k] = in[16 * j + k];",
     64),
    ("memcpy(out, a, sizeof(float) * 64);", "W: for (int k = 0; k < 64; k++) out[k] = a[k];", 64),
    ("(void)memset(a, 0, sizeof(a));", "W: for (int k = 0; k < 64; k++) a[k] = 0;", 64),
    ("memcpy(a, in, n * sizeof(float));", "W: for (int k = 0; k < n; k++) a[k] = in[k];", None),
]  # fmt: skip


def _program(copy: str) -> str:
    return f"""#include <string.h>
void f(float *in, float *out, int n) {{
{BUS}    float a[64], b[4][16];
    {copy}
    L: for (int i = 0; i < 16; i++) {{
#pragma HLS PIPELINE
        out[i] = a[i] + b[0][i];
    }}
}}
"""


@pytest.mark.parametrize(("call", "loop", "trip"), COPIES)
def test_a_call_is_the_loop_that_it_stands_for(call, loop, trip):
    """Figures of the loop as it is written out with PIPELINE, the function's latency included."""
    made = result(_program(call), **NEW)
    head, stored = loop.rsplit(") ", 1)
    written = result(_program(f"{head}) {{\n#pragma HLS PIPELINE\n{stored} }}"), **NEW)
    (own,), (one, last) = made.made, written.loops
    assert (own.ii, own.trip_count.exact) == (1, trip) == (one.ii, one.trip_count.exact)
    assert [x.name for x in made.loops] == ["L"]
    assert (made.loops[0].ii, made.loops[0].depth) == (last.ii, last.depth)
    (whole,), (function,) = made.functions, written.functions
    assert whole.latency.max is None if trip is None else whole.latency.max == function.latency.max


def test_a_burst_ahead_of_a_copy():
    """2018.3, 5 ns (a batch alignment): three states, the request and the response outside."""
    found = result(_program("memcpy(a, in, sizeof a);"), **OLD).made
    assert [(x.ii, x.depth, x.latency) for x in found] == [(1, 3, Bounds(65, 65))]


@pytest.mark.parametrize(
    "call", ["memcpy(a, in, 63);", "memcpy(a, bytes, 64);", "memset(a, 1, 64);", "memcpy(a, in + n++, 64);"]
)
def test_what_stays_a_call(call):
    text = _program(call).replace("float *in,", "float *in, char *bytes,")
    found = result(text, **OLD)
    assert found.made == ()
    (function,) = found.functions
    assert f"the body of {call.split('(')[0]} is not given" in (function.cause or "")


def test_initial_values():
    """Reports of 2020.1 and 2023.2: a loop of one state fills a memory with zeros; registers need none."""
    text = """void f(int x[8], int y[8]) {
    int many[100] = {0}, few[3] = {0};
    L: for (int i = 0; i < 8; i++) { many[x[i] & 63] += i; few[i % 3] += 1; }
    M: for (int i = 0; i < 8; i++) y[i] = many[x[i] & 63] + few[i % 3];
}
"""
    found = result(text, tool="vitis-2023.2", part="xcu280-fsvh2892-2L-e", clock_ns=10.0).made
    assert [(x.ii, x.depth, x.trip_count.exact) for x in found] == [(1, 1, 100)]


REPORT = """================================================================
== {tool} Report for 'f'
================================================================
* Version:        {version}
* Target device:  xc7z020clg400-1

+ Timing (ns):
    +--------+-------+----------+------------+
    |  Clock | Target| Estimated| Uncertainty|
    +--------+-------+----------+------------+
    |ap_clk  |  10.00|     7.000|        1.25|
    +--------+-------+----------+------------+

        * Loop:
        +----------+---------+---------+----------+-----------+-----------+------+----------+
        |          |  Latency (cycles) | Iteration|  Initiation Interval  | Trip |          |
        | Loop Name|   min   |   max   |  Latency |  achieved |   target  | Count| Pipelined|
        +----------+---------+---------+----------+-----------+-----------+------+----------+
{rows}
        +----------+---------+---------+----------+-----------+-----------+------+----------+
"""
ROW = "        |- {} |  64|  64|  3|  1|  1|  {}|  yes|"
SOURCE = """#include <string.h>
void f(float *in, float *out) {
    float a[64], b[16];
    memcpy(a, in, sizeof a);
    memcpy(b, in + 64, sizeof b);
    for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE
        out[i] = a[i] + b[i];
    }
}
"""


@pytest.mark.parametrize(
    ("tool", "rows"),
    [
        (
            "vivado-hls-2018.3",
            {"memcpy.b.f.in.gep": "memcpy.b.in", "memcpy..in": "memcpy.a.in", "Loop 3": "VITIS_LOOP_6_1"},
        ),
        ("vitis-2020.2", {"Loop 1": "memcpy.a.in", "Loop 2": "memcpy.b.in", "VITIS_LOOP_6_1": "VITIS_LOOP_6_1"}),
    ],
)
def test_reported_names(tmp_path, tool, rows):
    """Vivado HLS names the variables as far as it knows them, and counts such loops among those of the text."""
    trips = {"memcpy.a.in": 64}
    text = REPORT.format(
        tool="Vivado HLS" if "vivado" in tool else "Vitis HLS",
        version=tool.rsplit("-", 1)[-1],
        rows="\n".join(ROW.format(said, trips.get(name, 16)) for said, name in rows.items()),
    )
    (tmp_path / "k.cpp").write_text(SOURCE)
    (tmp_path / "f_csynth.rpt").write_text(text)
    arguments = [
        str(tmp_path / "k.cpp"),
        "--report",
        str(tmp_path / "f_csynth.rpt"),
        "--tool",
        tool,
        "--format",
        "json",
    ]
    found = json.loads(CliRunner().invoke(command, arguments, standalone_mode=False).stdout)
    named = {x["reported"]["name"]: (x["name"], x["predicted"] and x["predicted"]["ii"]) for x in found["loops"]}
    assert named == {said: (name, 1) for said, name in rows.items()}


def test_names_of_nests_in_vivado_hls(tmp_path):
    """``A_L``: a loop without a label in a nest; a copy of conv1; a loop with a label has no number."""
    source = """void conv1(int a[8][8], int b[8]) {
    A: for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
#pragma HLS PIPELINE
            a[i][j] = i + j;
        }
    for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE II=2
        b[i] = b[i] * 3 + i;
    }
}
void f(int a[8][8], int b[8]) { conv1(a, b); }
"""
    rows = "\n".join(ROW.format(*row) for row in (("A_L", 64), ("Loop 2", 8), ("Loop 1", 64)))
    text = REPORT.format(tool="Vivado HLS", version="2018.3", rows=rows).replace("'f'", "'conv112'")
    (tmp_path / "k.c").write_text(source)
    (tmp_path / "f_csynth.rpt").write_text(text)
    arguments = [str(tmp_path / "k.c"), "--report", str(tmp_path / "f_csynth.rpt"), "--tool", "vivado-hls-2018.3"]
    found = json.loads(CliRunner().invoke(command, [*arguments, "--format", "json"], standalone_mode=False).stdout)
    ii = {x["reported"]["name"]: x["predicted"] and x["predicted"]["ii"] for x in found["loops"] if x["reported"]}
    assert ii == {"A_L": 1, "Loop 2": 2, "Loop 1": None}
