"""Bank-centric code: each bank has its own load and store sites, and values are routed to their uses.

Per region (see :mod:`hlspart.rewrite.regions`): bank and word of each access, one load per bank
and lane whose address is that of the access that falls into the bank, a multiplexer per access;
stores are collected in variables and written at the end of the iteration, one store per bank and
lane. A load behind a store of the same iteration compares their elements and takes the stored
value. The text comes from ``templates/crossbar_*.c.j2``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hlspart.model.access import Affine
from hlspart.model.program import ArrayType, CType, Program, ScalarType
from hlspart.model.rewriting import Crossbar
from hlspart.model.source import one_line
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.declare import type_text
from hlspart.rewrite.formulas import Formulas
from hlspart.rewrite.inplace import Wrap, direct_macros, direct_wraps, edit_direct, refuse_direct
from hlspart.rewrite.linear import Linear
from hlspart.rewrite.placing import insert_macros, place, quiet_orphans
from hlspart.rewrite.plan import Plan, Refusal
from hlspart.rewrite.regions import Region, Site
from hlspart.rewrite.templates import render


@dataclass(frozen=True, slots=True)
class _Slot:
    """One distinct index of a region and the names of what is computed for it."""

    index: str
    shown: str
    bank: str
    words: tuple[tuple[str, str], ...]  # (variable, macro)
    guard: str | None
    value: str | None
    lane: str


@dataclass(frozen=True, slots=True)
class _Load:
    name: str
    array: str
    address: str


@dataclass(frozen=True, slots=True)
class _Data:
    """A collected store: where its value waits, and its enable when it does not happen in every iteration."""

    site: Site
    data: str
    enable: str | None
    start: str | None  # initial value
    idle: bool  # nothing reads or stores it: a later store of every iteration goes to the same element


@dataclass(frozen=True, slots=True)
class _Store:
    test: str
    array: str
    address: str
    data: str


@dataclass(frozen=True)
class _Code:
    """What the templates print of one region."""

    slots: Mapping[tuple[Affine, ...], _Slot]  # by index
    loads: Sequence[_Load]
    data: Mapping[int, _Data]  # by ArrayRef.id of the store
    stores: Sequence[_Store]


def refuse_crossbar(program: Program, plan: Plan) -> Refusal | None:
    """What the bank-centric style cannot write."""
    for member in plan.group.members:
        variable = program.variable(member)
        kind = variable.as_array
        if kind is None or type_text(kind.element) is None or isinstance(kind.element, ArrayType):
            return Refusal("struct", f"the elements of '{variable.name}' have a type without a name", variable.at)
    for region in plan.movement.regions:
        if not region.loop.body.at.editable:
            return Refusal("macro", "the loop's body comes out of a macro", region.loop.at)
        for site in region.sites:
            if site.ref.at.kind not in ("plain", "argument"):
                return Refusal("macro", "the access comes out of a macro", site.ref.at)
            if site.write is None or not (site.conditional or (site.forwards and site.takes)):
                continue  # nothing goes around the assignment
            if site.writer is None or not site.writer.node.at.editable:
                return Refusal("macro", "the assignment comes out of a macro", site.ref.at)
    writers = [s.writer for r in plan.movement.regions for s in r.sites]
    writers += [d.writer for d in plan.movement.direct]
    for writer in writers:
        if writer is not None and writer.partial and writer.nested:
            return Refusal("struct", "one expression stores to a member and has another store in it", writer.node.at)
    return refuse_direct(plan)


def edit_regions(program: Program, plan: Plan, buffer: EditBuffer) -> Refusal | None:
    """Replace the uses inside each region by the names of their values; fixed elements directly."""
    for ref, x in plan.movement.fixed:
        if not ref.at.editable:
            return Refusal("macro", "the access comes out of a macro", ref.at)
        number, index = plan.place(x)
        name = plan.names[ref.variable][number]
        buffer.replace(ref.at, name + "".join(f"[{i}]" for i in index))
    assert plan.formulas is not None
    for region in plan.movement.regions:
        code = _code(program, plan, plan.formulas, region)
        for site in region.sites:
            stored = code.data.get(site.ref.id)
            text = stored.data if stored is not None else _value(site, code)
            buffer.replace(site.ref.at, text)
    return edit_direct(program, plan, buffer)


def insert_regions(program: Program, plans: Sequence[Plan], buffer: EditBuffer) -> None:
    """Insert the code before and after each region's body, and the macros before the first function."""
    wraps: list[Wrap] = []
    for plan in plans:
        assert plan.formulas is not None
        codes = [_code(program, plan, plan.formulas, region) for region in plan.movement.regions]
        for region, code in zip(plan.movement.regions, codes, strict=True):
            _insert_region(program, plan, plan.formulas, region, code, buffer)
            wraps += _wraps(region, code)
        wraps += direct_wraps(program, plan, buffer)
        macros = [*plan.formulas.helpers, plan.formulas.bank, *plan.formulas.words]
        macros += [plan.formulas.inside] if any(s.guard for c in codes for s in c.slots.values()) else []
        macros += [plan.formulas.pick] if any(s.value for c in codes for s in c.slots.values()) else []
        insert_macros(program, plan, [*macros, *direct_macros(program, plan)], buffer)
    quiet_orphans(program, plans, buffer)
    for wrap in sorted(wraps, key=lambda w: (w.span.path, w.span.start, -w.span.end)):
        buffer.insert(wrap.span.path, wrap.span.start, wrap.before)
    for wrap in sorted(wraps, key=lambda w: (w.span.path, w.span.end, w.span.start)):
        buffer.insert(wrap.span.path, wrap.span.end, wrap.after, closing=True)


def crossbars(program: Program, plan: Plan) -> Iterator[Crossbar]:
    """What the bank-centric code of a group costs, by loop body."""
    banks = plan.layout.banks
    for region in plan.movement.regions:
        loaded = [{s.index for s in region.sites if s.loads and s.read_lane == k} for k in range(region.read_lanes)]
        stored = [[s for s in region.sites if s.stores and s.write_lane == k] for k in range(region.write_lanes)]
        yield Crossbar(
            program.variable(region.variable).name, region.loop.function, region.loop.at.span.path, region.loop.name,
            program.line(region.loop.at), banks, len(region.sites), region.read_lanes, region.write_lanes,
            max(map(len, loaded), default=0), banks if loaded else 0, max(map(len, stored), default=0),
        )  # fmt: skip
    for direct in plan.movement.direct:
        loads = direct.writer is None or direct.reads or direct.writer.partial
        yield Crossbar(
            program.variable(direct.ref.variable).name, direct.function, direct.ref.at.span.path, None,
            program.line(direct.ref.at), banks, 1, int(loads), int(direct.writes), 1, banks if loads else 0,
            int(direct.writes), direct.why.reason,
        )  # fmt: skip


def _insert_region(
    program: Program, plan: Plan, formulas: Formulas, region: Region, code: _Code, buffer: EditBuffer
) -> None:
    variable = program.variable(region.variable)
    element = _element(program, region)
    begin = render(
        "crossbar_begin.c.j2",
        array=variable.name,
        element=type_text(element),
        lanes=region.read_lanes,
        banks=plan.layout.banks,
        f=formulas,
        slots=list(code.slots.values()),
        loads=code.loads,
        stores=list(code.data.values()),
        dependences=plan.names[region.variable] if region.independent else (),
        independent=region.independent,
        apart=plan.names[region.variable] if region.apart and region.write_lanes > 1 else (),
    )
    place(
        program,
        region,
        begin,
        render("crossbar_end.c.j2", sites=code.stores, idle=[d.data for d in code.data.values() if d.idle]),
        buffer,
    )


def _element(program: Program, region: Region) -> CType:
    kind = program.variable(region.variable).as_array
    assert kind is not None
    return kind.element


def _wraps(region: Region, code: _Code) -> list[Wrap]:
    """What an assignment needs around it: its enable, and the old value where an earlier store may give it."""
    wraps = []
    for site in region.sites:
        data = code.data.get(site.ref.id)
        if data is None or site.writer is None:
            continue
        steps = [f"{data.enable} = 1"] if data.enable is not None else []
        if site.forwards and site.takes:
            steps.append(f"{data.data} = {_value(site, code)}")
        if steps:
            wraps.append(Wrap(site.writer.node.at.span, "(" + "".join(f"{s}, " for s in steps), ")"))
    return wraps


def _stem(plan: Plan, region: Region) -> str:
    """What the names of a region begin with: several regions share the scope of one body."""
    stem = plan.stems[region.variable]
    return f"{stem}_r{region.number}" if region.number else stem


def _value(site: Site, code: _Code) -> str:
    """The value that ``site`` sees: what an earlier store to its element left, else what was loaded."""
    slot = code.slots[site.index]
    text = ""
    for forward in site.forwards:
        data = code.data[forward.store]
        other = code.slots[data.site.index]
        tests = [data.enable] if data.enable is not None else []
        if not forward.same:
            pairs = [(other.bank, slot.bank)]
            pairs += [(a, b) for (a, _), (b, _) in zip(other.words, slot.words, strict=True)]
            tests += [f"{a} == {b}" for a, b in pairs]
        if not tests:
            return f"({text}{data.data})" if text else data.data
        text += f"{' && '.join(tests)} ? {data.data} : "
    assert slot.value is not None
    return f"({text}{slot.value})" if text else slot.value


def _code(program: Program, plan: Plan, formulas: Formulas, region: Region) -> _Code:
    stem = _stem(plan, region)
    users: dict[tuple[Affine, ...], list[Site]] = {}
    for site in region.sites:
        users.setdefault(site.index, []).append(site)
    slots: dict[tuple[Affine, ...], _Slot] = {}
    for number, (index, sites) in enumerate(users.items()):
        lanes = {s.read_lane for s in sites if s.loads}
        texts = [str(Linear(tuple((region.names[n], c) for n, c in f.terms), f.const)) for f in index]
        slots[index] = _Slot(
            ", ".join(texts),
            one_line(program.text(sites[0].ref.at)).replace("*/", "* /").replace("/*", "/ *"),
            f"{stem}_b{number}",
            tuple(
                (f"{stem}_w{number}" + (f"_{k}" if len(formulas.words) > 1 else ""), macro.name)
                for k, macro in enumerate(formulas.words)
            ),
            f"{stem}_g{number}" if index in region.outside else None,
            f"{stem}_v{number}" if lanes else None,
            f"{stem}_p{max(lanes, default=0)}_",
        )
    arrays = plan.names[region.variable]
    loads = [
        _Load(f"{stem}_p{lane}_{b}", array, _read_address(formulas, b, _in_lane(region, slots, lane)))
        for lane in range(region.read_lanes)
        for b, array in enumerate(arrays)
    ]
    zero = "0" if isinstance(_element(program, region), ScalarType) else "{0}"
    sources = {f.store for s in region.sites for f in s.forwards}
    data: dict[int, _Data] = {}
    for number, site in enumerate(region.sites):
        if site.write is not None:
            start = zero if site.conditional else None
            if site.takes and not site.forwards:
                start = slots[site.index].value
            idle = not site.stores and site.ref.id not in sources
            enable = f"{stem}_e{number}" if site.conditional and not idle else None
            data[site.ref.id] = _Data(site, f"{stem}_d{number}", enable, start, idle)
    ends = [
        store
        for b, array in enumerate(arrays)
        for lane in range(region.write_lanes)
        for store in [_store(formulas, b, array, [d for d in data.values() if d.site.write_lane == lane], slots)]
    ]
    return _Code(slots, loads, data, ends)


def _in_lane(region: Region, slots: Mapping[tuple[Affine, ...], _Slot], lane: int) -> list[_Slot]:
    return list(dict.fromkeys(slots[s.index] for s in region.sites if s.loads and s.read_lane == lane))


def _read_address(formulas: Formulas, bank: int, slots: Sequence[_Slot]) -> str:
    """Address of the load of one bank: the word of the access that falls into it, else 0."""
    text = ""
    for k in range(len(formulas.words)):
        chain = "".join(f"{_match(s.bank, bank, s.guard)} ? {s.words[k][0]} : " for s in slots)
        text += f"[{chain}0]"
    return text


def _match(name: str, bank: int, guard: str | None) -> str:
    return f"{guard} && {name} == {bank}" if guard else f"{name} == {bank}"


def _store(
    formulas: Formulas,
    bank: int,
    array: str,
    datas: Sequence[_Data],
    slots: Mapping[tuple[Affine, ...], _Slot],
) -> _Store:
    """The store of one bank and lane; of two stores to one element the later one counts."""
    late = sorted(datas, key=lambda d: -d.site.write.order if d.site.write is not None else 0)
    ordered = [(d, slots[d.site.index]) for d in late]
    tests = [_match(slot.bank, bank, d.enable) for d, slot in ordered]

    def chosen(values: Sequence[str]) -> str:
        *others, last = values
        return "".join(f"{test} ? {value} : " for test, value in zip(tests, others, strict=False)) + last

    address = "".join(f"[{chosen([slot.words[k][0] for _, slot in ordered])}]" for k in range(len(formulas.words)))
    grouped = [f"({t})" if "&&" in t and len(tests) > 1 else t for t in tests]
    return _Store(" || ".join(grouped), array, address, chosen([d.data for d, _ in ordered]))
