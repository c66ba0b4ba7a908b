"""A stream that is handled as a value or as another container.

## What it does
Reports a stream that is made or assigned from another one, a function that gives a stream back, and methods that
`hls::stream` does not have: `front`, `pop`, `push` and their kin.

## Why is this bad
A stream cannot be copied: the text does not compile, or a copy with words of its own is simulated.

## Example
```cpp
#include <hls_stream.h>
void f(hls::stream<int> &in, int out[64]) {
  for (int i = 0; i < 64; i++) {
    out[i] = in.front();
    in.pop();
  }
}
```

## Use instead
```cpp
#include <hls_stream.h>
void f(hls::stream<int> &in, int out[64]) {
  for (int i = 0; i < 64; i++) out[i] = in.read();
}
```

## Vitis message it predicts
An error of the compiler: `use of deleted function`, `no member named 'pop'`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches
from hlspart.rules._uses import nodes

RULE = Rule("HLP624", "stream-handling", "warning", names=True)
_OTHERS = {
    "front": "read()", "pop": "read()", "back": "read()", "top": "read()", "get": "read()", "push": "write(x)",
    "push_back": "write(x)", "put": "write(x)", "length": "size()", "clear": "read() until empty()",
}  # fmt: skip


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Declarations, assignments, results and methods."""
    program, benches = facts.program, of_benches(facts)
    for v in program.variables:
        copied = v.init is not None and not v.reference and _stream(v.type) and _stream(v.init.type)
        if copied and v.init is not None and isinstance(v.init, (c.Name, c.ArrayRef)) and v.function not in benches:
            message = f"the stream '{v.name}' is made of another one, and a stream cannot be copied"
            yield facts.report(RULE, v.at, message, "hand the first one on, or read and write its words")
    for name, function in program.functions.items():
        if name in benches:
            continue
        referred = "&" in program.text(function.signature).partition("(")[0]
        if _stream(function.return_type) and not referred:
            message = f"{name.partition('<')[0]}() gives a stream back, which cannot be copied"
            yield facts.report(RULE, function.name_at, message, "take the stream as an argument, by reference")
        for node in nodes(program)[name]:
            method = (node.function or "").removeprefix("stream.") if isinstance(node, c.Call) else ""
            if isinstance(node, c.Call) and node.function == f"stream.{method}" and method in _OTHERS:
                message = f"hls::stream has no method {method}"
                yield facts.report(RULE, node.at, message, f"write {_OTHERS[method]}")
            elif (
                isinstance(node, c.Assign) and node.op == "=" and _stream(node.target.type) and _stream(node.value.type)
            ):
                message = "a stream is assigned to another one, which cannot be copied"
                yield facts.report(RULE, node.at, message, "read and write its words")


def _stream(kind: c.CType) -> bool:
    return isinstance(kind, c.StreamType) and not kind.burst
