"""Where the instances of templates stand in the text: before what uses them, behind what they use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from hlspart.frontend.cxx_arguments import as_it_is
from hlspart.frontend.cxx_collect import CxxTemplate, CxxTemplates
from hlspart.frontend.cxx_outline import declarations
from hlspart.frontend.cxx_packs import marked
from hlspart.frontend.tokens import Token


class TemplateInstance(Struct, eq=False):
    """An instance: its template, the name that its uses have, its arguments in a row, and its tokens."""

    template: CxxTemplate
    name: str
    arguments: list[Token]
    tokens: list[Token] = field(default_factory=list)


def placed(table: CxxTemplates, instances: Sequence[TemplateInstance], unused: Sequence[CxxTemplate]) -> list[Token]:
    """Everything in order; the only instance of a name keeps it where no function that is no template has it."""
    counts = Counter(i.template.name for i in instances)
    for name, number in counts.items():
        if number > 1:
            marked([i.tokens for i in instances if i.template.name == name], name)
    rest, emitted, reached = table.rest, set[int](), set[int]()
    result: list[Token] = []
    anchors = {id(t.anchor): t for t in table.every()}
    by_name = {i.name: i for i in instances}
    early = _postponed(table, instances, by_name)
    here: dict[int, list[TemplateInstance]] = {}
    for instance in instances:
        if id(instance) not in early:
            here.setdefault(id(instance.template), []).append(instance)
    open_ = set(map(id, unused))
    names = Counter(t.text for part in (rest, *(x.tokens for x in table.every())) for t in part)

    def emit(instance: TemplateInstance) -> None:
        if id(instance) in emitted or id(instance.template) not in reached:
            return
        emitted.add(id(instance))
        inside: set[int] = set()
        for token in instance.tokens:
            if token.text in by_name and not by_name[token.text].template.owner:
                emit(by_name[token.text])
            if id(token) in anchors:
                reached.add(id(anchors[id(token)]))
        for token in instance.tokens:
            template = anchors.get(id(token))
            if template is None:
                result.append(token)
                continue
            for member in here.get(id(template), ()):
                if id(member) not in inside:
                    inside.add(id(member))
                    emit(member)
            if id(template) in open_:
                result.extend(as_it_is(template, names))

    starts = declarations(rest) if early else {}
    for at, token in enumerate(rest[:-3]):  # the sentinels stand behind all instances
        for inside in rest[at : starts.get(at, at)]:
            if inside.text in by_name and not by_name[inside.text].template.owner:
                emit(by_name[inside.text])
        template = anchors.get(id(token))
        if template is None:
            result.append(token)
            continue
        reached.add(id(template))
        for instance in here.get(id(template), ()):
            emit(instance)
        if id(template) in open_:
            result.extend(as_it_is(template, names))
    for instance in instances:
        if not instance.template.owner:
            emit(instance)
    single = {name for name, number in counts.items() if number == 1} - _functions(rest)
    for token in result:
        if token.kind == "id" and token.text in by_name and by_name[token.text].template.name in single:
            token.text = by_name[token.text].template.name
    return [*result, *rest[-3:]]


def _functions(tokens: Sequence[Token]) -> set[str]:
    """Functions that tokens declare outside of all braces."""
    names, level = set[str](), 0
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        level += (token.text == "{") - (token.text == "}")
        if (
            not level
            and after.text == "("
            and token.kind == "id"
            and (before.kind == "id" or before.text in ("*", "&"))
        ):
            names.add(token.text)
    return names


def _postponed(
    table: CxxTemplates, instances: Sequence[TemplateInstance], by_name: Mapping[str, TemplateInstance]
) -> set[int]:
    """Instances that cannot stand where their templates do: their arguments are declared behind that place."""
    first: dict[str, int] = {}
    places: dict[int, int] = {}
    anchors = {id(t.anchor): id(t) for t in table.every()}
    for at, token in enumerate(table.rest):
        first.setdefault(token.text, at)
        if id(token) in anchors:
            places[anchors[id(token)]] = at
    for name, group in table.templates.items():
        if group[0].struct:
            first[name] = min((places[id(t)] for t in group if id(t) in places), default=-1)
    early = {
        id(i) for i in instances
        if (not i.template.owner
        and any(first.get(t.text, -1) > places.get(id(i.template), 0) for t in i.arguments if t.kind == "id"))
        or _is_before_special(i, places, by_name)
    }  # fmt: skip
    grown = bool(early)
    while grown:
        more = {
            id(i) for i in instances
            if id(i) not in early and not i.template.owner
            and any(t.text in by_name and id(by_name[t.text]) in early for t in i.tokens)
        }  # fmt: skip
        early |= more
        grown = bool(more)
    return early


def _is_before_special(
    instance: TemplateInstance, places: Mapping[int, int], by_name: Mapping[str, TemplateInstance]
) -> bool:
    """Whether it names a specialised class that stands further down: ``Log2<1>`` in ``Log2<2>``."""
    named = (by_name[t.text].template for t in instance.tokens if t.text in by_name)
    here = places.get(id(instance.template), 0)
    return not instance.template.owner and any(
        t.struct and t.pattern is not None and places.get(id(t), 0) > here for t in named
    )
