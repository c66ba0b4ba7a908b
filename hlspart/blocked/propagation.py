"""From demands to layouts: the values that nests hand each other, and where an array is converted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property

from hlspart.blocked.calls import Calls
from hlspart.blocked.cut import CutValue, cost, least, spread
from hlspart.blocked.forms import called, form, is_spelled_out, sums_products
from hlspart.blocked.plan import LayoutPlan
from hlspart.blocked.requests import LayoutRequests, finding, requests
from hlspart.blocked.versions import Version, Versions
from hlspart.buffers.lifetimes import Lifetimes, Summaries
from hlspart.buffers.steps import Table
from hlspart.model.access import AccessAnalysis
from hlspart.model.blocked import (
    ANY,
    BLOCKED,
    COMPACT,
    TILE,
    ArrayLayout,
    Conversion,
    Kind,
    LayoutNest,
    Propagation,
)
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Function,
    Jump,
    Label,
    Loop,
    Program,
    Return,
    Stmt,
    Variable,
    storage_bits,
    walk_statements,
)
from hlspart.rewrite.uses import Uses
from hlspart.transform.printer import type_text

_JUMPS = "may be left or entered by a jump"


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
        self.given: dict[int, Kind] = {}  # how arguments come, by id
        self.faults = list(self.asked.wrong)
        self.table = self._table(name)
        self.unit_of = self.table.units
        lifetimes = Lifetimes(self.table, Summaries(program, self._table))
        self.calls = Calls(program, analysis, self.table, self.uses)
        self.versions = Versions(program, self.table, lifetimes, self.calls, self.touched)
        self._interface(interface)
        self.refused: set[tuple[str, int]] = set()  # statements and arrays that cannot be as directives ask
        self.unmet = self._tiles()

    def _table(self, name: str) -> Table:
        return Table(self.program, self.analysis, self.program.functions[name], lambda _: True, False, 0)

    def _interface(self, interface: Mapping[str, Kind]) -> None:
        arguments = {v.name: v for v in map(self.program.variable, self.function.params) if v.is_array}
        for name, kind in interface.items():
            variable, at, text = arguments.get(name), self.function.name_at, None
            if variable is None:
                text = f"{name} is no array among the arguments of {self.function.name}"
            elif kind != COMPACT and (why := self._unreachable(variable) or self.obstacle(variable, kind)) is not None:
                at, text = variable.at, f"{name} cannot come {called(kind)}: it {why}"
            else:
                self.given[variable.id] = kind
            if text is not None:
                self.faults.append(finding(self.program, at, text, "--interface-layout"))

    def _tiles(self) -> list[Diagnostic]:
        """Why arrays cannot be in the tiles that are asked for; these stay as they are."""
        problems = []
        for v in list(self.asked.tiles):
            variable = self.program.variable(v)
            handed = any(u.kind == "argument" for u in self.uses.by_variable.get(v, ()))
            why = "is handed to a call" if handed else self._unreachable(variable)
            why = why or self.obstacle(variable, self.kind_of(v, COMPACT))
            if why is not None:
                del self.asked.tiles[v]
                self.refused.add(("array", v))
                problems.append(finding(self.program, variable.at, f"{variable.name} cannot be in tiles: it {why}"))
        return problems

    # ------------------------------------------------------------------------------ arrays

    @cached_property
    def arrays(self) -> dict[int, Variable]:
        """Arrays that the function touches."""
        ids = {a.array for a in self.table.accesses()} | {e.actual for e in self.table.edges()}
        variables = (self.program.variable(v) for v in sorted(ids))
        return {v.id: v for v in variables if v.is_array}

    @cached_property
    def uses(self) -> Uses:
        """Of all arrays."""
        return Uses(self.program)

    def is_constant(self, variable: Variable) -> bool:
        """Whether the elements keep their initial values, so that they can be laid out before the program runs."""
        written = any(a.kind == "write" for a in self.analysis.of_array(variable.id))
        return variable.init is not None and not written and (variable.const or variable.storage != "global")

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """Layouts that something asks for, beside the compact one."""
        kinds = dict.fromkeys((*self.asked.nests.values(), *self.given.values()))
        return (BLOCKED, *(kind for kind in kinds if kind.startswith(TILE)))

    def kind_of(self, variable: int, layout: Kind) -> Kind:
        """How an array lies for a node of this layout: some are in tiles wherever they are used."""
        sizes = self.asked.tiles.get(variable)
        return layout if sizes is None else f"{TILE}{','.join(map(str, sizes))}"

    def obstacle(self, variable: Variable, kind: Kind) -> str | None:
        """Why an array cannot have a layout other than compact."""
        if not isinstance(variable.type, ArrayType):
            return f"cannot be {called(kind)}: it is a pointer of which nothing says how far it goes"
        if None in variable.dims or form(variable, kind) is None or type_text(variable.type.element) is None:
            return f"cannot be {called(kind)}: its element type or extents do not allow it"
        return self._fixed_by(variable)

    def _fixed_by(self, variable: Variable) -> str | None:
        """Why an array must stay as it is, whatever the layout."""
        if variable.volatile or variable.extern or variable.reference:
            return "is volatile, a reference or defined elsewhere"
        named = [d for d in self.program.directives if d.usable and variable.id in d.variables]
        if named and not (variable.storage == "parameter" and all(d.kind == "interface" for d in named)):
            return f"is named by {named[0].kind.upper()}"
        given = self.program.given
        for use in self.uses.by_variable.get(variable.id, ()):
            if use.kind == "argument":
                continue  # :meth:`_stuck` asks about the function
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
        alone = variable.storage == "parameter" or (declarator.count == 1 and declarator.initialiser is None)
        if not alone and not is_spelled_out(declarator, len(variable.dims)):
            return "has extents that are those of a named type"
        if variable.storage in ("local", "static") and variable.scope != self.function.body.id:
            return "is declared in an inner block"
        if variable.function is None:
            users = {use.function for use in self.uses.by_variable.get(variable.id, ())}
            own = self.is_constant(variable) and users <= {self.function.name}
            return None if own else "is used by other functions, too"
        return None

    def _unreachable(self, variable: Variable) -> str | None:
        """Why an array cannot be converted where the function begins and ends."""
        if self._straight or self.is_constant(variable) or (variable.storage == "local" and variable.init is None):
            return None
        return f"has values where {self.function.name} begins, which {_JUMPS}"

    @cached_property
    def _straight(self) -> bool:
        """Whether every call runs through all statements of the function, one after the other."""
        return not any(
            (isinstance(s, Jump | Label) and getattr(s, "kind", "goto") == "goto")
            or (isinstance(s, Return) and s is not self.statements[-1])
            for s in walk_statements(self.function.body)
        )  # fmt: skip

    # ------------------------------------------------------------------------------- nests

    @cached_property
    def touched(self) -> list[set[int]]:
        """Arrays of every statement."""
        touched: list[set[int]] = [set() for _ in self.statements]
        for access in self.table.accesses():
            stmt = self.table.owners.get(access.ref)
            if stmt in self.unit_of:
                touched[self.unit_of[stmt]].add(access.array)
        for edge in self.table.edges():
            stmt = self.table.owners.get(edge.call)
            if stmt in self.unit_of:
                touched[self.unit_of[stmt]].add(edge.actual)
        return touched

    def demands(self) -> tuple[list[Kind], list[tuple[Kind, ...]], list[str], list[Diagnostic]]:
        """What every statement demands, what it can have, and why; errors where it cannot have what is asked."""
        kinds: list[Kind] = []
        reasons: list[str] = []
        wrong: list[Diagnostic] = []
        stuck = [{kind: self._stuck(k, kind) for kind in self.kinds} for k in range(self.interface)]
        for k in range(self.interface):
            kind, reason = self._demand(k, stuck[k], wrong)
            kinds.append(kind)
            reasons.append(reason)
        free = [(COMPACT, *(kind for kind in self.kinds if own[kind] is None)) for own in stuck]
        options = [own if kind == ANY else (kind,) for own, kind in zip(free, kinds, strict=True)]
        for group in dict.fromkeys(map(self.calls.group, range(self.interface))):
            common = tuple(kind for kind in options[group[0]] if all(kind in options[k] for k in group))
            if not common:
                wrong += self._disagree(group, kinds, reasons)
            for k in group:
                options[k] = common or (COMPACT,)
        return kinds, options, reasons, wrong

    def _demand(self, k: int, stuck: Mapping[Kind, str | None], wrong: list[Diagnostic]) -> tuple[Kind, str]:
        """What one statement demands, and why."""
        asked = self.asked.nests.get(k)
        wanted = asked if asked not in (None, ANY, COMPACT) else BLOCKED
        why = stuck[wanted]
        if why is not None and (asked == wanted or all(stuck.values())):
            if asked == wanted:
                self._refuse(k, wanted, why, wrong)
            return COMPACT, why
        if asked is not None:
            return asked, "directive"
        if why is None and any(self.asked.variables.get(v) == BLOCKED for v in self.touched[k]):
            return BLOCKED, "an array that a directive wants blocked"
        if why is None and (sums_products(self.statements[k]) or self.calls.sums_products(k)):
            return BLOCKED, "a product summed up over arrays of four dimensions"
        return ANY, "no demand"

    def _refuse(self, k: int, wanted: Kind, why: str, wrong: list[Diagnostic]) -> None:
        self.refused.add(("nest", k))
        text = f"this nest cannot be {called(wanted)}: it {why}"
        wrong.append(finding(self.program, self.statements[k].at, text))

    def _disagree(self, group: tuple[int, ...], kinds: list[Kind], reasons: list[str]) -> list[Diagnostic]:
        """Statements that reach one function stay compact where they do not want one layout."""
        wrong: list[Diagnostic] = []
        lines = {k: self.program.line(self.statements[k].at) for k in group}
        for k in group:
            others = " and ".join(str(lines[u]) for u in group if u != k)
            why = f"calls a function that line {others} calls, too, which wants another layout"
            if kinds[k] not in (ANY, COMPACT) and k in self.asked.nests:
                self._refuse(k, kinds[k], why, wrong)
            if kinds[k] != COMPACT:
                reasons[k] = why
            kinds[k] = COMPACT
        return wrong

    def _stuck(self, unit: int, kind: Kind) -> str | None:
        if not self._straight:
            return _JUMPS
        if unit in self.calls.reached:
            why = self.calls.obstacle(unit)
            if why is not None:
                return why
            for formal in map(self.program.variable, self.calls.formals(unit)):
                why = self.obstacle(formal, kind)
                if why is not None:
                    return f"hands an array on as '{formal.name}' of {formal.function}, which {why}"
        for v in sorted(self.touched[unit] & self.arrays.keys() - self.asked.tiles.keys()):
            why = self.obstacle(self.arrays[v], kind)
            if why is not None:
                return f"uses '{self.arrays[v].name}', which {why}"
        return None

    # ------------------------------------------------------------------------------ result

    def propagate(self) -> Propagation:
        """The least conversions."""
        kinds, options, reasons, wrong = self.demands()
        nodes: list[tuple[Kind, ...]] = [*options, (COMPACT,)]
        node = [*(self.calls.group(k)[0] for k in range(self.interface)), self.interface]  # one for each group
        fixed: dict[int, Kind] = {self.interface: COMPACT}
        all_versions: dict[int, list[Version]] = {}
        hyper: list[CutValue] = []
        tiles: list[Conversion] = []
        for v, variable in self.arrays.items():
            if self.is_constant(variable):
                continue
            if v in self.asked.tiles:  # in tiles wherever it is used
                everywhere = (*(self.kind_of(v, COMPACT) for _ in kinds), COMPACT)
                tiles += self._conversions(variable, self.versions.of(variable), everywhere)
                continue
            all_versions[v] = self.versions.of(variable)
            holder, demand = self.interface, self.comes(variable)
            if demand != COMPACT:
                holder = len(nodes)
                nodes.append((demand,))
                fixed[holder] = demand
            for version in all_versions[v]:
                if version.producer == self.interface:
                    version.producer = holder
                version.users = [holder if u == self.interface else u for u in version.users]
                members = [m for m in (version.producer, *version.users) if m is not None]
                ends = tuple(dict.fromkeys(node[m] if m < len(node) else m for m in members))
                if len(ends) > 1 and version.producer is not None:
                    hyper.append(CutValue(ends, self.bytes(variable)))
        choice = least(nodes, hyper)
        layouts = (*(choice.layouts[k] for k in node), *choice.layouts[len(node) :])
        conversions = [
            *tiles,
            *(c for v, versions in all_versions.items() for c in self._conversions(self.arrays[v], versions, layouts)),
        ]
        moved = sum(c.size for c in tiles)
        arrays = tuple(self._array(v, layouts, conversions) for v in self.arrays)
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
        diagnostics = (*self.faults, *wrong, *self.unmet)
        return Propagation(
            self.function.name, layouts[: self.interface], nests, arrays,
            tuple(sorted(conversions, key=lambda c: (c.unit, c.after, c.variable))), choice.size + moved,
            choice.bound + moved, staying + moved, diagnostics, bool(self.faults),
        )  # fmt: skip

    def bytes(self, variable: Variable) -> int:
        """Of all elements, as they are declared."""
        assert isinstance(variable.type, ArrayType)
        return math.prod(d or 0 for d in variable.dims) * -(-(storage_bits(variable.type.element) or 0) // 8)

    def _conversions(self, variable: Variable, versions: list[Version], layouts: tuple[Kind, ...]) -> list[Conversion]:
        conversions = []
        for version in versions:
            if version.producer is None:
                continue
            own, size = layouts[version.producer], self.bytes(variable)
            for target in dict.fromkeys(layouts[u] for u in version.users if layouts[u] != own):
                inside = [u for u in version.users if layouts[u] == target and u < self.interface]
                unit = inside[0] if inside else version.producer
                lines = [self.program.line(self.statements[u].at) for u in inside]
                line = lines[0] if lines else self.program.line(self.statements[unit].at)
                conversions.append(
                    Conversion(variable.id, variable.name, own, target, unit, not inside, line, size, tuple(lines[1:]))
                )
        return conversions

    def comes(self, variable: Variable) -> Kind:
        """How an argument comes and goes; compact for anything else."""
        return self.given.get(variable.id, COMPACT)

    def _array(self, v: int, layouts: tuple[Kind, ...], conversions: list[Conversion]) -> ArrayLayout:
        variable = self.program.variable(v)
        users = {self.kind_of(v, layouts[k]) for k in range(len(self.statements)) if v in self.touched[k]}
        users |= {k for c in conversions if c.variable == v for k in (c.source, c.target)}
        if variable.storage == "parameter":
            users.add(self.comes(variable))
        layout = "both" if len(users) > 1 else next(iter(users), COMPACT)
        demand = self.asked.variables.get(v, self.kind_of(v, ANY))
        if demand == ANY and variable.storage == "parameter":
            demand = self.comes(variable)
        obstacle = self._fixed_by(variable) if v in self.asked.tiles else self.obstacle(variable, BLOCKED)
        if v in self.asked.variables or v in self.asked.tiles:
            reason = "directive"
        elif variable.storage == "parameter" and (layout != COMPACT or obstacle is None):
            reason = f"an array of the interface, {called(demand)}"
        elif layout == COMPACT:
            reason = "nothing demands another layout of it, or conversions would cost more; row-major"
            reason = reason if obstacle is None else f"it {obstacle}"
        else:
            reason = "by its users"
        if self.is_constant(variable) and layout == "both":
            copies = {2: "two", 3: "three"}.get(len(users), str(len(users)))
            reason = f"a constant of users of several layouts: {copies} copies, no conversion"
        forms = {kind: made for kind in sorted(users - {COMPACT}) if (made := form(variable, kind)) is not None}
        return ArrayLayout(
            v, variable.name, self.program.line(variable.at), layout, demand, reason, forms, len(variable.dims)
        )
