"""What follows from code alone follows once, whatever the directives."""

from __future__ import annotations

from msgspec.structs import replace

from hlspart.model.code import is_same_code
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline
from hlspart.transform.arms import without_dead_arms
from hlspart.transform.copy_loops import with_copy_loops
from hlspart.transform.initial_stores import with_initial_stores
from hlspart.transform.tables import with_tables

MADE = """#include <string.h>
int f(int in[64], int out[64], int n) {
    static const int t[4] = {1, 2, 3, 4};
    int a[64], b[4] = {n, 1, 2, n};
    int *p = in;
    if (0) out[0] = 1;
    memcpy(a, in, 256);
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        out[i] = a[i] + b[i % 4] + t[i % 4];
    }
    return 0;
}
"""


def test_what_is_predicted_has_one_code_under_all_directives() -> None:
    """So that what is known of it is not predicted again: copies by call, lists with values of the run, dead arms."""
    pipeline = Pipeline(["t.c"], Options(), read=lambda _: MADE.encode())
    program = pipeline.program
    other = replace(program, directives=())
    for change in (without_dead_arms, with_tables, with_copy_loops, with_initial_stores):
        assert is_same_code(change(program), change(other))
    assert not is_same_code(with_copy_loops(program), program)
    assert with_copy_loops(program).directives == program.directives
