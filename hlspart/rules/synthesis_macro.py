"""A condition on a macro that is nearly `__SYNTHESIS__`.

## What it does
Reports `#ifdef`, `#ifndef` and `#if` of a name that is a misspelling of `__SYNTHESIS__` and defined nowhere.

## Why is this bad
The tool defines `__SYNTHESIS__` alone: what stands there is never, or always, part of the hardware.

## Example
```c
void f(int A[16]) {
  for (int i = 0; i < 16; i++) {
#ifdef __SYNTHESIS
#pragma HLS pipeline II=1
#endif
    A[i] = i;
  }
}
```

## Use instead
```c
void f(int A[16]) {
  for (int i = 0; i < 16; i++) {
#ifdef __SYNTHESIS__
#pragma HLS pipeline II=1
#endif
    A[i] = i;
  }
}
```

## Vitis message it predicts
None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Origin, Span
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP116", "synthesis-macro", "warning", hint="write __SYNTHESIS__")
_TEST = re.compile(r"^[ \t]*#[ \t]*(?:ifdef|ifndef|if|elif)\b[^\n]*", re.M)
_NEARLY = re.compile(r"\b(?!__SYNTHESIS__\b)_{0,3}SYNTH?[EI]?S[EI]?S_{0,3}\b", re.I)


_ASIDE = re.compile(
    r"^[ \t]*#[ \t]*ifndef[ \t]+__SYNTHESIS__[^\n]*\n((?:(?![ \t]*#)[^\n]*\n)*?)[ \t]*#[ \t]*endif", re.M
)
_READ = re.compile(r"\b(\w+)[ \t]*\.[ \t]*read[ \t]*\(")


def _reads_of_simulation(facts: Facts) -> Iterator[Diagnostic]:
    """Words that only the simulation takes from a stream which the hardware reads as well."""
    for path, source in facts.given.items():
        for part in _ASIDE.finditer(source.text) if "__SYNTHESIS__" in source.text else ():
            read = _READ.search(part.group(1))
            start = part.start(1) + read.start() if read is not None else -1
            if read is None or "//" in part.group(1)[: read.start()].rpartition("\n")[2]:
                continue
            around = [f for f in facts.program.functions.values() if f.at.span.holds(Span(path, start, start + 1))]
            rest = "".join(source.text[f.at.span.start : f.at.span.end] for f in around).replace(part.group(1), "")
            if re.search(rf"\b{read.group(1)}[ \t]*\.[ \t]*read[ \t]*\(", rest):
                at = Origin(Span(path, start, part.start(1) + read.end()))
                message = f"the simulation reads a word of '{read.group(1)}' here, and the hardware does not"
                yield facts.report(RULE, at, message, "print a variable that both have read")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Conditions of the files that were given."""
    yield from _reads_of_simulation(facts)
    for path, source in facts.given.items():
        if "synth" not in source.text.lower():
            continue
        for line in _TEST.finditer(source.text):
            match = _NEARLY.search(source.text, line.start(), line.end())
            name = match.group() if match is not None else ""
            if match is None or not name.startswith("_") or _is_defined(facts, name):
                continue  # a name of the user's own
            span = Span(path, match.start(), match.end())
            message = f"'{name}' is defined by nobody: the macro of synthesis is __SYNTHESIS__"
            yield facts.report(RULE, Origin(span), message)


def _is_defined(facts: Facts, name: str) -> bool:
    define = re.compile(rf"#[ \t]*define[ \t]+{name}\b")
    sources = facts.program.sources.values()
    return name in facts.defined or any(define.search(source.text) for source in sources)
