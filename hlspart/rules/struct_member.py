"""A directive on a member of a struct.

## What it does
Reports INTERFACE of one element of an argument, and `variable=s.member` and `this->member` where the structure stays
whole: an argument that is one word, a structure whose address is kept. Where the tool makes a variable of each member
the directive is judged like any other.

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

from collections.abc import Iterator

from msgspec.structs import replace

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

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
        yield item
