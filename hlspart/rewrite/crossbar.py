"""Bank-centric code: each bank has its own load and store sites, and values are routed to their uses.

Per region (see :mod:`hlspart.rewrite.regions`): bank and word of each access, one load per bank
and lane whose address is that of the access that falls into the bank, a multiplexer per access;
stores are collected in variables and written at the end of the iteration, one store per bank and
lane. The text comes from ``templates/crossbar_*.c.j2``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hlspart.model.access import Affine
from hlspart.model.program import Program, ScalarType
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.declare import type_text
from hlspart.rewrite.formulas import Formulas
from hlspart.rewrite.linear import Linear
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
    start: str


@dataclass(frozen=True, slots=True)
class _Store:
    test: str
    array: str
    address: str
    data: str


def refuse_crossbar(program: Program, plan: Plan) -> Refusal | None:
    """What the bank-centric style cannot write."""
    for member in plan.group.members:
        kind = program.variable(member).as_array
        if kind is None or not isinstance(kind.element, ScalarType):
            return Refusal(
                "struct", "bank-centric code needs elements of an arithmetic type", program.variable(member).at
            )
    for region in plan.regions:
        if not region.loop.body.at.editable:
            return Refusal("macro", "the loop's body comes out of a macro", region.loop.at)
        for site in region.sites:
            if site.ref.at.kind not in ("plain", "argument"):
                return Refusal("macro", "the access comes out of a macro", site.ref.at)
            if site.write and site.conditional and (site.parent is None or not site.parent.at.editable):
                return Refusal("macro", "the assignment comes out of a macro", site.ref.at)
    return None


def edit_regions(plan: Plan, buffer: EditBuffer) -> Refusal | None:
    """Replace the uses inside each region by the names of their values; fixed elements directly."""
    for ref, x in plan.fixed:
        if not ref.at.editable:
            return Refusal("macro", "the access comes out of a macro", ref.at)
        number, index = plan.place(x)
        name = plan.names[ref.variable][number]
        buffer.replace(ref.at, name + "".join(f"[{i}]" for i in index))
    for region in plan.regions:
        for number, site in enumerate(region.sites):
            name = _stem(plan, region)
            slot = _slot_number(region, site)
            buffer.replace(site.ref.at, f"{name}_d{number}" if site.write else f"{name}_v{slot}")
    return None


def insert_regions(program: Program, plan: Plan, buffer: EditBuffer) -> None:
    """Insert the code before and after each region's body, and the macros before the first function."""
    assert plan.formulas is not None
    used_guard = used_pick = False
    for region in plan.regions:
        slots, loads, stores, ends = _code(program, plan, plan.formulas, region)
        used_guard |= any(s.guard for s in slots)
        used_pick |= any(s.value for s in slots)
        variable = program.variable(region.variable)
        kind = variable.as_array
        assert kind is not None
        begin = render(
            "crossbar_begin.c.j2",
            array=variable.name,
            element=type_text(kind.element),
            lanes=region.read_lanes,
            f=plan.formulas,
            slots=slots,
            loads=loads,
            stores=stores,
            dependences=plan.names[region.variable] if region.independent else (),
        )
        end = render("crossbar_end.c.j2", sites=ends)
        _place(program, region, begin, end, buffer)
        for data in stores:
            if data.enable is not None and data.site.parent is not None:
                span = data.site.parent.at.span
                buffer.insert(span.path, span.start, f"({data.enable} = 1, ")
                buffer.insert(span.path, span.end, ")")
    _insert_macros(program, plan, plan.formulas, used_guard, used_pick, buffer)


def _stem(plan: Plan, region: Region) -> str:
    """What the names of a region begin with: several regions share the scope of one body."""
    stem = plan.stems[region.variable]
    return f"{stem}_r{region.number}" if region.number else stem


def _slot_number(region: Region, site: Site) -> int:
    return list(dict.fromkeys(s.index for s in region.sites)).index(site.index)


def _code(
    program: Program, plan: Plan, formulas: Formulas, region: Region
) -> tuple[list[_Slot], list[_Load], list[_Data], list[_Store]]:
    stem = _stem(plan, region)
    slots: list[_Slot] = []
    for number, index in enumerate(dict.fromkeys(s.index for s in region.sites)):
        sites = [s for s in region.sites if s.index == index]
        read = next((s for s in sites if s.read), None)
        guarded = read is not None and all(s.conditional for s in sites)
        texts = [str(Linear(tuple((region.names[n], c) for n, c in f.terms), f.const)) for f in index]
        slots.append(
            _Slot(
                ", ".join(texts),
                " ".join(program.text(sites[0].ref.at).replace("*/", "* /").replace("/*", "/ *").split()),
                f"{stem}_b{number}",
                tuple(
                    (f"{stem}_w{number}" + (f"_{k}" if len(formulas.words) > 1 else ""), macro.name)
                    for k, macro in enumerate(formulas.words)
                ),
                f"{stem}_g{number}" if guarded else None,
                f"{stem}_v{number}" if read else None,
                f"{stem}_p{max(s.read_lane for s in sites)}_",
            )
        )
    by_index = dict(zip(dict.fromkeys(s.index for s in region.sites), slots, strict=True))
    arrays = plan.names[region.variable]
    loads = [
        _Load(f"{stem}_p{lane}_{b}", array, _read_address(formulas, b, _in_lane(region, by_index, lane)))
        for lane in range(region.read_lanes)
        for b, array in enumerate(arrays)
    ]
    stores = []
    for number, site in enumerate(region.sites):
        if site.write:
            start = by_index[site.index].value if site.read else "0"
            enable = f"{stem}_e{number}" if site.conditional else None
            stores.append(_Data(site, f"{stem}_d{number}", enable, start or "0"))
    ends = [
        store
        for b, array in enumerate(arrays)
        for lane in range(region.write_lanes)
        for store in [_store(formulas, b, array, [d for d in stores if d.site.write_lane == lane], by_index)]
    ]
    return slots, loads, stores, ends


def _in_lane(region: Region, by_index: Mapping[tuple[Affine, ...], _Slot], lane: int) -> list[_Slot]:
    return list(dict.fromkeys(by_index[s.index] for s in region.sites if s.read and s.read_lane == lane))


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
    by_index: Mapping[tuple[Affine, ...], _Slot],
) -> _Store:
    """The store of one bank and lane; of two stores to one element the later one counts."""
    ordered = [(d, by_index[d.site.index]) for d in reversed(datas)]
    tests = [_match(slot.bank, bank, d.enable) for d, slot in ordered]

    def chosen(values: Sequence[str]) -> str:
        *others, last = values
        return "".join(f"{test} ? {value} : " for test, value in zip(tests, others, strict=False)) + last

    address = "".join(f"[{chosen([slot.words[k][0] for _, slot in ordered])}]" for k in range(len(formulas.words)))
    grouped = [f"({t})" if "&&" in t and len(tests) > 1 else t for t in tests]
    return _Store(" || ".join(grouped), array, address, chosen([d.data for d, _ in ordered]))


def _place(program: Program, region: Region, begin: str, end: str, buffer: EditBuffer) -> None:
    """Put ``begin`` before the region's first statement and ``end`` behind its last, in braces where there are none."""
    first, last = region.first.at.span, region.last.at.span
    source = program.sources[first.path]
    number, column = source.line_column(first.start)
    line = source.line_text(number)
    indent = line[: len(line) - len(line.lstrip())]
    alone = column == len(indent) + 1
    newline = "\r\n" if "\r\n" in source.text[:2000] else "\n"
    braces = region.loop.body.braces
    inner = indent if alone and braces else indent + "    "

    def block(text: str) -> str:
        return "".join(newline + (one if one.startswith("#") else inner + one) for one in text.strip().split("\n"))

    before = block(begin) if not braces or not alone else block(begin).removeprefix(newline + inner)
    buffer.insert(first.path, first.start, ("" if braces else "{") + before + newline + inner)
    after = (block(end) if end.strip() else "") + ("" if braces else newline + indent + "}")
    rest = source.text[last.end :].split("\n", 1)[0]
    if after and braces and rest.strip() and rest.strip()[0] not in "}/":
        after += newline + inner.removesuffix(rest[: len(rest) - len(rest.lstrip())])  # no `if` guards what follows
    if after:
        buffer.insert(last.path, last.end, after, closing=True)


def _insert_macros(
    program: Program, plan: Plan, formulas: Formulas, guard: bool, pick: bool, buffer: EditBuffer
) -> None:
    functions = sorted(
        {program.functions[r.loop.function] for r in plan.regions}, key=lambda f: (f.unit, f.at.span.start)
    )
    for unit in dict.fromkeys(f.unit for f in functions):
        function = next(f for f in functions if f.unit == unit)
        root = program.variable(plan.owner)
        macros = [*formulas.helpers, formulas.bank, *formulas.words]
        macros += [formulas.inside] if guard else []
        macros += [formulas.pick] if pick else []
        text = render(
            "crossbar_macros.c.j2",
            array=root.name,
            extents="".join(f"[{n}]" for n in plan.layout.shape),
            banks=plan.layout.banks,
            axes=", ".join(f"x{k}" for k in range(len(plan.layout.shape))),
            f=formulas,
            macros=macros,
        )
        span = function.at.span
        buffer.insert(span.path, span.start, text)
