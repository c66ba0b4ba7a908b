"""An array has an extent that is no constant.

## What it does
Reports `int A[n]` where `n` is not known when the hardware is built.

## Why is this bad
A memory needs a size. Synthesis refuses it, and no partition of it can be checked.

## Example
```c
int f(int n) {
  int A[n];
  A[0] = n;
  return A[0];
}
```

## Use instead
```c
#define N 16
int f(int n) {
  int A[N];
  A[0] = n;
  return A[0];
}
```

## Vitis message it predicts
`variable-sized array is not supported` or an unsynthesizable-type error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches

_NAMED = re.compile(r"-D (\w+)=")
RULE = Rule(
    "HLP005", "run-time-extent", "error", names=True, hint="make the extent a literal, a macro or an enumerator"
)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """What the frontend found; for information where only a processor runs it, or a template has the number."""
    benches = [f.at.span for n, f in facts.program.functions.items() if n in of_benches(facts)]
    for item in facts.by_frontend(RULE):
        beside = facts.is_within(item.place, benches) or _is_of_template(facts, item)
        yield replace(item, severity="info") if beside else item


def _is_of_template(facts: Facts, item: Diagnostic) -> bool:
    """Whether the name that has no number is a parameter of a template, or a constant of a class."""
    named, source = _NAMED.search(item.message), facts.program.sources.get(item.place.path)
    if named is None or source is None:
        return False
    functions = facts.program.functions
    for variable in facts.program.variables:
        own = functions.get(variable.function or "")
        if variable.name == named[1] and own is not None and facts.is_within(item.place, [own.at.span]):
            return False
    return re.search(rf"::\s*{named[1]}\b|\btemplate\s*<[^>]*\b{named[1]}\b", source.text) is not None
