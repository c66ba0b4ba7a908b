"""Statements, functions and whole units: the walk over the tree in text order.

A cursor goes along the tokens: the items of a block partition its text, so where one ends the next
begins. Pragmas lie between tokens; each is put where the walk passes it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Literal

from msgspec.structs import replace
from pycparser import c_ast

from hlspart.frontend import types as ct
from hlspart.frontend.context import Collected, Context, TypeName
from hlspart.frontend.declare import AUTO_TYPE, Declarations, Parameter
from hlspart.frontend.express import Expressions
from hlspart.frontend.origins import TokenText
from hlspart.frontend.parse import RANGE
from hlspart.frontend.pointed import channels
from hlspart.frontend.tokens import OPEN_TYPE, OPEN_VALUE, PragmaToken, spell
from hlspart.model import program as ir
from hlspart.model.directives import RawPragma
from hlspart.model.source import Origin, Span

MAX_STATEMENT_DEPTH = 250


class Lowering:
    """Lowers one unit into what is collected."""

    def __init__(
        self, path: str, text: TokenText, pragmas: list[tuple[int, PragmaToken]], collected: Collected, language: str
    ) -> None:
        self.context = Context(path, text, collected, language)
        self.text, self.collected = text, collected
        self.expressions = Expressions(self.context)
        self.declarations = Declarations(self.context, self.expressions)
        self.pragmas = pragmas
        self.next_pragma = 0
        self.loop: int | None = None
        self.block: int | None = None
        self.unlabelled = 0
        self.returns: ir.CType = ct.UNKNOWN  # of the function at hand
        self.depth = 0

    # ---------------------------------------------------------------------------------- unit

    def unit(self, tree: c_ast.FileAST, types: dict[str, ir.CType]) -> None:
        """All external declarations. ``types``: types that the text does not declare."""
        self.context.names[0].update((name, TypeName(type_)) for name, type_ in types.items())
        cursor, at = 0, 0
        items = tree.ext
        while at < len(items):
            while cursor < len(self.text.texts) and self.text.texts[cursor] == ";":
                cursor += 1
            item = items[at]
            self._flush(cursor)
            if isinstance(item, c_ast.FuncDef):
                cursor = self._function(item, cursor) + 1
                at += 1
            else:
                end = self._semicolon(cursor)
                group = self._group(items, at, end)
                self.declarations.statement(group, cursor, end)
                cursor = end + 1
                at += len(group)
        self._flush(len(self.text.texts))

    def _group(self, items: list[Any], at: int, end: int) -> list[Any]:
        """The nodes of one declaration statement that ends at token ``end``."""
        group = [items[at]]
        while at + len(group) < len(items):
            node = items[at + len(group)]
            place = _name_token(node)
            if not isinstance(node, (c_ast.Decl, c_ast.Typedef)) or place is None or place > end:
                break
            group.append(node)
        return group

    def _semicolon(self, start: int) -> int:
        """The ``;`` that ends what begins at ``start``."""
        texts, match = self.text.texts, self.text.match
        at = start
        while at < len(texts):
            if texts[at] == ";":
                return at
            at = match[at] + 1 if match[at] > at else at + 1
        raise self.context.fail(start, "';' expected", "HLP002")

    def _flush(self, position: int) -> list[ir.Stmt]:
        """Marks of the pragmas up to token ``position``."""
        marks: list[ir.Stmt] = []
        while self.next_pragma < len(self.pragmas) and self.pragmas[self.next_pragma][0] <= position:
            token = self.pragmas[self.next_pragma][1]
            self.next_pragma += 1
            span = Span(token.path, token.start, token.end)
            origin = Origin(span) if token.use is None else Origin(span, "macro", token.use.name)
            text = spell(token.body)
            if self.context.function is None:
                if (text, span) in self.collected.outer_pragmas:  # a header's, read with another unit
                    continue
                self.collected.outer_pragmas[text, span] = True
            index = len(self.collected.pragmas)
            spelling: Literal["#pragma", "_Pragma"] = "#pragma" if token.spelling == "#pragma" else "_Pragma"
            self.collected.pragmas.append(
                RawPragma(
                    index, origin, text, spell(token.expanded), self.context.function, self.loop,
                    self.block, spelling, None, token.open,
                )
            )  # fmt: skip
            marks.append(ir.PragmaMark(origin, index))
        return marks

    # ----------------------------------------------------------------------------- functions

    def _function(self, node: Any, start: int) -> int:
        """A function definition that begins at token ``start``; its last token."""
        context, decl = self.context, node.decl
        opening: int = node.body.coord.line
        closing: int = self.text.match[opening]
        name_at = self.declarations.name_index(decl.type, decl.name, start, opening)
        type_ = decl.type
        returns = self.declarations.type_of(type_.type) if isinstance(type_, c_ast.FuncDecl) else ct.UNKNOWN
        internal = "static" in (decl.storage or []) or decl.name in context.internal_functions
        signature = self.declarations.signature(type_, name_at)
        shared = (decl.name, self.text.origin(name_at, name_at).span, signature)
        if shared in self.collected.defined:  # a header's, read with another unit
            context.declare_function(name_at, self.collected.defined[shared], returns, signature)
            self.next_pragma = bisect_right(self.pragmas, closing, key=lambda pair: pair[0])
            return closing
        name = context.overload_name(decl.name, internal, signature)
        context.declare_function(name_at, name, returns, signature)
        self.collected.defined[shared] = name
        block = self.collected.new_id()
        context.push()
        context.function, context.scope, context.lacking = name, block, False
        self.unlabelled, self.returns = 0, returns
        params = self._parameters(node, name_at, opening, block)
        outer, self.block = self.block, block
        # pragmas in the parameter list stand outside of the body
        context.function, self.block = None, outer
        self._flush(opening)
        context.function, self.block = name, block
        body = self._items(node.body.block_items or [], opening, closing)
        self.block = outer
        context.function, context.scope = None, None
        context.pop()
        if returns == AUTO_TYPE:
            returns = _returned(body)
            context.declare_function(name_at, name, returns, signature)
        origin = self.text.origin
        before, at = self.collected.functions.get(name), origin(name_at, name_at)
        if before is not None and self._spelled(before.name_at) == self._spelled(at):  # of one class
            if context.language == "c++" and self._types(before.name_at) != self._types(at):
                message = f"C++ construct not supported: '{decl.name}' of types that are numbers here"
                context.report("HLP003", "unsupported-construct", "error", at, message)
            else:
                context.report("HLP002", "syntax-error", "error", at, f"'{decl.name}' is defined twice")
        self.collected.functions[name] = ir.Function(
            name, context.path, origin(start, closing, True), origin(start, opening - 1, True),
            at, returns, tuple(params),
            ir.Block(block, origin(opening, closing, True), tuple(body)),
            internal=internal, inline="inline" in (decl.funcspec or []),
            variadic=_variadic(type_),
            open=any(t.text.endswith((OPEN_TYPE, OPEN_VALUE)) for t in self.text.tokens[start : closing + 1]),
            lacking=context.lacking,
        )  # fmt: skip
        return closing

    def _spelled(self, at: Origin) -> str:
        return self.collected.sources[at.span.path].slice(at.span)

    def _types(self, at: Origin) -> list[str]:
        """The types of the elements of a function's parameters, as written: those of enumerations are numbers here."""
        source = self.collected.sources[at.span.path].text
        listed = source[at.span.end : source.find("{", at.span.end)].partition("(")[2].rpartition(")")[0]
        kinds = (re.split(r"[=\[]", part)[0].replace("*", " ").split() for part in listed.split(","))
        return [" ".join(words[:-1] or words) for words in kinds]

    def _parameters(self, node: Any, name_at: int, opening: int, block: int) -> list[int]:
        declarations = self.declarations
        func = node.decl.type
        if not isinstance(func, c_ast.FuncDecl):
            return []
        listed = declarations.parameter_list(name_at)
        parameters = declarations.parameters(func, listed)
        if node.param_decls:
            return self._old_style(node, parameters, self.text.match[listed] + 1, opening, block)
        result = []
        for number, param in enumerate(parameters):
            if param.node is None or isinstance(param.node, c_ast.ID):
                continue
            declared = declarations.type_of(param.node.type, parameter=True)
            type_ = channels(declared, param.name, self.text.texts[opening : self.text.match[opening]])
            if type_ is not declared:
                param = replace(param, reference=isinstance(type_, ir.StreamType))
            if param.name is None:  # its place counts, whatever is handed over
                nowhere = replace(param.declarator.name, kind="macro")
                param = replace(param, name=f"__unnamed_{number}", declarator=replace(param.declarator, name=nowhere))
            result.append(declarations.parameter_variable(param, type_, block))
        return result

    def _old_style(self, node: Any, names: list[Parameter], start: int, opening: int, block: int) -> list[int]:
        """K&R parameters: names in the list, declarations before the body."""
        declarations = self.declarations
        pieces: dict[str, Parameter] = {}
        cursor, at = start, 0
        while cursor < opening:
            end = self._semicolon(cursor)
            group = self._group(node.param_decls, at, end)
            first = declarations.name_index(group[0].type, group[0].name, cursor, end)
            ranges = declarations.split(declarations.start_of(first, cursor), end - 1)
            declarations.first_name = first
            for index, (decl, (low, high)) in enumerate(zip(group, ranges, strict=False)):
                name_at = declarations.name_index(decl.type, decl.name, low, high)
                begin = None if index == 0 else low
                piece = declarations.pieces(name_at, cursor, begin, high, index, len(group), end)
                pieces[decl.name] = Parameter(decl, decl.name, piece)
            at += len(group)
            cursor = end + 1
        result = []
        for param in names:
            assert param.name is not None
            known = pieces.get(param.name)
            if known is None:  # never declared: int
                known = Parameter(None, param.name, param.declarator)
            type_ = declarations.type_of(known.node.type, parameter=True) if known.node is not None else ir.INT
            result.append(declarations.parameter_variable(known, type_, block))
        return result

    # ---------------------------------------------------------------------------- statements

    def _items(self, items: list[Any], opening: int, closing: int) -> list[ir.Stmt]:
        """What stands between the braces ``opening`` and ``closing``."""
        result: list[ir.Stmt] = []
        cursor, at = opening + 1, 0
        while at < len(items):
            result.extend(self._flush(cursor))
            node = items[at]
            if isinstance(node, (c_ast.Decl, c_ast.Typedef, c_ast.StaticAssert)):
                end = self._semicolon(cursor)
                group = self._group(items, at, end)
                variables = self.declarations.statement(group, cursor, end)
                if variables:
                    result.append(ir.Declare(self.text.origin(cursor, end), variables))
                at += len(group)
                cursor = end + 1
            else:
                stmts, end = self._statement(node, cursor)
                result.extend(stmts)
                at += 1
                cursor = end + 1
        result.extend(self._flush(closing))
        return result

    def _statement(self, node: Any, start: int) -> tuple[list[ir.Stmt], int]:
        """A statement that begins at token ``start``: its records and its last token."""
        self.depth += 1
        if self.depth > MAX_STATEMENT_DEPTH:
            raise self.context.fail(start, f"statements nested deeper than {MAX_STATEMENT_DEPTH}", "HLP004")
        method = getattr(self, "_" + type(node).__name__.lower(), None)
        result: tuple[list[ir.Stmt], int] = method(node, start) if method is not None else self._expression(node, start)
        self.depth -= 1
        return result

    def _expression(self, node: Any, start: int) -> tuple[list[ir.Stmt], int]:
        end = self._semicolon(start)
        expr, _, _ = self.expressions.lower(node)
        return [ir.ExprStmt(self.text.origin(start, end), expr)], end

    def _emptystatement(self, node: Any, start: int) -> tuple[list[ir.Stmt], int]:
        # after a label at the end of a block there is no ";"
        return [], start if self.text.texts[start] == ";" else start - 1

    def _compound(self, node: Any, start: int) -> tuple[list[ir.Stmt], int]:
        block = self._block(node, start)
        return [block], self.text.match[start]

    def _block(self, node: Any, start: int) -> ir.Block:
        """The statement at ``start`` as a Block, whether it has braces or not."""
        ident = self.collected.new_id()
        outer, self.block = self.block, ident
        scope, self.context.scope = self.context.scope, ident
        self.context.push()
        if isinstance(node, c_ast.Compound):
            end = self.text.match[start]
            body = self._items(node.block_items or [], start, end)
        else:
            body = self._flush(start)
            stmts, end = self._statement(node, start)
            body.extend(stmts)
        self.context.pop()
        self.block, self.context.scope = outer, scope
        self._end = end
        braces = isinstance(node, c_ast.Compound)
        at = self.text.origin(start, max(start, end), True)
        return ir.Block(ident, at, tuple(body), braces)

    _end = 0

    def _if(self, node: Any, start: int) -> tuple[list[ir.Stmt], int]:
        test = self.expressions.condition(node.cond)
        then = self._block(node.iftrue, self.text.match[start + 1] + 1)
        end = self._end
        other = None
        if node.iffalse is not None:
            other = self._block(node.iffalse, end + 2)
            end = self._end
        return [ir.If(self.text.origin(start, end, True), test, then, other)], end

    def _switch(self, node: Any, start: int) -> tuple[list[ir.Stmt], int]:
        test = self.expressions.condition(node.cond)
        body = self._block(node.stmt, self.text.match[start + 1] + 1)
        end = self._end
        return [ir.Switch(self.text.origin(start, end, True), test, body)], end

    def _case(self, node: Any, start: int) -> tuple[list[ir.Stmt], int]:
        low = high = None
        if isinstance(node, c_ast.Case):
            expr = node.expr
            marker = getattr(expr, "iftrue", None)
            if isinstance(expr, c_ast.TernaryOp) and getattr(marker, "value", None) == RANGE:
                low, high = self.expressions.lower(expr.cond)[0], self.expressions.lower(expr.iffalse)[0]
            else:
                low = self.expressions.lower(expr)[0]
        colon, conditionals = start, 0
        texts, match = self.text.texts, self.text.match
        while texts[colon] != ":" or conditionals:
            conditionals += (texts[colon] == "?") - (texts[colon] == ":")
            colon = match[colon] + 1 if match[colon] > colon else colon + 1
        stmts: list[ir.Stmt] = [ir.Case(self.text.origin(start, colon), low, high)]
        end = self._sequence(node.stmts or [], colon, stmts)
        return stmts, end

    _default = _case

    def _sequence(self, nodes: list[Any], before: int, into: list[ir.Stmt]) -> int:
        """Statements after token ``before`` that share one tree node (a case's); the last token."""
        end, at = before, 0
        while at < len(nodes):
            cursor = end + 1
            into.extend(self._flush(cursor))
            node = nodes[at]
            if isinstance(node, (c_ast.Decl, c_ast.Typedef)):
                end = self._semicolon(cursor)
                group = self._group(nodes, at, end)
                variables = self.declarations.statement(group, cursor, end)
                if variables:
                    into.append(ir.Declare(self.text.origin(cursor, end), variables))
                at += len(group)
            else:
                stmts, end = self._statement(node, cursor)
                into.extend(stmts)
                at += 1
        return end

    def _label(self, node: Any, start: int) -> tuple[list[ir.Stmt], int]:
        name = node.name
        marks = self._flush(start + 2)
        if isinstance(node.stmt, (c_ast.For, c_ast.While, c_ast.DoWhile)):
            stmts, end = self._loop(node.stmt, start + 2, name)
            return [*marks, *stmts], end
        label: ir.Stmt = ir.Label(self.text.origin(start, start + 1), name)
        if isinstance(node.stmt, c_ast.EmptyStatement) and self.text.texts[start + 2] != ";":
            return [label, *marks], start + 1
        stmts, end = self._statement(node.stmt, start + 2)
        return [label, *marks, *stmts], end

    def _goto(self, node: Any, start: int) -> tuple[list[ir.Stmt], int]:
        return [ir.Jump(self.text.origin(start, start + 2), "goto", node.name)], start + 2

    def _break(self, node: Any, start: int) -> tuple[list[ir.Stmt], int]:
        return [ir.Jump(self.text.origin(start, start + 1), "break")], start + 1

    def _continue(self, node: Any, start: int) -> tuple[list[ir.Stmt], int]:
        return [ir.Jump(self.text.origin(start, start + 1), "continue")], start + 1

    def _return(self, node: Any, start: int) -> tuple[list[ir.Stmt], int]:
        value = None if node.expr is None else self.expressions.lower(node.expr)[0]
        value = value if value is None else self.expressions.objects.result(value, self.returns)
        end = self._semicolon(start)
        return [ir.Return(self.text.origin(start, end), value)], end

    # --------------------------------------------------------------------------------- loops

    def _for(self, node: Any, start: int) -> tuple[list[ir.Stmt], int]:
        return self._loop(node, start, None)

    _while = _dowhile = _for

    def _loop(self, node: Any, start: int, label: str | None) -> tuple[list[ir.Stmt], int]:
        ident = self.collected.new_id()
        if label is None:
            self.unlabelled += 1
            origin = self.text.origin(start, start)
            line = self.collected.sources[origin.span.path].line_column(origin.span.start)[0]
            name = f"VITIS_LOOP_{line}_{self.unlabelled}"
        else:
            name = label
        # counted before its inner loops, so outer loops come first
        self.collected.loops[ident] = None  # type: ignore[assignment]
        context = self.context
        scope, context.scope = context.scope, ident
        context.push()
        init: ir.Stmt | None = None
        test = step = None
        header = self.text.origin(start, start)
        if isinstance(node, c_ast.For):
            close = self.text.match[start + 1]
            header = self.text.origin(start, close)
            init = self._loop_init(node.init, start + 2)
            test = None if node.cond is None else self.expressions.condition(node.cond)
            step = None if node.next is None else self.expressions.lower(node.next)[0]
            body, end = self._body(node.stmt, close + 1, ident)
            kind: Literal["for", "while", "do"] = "for"
        elif isinstance(node, c_ast.While):
            close = self.text.match[start + 1]
            header = self.text.origin(start, close)
            test = self.expressions.condition(node.cond)
            body, end = self._body(node.stmt, close + 1, ident)
            kind = "while"
        else:
            body, end = self._body(node.stmt, start + 1, ident)
            header = self.text.origin(end + 1, self.text.match[end + 2])
            test = self.expressions.condition(node.cond)
            end = self.text.match[end + 2] + 1
            kind = "do"
        context.pop()
        context.scope = scope
        at = self.text.origin(start, end, True)
        assert context.function is not None
        loop = ir.Loop(ident, at, kind, name, label, context.function, header, init, test, step, body)
        self.collected.loops[ident] = loop
        return [loop], end

    def _loop_init(self, node: Any, start: int) -> ir.Stmt | None:
        if node is None:
            return None
        end = self._semicolon(start)
        if isinstance(node, c_ast.DeclList):
            variables = self.declarations.statement(list(node.decls), start, end)
            return ir.Declare(self.text.origin(start, end), variables)
        expr, _, _ = self.expressions.lower(node)
        return ir.ExprStmt(self.text.origin(start, end - 1), expr)

    def _body(self, node: Any, start: int, loop: int) -> tuple[ir.Block, int]:
        outer, self.loop = self.loop, loop
        body = self._block(node, start)
        self.loop = outer
        return body, self._end


def _name_token(node: Any) -> int | None:
    inner = getattr(node, "type", None)
    while inner is not None and not isinstance(inner, c_ast.TypeDecl):
        inner = getattr(inner, "type", None)
    if inner is not None and inner.coord is not None:
        return int(inner.coord.line)
    return None if node.coord is None else int(node.coord.line)


def _returned(body: Sequence[ir.Stmt]) -> ir.CType:
    """What a function declared ``auto`` returns."""
    types = {
        s.value.type
        for stmt in body
        for s in ir.walk_statements(stmt)
        if isinstance(s, ir.Return) and s.value is not None
    }
    return types.pop() if len(types) == 1 else ct.UNKNOWN if types else ct.VOID


def _variadic(node: Any) -> bool:
    args = getattr(node, "args", None)
    return args is not None and any(isinstance(p, c_ast.EllipsisParam) for p in args.params)
