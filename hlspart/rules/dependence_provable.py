"""A loop waits for a dependence that does not exist.

## What it does
Reports an array with an index that takes analysis (quotients, remainders) in a pipelined loop, where it is proved
that no two iterations touch one element that one of them writes. The directive that says so is offered as a fix.

## Why is this bad
The tool assumes what it cannot rule out (quotients, remainders, bit operations in an index), and the loop is slower
than it need be.

## Example
```c
void f(float A[128]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1
    A[i] = A[64 + i / 4] * 3.0f;
  }
}
```

## Use instead
```c
void f(float A[128]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1
#pragma HLS dependence variable=A inter false
    A[i] = A[64 + i / 4] * 3.0f;
  }
}
```

## Vitis message it predicts
`WARNING: [HLS 200-880] The II Violation in the module ...: Unable to enforce a carried dependence constraint`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic, Fix
from hlspart.model.source import Edit, Span
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active
from hlspart.rules._uses import sets

RULE = Rule("HLP215", "dependence-provable", "info")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Assumed dependences that are proved absent."""
    for pipeline in active(facts.program, "pipeline"):
        if pipeline.loop is None or facts.never_meet is None or pipeline.function is None:
            continue
        loop = facts.program.loops[pipeline.loop]
        said = {v for d in active(facts.program, "dependence") for v in d.variables}
        uses = list(sets(facts.program).below(loop.body))
        both = {u.variable for u in uses if u.kind == "write"} & {u.variable for u in uses if u.kind == "read"}
        for ident in sorted(both - said):
            variable = facts.program.variable(ident)
            inside = [a for a in facts.analysis.of_array(ident) if loop.id in a.loops]
            hard = [a for a in inside if a.index is None or any(f is None for f in a.index)]
            if not variable.is_array or not hard or not facts.never_meet(loop.id, ident):
                continue
            text = f"#pragma HLS dependence variable={variable.name} inter false"
            message = f"iterations of loop {loop.name} never meet in '{variable.name}', but the tool may assume so"
            fix = None
            if facts.is_editable(pipeline):
                span = pipeline.at.span
                source = facts.program.sources[span.path]
                indent = source.text[source.text.rfind("\n", 0, span.start) + 1 : span.start]
                if not indent.strip():
                    fix = Fix(
                        f"add {text}",
                        (Edit(Span(span.path, span.end, span.end), f"{source.newline}{indent}{text}"),),
                        True,
                    )
            yield facts.report(RULE, hard[0].at, message, text, [(pipeline.at, "the pipeline")], fix)
