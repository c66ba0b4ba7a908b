"""Which loads of an iteration matter: in some run, another value of any one of them changes what the program leaves.

Operators hand on each of their operands, but for what comes in twice and may cancel. Tests hand on nothing, since no
one run need see all of them at their edge. A value ends in a store that nothing hides, or in a sum that is read later.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property, reduce
from operator import or_

from msgspec import Struct

from hlspart.lowering.graph import MemoryRef, Op
from hlspart.model.access import Access
from hlspart.model.program import ArrayRef, Name, walk, walk_statements
from hlspart.predict.behind import first_use, statements_behind
from hlspart.predict.given import Given
from hlspart.predict.loops import Prediction
from hlspart.predict.losing import Loss, loss
from hlspart.predict.rising import rising
from hlspart.semantics.effects import statement_values
from hlspart.sets.moved import is_apart, stays

_SUMS = frozenset({"add", "fadd", "dadd"})
_PRODUCTS = frozenset({"mul", "fmul", "dmul"})
_QUOTIENTS = frozenset({"fdiv", "ddiv"})
_TESTS = frozenset({"cmp", "fcmp", "dcmp", "mux"})
#: Of those that are neither sums nor products: they hand on every bit.
_WHOLE = frozenset({"fext", "itof", "itod"})
_CONNECTIVES = frozenset({"&&", "||", "!"})


class _Value(Struct, frozen=True):
    """Leaves as bits of a number: those a value surely follows, all it is made of, those that more of it may cancel.

    ``idle``: iterators or tests take part, which may be zero in all runs. ``even``: an even factor may take part.
    """

    follows: int = 0
    made_of: int = 0
    mixed: int = 0
    idle: bool = False
    even: bool = False


_NOTHING = _Value()


class Mattering(Struct, frozen=True, dict=True):
    """The loads of one loop, and what becomes of their values."""

    p: Prediction

    def accesses(self, variable: int) -> frozenset[int]:
        """Accesses to an array of which every load matters, all of them in one run."""
        mine = [(op, ref) for op, ref in self._loads if ref.variable == variable]
        idle = {ref.access for op, ref in mine if self._loss == "most" or not self._matters(op, ref)}
        all_ = {ref.access for _, ref in mine}
        larger = (
            rising(self.p.elaborated.storage, all_) if idle and variable in self._given.only_read else frozenset[int]()
        )
        return max(frozenset(all_ - idle), larger, key=len)

    def leaves(self, store: Op) -> bool:
        """Whether a store may leave the element as it is in every run: nothing is surely made of what it held."""
        value = self._values.get(store.args[0])
        if value is None or store.ref is None:
            return False
        own = sum(self._bits[op.id] for op in self._loaded_at(store.ref))
        members = self.p.elaborated.storage.arrays.members(store.ref.variable)
        copied = self._ops[store.args[0]].ref if store.args[0] in self._ops else None
        if copied is not None and copied.kind == "read":
            return copied.variable in members
        loose = value.idle or bool(value.made_of & ~own & ~self._sure)  # what is added may be nothing
        alike = sum(self._bits[op.id] for op, ref in self._loads if ref.variable in members) if value.idle else own
        return loose and bool(value.follows & alike) and not value.follows & self._sure & ~alike

    def _loaded_at(self, ref: MemoryRef) -> Sequence[Op]:
        return self._by_place.get((ref.variable, ref.key), ())

    @cached_property
    def _loads(self) -> list[tuple[Op, MemoryRef]]:
        return [(op, op.ref) for op in self._ops.values() if op.kind == "load" and op.ref is not None]

    @cached_property
    def _by_place(self) -> dict[tuple[object, ...], list[Op]]:
        known = defaultdict[tuple[object, ...], list[Op]](list)
        for op, ref in self._loads:
            known[ref.variable, ref.key].append(op)
        return known

    @cached_property
    def _by_bit(self) -> dict[int, tuple[int, MemoryRef]]:
        return {self._bits[op.id].bit_length(): (op.id, ref) for op, ref in self._loads}

    @property
    def _ops(self) -> Mapping[int, Op]:
        return self.p.problem.graph.ops

    @property
    def _everywhere(self) -> str:
        return self.p.elaborated.carriers.space.domain

    def _matters(self, load: Op, ref: MemoryRef) -> bool:
        return bool((self._ends.get(self._everywhere, 0) | self._ends.get(ref.domain, 0)) & self._bits[load.id])

    # ---------------------------------------------------------------------------------------- values

    @cached_property
    def _from_before(self) -> dict[int, dict[int, str]]:
        """Operations -> the operations of the iteration before of which they take values, with their names."""
        taken = defaultdict[int, dict[int, str]](dict)
        for e in self.p.problem.graph.edges:
            if e.distance and e.kind == "data":
                taken[e.sink][e.source] = e.name
        return taken

    @cached_property
    def _bits(self) -> dict[int, int]:
        """A bit for each load, and for each value of the iteration before (-1 - its operation)."""
        loads = [op.id for op in self._ops.values() if op.kind == "load"]
        before = sorted({-1 - source for taken in self._from_before.values() for source in taken})
        return {leaf: 1 << k for k, leaf in enumerate((*loads, *before))}

    @cached_property
    def _values(self) -> dict[int, _Value]:
        known, waiting = dict[int, _Value](), list(self._ops)
        while waiting:
            op = self._ops[waiting[-1]]
            missing = [a for a in op.args if a in self._ops and a not in known] if op.id not in known else []
            if missing:
                waiting += missing
                continue
            waiting.pop()
            if op.id not in known:
                known[op.id] = self._value(op, self._operands(op, known))
        return known

    def _operands(self, op: Op, known: Mapping[int, _Value]) -> list[_Value]:
        """The values of its operands, constants as nothing; what cannot be told apart is mixed."""
        before = [self._bits[-1 - source] for source in self._from_before.get(op.id, ())]
        places = [k for k, a in enumerate(op.args) if a not in self._ops]
        operands = [known.get(a, _NOTHING) for a in op.args]
        if len(before) == len(places) == 1:
            operands[places[0]] = _Value(before[0], before[0])
            return operands
        return [*operands, *(_Value(0, bit, bit) for bit in before)]

    def _value(self, op: Op, operands: list[_Value]) -> _Value:
        follows = made_of = mixed = twice = 0
        for x in operands:
            twice |= made_of & x.made_of
            follows, made_of, mixed = follows | x.follows, made_of | x.made_of, mixed | x.mixed
        idle = any(x.idle for x in operands) or any(map(self._may_be_zero, op.args))
        if op.kind == "load" and op.ref is not None:
            bit = self._bits[op.id]
            own = 0 if self._is_table(op.ref.variable) else bit
            places = follows & ~twice if self._may_differ(op.ref, made_of) else 0
            return _Value(own | places, bit | made_of, made_of)
        if op.kind in _TESTS or (op.kind == "logic" and op.text in _CONNECTIVES):
            return _Value(0, made_of, made_of, True)
        if op.kind == "select":
            test, *arms = operands
            both = arms[0].follows & arms[1].follows if len(arms) == 2 else 0
            return _Value(both & ~test.made_of, made_of, made_of, True)
        if (op.kind in _SUMS and op.text == "-" and len(operands) == 2) or op.kind in _QUOTIENTS:
            if op.kind in _QUOTIENTS and not self._is_free(op.args[0], operands[0]):
                follows = operands[0].follows
            return _Value(follows & ~twice, made_of, mixed | operands[1].made_of, idle)
        evens = sum(x.even for x in operands)
        if op.kind in _PRODUCTS:
            follows = self._factors(op, operands)
        times = op.kind == "mul" or (op.kind == "add" and op.text == "*")  # by a constant: a sum of shifted values
        if times:
            evens += sum(map(self._is_even, op.args))
            follows = 0 if evens > 1 or (evens and self._loss == "multiples") else follows
        double = twice & follows if op.kind in _SUMS else 0  # x + x is 2 x
        if double and (evens or self._loss == "multiples"):
            follows &= ~double
        evens += double > 0
        if op.kind in _SUMS or op.kind in _PRODUCTS:
            lost = self._old & made_of if times or double & self._old else 0  # powers of integers run out of bits
            return _Value(follows & ~(twice & mixed), made_of, mixed | lost, idle, evens > 0)
        if op.kind not in _WHOLE and op.text != "^":  # shifts, masks, quotients: which bits are left is not looked at
            follows = 0
        return _Value(follows & ~twice, made_of, made_of, True)

    def _may_differ(self, ref: MemoryRef, places: int) -> bool:
        """Whether some run has another value in each element of an array, so that it matters which one is loaded."""
        if ref.guarded or ref.variable not in self._given.only_read:
            return False
        of = (leaf for leaf, bit in self._bits.items() if bit & places)
        loads = [self._ops[leaf].ref for leaf in of if leaf in self._ops]
        members = self.p.elaborated.storage.arrays.members
        return all(x is not None and ref.variable not in members(x.variable) for x in loads)

    def _factors(self, op: Op, operands: Sequence[_Value]) -> int:
        """What a product follows: factors beside others that some run makes anything but zero."""
        free = [self._is_free(a, x) for a, x in zip(op.args, operands, strict=False)]
        free += [True] * (len(operands) - len(free))
        return reduce(or_, (x.follows for k, x in enumerate(operands) if all(free[:k] + free[k + 1 :])), 0)

    def _is_free(self, ident: int, value: _Value) -> bool:
        """Whether some run makes an operand anything but zero, whatever else it does."""
        if value.follows & self._sure:
            return True
        return self._is_zero_free(ident) if ident in self._ops else not self._may_be_zero(ident)

    def _may_be_zero(self, ident: int) -> bool:
        """Whether an operand that is worked out ahead of the loop, or given to it, may be zero in all runs."""
        if ident in self._ops:
            return False
        op = self.p.problem.graph.outside.get(ident)
        if op is None or op.kind == "index":
            return True
        if op.kind == "const":
            return op.text.strip("-0.") == ""
        return op.kind == "input" and op.text not in self._nonzero

    def _is_even(self, ident: int) -> bool:
        """Whether an operand may have nothing but even values: not an odd constant, a table of them, or an argument."""
        op = self.p.problem.graph.outside.get(ident) or self._ops.get(ident)
        if op is None or op.kind not in ("const", "load", "input"):
            return self._loss == "multiples"
        if op.kind == "const":
            return re.fullmatch(r"-?\d*[13579]", op.text) is None
        if op.kind == "load" and op.ref is not None:
            free = op.ref.variable in self._given.only_read or self._is_zero_free(ident)
            return not free and self._loss == "multiples"
        return op.text not in self._odd

    @cached_property
    def _odd(self) -> frozenset[str]:
        return self._given.names(self.p.elaborated.nest.function, self._around, odd=True)

    @cached_property
    def _loss(self) -> Loss:
        nest, program = self.p.elaborated.nest, self.p.elaborated.storage.program
        function = program.functions.get(nest.function)
        root = nest.chain[0] if nest.chain else function.body if function is not None else None
        return "most" if root is None else loss(program, root)

    @cached_property
    def _given(self) -> Given:
        return Given(self.p.elaborated.storage)

    @cached_property
    def _nonzero(self) -> frozenset[str]:
        return self._given.names(self.p.elaborated.nest.function, self._around)

    def _is_zero_free(self, ident: int) -> bool:
        """Whether an operation loads from a table without a zero: of integers, odd ones, products of which are none."""
        ref = self._ops[ident].ref
        return ref is not None and self._is_table(ref.variable) and self._given.has_no_zero(ref.variable)

    def _is_table(self, variable: int) -> bool:
        """Whether an array has one content in all runs."""
        storage = self.p.elaborated.storage
        given = storage.program.variable(variable).init is not None
        return given and not any(a.kind == "write" for a in storage.analysis.accesses if a.array == variable)

    @cached_property
    def _sure(self) -> int:
        """The loads of which some run makes all anything but zero, whatever the program stores there."""
        filled = {v: self._given.is_filled(v, self._around) for v in {ref.variable for _, ref in self._loads}}
        return sum(self._bits[op.id] for op, ref in self._loads if filled[ref.variable])

    @cached_property
    def _around(self) -> frozenset[int]:
        nest = self.p.elaborated.nest
        return frozenset(x.id for x in (*nest.outer, *nest.chain))

    @cached_property
    def _old(self) -> int:
        return sum(bit for leaf, bit in self._bits.items() if leaf < 0)

    # ------------------------------------------------------------------------------------------ ends

    @cached_property
    def _ends(self) -> dict[str, int]:
        """Where values end for good: by iterations, the leaves that what is left surely follows."""
        ends = defaultdict[str, int](int)
        for op in self._ops.values():
            if op.kind == "store" and op.ref is not None and not op.ref.guarded and not self.leaves(op):
                value = self._values.get(op.args[0], _NOTHING)
                if self._lasts(op.ref, value):
                    ends[op.ref.domain] |= self._alone(value)
        for source, name in {s: n for taken in self._from_before.values() for s, n in taken.items()}.items():
            bit, value = self._bits[-1 - source], self._values[source]
            if value.follows & bit & ~value.mixed and self._adds_up(value) and self._is_left(name, value):
                ends[self._everywhere] |= self._alone(value)
        return ends

    def _followed(self, value: _Value) -> list[tuple[int, MemoryRef]]:
        """The loads that a value follows."""
        followed, left = list[tuple[int, MemoryRef]](), value.follows
        while left:
            lowest = left & -left
            followed += filter(None, [self._by_bit.get(lowest.bit_length())])
            left ^= lowest
        return followed

    def _alone(self, value: _Value) -> int:
        """The leaves that a value follows, but for those that may be one element in an iteration, and cancel there."""
        strides, turned, loads = defaultdict[int, set[object]](set), set[int](), self._followed(value)
        for ident, ref in loads:
            moves = tuple([None if f is None else f.terms for f in ref.index or ()])
            strides[ref.variable].add(moves if moves and None not in moves else ref.key)
            turned |= {ref.variable} if self._bits[ident] & value.mixed else set()
        meeting = {v for v in turned if len(strides[v]) > 1}
        return value.follows & ~sum(self._bits[ident] for ident, ref in loads if ref.variable in meeting)

    def _adds_up(self, value: _Value, own: Sequence[Op] = ()) -> bool:
        """Whether what iterations add to one value, ``own`` as loaded, cannot cancel: no two take a turned element."""
        known = {op.id for op in own}
        followed = [(ident, ref) for ident, ref in self._followed(value) if ident not in known]
        turned = {ref.variable for ident, ref in followed if self._bits[ident] & value.mixed}
        taken = {ref.access for _, ref in followed if ref.variable in turned}
        return not taken or is_apart([a for a in self.p.elaborated.storage.analysis.accesses if a.id in taken])

    def _lasts(self, ref: MemoryRef, value: _Value) -> bool:
        """Whether what a store leaves is there at the end, as it is or in what is made of it."""
        analysis = self.p.elaborated.storage.analysis
        if ref.key[0] == "stream":
            return True
        group = analysis.group_of.get(ref.variable)
        tied = {ref.variable, *(v for v, g in analysis.group_of.items() if g == group and g is not None)}
        others = [a for a in analysis.accesses if a.array in tied and a.id != ref.access]
        mine = next((a for a in analysis.accesses if a.id == ref.access), None)
        if mine is None or self._is_kept_inside(tied):  # what is made of it is not followed
            return False
        again = self._loaded_at(ref)
        adds = any(self._bits[op.id] & value.follows & ~value.mixed for op in again) and self._adds_up(value, again)
        steps = {x: info.step for x, info in analysis.loops.items()}
        inside = self._inside(mine)
        return stays(mine, others, steps, again=adds, inside=inside)

    def _is_kept_inside(self, tied: Collection[int]) -> bool:
        """Whether no name of an array is one that the top gives back, or that outlives it."""
        storage = self.p.elaborated.storage
        records = [storage.program.variable(v) for v in tied]
        tops = storage.analysis.tops
        return all(v.storage == "local" or (v.storage == "parameter" and v.function not in tops) for v in records)

    def _inside(self, store: Access) -> int:
        """How many loops of a store one iteration runs, where it leaves but one of the values that they store."""
        chain = self.p.elaborated.nest.chain
        if not chain or chain[-1].id not in store.loops or self._stores[store.id] != 1:
            return 0
        return len(store.loops) - 1 - store.loops.index(chain[-1].id)

    @cached_property
    def _stores(self) -> Counter[int]:
        """How many stores of an iteration an access of the text is."""
        return Counter(op.ref.access for op in self._ops.values() if op.kind == "store" and op.ref is not None)

    def _is_left(self, name: str, value: _Value) -> bool:
        """Whether what iterations hand on under a name is left: a scalar that is read, or an element that is stored."""
        variables, out = self.p.elaborated.storage.program, self.p.problem.graph.hoisted
        stored = [x for x in out if x.kind == "write" and name.startswith(variables.variable(x.variable).name)]
        return self._lasts(stored[0], value) if len(stored) == 1 else not stored and self._is_read_later(name)

    def _is_read_later(self, name: str) -> bool:
        """Whether the variable of a name is read behind the loop, ahead of anything that gives it a value."""
        nest, program = self.p.elaborated.nest, self.p.elaborated.storage.program
        loop = nest.chain[0] if nest.chain else None
        function = program.functions.get(nest.function)
        if loop is None or function is None:
            return False
        named = {
            e.variable
            for s in walk_statements(loop)
            for root in statement_values(program, s)
            for e in walk(root)
            if isinstance(e, Name) and program.variable(e.variable).name == name
        }
        if len(named) != 1:
            return False
        behind = statements_behind(function.body, loop) or ()
        use = next((x for x in (first_use(program, s, *named) for s in behind) if x is not None), False)
        return self._is_left_in(use) if isinstance(use, ArrayRef) else use

    def _is_left_in(self, target: ArrayRef) -> bool:
        """Whether what is stored to an element behind the loop is there at the end."""
        storage = self.p.elaborated.storage
        writes = [a for a in storage.analysis.accesses if a.kind == "write"]
        mine = next((a for a in writes if a.ref == target.id), None)
        if mine is None:
            return False
        tied = storage.arrays.members(mine.array)
        if self._is_kept_inside(tied):
            return False
        others = [a for a in storage.analysis.accesses if a.array in tied and a.id != mine.id]
        again = any(a.ref == target.id for a in others)  # it goes on with what is there
        steps = {x: info.step for x, info in storage.analysis.loops.items()}
        return stays(mine, others, steps, again=again)
