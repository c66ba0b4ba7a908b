"""What statements may change, read off the text alone: the safe side of the symbolic walk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from hlspart.model.code import once_per_code
from hlspart.model.program import (
    MEMBERS,
    SAME_BITS,
    ArrayRef,
    ArrayType,
    Assign,
    Block,
    Call,
    Cast,
    Const,
    Declare,
    Expr,
    Function,
    FunctionName,
    If,
    IncDec,
    Jump,
    Label,
    Loop,
    Name,
    OpaqueExpr,
    PointerType,
    Program,
    Return,
    ScalarType,
    Stmt,
    Switch,
    Unary,
    Variable,
    expressions,
    substatements,
    walk,
    walk_statements,
)
from hlspart.model.pure_functions import is_pure

# Other functions of libraries that read or write nothing but their arguments.
_LIBRARY = """
    printf fprintf puts putchar fputs fputc perror exit malloc calloc free memcpy memset memmove strlen strcmp strcpy
    assert __builtin_assume rand srand clock time
    stream.read stream.write stream.empty stream.full stream.size stream.capacity stream.read_nb stream.read_if
    stream.write_nb
"""
_QUIET = frozenset(_LIBRARY.split())
_SETS = frozenset(("stream.read_nb", "stream.read_if"))  # change what is behind the stream


def is_quiet(name: str) -> bool:
    """Whether a function of a library reads or writes nothing but its arguments."""
    return name in _QUIET or is_pure(name)


def statement_values(program: Program, stmt: Stmt) -> Iterator[Expr]:
    """Expressions that stand directly in a statement, initial values of a declaration included."""
    yield from expressions(stmt)
    if isinstance(stmt, Declare):
        inits = (program.variable(ident).init for ident in stmt.variables)
        yield from (init for init in inits if init is not None)


def statement_expressions(program: Program, root: Stmt) -> Iterator[Expr]:
    """Every expression below ``root``, outermost ones only, initialisers included."""
    for stmt in walk_statements(root):
        yield from statement_values(program, stmt)


def _bare(expr: Expr) -> Expr:
    while isinstance(expr, Cast):
        expr = expr.operand
    return expr


@dataclass
class Effects:
    """Queries over one :class:`Program`, each answered once.

    ``addressed``: scalars that more than their own name can change, ``escaping`` those that stand in code that is not
    given or not analysed. ``calls``: those in each function's
    body. ``global_writes``: variables of file scope that calling a function may change. ``taken``:
    functions whose address is taken, with the first place. ``assignments``: at how many places a
    variable is assigned, its initialiser apart. ``largest_id`` of blocks, loops,
    references and calls.
    """

    program: Program
    addressed: frozenset[int] = field(init=False)
    escaping: frozenset[int] = field(init=False)
    calls: dict[str, tuple[Call, ...]] = field(init=False)
    global_writes: dict[str, frozenset[int]] = field(init=False)
    taken: dict[str, FunctionName] = field(init=False, default_factory=dict)
    assignments: dict[int, int] = field(init=False, default_factory=dict)
    largest_id: int = field(init=False, default=0)
    _modified: dict[Stmt, frozenset[int]] = field(init=False, default_factory=dict)
    _stepped: dict[Loop, tuple[frozenset[int], frozenset[int]]] = field(init=False, default_factory=dict)
    _calls: dict[Stmt, tuple[Call, ...]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.calls, own, addressed, escaping = {}, {}, set[int](), set[int]()
        for name, function in self.program.functions.items():
            calls: list[Call] = []
            writes = set[int]()
            for stmt in walk_statements(function.body):
                if isinstance(stmt, (Loop, Block)):
                    self.largest_id = max(self.largest_id, stmt.id)
            for top in statement_expressions(self.program, function.body):
                for expr in walk(top):
                    match expr:
                        case Call():
                            calls.append(expr)
                            self.largest_id = max(self.largest_id, expr.id)
                            (escaping if self._leaves(expr) else addressed).update(self._by_reference(expr))
                        case ArrayRef():
                            self.largest_id = max(self.largest_id, expr.id)
                        case FunctionName():
                            self.taken.setdefault(expr.name, expr)
                        case Unary(op="&", operand=Name(variable=ident)):
                            addressed.add(ident)
                        case Assign(target=target) | IncDec(operand=target):
                            match _bare(target):
                                case Name(variable=ident):
                                    writes.add(ident)
                                    self.assignments[ident] = self.assignments.get(ident, 0) + 1
                        case OpaqueExpr(what=what) if what not in (MEMBERS, SAME_BITS):
                            escaping |= {e.variable for e in walk(expr) if isinstance(e, Name)}
            self.calls[name] = tuple(calls)
            own[name] = writes
        self.addressed, self.escaping = frozenset(addressed | escaping), frozenset(escaping - addressed)
        self._assigned_anywhere = frozenset().union(*own.values()) if own else frozenset()
        at_file_scope = frozenset(v.id for v in self.program.variables if v.function is None or v.storage == "static")
        self.global_writes = {}
        for name in self.program.functions:
            reach = self.reachable((name,))
            modified = frozenset().union(*(own[f] for f in reach)) & at_file_scope
            if any(self._leaves(call) for f in reach for call in self.calls[f]):
                modified |= self._outside
            self.global_writes[name] = modified

    @property
    def _outside(self) -> frozenset[int]:
        """What code that we do not see may change."""
        return frozenset(
            v.id
            for v in self.program.variables
            if v.function is None and not v.const and (not v.internal or v.id in self._assigned_anywhere)
        )

    def _leaves(self, call: Call) -> bool:
        return call.function is None or (call.function not in self.program.functions and not is_quiet(call.function))

    def _by_reference(self, call: Call) -> set[int]:
        """Scalars that a call may change through a C++ reference."""
        variables = set[int]()
        callee = self.program.functions.get(call.function or "")
        unknown = callee is None and not is_quiet(call.function or "")
        for k, arg in enumerate(call.args):
            bare = _bare(arg)
            if not isinstance(bare, Name):
                continue
            reference = callee is not None and k < len(callee.params) and self._variable(callee.params[k]).reference
            reference = reference or (call.function in _SETS and k == 1)
            if reference or (unknown and self._cpp(bare)):
                variables.add(bare.variable)
        return variables

    def extremum(self, call: Call) -> str | None:
        """``min`` or ``max``, where a call is one of the C++ library's."""
        name = (call.function or "").partition("<")[0].rpartition("::")[2]
        known = call.function in self.program.functions or len(call.args) != 2 or not self._cpp(call)
        return None if known or name not in ("min", "max") else name

    def changed_arguments(self, call: Call) -> Iterator[Expr]:
        """Arguments of a call that are no variables and that it may change through a C++ reference."""
        callee = self.program.functions.get(call.function or "")
        for k, arg in enumerate(call.args):
            if callee is not None and k < len(callee.params):
                formal = self._variable(callee.params[k])
                changes = formal.reference and not formal.const and not isinstance(formal.type, ArrayType)
            else:
                changes = callee is None and (call.function == "swap" or (call.function in _SETS and k == 1))
            if changes and not isinstance(arg, Name):
                yield arg

    def _cpp(self, expr: Expr) -> bool:
        path = expr.at.span.path
        return any(u.language == "c++" for u in self.program.units if u.path == path or path in u.headers)

    def _variable(self, ident: int) -> Variable:
        return self.program.variable(ident)

    def is_tracked(self, variable: Variable) -> bool:
        """Whether a scalar's value can be followed: an integer that only its own name can change."""
        return (
            isinstance(variable.type, ScalarType)
            and variable.type.kind in ("int", "bool")
            and not variable.volatile
            and variable.id not in self.addressed
            and not variable.reference
        )

    def keeps_first(self, variable: Variable) -> bool:
        """Whether a scalar of a function never gets another value than its initial one."""
        return (
            variable.storage == "local"
            and isinstance(variable.type, ScalarType)
            and not (variable.volatile or variable.reference)
            and variable.id not in self.addressed
            and variable.id not in self.assignments
        )

    def is_tracked_pointer(self, variable: Variable) -> bool:
        """Whether a pointer's target can be followed."""
        return isinstance(variable.type, PointerType) and not variable.volatile and variable.id not in self.addressed

    def killed_by(self, call: Call) -> frozenset[int]:
        """Variables of file scope (and static ones) that a call may change."""
        if call.function is not None and call.function in self.program.functions:
            return self.global_writes[call.function]
        return self._outside if self._leaves(call) else frozenset()

    def calls_in(self, stmt: Stmt) -> tuple[Call, ...]:
        """Calls at or below a statement."""
        if stmt not in self._calls:
            own = (e for top in statement_values(self.program, stmt) for e in walk(top) if isinstance(e, Call))
            below = (call for s in substatements(stmt) for call in self.calls_in(s))
            self._calls[stmt] = (*own, *below)
        return self._calls[stmt]

    def modified(self, stmt: Stmt) -> frozenset[int]:
        """Variables that executing ``stmt`` may assign, calls included, declarations of its own too."""
        if stmt not in self._modified:
            variables = set[int]()
            for sub in walk_statements(stmt):
                if isinstance(sub, Declare):
                    variables.update(sub.variables)
            for top in statement_expressions(self.program, stmt):
                variables |= self.assigned_in(top)
            self._modified[stmt] = frozenset(variables)
        return self._modified[stmt]

    def assigned_in(self, expr: Expr) -> frozenset[int]:
        """Variables that evaluating ``expr`` may assign."""
        variables = set[int]()
        for sub in walk(expr):
            match sub:
                case Call():
                    variables |= self.killed_by(sub)
                case Assign(target=target) | IncDec(operand=target):
                    match _bare(target):
                        case Name(variable=ident):
                            variables.add(ident)
        return frozenset(variables)

    def stepped(self, loop: Loop) -> frozenset[int]:
        """Variables that the loop assigns from their own value: the candidates for induction.

        What it also gives a new value (the iterators of inner loops) grows from there, not by itself.
        """
        return self._moving(loop)[0]

    def returning(self, loop: Loop) -> frozenset[int]:
        """Variables that the loop assigns from their own value, and a constant in an arm: ``if (++c == W) c = 0``."""
        return self._moving(loop)[1]

    def _moving(self, loop: Loop) -> tuple[frozenset[int], frozenset[int]]:
        if loop not in self._stepped:
            moving, reset, fixed = set[int](), set[int](), set[int]()
            for sub in walk_statements(loop.body):
                if isinstance(sub, Declare):
                    reset.update(sub.variables)
                if isinstance(sub, Loop) and sub.init is not None:
                    reset |= self.modified(sub.init)
            outside = [e for e in (loop.test, loop.step) if e is not None]
            for top in (*outside, *statement_expressions(self.program, loop.body)):
                for expr in walk(top):
                    match expr:
                        case IncDec(operand=Name(variable=ident)):
                            moving.add(ident)
                        case Assign(op=op, target=Name(variable=ident), value=value):
                            own = op != "=" or any(isinstance(e, Name) and e.variable == ident for e in walk(value))
                            constant = isinstance(_bare(value), Const)
                            (moving if own else fixed if constant else reset).add(ident)
            arms = [s for s in walk_statements(loop.body) if isinstance(s, If)] if moving & fixed else []
            chosen = frozenset().union(*(self.modified(arm) for arm in arms))
            self._stepped[loop] = frozenset(moving - reset - fixed), frozenset(moving & fixed & chosen - reset)
        return self._stepped[loop]

    def reachable(self, roots: tuple[str, ...]) -> frozenset[str]:
        """Functions with a body that calls from ``roots`` can reach, the roots included."""
        seen, stack = set[str](), [r for r in roots if r in self.program.functions]
        while stack:
            name = stack.pop()
            if name not in seen:
                seen.add(name)
                stack += [c.function for c in self.calls[name] if c.function and c.function in self.program.functions]
        return frozenset(seen)

    @cached_property
    def recursive(self) -> frozenset[str]:
        """Functions that a call of theirs may reach again."""
        return frozenset(
            name
            for name in self.program.functions
            if name in self.reachable(tuple(c.function for c in self.calls[name] if c.function))
        )


@once_per_code(32)
def effects(program: Program) -> Effects:
    """The effects of a program, kept for the last few programs."""
    return Effects(program)


def in_given_files(program: Program, tops: tuple[str, ...]) -> tuple[str, ...]:
    """The top functions of the given files; those of included headers are tops only where there is no other."""
    given = program.given
    return tuple(t for t in tops if program.functions[t].body.at.span.path in given) or tops


class SeveralTopsError(Exception):
    """No function, or more than one, may be the top function."""


def one_top(program: Program, tops: tuple[str, ...]) -> str:
    """The one top function of the given files, of a class only where there is no other. Raises SeveralTopsError."""
    own = in_given_files(program, tops)
    own = tuple(t for t in own if "::" not in t) or own
    if len(own) != 1:
        raise SeveralTopsError(f"give --top NAME; candidates are {', '.join(own) or 'none'}")
    return own[0]


def in_hardware(program: Program, tops: tuple[str, ...]) -> frozenset[str]:
    """Functions that the top functions reach."""
    return effects(program).reachable(in_given_files(program, tops))


def labels_used(function: Function) -> frozenset[str]:
    """Targets of goto statements."""
    return frozenset(
        s.label for s in walk_statements(function.body) if isinstance(s, Jump) and s.kind == "goto" and s.label
    )


def leaves_early(loop: Loop) -> bool:
    """Whether a break, return or goto in the body may leave ``loop`` before its test does."""

    def search(stmt: Stmt, own_break: bool) -> bool:
        match stmt:
            case Return():
                return True
            case Jump(kind="break"):
                return own_break
            case Jump(kind="goto", label=label):
                return label not in inside
            case Loop() | Switch():
                own_break = False
        return any(search(s, own_break) for s in substatements(stmt))

    inside = {s.name for s in walk_statements(loop.body) if isinstance(s, Label)}
    return search(loop.body, True)


def returns_within(stmt: Stmt) -> bool:
    """Whether a return or goto stands below ``stmt``."""
    return any(isinstance(s, Return) or (isinstance(s, Jump) and s.kind == "goto") for s in walk_statements(stmt))
