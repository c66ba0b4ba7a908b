"""A function as a second one of another name, which some of its calls then mean."""

from __future__ import annotations

import re
from collections.abc import Collection

from msgspec.structs import replace

from hlspart.model.program import Block, Call, Expr, Function, Loop, Program, SizeOf, Stmt, walk_statements
from hlspart.model.rebuild import map_children, map_parts
from hlspart.transform.changes import made
from hlspart.transform.copying import Copier, all_expressions
from hlspart.transform.forward import Forward

_OWN_NAME = re.compile(r"\b__(?:func|FUNCTION|PRETTY_FUNCTION)__\b")


def refuse_clone(program: Program, function: Function) -> str | None:
    """Why ``function`` cannot have a copy: its text stands once in a given file, and knows no state, name or place."""
    given = program.given
    if any(v.function == function.name and v.storage == "static" and not v.const for v in program.variables):
        return "it keeps values between calls"
    if any(d.function == function.name and d.source != "pragma" for d in program.directives):
        return "a directive file speaks of it"
    places = [function.at, function.name_at, *(p.at for p in function.prototypes)]
    if not all(at.editable and at.span.path in given for at in places):
        return "its text is not in a given file"
    if _OWN_NAME.search(program.text(function.at)) or "__func__" in program.made:
        return "it says its own name"
    whole = function.at.span
    if any(at.path == whole.path and whole.start <= at.start < whole.end for at, _ in program.counted):
        return "it says where it stands"
    inside = {id(e) for e in all_expressions(program, function.body) if isinstance(e, SizeOf)}
    sizes = (s.at.span for s in program.sizes if id(s) not in inside)
    if any(at.path == whole.path and whole.start <= at.start < whole.end for at in sizes):
        return "an extent in it is a sizeof"
    return None


def clone(program: Program, name: str, new: str, calls: Collection[int]) -> tuple[Program, Forward]:
    """``program`` with a copy ``new`` of the function ``name``, which ``calls`` (by number) mean.

    :func:`refuse_clone` has been asked. Raises Unprintable where a call is a macro's.
    """
    copier = Copier(program)
    old = program.functions[name]
    params, body = copier.function(old, new)
    copy = replace(
        old, name=new, at=made(old.at), name_at=made(old.name_at), params=params, body=body,
        prototypes=tuple(replace(p, at=made(p.at)) for p in old.prototypes),
    )  # fmt: skip
    result, forward = copier.result(copy)
    order = [f for key in program.functions for f in ((key, new) if key == name else (key,))]
    return _redirected(
        replace(result, functions={f: result.functions[f] for f in order}), frozenset(calls), new
    ), forward


def _redirected(program: Program, calls: frozenset[int], name: str) -> Program:
    """``program`` in which ``calls`` mean the function ``name``."""

    def expr(e: Expr) -> Expr:
        changed = map_children(e, expr)
        if isinstance(changed, Call) and changed.id in calls:
            return replace(changed, function=name, callee=made(changed.callee))
        return changed

    def stmt(s: Stmt) -> Stmt:
        return map_parts(s, expr, stmt)

    functions = dict(program.functions)
    for key, function in program.functions.items():
        body = stmt(function.body)
        assert isinstance(body, Block)
        functions[key] = function if body is function.body else replace(function, body=body)
    inits = (None if v.init is None else expr(v.init) for v in program.variables)
    variables = (v if i is v.init else replace(v, init=i) for v, i in zip(program.variables, inits, strict=True))
    loops = {x.id: x for f in functions.values() for x in walk_statements(f.body) if isinstance(x, Loop)}
    return replace(program, functions=functions, variables=tuple(variables), loops={k: loops[k] for k in program.loops})
