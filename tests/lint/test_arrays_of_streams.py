"""Arrays of streams whose extent is not known."""

from __future__ import annotations

from lint_helpers import lint_of

TEXT = """#include <hls_stream.h>
void spread(hls::stream<int> &in, hls::stream<int> out[], int n) {
  int core = 0;
  for (int i = 0; i < n; i++) {
    core = (core + in.read()) % 7;
    out[core] << i;
    if (core == 3) out[core + 1] << core;
  }
}
"""


def test_an_open_index_does_not_list_every_number() -> None:
    assert [d.severity for d in lint_of({"k.cpp": TEXT}).diagnostics if d.severity == "error"] == []
