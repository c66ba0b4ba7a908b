"""Loop nests that isl makes, as trees whose expressions are C text over iterators and parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import islpy as isl
from msgspec import Struct
from msgspec.structs import replace

from hlspart.model.access import Affine


class Node(Struct, frozen=True):
    """A piece of a loop nest.

    ``for``: ``text`` is the header in parentheses; ``let``: a declaration before its child; ``if``: the
    condition; ``call``: ``text`` names the statement and ``args`` its iterators; ``block``: only
    children. An ``if`` has at most two children.
    """

    kind: str
    text: str = ""
    args: tuple[str, ...] = ()
    children: tuple[Node, ...] = ()


def printed(
    node: Node, indent: str, call: Callable[[Node, str], Iterator[str]], pipeline: bool = True
) -> Iterator[str]:
    """Lines of C; ``call`` writes those of a statement. ``pipeline``: innermost loops get a PIPELINE."""
    match node.kind:
        case "sequence":
            for child in node.children:
                yield from printed(child, indent, call, pipeline)
        case "for":
            yield f"{indent}for {node.text} {{"
            if pipeline and not _has_loop(node.children[0]):
                yield "#pragma HLS PIPELINE II=1"
            yield from printed(node.children[0], indent + "    ", call, pipeline)
            yield f"{indent}}}"
        case "let":
            yield f"{indent}{node.text}"
            yield from printed(node.children[0], indent, call, pipeline)
        case "if":
            yield f"{indent}if ({node.text}) {{"
            yield from printed(node.children[0], indent + "    ", call, pipeline)
            for other in node.children[1:]:
                yield f"{indent}}} else {{"
                yield from printed(other, indent + "    ", call, pipeline)
            yield f"{indent}}}"
        case _:
            yield from call(node, indent)


def _has_loop(node: Node) -> bool:
    return node.kind == "for" or any(_has_loop(c) for c in node.children)


def node_of(tree: Any, extents: Mapping[str, tuple[int, int]] | None = None) -> Node:
    """isl's loops as a tree; with ``extents`` of the loops, their bounds are made constants."""
    kinds: Any = isl.ast_node_type
    kind = tree.get_type()
    if kind == kinds.for_:
        it, start = tree.for_get_iterator().to_C_str(), tree.for_get_init().to_C_str()
        body = node_of(tree.for_get_body(), extents)
        if tree.for_is_degenerate():
            if extents is not None:
                return Node("let", f"const int {it} = {start};", (it,), (body,))
            return Node("for", f"(int {it} = ({start}); {it} <= ({start}); {it} += 1)", (it,), (body,))
        stop, step = tree.for_get_cond().to_C_str(), tree.for_get_inc().to_C_str()
        if extents is not None and step == "1":
            first = _affine(tree.for_get_init())
            last = _affine(tree.for_get_cond().get_op_arg(1)) if f"{it} <= " in stop else None
            length = last - first if first is not None and last is not None else None
            if first is not None and length is not None and not length.terms and first.terms:
                let = Node("let", f"const int {it} = {start} + n{it};", (it,), (body,))
                return Node("for", f"(int n{it} = 0; n{it} <= {length.const}; n{it} += 1)", (it,), (let,))
            constant = first is not None and last is not None and not first.terms and not last.terms
            if not constant and it in extents:
                low, high = extents[it]
                guard = Node("if", f"{it} >= ({start}) && {stop}", (), (body,))
                return Node("for", f"(int {it} = {low}; {it} <= {high}; {it} += 1)", (it,), (guard,))
        return Node("for", f"(int {it} = {start}; {stop}; {it} += {step})", (it,), (body,))
    if kind == kinds.if_:
        children = [node_of(tree.if_get_then_node(), extents)]
        if tree.if_has_else_node():
            children.append(node_of(tree.if_get_else_node(), extents))
        return Node("if", tree.if_get_cond().to_C_str(), (), tuple(children))
    if kind == kinds.block:
        nodes = tree.block_get_children()
        return Node("sequence", children=tuple(node_of(nodes.get_at(k), extents) for k in range(nodes.n_ast_node())))
    call = tree.user_get_expr()
    operands = [call.get_op_arg(k).to_C_str() for k in range(call.get_op_n_arg())]
    return Node("call", operands[0], tuple(operands[1:]))


def perfect(node: Node) -> Node:
    """Declarations and guards moved into the loops below them, so that tools see one nest of loops."""
    node = replace(node, children=tuple(map(perfect, node.children)))
    if node.kind not in ("let", "if") or len(node.children) != 1 or node.children[0].kind != "for":
        return node
    (loop,) = node.children
    if node.kind == "let" and re.search(rf"\b{node.args[0]}\b", loop.text):
        return node
    return replace(loop, children=(perfect(replace(node, children=loop.children)),))


def _affine(expression: Any) -> Affine | None:
    """An isl expression as an affine form, where it is one."""
    types: Any = isl.ast_expr_type
    operators: Any = isl.ast_expr_op_type
    kind = expression.get_type()
    if kind == types.int:
        return Affine((), expression.get_val().to_python())
    if kind == types.id:
        return Affine.of({expression.to_C_str(): 1})
    if kind != types.op:
        return None
    parts = [_affine(expression.get_op_arg(k)) for k in range(expression.get_op_n_arg())]
    if any(p is None for p in parts):
        return None
    known = [p for p in parts if p is not None]
    operator = expression.get_op_type()
    if operator == operators.minus:
        return known[0].scaled(-1)
    if operator == operators.add:
        return known[0] + known[1]
    if operator == operators.sub:
        return known[0] - known[1]
    if operator == operators.mul:
        for a, b in ((0, 1), (1, 0)):
            if not known[a].terms:
                return known[b].scaled(known[a].const)
    return None
