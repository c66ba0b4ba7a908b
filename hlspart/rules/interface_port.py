"""INTERFACE of what is no port of the top function.

## What it does
Reports INTERFACE in a function that another one calls, and INTERFACE on a variable that is no parameter: a local one,
or one of the file.

## Why is this bad
Only the top function has ports. Elsewhere the directive is ignored, and the port gets its default.

## Example
```c
static void inner(int a[64]) {
#pragma HLS interface mode=ap_memory port=a
  for (int i = 0; i < 64; i++) a[i] = i;
}
void top(int a[64]) {
  inner(a);
}
```

## Use instead
```c
static void inner(int a[64]) {
  for (int i = 0; i < 64; i++) a[i] = i;
}
void top(int a[64]) {
#pragma HLS interface mode=ap_memory port=a
  inner(a);
}
```

## Vitis message it predicts
One that the interface pragma of a function that is not the top function is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import entries, meant_as_tops, of_benches
from hlspart.rules._interfaces import PORT_MODES, callers, interfaces

RULE = Rule("HLP417", "interface-port", "warning", hint="move it to the top function, and name a parameter of it")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """INTERFACE below the top, or on a local variable."""
    called, tops = callers(facts.program), entries(facts)
    meant, benches = meant_as_tops(facts), of_benches(facts)
    for d, _ in interfaces(facts):
        others = [variable for v in d.variables if (variable := facts.program.variable(v)).storage != "parameter"]
        if others and others[0].storage in ("local", "static"):
            message = f"INTERFACE: '{others[0].name}' is a variable of {d.function}(), no port"
            yield facts.report(
                RULE, d.at, message, "name a parameter of the top function", [(others[0].at, "declared here")]
            )
        elif others:
            message = f"INTERFACE: '{others[0].name}' is a variable of the file, no parameter of {d.function}()"
            hint = "hand it over as a parameter: variables of the file stay inside of the hardware"
            yield facts.report(RULE, d.at, message, hint, [(others[0].at, "declared here")])
        elif _is_of_template(facts, d):
            message = f"INTERFACE in {d.function}(), a template that nothing here calls: a template is no top function"
            yield facts.report(RULE, d.at, message, "call it from a function with these ports, or give it its types")
        elif d.has("register") and _is_state_alone(d):
            continue  # a state for a value that goes in or out, as hls::reg of AMD's x_hls_utils.h asks for it
        elif facts.around is not None and facts.program.functions[d.function or ""].name in facts.around.tops:
            continue  # what calls it here is not built
        elif d.function not in tops and d.function not in meant and d.source == "pragma":
            callees = called.get(d.function or "", ())
            by = next(((name, at) for name, at in callees if name not in benches | {d.function}), None)
            if by is not None and d.function is not None:
                message = f"INTERFACE in {d.function}(), which {by[0]}() calls: only the top function has ports"
                yield facts.report(RULE, d.at, message, None, [(by[1], "called here")])


def _is_state_alone(d: Directive) -> bool:
    """Whether no mode is said but that of the result, which has no handshake."""
    return d.choice("mode", PORT_MODES) is None or (d.option("port") or "").lower() == "return"


def _is_of_template(facts: Facts, d: Directive) -> bool:
    """Whether a port of a kernel is said in a template of a source file, which nothing gives arguments."""
    function = facts.program.functions[d.function or ""]
    said = d.choice("mode", ("m_axi", "axis", "s_axilite")) is not None and d.source == "pragma"
    return said and function.open and function.at.span.path == function.unit and not function.lacking
