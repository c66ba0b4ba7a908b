"""``--dialect hls-library``: reads that fall into different banks become calls of Vitis HLS's ``hls::gather``.

Public facts (UG1399 2026.1, "HLS Array Partition Library", and AMD's introductory example
``array_partition_lib_simple``): ``hls::gather<T, K>(A, {i0, .., iK-1})`` of ``hls_array_partition.h``
reads K elements of a ``T *`` array partitioned ``cyclic factor=K`` in one cycle and gives an
``hls::vector<T, K>``; that the K indices lie in K different banks is the caller's promise. So the
array keeps its declaration and its pragma. ``hls::scatter`` is announced there, but the order of its
arguments is not public: stores stay in the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from hlspart.layouts.layout import Layout
from hlspart.model.access import Affine
from hlspart.model.program import Program, ScalarType, Variable
from hlspart.model.source import Span
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.declare import element_text
from hlspart.rewrite.linear import Linear
from hlspart.rewrite.placing import place
from hlspart.rewrite.plan import GroupRefusal, Plan
from hlspart.rewrite.pragmas import insert_partition
from hlspart.rewrite.regions import AccessRegion, Movement, TextAccess
from hlspart.rewrite.templates import render

HEADERS = ("hls_array_partition.h", "hls_vector.h")


class Gather(Struct, frozen=True):
    """One call: the index of each lane that is read. All differ by constants, none by a multiple of K."""

    indices: tuple[Affine, ...]

    def takes(self, index: Affine, banks: int) -> bool:
        """Whether ``index`` can be a further lane."""
        apart = [index - other for other in self.indices]
        return all(not d.terms and d.const % banks for d in apart)


class _Lane(Struct, frozen=True):
    index: str
    shown: str


class _Call(Struct, frozen=True):
    name: str
    lanes: tuple[_Lane, ...]


def calls_of(region: AccessRegion, banks: int) -> tuple[Gather, ...]:
    """The calls to write: one read alone needs none."""
    return tuple(g for g in gathers_of(region, banks) if len(g.indices) > 1)


def gathers_of(region: AccessRegion, banks: int) -> tuple[Gather, ...]:
    """The reads of a region that no store of the same iteration comes before, by the cycle that reads them."""
    gathers: list[Gather] = []
    for (index,) in dict.fromkeys(s.index for s in region.sites if _gathered(s)):
        home = next((k for k, g in enumerate(gathers) if g.takes(index, banks)), None)
        if home is None:
            gathers.append(Gather((index,)))
        else:
            gathers[home] = Gather((*gathers[home].indices, index))
    return tuple(gathers)


def _gathered(site: TextAccess) -> bool:
    return site.write is None and not site.forwards


def refuse_layout(variables: Sequence[Variable], layout: Layout, program: Program) -> GroupRefusal | None:
    """Arrays that the library cannot read."""
    first = variables[0]
    cyclic = len(layout.dims) == 1 and layout.dims[0].modulus is not None and layout.dims[0].has_local
    if not cyclic:
        return GroupRefusal("dialect", "hls::gather reads one-dimensional arrays of cyclic partition only", first.at)
    for variable in variables:
        path = variable.at.span.path
        if any(u.path == path and u.language != "c++" for u in program.units):
            return GroupRefusal("dialect", f"hls::gather is C++, and {path} is C", variable.at)
        array = variable.as_array
        if variable.const or array is None or not isinstance(array.element, ScalarType):
            return GroupRefusal(
                "dialect", f"hls::gather takes T * of a scalar T that is not const: '{variable.name}'", first.at
            )
    return None


def refuse_movement(program: Program, movement: Movement, banks: int) -> GroupRefusal | None:
    """Accesses that would need more accesses per bank than bank-centric code needs."""
    for region in movement.regions:
        gathers = gathers_of(region, banks)
        kept = [s for s in region.sites if not _gathered(s)]
        loads, stores = [s for s in kept if s.loads], [s for s in kept if s.write is not None]
        if len(stores) > region.write_lanes:
            reason = "stores to several banks in one iteration need hls::scatter, whose arguments are not public"
            return GroupRefusal("dialect", reason, stores[-1].ref.at)
        if len(gathers) + len(loads) > region.read_lanes:
            reason = "a load cannot join a call of hls::gather: it follows a store, or its distance to others varies"
            return GroupRefusal("dialect", reason, (loads or [s for s in region.sites if _gathered(s)])[-1].ref.at)
        for gather in gathers:
            if all((i,) in region.outside for i in gather.indices):
                return GroupRefusal(
                    "dialect", "no index of the call is inside the array in every iteration", region.loop.at
                )
        for site in region.sites:
            if _gathered(site) and site.ref.at.kind not in ("plain", "argument"):
                return GroupRefusal("macro", "the access comes out of a macro", site.ref.at)
        if gathers and not region.loop.body.at.editable:
            return GroupRefusal("macro", "the loop's body comes out of a macro", region.loop.at)
    return None


def edit_gather(program: Program, plan: Plan, buffer: EditBuffer) -> GroupRefusal | None:
    """Replace the reads by lanes of the calls, and put the calls before the statements that use them."""
    (dim,) = plan.layout.dims
    files: dict[str, None] = {}
    for region in plan.movement.regions:
        gathers = calls_of(region, dim.banks)
        if not gathers:
            continue
        variable = program.variable(region.variable)
        array = variable.as_array
        assert array is not None
        stem = plan.stems[variable.id] + (f"_r{region.number}" if region.number else "")
        calls = []
        for number, gather in enumerate(gathers):
            name = f"{stem}_v{number}"
            calls.append(_Call(name, tuple(_lanes(program, region, gather, dim.banks, dim.extent))))
            for site in region.sites:
                if _gathered(site) and site.index[0] in gather.indices:
                    buffer.replace(site.ref.at, f"{name}[{gather.indices.index(site.index[0])}]")
        text = render(
            "gather_begin.c.j2",
            array=variable.name,
            element=element_text(program, variable),
            banks=dim.banks,
            calls=calls,
            dependences=[variable.name] if region.independent else (),
            independent=region.independent,
        )
        place(program, region, text, "", buffer)
        files[region.first.at.span.path] = None
    for path in files:
        _include(program, path, buffer)
    return insert_partition(program, plan, dim.banks, buffer)


def _lanes(program: Program, region: AccessRegion, gather: Gather, banks: int, extent: int) -> list[_Lane]:
    """All K lanes: the indices that are read, then words of the first row in the banks that are left."""
    base = next(i for i in gather.indices if (i,) not in region.outside)

    def text(index: Affine) -> str:
        return str(Linear(tuple((region.names[n], c) for n, c in index.terms), index.const))

    def first_row(distance: int) -> str:
        return f"(size_t)({text(base + Affine.of({}, distance))}) % {banks}"

    lanes = []
    for index in gather.indices:
        own = f"(size_t)({text(index)})"
        if (index,) in region.outside:  # not read where it is outside, and then another word of its bank does
            own = f"{own} < {extent} ? {own} : {first_row((index - base).const % banks)}"
        shown = next(program.text(s.ref.at) for s in region.sites if s.index == (index,))
        lanes.append(_Lane(own, " ".join(shown.replace("*/", "* /").replace("/*", "/ *").split())))
    taken = {(index - base).const % banks for index in gather.indices}
    lanes += [_Lane(first_row(d), "not used") for d in range(banks) if d not in taken]
    return lanes


def _include(program: Program, path: str, buffer: EditBuffer) -> None:
    """The headers at the top of the file, where they are not there already."""
    text = program.sources[path].text
    for header in HEADERS:
        line = f'#include "{header}"\n'
        there = re.search(rf'^[ \t]*#[ \t]*include[ \t]*["<]{re.escape(header)}[">]', text, re.M)
        start = len(text) - len(text.removeprefix("\ufeff"))
        if there is None and line not in buffer.text(Span(path, start, start)):
            buffer.insert(path, start, line)
