"""Elements that a condition sets ahead of a sum, arrays of streams, conditions that the bounds decide.

The mechanisms are those of reports of Vitis HLS 2023.2 (UCLA-VAST/Stream-HLS, opt1 and opt3, 23 designs): the memory
of such a sum is no part of its recurrence, its nest is flattened, and each stream of an array has ports of its own.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from predicting import loop as predicted

from hlspart.lowering.history import History
from hlspart.model.options import Options, TargetOptions
from hlspart.model.results import LoopResult
from hlspart.pipeline import Pipeline

TARGET = TargetOptions(tool="vitis-2023.2", part="xcu280-fsvh2892-2L-e", clock_ns=3.33)

SUM = """void f(float a[41][39], float v[39], float out[41]) {
    float s[41];
    A: for (int i = 0; i < 41; i++)
        B: for (int j = 0; j < 39; j++) {
            #pragma HLS PIPELINE II=1
            %s
            float old = s[i];
            s[i] = old + a[i][j] * v[j];
            if (j == 38) out[i] = s[i];
        }
}
"""


def loops(text: str, name: str = "f.c", tool: str = TARGET.tool or "") -> dict[str, LoopResult]:
    found = Pipeline([name], Options(top="f", target=replace(TARGET, tool=tool)), lambda _: text.encode()).ii
    return {x.name: x for x in found.loops}


def test_a_sum_that_a_condition_starts() -> None:
    (found,) = (x for x in loops(SUM % "if (j == 0) s[i] = 0;").values() if x.pipelined)
    assert found.name == "A_B"  # flattened, unlike a nest that goes on with what stands in memory
    assert (found.ii, found.bounds) == (4, None)  # an adder without DSP blocks; no load, no store
    assert next((x.reads, x.writes) for x in found.banks if x.array == "s") == (0, 1)  # behind the first: a register
    resumed = {
        t: [x.name for x in loops(SUM % "", tool=t).values() if x.pipelined] for t in ("vitis-2022.2", TARGET.tool)
    }
    assert resumed == {"vitis-2022.2": ["B"], "vitis-2023.2": ["A_B"]}


def test_the_other_arm_loads() -> None:
    """The value is read where the condition does not set it, whichever arm that is."""
    either = SUM % "if (j) { } else s[i] = 1;"
    (found,) = (x for x in loops(either).values() if x.pipelined)
    assert (found.ii, found.bounds) == (4, None)


def test_a_condition_that_does_not_start_every_row() -> None:
    """Rows but the first go on with what stands in memory: the load stays."""
    (found,) = (x for x in loops(SUM % "if (i == 0 && j == 0) s[i] = 0;").values() if x.pipelined)
    assert next((x.reads, x.writes) for x in found.banks if x.array == "s") == (1, 1)


ROWS = """void f(float a[8][3][3], float out[8]) {
    float s[8];
    A: for (int i = 0; i < 8; i++)
        B: for (int p = 0; p < 3; p++)
            C: for (int q = 0; q < 3; q++) {
                #pragma HLS PIPELINE II=1
                if (%s) s[i] = 0;
                s[i] = s[i] + a[i][p][q];
                out[i] = s[i];
            }
}
"""


@pytest.mark.parametrize(("condition", "reads"), [("p == 0 && q == 0", 0), ("q == 0", 0), ("p == 0", 0), ("p == 1", 1)])
def test_a_sum_over_two_loops(condition: str, reads: int) -> None:
    """Behind the last iteration of C comes the first of the next p: of the same element, stored just before."""
    found = loops(ROWS % condition)["A_B_C"]
    assert [x.reads for x in found.banks if x.array == "s"] == [reads]


STREAMS = """#include <hls_stream.h>
void f(hls::stream<int> in[4], hls::stream<int> out[2], int n) {
    L: for (int i = 0; i < 64; i++) {
        #pragma HLS PIPELINE II=1
        for (int k = 0; k < 4; k++) {
            int x = in[k].read();
            out[%s].write(x + n);
        }
    }
}
"""


@pytest.mark.parametrize(("which", "ii"), [("k & 1", 2), ("0", 4), ("k / 2", 2)])
def test_streams_of_an_array_have_ports_of_their_own(which: str, ii: int) -> None:
    found = loops(STREAMS % which, "f.cpp")["L"]
    assert found.ii == ii


@pytest.mark.parametrize(
    ("condition", "writes"),
    [
        ("10 * i + k == 405", 1),  # of ten copies only k = 5 can meet it
        ("10 * i + k >= 400", 10),
        ("10 * i + k < 0", 0),
        ("10 * i + k != 409", 10),
    ],
)
def test_conditions_that_bounds_decide(condition: str, writes: int) -> None:
    text = f"""void f(int a[410], int out[64]) {{
    L: for (int i = 0; i < 41; i++) {{
        #pragma HLS PIPELINE II=1
        for (int k = 0; k < 10; k++)
            if ({condition}) out[k + 20] = a[i];
    }}
}}
"""
    found = loops(text)["L"]
    assert next((x.writes for x in found.banks if x.array == "out"), 0) == writes


@pytest.mark.parametrize(
    ("store", "ii"),
    [
        ("a[x] = in[x];", 1),  # the load after it has a value in one arm, and runs in the other
        ("if (h < 3) a[x] = in[x];", 1),  # so it has below the condition, set there or loaded before
        ("if (h < 3) a[h] = in[x];", 2),  # a store that may be of the same element says nothing
    ],
)
def test_a_load_runs_only_where_no_arm_has_the_value(store: str, ii: int) -> None:
    text = f"""void f(int in[640], int out[640], int w, int h) {{
    int a[641];
    #pragma HLS dependence variable=a inter false
    L: for (int x = 0; x < 640; x++) {{
        #pragma HLS PIPELINE II=1
        int s = 0;
        if (x < w) {{
            s = a[x];
            {store}
        }}
        out[x] = s + a[x];
    }}
}}
"""
    assert loops(text)["L"].ii == ii


def test_stores_at_the_end_of_both_arms_are_one() -> None:
    """A public convolution (2022.1) adds 0 in the arm of the border: II 1, one load and one store."""
    text = """void f(int x[96], int y[96], int c[96], int w[5]) {
#pragma HLS ARRAY_PARTITION variable=c complete
#pragma HLS ARRAY_PARTITION variable=w complete
    L: for (int i = 0; i < 92; i++) {
#pragma HLS PIPELINE
        for (int k = 0; k < 5; k++) {
            if (CONDITION) y[i] += 0; else y[i] += w[k] * x[0];
        }
    }
}
"""
    for condition in ("i + k < 2 || i + k > 93", "c[k] > 0"):
        found = loops(text.replace("CONDITION", condition))["L"]
        assert found.ii == 1
        assert next((x.reads, x.writes) for x in found.banks if x.array == "y") == (1, 1)


def test_a_store_behind_which_an_arm_goes_on_stays_in_it() -> None:
    text = """void f(int x[96], int y[97], int w[5]) {
    L: for (int i = 0; i < 92; i++) {
#pragma HLS PIPELINE
        if (x[i]) { y[i] = 1; w[0] = y[x[i] & 63]; } else { y[i] = 2; }
        y[i + 1] = 3;
    }
}
"""
    assert sum(x.operation == "y store" for x in loops(text)["L"].schedule) == 3


UPDATES = """void f(int a[8], int c[40], int b[40]) {
    L: for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE
        for (int k = 0; k < 40; k++)
            if (c[k] > i)
                a[i] += b[k];
    }
}
"""


def test_updates_under_one_condition_each_are_walked_over_once_per_load(monkeypatch):
    """300 of them took minutes: each load walked over the earlier ones anew for every condition before it."""
    walked = 0
    before_load = History.before_load

    def counted(self, key, index):
        nonlocal walked
        for ident in before_load(self, key, index):
            walked += 1
            yield ident

    monkeypatch.setattr(History, "before_load", counted)
    assert predicted(UPDATES).ii == 40
    assert 0 < walked <= 4 * 40 * 40


def test_more_orders_than_are_counted_are_named(monkeypatch):
    monkeypatch.setattr("hlspart.lowering.related.MOST_ORDERS", 1000)
    known, unknown = (predicted(UPDATES.replace("40", str(n))) for n in (20, 40))
    assert known.ii == 20
    assert unknown.ii is None
    assert [c.text for c in unknown.causes] == ["more than 1000 orders between accesses of a"]


def test_more_pairs_than_sets_are_asked_about_are_named(monkeypatch):
    """Each store meets each load in other iterations: 16 times 16 pairs, none like another."""
    text = """void f(int a[256], int x[16]) {
      L: for (int i = 0; i < 64; i++) {
    #pragma HLS PIPELINE II=1
        for (int k = 0; k < 16; k++) a[3 * i + 16 * k + 2] = a[i + k] + x[k];
      }
    }"""
    assert predicted(text).ii is not None or predicted(text).bounds is not None
    monkeypatch.setattr("hlspart.lowering.related.MOST_DIFFERENCES", 300)
    unknown = predicted(text)
    assert unknown.ii is None and unknown.bounds is None
    assert [c.text for c in unknown.causes] == [
        "more than 300 pairs of accesses of a differ in how they lie to each other"
    ]
