"""Values handed on: what an iteration stores or loads and the next ones load goes there in variables.

``y[i] = y[i - 1] + x[i]`` waits for its store and load in every iteration. With the last value in a variable the
memory is only written, and the recurrence is that of the operators. ``a[i][j + 1]`` is ``a[i][j]`` of the next
iteration: one load serves both (Callahan, Carr and Kennedy 1990, scalar replacement). The elements keep their values
to the bit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct

from hlspart.expand.accumulators import innermost
from hlspart.expand.kept import MOST_VARIABLES, KeptValues, is_known_ahead, tests_ahead
from hlspart.expand.purity import used_by_calls
from hlspart.expand.region import Refusal, build, first_value
from hlspart.expand.texts import (
    Texts,
    affine_text,
    as_many,
    block_of,
    braced,
    in_front,
    indent_of,
    names_in,
    type_text,
)
from hlspart.model.access import Access, AccessAnalysis, Affine, LoopInfo
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Comma,
    Declare,
    Expr,
    ExprStmt,
    If,
    InitList,
    Loop,
    Name,
    PragmaMark,
    Program,
    ScalarType,
    Stmt,
    always,
    walk,
)
from hlspart.model.results import IIResult
from hlspart.model.source import Edit
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.names import Names
from hlspart.semantics.effects import effects, statement_expressions
from hlspart.sets.moved import is_later

#: Most iterations that a loaded value is handed on: windows serve loads that are farther apart.
_NEAR = range(1, 5)
#: The same for a stored value.
_FAR = range(1, 33)
_NEVER = 1 << 60  # iterations between accesses that meet in no element


class HandedOn(Struct, frozen=True):
    """An access that every iteration makes, and loads of its element with the number of iterations since then.

    ``stmt`` stands in the body of the loop: the store of ``source``, or a statement in which it is loaded.
    ``element``: its subscripts over the iterators where variables of its text change in the loop. ``tested``: the
    loop may run less often than a value is handed on, so that its test decides which elements are loaded ahead of it.
    """

    loop: Loop
    array: int
    stmt: Stmt
    source: ArrayRef
    stored: bool
    loads: tuple[tuple[ArrayRef, int], ...]
    element: tuple[Affine, ...] | None
    tested: bool = False

    @property
    def depth(self) -> int:
        """Values that have to be kept."""
        return max(distance for _, distance in self.loads)

    @property
    def first_uses(self) -> list[int]:
        """The iterations that load the values of those before the loop first, the youngest value first."""
        distances = {distance for _, distance in self.loads}
        return [min(d - k for d in distances if d >= k) for k in range(1, self.depth + 1)]


def handed_on(program: Program, analysis: AccessAnalysis, figures: IIResult) -> tuple[HandedOn, ...]:
    """Arrays whose values may be handed on in loops that miss their II by a recurrence or by ports."""
    values: list[HandedOn] = []
    for result in figures.loops:
        kinds = {x.kind for x in result.limits}
        if result.misses and result.loop >= 0 and kinds & {"recurrence", "memory-port"}:
            short = {x.array for x in result.limits if x.kind == "memory-port"}
            for loop in innermost(program, result):
                values += _of_loop(program, analysis, loop, "recurrence" in kinds, short)
    return tuple(dict.fromkeys(values))


def in_variables(program: Program, analysis: AccessAnalysis, chosen: Sequence[HandedOn]) -> dict[str, tuple[Edit, ...]]:
    """Edits that keep the values in variables; arrays whose text does not allow it stay."""
    return as_many(program, chosen, partial(_edits, program, analysis))


def _of_loop(
    program: Program, analysis: AccessAnalysis, loop: Loop, recurring: bool, short: Collection[str | None]
) -> Iterator[HandedOn]:
    """``recurring``: a recurrence limits the loop; ``short``: names of arrays whose ports do."""
    info = analysis.loops[loop.id]
    if loop.kind != "for" or info.iterator is None or info.variable is None or not info.step or info.exits:
        return
    inside = [a for a in analysis.accesses if loop.id in a.loops]
    refs = {
        e.id: e for root in statement_expressions(program, loop.body) for e in walk(root) if isinstance(e, ArrayRef)
    }
    stored_elsewhere = used_by_calls(program, analysis, loop, "write")
    for array in dict.fromkeys(a.array for a in inside if a.array not in stored_elsewhere):
        variable = program.variable(array)
        kind = getattr(variable.type, "element", getattr(variable.type, "target", None))
        if variable.volatile or not isinstance(kind, ScalarType):
            continue
        mine = [a for a in inside if a.array == array]
        uses = _ArrayUses(program, loop, info, refs, tuple(mine))
        stored = uses.stored()
        if stored is not None and (recurring or variable.name in short):
            yield stored
        if variable.name in short and all(a.ref in refs for a in mine):
            yield from uses.loaded({ref.id for ref, _ in stored.loads} if stored is not None else set())


class _ArrayUses(Struct, frozen=True):
    """What one loop does with one array; ``refs``: by id, all references in its body."""

    program: Program
    loop: Loop
    info: LoopInfo
    refs: Mapping[int, ArrayRef]
    accesses: tuple[Access, ...]

    def stored(self) -> HandedOn | None:
        """The one store of the array, with the loads of what it stored in iterations before."""
        writes = self._of("write")
        if len(writes) != 1 or writes[0].ref not in self.refs:
            return None
        target = self.refs[writes[0].ref]
        store = next((s for s in self.loop.body.body if isinstance(s, ExprStmt) and _target(s) is target), None)
        if store is None:
            return None
        loads = {}
        for read in self._of("read"):
            distance = _apart(writes[0], read, self.info)
            # What stands behind the store would see the new value.
            ahead = read.ref in self.refs and self.refs[read.ref].at.span.end <= store.at.span.end
            if read.ref != target.id and ahead and distance is not None and distance in _FAR:
                loads[read.ref] = distance
        shared = {self.refs[r].at.span for r in self.refs.keys() - loads if self.refs[r].at.kind == "argument"}
        loads = {r: d for r, d in loads.items() if self.refs[r].at.span not in shared}
        return self._handed(writes[0], store, loads)

    def loaded(self, served: set[int]) -> Iterator[HandedOn]:
        """Loads that every iteration makes, with those that find their elements later on and are not ``served``."""
        statement = {r: s for s in self.loop.body.body for r in certain_references(self.program, s)}
        reads, writes = self._of("read"), self._of("write")
        served = served | {w.ref for w in writes}  # `x[i] += 1` names its element once for both
        for lead in sorted(reads, key=lambda r: -len(self._behind(r, served))):
            loads = self._behind(lead, served)
            stmt = statement.get(lead.ref)
            if (
                stmt is None
                or lead.ref in served
                or any(stmt.at.span.holds(w.at.span) and w.order < lead.order for w in writes)
            ):
                continue
            moved = effects(self.program).modified(stmt) & subscript_names(self.refs[lead.ref])
            value = None if moved else self._handed(lead, stmt, loads)
            if value is not None:
                served = served | {lead.ref, *loads}
                yield value

    def _of(self, kind: str) -> list[Access]:
        return [a for a in self.accesses if a.kind == kind]

    def _behind(self, lead: Access, served: set[int]) -> dict[int, int]:
        """Loads that find the element of ``lead`` so many iterations later."""
        behind = {}
        for read in (r for r in self._of("read") if r.ref not in served):
            distance = _apart(lead, read, self.info)
            if distance is None and not self._of("write"):
                distance = self._by_sets(lead, read)
            near = distance is not None and distance in _NEAR
            if near and all(self._keeps(lead, read, distance or 0, write) for write in self._of("write")):
                behind[read.ref] = distance or 0
        return behind

    def _by_sets(self, lead: Access, read: Access) -> int | None:
        """The iterations from one load to another of its element, where subscripts are no sums: ``x[i + n / 2]``."""
        iterator, step = self.info.iterator or "", self.info.step or 0
        return next((d for d in _NEAR if is_later(lead, read, iterator, d * step)), None)

    def _keeps(self, lead: Access, read: Access, distance: int, write: Access) -> bool:
        """Whether a store leaves the element alone between two loads of it."""
        at = _apart(lead, write, self.info)
        if at is None:
            return False
        earlier = at < 0 or (at == 0 and write.order < lead.order)
        return earlier or at > distance or (at == distance and write.order > read.order)

    def _handed(self, source: Access, stmt: Stmt, loads: Mapping[int, int]) -> HandedOn | None:
        """The value with its loads, if its first ones can be loaded ahead of the loop."""
        certain = {r for s in self.loop.body.body for r in certain_references(self.program, s)}
        deepest = max(loads.values(), default=0)
        exact = {a.ref for a in self._of("read") if a.exact}
        few = (self.info.trip_count.min or 0) < deepest
        sure = {d for r, d in loads.items() if r in exact and r in certain}
        if deepest not in sure or (few and sure != set(loads.values())):
            return None
        if few and not (deepest <= MOST_VARIABLES and is_known_ahead(self.program, self.loop, self.info)):
            return None
        ref, pairs = self.refs[source.ref], tuple((self.refs[r], d) for r, d in loads.items())
        moved = effects(self.program).modified(self.loop) - {self.info.variable} & subscript_names(ref)
        forms = tuple(form for form in source.index or () if form is not None)
        if moved and not self._is_printable(source, forms):
            return None
        stored, element = source.kind == "write", forms if moved else None
        return HandedOn(self.loop, source.array, stmt, ref, stored, pairs, element, few)

    def _is_printable(self, source: Access, forms: Sequence[Affine]) -> bool:
        """Whether the subscripts ahead of the loop can be told from iterators alone."""
        lower = self.info.lower
        if lower is None or len(forms) < len(source.index or ()):
            return False
        return {name for form in (*forms, lower) for name in form.names} <= set(source.iterators)


def _target(stmt: ExprStmt) -> ArrayRef | None:
    """The element that a statement sets, where it does nothing else."""
    expr = stmt.expr
    return expr.target if isinstance(expr, Assign) and isinstance(expr.target, ArrayRef) else None


def subscript_names(ref: ArrayRef) -> frozenset[int]:
    """Variables in the subscripts of a reference."""
    return frozenset(v for index in ref.indices for v in names_in(index))


def certain_references(program: Program, stmt: Stmt) -> Iterator[int]:
    """Ids of the references that a statement of a loop's body evaluates whenever it is run; of a condition the test."""

    def below(expr: Expr) -> Iterator[int]:
        if isinstance(expr, ArrayRef):
            yield expr.id
        for part in always(expr):
            yield from below(part)

    if isinstance(stmt, ExprStmt | Declare | If):
        for root in (stmt.test,) if isinstance(stmt, If) else statement_expressions(program, stmt):
            yield from below(root)


def _apart(one: Access, other: Access, info: LoopInfo) -> int | None:
    """Iterations until ``other`` uses the element that ``one`` does; None where that is not always the same number."""
    if one.index is None or other.index is None or len(one.index) != len(other.index):
        return None
    distance: int | None = None
    for first, second in zip(one.index, other.index, strict=True):
        if first is None or second is None or first.terms != second.terms:
            return None
        moves = first.coefficient(info.iterator or "") * (info.step or 0)
        behind = first.const - second.const
        if moves and behind % moves == 0 and distance in (None, behind // moves):
            distance = behind // moves
        elif moves or behind:
            return _NEVER
    trips = info.trip_count.max
    return _NEVER if distance is not None and trips is not None and abs(distance) >= trips else distance


def _edits(program: Program, analysis: AccessAnalysis, chosen: Sequence[HandedOn], buffer: EditBuffer) -> None:
    names = Names.of(program)
    given = program.given
    ahead, behind = dict[Stmt, list[str]](), dict[Stmt, list[str]]()
    stores = dict[Stmt, tuple[str, list[str]]]()
    for value in chosen:
        loop = value.loop
        build(program, analysis, loop.function, (loop.id,), counted=False)
        kinds = "plain", *(["argument"] if value.stored else [])
        plain = value.source.at.editable and all(ref.at.kind in kinds for ref, _ in value.loads)
        if block_of(program, loop) is None or loop.at.span.path not in given or not value.stmt.at.editable or not plain:
            raise Refusal("macro", "a macro makes the accesses", value.stmt.at)
        variable = program.variable(value.array)
        kind, element = type_text(program, value.array), program.text(value.source.at)
        kept = KeptValues.of(kind, f"{variable.name}_before", value.depth, names)
        new = names.free(f"{variable.name}_{'new' if value.stored else 'now'}")
        texts = Texts(program, program.functions[loop.function].body)
        elements = [_element(texts, analysis, value, k) for k in range(1, value.depth + 1)]
        tests = tests_ahead(texts, loop, analysis.loops[loop.id], value.first_uses) if value.tested else ()
        in_front(program, buffer, loop, kept.declared(elements, tests))
        for ref, distance in value.loads:
            buffer.replace(ref.at, kept.values[distance - 1])
        moves = kept.moved(new)
        if value.stored:
            stores[value.stmt] = (f"{kind} {new}", [f"{element} = {new};", *moves])
        else:
            ahead.setdefault(value.stmt, []).append(f"{kind} {new} = {element};")
            buffer.replace(value.source.at, new)
            last = [s for s in loop.body.body if not isinstance(s, PragmaMark)][-1]
            behind.setdefault(last, []).extend(moves)
    loops = {stmt: value.loop for value in chosen for stmt in value.loop.body.body}
    for stmt in dict.fromkeys((*ahead, *stores, *behind)):
        core = _stored(program, stmt, *stores[stmt], buffer) if stmt in stores else [buffer.text(stmt.at.span)]
        _replace(program, loops[stmt], stmt, [*ahead.get(stmt, ()), *core, *behind.get(stmt, ())], buffer)

    braced(program, buffer, (value.loop for value in chosen))


def _stored(program: Program, stmt: Stmt, declared: str, rest: list[str], buffer: EditBuffer) -> list[str]:
    """Lines that work out what a statement stores in a variable of its own first."""
    assert isinstance(stmt, ExprStmt) and isinstance(stmt.expr, Assign)
    assign = stmt.expr
    if isinstance(assign.value, InitList):
        raise Refusal("condition", "a list is stored", stmt.at)
    value = buffer.text(assign.value.at.span)
    value = f"({value})" if isinstance(assign.value, Comma) else value
    if assign.op == "=":
        return [f"{declared} = {value};", *rest]
    new = declared.split()[-1]
    return [f"{declared} = {program.text(assign.target.at)};", f"{new} {assign.op} {value};", *rest]


def _replace(program: Program, loop: Loop, stmt: Stmt, lines: list[str], buffer: EditBuffer) -> None:
    """Lines in the place of a statement of a loop's body."""
    if not stmt.at.editable:
        raise Refusal("macro", "a macro makes the statement", stmt.at)
    pad, outer = indent_of(program, stmt.at), indent_of(program, loop.at)
    if loop.body.braces:
        buffer.replace(stmt.at, f"\n{pad}".join(lines))
    else:
        pad = pad if pad != outer else outer + "    "
        buffer.replace(stmt.at, "{" + "".join(f"\n{pad}{line}" for line in lines) + f"\n{outer}}}")


def _element(texts: Texts, analysis: AccessAnalysis, handed: HandedOn, before: int) -> str:
    """The element that iteration ``-before`` of the loop would have used."""
    info = analysis.loops[handed.loop.id]
    assert info.iterator is not None and info.variable is not None and info.step is not None
    back = before * info.step
    if handed.element is not None:
        assert info.lower is not None
        first, forms = info.lower - Affine((), back), []
        for form in handed.element:
            moves = form.coefficient(info.iterator)
            forms.append(form - Affine.of({info.iterator: moves}) + first.scaled(moves))
        indices = (affine_text(texts.program, analysis, handed.loop.function, form) for form in forms)
        return texts.program.variable(handed.array).name + "".join(f"[{i}]" for i in indices)
    if info.lower is not None and not info.lower.terms:
        number = info.lower.const - back
        value = str(number) if number >= 0 else f"({number})"
    else:
        first_text = first_value(texts.program, handed.loop)
        text = texts.text(first_text.at.span, {}, {})
        value = f"({text if isinstance(first_text, Name) else f'({text})'} {'-' if back > 0 else '+'} {abs(back)})"
    return texts.text(handed.source.at.span, {info.variable: value}, {})
