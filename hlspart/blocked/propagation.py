"""From demands to layouts: the values that nests hand each other, and where an array is converted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from hlspart.blocked.channels import ELEMENT_BYTES, channel_layout
from hlspart.blocked.cut import CutValue, cost, least, spread
from hlspart.blocked.plan import LayoutPlan
from hlspart.blocked.requests import LayoutRequests, finding, requests
from hlspart.buffers.lifetimes import Lifetimes, Summaries
from hlspart.buffers.steps import Table
from hlspart.model.access import AccessAnalysis
from hlspart.model.blocked import (
    ANY,
    BLOCKED,
    COMPACT,
    ArrayLayout,
    ChannelLayout,
    Conversion,
    Kind,
    LayoutNest,
    Propagation,
    TileLayout,
)
from hlspart.model.buffers import Touch
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Assign,
    Binary,
    Expr,
    Function,
    Jump,
    Label,
    Loop,
    Program,
    Return,
    ScalarType,
    Stmt,
    Variable,
    expressions,
    storage_bits,
    walk,
    walk_statements,
)
from hlspart.rewrite.uses import Uses
from hlspart.sets.lifetimes import covered, values
from hlspart.sets.region import TooHard
from hlspart.transform.printer import type_text


@dataclass
class Version:
    """What an array holds between two writes: who makes it (None: nobody) and who uses it; nodes by number."""

    producer: int | None
    users: list[int] = field(default_factory=list)


class Propagator:
    """One function. Node k is its statement k; one more node is its interface."""

    def __init__(
        self, program: Program, analysis: AccessAnalysis, name: str, interface: Mapping[str, Kind], plan: LayoutPlan
    ) -> None:
        self.program, self.analysis = program, analysis
        self.function: Function = program.functions[name]
        self.statements: tuple[Stmt, ...] = self.function.body.body
        self.asked: LayoutRequests = requests(program, self.function, plan)
        self.interface = len(self.statements)
        self.given = interface
        self.table = self._table(name)
        self.lifetimes = Lifetimes(self.table, Summaries(program, self._table))
        self.unit_of = self.table.units

    def _table(self, name: str) -> Table:
        return Table(self.program, self.analysis, self.program.functions[name], lambda _: True, False, 0)

    # ------------------------------------------------------------------------------ arrays

    @cached_property
    def arrays(self) -> dict[int, Variable]:
        """Arrays that the function touches."""
        ids = {a.array for a in self.table.accesses()} | {e.actual for e in self.table.edges()}
        found = (self.program.variable(v) for v in sorted(ids))
        return {v.id: v for v in found if v.is_array}

    @cached_property
    def uses(self) -> Uses:
        """Of all arrays."""
        return Uses(self.program)

    def constant(self, variable: Variable) -> bool:
        """Whether the elements keep their initial values, so that they can be laid out before the program runs."""
        written = any(a.kind == "write" for a in self.analysis.of_array(variable.id))
        return variable.init is not None and not written and (variable.const or variable.storage != "global")

    def form(self, variable: Variable) -> ChannelLayout | TileLayout | None:
        """The blocked layout of an array, None where it can have none."""
        if variable.id in self.asked.tiles:
            return TileLayout(tuple(d or 1 for d in variable.dims), self.asked.tiles[variable.id])
        assert isinstance(variable.type, ArrayType)
        element = variable.type.element
        kind = dtype(element) if isinstance(element, ScalarType) else None
        if kind is None or not variable.dims:
            return None
        if len(variable.dims) > 4:
            return None
        dims = [d or 1 for d in variable.dims]
        batch = math.prod(dims[:-3])
        height, width, channels = [1] * (3 - len(dims[-3:])) + dims[-3:]
        return channel_layout((batch, height, width, channels), kind)

    def obstacle(self, variable: Variable) -> str | None:
        """Why an array must stay as it is."""
        assert isinstance(variable.type, ArrayType)
        if None in variable.dims or self.form(variable) is None or type_text(variable.type.element) is None:
            return "has no blocked layout: its element type or extents do not allow one"
        if variable.volatile or variable.extern:
            return "is volatile or defined elsewhere"
        named = [d for d in self.program.directives if d.usable and variable.id in d.variables]
        if named and not (variable.storage == "parameter" and all(d.kind == "interface" for d in named)):
            return f"is named by {named[0].kind.upper()}"
        given = {unit.path for unit in self.program.units}
        for use in self.uses.by_variable.get(variable.id, ()):
            if use.kind == "argument":
                continue  # its nest stays compact
            if use.kind != "element":
                return "is used other than by its elements"
            node = use.node
            assert isinstance(node, ArrayRef)
            plain = node.at.editable and len(node.brackets) == len(variable.dims)
            if not plain or not all(b.editable for b in node.brackets) or node.at.span.path not in given:
                return "is used in a macro or through a pointer"
        declarator = variable.declarations[0]
        if not declarator.declarator.editable or not declarator.statement.editable:
            return "is declared in a macro"
        if variable.storage in ("local", "static") and variable.scope != self.function.body.id:
            return "is declared in an inner block"
        if variable.function is None:
            return None if self.constant(variable) else "is used by other functions, too"
        return None

    # ------------------------------------------------------------------------------- nests

    @cached_property
    def touched(self) -> list[set[int]]:
        """Arrays of every statement."""
        found: list[set[int]] = [set() for _ in self.statements]
        for access in self.table.accesses():
            stmt = self.table.owners.get(access.ref)
            if stmt in self.unit_of:
                found[self.unit_of[stmt]].add(access.array)
        for edge in self.table.edges():
            stmt = self.table.owners.get(edge.call)
            if stmt in self.unit_of:
                found[self.unit_of[stmt]].add(edge.actual)
        return found

    def demands(self) -> tuple[list[Kind], list[str], list[Diagnostic]]:
        """What every statement demands and why; errors where it cannot have that."""
        wrong: list[Diagnostic] = []
        kinds: list[Kind] = []
        reasons: list[str] = []
        handed = {self.unit_of.get(s) for e in self.table.edges() if (s := self.table.owners.get(e.call)) is not None}
        straight = not any(
            (isinstance(s, Jump | Label) and getattr(s, "kind", "goto") == "goto")
            or (isinstance(s, Return) and s is not self.statements[-1])
            for s in walk_statements(self.function.body)
        )  # fmt: skip
        for k, stmt in enumerate(self.statements):
            asked = self.asked.nests.get(k)
            stuck = self._stuck(k, k in handed, straight)
            wished = any(self.asked.variables.get(v) == BLOCKED for v in self.touched[k])
            if stuck is not None:
                kinds.append(COMPACT)
                reasons.append(stuck)
                if asked == BLOCKED:
                    wrong.append(finding(self.program, stmt.at, f"this nest cannot be blocked: it {stuck}"))
            elif asked is not None:
                kinds.append(asked)
                reasons.append("directive")
            elif wished:
                kinds.append(BLOCKED)
                reasons.append("an array that a directive wants blocked")
            elif self._anchor(stmt):
                kinds.append(BLOCKED)
                reasons.append("a product summed up over arrays of four dimensions")
            else:
                kinds.append(ANY)
                reasons.append("no demand")
        return kinds, reasons, wrong

    def _stuck(self, unit: int, handed: bool, straight: bool) -> str | None:
        if handed:
            return "hands arrays to a call"
        if not straight:
            return "may be left or entered by a jump"
        for v in sorted(self.touched[unit] & self.arrays.keys() - self.asked.tiles.keys()):
            why = self.obstacle(self.arrays[v])
            if why is not None:
                return f"uses '{self.arrays[v].name}', which {why}"
        return None

    def _anchor(self, stmt: Stmt) -> bool:
        """Whether a nest sums up products of two arrays of four dimensions: a convolution or a matrix product."""
        nodes = [n for s in walk_statements(stmt) for root in expressions(s) for n in walk(root)]
        sums = (n for n in nodes if isinstance(n, Assign) and n.op == "+=" and self._rank(n.target) in (0, 4))
        products = (p for n in sums for p in walk(n.value) if isinstance(p, Binary) and p.op == "*")
        return isinstance(stmt, Loop) and any(self._rank(p.left) == self._rank(p.right) == 4 for p in products)

    @staticmethod
    def _rank(expr: Expr) -> int:
        return next((len(n.indices) for n in walk(expr) if isinstance(n, ArrayRef)), 0)

    # ------------------------------------------------------------------------------ values

    def versions(self, variable: Variable) -> list[Version]:
        """All that an array holds one after the other."""
        outside = variable.storage != "local"
        found = [Version(self.interface if outside else None)]
        touches = self.lifetimes.touches(variable)
        written = False
        for k in range(len(self.statements)):
            if variable.id not in self.touched[k]:
                continue
            needs, makes = self._role(variable, k, touches)
            if needs:
                found[-1].users.append(k)
            if makes:
                found.append(Version(k))
                written = True
        if outside and written:
            found[-1].users.append(self.interface)
        return found

    def _role(self, variable: Variable, unit: int, touches: list[Touch] | str) -> tuple[bool, bool]:
        """Whether a statement needs what the array holds before, and whether it writes it."""
        kinds = {
            a.kind
            for a in self.table.accesses()
            if a.array == variable.id and self.unit_of.get(self.table.owners[a.ref]) == unit
        }
        handed = any(
            e.actual == variable.id and self.unit_of.get(self.table.owners[e.call]) == unit for e in self.table.edges()
        )
        if isinstance(touches, str) or handed:
            return True, handed or "write" in kinds
        own = [t for t in touches if t.unit == unit]
        if "write" not in kinds:
            return True, False
        extents = [d or 1 for d in variable.dims]
        try:
            needs = bool(values(own, extents).unwritten) or not covered(own, extents)
        except TooHard:
            needs = True
        return needs, True

    # ------------------------------------------------------------------------------ result

    def propagate(self) -> Propagation:
        """The least conversions."""
        kinds, reasons, wrong = self.demands()
        nodes: list[Kind] = [*kinds, COMPACT]
        fixed: dict[int, Kind] = {self.interface: COMPACT}
        all_versions: dict[int, list[Version]] = {}
        hyper: list[CutValue] = []
        tiles: list[Conversion] = []
        for v, variable in self.arrays.items():
            if self.constant(variable):
                continue
            if v in self.asked.tiles:  # in tiles wherever it is used
                everywhere = (*(BLOCKED for _ in kinds), COMPACT)
                tiles += self._conversions(variable, self.versions(variable), everywhere)
                continue
            all_versions[v] = self.versions(variable)
            holder, demand = self.interface, self.given.get(variable.name, COMPACT)
            if demand == BLOCKED and variable.storage == "parameter":
                holder = len(nodes)
                nodes.append(demand)
                fixed[holder] = demand
            for version in all_versions[v]:
                if version.producer == self.interface:
                    version.producer = holder
                version.users = [holder if u == self.interface else u for u in version.users]
                ends = tuple(dict.fromkeys(m for m in (version.producer, *version.users) if m is not None))
                if len(ends) > 1:
                    hyper.append(CutValue(ends, self.bytes(variable)))
        layouts, converted = least(nodes, hyper)
        conversions = [
            *tiles,
            *(c for v, versions in all_versions.items() for c in self._conversions(self.arrays[v], versions, layouts)),
        ]
        moved = sum(c.size for c in tiles)
        arrays = tuple(self._array(v, layouts, conversions) for v in self.arrays.values())
        source = self.program.sources[self.function.at.span.path]
        nests = tuple(
            LayoutNest(
                source.line_column(stmt.at.span.start)[0],
                self.analysis.loops[stmt.id].name if isinstance(stmt, Loop) else None,
                kinds[k], layouts[k], reasons[k],
            )
            for k, stmt in enumerate(self.statements)
            if self.touched[k]
        )  # fmt: skip
        staying = cost(spread(nodes, hyper, fixed), hyper)
        for v in self.asked.tiles:
            variable = self.program.variable(v)
            handed = any(u.kind == "argument" for u in self.uses.by_variable.get(v, ()))
            why = "is handed to a call" if handed else self.obstacle(variable)
            if why is not None:
                wrong.append(finding(self.program, variable.at, f"{variable.name} cannot be in tiles: it {why}"))
        diagnostics = (*self.asked.wrong, *wrong)
        return Propagation(
            self.function.name, layouts[: self.interface], nests, arrays,
            tuple(sorted(conversions, key=lambda c: (c.unit, c.after, c.variable))), converted + moved,
            staying + moved, diagnostics, bool(self.asked.wrong),
        )  # fmt: skip

    def bytes(self, variable: Variable) -> int:
        """Of all elements, as they are declared."""
        assert isinstance(variable.type, ArrayType)
        return math.prod(d or 0 for d in variable.dims) * -(-(storage_bits(variable.type.element) or 0) // 8)

    def _conversions(self, variable: Variable, versions: list[Version], layouts: tuple[Kind, ...]) -> list[Conversion]:
        found = []
        for version in versions:
            if version.producer is None:
                continue
            own = layouts[version.producer]
            users = [u for u in version.users if layouts[u] != own]
            if not users:
                continue
            inside = [u for u in users if u < self.interface]
            unit = inside[0] if inside else version.producer
            lines = [self.program.line(self.statements[u].at) for u in inside]
            line = lines[0] if lines else self.program.line(self.statements[unit].at)
            target: Kind = COMPACT if own == BLOCKED else BLOCKED
            size = self.bytes(variable)
            found.append(
                Conversion(variable.id, variable.name, own, target, unit, not inside, line, size, tuple(lines[1:]))
            )
        return found

    def _array(self, variable: Variable, layouts: tuple[Kind, ...], conversions: list[Conversion]) -> ArrayLayout:
        users = {layouts[k] for k in range(len(self.statements)) if variable.id in self.touched[k]}
        if variable.id in self.asked.tiles:
            users = {BLOCKED}
        if any(c.variable == variable.id for c in conversions) or len(users) > 1:
            layout = "both"
        elif variable.storage == "parameter":
            layout = "both" if BLOCKED in users else "compact"
        else:
            layout = "blocked" if users == {BLOCKED} else "compact"
        demand = self.asked.variables.get(variable.id, BLOCKED if variable.id in self.asked.tiles else ANY)
        if demand == ANY and variable.storage == "parameter":
            demand = self.given.get(variable.name, COMPACT)
        obstacle = self.obstacle(variable)
        if variable.id in self.asked.variables or variable.id in self.asked.tiles:
            reason = "directive"
        elif obstacle is not None:
            reason = f"it {obstacle}"
        elif variable.storage == "parameter":
            reason = f"an array of the interface, {demand}"
        elif layout == "compact":
            reason = "nothing demands blocks of it, or conversions would cost more; row-major"
        else:
            reason = "by its users"
        if self.constant(variable) and layout == "both":
            reason = "a constant of users of both layouts: two copies, no conversion"
        return ArrayLayout(
            variable.id, variable.name, self.program.line(variable.at), layout, demand, reason,  # type: ignore[arg-type]
            None if layout == "compact" else self.form(variable), len(variable.dims),
        )  # fmt: skip


def dtype(kind: ScalarType) -> str | None:
    """The name of an element type in channel layouts, None where they have none."""
    if kind.kind == "float":
        return {16: "fp16", 32: "fp32"}.get(kind.bits)
    if kind.kind == "int":
        name = f"{'int' if kind.signed else 'uint'}{kind.bits}"
        return name if name in ELEMENT_BYTES else None
    return None
