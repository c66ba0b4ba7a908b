"""
A free-running pipeline of what cannot run freely.

## What it does
Reports `style=frp` of a loop or function that asks streams without waiting for them (`read_nb`, `write_nb`, `empty`,
`full`), or that has the locks of a stream of blocks.

## Why is this bad
The tool takes another kind of pipeline, and what the style was to give, a lower fan-out, is not there.

## Example
```cpp
#include "hls_stream.h"
void f(hls::stream<int> &in, hls::stream<int> &out) {
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1 style=frp
    int w;
    if (in.read_nb(w)) out.write(w);
  }
}
```

## Use instead
```cpp
#include "hls_stream.h"
void f(hls::stream<int> &in, hls::stream<int> &out) {
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1 style=flp
    int w;
    if (in.read_nb(w)) out.write(w);
  }
}
```

## Vitis message it predicts
`[HLS 200-1964]` and `[HLS 200-1966]`: Disabling free running pipeline (frp) architecture on pipeline.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active
from hlspart.rules._uses import nodes, own_expressions

RULE = Rule("HLP229", "free-running-pipeline", "warning", hint="use style=flp, or blocking reads and writes")
_ASKS = ("stream.read_nb", "stream.write_nb", "stream.read_if", "stream.empty", "stream.full")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Pipelines with that style; of a template once."""
    program, seen = facts.program, set[object]()
    for d in active(program, "pipeline"):
        function = program.functions.get(d.function or "")
        if (d.option("style") or "").lower() != "frp" or function is None or d.at.span in seen:
            continue
        loop = program.loops.get(d.loop) if d.loop is not None else None
        own = nodes(program)[function.name]
        if loop is not None:
            own = tuple(e for top in own_expressions(program, loop.body) for e in c.walk(top))
        asks = next((e for e in own if isinstance(e, c.Call) and e.function in _ASKS), None)
        names = {e.variable for e in own if isinstance(e, (c.Name, c.ArrayRef))}
        locks = [program.variable(v) for v in sorted(names) if _lock(program.variable(v))]
        if asks is None and not locks:
            continue
        seen.add(d.at.span)
        text = " ".join(program.text(asks.at).split()) if asks is not None else f"the lock '{locks[0].name}'"
        related = [(asks.at, "asked here") if asks is not None else (locks[0].at, "the lock")]
        yield facts.report(RULE, d.at, f"{text} does not go into a free-running pipeline", None, related)


def _lock(variable: c.Variable) -> bool:
    kind = variable.type
    return isinstance(kind, c.OtherType) and kind.name.startswith(("read_lock", "write_lock"))
