"""Elaboration: the statements of one pipelined iteration become operations.

Inner loops are unrolled by running them (their tests must fold to constants), branches become
selections, scalars become values. Memory accesses and equal computations are the business of
:mod:`hlspart.schedule.operations`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from hlspart.model import program as c
from hlspart.model.access import Affine
from hlspart.schedule import folding
from hlspart.schedule.graph import Carried
from hlspart.schedule.operations import Body, Frame, Operations, Place, Unmodelled

Key = int | tuple[int, str]  # a scalar, or a member of a struct variable

MAX_COPIES = 8_192

MATH = {
    "sqrt": "sqrt", "exp": "exp", "log": "exp", "sin": "exp", "cos": "exp", "pow": "exp", "tanh": "exp",
    "atan": "exp", "atan2": "exp", "tan": "exp", "sinh": "exp", "cosh": "exp",
}  # fmt: skip
MOVES = {"fabs", "fabsf", "abs", "labs", "fmin", "fmax", "fminf", "fmaxf", "floor", "ceil", "floorf", "ceilf", "round"}
IGNORED = {"printf", "fprintf", "puts", "putchar", "assert", "__assert_fail", "fflush", "__builtin_expect"}


@dataclass(frozen=True, slots=True)
class Control:
    """What decides whether a pipelined loop goes on: its test (None: always true), before or after the body.

    ``step`` is run after the body when the loop has no iterator that analysis knows.
    """

    test: c.Expr | None
    step: c.Expr | None
    late: bool

    @property
    def statements(self) -> tuple[c.Stmt, ...]:
        """Test and step as statements."""
        return tuple(c.ExprStmt(x.at, x) for x in (self.test, self.step) if x is not None)


class Elaborator(Operations):
    """Runs statements symbolically; :meth:`run` per unrolled copy, then :meth:`finish`."""

    def __init__(
        self, frame: Frame, before: Sequence[c.Stmt], statements: Sequence[c.Stmt], control: Control | None = None
    ) -> None:
        """``before``: statements of flattened parents; what they declare lives on in later iterations.

        ``control``: of a loop that data may end.
        """
        super().__init__(frame)
        self.control = control
        self.inside = 0  # unrolled loops that the current statement stands in
        self.env: dict[Key, int] = {}
        self.phis: dict[Key, int] = {}
        self.pending: list[tuple[str, tuple[tuple[int, int], ...], tuple[int, ...]]] = []
        self.branches: dict[tuple[str, int], int] = {}
        self.copies = 0
        self.declared = folding.declared(statements)
        ends = control.statements if control is not None else ()
        self.modified = folding.modified([*before, *statements, *ends]) | folding.declared(before)

    # ------------------------------------------------------------------------------ driving

    def run(self, statements: Sequence[c.Stmt], shift: Mapping[str, int]) -> None:
        """Elaborate one copy of the body, its own iterators moved by ``shift``."""
        self.shift = dict(shift)
        for loop in self.frame.own:
            info = self.frame.analysis.loops[loop]
            if info.variable is not None and info.iterator is not None:
                moved = shift.get(info.iterator, 0)
                value = self.make("index", 32, (), 0, ("iterator", info.iterator, moved), info.iterator)
                self.env[info.variable] = value
                self.forms[value] = Affine.of({info.iterator: 1}, moved)
        control = self.control
        if control is not None and not control.late:
            self._test(control.test)
        self._statements(statements)
        self._drop("continue")
        if control is not None and control.step is not None:
            self.value(control.step)
        if control is not None and control.late:
            self._test(control.test)

    def _test(self, test: c.Expr | None) -> None:
        """The loop's own test, as far as it is not decided."""
        value = self.value(test) if test is not None else None
        if value is not None and value not in self.constants:
            self._leaves(value, self.program.line(test.at) if test is not None else 0)

    def _leaves(self, test: int, line: int) -> None:
        """Data decides here whether this iteration is the last."""
        made = self.make("wire", 1, (test, *self.guards), line, ("exit", len(self.body.exits)), "exit test")
        self.body.live.add(made)
        self.body.exits.append((made, self.position))

    def guarded(self, statements: Sequence[c.Stmt], when: Literal["first", "last"]) -> None:
        """Elaborate statements that run in the first or last iteration of the inner loop only."""
        before = dict(self.env)
        condition = self.make("index", 1, (), 0, (when,), f"{when} iteration")
        with self._arm(self._branch(condition), 0, condition):
            self._statements(statements)
        self._merge(condition, before, dict(self.env), before, 0)

    def finish(self) -> Body:
        """Close the iteration: values that the next one starts from."""
        for key, phi in self.phis.items():
            value = self.env[key]
            if value != phi:
                self.body.carried.append(Carried(phi, value, self._key_name(key), True))
        for key, value in self.env.items():
            variable = key if isinstance(key, int) else key[0]
            if variable in self.modified and variable not in self.declared:
                self.body.live.add(value)
        return self.body

    def _key_name(self, key: Key) -> str:
        if isinstance(key, int):
            return self.program.variable(key).name
        return f"{self.program.variable(key[0]).name}.{key[1]}"

    def _operate(self, op: str, type_: c.CType, left: int, right: int, line: int, operand_type: c.CType) -> int:
        """A binary operation on values."""
        a, b = self.constants.get(left), self.constants.get(right)
        if a is not None and b is not None:
            folded = folding.fold(op, a, b)
            if folded is not None:
                return self.constant(folding.wrapped(folded, type_))
        same = folding.identity(op, a, b)
        if same is not None:
            return left if same == "left" else right
        ops = self.body.ops
        kind, bits = folding.operator(op, operand_type, a, b)
        address = all(ops[x].kind in ("const", "index", "input") for x in (left, right))
        if address and kind in folding.ADDRESS and any(ops[x].kind == "index" for x in (left, right)):
            kind = "index"
        made = self.make(kind, bits, (left, right), line, (op,), op)
        form = folding.affine(op, self.forms.get(left), self.forms.get(right))
        if form is not None:
            self.forms[made] = form
        return made

    # -------------------------------------------------------------------------- expressions

    def value(self, expr: c.Expr) -> int:
        """The value of an expression, its side effects performed."""
        line = self.program.line(expr.at)
        match expr:
            case c.Const():
                return self.constant(expr.value)
            case c.SizeOf():
                if expr.value is None:
                    raise Unmodelled("sizeof of an unknown type", line)
                return self.constant(expr.value)
            case c.Name():
                return self._read(expr.variable)
            case c.ArrayRef():
                return self._load(expr, line)
            case c.Member():
                return self._member(expr, line)
            case c.Unary():
                return self._unary(expr, line)
            case c.Binary() if expr.op in ("&&", "||"):
                left, right = self.value(expr.left), self.value(expr.right)
                return self._operate(expr.op, expr.type, left, right, line, expr.type)
            case c.Binary():
                left, right = self.value(expr.left), self.value(expr.right)
                wide = folding.common(expr.left.type, expr.right.type)
                left = self._convert(left, expr.left.type, wide, line)
                right = self._convert(right, expr.right.type, wide, line)
                return self._operate(expr.op, expr.type, left, right, line, wide)
            case c.Assign():
                return self._assign(expr, line)
            case c.IncDec():
                old = self.value(expr.operand)
                new = self._operate(expr.op[0], expr.type, old, self.constant(1), line, expr.operand.type)
                self._store(expr.operand, new, line)
                return new if expr.prefix else old
            case c.Cast():
                return self._convert(self.value(expr.operand), expr.operand.type, expr.type, line)
            case c.Conditional():
                return self._conditional(expr, line)
            case c.Comma():
                return [self.value(item) for item in expr.items][-1]
            case c.Call():
                return self._call(expr, line)
            case _:
                raise Unmodelled(f"`{self.program.text(expr.at)}` is not modelled", line)

    def _read(self, variable: int) -> int:
        if variable in self.env:
            return self.env[variable]
        if variable in self.modified and variable not in self.declared:
            return self._phi(variable)
        known = self.program.variable(variable)
        if known.const and known.init is not None and isinstance(known.type, c.ScalarType):
            value = self.value(known.init)
            if value in self.constants:
                return value
        value = self.make("input", folding.bits(known.type), (), 0, (variable,), known.name)
        if variable in self.frame.symbols:
            self.forms[value] = Affine.of({self.frame.symbols[variable]: 1})
        return value

    def _phi(self, key: Key) -> int:
        """The value that a scalar has at the start of the iteration."""
        if key not in self.phis:
            self.phis[key] = self.make("phi", 32, (), 0, (), self._key_name(key))
        self.env[key] = self.phis[key]
        return self.phis[key]

    def _member(self, expr: c.Member, line: int) -> int:
        match expr.base:
            case c.ArrayRef():
                return self._load(expr.base, line)
            case c.Name():
                key = (expr.base.variable, expr.field)
                if key in self.env:
                    return self.env[key]
                if expr.base.variable in self.env:  # set as a whole
                    return self._part(self.env[expr.base.variable], expr.field, line)
                if expr.base.variable in self.modified and expr.base.variable not in self.declared:
                    return self._phi(key)
                return self.make("input", 32, (), 0, key, self._key_name(key))
            case c.Member():
                return self._member(expr.base, line)
            case _:
                raise Unmodelled(f"`{self.program.text(expr.at)}` is not modelled", line)

    def _part(self, whole: int, field: str, line: int) -> int:
        """A member of the value of a structure."""
        return self.make("wire", self.body.ops[whole].bits, (whole,), line, ("member", field), f".{field}")

    def _unary(self, expr: c.Unary, line: int) -> int:
        inner = self.value(expr.operand)
        if expr.op == "+":
            return inner
        known = self.constants.get(inner)
        if known is not None:
            folded = folding.fold_unary(expr.op, known)
            if folded is not None:
                return self.constant(folding.wrapped(folded, expr.type))
        if expr.op in ("&", "*"):
            raise Unmodelled("access through a pointer is not modelled", line)
        if expr.op == "-" and not folding.is_float(expr.type):
            return self._operate("-", expr.type, self.constant(0), inner, line, expr.type)
        return self.make("logic", folding.bits(expr.type), (inner,), line, (expr.op,), expr.op)

    def _convert(self, value: int, source: c.CType, target: c.CType, line: int) -> int:
        if value in self.constants:
            return self.constant(folding.wrapped(self.constants[value], target))
        kind = folding.conversion(source, target)
        return value if kind is None else self.make(kind, folding.bits(target), (value,), line, (), kind)

    def _conditional(self, expr: c.Conditional, line: int) -> int:
        test = self.value(expr.test)
        if test in self.constants:
            return self.value(expr.then if self.constants[test] else expr.other)
        instance = self._branch(test)
        before = dict(self.env)
        with self._arm(instance, 0, test):
            then = self._convert(self.value(expr.then), expr.then.type, expr.type, line)
        after_then, self.env = self.env, dict(before)
        with self._arm(instance, 1, test):
            other = self._convert(self.value(expr.other), expr.other.type, expr.type, line)
        self._merge(test, before, after_then, self.env, line)
        if then == other:
            return then
        return self.make("select", folding.bits(expr.type), (test, then, other), line, (), "?:")

    def _assign(self, expr: c.Assign, line: int) -> int:
        value = self.value(expr.value)
        if expr.op != "=":
            op = expr.op[:-1]
            wide = folding.common(expr.target.type, expr.value.type) if op not in ("<<", ">>") else expr.target.type
            old = self._convert(self.value(expr.target), expr.target.type, wide, line)
            value = self._convert(value, expr.value.type, wide, line)
            value = self._operate(op, wide, old, value, line, wide)
            value = self._convert(value, wide, expr.target.type, line)
        else:
            value = self._convert(value, expr.value.type, expr.target.type, line)
        self._store(expr.target, value, line)
        return value

    def _call(self, expr: c.Call, line: int) -> int:
        name = expr.function
        if name is None:
            raise Unmodelled("call through a pointer", line)
        if name in IGNORED:
            return self.constant(0)
        if name in ("stream.read", "stream.write"):
            return self._stream(expr, name, line)
        if name.startswith("stream."):
            raise Unmodelled(f"the stream operation `{name.removeprefix('stream.')}` is not modelled", line)
        arguments = tuple(self.value(a) for a in expr.args)
        if name in MOVES:
            args = tuple(a for a in arguments if a not in self.constants) or arguments
            return self.make("logic", folding.bits(expr.type), args, line, (name,), name)
        base = name[:-1] if name.endswith("f") and name[:-1] in MATH else name
        if base in MATH:
            prefix = "f" if name.endswith("f") or folding.bits(expr.type) <= 32 else "d"
            return self.make(prefix + MATH[base], folding.bits(expr.type), arguments, line, (name,), name)
        if name in self.program.functions:
            raise Unmodelled(f"the call of {name} could not be expanded", line)
        raise Unmodelled(f"the body of {name} is not given", line)

    def _stream(self, expr: c.Call, name: str, line: int) -> int:
        stream = expr.args[0]
        if not isinstance(stream, c.Name):
            raise Unmodelled("a stream that is no plain variable", line)
        kind = "read" if name == "stream.read" else "write"
        args = tuple(self.value(a) for a in expr.args[1:])
        bits = folding.bits(stream.type)
        place = Place(stream.variable, -1, ("stream", self.position), None, None, args, self.frame.domain)
        return self.touch(kind, place, place.values, bits, line)

    def _load(self, expr: c.ArrayRef, line: int) -> int:
        place = self.place(expr, "read", tuple(self.value(i) for i in expr.indices), line)
        return self.load(place, folding.bits(expr.type), line)

    def _store(self, target: c.Expr, value: int, line: int) -> None:
        match target:
            case c.Name():
                self.bind(target.variable, value)
                self.env[target.variable] = value
                for key in [k for k in self.env if isinstance(k, tuple) and k[0] == target.variable]:
                    self.env[key] = self._part(value, key[1], line)
            case c.Member(base=c.Name() as base):
                self.env[(base.variable, target.field)] = value
            case c.Member(base=c.ArrayRef() as base):
                self._store_element(base, value, line, part=True)
            case c.Member(base=c.Member()):
                self._store(target.base, value, line)
            case c.ArrayRef():
                self._store_element(target, value, line)
            case c.Cast():
                self._store(target.operand, value, line)
            case _:
                raise Unmodelled(f"assignment to `{self.program.text(target.at)}` is not modelled", line)

    def _store_element(self, expr: c.ArrayRef, value: int, line: int, part: bool = False) -> None:
        place = self.place(expr, "write", tuple(self.value(i) for i in expr.indices), line)
        self.store(place, value, line, part)

    # --------------------------------------------------------------------------- statements

    def _statements(self, statements: Sequence[c.Stmt]) -> str | None:
        for stmt in statements:
            signal = self._statement(stmt)
            if signal is not None:
                return signal
        return None

    def _statement(self, stmt: c.Stmt) -> str | None:
        match stmt:
            case c.Block():
                return self._statements(stmt.body)
            case c.ExprStmt():
                self.value(stmt.expr)
            case c.Declare():
                self._declare(stmt)
            case c.If():
                return self._if(stmt)
            case c.Loop():
                self._loop(stmt)
            case c.Switch():
                self._switch(stmt)
            case c.Return():
                if stmt.value is not None:
                    self.body.live.add(self.value(stmt.value))
                return "return"
            case c.Jump(kind="goto"):
                raise Unmodelled("goto is not modelled", self.program.line(stmt.at))
            case c.Jump():
                return stmt.kind
            case c.Case() | c.Label() | c.PragmaMark():
                pass
        return None

    def _declare(self, stmt: c.Declare) -> None:
        for ident in stmt.variables:
            variable = self.program.variable(ident)
            if variable.init is None or variable.storage == "static":
                continue
            if isinstance(variable.init, c.InitList) or isinstance(variable.type, c.ArrayType):
                if not variable.const:
                    line = self.program.line(variable.at)
                    raise Unmodelled(f"{variable.name} is initialised in each iteration", line)
                continue
            if isinstance(variable.type, c.PointerType):
                continue  # a use that is understood has been made an access of the array it points to
            line = self.program.line(variable.at)
            self.env[ident] = self._convert(self.value(variable.init), variable.init.type, variable.type, line)
            self.bind(ident, self.env[ident])

    def _if(self, stmt: c.If) -> str | None:
        test = self.value(stmt.test)
        if test in self.constants:
            chosen = stmt.then if self.constants[test] else stmt.other
            return None if chosen is None else self._statements(chosen.body)
        instance, before = self._branch(test), dict(self.env)
        with self._arm(instance, 0, test):
            left = self._statements(stmt.then.body)
        after_then, self.env = self.env, dict(before)
        right = None
        if stmt.other is not None:
            with self._arm(instance, 1, test):
                right = self._statements(stmt.other.body)
        if left is None and right is None:
            self._merge(test, before, after_then, self.env, self.program.line(stmt.at))
            return None
        if left is not None and right is not None:
            return left
        if self.control is not None and (
            (left or right) == "return" or ((left or right) == "break" and not self.inside)
        ):
            self._leaves(test, self.program.line(stmt.at))
        # one arm leaves: what follows runs under the other
        self.pending.append((left or right or "", self.branch, self.guards))
        if left is None:
            self.env = after_then
        self.branch = (*self.branch, (instance, 0 if left is None else 1))
        self.guards = (*self.guards, test)
        return None

    def _loop(self, loop: c.Loop) -> None:
        """Run a loop that is unrolled completely."""
        line = self.program.line(loop.at)
        info = self.frame.analysis.loops.get(loop.id)
        name = info.iterator if info is not None else None
        if loop.init is not None:
            self._statement(loop.init)
        first = loop.kind == "do"
        while True:
            if not first:
                if loop.test is None:
                    raise Unmodelled(f"{loop.name} has no test and must be unrolled", line)
                test = self.value(loop.test)
                if test not in self.constants:
                    raise Unmodelled(
                        f"{loop.name} (line {line}) must be unrolled but its bounds are not constant", line
                    )
                if not self.constants[test]:
                    break
            first = False
            self.copies += 1
            if self.copies > MAX_COPIES:
                raise Unmodelled(f"more than {MAX_COPIES} copies after unrolling {loop.name}", line)
            if name is not None and info is not None and info.variable is not None:
                number = self.constants.get(self.env.get(info.variable, -1))
                if number is None:
                    self.fixed.pop(name, None)
                else:
                    self.fixed[name] = int(number)
            self.inside += 1
            signal = self._statements(loop.body.body)
            self.inside -= 1
            self._drop("continue")
            if signal in ("break", "return"):
                break
            if loop.step is not None:
                self.value(loop.step)
            if loop.kind == "do" and loop.test is not None:
                test = self.value(loop.test)
                if test not in self.constants:
                    raise Unmodelled(
                        f"{loop.name} (line {line}) must be unrolled but its bounds are not constant", line
                    )
                if not self.constants[test]:
                    break
                first = True
        self._drop("break")
        if name is not None:
            self.fixed.pop(name, None)

    def _switch(self, stmt: c.Switch) -> None:
        test = self.value(stmt.test)
        cases: list[list[c.Stmt]] = []
        for item in stmt.body.body:
            if isinstance(item, c.Case):
                if not cases or cases[-1]:
                    cases.append([])
            elif cases:
                cases[-1].append(item)
        instance = self._branch(test, "switch")
        before = dict(self.env)
        for arm, statements in enumerate(cases):
            after, self.env = self.env, dict(before)
            with self._arm(instance, arm, test):
                self._statements(statements)
            self._drop("break")
            self._merge(test, before, self.env, after, self.program.line(stmt.at))

    # ------------------------------------------------------------------------------ control

    def _branch(self, test: int, kind: str = "if") -> int:
        """Number of a branch: one value decides alike wherever it is tested."""
        return self.branches.setdefault((kind, test), len(self.branches) + 1)

    @contextmanager
    def _arm(self, instance: int, arm: int, test: int) -> Iterator[None]:
        saved = (self.branch, self.guards)
        self.branch, self.guards = (*self.branch, (instance, arm)), (*self.guards, test)
        depth = len(self.pending)
        yield
        self.pending = self.pending[:depth]
        self.branch, self.guards = saved

    def _drop(self, kind: str) -> None:
        """End of an iteration ("continue") or of a loop ("break"): conditions of jumps end here."""
        while self.pending and self.pending[-1][0] in (("continue",) if kind == "continue" else ("continue", "break")):
            _, self.branch, self.guards = self.pending.pop()

    def _merge(
        self, test: int, before: Mapping[Key, int], then: Mapping[Key, int], other: Mapping[Key, int], line: int
    ) -> None:
        """Values after two arms: equal ones stay, different ones are selected."""
        merged = dict(before)
        self.env = dict(before)
        for key in {**then, **other}:
            ident = key if isinstance(key, int) else key[0]
            if key in then and key in other:
                a, b = then[key], other[key]
            elif key not in before and ident in self.declared:
                continue  # set in one arm only, so not used after
            else:
                unset = before[key] if key in before else self._read(key) if isinstance(key, int) else self._phi(key)
                a, b = then.get(key, unset), other.get(key, unset)
            merged[key] = a if a == b else self.make("select", self.body.ops[a].bits, (test, a, b), line, (), "select")
        self.env = merged
