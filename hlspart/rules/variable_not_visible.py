"""A directive names a variable that is not visible there.

## What it does
Reports pragmas above the declaration, in another function, or outside of the block of the variable
they name.

## Why is this bad
C finds variables by scope; the tool ignores the pragma or applies it to another variable of that
name.

## Example
```c
void f(void) {
#pragma HLS array_partition variable=A complete
  int A[16];
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(void) {
  int A[16];
#pragma HLS array_partition variable=A complete
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
`[HLS 200-40] variable not in scope`, `use of undeclared identifier`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Remark, Rule
from hlspart.rules._mentions import declared

RULE = Rule("HLP402", "variable-not-visible", "error", names=True)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule: one for pragmas in a row that all stand above the declarations."""
    for remark in facts.remarks("not-visible", "ambiguous-variable"):
        message = f"{facts.pragma_text(remark.directive)}: {remark.problem.message}"
        yield facts.report(RULE, remark.problem.at, message, remark.problem.hint, _declared(facts, remark))
    block: list[Remark] = []
    for remark in facts.remarks("declared-later"):
        if block and not _follows(remark, block[-1]):
            yield _finding(facts, block)
            block = []
        block.append(remark)
    if block:
        yield _finding(facts, block)


def _declared(facts: Facts, remark: Remark) -> list[tuple[Origin, str]]:
    return [(v.at, "declared here") for v in declared(facts.program, remark.directive)[:1]]


def _follows(remark: Remark, last: Remark) -> bool:
    """Whether a pragma is the next one of its function."""
    one, two = last.directive, remark.directive
    return None not in (one.pragma, two.pragma) and one.function == two.function and two.pragma == (one.pragma or 0) + 1


def _finding(facts: Facts, block: list[Remark]) -> Diagnostic:
    """The finding for pragmas in a row."""
    first = block[0]
    message = f"{facts.pragma_text(first.directive)}: {first.problem.message}"
    related = _declared(facts, first)
    if len(block) == 1:
        return facts.report(RULE, first.problem.at, message, first.problem.hint, related)
    related += [(r.problem.at, r.problem.message) for r in block[1:]]
    message += f"; so are the variables of the {len(block) - 1} pragmas behind it"
    hint = "move each of the pragmas below the declaration of its variable"
    return facts.report(RULE, first.problem.at, message, hint, related)
