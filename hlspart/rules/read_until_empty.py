"""A task that ends as soon as its channel is empty.

## What it does
Reports loops of the form `while (!s.empty())` over a channel that another task of the same DATAFLOW region writes, and
over a stream that is a port of the top function.

## Why is this bad
Tasks run at the same time: where the channel is empty for a cycle, or the writer has not begun, the loop ends and words
are left. In C the writer has finished before, so the simulation in C does not show it.

## Example
```cpp
#include <hls_stream.h>
void a(int A[16], hls::stream<int> &s) {
  for (int i = 0; i < 16; i++) s.write(A[i]);
}
void b(hls::stream<int> &s, int &sum) {
  int t = 0;
  while (!s.empty()) t += s.read();
  sum = t;
}
void f(int A[16], int &sum) {
#pragma HLS dataflow
  hls::stream<int> s;
#pragma HLS stream variable=s depth=16
  a(A, s);
  b(s, sum);
}
```

## Use instead
```cpp
#include <hls_stream.h>
void a(int A[16], hls::stream<int> &s) {
  for (int i = 0; i < 16; i++) s.write(A[i]);
}
void b(hls::stream<int> &s, int &sum) {
  int t = 0;
  for (int i = 0; i < 16; i++) t += s.read();
  sum = t;
}
void f(int A[16], int &sum) {
#pragma HLS dataflow
  hls::stream<int> s;
#pragma HLS stream variable=s depth=16
  a(A, s);
  b(s, sum);
}
```

## Vitis message it predicts
None; the results of co-simulation differ, or it stands still.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import hardware, of_benches
from hlspart.rules._nests import parents
from hlspart.rules._processes import regions
from hlspart.rules._uses import root_of

RULE = Rule("HLP618", "read-until-empty", "warning", hint="count the words, or send a last one that says so")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Channels of every region."""
    reported: set[Origin] = set()
    reported_spans = set[object]()
    for loop in facts.program.loops.values():
        asked = _call_of(loop.test, "stream.full")
        if asked is not None and loop.function not in of_benches(facts) and loop.header.span not in reported_spans:
            reported_spans.add(loop.header.span)
            text = " ".join(facts.program.text(asked.args[0].at).split())
            message = f"the loop ends when '{text}' is full: how many words that is depends on who reads, and when"
            yield facts.report(RULE, loop.header, message, "count the words")
    for loop, port in _of_ports(facts):
        reported.add(loop.header)
        message = f"the loop ends when '{port.name}' is empty, which the port is before the first word comes, too"
        yield facts.report(RULE, loop.header, message, None, [(port.at, "the port")])
    for region in regions(facts.program):
        for use, writers, _ in region.channels():
            for process in region.processes:
                if any(w is not process for w in writers):
                    for loop in _loops(facts.program, process.stmt, use.variable):
                        if loop.header not in reported:
                            reported.add(loop.header)
                            name = facts.program.variable(use.variable).name
                            message = f"the loop ends when '{name}' is empty, but {writers[0].name} may not be done"
                            yield facts.report(RULE, loop.header, message, None, [(writers[0].at, "the writer")])


def _of_ports(facts: Facts) -> Iterator[tuple[c.Loop, c.Variable]]:
    """Loops of the hardware, in no other loop, over a stream that comes from outside."""
    around, built = parents(facts.program), hardware(facts.program)
    for name in sorted(set(facts.analysis.tops) & built.keys() - of_benches(facts)):
        function = facts.program.functions[name]
        for variable in (facts.program.variable(v) for v in function.params):
            if isinstance(variable.type, c.StreamType):
                over = _loops(facts.program, function.body, variable.id)
                yield from ((loop, variable) for loop in over if not around.get(loop.id))


def _loops(program: c.Program, root: c.Stmt, stream: int) -> Iterator[c.Loop]:
    """Loops that run until a stream is empty, below ``root`` and in what it hands the stream to."""
    for stmt in c.walk_statements(root):
        if isinstance(stmt, c.Loop) and _asks(stmt.test, stream):
            yield stmt
        for expr in c.expressions(stmt):
            for call in (x for x in c.walk(expr) if isinstance(x, c.Call)):
                callee = program.functions.get(call.function or "")
                if callee is None or callee.body is root:
                    continue
                for arg, formal in zip(call.args, callee.params, strict=False):
                    argument = root_of(arg)
                    if argument is not None and argument[0] == stream and not argument[1]:
                        yield from (
                            s for s in c.walk_statements(callee.body) if isinstance(s, c.Loop) and _asks(s.test, formal)
                        )


def _asks(test: c.Expr | None, stream: int) -> bool:
    """Whether a test is that a stream has a word, and nothing else."""
    call = _call_of(test, "stream.empty")
    return call is not None and (root := root_of(call.args[0])) is not None and root[0] == stream


def _call_of(test: c.Expr | None, function: str) -> c.Call | None:
    """The call that a test denies, and which is all of it."""
    call = test.operand if isinstance(test, c.Unary) and test.op == "!" else None
    return call if isinstance(call, c.Call) and call.function == function else None
