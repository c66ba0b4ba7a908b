"""What tests of constants leave out: arms that no hardware is made of."""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.code import once_per_code
from hlspart.model.directives import Directive
from hlspart.model.source import Span
from hlspart.rules._interfaces import callers
from hlspart.rules._traces import constant
from hlspart.rules._uses import nodes


@once_per_code(2)
def never_called(program: c.Program) -> set[str | None]:
    """Functions of which every call stands in the arm that a constant test leaves out, or in such a function."""
    names = set[str | None]()
    more = True
    while more:
        left = {
            name
            for name, sites in callers(program).items()
            if all(by in names or any(span.holds(at.span) for span in never_run(program, by)) for by, at in sites)
        }
        more = not left <= names
        names |= left
    return names


def never_run(program: c.Program, name: str) -> tuple[Span, ...]:
    """Arms of tests of constants that do not hold, such as W < 32 around a shift by W."""
    return _left_out(program).get(name, ())


def is_left_out(program: c.Program, directive: Directive) -> bool:
    """Whether a directive stands in such an arm."""
    return any(span.holds(directive.at.span) for span in never_run(program, directive.function or ""))


def is_undecided(program: c.Program, directive: Directive) -> bool:
    """Whether a directive stands in the arm of a test of the parameters of a template: which arms are built is known
    where the template has its arguments."""
    arms = _of_templates(program).get(directive.function or "", ())
    return any(arm.holds(directive.at.span) for arm in arms)


def may_be_left_out(program: c.Program, directive: Directive) -> bool:
    """Whether a directive stands in an arm that is not known to be built."""
    return is_left_out(program, directive) or is_undecided(program, directive)


def is_of_templates(program: c.Program, test: c.Expr) -> bool:
    """Whether a test reads parameters of templates, and nothing that is known only as the hardware runs."""
    parts = list(c.walk(test))
    names = (program.variable(e.variable) for e in parts if isinstance(e, (c.Name, c.ArrayRef)))
    return any(isinstance(e, c.OpaqueExpr) and e.what == c.OPEN_PARAMETER for e in parts) and all(
        v.const for v in names
    )


@once_per_code(2)
def _of_templates(program: c.Program) -> dict[str, tuple[Span, ...]]:
    """Both arms of each test of the parameters of a template without arguments."""
    return {
        name: tuple(
            arm.at.span
            for s in c.walk_statements(f.body)
            if isinstance(s, c.If) and is_of_templates(program, s.test)
            for arm in (s.then, s.other)
            if arm is not None
        )
        for name, f in program.functions.items()
    }


@once_per_code(2)
def _left_out(program: c.Program) -> dict[str, tuple[Span, ...]]:
    return {name: tuple(_never_run(program, name)) for name in program.functions}


def _never_run(program: c.Program, name: str) -> list[Span]:
    """Arms of tests of constants that do not hold, such as W < 32 around a shift by W."""
    arms: list[tuple[c.Expr, c.Block | c.Expr, c.Block | c.Expr | None]] = []
    arms += [(s.test, s.then, s.other) for s in c.walk_statements(program.functions[name].body) if isinstance(s, c.If)]
    arms += [(e.test, e.then, e.other) for e in nodes(program)[name] if isinstance(e, c.Conditional)]
    chosen = ((constant(program, test), then, other) for test, then, other in arms)
    left = (then if value == 0 else other for value, then, other in chosen if value is not None)
    switches = (s for s in c.walk_statements(program.functions[name].body) if isinstance(s, c.Switch))
    return [arm.at.span for arm in left if arm is not None] + [x for s in switches for x in _other_cases(program, s)]


def _other_cases(program: c.Program, switch: c.Switch) -> Iterator[Span]:
    """The statements of a switch by a constant before and behind those that it comes to."""
    value = constant(program, switch.test)
    runs = False
    cases = [s for s in switch.body.body if isinstance(s, c.Case)]
    chosen = next((s for s in cases if s.low is not None and _is_case(program, s, value)), None)
    chosen = chosen or next((s for s in cases if s.low is None), None)
    for stmt in switch.body.body if value is not None else ():
        runs = (runs or stmt is chosen) and not (isinstance(stmt, c.Jump) and stmt.kind == "break")
        if not runs:
            yield stmt.at.span


def _is_case(program: c.Program, case: c.Case, value: int | None) -> bool:
    """Whether a label is that of a value; one that is not known may be."""
    low, high = (constant(program, e) if e is not None else None for e in (case.low, case.high or case.low))
    return low is None or high is None or (value is not None and low <= value <= high)
