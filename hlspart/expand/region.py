"""A region as a tree of what elements do together: leaves, inner loops, conditions around those.

A *leaf* is one statement that holds no loop. Leaves are numbered in text order; the number is the position of
an instance in its time stamp (docs/expand.md). What cannot be expanded is a :class:`Refusal` with its place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct, field

from hlspart.expand.purity import IN_ORDER, hidden_effects, impure
from hlspart.model.access import Access, AccessAnalysis, LoopInfo
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Assign,
    Block,
    Call,
    Declare,
    Expr,
    ExprStmt,
    If,
    IncDec,
    Jump,
    Label,
    Loop,
    Member,
    Name,
    OpaqueExpr,
    PointerType,
    PragmaMark,
    Program,
    Return,
    ScalarType,
    Stmt,
    StreamType,
    Subscript,
    Switch,
    Unary,
    expressions,
    walk,
    walk_statements,
)
from hlspart.model.pure_functions import is_pure
from hlspart.model.source import Origin
from hlspart.semantics.effects import effects, labels_used, statement_expressions
from hlspart.semantics.overlap import overlaps


class Refusal(Exception):
    """Why a region keeps its text: a code of the contract, words, and the place."""

    def __init__(self, code: str, reason: str, at: Origin) -> None:
        super().__init__(reason)
        self.code, self.reason, self.at = code, reason, at


class Leaf(Struct, frozen=True, eq=False):
    """One statement without loops."""

    number: int
    stmt: Stmt


class Inner(Struct, frozen=True, eq=False):
    """A loop; ``number`` is the position of its header."""

    number: int
    loop: Loop
    body: tuple[Node, ...]


class Guarded(Struct, frozen=True, eq=False):
    """A condition around loops, tested by each element."""

    number: int
    stmt: If
    then: tuple[Node, ...]
    other: tuple[Node, ...]


class LoopBlock(Struct, frozen=True, eq=False):
    """A block of its own that holds loops."""

    stmt: Block
    body: tuple[Node, ...]


class Mark(Struct, frozen=True, eq=False):
    """A pragma, which belongs to the loop around it."""

    stmt: PragmaMark


Node = Leaf | Inner | Guarded | LoopBlock | Mark


class Region(Struct, frozen=True):
    """The loops to expand, outermost first, and the tree of the outermost one's body.

    ``in_order``: iterations keep their order, so that channels are read and written as before.
    """

    program: Program
    analysis: AccessAnalysis
    function: str
    loops: tuple[Loop, ...]
    infos: tuple[LoopInfo, ...]
    body: tuple[Node, ...]
    leaf_of: Mapping[Stmt, int] = field(default_factory=dict)
    in_order: bool = False

    def info(self, loop: Loop) -> LoopInfo:
        """What analysis knows of a loop."""
        return self.analysis.loops[loop.id]

    def inner_loops(self) -> Iterator[Loop]:
        """The loops of the region that are not expanded."""
        wanted = {loop.id for loop in self.loops}
        for stmt in walk_statements(self.loops[0].body):
            if isinstance(stmt, Loop) and stmt.id not in wanted:
                yield stmt

    def declared_inside(self) -> frozenset[int]:
        """Variables that the outermost body declares, iterators of inner loops included; statics are not."""
        declared = set[int]()
        for stmt in walk_statements(self.loops[0].body):
            if isinstance(stmt, Declare):
                declared |= {v for v in stmt.variables if self.program.variable(v).storage != "static"}
        return frozenset(declared)

    @property
    def iterators(self) -> frozenset[int]:
        """Variables that count the loops of the region."""
        inner = (self.info(loop).variable for loop in self.inner_loops())
        return frozenset(v for v in (*(i.variable for i in self.infos), *inner) if v is not None)

    def place_of(self, at: Origin) -> int:
        """Number of the leaf (or header) that holds a piece of the region; -1: a header of an expanded loop."""
        best, width = -1, 1 << 60
        for stmt, number in self.leaf_of.items():
            span = stmt.header.span if isinstance(stmt, Loop) else stmt.at.span
            if isinstance(stmt, If):
                span = stmt.test.at.span if self._guarded(stmt) else span
            if span.path == at.span.path and span.start <= at.span.start and at.span.end <= span.end:
                size = span.end - span.start
                if size < width:
                    best, width = number, size
        return best

    def _guarded(self, stmt: If) -> bool:
        return any(isinstance(s, Loop) for s in walk_statements(stmt))


def build(
    program: Program,
    analysis: AccessAnalysis,
    function: str,
    loops: tuple[int, ...],
    counted: bool = True,
    in_order: bool = False,
    jumps: Collection[Stmt] | None = None,
) -> Region:
    """The region of ``loops`` (ids, nested, outermost first). Raises :class:`Refusal`.

    ``counted``: their bounds have to be known before they start, as far as analysis tells. ``in_order``: what is
    made of them runs the same iterations in the same order. ``jumps``: those that it allows for, where it only adds
    statements to the body, which goes on as it does.
    """
    nest = tuple(program.loops[k] for k in loops)
    infos = tuple(analysis.loops[k] for k in loops)
    for loop, info in zip(nest, infos, strict=True) if counted else ():
        _counted(program, loop, info)
    builder = _Builder(program, analysis)
    body = builder.block(nest[0].body)
    region = Region(program, analysis, function, nest, infos, body, builder.numbers, in_order)
    _check(region, jumps)
    return region


def accesses_inside(region: Region) -> list[Access]:
    """Accesses to arrays in the body of the outermost loop."""
    body = region.loops[0].body.at.span
    return [
        a for a in region.analysis.accesses
        if a.function == region.function and a.at.span.path == body.path and body.start <= a.at.span.start < body.end
    ]  # fmt: skip


class _Builder:
    def __init__(self, program: Program, analysis: AccessAnalysis) -> None:
        self.program, self.analysis = program, analysis
        self.numbers: dict[Stmt, int] = {}

    def _number(self, stmt: Stmt) -> int:
        return self.numbers.setdefault(stmt, len(self.numbers))

    def block(self, block: Block) -> tuple[Node, ...]:
        return tuple(self.node(stmt) for stmt in block.body)

    def node(self, stmt: Stmt) -> Node:
        if isinstance(stmt, PragmaMark):
            return Mark(stmt)
        if isinstance(stmt, Loop):
            _counted(self.program, stmt, self.analysis.loops[stmt.id])
            return Inner(self._number(stmt), stmt, self.block(stmt.body))
        if not any(isinstance(s, Loop) for s in walk_statements(stmt)):
            return Leaf(self._number(stmt), stmt)
        if isinstance(stmt, If):
            number = self._number(stmt)
            other = () if stmt.other is None else self.block(stmt.other)
            return Guarded(number, stmt, self.block(stmt.then), other)
        if isinstance(stmt, Block):
            return LoopBlock(stmt, self.block(stmt))
        raise Refusal("condition", "a loop stands in a statement that is no condition", stmt.at)


def _counted(program: Program, loop: Loop, info: LoopInfo) -> None:
    """Raise where a loop does not count."""
    if info.iterator is None or info.step is None or info.variable is None:
        raise Refusal("trip-count", f"the loop {loop.name} does not count: {info.cause}", loop.header)
    if loop.kind != "for" or loop.init is None or loop.step is None or loop.test is None:
        raise Refusal("trip-count", f"the loop {loop.name} is no for loop with a first value, a test and a step",
                      loop.header)  # fmt: skip
    if info.exits:
        raise Refusal(
            "exit", f"the loop {loop.name} may end early: {info.cause or _leaving(program, loop)}", loop.header
        )


def _leaving(program: Program, loop: Loop) -> str:
    for stmt in walk_statements(loop.body):
        if isinstance(stmt, Return):
            return "a return in its body"
        if isinstance(stmt, Jump):
            return f"a {stmt.kind} in its body"
    assert loop.test is not None  # one without is refused before
    at = loop.test.at.span
    text = " ".join(program.sources[at.path].slice(at).split())
    return f"its test `{text}` is no comparison with a value that is known to stay"


def _check(region: Region, jumps: Collection[Stmt] | None) -> None:
    program, body = region.program, region.loops[0].body
    inner = {loop.id for loop in region.inner_loops()}
    for stmt in walk_statements(body):
        if isinstance(stmt, Return) or (isinstance(stmt, Jump) and stmt.kind == "goto"):
            raise Refusal("exit", f"a {'return' if isinstance(stmt, Return) else 'goto'} leaves the loop", stmt.at)
        kept = isinstance(stmt, Jump) and region.in_order and stmt.kind == "continue"  # the body stays as it is
        kept = kept or stmt in (jumps or ())
        if isinstance(stmt, Jump) and not kept and not _inside_switch(body, stmt):
            raise Refusal("exit", f"a {stmt.kind} ends the iteration early", stmt.at)
        if isinstance(stmt, Label):
            raise Refusal("exit", f"the label {stmt.name} may be jumped to", stmt.at)
        static = isinstance(stmt, Declare) and any(program.variable(v).storage == "static" for v in stmt.variables)
        if static and not region.in_order:
            raise Refusal("dependence", "a static variable lives on from iteration to iteration", stmt.at)
        for expr in _expressions(program, stmt):
            _expression(region, expr)
    counting = [*(region.loops if jumps is None else ()), *(program.loops[k] for k in inner)]
    headers = {region.info(loop).variable for loop in counting}
    for stmt in walk_statements(body):
        if isinstance(stmt, ExprStmt | If | Switch | Declare):
            for expr in _expressions(program, stmt):
                for node in walk(expr):
                    target = target_of(node)
                    if isinstance(target, Name) and target.variable in headers and not _steps(region, node):
                        raise Refusal("trip-count", f"the body writes the iterator {_name(program, target)}", node.at)

    names = overlaps(program, region.analysis.tops).stored_twice_named(
        statement_expressions(program, body), region.iterators
    )
    if names is not None:
        raise Refusal("dependence", f"{names[0].name} and {names[1].name} may be one array", body.at)


def _steps(region: Region, node: Expr) -> bool:
    """Whether an assignment stands in the header of a loop."""
    return any(
        loop.header.span.start <= node.at.span.start and node.at.span.end <= loop.header.span.end
        for loop in region.program.loops.values()
        if loop.header.span.path == node.at.span.path
    )


def _inside_switch(body: Block, jump: Jump) -> bool:
    if jump.kind != "break":
        return False
    return any(isinstance(s, Switch) and jump in tuple(walk_statements(s.body)) for s in walk_statements(body))


def may_be_passed_over(program: Program, loop: Loop) -> bool:
    """Whether a jump may pass over what is written in front of a loop: a goto, or one to a case of its switch."""
    function = program.functions[loop.function]
    switches = (s for s in walk_statements(function.body) if isinstance(s, Switch))
    return bool(labels_used(function)) or any(loop in s.body.body for s in switches)


def _expressions(program: Program, stmt: Stmt) -> Iterator[Expr]:
    """Expressions that stand directly in a statement, first values of declarations included."""
    yield from expressions(stmt)
    if isinstance(stmt, Declare):
        yield from (init for v in stmt.variables if (init := program.variable(v).init) is not None)


def _expression(region: Region, root: Expr) -> None:
    program = region.program
    inside = region.declared_inside()
    handed = [arg for call in walk(root) if isinstance(call, Call) and region.in_order for arg in call.args]
    for node in walk(root):
        match node:
            case OpaqueExpr(what=what):
                raise Refusal("pointer", f"`{program.text(node.at)}` is not analysed: {what}", node.at)
            case Unary(op="&"):
                raise Refusal("pointer", f"`{program.text(node.at)}` takes an address", node.at)
            case Unary(op="*"):
                raise Refusal("pointer", f"`{program.text(node.at)}` goes through a pointer", node.at)
            case Call():
                _call(region, node)
            case Name() | ArrayRef():
                variable = program.variable(node.variable)
                if variable.volatile:
                    raise Refusal("volatile", f"{variable.name} is volatile", node.at)
                channel = region.in_order and isinstance(variable.type, StreamType)
                handed_on = variable.storage == "parameter" and isinstance(variable.type, ArrayType)  # T (&a)[8]
                if variable.reference and not channel and not handed_on:
                    raise Refusal("pointer", f"{variable.name} is a reference", node.at)
                given = isinstance(variable.type, ArrayType) and any(node is arg for arg in handed)
                if isinstance(node, Name) and isinstance(variable.type, PointerType | ArrayType) and not given:
                    raise Refusal("pointer", f"{variable.name} is used as an address", node.at)
        target = target_of(node)
        while isinstance(target, Member | Subscript):
            target = target.base
            if isinstance(target, Name) and target.variable not in inside:
                raise Refusal("non-affine", f"members of {_name(program, target)} are not analysed", node.at)
        if isinstance(target, Name):
            variable = program.variable(target.variable)
            if not isinstance(variable.type, ScalarType) and target.variable not in inside:
                raise Refusal("non-affine", f"{variable.name} is written as a whole", node.at)


def target_of(node: Expr) -> Expr | None:
    """What an assignment or an increment changes."""
    if isinstance(node, Assign):
        return node.target
    return node.operand if isinstance(node, IncDec) else None


def first_value(program: Program, loop: Loop) -> Expr:
    """The expression that a loop's iterator starts from. Raises :class:`Refusal`."""
    value: Expr | None = None
    if isinstance(loop.init, Declare) and len(loop.init.variables) == 1:
        value = program.variable(loop.init.variables[0]).init
    elif isinstance(loop.init, ExprStmt) and isinstance(loop.init.expr, Assign) and loop.init.expr.op == "=":
        value = loop.init.expr.value
    if value is None or value.at.kind != "plain":
        raise Refusal("trip-count", f"the first value of {loop.name}'s iterator cannot be told", loop.header)
    return value


def _name(program: Program, name: Name) -> str:
    return program.variable(name.variable).name


def _call(region: Region, call: Call) -> None:
    """Raise for a call that may do more than work out a value of its arguments."""
    name = call.function
    if name is None:
        raise Refusal("call", "a call through a pointer may do anything", call.at)
    if is_pure(name) and name not in region.program.functions:
        return
    if effects(region.program).extremum(call) is not None:
        return
    if name in IN_ORDER and region.in_order:
        return
    if name not in region.program.functions:
        raise Refusal("call", f"what {name} does is not known", call.at)
    why = hidden_effects(region.program, name) if region.in_order else impure(region.program, name, frozenset())
    if why is not None:
        raise Refusal("call", f"{name} {why}", call.at)
