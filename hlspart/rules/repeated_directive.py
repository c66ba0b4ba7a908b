"""A directive is given twice.

## What it does
Reports a directive that says what another one already says.

## Why is this bad
Whoever changes one of them gets a contradiction.

## Example
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=4
#pragma HLS array_partition variable=A cyclic factor=4
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=4
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
None.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic, Fix, Severity
from hlspart.model.directives import Directive
from hlspart.model.program import block_around
from hlspart.rules._base import Facts, Rule
from hlspart.rules._left_out import may_be_left_out

_MEMORIES = ("RAM", "ROM", "FIFO", "XPM", "AXI")
RULE = Rule("HLP305", "repeated-directive", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Repetitions inside one function; on the two sides of a call they document the interface."""
    for remark in facts.remarks("redundant"):
        first = facts.program.directives[remark.status.other] if remark.status.other is not None else None
        if first is None:
            continue  # one array of several that it is about: the directive stands for the others
        apart = first.function != remark.directive.function
        if _memories_of_their_own(facts, first, remark.directive):
            continue
        if any(may_be_left_out(facts.program, d) for d in (first, remark.directive)):
            continue
        if _is_of_operators(remark.directive) and _region(facts, first) != _region(facts, remark.directive):
            continue  # each is about those of its own loop or branch
        if _members(first) != _members(remark.directive):
            continue  # two arrays of one object
        edit = facts.line_removal(remark.directive)
        fix = Fix("remove the line", (edit,), safe=True) if edit is not None and not apart else None
        message = f"{facts.pragma_text(remark.directive)}: {remark.problem.message}"
        related = [(first.at, "the first one")]
        severity: Severity = "info" if apart else "warning"
        yield facts.report(
            RULE,
            remark.directive.at,
            message,
            remark.problem.hint,
            related,
            fix,
            severity,
        )


def _is_of_operators(directive: Directive) -> bool:
    """Whether a directive binds the operators that give a variable its values, not its memory."""
    core = (directive.option("core") or "RAM").upper()
    return directive.kind == "bind_op" or (directive.kind == "resource" and not core.startswith(_MEMORIES))


def _region(facts: Facts, directive: Directive) -> tuple[int | None, int | None]:
    """The loop and the block that a directive stands in."""
    function = facts.program.functions.get(directive.function or "")
    block = block_around(function.body, directive.at.span) if function is not None else None
    return directive.loop, block.id if block is not None else None


def _members(directive: Directive) -> tuple[str, ...]:
    """What a directive names of an object, as it is written: `x.line`."""
    return tuple(
        "".join((o.value or "").split()) for o in directive.options if o.name == "variable" and "." in (o.value or "")
    )


def _memories_of_their_own(facts: Facts, one: Directive, other: Directive) -> bool:
    """Whether the two are about different arrays, which only a call gives one layout."""
    if not one.variables or set(one.variables) & set(other.variables):
        return False
    return all(facts.program.variable(v).storage != "parameter" for v in (*one.variables, *other.variables))
