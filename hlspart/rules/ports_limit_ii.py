"""Memory ports keep a loop from its target II.

## What it does
Reports a pipelined loop whose II is above its target because one bank of an array must serve more
accesses per iteration than it has ports. The hint is the pragmas that lower the II, or how many banks the
accesses need at least and, where it is proved, why no text goes below an II; `hlspart advise` ranks the
ways. `--unsafe-fixes` writes pragmas where these are enough.

## Why is this bad
The loop runs slower than asked for, by the factor shown.

## Example
```c
int f(int A[64], int B[64]) {
  int acc = 0;
  for (int i = 0; i < 64; i += 4) {
#pragma HLS pipeline II=1
    acc += A[i] * B[i] + A[i + 1] * B[i + 1] + A[i + 2] * B[i + 2] + A[i + 3] * B[i + 3];
  }
  return acc;
}
```

## Use instead
```c
int f(int A[64], int B[64]) {
#pragma HLS array_partition variable=A cyclic factor=2
#pragma HLS array_partition variable=B cyclic factor=2
  int acc = 0;
  for (int i = 0; i < 64; i += 4) {
#pragma HLS pipeline II=1
    acc += A[i] * B[i] + A[i + 1] * B[i + 1] + A[i + 2] * B[i + 2] + A[i + 3] * B[i + 3];
  }
  return acc;
}
```

## Vitis message it predicts
`[HLS 200-885] Unable to schedule 'load' operation ... due to limited memory ports` (older: `[SCHED
204-69]`), and `Final II` above `Target II`.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hlspart.model.diagnostics import Diagnostic, Fix
from hlspart.model.program import StructType, Variable, vector
from hlspart.model.results import LoopResult
from hlspart.rules._base import Facts, Rule, ways
from hlspart.rules._nests import active
from hlspart.rules._queries import has_banks_by_data, is_split_elsewhere, places_of

RULE = Rule("HLP201", "ports-limit-ii", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Loops above their target by a port."""
    for loop, missed, severity in facts.missed():
        if not loop.binding or loop.binding[0].kind != "memory-port":
            continue
        limit, variable = loop.binding[0], facts.limit_array(loop)
        if _is_open(facts, loop, variable):
            severity = "info"
        message = f"{missed}: {limit.text}"
        related = [(variable.at, f"'{variable.name}' is declared here")] if variable is not None else []
        asked = [(d.at, "the partition") for _, d, v in facts.partitions() if v is variable]
        mine = (d for kind in ("array_reshape", "bind_storage", "resource") for d in active(facts.program, kind))
        of_it = [d for d in mine if variable is not None and variable.id in d.variables]
        bound = [(d.at, "the directive of its memory") for d in of_it]
        related += [*asked[:1], *bound[:1], *places_of(facts, loop)]
        partition = _partition(facts, loop) if severity != "info" else None  # nobody waits for what nobody asked for
        hint, fix = partition or (_hint(facts, loop, variable), None)
        yield facts.report(RULE, facts.loop_at(loop), message, hint, related, fix, severity)


def _is_open(facts: Facts, loop: LoopResult, variable: Variable | None) -> bool:
    """Whether what is asked of the memory depends on another file, on data, or on how words are held."""
    limit = loop.binding[0]
    if variable is None:
        return _is_in_words(facts, limit.array)
    return is_split_elsewhere(facts, variable) or has_banks_by_data(facts, loop, limit.lines, variable)


def _is_in_words(facts: Facts, name: str | None) -> bool:
    """Whether what limits a loop are elements of an ``hls::vector``, which a memory holds as one word."""
    kinds = {v.name: v.as_array.element if v.as_array is not None else v.type for v in facts.program.variables}
    kind = kinds.get((name or "").partition(".")[0])
    return isinstance(kind, StructType) and vector(kind) is not None and kind.name.startswith("vector<")


def _partition(facts: Facts, loop: LoopResult) -> tuple[str, Fix | None] | None:
    """Pragmas of the arrays that are short of ports, with the II that the prediction gives under them."""
    arrays = facts.short_of_ports(loop)
    result = facts.inferred(*sorted(v.name for v in arrays)) if arrays else None
    if result is None:
        return None
    groups = {facts.analysis.group_of.get(v.id) for v in arrays}
    fresh = tuple(a for a in result.arrays if a.fresh and facts.analysis.group_of.get(a.variable) in groups)
    ii = next((x.ii_after for x in result.loops if (x.function, x.loop) == (loop.function, loop.loop)), None)
    if not fresh or ii is None or ii >= loop.least:
        return None
    hint = f"{'; '.join(p for a in fresh for p in a.pragmas)} gives II {ii}"
    edits = facts.insert(replace(result, arrays=fresh)) if facts.insert is not None else ()
    written = len([e for e in edits if e.text]) == sum(len(a.roots) for a in fresh)
    return hint, Fix(f"partition {', '.join(a.name for a in fresh)}: II {ii}", edits, False) if written else None


def _hint(facts: Facts, loop: LoopResult, variable: Variable | None) -> str:
    """What the accesses of one iteration need at least, and which command finds the rest."""
    helps = ways(loop)
    limit = loop.binding[0]
    if variable is None or limit.accesses is None or not limit.ports or not loop.aim:
        return helps
    if facts.storage(variable.id) == "m_axi":
        return f"copy what an iteration needs of '{variable.name}' into a local array first, or read wider words"
    banks = -(-limit.accesses // (limit.ports * loop.aim))
    return f"at least {banks} banks are needed; {helps}"
