"""Variables that several tasks of a DATAFLOW region may share, and those that keep their values."""

from __future__ import annotations

from hlspart.model import program as c


def apart(program: c.Program) -> frozenset[int]:
    """Variables that several tasks may share, because a directive says so (STABLE, STREAM type=shared or unsync)."""
    found: set[int] = set()
    for d in program.directives:
        shared = d.kind == "stream" and d.choice("type", ("shared", "unsync")) in ("shared", "unsync")
        if d.usable and (shared or d.kind in ("stable", "shared")):
            found.update(d.variables)
    return frozenset(found)


def memories(program: c.Program) -> frozenset[int]:
    """Arguments behind an AXI master: several tasks may access external memory."""
    return frozenset(
        v
        for d in program.directives
        if d.kind == "interface" and d.usable and d.choice("mode", ("m_axi",)) == "m_axi"
        for v in d.variables
    )


def state(program: c.Program, variable: int) -> bool:
    """Whether a variable keeps its value from call to call."""
    return program.variable(variable).storage in ("global", "static")
