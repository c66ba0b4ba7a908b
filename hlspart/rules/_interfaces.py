"""INTERFACE directives and the functions that they are about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlspart.model.code import once_per_code
from hlspart.model.directives import Directive
from hlspart.model.program import ArrayType, CType, Loop, Program, StructType, Variable, vector
from hlspart.model.source import Origin
from hlspart.rules._base import Facts
from hlspart.rules._uses import calls

_LINKAGE = re.compile(r'^[^\n/]*\bextern\s+"C"', re.M)
PORT_MODES = (
    "ap_none", "ap_stable", "ap_vld", "ap_ack", "ap_hs", "ap_ovld", "ap_fifo", "ap_memory", "bram", "m_axi", "axis",
    "s_axilite", "ap_bus",
)  # fmt: skip
BLOCK_MODES = ("ap_ctrl_none", "ap_ctrl_hs", "ap_ctrl_chain")


def interfaces(facts: Facts) -> Iterator[tuple[Directive, str]]:
    """Usable INTERFACE directives of functions, each with its mode ("" where none is said)."""
    for d in facts.program.directives:
        if d.kind == "interface" and d.dialect == "vitis" and d.usable and d.function in facts.program.functions:
            yield d, d.choice("mode", (*PORT_MODES, *BLOCK_MODES)) or ""


@once_per_code(2)
def callers(program: Program) -> dict[str, list[tuple[str, Origin]]]:
    """Function -> the functions that call it, with the places of the calls."""
    by: dict[str, list[tuple[str, Origin]]] = {}
    for name, own in calls(program).items():
        for call in own:
            if call.function in program.functions:
                by.setdefault(call.function or "", []).append((name, call.at))
    return by


def is_for_host(facts: Facts, name: str) -> bool:
    """Whether a function has C linkage in C++ text, as kernels have that a host finds by their name."""
    function = facts.program.functions[name]
    source = facts.program.sources.get(function.at.span.path)
    unit = next((u for u in facts.program.units if u.path == function.unit), None)
    before = source.text[: function.name_at.span.start] if source is not None else ""
    return unit is not None and unit.language == "c++" and _LINKAGE.search(before) is not None


def depth_said(facts: Facts, variable: Variable) -> Directive | None:
    """The INTERFACE whose depth= is all that says how many elements an argument has, here or in a function above."""
    if variable.dims:
        return None
    named = [d for d in facts.program.directives if d.kind == "interface" and d.option("depth")]
    own = next((d for d in named if variable.id in d.variables), None)
    group = facts.analysis.group_of.get(variable.id)
    tied = (d for d in named if group is not None and any(facts.analysis.group_of.get(v) == group for v in d.variables))
    return own or next(tied, None)


def holds_arrays(kind: CType) -> bool:
    """Whether a structure has arrays: it is memory that is accessed in parts, no word of a port."""
    if not isinstance(kind, StructType) or vector(kind) is not None:
        return False
    return any(isinstance(member, ArrayType) or holds_arrays(member) for _, member in kind.members)


def innermost(facts: Facts, loops: tuple[int, ...]) -> Loop | None:
    """The innermost of the loops around an access."""
    return facts.program.loops.get(loops[-1]) if loops else None
