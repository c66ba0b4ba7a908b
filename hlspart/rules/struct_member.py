"""A directive on a member of a struct.

## What it does
Reports INTERFACE of one element of an argument and any directive of an element by a counter, both as warnings; and
`variable=s.member` and `this->member` where the structure stays whole: an argument that is one word, a structure whose
address is kept. Where the tool makes a variable of each member the directive is judged like any other.

## Why is this bad
Whether it takes effect depends on the version and on AGGREGATE and DISAGGREGATE, and hlspart does not model it.

## Example
```c
typedef struct { int v[8]; } T;
int f(T s) {
#pragma HLS array_partition variable=s.v complete
  return s.v[0];
}
```

## Use instead
```c
int f(int v[8]) {
#pragma HLS array_partition variable=v complete
  return v[0];
}
```

## Vitis message it predicts
`[HLS 214-250]`: directive on a struct member is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.program import Variable
from hlspart.rules._base import Facts, Rule

_INDEX = re.compile(r"\[\s*([A-Za-z_]\w*)\s*\]")
RULE = Rule(
    "HLP410",
    "struct-member",
    "info",
    hint="make the array a variable of its own, or see in the log of the tool that the member is found",
)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    for remark, item in zip(facts.remarks("struct-member"), facts.plain(RULE, "struct-member"), strict=True):
        if remark.directive.kind == "interface" and "[" in (remark.directive.option("port") or ""):
            hint = "name the whole argument: a port is an argument"
            item = replace(item, severity="warning", hint=hint)
        index = _INDEX.search(remark.directive.option("variable") or "")
        counter = _counter(facts, remark.directive, index.group(1)) if index is not None else None
        if counter is not None:
            text = f"{facts.pragma_text(remark.directive)}: '{counter.name}' is no constant"
            hint = "name the whole array, or an element by a constant"
            item = replace(item, severity="warning", message=f"{text}: no element is named", hint=hint)
        yield item


def _counter(facts: Facts, d: Directive, name: str) -> Variable | None:
    """A variable of the function that is no constant, by name."""
    own = (v for v in facts.program.variables if v.name == name and v.function == d.function)
    return next((v for v in own if v.storage in ("local", "parameter") and not v.const), None)
