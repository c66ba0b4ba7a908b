"""Words of AXI4-Stream between functions of the hardware.

## What it does
Reports streams of `ap_axis`, `ap_axiu` or `hls::axis` that are declared in a function with directives: between its
tasks, and not at the ports of the top function.

## Why is this bad
The protocol with its side-channels is that of ports. UG1399: these types cannot be used on internal functions or
variables.

## Example
```cpp
#include <ap_axi_sdata.h>
#include <hls_stream.h>
typedef ap_axiu<32, 0, 0, 0> word_t;
void a(hls::stream<word_t> &in, hls::stream<word_t> &out) { out.write(in.read()); }
void f(hls::stream<word_t> &in, hls::stream<word_t> &out) {
#pragma HLS interface axis port=in
#pragma HLS interface axis port=out
#pragma HLS dataflow
  hls::stream<word_t> mid;
  a(in, mid);
  a(mid, out);
}
```

## Use instead
```cpp
#include <ap_axi_sdata.h>
#include <hls_stream.h>
typedef ap_axiu<32, 0, 0, 0> word_t;
struct inner_t {
  ap_uint<32> data;
  ap_uint<1> last;
};
void a(hls::stream<word_t> &in, hls::stream<inner_t> &out) {
  word_t w = in.read();
  inner_t x;
  x.data = w.data;
  x.last = w.last;
  out.write(x);
}
void b(hls::stream<inner_t> &in, hls::stream<word_t> &out) {
  inner_t x = in.read();
  word_t w;
  w.data = x.data;
  w.keep = -1;
  w.strb = -1;
  w.last = x.last;
  out.write(w);
}
void f(hls::stream<word_t> &in, hls::stream<word_t> &out) {
#pragma HLS interface axis port=in
#pragma HLS interface axis port=out
#pragma HLS dataflow
  hls::stream<inner_t> mid;
  a(in, mid);
  b(mid, out);
}
```

## Vitis message it predicts
One that the type is for the ports of the top function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import StreamType, StructType
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches

RULE = Rule("HLP433", "side-channels-inside", "warning", hint="send what is needed in a struct of your own")
_OF_THE_TOOL = re.compile(r"(?:hls::)?(?:ap_axis|ap_axiu|axis|qdma_axis)\s*<")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Local streams."""
    about = {d.function for d in facts.program.directives if d.dialect == "vitis" and d.usable} - of_benches(facts)
    for variable in facts.program.variables:
        if variable.storage not in ("local", "static") or variable.function not in about:
            continue
        kind = variable.as_array.element if variable.as_array is not None else variable.type
        element = kind.element if isinstance(kind, StreamType) else None
        if isinstance(element, StructType) and _OF_THE_TOOL.match(element.name):
            message = f"'{variable.name}' has words of AXI4-Stream inside of the hardware, which are for its ports"
            yield facts.report(RULE, variable.at, message)
