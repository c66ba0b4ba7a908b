"""Operations of one iteration: equal ones once, memory accesses guarded.

Every array access keeps the affine index that access analysis found, with unrolled iterators
replaced by numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from hlspart.hardware.unmodelled import Unmodelled
from hlspart.lowering.graph import Carried, MemoryRef, Op
from hlspart.lowering.history import History
from hlspart.lowering.narrowing import is_exact, singles
from hlspart.lowering.offsets import note_kept
from hlspart.lowering.ranges import Ranges
from hlspart.model import program as c
from hlspart.model.access import Access, AccessAnalysis, Affine
from hlspart.semantics import folding, spans

MAX_OPS = 25_000
MOST_INDEX = 2**30  # of numbers that no sum or product of a few of them wraps around


class Body(Struct):
    """Result of elaboration, still mutable: operations, carried values, live values, tests that leave the loop.

    ``kept``: the least bits that conversions leave of a value, where these are few; none of a truth value.
    """

    ops: dict[int, Op] = field(default_factory=dict)
    carried: list[Carried] = field(default_factory=list)
    live: set[int] = field(default_factory=set)
    exits: list[tuple[int, int]] = field(default_factory=list)  # with the place in the order of memory operations
    sliced: frozenset[tuple[int, int]] = frozenset()  # carried values, and operations that look at other bits of them
    kept: dict[int, int] = field(default_factory=dict)


class Binder(Protocol):
    """What a directive says of the operation that makes a value."""

    def on(self, op: Op) -> Op:
        """The operation as asked for."""


class PackedWords(Protocol):
    """What is known of arrays with several elements in a word."""

    @property
    def packed(self) -> Mapping[int, object]:
        """How the dimensions of reshaped arrays are packed, by variable."""

    def lanes(self, variable: int) -> int:
        """Elements in a word of an array."""

    def place(
        self, variable: int, index: Sequence[Affine | None], values: Sequence[int]
    ) -> tuple[tuple[object, ...], tuple[Affine | None, ...], str | None, int | None]:
        """(key, index, isl map, lane) of the word of an element; ``values`` name indices that are no known forms."""


class Frame(Struct, frozen=True):
    """What is being elaborated: the iteration space, and how own iterators move.

    ``own``: loop ids of the pipelined loop and its flattened parents. ``names``/``domain``: the
    iteration space. ``forms``: scalars that do not change in the loop, or by as much in each iteration, as they are
    at its start (a name of the space that is no iterator is a loop around of unknown bounds). ``uneven``: unrolled
    copies may lie outside the loop, so domains are kept. ``bound``: how operations are built whose result
    goes to a variable. ``words``: words of reshaped arrays. ``tables``: arrays of constants that no directive binds.
    ``step``: by how much the innermost iterator moves. ``registers``: arrays that are.
    ``modules``: functions of the program are called as modules, whose latency is counted elsewhere.
    ``reciprocals``: integers are divided by constants with products.
    ``outliving``: variables declared in straight-line code that are used outside of it.
    ``divided``: completely partitioned dimensions by array: each of their indices is a memory of its own.
    ``alone``: these dimensions of each array, None for one of registers, in a function with parameters that nothing
    gives a value.
    """

    program: c.Program
    analysis: AccessAnalysis
    own: tuple[int, ...]
    names: tuple[str, ...]
    domain: str
    forms: Mapping[int, Affine] = field(default_factory=dict)
    uneven: bool = False
    bound: Mapping[int, Binder] = field(default_factory=dict)
    words: PackedWords | None = None
    tables: frozenset[int] = frozenset()
    modules: bool = False
    step: int = 1
    registers: frozenset[int] = frozenset()
    reciprocals: bool = False
    outliving: frozenset[int] = frozenset()
    divided: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    alone: Mapping[int, tuple[int, ...] | None] | None = None

    def is_given(self, known: c.Variable) -> bool:
        """Whether each call of a pipelined function is given this value: none comes from the call before."""
        calls = not self.own and not self.modules
        return calls and known.storage == "parameter" and not known.reference and isinstance(known.type, c.ScalarType)


class Location(Struct, frozen=True):
    """An address: its key, index over the space, isl map where needed, values it depends on, and domain.

    ``lanes``: elements of a word of a reshaped array, of which it is the ``lane``-th, where that is known; ``element``:
    the indices of the element itself, values where they are no known forms.
    ``joined``: as in :class:`hlspart.lowering.graph.MemoryRef`.
    """

    variable: int
    access: int
    key: tuple[object, ...]
    index: tuple[Affine | None, ...] | None
    relation: str | None
    values: tuple[int, ...]
    domain: str
    lanes: int = 0
    lane: int | None = None
    columns: tuple[Affine | None, ...] = ()
    element: tuple[Affine | int, ...] = ()
    joined: int = 1


class Operations:
    """Makes operations; knows where in the iteration it stands (guards, unrolled iterators)."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.program = frame.program
        self.access = frame.analysis.by_reference
        self.by_id = frame.analysis.by_id
        self.body = Body()
        self.ranges = Ranges()
        self.constants: dict[int, int | float] = {}
        self.forms: dict[int, Affine] = {}  # values that are affine over the names of the space
        self.tests: dict[int, int] = {}  # by condition (the number of an if): its value
        self.beside: dict[int, int] = {}  # loads of one arm -> the store to the same element in the other
        self.spans: dict[int, spans.Span] = {}  # what integers may be, as far as it is known
        self.numbering: dict[tuple[object, ...], int] = {}
        self.fixed: dict[str, int] = {}
        self.shift: dict[str, int] = {}
        self.events: dict[int, History] = {}  # memory operations by variable
        self.earliest = 0  # accesses before it stay as they are
        self.branch: tuple[tuple[int, int], ...] = ()
        self.guards: tuple[int, ...] = ()  # a condition per entry of `branch`
        self.position = 0

    def make(
        self, kind: str, bits: int, args: tuple[int, ...], line: int, extra: tuple[object, ...] = (), text: str = ""
    ) -> int:
        """The operation with these operands: an existing one if it has been made before."""
        key = (kind, bits, tuple(sorted(args)) if kind in folding.COMMUTATIVE else args, extra)
        if kind not in ("load", "store", "phi") and key in self.numbering:
            return self.numbering[key]
        ident = len(self.body.ops)
        if ident >= MAX_OPS:
            raise Unmodelled(f"more than {MAX_OPS} operations after unrolling", line, ident)
        self.body.ops[ident] = Op(ident, kind, bits, args, line, text)
        self.numbering[key] = ident
        return ident

    def narrowed(self, value: int, line: int) -> int | None:
        """The float that a double kept as one is, without a conversion; None: there is none."""
        op = self.body.ops[value]
        if op.kind == "fext":
            return op.args[0]
        floats = singles(op.args, self.body.ops, self.constants) if is_exact(op) else None
        return None if floats is None else self.make("f" + op.kind[1:], 32, floats, line, (op.text,), op.text)

    def becomes(self, value: int, type_: c.CType) -> None:
        """``value`` is used as one of ``type_``, in which it may wrap around."""
        self.ranges.convert(value, type_)
        note_kept(self.body.kept, value, type_)
        if not spans.keeps(self.spans.get(value), type_):
            self.forms.pop(value, None)

    def holds(self, value: int, type_: c.CType) -> None:
        """``value`` is anything that ``type_`` holds."""
        span = spans.of_type(type_)
        if span is not None:
            self.spans[value] = span

    def bind(self, variable: int, value: int) -> None:
        """Apply what a directive says of operations whose result ``variable`` gets."""
        if variable in self.frame.bound:
            made = self.body.ops[value]
            while made.kind in ("fext", "itof", "itod", "ftoi"):
                made = self.body.ops[made.args[0]]
            self.body.ops[made.id] = self.frame.bound[variable].on(made)

    def constant(self, value: int | float) -> int:
        """A literal."""
        ident = self.make("const", 32, (), 0, (type(value), value), str(value))
        self.constants[ident] = value
        if isinstance(value, int):
            self.forms[ident] = Affine.of({}, value)
            self.spans[ident] = (value, value)
        return ident

    def quotient(
        self,
        op: str,
        type_: c.CType,
        operands: tuple[int, int],
        types: tuple[c.CType, c.CType],
        line: int,
    ) -> int:
        """A quotient or remainder by a constant: a product with the reciprocal, of a bit more than the dividend has."""
        left, right = operands
        known = tuple(spans.within(self.spans.get(x), t) for x, t in zip(operands, types, strict=True))
        width = spans.width(known[0]) if known[0] is not None else folding.bits(type_)
        made = self.make("mul", 2 * width, (left, right), line, ("reciprocal",), op)
        self.body.ops[made] = replace(self.body.ops[made], operands=(width, width + 1))
        if op == "%":
            kind, _ = folding.operator("*", type_, None, self.constants[right])
            back = self.make(kind, width, (made, right), line, ("back",), op)
            if kind == "mul":
                self.body.ops[back] = replace(self.body.ops[back], operands=(width, width))
            made = self.make("add", width, (left, back), line, ("rest",), op)
        if (span := spans.within(spans.combine(op, known[0], known[1]), type_)) is not None:
            self.spans[made] = span
        return made

    def touch(self, kind: str, place: Location, args: tuple[int, ...], bits: int, line: int) -> int:
        """A load or store."""
        variable = self.program.variable(place.variable)
        element = c.held(variable.type)
        if place.key[0] != "stream" and isinstance(element, c.OtherType) and not c.is_open(element):
            cause = self.program.unread(element.name)  # it may hold arrays, each a memory of its own
            if cause is not None:
                raise Unmodelled(f"the type of `{variable.name}` is not {cause}", line)
        ref = MemoryRef(
            place.variable, place.access, kind, place.key, place.index, place.relation, place.domain, self.branch,
            bool(self.branch), self.position, place.columns, place.joined,
        )  # fmt: skip
        self.position += 1
        opcode = "load" if kind == "read" else "store"
        made = self.make(opcode, bits, (*args, *self.guards), line, (self.position,), f"{variable.name} {opcode}")
        self.body.ops[made] = replace(self.body.ops[made], ref=ref)
        self.events.setdefault(place.variable, History()).add(made, kind, place.key, place.index)
        if kind == "write" or place.key[0] == "stream":
            self.body.live.add(made)
        return made

    def place(self, expr: c.ArrayRef, kind: Literal["read", "write"], values: tuple[int, ...], line: int) -> Location:
        """The address of ``expr`` whose indices have the given values."""
        access = self.access.get((expr.id, kind)) or self.access.get((expr.id, "read"))
        access = access or self.access.get((expr.id, "write"))
        if access is None:
            raise Unmodelled(f"no access record of `{self.program.text(expr.at)}`", line)
        variable, relation = access.array, None  # of what a pointer points into where that is known
        own = variable == expr.variable
        index: tuple[Affine | None, ...] | None = None
        if access.affine and access.index is not None and self._in_space(access):
            index = tuple(None if form is None else self._substituted(form) for form in access.index)
            if own and len(index) == len(values):  # remainders and quotients of the numbers of copies are literals
                index = tuple(self._unwrapped(v) if f is None else f for f, v in zip(index, values, strict=True))
            if any(form is None for form in index):
                relation = self._relation(access)
                index = self._settled(index, relation, line)
        elif (
            own and values and all(v in self.forms for v in values)
        ):  # analysis knows no values from outside the function
            index = tuple(self.forms[v] for v in values)
        domain = self._domain(access)
        if (words := self.frame.words) is not None and variable in words.packed:
            lanes = words.lanes(variable)
            if index is None and not own:
                key: tuple[object, ...] = ("value", expr.variable, values)
                return Location(variable, access.id, key, None, None, values, domain, lanes)
            given = index if index is not None else (None,) * len(values)
            forms = [self.forms.get(v) if f is None and own else f for f, v in zip(given, values, strict=False)]
            key, at, relation, lane = words.place(variable, forms, values)
            needed = tuple(v for v in values if ("value", v) in key)
            element = tuple(v if f is None else f for f, v in zip(forms, values, strict=False))
            return Location(variable, access.id, key, at, relation, needed, domain, lanes, lane, element=element)
        if index is not None and all(form is not None for form in index):
            return Location(variable, access.id, ("affine", index), index, None, (), domain)
        needed = tuple(v for v in values if v not in self.constants)
        if index is None and own:
            index = self._memory_of(variable, values)
        columns = tuple(self.forms.get(v) for v in values) if own else ()
        key = ("value", *(() if own else (expr.variable,)), values)
        return Location(variable, access.id, key, index, relation, needed, domain, columns=columns)

    def _unwrapped(self, value: int) -> Affine | None:
        """The form of an index that is known to be a small number all along, so that nothing of it wraps around."""
        low, high = self.spans.get(value) or (-1, 0)
        return self.forms.get(value) if 0 <= low <= high < MOST_INDEX else None

    def _memory_of(self, variable: int, values: tuple[int, ...]) -> tuple[Affine | None, ...] | None:
        """The indices that are known of an element chosen while the loop runs, where each is a memory of its own.

        ``table[lane][x]`` stays in the memory of its lane. In one memory a tool does not tell rows apart whose columns
        it does not know.
        """
        dims = self.frame.divided.get(variable, ())
        known = tuple(self.forms.get(v) if k in dims else None for k, v in enumerate(values))
        return known if any(form is not None for form in known) else None

    def _settled(self, index: tuple[Affine | None, ...], relation: str | None, line: int) -> tuple[Affine | None, ...]:
        """``index`` with remainders that stay in all iterations as numbers: ``i % 8`` in the copies of a body.

        Reports show it for steps of a power of two, whose low bits stay.
        """
        from hlspart.sets import carried

        if relation is None or self.frame.step == 1:
            return index
        known = carried.constants(self.frame.domain, relation)
        settled = tuple(Affine((), k) if f is None and k is not None else f for f, k in zip(index, known, strict=True))
        if settled != index and self.frame.step.bit_count() > 1:
            raise Unmodelled("whether the tool sees that a remainder is the same in all iterations is not known", line)
        return settled

    def _in_space(self, access: Access) -> bool:
        return all(n in self.fixed or n in self.frame.names for n in access.iterators)

    def _substituted(self, form: Affine) -> Affine:
        moved = sum(form.coefficient(n) * s for n, s in self.shift.items() if n not in self.fixed)
        plain = form.at(self.fixed)
        return replace(plain, const=plain.const + moved)

    def _relation(self, access: Access) -> str | None:
        from hlspart.sets import carried

        if access.map is None:
            return None
        return carried.instance_map(access.map, access.iterators, self._numbers(access), self.shift, self.frame.names)

    def _numbers(self, access: Access) -> dict[str, int]:
        return {n: v for n, v in self.fixed.items() if n in access.iterators}

    def _domain(self, access: Access) -> str:
        """Iterations that perform the current copy of an access."""
        if not (self.branch or self.frame.uneven) or not self._in_space(access):
            return self.frame.domain
        from hlspart.sets import carried

        frame = self.frame
        domain = carried.instance(access.domain, access.iterators, self._numbers(access), self.shift, frame.names)
        return carried.within(domain, frame.names, frame.domain)
