"""A shift register that is shifted in the wrong order.

## What it does
Reports a loop that does nothing but copy elements of an array to their neighbours, in the order in which each copy
takes the element that the copy before has written.

## Why is this bad
All elements become the first: a filter sees one value in all its taps. Unrolled or not makes no difference.

## Example
```c
int f(int x) {
  static int reg[8];
#pragma HLS array_partition variable=reg complete
  for (int i = 1; i < 8; i++) reg[i] = reg[i - 1];
  reg[0] = x;
  return reg[7];
}
```

## Use instead
```c
int f(int x) {
  static int reg[8];
#pragma HLS array_partition variable=reg complete
  for (int i = 7; i > 0; i--) reg[i] = reg[i - 1];
  reg[0] = x;
  return reg[7];
}
```

## Vitis message it predicts
None: the C text says so as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches

RULE = Rule("HLP228", "shift-direction", "warning", hint="turn the loop round: begin at the end that is overwritten")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Loops whose body is one copy; of a template once."""
    seen = set[object]()
    benches = of_benches(facts)
    for loop in facts.program.loops.values():
        body = [s for s in loop.body.body if not isinstance(s, c.PragmaMark)]
        copy = body[0].expr if len(body) == 1 and isinstance(body[0], c.ExprStmt) else None
        info = facts.analysis.loops.get(loop.id)
        if not isinstance(copy, c.Assign) or copy.op != "=" or info is None or loop.function in benches:
            continue
        to, of = copy.target, copy.value
        if not isinstance(to, c.ArrayRef) or not isinstance(of, c.ArrayRef) or to.variable != of.variable:
            continue
        forms = {a.ref: a.index for a in facts.analysis.of_array(to.variable) if a.affine}
        there, here = forms.get(to.id), forms.get(of.id)
        trips = info.trip_count.exact
        if there is None or here is None or info.iterator is None or info.step is None or len(there) != len(here):
            continue
        if trips is None or trips < 3 or any(f is None for f in (*there, *here)) or to.at.span in seen:
            continue
        apart = [x - y for x, y in zip(there, here, strict=True) if x is not None and y is not None]
        steps = [x.coefficient(info.iterator) * info.step for x in there if x is not None]
        # the next iteration takes what this one has written: one step apart, in all dimensions
        if all(not x.terms for x in apart) and [x.const for x in apart] == steps and any(steps):
            seen.add(to.at.span)
            name = facts.program.variable(to.variable).name
            message = f"each copy takes what the one before has written: all of '{name}' becomes its first element"
            yield facts.report(RULE, copy.at, message, None, [(loop.header, "the loop")])
