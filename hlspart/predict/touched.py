"""What statements read and write as a whole: the order that a controller has to keep between its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from hlspart.model import program as c
from hlspart.model.code import once_per_code, once_per_statement
from hlspart.model.program import Program
from hlspart.semantics.effects import Effects, effects, statement_expressions

ANYTHING = -1  # what a pointer that stays unknown may reach: in conflict with every other use


class Touched(Struct, frozen=True):
    """Variables by id: memories, streams and scalars whose value comes from outside or lives on.

    Scalars are values: only a read behind a write orders them, so ``memories`` names the others.
    """

    reads: frozenset[int]
    writes: frozenset[int]
    memories: frozenset[int]

    def is_after(self, earlier: Touched) -> bool:
        """Whether these must wait for ``earlier`` ones."""
        if earlier.writes & self.reads:
            return True
        return bool((earlier.reads | earlier.writes) & self.writes & (self.memories | earlier.memories))

    def meets(self, earlier: Touched, is_register: Callable[[int], bool]) -> bool:
        """Whether these wait for ``earlier`` ones for the sake of a memory."""
        both = (earlier.writes & self.reads) | ((earlier.reads | earlier.writes) & self.writes)
        return any(not is_register(v) for v in both & (self.memories | earlier.memories) if v != ANYTHING)


def touched(program: Program, statements: Sequence[c.Stmt]) -> Touched:
    """Of all ``statements`` together; variables that are declared inside of them are theirs alone."""
    named = [_touched(program, stmt) for stmt in statements]
    reads, writes, own = (frozenset(v for sets in named for v in sets[k]) for k in range(3))
    memories = frozenset(v for v in reads | writes if v == ANYTHING or not _scalar(program.variable(v)))
    return Touched(reads - own, writes - own, memories - own)


@once_per_statement
def _touched(program: Program, stmt: c.Stmt) -> tuple[frozenset[int], frozenset[int], frozenset[int]]:
    """Variables that a statement reads, that it writes, and that belong to it."""
    known = effects(program)
    reads, writes, own = set[int](), set[int](), set[int]()
    for sub in c.walk_statements(stmt):
        if sub is stmt and isinstance(sub, c.Declare):
            writes.update(v for v in sub.variables if program.variable(v).init is not None)
        elif isinstance(sub, c.Declare):
            own.update(sub.variables)
        elif isinstance(sub, c.Loop) and sub.init is not None:
            own |= known.modified(sub.init)  # an iterator, set before it is read
    for top in statement_expressions(program, stmt):
        for expr in c.walk(top):
            read, written = _named(program, known, expr)
            reads |= read
            writes |= written
    own = {v for v in own if program.variable(v).storage != "static"}
    return frozenset(reads), frozenset(writes), frozenset(own)


def _scalar(variable: c.Variable) -> bool:
    plain = variable.function is not None and variable.storage != "static" and not variable.reference
    return plain and isinstance(variable.type, c.ScalarType)


def _named(program: Program, known: Effects, expr: c.Expr) -> tuple[set[int], set[int]]:
    """Variables that one expression, without those in it, reads and writes."""
    reads, writes = set[int](), set[int]()
    match expr:
        case c.Name(variable=v) | c.ArrayRef(variable=v):
            reads.add(v)
            if _wild(program.variable(v)):
                writes.add(ANYTHING)
            reads.add(ANYTHING)
        case c.Assign(target=target) | c.IncDec(operand=target):
            writes |= _roots(target)
        case c.Call():
            writes |= known.killed_by(expr)
            name = expr.function or ""
            formal = _changed(program, name) if name in program.functions else None
            stream = name.startswith("stream.")
            for k, arg in enumerate(expr.args):
                if stream or formal is None or k in formal:
                    writes |= _roots(arg) if not stream or k == 0 else set()
            for below in known.reachable((name,)) if formal is not None else ():
                reads |= _outside(program, below)
    return reads, writes


def _wild(variable: c.Variable) -> bool:
    return isinstance(variable.type, c.PointerType) and variable.storage != "parameter"


def _roots(expr: c.Expr) -> set[int]:
    """Variables that are stored to when ``expr`` is the target."""
    match expr:
        case c.Name(variable=v) | c.ArrayRef(variable=v):
            return {v}
        case c.Subscript(base=base) | c.Member(base=base):
            return _roots(base)
        case c.Unary(op="&" | "*", operand=inner) | c.Cast(operand=inner):
            return _roots(inner)
        case c.Binary(left=left, right=right):
            return _roots(left) | _roots(right)  # a pointer and its offset
    return set()


@once_per_code(256)
def _changed(program: Program, function: str, around: frozenset[str] = frozenset()) -> frozenset[int]:
    """Parameters, by position, through which a function changes what is its caller's."""
    params = program.functions[function].params
    if function in around:
        return frozenset(range(len(params)))
    changed = set[int]()
    for expr in _expressions(program, function):
        match expr:
            case c.Assign(target=target) | c.IncDec(operand=target):
                changed |= _roots(target)
            case c.Call(function=name, args=args):
                below = name is not None and name in program.functions
                passed = _changed(program, name, around | {function}) if below and name is not None else None
                for k, arg in enumerate(args):
                    if passed is None or k in passed:
                        changed |= _roots(arg)
    shared = (k for k, v in enumerate(params) if v in changed and not _is_value(program.variable(v)))
    return frozenset(shared)


def _is_value(variable: c.Variable) -> bool:
    """Whether a parameter is a copy of what the caller passes."""
    return isinstance(variable.type, c.ScalarType) and not variable.reference


def _expressions(program: Program, function: str) -> Iterator[c.Expr]:
    for top in statement_expressions(program, program.functions[function].body):
        yield from c.walk(top)


@once_per_code(256)
def _outside(program: Program, function: str) -> frozenset[int]:
    """Variables of file scope and static ones that a function refers to."""
    named = (e.variable for e in _expressions(program, function) if isinstance(e, c.Name | c.ArrayRef))
    return frozenset(
        v for v in named if program.variable(v).function is None or program.variable(v).storage == "static"
    )
