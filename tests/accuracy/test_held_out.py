"""``run.py --held-out``: every loop and function of a specification is counted, with what became of it."""

import json
import time

import held_out
import projects

TEXT = """int f(int a[64], int b[64]) {
    int s = 0;
    FIRST: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        s += a[i] * b[i];
    }
    return s;
}
"""
DESIGN = {"texts": {"f.c": TEXT}, "top": "f", "tool": "vitis-2023.2", "part": "xcu280-fsvh2892-2L-e", "clock_ns": 10.0}


def counted(tmp_path, facts, seconds=60.0):
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps([DESIGN | fact for fact in facts]))
    return held_out.run(spec, tmp_path, seconds)


def test_outcomes_of_loops(tmp_path):
    facts = [{"loop": "FIRST", "ii": 1, "depth": 3}, {"loop": "FIRST", "ii": 2}, {"loop": "OTHER", "ii": 1}]
    loops, functions = counted(tmp_path, facts)
    assert [(x.name, x.outcome) for x in loops] == [("FIRST", "right"), ("FIRST", "wrong"), ("OTHER", "not found")]
    assert functions == []
    table = held_out.loop_table(loops)
    assert "loops in the reports         3" in table
    assert "right of numbers given     1 of 2 (50.0%)" in table


def test_functions(tmp_path):
    loops, functions = counted(tmp_path, [{"latency_min": 1, "latency_max": 1, "dsp": 3, "bram18k": 0}])
    assert loops == [] and len(functions) == 1
    assert functions[0].known and not functions[0].near and functions[0].resources["dsp"][0] == 3
    latency = functions[0].predicted.max
    _, functions = counted(tmp_path, [{"latency_min": latency, "latency_max": latency}])
    assert functions[0].exact and functions[0].near


def test_what_is_not_read_is_counted(tmp_path):
    loops, functions = counted(tmp_path, [{"sources": ["none.c"], "texts": {}, "loop": "L", "ii": 1}])
    assert [(x.outcome, functions) for x in loops] == [("not found", [])]
    assert held_out.loop_table(loops).count("100.0%") == 1


def test_reports_of_a_design(tmp_path):
    """All loops of the reports that an entry names."""
    (tmp_path / "f_csynth.rpt").write_text("""== Vitis HLS Report for 'f'
+ Latency:
    * Loop:
    +----------+-----+-----+-----------+-----------+------------+------+----------+
    |          |  Latency  | Iteration |  Initiation Interval   | Trip |          |
    | Loop Name| min | max |  Latency  |  achieved |   target   | Count| Pipelined|
    +----------+-----+-----+-----------+-----------+------------+------+----------+
    |- FIRST   |   65|   65|          3|          1|           1|    64|       yes|
    |- GONE    |   65|   65|          3|          1|           1|    64|       yes|
    +----------+-----+-----+-----------+-----------+------------+------+----------+
""")
    loops, _ = counted(tmp_path, [{"reports": ["f_csynth.rpt"]}])
    assert [(x.name, x.outcome) for x in loops] == [("FIRST", "right"), ("GONE", "not found")]


PROJECT = """<project xmlns="com.autoesl.autopilot.project" name="p" top="f">
    <files xmlns="">
        <file name="../tb/main.c" tb="1" cflags="-DTB"/>
        <file name="src/f.c" tb="false" cflags="-Isrc/lib -D MANY -DN=32"/>
        <file name="src/lib/n.h" tb="false" cflags=""/>
    </files>
</project>
"""
TYPES = "typedef {} number;\n"
TYPED = """#include "n.h"
number f(number a[N]) {
    number s = 0;
    FIRST: for (int i = 0; i < N; i++) {
#pragma HLS PIPELINE II=1
        s += a[i];
    }
    return s;
}
"""


def test_headers_and_macros_are_those_of_the_project(tmp_path):
    """Of two headers of one name the one that the compiler is given counts, else the nearest."""
    for folder, kind in (("ahead/include", "double"), ("w/src/lib", "int"), ("w/src/other", "double")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "n.h").write_text(TYPES.format(kind))
    (tmp_path / "w/p").mkdir()
    (tmp_path / "w/p/hls.app").write_text(PROJECT)
    (tmp_path / "w/src/f.c").write_text(TYPED)
    said = projects.project(tmp_path / "w/p/hls.app")
    assert said == projects.Project((tmp_path / "w/src/f.c",), (tmp_path / "w/src/lib",), ("MANY", "N=32"))
    fact = {"texts": {}, "project": "w/p/hls.app", "include": ["ahead/include"], "loop": "FIRST", "ii": 1}
    loops, _ = counted(tmp_path, [fact])
    assert [x.outcome for x in loops] == ["right"]
    near = projects.nearest([tmp_path / "ahead/include", tmp_path / "w/src/lib"], tmp_path / "w/src/f.c")
    assert near[0] == tmp_path / "w/src/lib"


def test_halves_by_the_hash_of_a_name(tmp_path):
    """The digests of RFC 1321: that of "abc" ends in 72, that of "a" in 61."""
    assert (held_out.half("abc"), held_out.half("a")) == ("used", "held")
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps([DESIGN | {"name": name, "loop": "NONE", "ii": 1} for name in ("abc", "a")]))
    loops, _ = held_out.run(spec, tmp_path, 60.0, part="held")
    assert [x.design for x in loops] == ["a"]


def test_designs_of_one_source_are_told_apart_by_their_flow_and_headers():
    entries = [DESIGN, DESIGN | {"flow": "vitis"}, DESIGN | {"include": ["inc"]}, DESIGN | {"loop": "FIRST"}]
    assert [len(d) for d in held_out.designs(entries)] == [2, 1, 1]


def test_a_design_is_given_time_of_a_processor(tmp_path, monkeypatch):
    """Other work on the machine makes no difference: an answer after a sleep counts."""

    def asleep(entries, root):
        time.sleep(0.5)
        return [], []

    def busy(entries, root):
        while True:
            pass

    monkeypatch.setattr(held_out, "judge", asleep)
    assert counted(tmp_path, [{"loop": "FIRST", "ii": 1}], seconds=0.2) == ([], [])
    monkeypatch.setattr(held_out, "judge", busy)
    loops, _ = counted(tmp_path, [{"loop": "FIRST", "ii": 1}], seconds=0.2)
    assert [(x.outcome, x.cause) for x in loops] == [("not found", "not read in 0.2 s")]
