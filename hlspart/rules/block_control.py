"""Arguments are AXI-Lite registers, the control of the function is not.

## What it does
Reports a top function with `s_axilite` arguments, or `m_axi` ones with `offset=slave`, whose `return` is given
another mode than `s_axilite`; with `--flow vitis`, or beside `m_axi` ports with registers for scalars or in a bundle,
also one that says nothing of `return` while others are written out. `ap_ctrl_none` without `m_axi` ports, or beside a
stream that the function waits for, is left alone outside of the Vitis flow. And `ap_ctrl_none` of a function that
works on memories alone, runs to its end and is no pipeline: co-simulation refuses it (COSIM 212-345).

## Why is this bad
The host writes the arguments but cannot start the function: a kernel of the Vitis flow needs its control in the same
registers, and a driver is made for them alone.

## Example
```c
void f(int n, int a[64]) {
#pragma HLS interface mode=m_axi port=a offset=slave
#pragma HLS interface mode=s_axilite port=n
#pragma HLS interface mode=ap_ctrl_hs port=return
  for (int i = 0; i < 64; i++) a[i] = n;
}
```

## Use instead
```c
void f(int n, int a[64]) {
#pragma HLS interface mode=m_axi port=a offset=slave
#pragma HLS interface mode=s_axilite port=n
#pragma HLS interface mode=s_axilite port=return
  for (int i = 0; i < 64; i++) a[i] = n;
}
```

## Vitis message it predicts
None in synthesis; the kernel is refused when it is packaged or linked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.program import Loop, ScalarType, StreamType, walk_statements
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import entries
from hlspart.rules._interfaces import interfaces, is_for_host
from hlspart.rules._nests import active
from hlspart.rules._traces import constant
from hlspart.rules._uses import calls

HINT = "add #pragma HLS interface mode=s_axilite port=return"
RULE = Rule("HLP420", "block-control", "warning", hint=HINT)
_WAITING = frozenset(("axis", "ap_fifo", "ap_hs", "ap_vld"))  # ports that say when their data are there


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Registers without the control among them."""
    modes: dict[str, list[tuple[Directive, str]]] = {}
    for d, mode in interfaces(facts):
        modes.setdefault(d.function or "", []).append((d, mode))
    for name, items in modes.items():
        yield from _never_known_done(facts, name, items)
        control = [(d, m) for d, m in items if (d.option("port") or "").lower() == "return"]
        masters = [d for d, m in items if m == "m_axi"]
        registers = [d for d, m in items if m == "s_axilite" and (d.option("port") or "").lower() != "return"]
        if name not in entries(facts) or not registers or any(m == "s_axilite" for _, m in control):
            continue
        waits = any(m in _WAITING for _, m in items) or _streams(facts, name)
        if control and control[0][1] == "ap_ctrl_none" and (not masters or (waits and not facts.kernels)):
            continue  # a free running function may read its registers at any time, or once data have come
        if control:
            if control[0][1] == "ap_ctrl_chain" and is_for_host(facts, name):
                continue  # the tool puts the control of such a kernel among the registers
            at, words = control[0][0].at, f"is {control[0][1]}"
        elif facts.kernels or (masters and any(_is_kernel(facts, d) for d in registers)):
            at, words = registers[-1].at, "is left out"
        else:
            continue
        message = f"the arguments of {name}() are AXI-Lite registers, but the control of return {words}"
        yield facts.report(RULE, at, message, None, [(registers[0].at, "an argument in a register")])


def _never_known_done(facts: Facts, name: str, items: Sequence[tuple[Directive, str]]) -> Iterator[Diagnostic]:
    """A function without control that works on memories alone: nobody learns when their words are there."""
    free = next((d for d, m in items if m == "ap_ctrl_none"), None)
    ports = [facts.program.variable(v) for v in facts.program.functions[name].params]
    waits = any(m in _WAITING for _, m in items) or _streams(facts, name)
    memories = [d for d, m in items if m in ("m_axi", "ap_memory", "bram")]
    endless = _runs_on(facts, name, set())
    said = {v for d, _ in items for v in d.variables}
    arrays = (v for v in ports if v.as_array is not None and v.dims and None not in v.dims)
    registers = any(m == "s_axilite" for _, m in items)  # of which nobody knows when they have their values
    bare = next((v for v in arrays if v.id not in said and registers), None)
    if free is None or waits or not (memories or bare) or name not in entries(facts) or endless:
        return
    if any(v.volatile for v in ports) or any(
        d.function == name and d.loop is None for d in active(facts.program, "pipeline")
    ):
        return  # what polls a register, and what takes new values in each cycle
    message = f"nothing tells when {name}() has read and written its memories: co-simulation refuses ap_ctrl_none here"
    at = memories[0].at if memories or bare is None else bare.at
    yield facts.report(RULE, free.at, message, "use ap_ctrl_hs, or s_axilite for return", [(at, "a memory")])


def _runs_on(facts: Facts, name: str, seen: set[str]) -> bool:
    """Whether a function, or one that it calls, has a loop without an end."""
    seen.add(name)
    function = facts.program.functions[name]
    if any(isinstance(s, Loop) and _has_no_end(facts, s) for s in walk_statements(function.body)):
        return True
    called = {call.function or "" for call in calls(facts.program)[name]}
    return any(_runs_on(facts, x, seen) for x in called & facts.program.functions.keys() if x not in seen)


def _has_no_end(facts: Facts, loop: Loop) -> bool:
    return loop.test is None or bool(constant(facts.program, loop.test))


def _streams(facts: Facts, name: str) -> bool:
    parameters = facts.program.functions[name].params
    return any(isinstance(facts.program.variable(v).type, StreamType) for v in parameters)


def _is_kernel(facts: Facts, directive: Directive) -> bool:
    """Whether a register is a kernel's: a scalar, or in a bundle of its own; not the address of a master alone."""
    scalars = any(isinstance(facts.program.variable(v).type, ScalarType) for v in directive.variables)
    return scalars or directive.option("bundle") is not None
