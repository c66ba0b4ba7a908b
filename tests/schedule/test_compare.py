"""Reports and logs of both message generations, and where prediction and report part ways."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from hlspart.cli.compare import command
from hlspart.model.access import Bounds
from hlspart.model.comparing import Report, ReportedLoop
from hlspart.model.options import Options, TargetOptions
from hlspart.pipeline import Pipeline
from hlspart.reports.reports import ReportError, merged, read

SOURCE = """int f(int A[64], int y[64]) {
#pragma HLS ARRAY_PARTITION variable=A cyclic factor=2 dim=1
    int s = 0;
    FIRST: for (int i = 2; i < 64; i++) {
#pragma HLS PIPELINE II=1
        s += A[i] + A[i - 1] + A[i - 2];
    }
    SECOND: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
        y[i] = s + i;
    }
    return s;
}
"""

VITIS = """================================================================
== Vitis HLS Report for 'f_Pipeline_FIRST'
================================================================
* Date:           Tue Jan  3 10:00:00 2023

* Version:        2022.1 (Build 1)
* Target device:  xczu9eg-ffvb1156-2-i

================================================================
== Performance Estimates
================================================================
+ Timing:
    +--------+----------+----------+------------+
    |  Clock |  Target  | Estimated| Uncertainty|
    +--------+----------+----------+------------+
    |ap_clk  |  10.00 ns|  3.000 ns|     2.70 ns|
    +--------+----------+----------+------------+

    + Detail:
        * Loop:
        +----------+---------+---------+----------+-----------+-----------+------+----------+
        |          |  Latency (cycles) | Iteration|  Initiation Interval  | Trip |          |
        | Loop Name|   min   |   max   |  Latency |  achieved |   target  | Count| Pipelined|
        +----------+---------+---------+----------+-----------+-----------+------+----------+
        |- FIRST   |      124|      124|         3|          2|          1|    62|       yes|
        |- SECOND  |       64|       64|         1|          1|          1|    64|       yes|
        +----------+---------+---------+----------+-----------+-----------+------+----------+
"""

SUMMARY = """
+ Performance & Resource Estimates:

    +---------------------+------+------+---------+---------+----------+---------+------+----------+
    |       Modules       | Issue|      | Latency | Latency | Iteration|         | Trip |          |
    |       & Loops       | Type | Slack| (cycles)|   (ns)  |  Latency | Interval| Count| Pipelined|
    +---------------------+------+------+---------+---------+----------+---------+------+----------+
    |+ f                  |     -|  1.00|      200| 2.0e+03 |         -|      201|     -|        no|
    | + f_Pipeline_FIRST  |    II|  1.00|      126| 1.2e+03 |         -|      126|     -|        no|
    |  o FIRST            |    II|  7.30|      124| 1.2e+03 |         3|        2|    62|       yes|
    +---------------------+------+------+---------+---------+----------+---------+------+----------+
"""

XML = """<?xml version="1.0"?>
<profile>
 <ReportVersion><Version>2019.2</Version></ReportVersion>
 <UserAssignments><TopModelName>f</TopModelName><Part>xc7z020clg484-1</Part>
  <TargetClockPeriod>10.00</TargetClockPeriod></UserAssignments>
 <PerformanceEstimates><SummaryOfLoopLatency>
  <FIRST><TripCount>62</TripCount><Latency>124</Latency><PipelineII>2</PipelineII><PipelineDepth>3</PipelineDepth></FIRST>
  <Loop2><Name>OUTER</Name><TripCount><range><min>1</min><max>8</max></range></TripCount><Latency>90</Latency>
   <IterationLatency>11</IterationLatency>
   <Loop2.1><Name>INNER</Name><TripCount>4</TripCount><Latency>8</Latency><IterationLatency>2</IterationLatency></Loop2.1>
  </Loop2>
 </SummaryOfLoopLatency></PerformanceEstimates>
</profile>
"""

NEW_LOG = """****** Vitis HLS - High-Level Synthesis from C, C++ and OpenCL v2022.1 (64-bit)
INFO: [HLS 200-1510] Running: set_part xczu9eg
INFO: [HLS 200-10] Setting target device to 'xczu9eg-ffvb1156-2-i'
INFO: [HLS 214-248] Applying array_partition to 'A': Cyclic partitioning with factor 2 on dimension 1. (k.c:1:0)
INFO: [HLS 214-270] Inferring pragma 'array_partition type=cyclic factor=13 dim=1' for array 'V' due to pipeline pragma
INFO: [HLS 200-42] -- Implementing module 'f_Pipeline_FIRST'
INFO: [SCHED 204-61] Pipelining loop 'FIRST'.
WARNING: [HLS 200-885] Unable to schedule 'load' operation ('A_load_2', k.c:6) on array 'A' due to limited memory ports.
INFO: [HLS 200-1470] Pipelining result : Target II = 1, Final II = 2, Depth = 3, loop 'FIRST'
INFO: [v++ 200-42] -- Implementing module 'g'
INFO: [v++ 200-1470] Pipelining result : Target II = NA, Final II = 1, Depth = 2, loop 'INNER'
INFO: [HLS 200-1457] Automatically inferring ... RAM_1WNR storage type for array 'exp'
"""

OLD_LOG = """INFO: [XFORM 203-101] Partitioning array 'A' (k.c:1) in dimension 1 with a cyclic factor 2.
INFO: [XFORM 203-102] Automatically partitioning array 't' (k.c:3) in dimension 1 completely.
INFO: [HLS 200-42] -- Implementing module 'f'
INFO: [SCHED 204-61] Pipelining loop 'FIRST'.
WARNING: [SCHED 204-69] Unable to schedule 'load' operation ('l', k.c:6) on array 'A' due to limited memory ports.
INFO: [SCHED 204-61] Pipelining result: Target II: 1, Final II: 2, Depth: 3.
"""


def test_vitis_table():
    report = read("f_csynth.rpt", VITIS)
    assert (report.tool, report.part, report.clock_ns) == ("vitis-2022.1", "xczu9eg-ffvb1156-2-i", 10.0)
    assert (report.uncertainty_ns, report.flow) == (2.7, None)
    first, second = report.loops
    assert (first.module, first.name, first.ii, first.target_ii, first.depth) == ("f_Pipeline_FIRST", "FIRST", 2, 1, 3)
    assert (first.trip_count, first.latency, first.pipelined) == (Bounds(62, 62), Bounds(124, 124), True)
    assert (second.name, second.ii) == ("SECOND", 1)


def test_vivado_nested_names():
    rows = """        |- Loop 1    |        6|        8|         2|          -|          -|     3~4|       no|
        | + Loop 1.1 |        4|        4|         2|          -|          -|     2|       no|
"""
    text = VITIS.replace("== Vitis", "== Vivado").replace(
        VITIS[VITIS.index("        |- FIRST") : VITIS.index("        +----------+---------+", VITIS.index("SECOND"))],
        rows,
    )
    found = read("f_csynth.rpt", text).loops
    assert [x.name for x in found] == ["Loop 1", "Loop 1.1"]
    assert (found[0].trip_count, found[0].pipelined, found[0].ii) == (Bounds(3, 4), False, None)


def test_summary_table():
    found = read("csynth.rpt", SUMMARY).loops
    assert [(x.module, x.name, x.ii, x.depth, x.trip_count) for x in found] == [
        ("f_Pipeline_FIRST", "FIRST", 2, 3, Bounds(62, 62))
    ]


@pytest.mark.parametrize("clock", [10.0, 5.0, 3.33, 4.545])
def test_clock_of_a_summary(clock):
    """The table has no clock: ns over cycles, as most rows have them; loops leave all but the uncertainty."""
    rows = [(f"+ m{n}", "0.10", n, clock * n) for n in (200, 126, 1861, 7)]
    rows += [("+ slow", "-4.00", 90, 1.4 * clock * 90)]
    rows += [("  o FIRST", f"{0.73 * clock:.2f}", 124, clock * 124)]
    text = SUMMARY[: SUMMARY.index("    |+ f ")]
    for name, slack, cycles, ns in rows:
        said = f"{ns:.3f}" if ns < 1000 else f"{ns:.3e}"
        text += f"    |{name}|  II|{slack}|{cycles}|{said}|  3|  2|  62|  {'yes' if 'o ' in name else 'no'}|\n"
    head = "    * Version:        2022.2.2 (Build 1)\n    * Solution:       s (Vitis Kernel Flow Target)\n"
    report = read("csynth.rpt", head + "    * Target device:  xcu50-fsvh2104-2-e\n" + text)
    assert report.clock_ns == clock and report.flow == "vitis"
    assert (report.tool, report.part) == ("vitis-2022.2.2", "xcu50-fsvh2104-2-e")
    assert report.uncertainty_ns == pytest.approx(0.27 * clock, abs=0.006)


def test_clock_of_logs():
    log = "INFO: [SYN 201-201] Setting up clock 'default' with a period of 5ns.\n"
    log += "INFO: [SYN 201-201] Setting up clock 'default' with an uncertainty of 0.625ns.\n"
    report = read("hls.log", log + "INFO: [HLS 200-1505] Using default flow_target 'vivado'\n" + NEW_LOG)
    assert (report.clock_ns, report.uncertainty_ns, report.flow) == (5.0, 0.625, "vivado")


def test_xml():
    report = read("csynth.xml", XML)
    assert (report.tool, report.part, report.clock_ns) == ("vivado-hls-2019.2", "xc7z020clg484-1", 10.0)
    assert [(x.name, x.ii, x.depth, x.trip_count.max) for x in report.loops] == [
        ("FIRST", 2, 3, 62), ("OUTER", None, 11, 8), ("INNER", None, 2, 4),
    ]  # fmt: skip


@pytest.mark.parametrize("log", [NEW_LOG, OLD_LOG])
def test_logs_of_both_generations(log):
    report = read("hls.log", log)
    first = report.loops[0]
    assert (first.name, first.target_ii, first.ii, first.depth) == ("FIRST", 1, 2, 3)
    p = report.partitions[0]
    assert (p.variable, p.type, p.factor, p.dim, p.origin) == ("A", "cyclic", 2, 1, "applied")
    assert report.partitions[1].origin == "added"
    assert [m.line for m in report.messages if m.code in ("200-885", "204-69")] == [6]


def test_target_na_and_tool_prefix():
    report = read("hls.log", NEW_LOG)
    assert (report.tool, report.part) == ("vitis-2022.1", "xczu9eg-ffvb1156-2-i")
    assert [(x.module, x.name, x.target_ii, x.ii) for x in report.loops][1] == ("g", "INNER", None, 1)


def test_tables_complete_logs():
    both = merged([read("f.rpt", VITIS), read("hls.log", NEW_LOG)])
    assert [x.name for x in both.loops] == ["FIRST", "SECOND", "INNER"]


@pytest.mark.parametrize("text", ["", "hello", "<?xml version='1.0'?><profile>"])
def test_what_is_no_report(text):
    with pytest.raises(ReportError):
        read("x", text)


def run(tmp_path, files, *options):
    source = tmp_path / "k.c"
    source.write_text(SOURCE)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    paths = [str(tmp_path / o) if o in files or o == "." else o for o in options]
    return CliRunner().invoke(command, [str(source), *paths], standalone_mode=False)


def test_agreement(tmp_path):
    done = run(tmp_path, {"f_csynth.rpt": VITIS}, "--report", "f_csynth.rpt", "--format", "json")
    assert done.exception is None, done.output
    shape = json.loads(done.stdout)
    assert [(x["name"], x["predicted"]["ii"], x["reported"]["ii"], x["drift"]) for x in shape["loops"]] == [
        ("FIRST", 2, 2, []),
        ("SECOND", 1, 1, []),
    ]
    assert (shape["drift"], done.return_value) == (False, 0)


SUMS = """float f(float a[64], float b[64], float c[64], float d[64]) {
    FIRST: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
        d[i] = a[i] + b[i] + c[i];
    }
    return 0;
}
"""


def test_prediction_is_for_the_target_of_the_report(tmp_path):
    """Two additions in a row take 4 states each at 10 ns of ultrascale+ and 5 at 5 ns, between a load and a store."""
    source = tmp_path / "k.c"
    source.write_text(SUMS)

    def depth(text, *options):
        (tmp_path / "f_csynth.rpt").write_text(text)
        arguments = [str(source), "--report", str(tmp_path / "f_csynth.rpt"), "--format", "json", *options]
        found = json.loads(CliRunner().invoke(command, arguments, standalone_mode=False).stdout)
        return found["loops"][0]["predicted"]["depth"], len(found["mismatches"])

    plain = VITIS.replace("xczu9eg-ffvb1156", "xcvu9p-flga2104")
    fast = VITIS.replace("10.00 ns", " 5.00 ns").replace("2.70", "1.35").replace("xczu9eg-ffvb1156", "xcu55c-fsvh2892")
    slow, quick = depth(plain)[0], depth(fast)[0]
    assert quick - slow == 3
    assert depth(fast, "--clock", "10", "--part", "xczu9eg-ffvb1156-2-i") == (slow, 2)
    assert depth(plain, "--clock", "5") == (quick, 1)
    unknown = fast.replace("2022.1", "2031.4").replace("xcu55c", "zz99")
    assert depth(unknown) == (None, 2)  # the nearest tool, its default part, of which no report has 5 ns
    (tmp_path / ".hlspart.toml").write_text("clock = 10.0\n")
    assert depth(fast) == (slow, 1)


def test_drift_is_explained(tmp_path):
    wrong = VITIS.replace("         3|          2|", "         3|          1|")
    done = run(tmp_path, {"f_csynth.rpt": wrong, "vitis_hls.log": NEW_LOG}, ".", "--format", "json")
    shape = json.loads(done.stdout)
    first = shape["loops"][0]
    assert (first["drift"], done.return_value) == (["II"], 1)
    assert "predicted II 2" in first["why"] and "reported 1" in first["why"]
    fates = {(p["variable"], p["type"]): p["fate"] for p in shape["partitions"]}
    assert fates == {("A", "cyclic"): "applied", ("V", "cyclic"): "added"}


def test_bounds_that_hold_come_with_their_causes(tmp_path):
    (tmp_path / "b.c").write_text("""void f(const int x[62], const int y[62], int h[256]) {
    FIRST: for (int i = 0; i < 62; i++) {
#pragma HLS PIPELINE II=1
        h[x[i]] = i, h[y[i]] = 1;
    }
}""")
    (tmp_path / "f_csynth.rpt").write_text(VITIS)
    paths = [str(tmp_path / "b.c"), "--report", str(tmp_path / "f_csynth.rpt"), "--format", "json"]
    shape = json.loads(CliRunner().invoke(command, paths, standalone_mode=False).stdout)
    first = shape["loops"][0]
    assert "II" not in first["drift"] and first["why"].startswith("bounds: whether iterations touch the same element")


def test_text_and_usage(tmp_path):
    done = run(tmp_path, {"hls.log": NEW_LOG}, "--log", "hls.log")
    assert "f/FIRST" in done.stdout and "200-885" not in done.stdout
    assert run(tmp_path, {}).exception is not None
    assert run(tmp_path, {"x.txt": "nothing"}, "--report", "x.txt").exception is not None


CALLS = """void fill(int m[64]) {
    COPY: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        m[i] = i;
    }
}
void top(int m[64]) {
    fill(m);
    for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        m[i] = m[i] + 1;
    }
}
"""

INLINED = """INFO: [HLS 200-10] Vitis HLS v2022.2.2 (64-bit)
INFO: [HLS 200-42] -- Implementing module 'top_Pipeline_COPY'
INFO: [HLS 200-1470] Pipelining result : Target II = 1, Final II = 1, Depth = 1, loop 'COPY'
INFO: [HLS 200-42] -- Implementing module 'top_Pipeline_1'
INFO: [HLS 200-1470] Pipelining result : Target II = NA, Final II = 1, Depth = 1, loop 'Loop 1'
INFO: [HLS 200-42] -- Implementing module 'top_Pipeline_VITIS_LOOP_9_1'
INFO: [HLS 200-1470] Pipelining result : Target II = 1, Final II = 1, Depth = 2, loop 'VITIS_LOOP_9_1'
"""


def test_loops_of_functions_put_into_their_callers(tmp_path):
    """A loop of `fill` is reported under `top`; "Loop 1" is of the tool itself; updates of a version do not matter."""
    source, log = tmp_path / "k.c", tmp_path / "vitis_hls.log"
    source.write_text(CALLS)
    log.write_text(INLINED)
    arguments = [str(source), "--log", str(log), "--tool", "vitis-2022.2", "--format", "json"]
    done = CliRunner().invoke(command, arguments, standalone_mode=False)
    found = json.loads(done.stdout)
    rows = {x["name"]: x for x in found["loops"]}
    assert [rows[n]["drift"] for n in ("COPY", "VITIS_LOOP_9_1")] == [[], []]
    assert rows["Loop 1"]["drift"] == ["not predicted"]
    assert not any("vitis-2022.2.2" in text for text in found["mismatches"])
    assert done.return_value == 1


def test_copies_of_a_function_and_lines_that_have_moved(tmp_path):
    """Both modules of `fill` are its loop; a comment above the source has moved the line of the other loop."""
    twice = INLINED.replace("top_Pipeline_COPY", "fill_1").replace("top_Pipeline_1", "fill_2").replace("Loop 1", "COPY")
    source, log = tmp_path / "k.c", tmp_path / "vitis_hls.log"
    source.write_text("// moved\n" + CALLS)
    log.write_text(twice)
    arguments = [str(source), "--log", str(log), "--tool", "vitis-2022.2", "--format", "json"]
    found = json.loads(CliRunner().invoke(command, arguments, standalone_mode=False).stdout)
    assert [x["name"] for x in found["loops"]] == ["COPY", "COPY", "VITIS_LOOP_10_1"]
    assert not any("not predicted" in x["drift"] for x in found["loops"])


def test_a_nest_that_only_the_tool_has_flattened_goes_by_its_innermost_loop(tmp_path):
    log = INLINED.replace("'VITIS_LOOP_9_1'", "'OUTER_COPY'").replace("top_Pipeline_VITIS_LOOP_9_1", "top_Pipeline_X")
    source, path = tmp_path / "k.c", tmp_path / "vitis_hls.log"
    source.write_text(CALLS)
    path.write_text(log)
    arguments = [str(source), "--log", str(path), "--tool", "vitis-2022.2", "--format", "json"]
    found = json.loads(CliRunner().invoke(command, arguments, standalone_mode=False).stdout)
    assert [(x["name"], x["reported"]["name"]) for x in found["loops"] if x["reported"]][-1] == ("COPY", "OUTER_COPY")


LABELLED = """void f(int m[64], int x[64]) {
    OUTER: for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) m[j] += i;
        for (int j = 0; j < 4; j++) {
#pragma HLS PIPELINE
            x[j] = m[j] + i;
        }
    }
}
"""


def test_unlabelled_loops_go_by_their_place_under_a_label(tmp_path):
    """Vivado HLS 2020.1: "Row_Operation.2" is the second loop of its body; other iterations refute a guess."""
    table = VITIS.replace("== Vitis", "== Vivado").replace("2022.1", "2020.1").replace("_Pipeline_FIRST", "")
    rows = table.replace("- FIRST  ", "- OUTER.2").replace("|    62|", "|     4|").replace("- SECOND ", "- OUTER.9")
    (tmp_path / "k.c").write_text(LABELLED)
    (tmp_path / "f_csynth.rpt").write_text(rows)
    arguments = [str(tmp_path / "k.c"), "--report", str(tmp_path / "f_csynth.rpt"), "--format", "json"]
    arguments += ["--tool", "vivado-hls-2020.1"]
    found = json.loads(CliRunner().invoke(command, arguments, standalone_mode=False).stdout)["loops"]
    assert [(x["name"], "not predicted" in x["drift"]) for x in found[:2]] == [
        ("VITIS_LOOP_4_2", False), ("OUTER.9", True),
    ]  # fmt: skip


def test_lines_move_only_with_equal_iterations(tmp_path):
    (tmp_path / "k.c").write_text("// moved\n" + CALLS)
    table = VITIS.replace("f_Pipeline_FIRST", "top_Pipeline_X")
    for trip, name in (("    64", "VITIS_LOOP_10_1"), ("    62", "VITIS_LOOP_9_1")):
        rows = table.replace("- FIRST  ", "- VITIS_LOOP_9_1 ").replace("|    62|", f"|{trip}|")
        (tmp_path / "f_csynth.rpt").write_text(rows)
        arguments = [str(tmp_path / "k.c"), "--report", str(tmp_path / "f_csynth.rpt"), "--format", "json"]
        found = json.loads(CliRunner().invoke(command, arguments, standalone_mode=False).stdout)["loops"]
        assert found[0]["name"] == name


NEST = """void f(int A[8][16], int B[8][16]) {
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 16; j++) {
#pragma HLS PIPELINE
            A[i][j] = B[i][j];
        }
    }
    output_loop: for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE
        A[i][0] = i;
    }
}
"""

OLD_ROWS = """        |- Loop 1      |      128|      128|         2|          1|          1|     128|      yes|
        |- output_loop |        8|        8|         1|          1|          1|       8|      yes|
        |- memcpy.A.B  |       64|       64|         2|          1|          1|      64|      yes|
"""


def test_nests_without_labels_and_labels_that_begin_with_o(tmp_path):
    """Vivado HLS calls a flattened nest without labels by the place of its outermost loop."""
    first, last = VITIS.index("        |- FIRST"), VITIS.index("        +----------+---------+", VITIS.index("SECOND"))
    text = (VITIS[:first] + OLD_ROWS + VITIS[last:]).replace("== Vitis", "== Vivado").replace("2022.1", "2019.1")
    source, report = tmp_path / "k.c", tmp_path / "f_csynth.rpt"
    source.write_text(NEST)
    report.write_text(text.replace("'f_Pipeline_FIRST'", "'f'"))
    arguments = [str(source), "--report", str(report), "--tool", "vivado-hls-2019.1", "--format", "json"]
    found = json.loads(CliRunner().invoke(command, arguments, standalone_mode=False).stdout)
    rows = [(x["reported"]["name"], x["name"], x["predicted"] and x["predicted"]["ii"]) for x in found["loops"]]
    assert rows == [
        ("Loop 1", "VITIS_LOOP_2_1_VITIS_LOOP_3_2", 1),
        ("output_loop", "output_loop", 1),
        ("memcpy.A.B", "memcpy.A.B", None),
    ]
    assert found["loops"][-1]["why"] == "the tool has made this loop of a call of memcpy"


@pytest.mark.parametrize(
    ("reported", "found"),
    [
        ((("VITIS_LOOP_27_1", 62), ("VITIS_LOOP_40_2", 64)), ["FIRST", "SECOND"]),
        ((("VITIS_LOOP_40_2", 64), ("VITIS_LOOP_27_1", 62)), ["SECOND", "FIRST"]),
        ((("VITIS_LOOP_27_1", 62), ("VITIS_LOOP_40_2", 32)), ["", ""]),  # other iterations
        ((("VITIS_LOOP_27_1", 62),), [""]),  # one loop less
        ((("VITIS_LOOP_27_1", 62), ("GONE", 64)), ["", ""]),
    ],
)
def test_loops_that_have_got_labels_since_go_by_their_turn(tmp_path, reported, found):
    (tmp_path / "f.c").write_text(SOURCE)
    rows = tuple(
        ReportedLoop(f"f_Pipeline_{name}", name, 1, 1, 3, Bounds(n, n), Bounds(None, None), True, "")
        for name, n in reported
    )
    report = Report("vitis-2022.1", "xczu9eg-ffvb1156-2-i", 10.0, rows, (), ())
    said = Pipeline([str(tmp_path / "f.c")], Options()).compared(report).loops
    assert [x.name if x.predicted_trip is not None else "" for x in said if x.reported is not None] == found


def test_the_innermost_loop_of_a_nest_whose_lines_have_moved(tmp_path):
    log = INLINED.replace("VITIS_LOOP_9_1", "OUTER_VITIS_LOOP_12_1")
    source, path = tmp_path / "k.c", tmp_path / "vitis_hls.log"
    source.write_text(CALLS)
    path.write_text(log)
    arguments = [str(source), "--log", str(path), "--tool", "vitis-2022.2", "--format", "json"]
    found = json.loads(CliRunner().invoke(command, arguments, standalone_mode=False).stdout)
    assert {x["reported"]["name"]: x["name"] for x in found["loops"]}["OUTER_VITIS_LOOP_12_1"] == "VITIS_LOOP_9_1"


INSTANCES = """
+ Performance & Resource Estimates:

    +----------------------+------+------+---------+---------+----------+---------+------+----------+
    |        Modules       | Issue|      | Latency | Latency | Iteration|         | Trip |          |
    |        & Loops       | Type | Slack| (cycles)|   (ns)  |  Latency | Interval| Count| Pipelined|
    +----------------------+------+------+---------+---------+----------+---------+------+----------+
    |+ top                 |     -|  1.00|      200| 2.0e+03 |         -|      201|     -|        no|
    | + grp_fill_fu_446    |     -|  1.00|       66|  6.6e+02|         -|       66|     -|        no|
    |  o COPY              |     -|  7.30|       64|  6.4e+02|         2|        1|    64|       yes|
    | o OUTER              |     -|  1.00|      800|  8.0e+03|        80|        -|    10|        no|
    |  o OUTER.1           |     -|  7.30|       64|  6.4e+02|         3|        1|    62|       yes|
    |  o VITIS_LOOP_9_1    |     -|  7.30|       65|  6.5e+02|         3|        1|    64|       yes|
    +----------------------+------+------+---------+---------+----------+---------+------+----------+
"""


def test_instances_and_the_loops_behind_them(tmp_path):
    """2020.2 names instances, not modules; a loop further left than the last module is of the one around that."""
    found = read("csynth.rpt", INSTANCES).loops
    assert [(x.module, x.name) for x in found] == [
        ("fill", "COPY"), ("top", "OUTER"), ("top", "OUTER.1"), ("top", "VITIS_LOOP_9_1"),
    ]  # fmt: skip
    source, report = tmp_path / "k.c", tmp_path / "csynth.rpt"
    source.write_text(CALLS)
    report.write_text(INSTANCES)
    arguments = [str(source), "--report", str(report), "--tool", "vitis-2020.2", "--format", "json"]
    rows = json.loads(CliRunner().invoke(command, arguments, standalone_mode=False).stdout)["loops"]
    ours = {x["reported"]["name"]: x["predicted"]["ii"] for x in rows if x["reported"]}
    assert ours == {"COPY": 1, "OUTER": None, "OUTER.1": None, "VITIS_LOOP_9_1": 1}


WITHIN = """int element(int a[64], int b[64], int k) {
    return a[k] + a[63 - k] + a[31] + b[0];
}
void a_rather_long_function_name(int y[64], int k, int v) { y[k] = v; }
void top(int a[64], int b[64], int y[64]) {
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=4
        a_rather_long_function_name(y, i, element(a, b, i) + element(a, b, (i + 7) % 64));
    }
}
"""


def test_functions_that_a_pipelined_loop_calls_are_pipelined_at_a_target_of_one(tmp_path):
    """Three loads of one memory on two ports; copies have numbers behind their name, long names are cut."""
    log = OLD_LOG[OLD_LOG.index("INFO: [HLS 200-42]") :].replace("Pipelining loop 'FIRST'", "Pipelining function '{}'")
    cut = "a_rather_long_function_name"[:20]
    text = "".join(log.replace("module 'f'", f"module '{m}'").format(n) for m, n in (
        ("element", "element"), ("element_1", "element.1"), (cut, cut), ("other", "other"),
    ))  # fmt: skip
    source, path = tmp_path / "k.c", tmp_path / "vivado_hls.log"
    source.write_text(WITHIN)
    path.write_text(text)
    arguments = [str(source), "--top", "top", "--log", str(path), "--tool", "vivado-hls-2019.2", "--format", "json"]
    rows = json.loads(CliRunner().invoke(command, arguments, standalone_mode=False).stdout)["loops"]
    said = [(x["reported"]["name"], x["predicted"]["ii"]) for x in rows if x["reported"]]
    assert said == [("element", 2), ("element.1", 2), (cut, 1), ("other", None)]


@pytest.mark.parametrize(("name", "tool", "said"), [
    ("FIRST", "vivado-hls-2019.1", True), ("FIRST", "vitis-2022.1", False), ("f", "vivado-hls-2019.1", True),
    ("g", "vivado-hls-2019.1", False),  # of a library, maybe
])  # fmt: skip
def test_a_pipeline_without_a_directive_is_of_another_source(tmp_path, name, tool, said):
    """Vivado HLS pipelines nothing by itself, so a pragma or a file of directives is missing."""
    kind = "loop" if name == "FIRST" else "function"
    source, log = tmp_path / "k.c", tmp_path / "vivado_hls.log"
    source.write_text(SOURCE.replace("#pragma HLS PIPELINE II=1", ""))
    log.write_text(OLD_LOG[OLD_LOG.index("INFO: [HLS 200-42]") :].replace("loop 'FIRST'", f"{kind} '{name}'"))
    arguments = [str(source), "--log", str(log), "--tool", tool, "--format", "json"]
    found = json.loads(CliRunner().invoke(command, arguments, standalone_mode=False).stdout)
    (row,) = (x for x in found["loops"] if x["name"] == name)
    assert ("by directives alone" in (row["why"] or "")) == said


INSTANCES_OF_ONE = """struct four { static const int n = 4; };
struct eight { static const int n = 8; };
template <class C> void act(int x[8]) {
#pragma HLS PIPELINE
    for (int i = 0; i < C::n; i++) x[i] += 1;
}
void top(int x[8], int y[8]) { act<four>(x); act<eight>(y); }
"""


def test_instances_go_by_the_names_in_their_arguments():
    """As logs name pipelined functions: the arguments are spelled as the tool has them; two ports serve the words."""
    pipeline = Pipeline(["k.cpp"], Options(top="top"), {"k.cpp": INSTANCES_OF_ONE.encode()}.__getitem__)
    nothing = Bounds(None, None)
    said = [
        ReportedLoop(None, name, ii, 1, None, nothing, nothing, True, "log")
        for name, ii in (("act<eight, 8u>", 8), ("act<four, 4u>", 4))
    ]
    rows = pipeline.compared(Report(None, None, None, tuple(said), (), ())).loops
    assert [(x.function, x.predicted_ii) for x in rows if x.reported] == [("act<eight>", 8), ("act<four>", 4)]


def test_all_copies_of_a_function_are_its_loops():
    """The second copy is not another function's loop of that name."""
    loop = "(int x[8], int y[8]) { L: for (int i = 0; i < 8; i++) {\n#pragma HLS PIPELINE\n x[i] = y[i] + 1; } }\n"
    text = f"void fill{loop}void other{loop}void top(int x[8], int y[8]) {{ fill(x, y); other(y, x); fill(y, x); }}"
    pipeline = Pipeline(["k.c"], Options(top="top"), {"k.c": text.encode()}.__getitem__)
    nothing = Bounds(None, None)
    said = [ReportedLoop(m, "L", 1, 1, None, nothing, nothing, True, "log") for m in ("fill12", "fill15", "other")]
    rows = pipeline.compared(Report(None, None, None, tuple(said), (), ())).loops
    assert [x.function for x in rows if x.reported] == ["fill", "fill", "other"]


def test_a_module_of_an_unknown_function_has_no_loops_of_others():
    """All loops of a video library are called alike; of `detect` there is no text, `fill` and `other` are known."""
    loop = "(int x[8], int y[8]) { L: for (int i = 0; i < 8; i++) {\n#pragma HLS PIPELINE\n x[i] = y[i] + 1; } }\n"
    text = f"void fill{loop}void other{loop}void top(int x[8], int y[8]) {{ fill(x, y); other(y, x); }}"
    pipeline = Pipeline(["k.c"], Options(top="top"), {"k.c": text.encode()}.__getitem__)
    nothing = Bounds(None, None)
    modules = ("detect", "other", "fill")
    said = [ReportedLoop(m, "L", 1, 1, None, nothing, nothing, True, "log") for m in modules]
    rows = pipeline.compared(Report(None, None, None, tuple(said), (), ())).loops
    assert [(x.predicted_ii, x.function) for x in rows if x.reported][1:] == [(1, "other"), (1, "fill")]
    assert rows[0].predicted_ii is None and "detect" in (rows[0].why or "")


def test_loops_put_into_a_copy_of_their_caller():
    """`put` is expanded in the second copy of `_stage`, whose module may not begin with an underscore."""
    loop = "{ L: for (int i = 0; i < 8; i++) {\n#pragma HLS PIPELINE\n x[i] = x[i] + 1; } }\n"
    text = (
        f"void put(int x[8]) {loop}void _stage(int x[8]) {{ put(x); }} void top(int x[8]) {{ _stage(x); _stage(x); }}"
    )
    pipeline = Pipeline(["k.c"], Options(top="top"), {"k.c": text.encode()}.__getitem__)
    nothing = Bounds(None, None)
    modules = ("p_stage_Pipeline_L", "_stage_1_Pipeline_L", "_stage_clone_2_Pipeline_L")
    said = [ReportedLoop(m, "L", 1, 1, None, nothing, nothing, True, "log") for m in modules]
    rows = pipeline.compared(Report(None, None, None, tuple(said), (), ())).loops
    assert [x.function for x in rows if x.reported] == ["put", "put", "put"]


def test_loops_without_labels_count_with_those_of_functions_put_into_their_caller():
    """Vivado HLS numbers what it has put there; of a function that is a module it says so in a table of its own."""
    put = "void put(int x[8], int n) {\n for (int i = 0; i < n; i++) {\n#pragma HLS PIPELINE\n x[i] = i; } }\n"
    loop = "for (int i = 0; i < {}; i++) {{\n#pragma HLS PIPELINE\n y[i] = x[i]; }}\n"
    calls = "put(x, 8);\n kept(x, y);\n put(y, 4);\n"
    kept = f"void kept(int x[8], int y[8]) {{ {loop.format(2)} }}\n"
    text = f"{put}{kept}void top(int x[8], int y[8]) {{ {loop.format(5)} {calls} {loop.format(6)} }}\n"
    options = Options(top="top", target=TargetOptions(tool="vivado-hls-2019.1"))
    pipeline = Pipeline(["k.c"], options, {"k.c": text.encode()}.__getitem__)
    nothing = Bounds(None, None)
    told = [("top", "Loop 1"), ("top", "Loop 2"), ("top", "Loop 3"), ("top", "Loop 4"), ("kept", "Loop 1")]
    said = [ReportedLoop(m, name, 1, 1, None, nothing, nothing, True, "log") for m, name in told]
    rows = pipeline.compared(Report(None, None, None, tuple(said), (), ())).loops
    found = [(x.function, x.predicted_trip and x.predicted_trip.max) for x in rows if x.reported]
    assert found == [("top", 5), ("put", None), ("put", None), ("top", 6), ("kept", 2)]


def _rows(text, said, tool="vivado-hls-2019.1"):
    """What rows of (module, name, iterations) of a report are taken for: functions and names of the prediction."""
    pipeline = Pipeline(["k.cpp"], Options(top="top", target=TargetOptions(tool=tool)), {"k.cpp": text.encode()}.get)
    loops = tuple(
        ReportedLoop(m, name, 1, 1, None, Bounds(n, n), Bounds(None, None), True, "log") for m, name, n in said
    )
    rows = pipeline.compared(Report(None, None, None, loops, (), ())).loops
    return [(x.function, x.predicted_trip and x.predicted_trip.max) for x in rows if x.reported]


PIPELINED = "for (int j = 0; j < {0}; j++) {{\n#pragma HLS PIPELINE\n x[j] = {1}; }}"


def test_instances_and_long_names():
    """As Vivado HLS writes them: arguments with underscores, a number for a second copy, 20 characters in messages."""
    first = PIPELINED.format("N", "N + K")
    text = f"""template <int N, int K> void move(int x[64]) {{ {first} }}
template <int N> void a_name_of_more_than_twenty(int x[64]) {{ {PIPELINED.format("N", 3)} }}
void other(int x[64]) {{ {PIPELINED.format(7, 2)} }}
void top(int x[64], int y[64]) {{
    move<5, 1>(x); move<6, 1>(y); a_name_of_more_than_twenty<8>(x); a_name_of_more_than_twenty<9>(y); other(y);
}}"""
    said = [
        ("move_6_1_s", "Loop 1", None), ("move_5_1_12", "Loop 1", None), ("a_name_of_more_than_", "Loop 1", 9),
        ("a_name_of_more_than__1", "Loop 1", 8), ("nobody", "Loop 1", None), ("nobody", "Loop 1", 7),
    ]  # fmt: skip
    assert _rows(text, said) == [
        ("move<6,1>", 6), ("move<5,1>", 5), ("a_name_of_more_than_twenty<9>", 9), ("a_name_of_more_than_twenty<8>", 8),
        ("nobody", None), ("nobody", None),
    ]  # fmt: skip


def test_labels_of_libraries_that_reports_lack():
    loop = (
        "A: for (int i = 0; i < 4; i++) { B: for (int j = 0; j < 6; j++) {\n#pragma HLS PIPELINE off\n x[j] = y[i]; } }"
    )
    text = f"void top(int x[8], int y[8]) {{ C: for (int i = 0; i < 3; i++) y[i] = i; {loop} }}"
    assert _rows(text, [("top", "Loop 2.1", None), ("top", "Loop 1", None)]) == [("top", 6), ("top", 3)]


def test_loops_that_are_processes():
    """A loop of a DATAFLOW region is a module of its own, which is named after its place or not at all."""
    text = f"void top(int x[64], int y[64]) {{ {PIPELINED.format(5, 1)} {PIPELINED.format(6, 2).replace('x', 'y')} }}"
    assert _rows(text, [("top_Loop_2_proc3", "Loop 1", 6), ("Loop_0_proc", "Loop 1", 5)]) == [("top", 6), ("top", 5)]


def test_copies_that_are_processes():
    text = """#include <string.h>
void top(volatile int *x, int y[64]) {
#pragma HLS DATAFLOW
    int t[32];
    memcpy(t, (const int *)x, 32 * sizeof(int));
    for (int i = 0; i < 32; i++) y[i] = t[i];
}"""
    said = [("top_Loop_memcpy_t_x_pro", "memcpy.t.x.gep", 32), ("top_Loop_memset_other", "memset_other", 32)]
    assert _rows(text, said) == [("top", 32), ("top_Loop_memset_other", None)]


@pytest.mark.parametrize("labels, name", [("A", "A_L"), ("AB", "A_B_L"), (" B", "L_B_L"), ("  C", "L_L_C")])
def test_names_of_nests_with_loops_without_labels(labels, name):
    """Two loops are joined at a time, the innermost first; where neither has a label, the nest has none."""
    a, b, c = (f"{x}:" if x.strip() else "" for x in labels.ljust(3))
    text = f"""void top(int x[4][4][4]) {{
    {PIPELINED.format(7, 0).replace("x[j]", "x[0][0][j & 3]")}
    {a} for (int i = 0; i < 4; i++)
    {b} for (int k = 0; k < 4; k++)
    {c} for (int j = 0; j < 4; j++) {{
#pragma HLS PIPELINE
        x[i][k][j] = i;
    }}
}}"""
    assert _rows(text, [("top", name, 64)]) == [("top", 64)]


def test_functions_called_in_initial_values_are_in_their_callers():
    """The tool puts `best` into `top`, which sets a variable by its value where it declares it."""
    loop = "{}for (int i = 0; i < 8; i++) {{\n#pragma HLS PIPELINE\n s += x[i]; }}"
    head = (
        "int best(int x[8]) {{ int s = 0; " + loop + " return s; }}\nvoid top(int x[8], int *out) {{ int b = best(x);\n"
    )
    text = head + "for (int i = 0; i < 3; i++) {{ out[i] = b; }}\n}}\n"
    assert _rows(text.format("L: "), [("top_Pipeline_L", "L", 8)], "vitis-2022.2") == [("best", 8)]
    assert _rows(text.format(""), [("top", "Loop 1", 8)]) == [("best", 8)]
