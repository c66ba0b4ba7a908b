"""A directive in the spelling of another tool.

## What it does
Reports pragmas of SmartHLS, Merlin (ACCEL), Bambu and AutoPilot (AP), OpenCL attributes in C, and sources for Intel
HLS and Catapult: once for each file and tool. Of a file that has no directive for Vitis HLS at all nothing else is
said.

## Why is this bad
Vitis HLS ignores them. Their defaults differ too: SmartHLS partitions all dimensions by default,
Vitis HLS the first.

## Example
```c
void f(void) {
#pragma HLS memory partition variable(A) type(cyclic) dim(1) factor(4)
  int A[16];
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(void) {
  int A[16];
#pragma HLS array_partition variable=A cyclic factor=4
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
`unknown HLS pragma ignored`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Origin, Span
from hlspart.rules._base import Facts, Remark, Rule

_PLAIN = re.compile(
    r"(?:(?:GCC|clang loop)[ \t]+(?=unroll|ivdep|pipeline)\w+"
    r"|hls_(?:unroll|pipeline_init_interval|merge|design|array|map_to|resource|preserve)\w*"
    r"|omp[ \t]+(?:parallel|for|simd|sections|task)|acc[ \t]+(?:parallel|kernels|loop)"
    r"|unroll|nounroll|ivdep|loop_coalesce|max_concurrency|disable_loop_pipelining|ii)\b(?![ \t]*=)"
)
_OURS = {"unroll": "unroll", "nounroll": "unroll off=true", "ivdep": "dependence", "loop_coalesce": "loop_flatten"}
_ATTRIBUTE = re.compile(r"\[\[[ \t]*intel::\w+[^\n\]]*\]\]")
RULE = Rule("HLP107", "other-dialect", "warning", hint="write it in the spelling of the target tool")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """The first directive of each other tool in a file."""
    by_tool: dict[tuple[str, str], list[Remark]] = {}
    for remark in facts.remarks("other-dialect"):
        by_tool.setdefault((remark.directive.at.span.path, remark.directive.dialect), []).append(remark)
    for remarks in by_tool.values():
        first, message = remarks[0], remarks[0].problem.message
        if len(remarks) > 1:
            message += f" ({len(remarks)} such directives in this file)"
        yield facts.report(RULE, first.problem.at, message, first.problem.hint)
    for pragma in facts.program.pragmas:
        plain = _PLAIN.match(pragma.text)
        here = [
            d for d in facts.program.directives if d.function == pragma.function and d.dialect == "vitis" and d.usable
        ]
        if plain is not None and pragma.function is not None and here and pragma.at.span.path not in facts.foreign:
            message = f"'#pragma {plain.group()}' is of another compiler: it is no directive of Vitis HLS"
            hint = f"write #pragma HLS {_OURS.get(plain.group().split()[-1], 'pipeline')}"
            yield facts.report(RULE, pragma.at, message, hint)
    for path, source in facts.given.items():
        attribute = _ATTRIBUTE.search(source.text) if path not in facts.foreign and "intel::" in source.text else None
        if attribute is not None:
            message = f"'{attribute.group()}' is an attribute of Intel's compilers: Vitis HLS ignores it"
            yield facts.report(RULE, Origin(Span(path, *attribute.span())), message, "write a #pragma HLS")
    for path, (tool, at) in facts.foreign.items():
        if all(path != known for known, _ in by_tool):
            yield facts.report(RULE, at, f"this file is written for {tool}", "lint it with that tool, or port it")
