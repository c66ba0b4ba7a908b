"""Status of every directive that is no ARRAY_PARTITION."""

from __future__ import annotations

from msgspec.structs import replace

from hlspart.model.directives import PARTITION_TYPES, Directive, Fault
from hlspart.model.program import PointerType, Program, ScalarType, block_around
from hlspart.model.results import PragmaState, PragmaStatus
from hlspart.model.source import Span
from hlspart.partition.requests import shape_fault

#: Said once of a place or variable; a second time repeats or contradicts the first.
_ONCE = frozenset(
    ("pipeline", "unroll", "loop_tripcount", "loop_flatten", "loop_merge", "inline", "dataflow", "bind_storage")
) | {"resource", "stream", "performance", "array_reshape", "top", "latency", "occurrence", "expression_balance"}
#: Of these, the ones that may be said of each block.
_OF_REGIONS = ("latency", "occurrence", "loop_merge", "performance", "expression_balance")
#: Said once of a variable, of each of the options that tell apart what of it they are about.
_ONCE_OF = {
    "bind_op": ("op",), "aggregate": (), "disaggregate": (), "reset": (), "stable": (), "alias": (), "cache": (),
    "function_instantiate": (), "allocation": ("instances",),
}  # fmt: skip


def status_of_other(
    program: Program, tops: tuple[str, ...], index: int, directive: Directive, earlier: dict[object, int]
) -> PragmaStatus:
    """Status of a directive; ``earlier`` remembers the ones seen, to find repetitions."""
    at = directive.at
    base = PragmaStatus(index, at.span.path, program.line(at), directive.text, "applied", None, None)
    if directive.variables:
        base = replace(base, variable=directive.variables[0])

    def say(status: PragmaState, problem: Fault, other: int | None = None) -> PragmaStatus:
        notes = tuple(dict.fromkeys((problem, *directive.problems)))
        return replace(
            base, status=status, code=problem.code, reason=problem.message, hint=problem.hint, at=problem.at,
            notes=notes, other=other,
        )  # fmt: skip

    fatal = next((p for p in directive.problems if p.fatal), None)
    if fatal is not None:
        ignored = fatal.code in ("condition-false", "other-dialect", "missing-keyword", "unread")
        return say("ignored" if ignored else "rejected", fatal)
    fault = _fault(program, directive)
    if fault is not None:
        code, text, hint = fault
        return say("rejected", Fault(code, text, at, hint))
    if directive.kind in _ONCE or directive.kind in _ONCE_OF:
        place = directive.variables or (directive.function, directive.loop)
        members = [o.value for o in directive.options if o.name in ("variable", "port")]  # s.a and s.b are two
        below = directive.kind == "inline" and any(map(directive.has, ("region", "all", "recursive")))
        where_it_stands = directive.at.span if below else None  # INLINE of what is called there, not of the function
        if directive.kind in _OF_REGIONS:
            where_it_stands = _region(program, directive)
        dim = directive.values.get("dim", 1) if directive.kind in ("array_reshape", "stream") else None  # by itself
        of = [(directive.loop, directive.option(x)) for x in _ONCE_OF.get(directive.kind, ())]
        key = (directive.kind, place, where_it_stands, dim, *(m.replace(" ", "") for m in members if m), *of)
        if key in earlier:
            first = program.directives[earlier[key]]
            line = program.line(first.at)
            where = f"line {line}" if first.at.span.path == at.span.path else f"{first.at.span.path}, line {line}"
            said = (set(_meaning(first)), set(_meaning(directive)))
            # a STREAM without a depth says nothing of it; of one without the other, a tool takes the one that does
            if said[0] == said[1] or (directive.kind == "stream" and (said[0] <= said[1] or said[1] <= said[0])):
                words = "says the same as" if said[0] == said[1] else "is about the same stream as"
                problem = Fault("redundant", f"{words} {where}", at, "remove one of them")
                return say("redundant", problem, earlier[key])
            problem = Fault("conflict", f"contradicts {where}: {first.text}", at, "remove one of them")
            return say("conflict", problem, earlier[key])
        earlier[key] = index
    if not directive.modelled:
        text = "valid, but hlspart does not model what it does"
        return say("unmodelled", next(iter(directive.problems), Fault("unmodelled", text, at, fatal=False)))
    remark = _remark(program, tops, directive)
    if remark is not None:
        return replace(
            base, code=remark.code, reason=remark.message, hint=remark.hint, at=remark.at,
            notes=(remark, *directive.problems),
        )  # fmt: skip
    return replace(base, notes=directive.problems)


def _region(program: Program, directive: Directive) -> Span | None:
    """The block without a header that a directive stands in, and is about in place of the loop or function."""
    function = program.functions.get(directive.function or "")
    loop = program.loops.get(directive.loop) if directive.loop is not None else None
    body = loop.body if loop is not None else function.body if function is not None else None
    block = block_around(body, directive.at.span) if body is not None else None
    return block.at.span if block is not None else None


def _remark(program: Program, tops: tuple[str, ...], directive: Directive) -> Fault | None:
    """What is to be said of a directive that is valid (UG1399, BIND_STORAGE: from 2022.1 on)."""
    if directive.kind == "array_reshape":
        factor = directive.values.get("factor")
        if factor is not None and (directive.choice("type", PARTITION_TYPES) or "complete") == "complete":
            text, hint = "complete takes no factor; it is not used", "remove the factor, or say cyclic or block"
            return Fault("factor-unused", text, directive.at, hint, fatal=False)
        if factor == 1:
            text = "it makes words of one element only"
            return Fault("one-bank", text, directive.at, "remove it, or raise the factor", fatal=False)
    if directive.kind != "bind_storage":
        return None
    for variable in map(program.variable, directive.variables):
        if variable.storage == "parameter" and variable.function in tops:
            text = f"no effect from Vitis HLS 2022.1 on: INTERFACE chooses the memory of the argument '{variable.name}'"
            kind = (directive.option("type") or "ram_1p").lower()
            hint = f"#pragma HLS interface mode=ap_memory port={variable.name} storage_type={kind}"
            return Fault("argument-storage", text, directive.at, hint, fatal=False)
    return None


def _meaning(directive: Directive) -> tuple[object, ...]:
    parts = []
    for option in directive.options:
        value = directive.values.get(option.name, (option.value or "").lower())
        parts.append((option.name, value))
    return tuple(sorted(parts, key=str))


def _fault(program: Program, directive: Directive) -> tuple[str, str, str | None] | None:
    """(code, reason, hint) for a value that the directive cannot have."""
    values = directive.values
    match directive.kind:
        case "loop_tripcount":
            low, high = values.get("min", 0), values.get("max")
            if low < 0 or (high is not None and high < low):
                return "bad-tripcount", f"min={low} and max={high} are no range", "give 0 <= min <= max"
            mean = values.get("avg")
            if mean is not None and (mean < low or (high is not None and mean > high)):
                return "bad-tripcount", f"avg={mean} is not from min={low} to max={high}", "give min <= avg <= max"
        case "latency":
            least, most = values.get("min"), values.get("max")
            if least is not None and most is not None and least > most:
                return "bad-latency", f"LATENCY: min={least} is above max={most}", "give min <= max"
        case "bind_storage" | "array_reshape":
            for ident in directive.variables:
                variable = program.variable(ident)
                plain = isinstance(variable.type, ScalarType | PointerType) and variable.storage != "parameter"
                if plain and not any(p.code == "struct-member" for p in directive.problems):
                    return "not-an-array", f"'{variable.name}' is no array", "name an array"
                fault = shape_fault(directive, variable) if directive.kind == "array_reshape" else None
                if fault is not None:
                    return fault.code, fault.message, fault.hint
    return None
