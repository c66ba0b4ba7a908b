"""The text of a rewrite is made for all unrolled nests at once."""

import pytest
from rewrite_help import pipeline

from hlspart.model.options import RewriteOptions
from hlspart.rewrite import unroll

NEST = """    for (int i = 0; i < 64; i++) {
        out[i] = a[i] + a[i + 4];
    }
"""
FUNCTION = """void f(const int in[68], int out[64]) {{
    int a[68];
#pragma HLS ARRAY_PARTITION variable=a type=cyclic factor=4
    for (int i = 0; i < 68; i++) {{
        a[i] = in[i];
    }}
{nests}}}
"""


def test_number_of_texts(monkeypatch: pytest.MonkeyPatch):
    made: list[int] = []
    texts = unroll.texts
    monkeypatch.setattr(unroll, "texts", lambda old, new: made.append(1) or texts(old, new))

    def emissions(nests: int) -> int:
        made.clear()
        text = FUNCTION.format(nests=NEST * nests)
        result = pipeline(text, "", "p.c").rewriting(RewriteOptions(style="split", unroll=True)).run()
        assert [o.status for o in result.outcomes] == ["rewritten"]
        return len(made)

    assert 0 < emissions(2) == emissions(6)
