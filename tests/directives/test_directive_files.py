"""hls_config.cfg and Tcl: directives, project facts, and their faults."""

from __future__ import annotations

import pytest
from directive_helpers import one, program_of

from hlspart.frontend.directives import normalised, read_project

KERNEL = """\
void g(int x[8]) { x[0] = 1; }
void f(int A[64][32]) {
  int t[16];
  L: for (int i = 0; i < 64; i++) {
    for (int j = 0; j < 16; j++) t[j] = A[i][j];
    g(t);
  }
}
"""
PRAGMA = "type=cyclic factor=4 dim=2"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("d.cfg", "[hls]\nsyn.directive.array_partition=f A type=cyclic factor=4 dim=2\n"),
        ("d.cfg", "# note\n[hls]\nsyn.directive.array_partition = f  A  dim=2 type=cyclic factor = 4\n"),
        ("d.cfg", "syn.directive.array_partition=f variable=A type=cyclic factor=4 dim=2\r\n"),
        ("d.tcl", "set_directive_array_partition -type cyclic -factor 4 -dim 2 f A\n"),
        ("d.tcl", 'set_directive_array_partition -dim 2 -type cyclic -factor 4 "f" A;# why\n'),
        ("d.tcl", 'set_directive_array_partition "f" A -type cyclic -factor 4 -dim 2\n'),
        ("d.tcl", "set n 4\nset_directive_array_partition -type cyclic -factor $n \\\n  -dim 2 {f} ${arr}\n"),
        ("d.tcl", "set n 1\nif {$n == 1} {\n set_directive_array_partition -type cyclic -factor 4 -dim 2 f A\n"
                  "} else {\n set_directive_array_partition f A\n}\n"),
        ("d.tcl", "set n 8\nset_directive_array_partition -type cyclic -factor [expr $n / 2] -dim [expr {1+1}] f A\n"),
        ("d.tcl", "namespace eval sol {\n set_directive_array_partition -type cyclic -factor 4 -dim 2 f A\n}\n"),
        ("d.tcl", "::hls::set_directive_array_partition -type cyclic -factor 4 -dim 2 f A\n"),
    ],
)  # fmt: skip
def test_files_mean_what_the_pragma_means(name: str, text: str) -> None:
    if "${arr}" in text:
        text = "set arr A\n" + text
    program = program_of({"k.c": KERNEL, name: text}, name)
    directive = one(program)
    assert directive.problems == ()
    assert directive.values == {"factor": 4, "dim": 2}
    assert directive.choice("type", ("cyclic",)) == "cyclic"
    assert (directive.function, directive.loop) == ("f", None)
    assert [program.variable(v).name for v in directive.variables] == ["A"]
    assert directive.source == name[2:]
    pragma = KERNEL.replace("  int t", f"#pragma HLS array_partition variable=A {PRAGMA}\n  int t")
    assert normalised(directive.options, directive.kind) == normalised(
        one(program_of(pragma)).options, "array_partition"
    )
    assert "array_partition" in program.text(directive.at)


def test_loops_by_label_and_by_name() -> None:
    text = (
        "syn.directive.pipeline=f/L II=2 rewind\nsyn.directive.unroll=f/VITIS_LOOP_5_1 factor=4\n"
        "syn.directive.pipeline=f off\nsyn.directive.interface=f A mode=m_axi depth=8\n"
        "syn.directive.bind_storage=f t type=ram_1p impl=bram\nsyn.directive.interface=f return mode=s_axilite\n"
    )
    program = program_of({"k.c": KERNEL, "d.cfg": text}, "d.cfg")
    loops = [None if d.loop is None else program.loops[d.loop].name for d in program.directives]
    assert loops == ["L", "VITIS_LOOP_5_1", None, None, None, None]
    assert [d.problems for d in program.directives] == [()] * 6
    assert program.directives[0].values == {"ii": 2}
    assert program.directives[0].has("rewind")
    assert program.directives[3].choice("mode", ()) == "m_axi"
    assert program.variable(program.directives[4].variables[0]).name == "t"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("syn.directive.pipeline=h", "unknown-function"),
        ("syn.directive.pipeline=f/M II=1", "unknown-label"),
        ("syn.directive.unroll=f", "outside-loop"),
        ("syn.directive.array_partition=f zz type=complete", "unknown-variable"),
        ("syn.directive.array_partition=f x type=complete", "not-visible"),
        ("syn.directive.array_partition=f A type=cyclic factor=N", "bad-value"),
        ("syn.directive.array_partition=f A type=cyclic factor=4 size=1", "unknown-option"),
        ("syn.directive.array_partition=", "missing-location"),
        ("syn.directive.array_part=f A", "unknown-pragma"),
    ],
)
def test_faulty_lines(line: str, code: str) -> None:
    program = program_of({"k.c": KERNEL, "d.cfg": f"[hls]\n{line}\n"}, "d.cfg")
    directive = one(program)
    assert code in [p.code for p in directive.problems]
    assert program.line(directive.at) == 2


def test_tcl_that_is_not_followed_is_said() -> None:
    text = "foreach a {A B} {\n  set_directive_array_partition f $a\n}\nset_directive_unroll -factor [calc] f/L\n"
    program = program_of({"k.c": KERNEL, "d.tcl": text}, "d.tcl")
    assert [d.message for d in program.diagnostics if d.rule == "HLP007"] == [
        "'foreach' is not followed: the directives in it are not read"
    ]
    assert "bad-value" in [p.code for p in one(program).problems]


def test_missing_directive_file_is_a_diagnostic() -> None:
    program = program_of(KERNEL, "none.cfg")
    assert [(d.rule, d.place.path) for d in program.diagnostics] == [("HLP001", "none.cfg")]


CFG = """\
part=xczu9eg-ffvb1156-2-i
[hls]
clock=200MHz
clock_uncertainty=15%
flow_target=vitis
syn.file=src/k.c
syn.file=src/k.h
syn.cflags=-DN=16 -I include
syn.top=f
tb.file=test.c
syn.compile.pipeline_loops=0
nonsense
"""

TCL = """\
# project
open_project -reset p
set_top f
set SRC src
add_files $SRC/k.c -cflags "-DN=16 -Iinclude"
add_files -tb test.c
open_solution -flow_target vitis "s1"
set_part {xczu9eg-ffvb1156-2-i}
create_clock -period 5ns -name default
set_clock_uncertainty 15%
config_compile -pipeline_loops 0
source directives.tcl
csynth_design
exit
"""


@pytest.mark.parametrize(("name", "text"), [("p/hls_config.cfg", CFG), ("p/run.tcl", TCL)])
def test_project_files(name: str, text: str) -> None:
    texts = {name: text, "p/directives.tcl": "set_directive_pipeline f/L\n"}
    project = read_project(name, lambda path: texts[path].encode())
    assert project.sources == ("p/src/k.c",)
    assert (project.top, project.part) == ("f", "xczu9eg-ffvb1156-2-i")
    assert (project.clock_ns, project.uncertainty, project.flow) == (5.0, "15%", "vitis")
    assert (project.defines, project.include_dirs) == (("N=16",), ("p/include",))
    assert "0" in project.settings.values()
    if name.endswith(".cfg"):
        assert [d.place.line for d in project.diagnostics] == [12]
    else:
        assert project.files == ("p/run.tcl", "p/directives.tcl")
        assert project.diagnostics == ()


def test_a_template_means_all_its_instances() -> None:
    kernel = (
        "template <int N> void t(int (&A)[N]) { L: for (int i = 0; i < N; i++) A[i]++; }\n"
        "void top(int a[4], int (&b)[8]) { int c[4]; t(c); t(b); }\n"
    )
    files = {
        "k.cpp": kernel,
        "d.cfg": "syn.directive.array_partition=t A type=cyclic factor=2\nsyn.directive.unroll=t<8>/L factor=2\n",
    }
    found = [(d.kind, d.function, d.problems) for d in program_of(files, "d.cfg").directives]
    assert found == [("array_partition", "t<4>", ()), ("array_partition", "t<8>", ()), ("unroll", "t<8>", ())]
