"""Template arguments that a call leaves to the compiler, read off what the call passes.

What has no declaration with the shape of one is not deduced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hlspart.frontend.cxx_collect import CxxTemplate, like
from hlspart.frontend.cxx_shapes import Classes, DeclaredShape, alias_of, arguments_of, closing, passed_shape, shape_of
from hlspart.frontend.cxx_types import split
from hlspart.frontend.tokens import Token


def deduced(
    template: CxxTemplate,
    given: Sequence[Sequence[Token]],
    tokens: Sequence[Token],
    at: int,
    instances: Mapping[str, Sequence[list[Token]]],
    classes: Classes = lambda _: (),
) -> dict[str, Sequence[Token]]:
    """The arguments of a function's ``template`` that the call whose bracket is ``tokens[at + 1]`` gives.

    ``given`` are those written out, which come first; ``instances``: arguments of class templates by the name of the
    instance; ``classes``: the text of classes that ``tokens`` do not hold.
    """
    params, pack = template.params, template.pack
    values: dict[str, Sequence[Token]] = dict(zip(params, given, strict=False))
    formals = _taken(template.parameters())
    actuals = split(list(tokens[at + 2 : closing(tokens, at + 1)]))
    if pack and formals and "..." in [t.text for t in formals[-1]]:
        values.pop(pack, None)
        repeated = [t for t in formals.pop() if t.text != "..."]
        deductions = [_one(repeated, actual, pack, tokens, at, instances) for actual in actuals[len(formals) :]]
        known = [v for v in deductions if v]
        if len(known) < len(deductions):
            return {}
        values[pack] = [t for value in known for t in (*value, like(",", "op", value[0]))][:-1]
    for formal, actual in zip(formals, actuals, strict=False):
        wanted = shape_of(formal)
        passed = passed_shape(actual, tokens, at, classes)
        if wanted is not None and passed is not None:
            refers = any(t.text == "&" for t in formal)
            _match(wanted, _whole(wanted, passed) if refers else passed, frozenset(params), values, tokens, instances)
    return values


def agreement(template: CxxTemplate, tokens: Sequence[Token], at: int) -> int | None:
    """How many arguments of the call whose bracket is ``tokens[at + 1]`` have by name the type of their parameter in a
    ``template``; None where one cannot be meant: an array where a class is wanted, or the reverse."""
    formals = _taken(template.parameters())
    actuals = split(list(tokens[at + 2 : closing(tokens, at + 1)]))
    alike = 0
    for formal, actual in zip(formals, actuals, strict=False):
        wanted = shape_of(formal) or shape_of([*formal, *formal[-1:]])  # one without a name
        passed = passed_shape(actual, tokens, at)
        if wanted is None:
            continue
        named = wanted.type[-1].text
        if passed is None:
            made = [t.text for t in actual if t.kind == "id"]  # Tag()
            alike += [t.text for t in actual[-2:]] == ["(", ")"] and made[-1:] == [named]
            continue
        array, class_ = (
            (bool(s.extents) or s.type[-1].text == "*" for s in (wanted, passed)),
            (s.type[-1].text == ">" and not s.extents for s in (wanted, passed)),
        )
        (rows, given), (holds, object_) = array, class_
        if (rows and object_) or (holds and given):
            return None
        if named not in template.params and [t.text for t in wanted.type] == [t.text for t in passed.type]:
            alike += 1
    return alike


def is_exact(
    definition: Sequence[Token], opening: int, tokens: Sequence[Token], at: int, classes: Classes,
    spelling: Callable[[Sequence[Token]], str],
) -> bool:  # fmt: skip
    """Whether the call ``tokens[at]`` hands a function, its parameters behind ``opening``, just the types it has."""
    formals = [shape_of(f) for f in _taken(split(list(definition[opening + 1 : closing(definition, opening)])))]
    actuals = split(list(tokens[at + 2 : closing(tokens, at + 1)]))
    passed = [passed_shape(actual, tokens, at, classes) for actual in actuals]
    return len(formals) == len(passed) and all(
        a is not None and b is not None and len(a.extents) == len(b.extents) and spelling(a.type) == spelling(b.type)
        for a, b in zip(formals, passed, strict=True)
    )


def _whole(wanted: DeclaredShape, passed: DeclaredShape) -> DeclaredShape:
    """What ``T &x`` makes of an array: a type that has its extents."""
    if len(wanted.type) > 1 or wanted.extents or not all(passed.extents):
        return passed
    brackets = [(like("[", "op", e[0]), *e, like("]", "op", e[-1])) for e in passed.extents]
    return DeclaredShape((*passed.type, *(t for part in brackets for t in part)), (), passed.name)


def _taken(formals: Sequence[Sequence[Token]]) -> list[list[Token]]:
    """Parameters, ``T &&x`` as ``T &x``: it takes what it is given."""
    return [[like("&", "op", t) if t.text == "&&" else t for t in formal] for formal in formals]


def _one(
    formal: Sequence[Token],
    actual: Sequence[Token],
    pack: str,
    tokens: Sequence[Token],
    at: int,
    instances: Mapping[str, Sequence[list[Token]]],
) -> Sequence[Token]:
    """What one argument makes of a parameter pack; () where that is not seen."""
    deduced_types: dict[str, Sequence[Token]] = {}
    wanted, passed = shape_of(formal), passed_shape(actual, tokens, at)
    if wanted is not None and passed is not None:
        _match(wanted, passed, frozenset((pack,)), deduced_types, tokens, instances)
    return deduced_types.get(pack, ())


def _match(
    wanted: DeclaredShape,
    passed: DeclaredShape,
    params: frozenset[str],
    values: dict[str, Sequence[Token]],
    tokens: Sequence[Token],
    instances: Mapping[str, Sequence[list[Token]]],
) -> None:
    for extent, size in zip(wanted.extents, passed.extents, strict=False):
        if len(extent) == 1 and extent[0].text in params:
            values.setdefault(extent[0].text, size)
    stars = sum(t.text == "*" for t in wanted.type)
    if len(wanted.type) == 1 + stars and wanted.type[0].text in params:
        inside = passed.type[: len(passed.type) - max(0, stars + len(wanted.extents) - len(passed.extents))]
        pointers = all(t.text == "*" for t in passed.type[len(inside) :])
        if inside and pointers and len(passed.extents) <= stars + len(wanted.extents):
            values.setdefault(wanted.type[0].text, inside)
        return
    own, other = arguments_of(wanted.type), arguments_of(passed.type)
    if own and not other:
        other = list(instances.get(passed.type[-1].text, ()))
    if own and not other:
        type_ = alias_of(passed.type[-1].text, tokens)
        other = arguments_of(type_) or list(instances.get(type_[-1].text, ()) if type_ else ())
    for one, two in zip(own, other, strict=False):
        if len(one) == 1 and one[0].text in params:
            values.setdefault(one[0].text, two)
        elif "<" in (t.text for t in one) and "<" in (t.text for t in two):
            _match(
                DeclaredShape(tuple(one), (), ""), DeclaredShape(tuple(two), (), ""), params, values, tokens, instances
            )
