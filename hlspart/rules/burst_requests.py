"""Requests and words of a manual burst that do not agree.

## What it does
Counts, in the statements that stand beside a `read_request` or `write_request` of an `hls::burst_maxi`, the words that
are read or written until the next one: they are as many as were asked for, and a `write_response` follows. Words
of a port for which nothing asks are reported as well.

## Why is this bad
A read without a request waits for ever; words that nobody takes stay in the adapter, before those of the next burst.
Without its response nobody knows when the data are in memory, and after some bursts the adapter is full.

## Example
```cpp
#include <hls_burst_maxi.h>
void f(hls::burst_maxi<int> m, int out[64]) {
  m.read_request(0, 32);
  for (int i = 0; i < 64; i++) out[i] = m.read();
}
```

## Use instead
```cpp
#include <hls_burst_maxi.h>
void f(hls::burst_maxi<int> m, int out[64]) {
  m.read_request(0, 64);
  for (int i = 0; i < 64; i++) out[i] = m.read();
}
```

## Vitis message it predicts
None: co-simulation and hardware hang.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._traces import constant
from hlspart.rules._uses import nodes, root_of

RULE = Rule("HLP447", "burst-requests", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Blocks with requests."""
    seen = set[object]()
    yield from _unasked(facts)
    for name, own in nodes(facts.program).items():
        if not any(isinstance(e, c.Call) and (e.function or "").endswith("_request") for e in own):
            continue
        handed = {root[0] for e in own if isinstance(e, c.Call) and not (e.function or "").startswith("stream.")
                  for a in e.args if (root := root_of(a)) is not None}  # fmt: skip
        for block in c.walk_statements(facts.program.functions[name].body):
            if isinstance(block, c.Block):
                for item in _block(facts, block, handed):
                    if (item.place, item.message) not in seen:
                        seen.add((item.place, item.message))
                        yield item


def _unasked(facts: Facts) -> Iterator[Diagnostic]:
    """Words of a master for which the program has no request of their kind."""
    every = [e for own in nodes(facts.program).values() for e in own if isinstance(e, c.Call)]
    for name in facts.analysis.tops:
        for ident in facts.program.functions[name].params if name in facts.program.functions else ():
            port = facts.program.variable(ident)
            if not isinstance(port.type, c.StreamType) or not port.type.burst:
                continue
            for kind in ("read", "write"):
                own = [
                    e for e in nodes(facts.program)[name] if isinstance(e, c.Call) and e.function == f"stream.{kind}"
                ]
                words = [e for e in own if e.args and (root_of(e.args[0]) or (-1,))[0] == ident]
                if words and not facts.program.holes and not any(e.function == f"stream.{kind}_request" for e in every):
                    message = f"'{port.name}' is {'read' if kind == 'read' else 'written'} without a {kind}_request"
                    yield facts.report(RULE, words[0].at, message, f"call {kind}_request(offset, words) before")


def _block(facts: Facts, block: c.Block, handed: set[int]) -> Iterator[Diagnostic]:
    requests = [(k, call, kind) for k, s in enumerate(block.body) for call, kind in _requests(s)]
    for k, call, kind in requests:
        root = root_of(call.args[0])
        asked = constant(facts.program, call.args[2]) if len(call.args) == 3 else None
        if root is None or root[0] in handed:
            continue
        others = [
            x for x, other, what in requests if what == kind and other is not call and root_of(other.args[0]) == root
        ]
        if others:
            continue  # several in flight
        name = facts.program.variable(root[0]).name
        after = block.body[k + 1 :]
        words = [_words(facts, s, kind, root[0]) for s in after]
        known = [n for n in words if n is not None]
        total = sum(known)
        if asked is not None and len(known) == len(words) and total not in (0, asked):
            verb = "read" if kind == "read" else "written"
            message = f"{asked} words of '{name}' are asked for and {total} are {verb}"
            yield facts.report(RULE, call.at, message, "ask for as many words as the loop takes")
        answers = {id(s) for s in after for x in _calls(s) if x.function == "stream.write_response"}
        if kind == "write" and not answers and total and not _is_elsewhere(facts, block, root[0]):
            message = f"no write_response of '{name}' follows this request before the next one"
            yield facts.report(RULE, call.at, message, "call it after the last write of each burst")


def _requests(stmt: c.Stmt) -> Iterator[tuple[c.Call, str]]:
    call = stmt.expr if isinstance(stmt, c.ExprStmt) else None
    if isinstance(call, c.Call) and call.function in ("stream.read_request", "stream.write_request"):
        yield call, "read" if call.function == "stream.read_request" else "write"


def _calls(stmt: c.Stmt) -> Iterator[c.Call]:
    for inner in c.walk_statements(stmt):
        for top in c.expressions(inner):
            yield from (e for e in c.walk(top) if isinstance(e, c.Call))


def _is_elsewhere(facts: Facts, block: c.Block, variable: int) -> bool:
    """Whether a loop outside of the block of the requests collects the responses, one in each iteration."""
    for function in facts.program.functions.values():
        for loop in c.walk_statements(function.body):
            if isinstance(loop, c.Loop) and loop.body is not block and block not in c.walk_statements(loop.body):
                calls = (x for x in _calls(loop) if x.function == "stream.write_response")
                if any((root_of(x.args[0]) or (-1,))[0] == variable for x in calls):
                    return True
    return False


def _words(facts: Facts, stmt: c.Stmt, kind: str, variable: int) -> int | None:
    """How many words a statement reads or writes; None: not known."""
    own = [x for x in _calls(stmt) if x.function == f"stream.{kind}" and (root_of(x.args[0]) or (-1,))[0] == variable]
    if not own:
        return 0
    times, node = 1, stmt
    while isinstance(node, c.Loop):
        trips = facts.trips.get(node.id)
        below = [s for s in node.body.body if any(x in own for x in _calls(s))]
        if trips is None or len(below) != 1:
            return None
        times, node = times * trips, below[0]
    return times * len(own) if isinstance(node, (c.ExprStmt, c.Declare)) else None
