"""What BIND_OP, RESOURCE, ALLOCATION and EXPRESSION_BALANCE say of the operations of a loop (UG1399)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec import Struct
from msgspec.structs import replace

from hlspart.hardware.unmodelled import Unmodelled
from hlspart.lowering.graph import Op
from hlspart.model.directives import Directive
from hlspart.model.program import Program

# operator names of the tool -> kind of operation
_KINDS = {
    "mul": "mul", "add": "add", "sub": "add", "sdiv": "div", "udiv": "div", "srem": "div", "urem": "div", "icmp": "cmp",
    "shl": "shift", "lshr": "shift", "ashr": "shift", "fadd": "fadd", "fsub": "fadd", "fmul": "fmul", "fdiv": "fdiv",
    "fsqrt": "fsqrt", "fexp": "fexp", "dadd": "dadd", "dsub": "dadd", "dmul": "dmul", "ddiv": "ddiv", "dsqrt": "dsqrt",
    "dexp": "dexp",
}  # fmt: skip
_SIGNS = {"add": "+", "sub": "-"}  # two units of one kind of operation
_PLAIN = {"auto", "none", "dsp", "fulldsp", "maxdsp", "all", ""}  # what an operation has without a directive
# cores of Vivado HLS -> (operator, implementation)
_CORES = {
    "faddsub_nodsp": ("fadd", "fabric"), "faddsub_fulldsp": ("fadd", "fulldsp"), "daddsub_nodsp": ("dadd", "fabric"),
    "daddsub_fulldsp": ("dadd", "fulldsp"), "fmul_nodsp": ("fmul", "fabric"), "fmul_fulldsp": ("fmul", "fulldsp"),
    "fmul_maxdsp": ("fmul", "maxdsp"), "dmul_nodsp": ("dmul", "fabric"), "dmul_fulldsp": ("dmul", "fulldsp"),
    "dmul_maxdsp": ("dmul", "maxdsp"), "mul_lut": ("mul", "fabric"), "mul": ("mul", "auto"), "dsp48": ("mul", "dsp"),
    "addsub": ("add", "fabric"), "fdiv": ("fdiv", "auto"), "ddiv": ("ddiv", "auto"),
}  # fmt: skip


class Binding(Struct, frozen=True):
    """Implementation and latency (in cycles) asked of the operations of a kind that give a variable its value."""

    kind: str
    impl: str | None
    latency: int | None
    line: int

    def on(self, op: Op) -> Op:
        """The operation as asked for. Raises :class:`Unmodelled` when the value is made by something else."""
        if op.free or op.kind in ("wire", "load"):
            return op  # folded away: nothing to implement
        if self.kind == "mul" and op.text == "*" and op.kind != "mul":  # with a constant: sums of shifts, if so kept
            return replace(op, kind="open", impl=self.impl or "auto")
        if op.kind != self.kind:
            raise Unmodelled(f"BIND_OP (line {self.line}) names an operation inside a larger expression", self.line)
        return replace(op, impl=self.impl, latency=self.latency)


def bindings(program: Program, function: str) -> Mapping[int, Binding]:
    """Bindings of the operations of a function, by the variable that gets their result."""
    out: dict[int, Binding] = {}
    for d in program.usable.get(function, ()):
        binding = binding_of(d, program.line(d.at))
        if binding is not None:
            out.update(dict.fromkeys(d.variables, binding))
    return out


def binding_of(d: Directive, line: int = 0) -> Binding | None:
    """What a directive asks of an operator; None where it asks for something else."""
    bound = _bound(d)
    if bound is None:
        return None
    name, impl = bound
    latency = d.values.get("latency")
    plain = impl in _PLAIN or (name in _SIGNS and impl == "fabric")
    how = None if plain else "nodsp" if impl == "fabric" else impl
    return Binding(_KINDS.get(name, name), how, latency if latency is None or latency >= 0 else None, line)


def _bound(d: Directive) -> tuple[str, str] | None:
    if d.kind == "bind_op":
        return (d.option("op") or "").lower(), (d.option("impl") or "").lower()
    if d.kind == "resource":
        core = (d.option("core") or "").lower()
        if core in _CORES:
            return _CORES[core]
        if core.startswith("mul") and core.endswith("s") and core[3:-1].isdigit():
            return "mul", "auto"  # MulnS: n stages, which `latency=` says too
    return None


def limits(program: Program, function: str, around: Collection[int | None]) -> dict[tuple[str, str], int]:
    """Limits of ALLOCATION by (kind of operation, its sign or ""); ``around``: loops, and None for the function.

    Raises :class:`Unmodelled` for a limit on cores. Calls are expanded by now: limits on functions concern others.
    """
    out: dict[tuple[str, str], int] = {}
    for d in program.usable.get(function, ()):
        limit = d.values.get("limit")
        if d.kind != "allocation" or d.loop not in around or not limit:
            continue
        names = (d.option("instances") or "").replace(" ", "").split(",")
        what = d.choice("type", ("function", "operation", "core"))
        for name in names:
            if what == "function" or (what is None and name in program.functions):
                continue
            if name.lower() in _KINDS and what != "core":
                key = (_KINDS[name.lower()], _SIGNS.get(name.lower(), ""))
                out[key] = min(limit, out.get(key, limit))
            else:
                raise Unmodelled(f"ALLOCATION of {name} is not modelled", program.line(d.at))
    return out


def limited(d: Directive) -> frozenset[str]:
    """The kinds of operations that ALLOCATION ``d`` limits; none where it limits anything else."""
    names = (d.option("instances") or "").replace(" ", "").lower().split(",")
    known = d.choice("type", ("function", "operation", "core")) == "operation"
    return frozenset(_KINDS[n] for n in names) if known and all(n in _KINDS for n in names) else frozenset()


def is_unit_of(d: Directive, unit: str) -> bool:
    """Whether ALLOCATION ``d`` limits the operations that share ``unit`` ("mul", "add -", ..)."""
    names = (d.option("instances") or "").replace(" ", "").lower().split(",")
    return unit in {f"{_KINDS[n]} {_SIGNS.get(n, '')}".strip() for n in names if n in _KINDS}


def are_balanced(program: Program, function: str, around: Collection[int | None]) -> bool:
    """Whether expressions are balanced: not where EXPRESSION_BALANCE off says so."""
    directives = [d for d in program.usable.get(function, ()) if d.kind == "expression_balance"]
    return not any(d.loop in around and d.has("off") for d in directives)
