"""A deprecated directive or header.

## What it does
Reports RESOURCE, DATA_PACK, ARRAY_MAP, SHARED and CLOCK for Vitis HLS, `enable_flush` of PIPELINE and `region` of
INLINE, and headers that Vivado HLS had and Vitis HLS has not, unless the project brings its own. Where the new
spelling says the same, it is a fix.

## Why is this bad
Newer versions map them only in part or drop them.

## Example
```c
void f(int A[16]) {
#pragma HLS resource variable=A core=RAM_2P_BRAM
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[16]) {
#pragma HLS bind_storage variable=A type=ram_2p impl=bram
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
`The resource pragma is deprecated` and similar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic, Fix
from hlspart.model.directives import Directive
from hlspart.model.source import Edit, Origin, Span
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP111", "deprecated-pragma", "warning")


NEWER = {
    "resource": "bind_storage or bind_op", "data_pack": "aggregate", "shared": "stream type=shared",
    "array_map": "one array in the text", "clock": "the clock of the project, of which there is one",
}  # fmt: skip
#: Options of directives, with the option that says the same today ("": none does).
OPTIONS = {("pipeline", "enable_flush"): "style=flp", ("inline", "region"): ""}

HEADERS = {"ap_cint.h": "stdint.h, or ap_int.h in C++", "systemc.h": "a C++ function and ap_int.h"}
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<](?P<name>[\w./]+)[">]', re.M)

# UG902, set_directive_resource, to UG1399, bind_storage and bind_op
_MEMORY = re.compile(r"(ram_1p|ram_2p|ram_s2p|ram_t2p|rom_1p|rom_2p|rom_np|fifo)(?:_(bram|lutram|uram|srl))?")
_OPERATOR = {
    "mul_lut": "op=mul impl=fabric", "muln": "op=mul", "mul": "op=mul", "muls": "op=mul", "dsp48": "op=mul impl=dsp",
    "addsub": "op=add impl=fabric", "addsub_dsp": "op=add impl=dsp", "addsubns": "op=add impl=fabric",
    "faddsub_nodsp": "op=fadd impl=fabric", "faddsub_fulldsp": "op=fadd impl=fulldsp",
    "fmul_nodsp": "op=fmul impl=fabric", "fmul_meddsp": "op=fmul impl=meddsp", "fmul_fulldsp": "op=fmul impl=fulldsp",
    "fmul_maxdsp": "op=fmul impl=maxdsp", "fdiv": "op=fdiv impl=fabric",
    "dmul_nodsp": "op=dmul impl=fabric", "dmul_meddsp": "op=dmul impl=meddsp", "dmul_fulldsp": "op=dmul impl=fulldsp",
    "dmul_maxdsp": "op=dmul impl=maxdsp", "daddsub_nodsp": "op=dadd impl=fabric",
    "daddsub_fulldsp": "op=dadd impl=fulldsp", "ddiv": "op=ddiv impl=fabric",
}  # fmt: skip


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Old directives and headers for a new tool."""
    yield from _headers(facts)
    for directive in facts.program.directives:
        if directive.dialect != "vitis":
            continue
        if directive.kind in NEWER and directive.kind in facts.deprecated:
            message = f"{facts.pragma_text(directive)} is deprecated in Vitis HLS"
            text = _newer(directive)
            fix = None
            if text is not None and facts.is_editable(directive) and directive.usable:
                fix = Fix(f"write {text}", (Edit(directive.at.span, f"#pragma HLS {text}"),), True)
            yield facts.report(RULE, directive.at, message, f"use {text or NEWER[directive.kind]}", fix=fix)
        for (kind, option), newer in OPTIONS.items():
            if directive.kind != kind or not directive.has(option) or option not in facts.deprecated:
                continue
            message = f"{facts.pragma_text(directive)} {option} is deprecated in Vitis HLS"
            span = facts.option_span(directive, option)
            fix = Fix(f"write {newer}", (Edit(span, newer),), True) if span is not None and newer else None
            off = " off" if directive.has("off") else ""
            hint = f"use {newer}" if newer else f"write INLINE{off} in what is called there"
            yield facts.report(RULE, directive.at, message, hint, fix=fix)


def _headers(facts: Facts) -> Iterator[Diagnostic]:
    """Headers that the tool has not; a project may have its own of the name."""
    missing = {(d.place.path, d.place.line) for d in facts.program.diagnostics if d.rule == "HLP006"}
    for unit in facts.program.units:
        for path in (unit.path, *(h for h in unit.headers if not h.startswith("<"))):
            text = source.text if (source := facts.program.sources.get(path)) is not None else ""
            for match in _INCLUDE.finditer(text):
                name, at = match["name"], Origin(Span(path, match.start("name"), match.end("name")))
                brought = f"<hlspart>/{name}" in unit.headers or (path, facts.place(at).line) in missing
                if name in facts.deprecated and brought:
                    yield facts.report(
                        RULE, at, f"{name} is a header that Vitis HLS does not have", f"use {HEADERS[name]}"
                    )


def _newer(d: Directive) -> str | None:
    """The directive in the spelling of Vitis HLS, where it says the same."""
    if d.kind in ("array_map", "clock"):
        return None
    names = [o.value for o in d.options if o.name == "variable"]
    known = {"variable", "core", "latency"} if d.kind == "resource" else {"variable"}
    if len(names) != 1 or any(o.name not in known for o in d.options):
        return None
    if d.kind == "data_pack":
        return f"aggregate variable={names[0]}"
    if d.kind == "shared":
        return f"stream variable={names[0]} type=shared"
    core = (d.option("core") or "").lower()
    latency = f" latency={d.option('latency')}" if d.option("latency") else ""
    if match := _MEMORY.fullmatch(core):
        impl = f" impl={match.group(2)}" if match.group(2) else ""
        return f"bind_storage variable={names[0]} type={match.group(1)}{impl}{latency}"
    if core in _OPERATOR:
        return f"bind_op variable={names[0]} {_OPERATOR[core]}{latency}"
    return None
