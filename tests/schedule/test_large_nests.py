"""Work of predicting large unrolled nests grows with their accesses, not with the pairs of them."""

import pytest
from predicting import result

from hlspart.lowering import history

NEST = """void f(int a[{n}][{n}], int b[{n}][{n}]) {{
#pragma HLS ARRAY_PARTITION variable=a complete dim=0
#pragma HLS ARRAY_PARTITION variable=b complete dim=0
    T: for (int t = 0; t < 4; t++) {{
#pragma HLS PIPELINE
        for (int i = 0; i < {n}; i++)
            for (int j = 0; j < {n}; j++) b[i][j] = a[i][j] + t;
    }}
}}
"""


def test_unrolled_nests(monkeypatch: pytest.MonkeyPatch):
    common, calls = history._common, []
    monkeypatch.setattr(history, "_common", lambda one, other: calls.append(1) or common(one, other))

    def work(n: int) -> int:
        calls.clear()
        (loop,) = result(NEST.format(n=n)).loops
        assert (loop.ii, loop.depth) == (1, 1)
        return len(calls)

    small, large = work(8), work(24)
    assert 0 < large <= 12 * small  # nine times the accesses; the pairs are 81 times as many


def test_expressions_of_many_accesses():
    terms = " + ".join(f"a[{k}]" for k in range(1024))
    found = result(f"int f(int a[1024]) {{\n#pragma HLS PIPELINE\n    return {terms}; }}")
    assert [x.ii for x in found.loops] == [512]
