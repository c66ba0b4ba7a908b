"""Two locks of one stream of blocks at once.

## What it does
Reports a `read_lock` or `write_lock` of an `hls::stream_of_blocks` that is declared while another one of the same
stream is held.

## Why is this bad
Blocks are given back in the order in which they were taken. Locks in one scope, or in scopes inside of each other, give
the last one back first.

## Example
```cpp
#include "hls_streamofblocks.h"
typedef int blk_t[16];
void f(hls::stream_of_blocks<blk_t> &in, int b[16]) {
  hls::read_lock<blk_t> one(in);
  hls::read_lock<blk_t> two(in);
  for (int i = 0; i < 16; i++) b[i] = one[i] + two[i];
}
```

## Use instead
```cpp
#include "hls_streamofblocks.h"
typedef int blk_t[16];
void f(hls::stream_of_blocks<blk_t> &in, int b[16]) {
  {
    hls::read_lock<blk_t> one(in);
    for (int i = 0; i < 16; i++) b[i] = one[i];
  }
  {
    hls::read_lock<blk_t> two(in);
    for (int i = 0; i < 16; i++) b[i] += two[i];
  }
}
```

## Vitis message it predicts
One that nested acquire and release of a stream of blocks is not supported.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._uses import root_of

HINT = "give the first one back before: a block of statements of its own"
RULE = Rule("HLP619", "nested-locks", "warning", hint=HINT)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Locks by scope."""
    for function in facts.program.functions.values():
        yield from _scope(facts, function.body, {})


def _scope(facts: Facts, body: c.Stmt, around: dict[int, c.Variable]) -> Iterator[Diagnostic]:
    """``around``: stream -> the lock that is held of it."""
    locks = dict(around)
    for stmt in c.substatements(body):
        for ident in stmt.variables if isinstance(stmt, c.Declare) else ():
            variable = facts.program.variable(ident)
            stream = _locked(variable)
            if stream in locks:
                name = facts.program.variable(stream).name
                message = f"'{variable.name}' takes a block of '{name}' while '{locks[stream].name}' holds one"
                yield facts.report(RULE, variable.at, message, None, [(locks[stream].at, "the first lock")])
            elif stream is not None:
                locks[stream] = variable
        if not isinstance(stmt, c.Declare):
            yield from _scope(facts, stmt, locks)


def _locked(variable: c.Variable) -> int | None:
    kind = variable.type
    if not isinstance(kind, c.OtherType) or not kind.name.startswith(("read_lock<", "write_lock<")):
        return None
    roots = [root_of(e) for e in c.walk(variable.init)] if variable.init is not None else []
    return next((r[0] for r in roots if r is not None), None)
