"""Expression balancing: chains of one associative operation become trees (UG1399, EXPRESSION_BALANCE).

Integers always, floating point only where the tool may reorder it (unsafe math). Of the operands the
two that are ready first are joined first; a value carried from an earlier iteration joins last, which
keeps recurrences short. So does an element that the iteration adds to, loaded and stored under no condition
(reports of S12P/sisyphus-fpga24-artifact and UCLA-VAST/Prometheus: eight loops with 2 to 8 terms, sums of seven states,
II 6). Whether the tool does the same with other carried values, behind a selection for one, is not known (reports of
UCLA-VAST/Stream-HLS: up to four adders): ``early`` gives the other extreme.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Mapping

from msgspec import Struct
from msgspec.structs import replace

from hlspart.lowering.graph import Op
from hlspart.lowering.operations import Body


class Balanced(Struct, frozen=True):
    """``body`` with trees. ``joined``: a carried value is an operand of one. ``settled``: sums whose order is known."""

    body: Body
    joined: bool
    settled: frozenset[int]


_SIGNS = {"add": "+", "mul": "*", "fadd": "+", "fmul": "*", "dadd": "+", "dmul": "*"}
_LOGIC = frozenset({"&", "|", "^", "&&", "||"})
FLOATS = frozenset({"fadd", "fmul", "dadd", "dmul"})


def balance(body: Body, delay: Callable[[Op], float], unsafe: bool, early: bool = False) -> Balanced:
    """``body`` with balanced trees.

    ``delay``: ns from the start of an operation to its result.
    """
    ops, uses = dict(body.ops), _uses(body)
    needed = [ops[i] for i in sorted(ops) if i in uses]
    passed = _from_earlier_iterations(ops)
    resumed = _resumed(ops)
    carried = {x.value for x in body.carried}
    inner = {a for op in needed for a in op.args if _joins(ops[a], op, unsafe) and uses[a] == 1}
    inner -= carried | body.live
    ready: dict[int, float] = {}
    touched, settled = False, set[int]()
    for op in needed:
        ident = op.id
        if op.free or op.args == () or ident in inner:
            continue
        leaves = _leaves(ops, op, inner)
        if len(leaves) > 2 and _kind(op, unsafe) is not None:
            touched = touched or any(x in passed for x in leaves)
            last = resumed.get(ident, frozenset()).intersection(leaves)
            if len(last) == 1 and not any(_recurs(ops, x) for x in leaves if x not in last):
                settled.update(_members(ops, op, inner))
            after = last if early else passed | last
            _rebuild(ops, op, leaves, inner, lambda x: _ready(ops, x, delay, ready), delay, after)
    return _renumbered(replace(body, ops=ops), touched, settled)


def _resumed(ops: Mapping[int, Op]) -> dict[int, frozenset[int]]:
    """Loads of the element that a value is stored to, by the value."""
    loads: dict[tuple[int, tuple[object, ...]], set[int]] = {}
    for op in ops.values():
        if op.kind == "load" and op.ref is not None and not op.ref.guarded:
            loads.setdefault((op.ref.variable, op.ref.key), set()).add(op.id)
    return {
        op.args[0]: frozenset(loads.get((op.ref.variable, op.ref.key), ()))
        for op in ops.values()
        if op.kind == "store" and op.ref is not None and not op.ref.guarded
    }


def _recurs(ops: Mapping[int, Op], root: int) -> bool:
    """Whether a value may depend on what an earlier iteration has made."""
    stored = {op.ref.variable for op in ops.values() if op.kind == "store" and op.ref is not None}
    waiting, seen = [root], {root}
    while waiting:
        op = ops[waiting.pop()]
        if op.kind == "phi" or (op.ref is not None and op.ref.variable in stored):
            return True
        waiting += [a for a in op.args if a not in seen]
        seen.update(op.args)
    return False


def _kind(op: Op, unsafe: bool) -> tuple[str, str, int] | None:
    """What an operation may be regrouped with; None when it may not."""
    if op.ref is not None or len(op.args) != 2 or op.impl is not None or op.latency is not None:
        return None
    if op.kind in FLOATS and not unsafe:
        return None
    sign = op.text if op.kind == "logic" and op.text in _LOGIC else _SIGNS.get(op.kind)
    return (op.kind, sign, op.bits) if sign is not None and op.text == sign else None


def _joins(part: Op, whole: Op, unsafe: bool) -> bool:
    kind = _kind(part, unsafe)
    return kind is not None and kind == _kind(whole, unsafe)


def _uses(body: Body) -> dict[int, int]:
    """How often each value that the iteration needs is an operand of what it needs."""
    waiting = [*body.live, *(x.value for x in body.carried), *(x for x, _ in body.exits)]
    uses = dict.fromkeys(waiting, 0)
    waiting = list(uses)
    while waiting:
        for arg in body.ops[waiting.pop()].args:
            if arg not in uses:
                uses[arg] = 0
                waiting.append(arg)
            uses[arg] += 1
    return uses


def _from_earlier_iterations(ops: Mapping[int, Op]) -> set[int]:
    """Values that an earlier iteration hands on, unchanged or selected."""
    out = {i for i, op in ops.items() if op.kind == "phi"}
    for ident in sorted(ops):
        if ops[ident].kind == "select" and any(a in out for a in ops[ident].args[1:]):
            out.add(ident)
    return out


def _leaves(ops: Mapping[int, Op], root: Op, inner: set[int]) -> list[int]:
    leaves, waiting = [], list(reversed(root.args))
    while waiting:
        at = waiting.pop()
        if at in inner and _same(ops[at], root):
            waiting += reversed(ops[at].args)
        else:
            leaves.append(at)
    return leaves


def _same(part: Op, whole: Op) -> bool:
    return part.kind == whole.kind and part.text == whole.text and part.bits == whole.bits


def _ready(ops: Mapping[int, Op], ident: int, delay: Callable[[Op], float], known: dict[int, float]) -> float:
    """ns after the start of the iteration at which a value is there, at the earliest."""
    stack = [ident]
    while stack:
        at = stack[-1]
        op = ops[at]
        missing = [] if op.free else [a for a in op.args if a not in known]
        if missing:
            stack += missing
            continue
        stack.pop()
        known[at] = 0.0 if op.free else max((known[a] for a in op.args), default=0.0) + delay(op)
    return known[ident]


def _rebuild(
    ops: dict[int, Op],
    root: Op,
    leaves: list[int],
    inner: set[int],
    ready: Callable[[int], float],
    delay: Callable[[Op], float],
    passed: Collection[int],
) -> None:
    """Join ``leaves`` with the operations of the chain, the earliest two first; of earlier iterations last."""
    free = [x for x in _members(ops, root, inner) if x != root.id]
    heap = [(x in passed, ready(x), n, x) for n, x in enumerate(leaves)]
    heapq.heapify(heap)
    step = delay(root)
    number = len(leaves)
    while len(heap) > 2:
        last, one = heapq.heappop(heap), heapq.heappop(heap)
        ident = free.pop(0)
        ops[ident] = replace(ops[ident], args=(last[3], one[3]), line=root.line, operands=None)
        heapq.heappush(heap, (last[0] or one[0], max(last[1], one[1]) + step, number, ident))
        number += 1
    ops[root.id] = replace(root, args=tuple(x[3] for x in sorted(heap, key=lambda x: x[2])), operands=None)


def _members(ops: Mapping[int, Op], root: Op, inner: set[int]) -> list[int]:
    members, waiting = [], [root.id]
    while waiting:
        at = waiting.pop()
        if at == root.id or (at in inner and _same(ops[at], root)):
            members.append(at)
            waiting += ops[at].args
    return sorted(members)


def _renumbered(body: Body, joined: bool, settled: set[int]) -> Balanced:
    """Operands before the operations that use them, in the order of ids."""
    order: list[int] = []
    seen: set[int] = set()
    for root in sorted(body.ops):
        stack = [root]
        while stack:
            at = stack[-1]
            missing = [a for a in body.ops[at].args if a not in seen]
            if at in seen or not missing:
                stack.pop()
                if at not in seen:
                    seen.add(at)
                    order.append(at)
            else:
                stack += reversed(missing)
    new = {old: k for k, old in enumerate(order)}
    renumbered = Body(
        {new[i]: _with_ids(body.ops[i], new) for i in order},
        [replace(x, phi=new[x.phi], value=new[x.value]) for x in body.carried],
        {new[x] for x in body.live},
        [(new[x], position) for x, position in body.exits],
        frozenset((new[value], new[user]) for value, user in body.sliced if value in new and user in new),
        {new[value]: bits for value, bits in body.kept.items()},
    )
    return Balanced(renumbered, joined, frozenset(new[i] for i in settled if i in new))


def _with_ids(op: Op, new: Mapping[int, int]) -> Op:
    """An operation with other ids for it, its operands, and the values that choose its place."""
    ref = op.ref
    if ref is not None and ref.key[0] == "value" and isinstance(ref.key[-1], tuple):
        ref = replace(ref, key=(*ref.key[:-1], tuple(new.get(v, v) for v in ref.key[-1])))
    return replace(op, id=new[op.id], args=tuple(new[a] for a in op.args), ref=ref)
