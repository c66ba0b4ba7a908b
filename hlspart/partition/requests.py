"""ARRAY_PARTITION directives evaluated against the arrays they name."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from hlspart.model.directives import PARTITION_TYPES, Directive, Fault, PartitionRequest
from hlspart.model.program import ArrayType, CType, OtherType, PointerType, Program, StreamType, StructType, Variable
from hlspart.semantics.parameters import open_parts


class Evaluated(Struct, frozen=True):
    """One directive on one variable: what it asks for, or why it asks for nothing.

    ``notes`` are remarks on a request that holds (a clamped factor, empty banks).
    """

    directive: Directive
    index: int  # in Program.directives
    variable: int | None
    request: PartitionRequest | None
    fault: Fault | None = None
    notes: tuple[Fault, ...] = ()


def requests(program: Program) -> tuple[PartitionRequest, ...]:
    """Every ARRAY_PARTITION that is valid by itself, in the order of ``Program.directives``."""
    return tuple(e.request for e in evaluated(program) if e.request is not None)


def evaluated(program: Program) -> tuple[Evaluated, ...]:
    """Every ARRAY_PARTITION of the Vitis dialect, one entry per variable it names."""
    items: list[Evaluated] = []
    reshaped = _reshaped(program)
    for index, directive in enumerate(program.directives):
        if directive.kind != "array_partition" or directive.dialect != "vitis":
            continue
        fatal = next((p for p in directive.problems if p.fatal), None)
        if fatal is not None or not directive.modelled or not directive.variables:
            fault = fatal or next(iter(directive.problems), None)
            first = directive.variables[0] if directive.variables else None
            items.append(Evaluated(directive, index, first, None, fault))
            continue
        for ident in directive.variables:
            variable = program.variable(ident)
            result = _evaluate(directive, index, variable)
            if result.fault is not None and result.fault.code == "unknown-extent" and _open(program, variable):
                template = program.functions[variable.function or ""].open
                what = "is a parameter of a template without an instance" if template else "is not known"
                text = f"an extent of '{variable.name}' {what}"
                result = replace(result, fault=Fault("open-extent", text, directive.at, fatal=False))
            other = reshaped.get(ident)
            if other is not None and result.request is not None:
                text = f"'{program.variable(ident).name}' also has an ARRAY_RESHAPE (line {program.line(other.at)})"
                fault = Fault("partition-and-reshape", text, directive.at, "keep one of the two")
                result = replace(result, request=None, fault=fault)
            items.append(result)
    return tuple(items)


def shape_fault(directive: Directive, variable: Variable) -> Fault | None:
    """What keeps an ARRAY_RESHAPE from dividing an array as ARRAY_PARTITION would; extents may be open."""
    fault = _evaluate(directive, 0, variable).fault
    known = fault is not None and fault.code in ("not-an-array", "dim-range", "missing-factor")
    argument = variable.storage == "parameter" and isinstance(variable.type, PointerType) and not variable.is_array
    return fault if known and not argument else None


def _open(program: Program, variable: Variable) -> bool:
    return variable.function is not None and variable.function in open_parts(program)


def _reshaped(program: Program) -> dict[int, Directive]:
    return {v: d for d in program.directives if d.kind == "array_reshape" and d.usable for v in d.variables}


def _member_rank(type_: CType) -> int:
    """The most dimensions that an array in a structure, or in the elements of an array of structures, has."""
    element = type_.element if isinstance(type_, ArrayType) else type_
    members = [t for _, t in element.members] if isinstance(element, StructType) else []
    return max((len(t.dims) if isinstance(t, ArrayType) else _member_rank(t) for t in members), default=0)


def _evaluate(directive: Directive, index: int, variable: Variable) -> Evaluated:
    def refuse(code: str, text: str, hint: str | None = None, option: str | None = None) -> Evaluated:
        at = next((o.at for o in directive.options if o.name == option), directive.at)
        return Evaluated(directive, index, variable.id, None, Fault(code, text, at, hint))

    name, rank = variable.name, len(variable.dims)
    if not variable.is_array:
        if isinstance(variable.type, StreamType):
            return refuse("not-an-array", f"'{name}' is a stream, not an array", "a stream has no banks", "variable")
        if isinstance(variable.type, ArrayType) and isinstance(variable.type.element, StreamType):
            return refuse("streams", f"'{name}' is an array of streams, which are apart without it", None, "variable")
        if isinstance(variable.type, PointerType):
            hint = f"declare it with its extent, such as {name}[N]"
            return refuse("not-an-array", f"'{name}' is a pointer, not an array of known extent", hint, "variable")
        if _member_rank(variable.type):  # std::array, and what holds arrays
            text = f"'{name}' is a structure: its arrays are partitioned where it is taken apart"
        elif isinstance(variable.type, OtherType):
            text = f"'{name}' is of {variable.type.name}, of which nothing is known here"
        else:
            return refuse("not-an-array", f"'{name}' is no array", "remove the pragma", "variable")
        return Evaluated(directive, index, variable.id, None, Fault("struct-member", text, directive.at, fatal=False))
    dim = directive.values.get("dim", 1)
    if rank < dim <= rank + _member_rank(variable.type):  # the structure apart, its members have these dimensions
        text = f"dim={dim} of '{name}' is a dimension of arrays in its elements"
        return Evaluated(directive, index, variable.id, None, Fault("struct-member", text, directive.at, fatal=False))
    if dim < 0 or dim > rank:
        hint = f"'{name}' has dimension 1" + (f" to {rank}" if rank > 1 else "") + "; 0 means all"
        return refuse("dim-range", f"dim={dim} is no dimension of '{name}'", hint, "dim")
    wanted = range(rank) if dim == 0 else range(dim - 1, dim)
    for k in wanted:
        if variable.dims[k] is None:
            text = f"constant extent needed: dim {k + 1} of '{name}' is not known"
            return refuse("unknown-extent", text, "give the extent as a constant, or its macro with -D", "variable")
    kind = directive.choice("type", PARTITION_TYPES) or "complete"
    assert kind in PARTITION_TYPES
    factor = directive.values.get("factor")
    if directive.has("off"):
        return Evaluated(
            directive, index, variable.id, PartitionRequest(variable.id, kind, factor, dim, directive, True)
        )
    notes: list[Fault] = []

    def note(code: str, text: str, hint: str | None) -> None:
        at = next((o.at for o in directive.options if o.name == "factor"), directive.at)
        notes.append(Fault(code, text, at, hint, fatal=False))

    if kind == "complete":
        if factor is not None:
            note(
                "factor-unused", "complete takes no factor; it is not used", "remove the factor, or say cyclic or block"
            )
        return Evaluated(
            directive, index, variable.id, PartitionRequest(variable.id, kind, None, dim, directive), None, tuple(notes)
        )
    if factor is None:
        return refuse("missing-factor", f"{kind} needs factor=", "add factor=N, N being the number of banks")
    for k in wanted:
        extent = variable.dims[k]
        assert extent is not None
        where = f" of dim {k + 1}" if rank > 1 else ""
        if factor > extent:
            text = f"factor {factor} exceeds the {extent} elements{where}: {extent} banks"
            note("factor-clamped", text, f"use factor={extent} or complete")
        elif kind == "block" and -(-extent // -(-extent // factor)) < factor:
            size = -(-extent // factor)
            banks = -(-extent // size)
            text = f"blocks of {size} fill {banks} banks only of {factor}{where}"
            note("empty-bank", text, f"use factor={banks}")
    request = PartitionRequest(variable.id, kind, factor, dim, directive)
    return Evaluated(directive, index, variable.id, request, None, tuple(notes))
