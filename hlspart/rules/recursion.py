"""A recursive function in hardware.

## What it does
Reports INLINE on a function that calls itself, and calls by which a function that a top function uses reaches
itself again.

## Why is this bad
Hardware has no stack: a recursive function cannot be synthesised, and inlining it would never end.

## Example
```c
static int fact(int n) {
#pragma HLS inline
  return n < 2 ? 1 : n * fact(n - 1);
}
int f(int n) {
  return fact(n);
}
```

## Use instead
```c
static int fact(int n) {
  int r = 1;
  for (int i = 2; i <= n; i++) r *= i;
  return r;
}
int f(int n) {
  return fact(n);
}
```

## Vitis message it predicts
One that recursive functions are not supported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import Block, If, Return
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Rule
from hlspart.rules._interfaces import callers
from hlspart.rules._nests import active
from hlspart.rules._traces import constant

RULE = Rule("HLP428", "recursion", "error", hint="write it as a loop")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Functions that reach themselves."""
    called = callers(facts.program)
    overloaded = Counter(map(_base, facts.program.functions))
    marked = {d.function for d in facts.program.directives if d.dialect == "vitis"}
    for name in facts.program.functions:
        seen, stack = {name}, [name]
        again = None
        while stack:
            reached = stack.pop()
            for by, at in called.get(reached, ()):
                if _is_of_a_class(facts, at) and "::" not in reached:
                    continue  # a method of a class that is not read, with the name of a function
                if _is_behind_return(facts, by, at):
                    continue  # the last of a recursion of templates
                if overloaded[_base(by)] > 1 and _base(by) == _base(reached):
                    continue  # a method may mean an overload that stands behind it
                if by == name and again is None:
                    again = at
                if by not in seen:
                    seen.add(by)
                    stack.append(by)
        # the call in the function itself that leads back to it
        if again is None or not marked & seen or _is_computed(facts, name):
            continue
        inline = next((d for d in active(facts.program, "inline") if d.function == name), None)
        if inline is not None:
            message = f"INLINE of {name}(), which is recursive"
            yield facts.report(RULE, inline.at, message, None, [(again, "the recursive call")])
        else:
            at = facts.program.functions[name].name_at
            yield facts.report(
                RULE, again, f"{name}() is recursive: hardware has no stack", None, [(at, "the function")]
            )


def _is_of_a_class(facts: Facts, at: Origin) -> bool:
    """Whether a call names a class, which may be an instance of a template: ``Gemm<T, N>::run(a)``."""
    if facts.program.text(at).split("(")[0].find("::") > 0:
        return True
    before = facts.program.sources[at.span.path].text[: at.span.start].rstrip()
    return before.endswith(">::")


def _is_behind_return(facts: Facts, name: str, at: Origin) -> bool:
    """Whether a call stands behind a return that a constant condition takes."""
    for stmt in facts.program.functions[name].body.body:
        if stmt.at.span.end > at.span.start:
            return False
        if isinstance(stmt, If) and constant(facts.program, stmt.test):
            last = stmt.then.body[-1:] if isinstance(stmt.then, Block) else [stmt.then]
            if any(isinstance(s, Return) for s in last):
                return True
    return False


def _is_computed(facts: Facts, name: str) -> bool:
    """Whether a function is a ``constexpr`` one, which the compiler computes."""
    function = facts.program.functions[name]
    text = facts.program.sources[function.at.span.path].text
    return "constexpr" in text[function.at.span.start : function.name_at.span.start].split()


def _base(name: str) -> str:
    """The name that overloads share."""
    return name.split("(")[0]
