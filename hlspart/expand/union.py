"""Headers of inner loops whose bounds differ from element to element: the union of the bounds, and a guard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from hlspart.expand.region import Refusal, first_value
from hlspart.expand.texts import Texts, names_in
from hlspart.model.access import LoopInfo
from hlspart.model.program import (
    ArrayRef,
    Binary,
    Cast,
    Const,
    Declare,
    Expr,
    Loop,
    Name,
    Unary,
    walk,
)
from hlspart.model.source import Span

if TYPE_CHECKING:
    from hlspart.expand.context import ExpandedLoop, ExpansionContext
    from hlspart.expand.runs import Runs

Guards = tuple[tuple[str, frozenset[int]], ...]


def united(emitter: Runs, loop: Loop, info: LoopInfo, ctx: ExpansionContext) -> tuple[str, Guards]:
    """The header of ``loop`` for all elements together, and what each element tests in its iterations."""
    first = first_value(emitter.program, loop)
    assert loop.test is not None and loop.step is not None and info.step is not None
    assert info.variable is not None
    axes = {a.iterator: a for a in ctx.axes}
    header = names_in(first) | names_in(loop.test) | names_in(loop.step)
    changing = header - {info.variable} - axes.keys()
    if changing & (emitter.written | ctx.names.keys() | ctx.whole.keys()):
        name = emitter.program.variable(min(changing & (emitter.written | ctx.names.keys() | ctx.whole.keys()))).name
        raise Refusal("trip-count", f"the bounds of {loop.name} depend on {name}, which the region writes", loop.header)
    named = header & axes.keys()
    if not named:
        return emitter.texts.edited(loop.header.span, {}), ()
    if any(isinstance(e, ArrayRef) for part in (first, loop.test) for e in walk(part)):
        raise Refusal("trip-count", f"each element has other bounds of {loop.name}, which are loaded", loop.header)
    if names_in(loop.step) & axes.keys():
        raise Refusal("trip-count", f"the step of {loop.name} differs from element to element", loop.header)
    if not isinstance(loop.init, Declare) and emitter.texts.is_read_outside_loops(
        emitter.region.analysis, info.variable
    ):
        name = emitter.program.variable(info.variable).name
        raise Refusal("trip-count", f"{name} is read behind a loop whose bounds differ between elements", loop.header)
    guards: list[tuple[str, frozenset[int]]] = []
    edits: dict[Span, str] = {}
    if names_in(first) & axes.keys():
        if abs(info.step) > 1:
            raise Refusal("trip-count", f"{loop.name} starts elsewhere for each element and skips values", loop.header)
        edits |= _extreme(loop, first, axes, least=info.step > 0)
        sign = ">=" if info.step > 0 else "<="
        name = emitter.program.variable(info.variable).name
        guards.append((f"{name} {sign} {_plain(emitter, first)}", names_in(first) & axes.keys()))
    if names_in(loop.test) & axes.keys():
        for part in conjuncts(loop.test):
            edits |= _loosest(loop, part, axes)
        guards.append((emitter.texts.edited(loop.test.at.span, {}), names_in(loop.test) & axes.keys()))
    return emitter.texts.edited(loop.header.span, edits), tuple(guards)


def guard_of(texts: Texts, loop: Loop, name: str, info: LoopInfo, trips: int) -> str:
    """What an element tests: the loop's own test where that fails for all later values, else the last value."""
    assert loop.test is not None and info.lower is not None and info.step is not None
    if all(isinstance(p, Binary) and p.op in ("<", "<=", ">", ">=") for p in conjuncts(loop.test)):
        return texts.edited(loop.test.at.span, {})
    if info.lower.terms:
        raise Refusal("trip-count", f"the test of {loop.name} cannot guard an element", loop.header)
    return f"{name} {'<' if info.step > 0 else '>'} {info.lower.const + info.step * trips}"


def _plain(emitter: Runs, expr: Expr) -> str:
    text = emitter.texts.edited(expr.at.span, {})
    return text if isinstance(expr, Name | Const) else f"({text})"


def conjuncts(test: Expr) -> Iterator[Expr]:
    """The parts of a test that ``&&`` joins."""
    if isinstance(test, Binary) and test.op == "&&":
        yield from conjuncts(test.left)
        yield from conjuncts(test.right)
    else:
        yield test


def _loosest(loop: Loop, part: Expr, axes: Mapping[int, ExpandedLoop]) -> dict[Span, str]:
    """Replacements with which a comparison holds wherever it holds for some element."""
    if not names_in(part) & axes.keys():
        return {}
    if not isinstance(part, Binary) or part.op not in ("<", "<=", ">", ">="):
        raise Refusal("trip-count", f"the test of {loop.name} differs from element to element", loop.header)
    small, large = (part.left, part.right) if part.op[0] == "<" else (part.right, part.left)
    return _extreme(loop, large, axes, least=False) | _extreme(loop, small, axes, least=True)


def _extreme(loop: Loop, expr: Expr, axes: Mapping[int, ExpandedLoop], least: bool) -> dict[Span, str]:
    """Replacements that make an affine expression the least (or greatest) over all elements."""
    bounds: dict[Span, str] = {}
    for iterator, axis in axes.items():
        factor = _coefficient(expr, iterator)
        if factor is None:
            raise Refusal("trip-count", f"the bounds of {loop.name} are not affine in {axis.name}", loop.header)
        for e in walk(expr):
            if isinstance(e, Name) and e.variable == iterator:
                if e.at.kind not in ("plain", "argument"):
                    raise Refusal("trip-count", f"a macro's body names {axis.name} in the header of {loop.name}", e.at)
                low = (factor * axis.stride > 0) == least
                bounds[e.at.span] = f"({axis.value('0' if low else f'({axis.count} - 1)')})"
    return bounds


def _coefficient(expr: Expr, variable: int) -> int | None:
    """By how much an expression grows with a variable; None where that is no constant."""
    if variable not in names_in(expr):
        return 0
    match expr:
        case Name():
            return 1
        case Cast(operand=operand):
            return _coefficient(operand, variable)
        case Unary(op="+" | "-" as op, operand=operand):
            inner = _coefficient(operand, variable)
            return inner if inner is None or op == "+" else -inner
        case Binary(op="+" | "-" as op, left=left, right=right):
            a, b = _coefficient(left, variable), _coefficient(right, variable)
            return None if a is None or b is None else a + (b if op == "+" else -b)
        case Binary(op="*", left=left, right=right):
            for one, other in ((left, right), (right, left)):
                inner = _coefficient(other, variable)
                if isinstance(one, Const) and isinstance(one.value, int) and inner is not None:
                    return one.value * inner
    return None
