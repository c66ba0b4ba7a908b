"""Options that exclude each other, or what they are about.

## What it does
Reports PIPELINE `off` with an interval, style or rewind, and of a loop that UNROLL leaves nothing of; UNROLL `off` with
a factor, or `skip_exit_check` without one; INLINE `off` with `recursive`; STREAM of an
`hls::stream` with a type of buffers; ALLOCATION that does not say whether it limits operations or functions; ports of
one m_axi bundle with different latencies or lengths of bursts; arguments of a kernel in more than one s_axilite
bundle; CACHE of a port that is written, is no m_axi port or shares its bundle, and of sizes that are no powers of two;
PERFORMANCE of a loop that is not pipelined, unrolled completely or a DATAFLOW region; INLINE of the top function.

## Why is this bad
The tool takes one of the two, or its default, and says so in the middle of its log.

## Example
```c
void f(int A[16]) {
  for (int i = 0; i < 16; i++) {
#pragma HLS pipeline off II=2
    A[i] = i;
  }
}
```

## Use instead
```c
void f(int A[16]) {
  for (int i = 0; i < 16; i++) {
#pragma HLS pipeline II=2
    A[i] = i;
  }
}
```

## Vitis message it predicts
One that the directive or its option is ignored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import pairwise
from math import prod
from re import sub

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.program import StreamType, storage_bits
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import entries
from hlspart.rules._interfaces import callers, interfaces, is_for_host
from hlspart.rules._nests import active

RULE = Rule("HLP432", "options-disagree", "warning")
# UG1448, Interface Pragma Options: what all ports of a bundle have in common
_COMMON = (
    "latency", "num_read_outstanding", "num_write_outstanding", "max_read_burst_length", "max_write_burst_length",
)  # fmt: skip


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Directives by kind, then ports by bundle."""
    for d in facts.program.directives:
        others = [name for name in ("ii", "rewind", "style") if d.kind == "pipeline" and d.has("off") and d.has(name)]
        others += ["factor"] if d.kind == "unroll" and d.has("off") and d.has("factor") else []
        others += ["recursive"] if d.kind == "inline" and d.has("off") and d.has("recursive") else []
        if others and d.dialect == "vitis" and d.usable:
            name = others[0].upper() if others[0] == "ii" else others[0]
            yield facts.report(
                RULE, d.at, f"{facts.pragma_text(d)}: 'off' and {name} exclude each other", "keep one of them"
            )
        elif (
            d.kind == "unroll"
            and d.has("skip_exit_check")
            and not d.has("factor")
            and d.dialect == "vitis"
            and d.usable
        ):
            message = "UNROLL: skip_exit_check is about a factor, and there is none"
            yield facts.report(RULE, d.at, message, "remove it, or add factor=")
    yield from _unrolled(facts)
    for d in active(facts.program, "stream"):
        kind = (d.option("type") or "").lower()
        for variable in (facts.program.variable(v) for v in d.variables if kind in ("pipo", "shared", "unsync")):
            element = variable.as_array.element if variable.as_array is not None else variable.type
            if isinstance(element, StreamType):
                message = f"STREAM: '{variable.name}' is a FIFO, type={kind} is for arrays"
                yield facts.report(RULE, d.at, message, "remove the type", [(variable.at, "the stream")])
        deep = d.values.get("depth")
        for variable in (facts.program.variable(v) for v in d.variables if deep is not None):
            of = variable.as_array.element if variable.as_array is not None else variable.type
            if isinstance(of, StreamType) and of.depth not in (None, deep):
                message = f"STREAM: depth={deep}, but the type of '{variable.name}' says {of.depth}"
                yield facts.report(RULE, d.at, message, "say one of the two", [(variable.at, "its type")])
    for d in active(facts.program, "allocation"):
        if d.option("instances") and not any(d.has(x) for x in ("operation", "function", "core", "type")):
            message = "ALLOCATION does not say what it limits"
            yield facts.report(RULE, d.at, message, "say operation or function")
    yield from _ports(facts)
    yield from _offsets(facts)
    yield from _registers(facts)
    yield from _caches(facts)
    yield from _performance(facts)
    yield from _inlined_tops(facts)


def _inlined_tops(facts: Facts) -> Iterator[Diagnostic]:
    """INLINE of the only function of a file that nothing calls, which is the top."""
    called = callers(facts.program)
    first = {x for x in entries(facts) if all(by == "main" for by, _ in called.get(x, ()))}
    for d in active(facts.program, "inline"):
        function = facts.program.functions.get(d.function or "")
        if (
            function is None
            or function.name not in first
            or d.loop is not None
            or function.at.span.path != function.unit
        ):
            continue
        others = [x for x in first if facts.program.functions[x].unit == function.unit and x != function.name]
        # a file beside may call it, unless it is static or its own ports say that it is the top
        alone = function.internal or any(x.function == function.name and x.variables for x, _ in interfaces(facts))
        # recursive inlines what is called as well, which nobody wants of the tasks of a region
        region = any(x.function == function.name and x.loop is None for x in active(facts.program, "dataflow"))
        below = d.has("recursive") and not region
        if (alone or region) and not others and not function.open and not d.has("region") and not below:
            message = f"INLINE of {function.name}(), the top function: there is nothing to inline it into"
            yield facts.report(RULE, d.at, message, "remove it", [(function.name_at, "nothing calls it")])


def _performance(facts: Facts) -> Iterator[Diagnostic]:
    """HLS 214-344, 214-346 and 214-354: other directives of the loop take precedence."""
    others: dict[int, list[tuple[Directive, str]]] = {}
    for d in facts.program.directives:
        if d.loop is None or d.dialect != "vitis" or not d.usable:
            continue
        if d.kind == "pipeline" and d.has("off"):
            others.setdefault(d.loop, []).append((d, "PIPELINE off takes precedence"))
        elif d.kind == "dataflow":
            others.setdefault(d.loop, []).append((d, "DATAFLOW takes precedence"))
        elif d.kind == "unroll" and not d.has("off") and facts.unrolled.get(d.loop) == 0:
            others.setdefault(d.loop, []).append((d, "it is unrolled completely"))
    for d in active(facts.program, "performance"):
        for other, why in others.get(d.loop or -1, ())[:1]:
            name = facts.program.loops[d.loop or -1].name
            message = f"PERFORMANCE of loop {name} is ignored: {why}"
            yield facts.report(RULE, d.at, message, "keep one of them", [(other.at, "the other directive")])


def _unrolled(facts: Facts) -> Iterator[Diagnostic]:
    """HLS 214-189: the directive is removed because the loop is unrolled completely."""
    pipelines = {d.loop: d for d in active(facts.program, "pipeline") if d.loop is not None}
    for d in active(facts.program, "unroll"):
        loop, pipeline = facts.program.loops.get(d.loop or -1), pipelines.get(d.loop or -1)
        info = facts.analysis.loops.get(d.loop or -1)
        trips = info.trip_count.exact if info is not None else None
        if loop is None or pipeline is None or trips is None or trips < 2 or d.values.get("factor", trips) < trips:
            continue
        message = f"PIPELINE: loop {loop.name} is unrolled completely, nothing is left to pipeline"
        hint = "remove it, or give UNROLL a factor below the number of iterations"
        yield facts.report(RULE, pipeline.at, message, hint, [(d.at, "unrolled here")])


def _ports(facts: Facts) -> Iterator[Diagnostic]:
    first: dict[tuple[str | None, str, str], Directive] = {}
    for d, mode in interfaces(facts):
        bundle = d.option("bundle")
        for name in _COMMON if mode == "m_axi" and bundle else ():
            value = d.values.get(name)
            other = first.setdefault((d.function, bundle or "", name), d) if value is not None else d
            if other is not d and other.values[name] != value:
                message = f"bundle {bundle} has ports with {name}={other.values[name]} and with {name}={value}"
                hint = "give them one value, or bundles of their own"
                yield facts.report(RULE, d.at, message, hint, [(other.at, "the other port")])
                break


def _offsets(facts: Facts) -> Iterator[Diagnostic]:
    """A host says where the memory of a kernel begins, by its registers (UG1399, Offset and Modes of Operation)."""
    for d, mode in interfaces(facts):
        offset = (d.option("offset") or "").lower()
        if mode == "m_axi" and offset in ("off", "direct") and (facts.kernels or is_for_host(facts, d.function or "")):
            message = f"offset={offset}: the host of a kernel hands over the address by its registers"
            yield facts.report(RULE, d.at, message, "say offset=slave")


def _registers(facts: Facts) -> Iterator[Diagnostic]:
    """A kernel has one s_axilite adapter, which its host looks for."""
    ports = list(interfaces(facts))
    masters = {d.function for d, mode in ports if mode == "m_axi"}
    for function in sorted({d.function or "" for d, _ in ports}):
        if not (facts.kernels or function in masters) or not is_for_host(facts, function):
            continue
        said = [d for d, mode in ports if mode == "s_axilite" and d.function == function and d.option("bundle")]
        names = Counter(d.option("bundle") for d in said)
        control = next((d.option("bundle") for d in said if d.option("port") == "return"), None)
        most = max(names, key=lambda name: (names[name], name == control)) if names else None
        own = [d for d in said if d.option("bundle") == most]
        first = next((d for d in own if d.option("port") == "return"), own[0] if own else None)
        for d in said if first is not None else ():
            if first is not None and d.option("bundle") != most:
                message = f"a kernel has one s_axilite adapter, '{d.option('bundle')}' would be a second one"
                yield facts.report(RULE, d.at, message, f"say bundle={most}", [(first.at, "the first one")])
    for function in sorted({d.function or "" for d, _ in ports}):
        yield from _misspelt(facts, [d for d, mode in ports if mode == "s_axilite" and d.function == function])
        yield from _addresses(facts, [(d, mode) for d, mode in ports if d.function == function])
        yield from _unaligned(facts, [d for d, mode in ports if mode == "s_axilite" and d.function == function])
        yield from _overlaps(facts, [d for d, mode in ports if mode == "s_axilite" and d.function == function])


def _addresses(facts: Facts, ports: list[tuple[Directive, str]]) -> Iterator[Diagnostic]:
    """The address of a master falls into the default registers, while all that is said of others is in a bundle."""
    said = [d for d, mode in ports if mode == "s_axilite"]
    names = {d.option("bundle") for d in said}
    if len(names) != 1 or None in names or facts.control_bundle in {"", *names}:
        return
    registers = {v for d in said for v in d.variables}
    for d, mode in ports:
        if mode == "m_axi" and d.option("offset") == "slave" and d.variables and not registers & set(d.variables):
            name, bundle = facts.program.variable(d.variables[0]).name, said[0].option("bundle")
            message = f"the address of '{name}' is put into {facts.control_bundle}, a second adapter beside {bundle}"
            hint = f"#pragma HLS INTERFACE s_axilite port={name} bundle={bundle}"
            yield facts.report(RULE, d.at, message, hint, [(said[0].at, "the others are here")])
            return


def _misspelt(facts: Facts, said: list[Directive]) -> Iterator[Diagnostic]:
    """A bundle of one port whose name is that of another bundle but for a letter."""
    by: dict[str, list[Directive]] = {}
    for d in said:
        by.setdefault(d.option("bundle") or "", []).append(d)
    for name, own in by.items():
        near = get_close_matches(name, [x for x in by if x != name and len(by[x]) > 1], 1, 0.85)
        same = near and sub(r"\d", "", near[0]) == sub(r"\d", "", name)
        kernel = facts.kernels or is_for_host(facts, own[0].function or "")
        if len(own) == 1 and len(name) > 3 and near and not same and not kernel:
            message = f"bundle {name} has this port alone, bundle {near[0]} has {len(by[near[0]])}: is it misspelt?"
            related = [(by[near[0]][0].at, "the other bundle")]
            yield facts.report(RULE, own[0].at, message, f"say bundle={near[0]}", related)


def _overlaps(facts: Facts, said: list[Directive]) -> Iterator[Diagnostic]:
    """Registers of an array that reach into the next port's (UG1399, S_AXILITE Offset Option)."""
    places = []
    for d in said:
        offset, variable = (
            _number(d.option("offset") or ""),
            facts.program.variable(d.variables[0]) if d.variables else None,
        )
        array = variable.as_array if variable is not None else None
        if offset is None or variable is None:
            continue
        words = prod(n or 0 for n in array.dims) if array is not None else 1
        bits = storage_bits(array.element if array is not None else variable.type) or 32
        size = -(-words * bits // 32) * 4 if array is not None else 4  # elements below a word share it
        places.append((offset, max(size, 4), d))
    places.sort(key=lambda x: x[0])
    for (low, size, one), (high, _, other) in pairwise(places):
        if low < high < low + size and one.option("bundle") == other.option("bundle"):
            message = f"offset={high:#x} lies in the {size} bytes from {low:#x} on, which another port takes"
            yield facts.report(RULE, other.at, message, f"say offset={low + size:#x} or more", [(one.at, "the other")])


def _unaligned(facts: Facts, said: list[Directive]) -> Iterator[Diagnostic]:
    """Registers are words of four bytes."""
    for d in said:
        address = _number(d.option("offset") or "")
        if address is not None and address % 4:
            message = f"offset={d.option('offset')} is no address of a register: they are words of four bytes"
            yield facts.report(RULE, d.at, message, f"say offset={address // 4 * 4 + 4:#x}")


def _number(text: str) -> int | None:
    try:
        return int(text, 0)
    except ValueError:
        return None


def _caches(facts: Facts) -> Iterator[Diagnostic]:
    """UG1399, pragma HLS cache, limitations."""
    ports = {v: (d, mode) for d, mode in interfaces(facts) for v in d.variables if mode != "s_axilite"}
    for d in active(facts.program, "cache"):
        own = (facts.program.variable(v) for v in d.variables if v not in ports)
        if not facts.kernels and (plain := next((v for v in own if v.storage == "parameter"), None)) is not None:
            message = f"CACHE: '{plain.name}' is no m_axi port"
            yield facts.report(RULE, d.at, message, "add INTERFACE m_axi of it", [(plain.at, "the argument")])
        for name in ("lines", "depth"):
            value = d.values.get(name, 1)
            if value < 1 or value & (value - 1):
                yield facts.report(RULE, d.at, f"CACHE: {name}={value} is no power of two", f"say {name}=1, 2, 4, ..")
        for port, mode in (ports[v] for v in d.variables if v in ports):
            bundle = port.option("bundle")
            shared = [p for p, _ in ports.values() if p is not port and bundle and p.option("bundle") == bundle]
            shared = [p for p in shared if not _is_only_written(facts, p)]  # the channels of writes are others
            if mode != "m_axi":
                message = f"CACHE: the port is {mode}, a cache is for m_axi"
                yield facts.report(RULE, d.at, message, "remove it", [(port.at, "the port")])
            elif any(p.function == port.function for p in shared):
                message = f"CACHE: bundle {bundle} has another port that is read: a cache is for one"
                related = [(p.at, "the other port") for p in shared[:1]]
                yield facts.report(RULE, d.at, message, "give the cached port a bundle of its own", related)
        for ident in d.variables:
            written = next((a for a in facts.analysis.of_array(ident) if a.kind == "write"), None)
            if written is not None:
                message = f"CACHE: '{facts.program.variable(ident).name}' is written: a cache is for reads"
                hint = "remove it, or copy what is read into a local array"
                yield facts.report(RULE, d.at, message, hint, [(written.at, "the write")])


def _is_only_written(facts: Facts, port: Directive) -> bool:
    """Whether nothing reads from a port, as far as its accesses are known."""
    kinds = {a.kind for v in port.variables for a in facts.analysis.of_array(v)}
    return kinds == {"write"}
