"""A word of a stream that may be lost, or that says nothing of the end of its packet.

## What it does
Reports `write_nb` whose result nobody looks at, `read_nb` likewise where nothing else sets its variable, and words
with side-channels that go to a stream although their `last` is never set, whose `keep` or `strb` always leaves
bytes out, all of whose words are the last, and whose `last` is read from another word than their `data`. And a
second read in the branch of a test that has read the word: `if (s.read() != 0) out.write(s.read());`.

## Why is this bad
`write_nb` gives back false where the stream is full, and the word is gone; `read_nb` where it is empty, and the
variable keeps what it had. A DMA engine and most IP wait for `last`.

## Example
```cpp
#include <hls_stream.h>
void f(int A[16], hls::stream<int> &out) {
  for (int i = 0; i < 16; i++) out.write_nb(A[i]);
}
```

## Use instead
```cpp
#include <hls_stream.h>
void f(int A[16], hls::stream<int> &out) {
  for (int i = 0; i < 16; i++) out.write(A[i]);
}
```

## Vitis message it predicts
None.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeGuard

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic, Severity
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import entries, of_benches
from hlspart.rules._interfaces import is_for_host
from hlspart.rules._traces import constant
from hlspart.rules._uses import calls, nodes, root_of, sets

RULE = Rule("HLP431", "stream-words", "warning")
_SIDES = {"data", "keep", "strb", "last"}


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Writes to streams."""
    benches = of_benches(facts)
    for function in (f for name, f in facts.program.functions.items() if name not in benches):
        for stmt in c.walk_statements(function.body):
            call = stmt.expr if isinstance(stmt, c.ExprStmt) else None
            if isinstance(call, c.Call) and _is_asked_before(facts, function, call):
                continue
            if isinstance(call, c.Call) and call.function == "stream.write_nb":
                message = "nobody looks at the result of write_nb: a word is lost where the stream is full"
                yield facts.report(RULE, call.at, message, "use write, or test the result")
            elif isinstance(call, c.Call) and call.function == "stream.read_nb" and _is_set_by_it_alone(facts, call):
                message = "nobody looks at the result of read_nb: where the stream is empty there is no word"
                yield facts.report(RULE, call.at, message, "use read, or test the result")
        yield from _without_last(facts, function)
        yield from _without_bytes(facts, function)
        yield from _apart(facts, function)
        yield from _stale(facts, function)
        yield from _each_the_last(facts, function)
        yield from _tested_and_lost(facts, function)
        for loop in (s for s in c.walk_statements(function.body) if isinstance(s, c.Loop) and s.kind == "for"):
            for node in c.walk(loop.test) if loop.test is not None and loop.step is not None else ():
                bound = isinstance(loop.test, c.Binary) and isinstance(loop.test.left, c.Name)
                if bound and isinstance(node, c.Call) and node.function == "stream.read":
                    message = f"the test of loop {loop.name} reads a word in each round"
                    yield facts.report(RULE, node.at, message, "read it once, into a variable before the loop")


def _tested_and_lost(facts: Facts, function: c.Function) -> Iterator[Diagnostic]:
    """Tests of a word as a value, in whose branch another one is taken: `if (s.read() != 0) f(s.read())`.

    A word that must equal something is a header, and what follows is its packet.
    """
    for stmt in c.walk_statements(function.body):
        test = stmt.test if isinstance(stmt, c.If) else None
        if not isinstance(stmt, c.If) or not isinstance(test, c.Binary) or test.op not in ("!=", "<", ">", "<=", ">="):
            continue
        tested = test.left.operand if isinstance(test.left, c.Cast) else test.left
        known = constant(facts.program, test.right) is not None or isinstance(test.right, c.Name)
        loops = any(isinstance(s, c.Loop) for s in c.walk_statements(stmt.then))
        again = [e for s in c.walk_statements(stmt.then) for top in c.expressions(s) for e in c.walk(top) if _reads(e)]
        if not known or not _reads(tested) or loops or len(again) != 1 or stmt.other is not None:
            continue
        if root_of(tested.args[0]) == root_of(again[0].args[0]):
            message = "this takes the next word of the stream, not the one that the test has read"
            related = [(tested.at, "the test reads a word")]
            yield facts.report(RULE, again[0].at, message, "read it once, into a variable before the test", related)


def _reads(expr: c.Expr) -> TypeGuard[c.Call]:
    return isinstance(expr, c.Call) and expr.function == "stream.read" and bool(expr.args)


def _is_asked_before(facts: Facts, function: c.Function, call: c.Call) -> bool:
    """Whether an `if` around a non-blocking call, or one that leaves ahead of it, asks `full` or `empty`."""
    asks = {"stream.write_nb": "stream.full", "stream.read_nb": "stream.empty"}.get(call.function or "")
    root = root_of(call.args[0]) if asks is not None and call.args else None
    for stmt in c.walk_statements(function.body) if root is not None else ():
        if not isinstance(stmt, c.If):
            continue
        last = stmt.then.body[-1] if stmt.then.body else None
        left = isinstance(last, (c.Return, c.Jump)) and stmt.at.span.end <= call.at.span.start
        arms = [arm for arm in (stmt.then, stmt.other) if arm is not None]
        if left or any(arm.at.span.holds(call.at.span) for arm in arms):
            tested = (e for e in _tested(facts, function, stmt.test) if isinstance(e, c.Call) and e.function == asks)
            if any(root_of(e.args[0]) == root for e in tested):
                return True
    return False


def _tested(facts: Facts, function: c.Function, test: c.Expr) -> Iterator[c.Expr]:
    """Parts of a condition, and of the values that the variables in it have been given."""
    names = {e.variable for e in c.walk(test) if isinstance(e, c.Name)}
    given = [i for v in names if (i := facts.program.variable(v).init) is not None]
    for node in nodes(facts.program)[function.name] if names else ():
        if isinstance(node, c.Assign) and isinstance(node.target, c.Name) and node.target.variable in names:
            given.append(node.value)
    for expr in (test, *given):
        yield from c.walk(expr)


def _is_set_by_it_alone(facts: Facts, call: c.Call) -> bool:
    """Whether the variable that a read fills is a local one that nothing else gives a value."""
    word = call.args[1] if len(call.args) == 2 else None
    variable = facts.program.variable(word.variable) if isinstance(word, c.Name) else None
    if variable is None or variable.storage != "local" or variable.init is not None or variable.function is None:
        return False
    sides = {name for name, _ in variable.type.members} if isinstance(variable.type, c.StructType) else set()
    if isinstance(variable.type, (c.StructType, c.OtherType)) and not sides >= _SIDES:
        return False  # a constructor may
    for node in nodes(facts.program)[variable.function]:
        match node:
            case c.Assign(target=target) | c.IncDec(operand=target):
                written = [target]
            case c.Call(args=args, function="stream.write"):
                written = list(args[:1])
            case c.Call(args=args) if node is not call:
                written = list(args)
            case _:
                continue
        if any((root := root_of(w)) is not None and root[0] == variable.id for w in written):
            return False
    return True


def _without_last(facts: Facts, function: c.Function) -> Iterator[Diagnostic]:
    own = calls(facts.program)[function.name]
    for call in own:
        sent = call.args[1] if call.function == "stream.write" and len(call.args) > 1 else None
        variable = facts.program.variable(sent.variable) if isinstance(sent, c.Name) else None
        if variable is None or variable.storage not in ("local", "static") or variable.init is not None:
            continue
        sides = {name for name, _ in variable.type.members} if isinstance(variable.type, c.StructType) else set()
        if not sides >= _SIDES:
            continue
        uses = [u for u in sets(facts.program).below(function.body) if u.variable == variable.id and u.kind == "write"]
        whole = any(u.path == () or not u.exact for u in uses) or _is_handed_on(own, variable.id)
        unset = [x for x in ("last", "keep") if uses and not whole and all(u.path[0] != x for u in uses)]
        if unset:
            message = f"the word '{variable.name}' is sent, but its member {unset[0]} is never set"
            hint = f"set {variable.name}.last in the last word of a packet, and clear it in the others"
            if unset[0] == "keep":  # a DMA drops the bytes whose bit is 0
                hint = f"set {variable.name}.keep to all ones, and {variable.name}.strb"
            kernels = facts.kernels or any(is_for_host(facts, name) for name in entries(facts))
            severity: Severity | None = "info" if kernels else None  # another kernel may count its words
            yield facts.report(RULE, call.at, message, hint, [(variable.at, "the word")], severity=severity)


def _without_bytes(facts: Facts, function: c.Function) -> Iterator[Diagnostic]:
    """Words of which `keep` or `strb` always leaves bytes out."""
    values: dict[tuple[int, str], list[c.Assign]] = {}
    for node in nodes(facts.program)[function.name]:
        target = node.target if isinstance(node, c.Assign) else None
        if isinstance(node, c.Assign) and isinstance(target, c.Member) and target.field in ("keep", "strb"):
            of = target.base.type
            sides = {name for name, _ in of.members} if isinstance(of, c.StructType) else set()
            root = root_of(target.base)
            if sides >= _SIDES and root is not None:
                values.setdefault((root[0], target.field), []).append(node)
    ends = {
        root[0]
        for node in nodes(facts.program)[function.name]
        if isinstance(node, c.Assign) and isinstance(node.target, c.Member) and node.target.field == "last"
        if constant(facts.program, node.value) == 1 and (root := root_of(node.target.base)) is not None
    }
    for (word, field), set_by in values.items():
        kind, value = set_by[0].target.type, constant(facts.program, set_by[0].value)
        if len(set_by) != 1 or value is None or not isinstance(kind, c.ScalarType) or set_by[0].op != "=":
            continue
        if word in ends and value > 0 and not value & (value + 1):
            continue  # the last bytes of a packet
        if ~value & ((1 << kind.bits) - 1):
            kept = bin(value & ((1 << kind.bits) - 1)).count("1")
            message = f"{field} always says that {kept} of {kind.bits} bytes are there: the others are dropped"
            yield facts.report(RULE, set_by[0].at, message, f"set {field} to all ones, -1")


def _stale(facts: Facts, function: c.Function) -> Iterator[Diagnostic]:
    """Words that are written whether one was read or not: `if (!in.empty()) v = in.read(); out.write(v);`."""
    for block in (s for s in c.walk_statements(function.body) if isinstance(s, c.Block)):
        new = {v for s in block.body if isinstance(s, c.Declare) for v in s.variables}
        new |= {r[0] for s in block.body if isinstance(s, c.ExprStmt) and (r := _assigned(s.expr)) is not None}
        for one, other in pairwise(block.body):
            asks = one.test if isinstance(one, c.If) and one.other is None else None
            sent = other.expr if isinstance(other, c.ExprStmt) else None
            if asks is None or not isinstance(one, c.If) or not isinstance(sent, c.Call):
                continue
            empty = any(isinstance(e, c.Call) and e.function == "stream.empty" for e in c.walk(asks))
            word = sent.args[1] if sent.function == "stream.write" and len(sent.args) > 1 else None
            got = one.then.body[0].expr if one.then.body and isinstance(one.then.body[0], c.ExprStmt) else None
            if empty and len(one.then.body) == 1 and isinstance(word, c.Name) and isinstance(got, c.Assign):
                read = isinstance(got.value, c.Call) and got.value.function == "stream.read"
                old = word.variable not in new  # else it says that there was no word
                if read and old and isinstance(got.target, c.Name) and got.target.variable == word.variable:
                    name = facts.program.variable(word.variable).name
                    message = f"'{name}' is written whether a word was read or not: the last one goes out again"
                    yield facts.report(RULE, sent.at, message, "write it in the same branch", [(got.at, "the read")])


def _assigned(expr: c.Expr) -> tuple[int, object, bool] | None:
    return root_of(expr.target) if isinstance(expr, c.Assign) else None


def _each_the_last(facts: Facts, function: c.Function) -> Iterator[Diagnostic]:
    """Words in a loop that are all said to be the last one."""
    for loop in (s for s in c.walk_statements(function.body) if isinstance(s, c.Loop)):
        exprs = [s.expr for s in loop.body.body if isinstance(s, c.ExprStmt)]
        sent = [e for e in exprs if isinstance(e, c.Call) and e.function == "stream.write" and len(e.args) > 1]
        words = {root[0] for e in sent if (root := root_of(e.args[1])) is not None}
        for node in exprs if (facts.trips.get(loop.id) or 0) > 1 else ():
            target = node.target if isinstance(node, c.Assign) else None
            if not isinstance(node, c.Assign) or not isinstance(target, c.Member) or target.field != "last":
                continue
            root, of = root_of(target.base), target.base.type
            sides = {name for name, _ in of.members} if isinstance(of, c.StructType) else set()
            others = [e for e in nodes(facts.program)[function.name] if isinstance(e, c.Assign) and e is not node]
            again = any(isinstance(e.target, c.Member) and e.target.field == "last" for e in others)
            always = sides >= _SIDES and root is not None and root[0] in words and not again
            if always and constant(facts.program, node.value) == 1:
                message = (
                    f"each of the words of loop {loop.name} is said to be the last: a transfer ends with the first"
                )
                yield facts.report(RULE, node.at, message, "set last in the last iteration alone")


def _apart(facts: Facts, function: c.Function) -> Iterator[Diagnostic]:
    """Members of one word that are taken from two words: `s.read().data` and then `s.read().last`."""
    for block in (s for s in c.walk_statements(function.body) if isinstance(s, c.Block)):
        first: dict[tuple[int, object], c.Member] = {}
        for stmt in block.body:
            inits = [facts.program.variable(v).init for v in stmt.variables] if isinstance(stmt, c.Declare) else []
            for expr in (*c.expressions(stmt), *(x for x in inits if x is not None)):
                for node in c.walk(expr):
                    call = node.base if isinstance(node, c.Member) else None
                    if not isinstance(node, c.Member) or not isinstance(call, c.Call) or call.function != "stream.read":
                        continue
                    root = root_of(call.args[0])
                    if root is None or not root[2]:
                        continue
                    other = first.setdefault((root[0], root[1]), node)
                    if other.field != node.field:
                        message = f"{node.field} is taken from another word than {other.field}: each read takes one"
                        hint = "read the word into a variable, and take both from it"
                        yield facts.report(RULE, node.at, message, hint, [(other.at, "the first read")])
                        return


def _is_handed_on(calls: tuple[c.Call, ...], variable: int) -> bool:
    """Whether a call other than the write of a stream has the variable, and may set all of it."""
    others = (x for x in calls if x.function != "stream.write")
    return any((root := root_of(a)) is not None and root[0] == variable for x in others for a in x.args)
