"""Statements in loops over the elements: the user's bytes, the iterator declared anew, other names in places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from hlspart.expand import privates
from hlspart.expand.context import ExpandedLoop, ExpansionContext, bracketed
from hlspart.expand.counters import constant
from hlspart.expand.partials import Partials
from hlspart.expand.region import Inner, Leaf, Mark, Node, Refusal, Region, target_of
from hlspart.expand.staging import Staged
from hlspart.expand.texts import Piece, Texts, declared_in, indented, names_in, type_text
from hlspart.model.expanding import Form, Judgement, Reduction, Request
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Assign,
    Binary,
    Conditional,
    Declare,
    Expr,
    ExprStmt,
    IncDec,
    Name,
    PragmaMark,
    ScalarType,
    Stmt,
    children,
    walk,
    walk_statements,
)
from hlspart.model.source import Span
from hlspart.rewrite.names import Names
from hlspart.semantics.effects import statement_expressions

#: Directives that say something about a loop or a function, not about a variable.
_OF_LOOPS = frozenset(
    ("pipeline", "unroll", "loop_tripcount", "loop_flatten", "loop_merge", "latency", "performance", "dependence",
     "expression_balance", "allocation", "bind_op", "occurrence", "protocol", "inline", "dataflow")
)  # fmt: skip


class Runs:
    """Writes one region. Raises :class:`Refusal` where it cannot."""

    def __init__(
        self,
        region: Region,
        request: Request,
        pes: Sequence[int],
        judgement: Judgement,
        names: Names,
        form: Form,
        staged: Sequence[Staged] = (),
    ) -> None:
        self.staged = tuple(staged)
        self.region, self.request, self.judgement = region, request, judgement
        self.program = region.program
        self.names, self.form = names, form
        self.pes = tuple(pes)
        others = frozenset[int]().union(*(r.others for r in judgement.reductions))
        self.texts = Texts(self.program, self.program.functions[region.function].body, others)
        self.constants: list[tuple[str, int]] = []
        self.hoisted: list[str] = []
        self.remainder = "none"
        self.steps: list[int | None] = []
        self.labels: dict[str, str] = {}
        self.reductions = {r.variable: r for r in judgement.reductions}
        self.written = frozenset(self._written()) - region.iterators
        self.own = {p.variable: self.names.free(f"{p.name}_pe") for p in judgement.private if p.kind != "local"}
        self._counts: dict[int, str] = {}
        self._elements: dict[int, str] = {}

    # ------------------------------------------------------------------------------- the whole

    def _own(self, variable: int, name: str, loops: int, indent: str) -> list[str]:
        v = self.program.variable(variable)
        d = v.declarations[0]
        kind = type_text(self.program, variable)
        if "auto" in kind.split() or not isinstance(v.type, ScalarType | ArrayType):
            raise Refusal("condition", f"the type of {v.name} cannot be written down again", d.name)
        if isinstance(v.type, ArrayType) and any(x is None for x in v.dims):
            raise Refusal("condition", f"the extents of {v.name} are not known", d.name)
        count = "".join(f"[{self.count(k)}]" for k in range(loops))
        own = "".join(f"[{x}]" for x in v.dims)
        lines = [f"{indent}{kind} {name}{count}{own};"]
        lines += [f"#pragma HLS ARRAY_PARTITION variable={name} type=complete dim={k + 1}" for k in range(loops)]
        return [*lines, *privates.directives(self.program, v, name, loops)]

    def count(self, position: int) -> str:
        """Name of the constant with the number of elements of an expanded loop."""
        if position not in self._counts:
            info = self.region.infos[position]
            assert info.variable is not None
            name = self.names.free(f"{self.program.variable(info.variable).name.upper()}_PES")
            self._counts[position] = name
            self.constants.append((name, self.pes[position]))
        return self._counts[position]

    def element(self, position: int) -> str:
        """Name of the iterator over the elements of an expanded loop."""
        if position not in self._elements:
            info = self.region.infos[position]
            assert info.variable is not None
            self._elements[position] = self.names.free(f"{self.program.variable(info.variable).name}_p")
        return self._elements[position]

    def widest(self, variable: int) -> int:
        """Bits of the widest integer that the region combines with a variable."""
        widths = [0]
        for root in statement_expressions(self.program, self.region.loops[0].body):
            if any(isinstance(e, Name | ArrayRef) and e.variable == variable for e in walk(root)):
                widths += [e.type.bits for e in walk(root) if isinstance(e.type, ScalarType) and e.type.kind == "int"]
        return max(widths)

    def _written(self) -> Iterator[int]:
        """Variables that the region writes."""
        for root in statement_expressions(self.program, self.region.loops[0].body):
            for e in walk(root):
                target = target_of(e)
                if isinstance(target, Name | ArrayRef):
                    yield target.variable

    # ------------------------------------------------------------------------------- a loop

    # ---------------------------------------------------------------------------------- runs

    def _about(self, mark: PragmaMark) -> frozenset[int]:
        """Variables that a pragma is about, where it is about variables only."""
        for d in self.program.directives:
            if d.pragma == mark.pragma and d.kind not in _OF_LOOPS:
                return frozenset(d.variables)
        return frozenset()

    def _run(
        self, run: Sequence[Leaf | Mark], by_stmt: Mapping[int, Piece], ctx: ExpansionContext, names: dict[int, str],
        nodes: Sequence[Node],
    ) -> list[str]:  # fmt: skip
        """One loop over the elements with the statements of a run."""
        before, statements = list[str](), list[tuple[Stmt, str]]()
        shared = self._shared_locals(run, nodes)
        for leaf in run:
            stmt = leaf.stmt
            if isinstance(stmt, PragmaMark) and self._about(stmt) & shared:
                before += [f"{ctx.indent}{line}" for line in by_stmt[id(stmt)].before]  # the pragmas are written anew
            elif isinstance(stmt, Declare) and set(stmt.variables) & shared:
                declared, assigned = self._expanded(stmt, ctx, names)
                around = by_stmt[id(stmt)]
                before += [f"{ctx.indent}{line}" for line in around.before]
                declared[0] += f" {around.behind}" if around.behind else ""
                before += declared
                statements += assigned
            else:
                statements.append((stmt, ""))
        if not statements or all(isinstance(s, PragmaMark) for s, _ in statements):
            return before
        inner = replace(ctx, names=names)
        hoists, replaced = self._hoists([s for s, t in statements if not t], inner)
        lines = list(before)
        lines += hoists
        bodies: list[str] = []
        used: set[int] = set()
        inside = inner.indent + "    " * len(self._element_axes(ctx))
        guarded = bool(ctx.guards)
        deeper = inside + ("    " if guarded else "")
        for stmt, text in statements:
            piece = by_stmt.get(id(stmt))
            if text:
                bodies.append(deeper + text)
                used |= self._named(stmt)
                continue
            if piece is not None:
                bodies += [f"{deeper}{line}" for line in piece.before]
            if isinstance(stmt, PragmaMark):
                bodies.append(self.texts.edited(stmt.at.span, {}))
                continue
            raw = self.texts.text(stmt.at.span, inner.names, inner.whole, replaced)
            done = indented(raw, deeper, self._column(stmt))
            if piece is not None and piece.behind:
                done[-1] += f" {piece.behind}"
            bodies += done
            bodies += [deeper + line for line in self._rotations(stmt, inner)]
            used |= self._named(stmt)
        for _, named in ctx.guards:
            used |= named
        lines += self.around(bodies, ctx, used)
        return lines

    def _element_axes(self, ctx: ExpansionContext) -> tuple[ExpandedLoop, ...]:
        return ctx.axes

    def around(self, bodies: list[str], ctx: ExpansionContext, used: set[int]) -> list[str]:
        """Loops over the elements around lines, the iterators declared anew, under the guards."""
        head, tail = [], []
        for k, axis in enumerate(ctx.axes):
            pad = ctx.indent + "    " * k
            head += [f"{pad}for (int {axis.element} = 0; {axis.element} < {axis.count}; {axis.element}++) {{",
                     "#pragma HLS UNROLL"]  # fmt: skip
            tail.append(f"{pad}}}")
            if axis.iterator in used:
                head.append(f"{pad}    {constant(self.texts, axis.name)}{axis.type} {axis.name} = {axis.value()};")
        pad = ctx.indent + "    " * len(ctx.axes)
        if ctx.guards:
            texts = [t for t, _ in ctx.guards]
            head.append(f"{pad}if ({' && '.join(t if len(texts) == 1 else bracketed(t) for t in texts)}) {{")
            tail.append(f"{pad}}}")
        return [*head, *bodies, *reversed(tail)]

    def _named(self, stmt: Stmt) -> set[int]:
        return {
            e.variable
            for root in statement_expressions(self.program, stmt)
            for e in walk(root)
            if isinstance(e, Name | ArrayRef)
        }

    def _column(self, stmt: Stmt) -> int:
        """Indentation of the line on which a statement begins."""
        source = self.program.sources[stmt.at.span.path]
        line = source.line_text(source.line_column(stmt.at.span.start)[0])
        return len(line) - len(line.lstrip())

    def _shared_locals(self, run: Sequence[Leaf | Mark], nodes: Sequence[Node]) -> frozenset[int]:
        """Variables that the run declares and others use."""
        declared = {v for leaf in run if isinstance(leaf.stmt, Declare) for v in leaf.stmt.variables}
        mine = {id(leaf.stmt) for leaf in run}
        variables = set[int]()
        for node in nodes:
            stmt = node.loop if isinstance(node, Inner) else node.stmt
            if id(stmt) in mine:
                continue
            for variable in declared:
                if self.texts.mentions(stmt.at.span, variable) or any(
                    variable in self._about(m) for m in walk_statements(stmt) if isinstance(m, PragmaMark)
                ):
                    variables.add(variable)
        return frozenset(variables)

    def _expanded(
        self, stmt: Declare, ctx: ExpansionContext, names: dict[int, str]
    ) -> tuple[list[str], list[tuple[Stmt, str]]]:  # fmt: skip
        """Declarations of arrays over the elements for what one statement declares, and first values as statements."""
        lines: list[str] = []
        assigned: list[tuple[Stmt, str]] = []
        subscripts = "".join(f"[{a.element}]" for a in ctx.axes)
        for ident in stmt.variables:
            v = self.program.variable(ident)
            name = self.names.free(f"{v.name}_pe")
            if any(ident in d.variables and d.source != "pragma" for d in self.program.directives):
                raise Refusal("condition", f"a directives file names {v.name}, which gets another name", v.at)
            values = privates.first_values(self.program, v, partial(self.texts.text, names=names, whole=ctx.whole))
            lines += self._own(ident, name, len(ctx.axes), ctx.indent)
            names[ident] = name + subscripts
            assigned += [(stmt, f"{names[ident]}{at} = {text};") for at, text in values]
        return lines, assigned

    # ------------------------------------------------------------------------------- hoisting

    def _hoists(self, stmts: Sequence[Stmt], ctx: ExpansionContext) -> tuple[list[str], dict[Span, str]]:
        """Loads that are the same for all elements of a guarded loop, read once before it (one port).

        Element 0 makes each of these loads in every step, so that none is new.
        """
        replaced: dict[Span, str] = {}
        if not any(a.guard is not None for a in ctx.axes) or len(ctx.guards) > sum(
            a.guard is not None for a in ctx.axes
        ):
            return [], replaced
        lines: list[str] = []
        known: dict[str, str] = {}
        local = {v for s in stmts for v in declared_in(s)}
        for stmt in stmts:
            if not isinstance(stmt, ExprStmt | Declare):
                continue
            for ref in self._loads(stmt):
                named = {v for index in ref.indices for v in names_in(index)}
                own = local | set(ctx.names) | set(ctx.whole)
                if (named | {ref.variable}) & (self.written | own):
                    continue
                axes = [a for a in ctx.axes if a.iterator in named]
                if len(axes) == len(ctx.axes) or not isinstance(ref.type, ScalarType):
                    continue
                if any(a.guard is None for a in ctx.axes if a not in axes):
                    continue  # the tool merges these by itself
                text = self.texts.edited(ref.at.span, {})
                if text not in known:
                    name = self.names.free(f"{self.program.variable(ref.variable).name}_all")
                    lines += self._hoist(name, ref, text, axes, ctx)
                    known[text] = name + "".join(f"[{a.element}]" for a in axes)
                    self.hoisted.append(self.program.variable(ref.variable).name)
                replaced[ref.at.span] = known[text]
        return lines, replaced

    def _hoist(
        self, name: str, ref: ArrayRef, text: str, axes: Sequence[ExpandedLoop], ctx: ExpansionContext
    ) -> list[str]:
        assert isinstance(ref.type, ScalarType)
        kind = ref.type.name
        if not axes:
            return [f"{ctx.indent}const {kind} {name} = {text};"]
        lines = [f"{ctx.indent}{kind} {name}{''.join(f'[{a.count}]' for a in axes)};"]
        lines += [f"#pragma HLS ARRAY_PARTITION variable={name} type=complete dim={k + 1}" for k in range(len(axes))]
        guards = tuple((a.guard, names_in(a.loop.test)) for a in axes if a.guard is not None)
        inner = replace(ctx, axes=tuple(axes), guards=guards)
        pad = ctx.indent + "    " * (len(axes) + bool(guards))
        body = [f"{pad}{name}{''.join(f'[{a.element}]' for a in axes)} = {text};"]
        return lines + self.around(body, inner, {a.iterator for a in axes})

    def _loads(self, stmt: Stmt) -> Iterator[ArrayRef]:
        """References of a statement that are read whenever it runs, in texts that may be replaced."""

        def below(expr: Expr) -> Iterator[ArrayRef]:
            match expr:
                case Conditional(test=test):
                    yield from below(test)
                case Binary(op="&&" | "||", left=left):
                    yield from below(left)
                case Assign(op="=", target=target, value=value):
                    for index in target.indices if isinstance(target, ArrayRef) else ():
                        yield from below(index)
                    yield from below(value)
                case Assign(value=value):
                    yield from below(value)
                case IncDec():
                    return
                case ArrayRef():
                    if expr.at.kind == "plain" and expr.brackets:
                        yield expr
                case _:
                    for child in children(expr):
                        yield from below(child)

        roots = list(statement_expressions(self.program, stmt))
        for root in roots:
            yield from below(root)

    # ----------------------------------------------------------------------------- reductions

    def _rotations(self, stmt: Stmt, ctx: ExpansionContext) -> list[str]:
        """Behind an update of interleaved partials: the next one comes to the front."""
        lines: list[str] = []
        for variable, reduction in self.reductions.items():
            if self.form.interleave > 1 and not reduction.whole and self._named(stmt) & {variable}:
                lines += Partials.rotation(ctx.whole.get(variable) or ctx.names.get(variable, ""), self, reduction)
        return lines

    def reduced(self, variable: int) -> Reduction | None:
        """The reduction of a variable, if it is one."""
        return self.reductions.get(variable)
