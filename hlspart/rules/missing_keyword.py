"""The keyword HLS is missing.

## What it does
Reports `#pragma array_partition ...` and the like, and `HLSPIPELINE`, `HLS_PIPELINE`, `HSL pipeline`.

## Why is this bad
Compilers ignore pragmas they do not know, so the line silently does nothing.

## Example
```c
void f(int A[16]) {
#pragma array_partition variable=A complete
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A complete
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
`unknown pragma ignored`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic, Fix
from hlspart.model.source import Edit, Span
from hlspart.rules._base import Facts, Rule

_START = re.compile(
    r"#\s*pragma\s+((?:hls_?(?=[a-z])|(?:HSL|LHS|SHL|HL|HLSS|HHLS|HLLS|HLS_|H1S|HIS|XLS|VHLS)\s+)?)", re.IGNORECASE
)
RULE = Rule("HLP106", "missing-keyword", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule, with the keyword as a fix."""
    for remark in facts.remarks("missing-keyword"):
        directive, fix = remark.directive, None
        if facts.is_editable(directive):
            match = _START.match(facts.program.text(directive.at))
            if match:
                start, end = (directive.at.span.start + k for k in match.span(1))
                fix = Fix("write HLS", (Edit(Span(directive.at.span.path, start, end), "HLS "),), safe=False)
        yield facts.report(RULE, directive.at, remark.problem.message, remark.problem.hint, fix=fix)
