"""Bank-centric code: each bank has its own load and store sites, and values are routed to their uses.

Per region (see :mod:`hlspart.rewrite.regions`): bank and word of each access, one load per bank
and lane whose address is that of the access that falls into the bank, a multiplexer per access;
stores are collected in variables and written at the end of the iteration, one store per bank and
lane. A load behind a store of the same iteration compares their elements and takes the stored
value. The text comes from ``templates/crossbar_*.c.j2``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hlspart.model.access import Affine
from hlspart.model.program import ArrayType, Program, StructType, storage_bits
from hlspart.model.rewriting import Crossbar
from hlspart.model.source import one_line
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.declare import constant_text, element_text, zero_text
from hlspart.rewrite.formulas import Formulas
from hlspart.rewrite.inplace import Wrap, direct_macros, direct_wraps, edit_direct, refuse_direct
from hlspart.rewrite.linear import Linear
from hlspart.rewrite.placing import insert_macros, place, quiet_orphans
from hlspart.rewrite.plan import GroupRefusal, Plan
from hlspart.rewrite.regions import AccessRegion, TextAccess
from hlspart.rewrite.templates import render


class _Slot(Struct, frozen=True):
    """One distinct index of a region and the names of what is computed for it.

    Where its bank is always the same, ``steady``, ``bank`` is its number and ``value`` what its one load gives.
    Where its element is, too, ``words`` are numbers.
    """

    index: str
    shown: str
    bank: str
    steady: int | None
    words: tuple[str, ...]
    computed: tuple[tuple[str, str], ...]  # what of this is a variable, and its macro
    guard: str | None
    value: str | None
    lane: str

    def match(self, bank: int, guard: str | None) -> str | None:
        """Test for being in ``bank`` under ``guard``: "" is always, None is never."""
        if self.steady is not None:
            return None if self.steady != bank else guard or ""
        return f"{guard} && {self.bank} == {bank}" if guard else f"{self.bank} == {bank}"


class _Load(Struct, frozen=True):
    name: str
    array: str
    address: str


class _Data(Struct, frozen=True):
    """A collected store: where its value waits, and its enable when it does not happen in every iteration."""

    site: TextAccess
    data: str
    enable: str | None
    start: str | None  # initial value
    idle: bool = False  # nothing reads or stores it: a later store of every iteration goes to the same element


class _Store(Struct, frozen=True):
    test: str
    array: str
    address: str
    data: str


class _Code(Struct, frozen=True):
    """What the templates print of one region."""

    slots: Mapping[tuple[Affine, ...], _Slot]  # by index
    loads: Sequence[_Load]
    data: Mapping[int, _Data]  # by ArrayRef.id of the store
    stores: Sequence[_Store]


def refuse_crossbar(program: Program, plan: Plan) -> GroupRefusal | None:
    """What the bank-centric style cannot write."""
    for member in plan.group.members:
        variable = program.variable(member)
        kind = variable.as_array
        if kind is None or element_text(program, variable) is None or isinstance(kind.element, ArrayType):
            return GroupRefusal("struct", f"the elements of '{variable.name}' have a type without a name", variable.at)
        if isinstance(kind.element, StructType) and not kind.element.assignable:
            return GroupRefusal("struct", f"the elements of '{variable.name}' have constant members", variable.at)
    for region in plan.movement.regions:
        if not region.loop.body.at.editable:
            return GroupRefusal("macro", "the loop's body comes out of a macro", region.loop.at)
        for site in region.sites:
            if site.ref.at.kind not in ("plain", "argument"):
                return GroupRefusal("macro", "the access comes out of a macro", site.ref.at)
            if site.write is None or not (site.conditional or (site.forwards and site.takes)):
                continue  # nothing goes around the assignment
            if site.writer is None or not site.writer.node.at.editable:
                return GroupRefusal("macro", "the assignment comes out of a macro", site.ref.at)
    writers = [s.writer for r in plan.movement.regions for s in r.sites]
    writers += [d.writer for d in plan.movement.direct]
    for writer in writers:
        if writer is not None and writer.partial and writer.nested:
            return GroupRefusal(
                "struct", "one expression stores to a member and has another store in it", writer.node.at
            )
    return refuse_direct(plan)


def edit_regions(program: Program, plan: Plan, buffer: EditBuffer) -> GroupRefusal | None:
    """Replace the uses inside each region by the names of their values; fixed elements directly."""
    for ref, x in plan.movement.fixed:
        if not ref.at.editable:
            return GroupRefusal("macro", "the access comes out of a macro", ref.at)
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
        picked = any(s.value and s.steady is None for c in codes for s in c.slots.values())
        macros += [plan.formulas.pick] if picked else []
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
            _bits(program, region.variable),
        )  # fmt: skip
    for direct in plan.movement.direct:
        loads = direct.writer is None or direct.reads or direct.writer.partial
        yield Crossbar(
            program.variable(direct.ref.variable).name, direct.function, direct.ref.at.span.path, None,
            program.line(direct.ref.at), banks, 1, int(loads), int(direct.writes), 1, banks if loads else 0,
            int(direct.writes), _bits(program, direct.ref.variable), direct.why.reason,
        )  # fmt: skip


def _bits(program: Program, variable: int) -> int:
    """Width of the elements of an array."""
    of = program.variable(variable).as_array
    return (storage_bits(of.element) if of is not None else None) or 32


def _insert_region(
    program: Program, plan: Plan, formulas: Formulas, region: AccessRegion, code: _Code, buffer: EditBuffer
) -> None:
    variable = program.variable(region.variable)
    element = element_text(program, variable)
    assert element is not None
    begin = render(
        "crossbar_begin.c.j2",
        array=variable.name,
        element=element,
        constant=constant_text(element),
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


def _wraps(region: AccessRegion, code: _Code) -> list[Wrap]:
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


def _stem(plan: Plan, region: AccessRegion) -> str:
    """What the names of a region begin with: several regions share the scope of one body."""
    stem = plan.stems[region.variable]
    return f"{stem}_r{region.number}" if region.number else stem


def _value(site: TextAccess, code: _Code) -> str:
    """The value that ``site`` sees: what an earlier store to its element left, else what was loaded."""
    slot = code.slots[site.index]
    text = ""
    for forward in site.forwards:
        data = code.data[forward.store]
        other = code.slots[data.site.index]
        tests = [data.enable] if data.enable is not None else []
        if not forward.same:
            pairs = [(other.bank, slot.bank)]
            pairs += zip(other.words, slot.words, strict=True)
            tests += [f"{a} == {b}" for a, b in pairs if a != b]
        if not tests:
            return f"({text}{data.data})" if text else data.data
        text += f"{' && '.join(tests)} ? {data.data} : "
    assert slot.value is not None
    return f"({text}{slot.value})" if text else slot.value


def _code(program: Program, plan: Plan, formulas: Formulas, region: AccessRegion) -> _Code:
    stem = _stem(plan, region)
    users: dict[tuple[Affine, ...], list[TextAccess]] = {}
    for site in region.sites:
        users.setdefault(site.index, []).append(site)
    slots: dict[tuple[Affine, ...], _Slot] = {}
    for number, (index, sites) in enumerate(users.items()):
        lanes = {s.read_lane for s in sites if s.loads}
        texts = [str(Linear(tuple((region.names[n], c) for n, c in f.terms), f.const)) for f in index]
        lane = f"{stem}_p{max(lanes, default=0)}_"
        steady = sites[0].bank
        words = [f"{stem}_w{number}" + (f"_{k}" if len(formulas.words) > 1 else "") for k in range(len(formulas.words))]
        constant = steady is not None and not any(form.terms for form in index)
        if constant:
            words = [str(x) for x in plan.place(tuple(form.const for form in index))[1]]
        bank = f"{stem}_b{number}" if steady is None else str(steady)
        computed = [(bank, formulas.bank.name)] if steady is None else []
        computed += [] if constant else zip(words, (macro.name for macro in formulas.words), strict=True)
        slots[index] = _Slot(
            ", ".join(texts),
            one_line(program.text(sites[0].ref.at)).replace("*/", "* /").replace("/*", "/ *"),
            bank,
            steady,
            tuple(words),
            tuple(computed),
            f"{stem}_g{number}" if index in region.outside else None,
            None if not lanes else f"{stem}_v{number}" if steady is None else f"{lane}{steady}",
            lane,
        )
    arrays = plan.names[region.variable]
    loads = [
        _Load(f"{stem}_p{lane}_{b}", array, address)
        for lane in range(region.read_lanes)
        for b, array in enumerate(arrays)
        for address in [_read_address(b, _in_lane(region, slots, lane))]
        if address is not None
    ]
    zero = zero_text(program, program.variable(region.variable))
    sources = {f.store for s in region.sites for f in s.forwards}
    data: dict[int, _Data] = {}
    for number, site in enumerate(region.sites):
        if site.write is not None:
            start = zero if site.conditional else None
            if site.takes and not site.forwards:
                start = slots[site.index].value
            enable = f"{stem}_e{number}" if site.conditional and (site.stores or site.ref.id in sources) else None
            data[site.ref.id] = _Data(site, f"{stem}_d{number}", enable, start)
    ends = [
        store
        for b, array in enumerate(arrays)
        for lane in range(region.write_lanes)
        for store in [_store(b, array, [d for d in data.values() if d.site.write_lane == lane], slots)]
        if store is not None
    ]
    code = _Code(slots, loads, data, ends)
    values = [_value(site, code) for site in region.sites if site.ref.id not in data or (site.forwards and site.takes)]
    wording = " ".join([*values, *(x.address for x in loads), *(f"{x.test} {x.address} {x.data}" for x in ends)])
    return _only_named(code, frozenset(re.findall(r"\w+", wording)))


def _only_named(code: _Code, names: frozenset[str]) -> _Code:
    """``code`` without what nothing takes: another access has the element in every iteration."""
    slots = {
        index: replace(slot, computed=tuple(x for x in slot.computed if x[0] in (names | picked)))
        for index, slot in code.slots.items()
        for picked in [{slot.bank} if slot.value is not None and slot.steady is None else set()]
    }
    data = {ref: one if one.data in names else replace(one, enable=None, idle=True) for ref, one in code.data.items()}
    return replace(code, slots=slots, data=data)


def _in_lane(region: AccessRegion, slots: Mapping[tuple[Affine, ...], _Slot], lane: int) -> list[_Slot]:
    return list(dict.fromkeys(slots[s.index] for s in region.sites if s.loads and s.read_lane == lane))


def _chosen(tests: Sequence[str], values: Sequence[str], otherwise: str | None = None) -> str:
    """The value of the first test that holds; the last one's where ``otherwise`` is not given."""
    text = ""
    for k, (test, value) in enumerate(zip(tests, values, strict=True)):
        if test == "" or (otherwise is None and k == len(tests) - 1):
            return text + value
        text += f"{test} ? {value} : "
    return f"{text}{otherwise}"


def _read_address(bank: int, slots: Sequence[_Slot]) -> str | None:
    """Address of the load of one bank: the word of the access that falls into it, else 0; None where none can."""
    matching = [(test, s) for s in slots for test in [s.match(bank, s.guard)] if test is not None]
    if not matching:
        return None
    tests = [test for test, _ in matching]
    return "".join(f"[{_chosen(tests, words, '0')}]" for words in zip(*(s.words for _, s in matching), strict=True))


def _store(bank: int, array: str, datas: Sequence[_Data], slots: Mapping[tuple[Affine, ...], _Slot]) -> _Store | None:
    """The store of one bank and lane, if any falls into it; of two stores to one element the later one counts."""
    latest_first = sorted(datas, key=lambda d: -d.site.write.order if d.site.write is not None else 0)
    pairs = [(d, slots[d.site.index]) for d in latest_first]
    matching = [(test, d, slot) for d, slot in pairs for test in [slot.match(bank, d.enable)] if test is not None]
    if not matching:
        return None
    tests = [test for test, _, _ in matching]
    address = "".join(f"[{_chosen(tests, words)}]" for words in zip(*(s.words for _, _, s in matching), strict=True))
    grouped = [f"({t})" if "&&" in t and len(tests) > 1 else t for t in tests]
    test = "" if "" in tests else " || ".join(grouped)
    return _Store(test, array, address, _chosen(tests, [d.data for _, d, _ in matching]))
