"""Templates of functions and classes, expanded like macros at each use: arguments written out, or deduced.

An instance stands before the declaration that uses it first, or where its template stands when that comes later. Of
several templates of one name the one is taken that fits: by its number of parameters, by deduction, and of the
specialisations of a class by their patterns. Where several fit, none is.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hlspart.frontend.cxx_arguments import (
    bound,
    class_alias,
    completed,
    declared_array,
    filled,
    is_endless,
    key,
    open_member,
    opened,
    request,
)
from hlspart.frontend.cxx_calls import has_calls, named_call, with_names
from hlspart.frontend.cxx_collect import TAGS, CxxTemplate, CxxTemplates, collect, like, matching_angle
from hlspart.frontend.cxx_conditions import all_hold, chosen_arms, type_names
from hlspart.frontend.cxx_deduce import agreement, deduced, is_exact
from hlspart.frontend.cxx_file_constants import FileConstants
from hlspart.frontend.cxx_locals import InstanceNames, LocalConstants
from hlspart.frontend.cxx_member_types import MemberTypes
from hlspart.frontend.cxx_packs import flat
from hlspart.frontend.cxx_patterns import OneSpelling, OpenPattern, matched, specialised
from hlspart.frontend.cxx_placing import TemplateInstance, placed
from hlspart.frontend.cxx_plain import has_methods
from hlspart.frontend.cxx_shapes import arguments_of, closing
from hlspart.frontend.cxx_types import split
from hlspart.frontend.cxx_unused import UnusedFunction, refused, without_unused
from hlspart.frontend.parse import error
from hlspart.frontend.tokens import PragmaToken, SourceError, Token

_Chosen = tuple[CxxTemplate, list[list[Token]]]  # with the values of its parameters

_MOST_INSTANCES = 400
_MOST_OF_ONE = 64


def instantiated(
    tokens: list[Token], path: str, wanted: Sequence[str] = ()
) -> tuple[list[Token], list[UnusedFunction]]:
    """The stream of the file ``path`` with templates replaced by their instances, and what no instance has.

    Raises SourceError.

    ``wanted``: instances that are asked for although nothing in the text uses them.
    """
    if not any(t.text == "template" for t in tokens):
        return list(tokens), []
    end = like("", "eof", tokens[-1])  # sentinels: looking ahead never runs over the end
    # x.template f<4>() says to the compiler that f is a template of a type to come
    plain = [t for k, t in enumerate(tokens) if t.text != "template" or not k or tokens[k - 1].text not in (".", "->")]
    table = collect(with_names([*plain, end, end, end]))
    _raise(table.faults)
    if not (table.templates or table.aliases):
        return table.rest, []
    table.requests += [request(text, end) for text in wanted]
    unused_functions = without_unused(table)
    work = _Instances(table)
    work.expand(table.rest)
    work.expand_asked()
    work.expand_rest()
    work.expand_open(path)
    used = {id(i.template) for i in work.made.values()}
    unused = [t for group in table.templates.values() for t in group if id(t) not in used]
    # what a header's class has for others is no hole in it
    unused = [t for t in unused if not (t.owner and t.tokens[0].path != path)]
    _raise([fault for t in unused if (fault := refused(t, path)) is not None])  # all at once: each costs a reading
    result = placed(table, list(work.made.values()), unused)
    kept = {(t.path, t.start) for t in result if isinstance(t, PragmaToken)}
    left_out = [
        t.tokens for t in unused if any(isinstance(w, PragmaToken) and (w.path, w.start) not in kept for w in t.tokens)
    ]
    return result, [*unused_functions, *(UnusedFunction(words) for words in left_out if words[0].path == path)]


def _raise(faults: Sequence[SourceError]) -> None:
    if faults:
        faults[0].others = tuple(faults[1:])
        raise faults[0]


class _Instances:
    """Makes the instances that tokens ask for."""

    def __init__(self, table: CxxTemplates) -> None:
        self.table, self.templates = table, table.templates
        self.made: dict[tuple[int, str], TemplateInstance] = {}
        self.by_name: dict[str, TemplateInstance] = {}
        self.instances: dict[str, list[list[Token]]] = {}  # arguments by name
        self.names = InstanceNames(self.instances)
        self.types = type_names(table.rest)  # what names of types stand for
        self.member_types = MemberTypes(table.rest, self.types)
        self.constants = FileConstants(table.rest)
        self.spelling = OneSpelling(self.types, self.constants, self._arguments)
        self._waiting: list[TemplateInstance] = []
        self._called = has_calls(table.templates)
        self._around: list[str] = []  # the classes around what is expanded, the nearest first
        self._classes: dict[str, int] | None = None  # where those that are no templates begin
        self._ordinary: dict[str, list[int]] | None = None  # functions that have the name of a template

    def expand(self, tokens: list[Token]) -> None:
        """Replace uses in ``tokens`` by the names of instances, in place."""
        at = 0
        constants = LocalConstants(tokens)
        while at < len(tokens):
            constants.step(at)
            if tokens[at].text == ";":
                self.names.note(tokens, at, constants)
            alias = self.table.aliases.get(tokens[at].text) if tokens[at].kind == "id" else None
            if at and tokens[at].text == "::" and at + 3 < len(tokens):
                alias, at = class_alias(tokens, at, self.table.aliases, self.member_types.bases) or (alias, at)
            if alias is not None and tokens[at + 1].text == "<":
                end = matching_angle(tokens, at + 1)
                if end is not None:
                    given = split([t for t in tokens[at + 2 : end] if not isinstance(t, PragmaToken)])
                    values = bound(alias, given)
                    if values is not None:
                        written, behind = filled(alias, values, None, tokens[at]), end + 1
                        if written and written[-1].text == "]":
                            written, behind, later = declared_array(written, tokens, end)
                            for place in sorted(later, reverse=True):
                                tokens[place:place] = later[place]
                        tokens[at:behind] = written
                        continue
            if self._called and (tokens[at].kind == "id" or tokens[at].text == ")"):
                named_call(tokens, at, self.templates)
            group = self.templates.get(tokens[at].text) if tokens[at].kind == "id" else None
            if group is not None and at + 1 < len(tokens):
                stop: int | None = at
                if tokens[at + 1].text == "<":
                    stop = matching_angle(tokens, at + 1, inner=group[0].struct)
                if stop is not None:
                    self._use(tokens, at, stop, group, constants)
            at += 1

    def expand_asked(self) -> None:
        """Explicit instantiations: ``template void f<8>(int x[8]);``."""
        for words in self.table.requests:
            self.expand(words)

    def expand_rest(self) -> None:
        """Write out what was asked for, and what that asks for."""
        while self._waiting:
            self._expand_instance(self._waiting.pop(0))

    def _expand_instance(self, instance: TemplateInstance) -> None:
        """Replace uses in an instance, where the templates of the classes around it come first."""
        before, self._around = self._around, []
        around: TemplateInstance | None = instance
        while around is not None:
            self._around += [around.name] if around.template.struct else []
            if around.template.owner:
                self._around.append(around.template.owner)
            around = self.by_name.get(around.template.owner)
        self.expand(instance.tokens)
        self._around = before

    def expand_open(self, path: str) -> None:
        """An instance of each template of the file that nothing uses: defaults, else the parameters themselves.

        The last first, as what uses others stands behind them.
        """
        used = {id(i.template) for i in self.made.values()}
        for template in reversed(list(self.table.every())):
            if id(template) in used or template.owner or template.pack or template.tokens[0].path != path:
                continue
            values = completed(template, opened(template))
            chosen = self._class(self.templates[template.name], values) if template.struct and values else None
            if chosen is not None and template.pattern is None and chosen[0] is not template:
                values = list(opened(template, defaults=False).values())  # with the defaults it is a specialisation
            if values is not None and (not template.struct or has_methods(template.tokens) or template.pattern):
                row = template.pattern if template.pattern is not None else values
                arguments = [t for value in row for t in (*value, like(",", "op", template.anchor))][:-1]
                self._instance(template, values, key(arguments), template.anchor)
                self.expand_rest()
                used = {id(i.template) for i in self.made.values()}

    # ------------------------------------------------------------------------------ which one

    def _use(
        self, tokens: list[Token], at: int, end: int, group: Sequence[CxxTemplate], constants: LocalConstants
    ) -> None:
        """One use: the template's name at ``at``, its arguments up to ``end`` (``at`` when it has none)."""
        struct = group[0].struct
        called = end + 1 < len(tokens) and tokens[end + 1].text == "("
        if not (called or end > at) or (struct and end == at):
            return
        parts = split([t for t in tokens[at + 2 : end] if not isinstance(t, PragmaToken)])
        given = [self.member_types.resolved(p) for p in map(constants.resolved, parts) if p is not None]
        if len(given) < len(parts):
            return
        for part in given:
            self.expand(part)
            self._constants_of_classes(part)
        given = [self.member_types.basic(self.constants.folded(part)) for part in given]
        if at > 1 and tokens[at - 1].text == "::":
            owned = [t for t in group if t.owner == tokens[at - 2].text]
            group = owned or [t for t in group if not t.owner] or group
        elif tokens[at - 1].text not in (".", "->") and len({t.owner for t in group}) > 1:
            owners = (owned for o in (*self._around, "") if (owned := [t for t in group if t.owner == o]))
            group = next(owners, group)
        chosen = self._class(group, given) if struct else self._function(group, given, tokens, at, end, called)
        if struct and (said := open_member(tokens, at, end, given, chosen and chosen[0].tokens)) is not None:
            tokens[at : end + 3] = [said]
            return
        if chosen is None:
            return
        template, values = chosen
        values = [self.names.one(value, constants) for value in values]
        if is_endless(values):
            return
        arguments = [t for value in values if value for t in (*value, like(",", "op", tokens[at]))][:-1]
        name = like(self._instance(template, values, key(arguments), tokens[at]).name, "id", tokens[at])
        if name.use is None and tokens[end].use is None:
            name.end = tokens[end].end
        tokens[at : end + 1] = [name]

    def _constants_of_classes(self, tokens: Sequence[Token]) -> None:
        """Know the constants of the instances that an expression names: ``Log2<8>::value``."""
        for word, sign in pairwise(tokens):
            instance = self.by_name.get(word.text) if sign.text == "::" else None
            if instance is not None and instance.template.struct and instance in self._waiting:
                self._waiting.remove(instance)
                self._expand_instance(instance)
                self._constants_of_classes(instance.tokens)
                self.constants.note_class(instance.tokens)

    def _is_ordinary(self, tokens: Sequence[Token], at: int) -> bool:
        """Whether the call at ``at`` means a function of the name that is no template: one of just its types."""
        rest = self.table.rest
        if self._ordinary is None:
            self._ordinary = {}
            for here in range(1, len(rest) - 3):
                named = rest[here].text in self.templates and rest[here + 1].text == "(" and rest[here - 1].kind == "id"
                if named and rest[closing(rest, here + 1) + 1 :][:1] and rest[closing(rest, here + 1) + 1].text == "{":
                    self._ordinary.setdefault(rest[here].text, []).append(here)
        places = self._ordinary.get(tokens[at].text, ())
        return any(is_exact(rest, place + 1, tokens, at, self._class_text, self._one_spelling) for place in places)

    def _one_spelling(self, type_: Sequence[Token]) -> str:
        """A type as text, however its arguments are written."""
        own = arguments_of(type_)
        if not own:
            return " ".join(t.text for t in self.member_types.basic(list(type_)))
        name = next(t.text for t, behind in pairwise(type_) if behind.text == "<")
        return f"{name}<{','.join(self._one_spelling(self.constants.folded(part)) for part in own)}>"

    def _arguments(self, name: str) -> tuple[str, list[list[Token]]] | None:
        instance = self.by_name.get(name)
        return None if instance is None else (instance.template.name, self.instances[name])

    def _class_text(self, name: str) -> Sequence[Token]:
        """The text of a class, or of an instance of a template of one."""
        instance = self.by_name.get(name)
        if instance is not None:
            return instance.tokens if instance.template.struct else ()
        rest = self.table.rest
        if self._classes is None:
            heads = (k for k, t in enumerate(rest[:-3]) if t.text in TAGS and rest[k + 2].text == "{")
            self._classes = {rest[k + 1].text: k for k in heads}
        at = self._classes.get(name)
        return () if at is None else rest[at : closing(rest, at + 2) + 1]

    def _instance(self, template: CxxTemplate, values: list[list[Token]], key: str, at: Token) -> TemplateInstance:
        known = self.made.get((id(template), key))
        if known is not None:
            return known
        of_one = sum(i.template is template for i in self.made.values())
        if len(self.made) >= _MOST_INSTANCES or of_one >= _MOST_OF_ONE:
            most = _MOST_OF_ONE if of_one >= _MOST_OF_ONE else _MOST_INSTANCES
            raise error(template.tokens[0], f"more than {most} template instances", "HLP003")
        name = f"{template.name}<{key}>"
        while name in self.by_name:  # of another template of this name
            name += "'"
        self.made[id(template), key] = self.by_name[name] = made = TemplateInstance(
            template, name, [t for v in values for t in v]
        )
        self.instances[name] = values
        made.tokens = self.member_types.resolved(filled(template, values, name, None))
        chosen_arms(made.tokens, self.constants.value, self.types)
        if template.struct:
            self._members(made, values)
            self.types.update(type_names(made.tokens))
        self._waiting.append(made)
        return made

    def _members(self, made: TemplateInstance, values: list[list[Token]]) -> None:
        """Member functions that stand outside of a class, and templates in it, which now are those of this instance."""
        for outside in self.table.outside.get(made.template.name, ()):
            if len(outside.params) == len(values) and made.template.pattern is None:
                made.tokens += filled(outside, values, None, None)
        end = like("", "eof", made.tokens[-1])
        if not any(t.text == "template" for t in made.tokens):
            return
        inner = collect(with_names([*made.tokens, end, end, end]))
        _raise(inner.faults)
        made.tokens = inner.rest[:-3]
        for name, group in inner.templates.items():
            self.templates.setdefault(name, []).extend(group)
        self._called = self._called or has_calls(inner.templates)

    def _class(
        self, group: Sequence[CxxTemplate], given: list[list[Token]]
    ) -> tuple[CxxTemplate, list[list[Token]]] | None:
        """The class template that arguments mean, and what its own parameters are."""
        primary = next((t for t in group if t.pattern is None), None)
        declared = [
            t for t in self.table.declared.get(group[0].name, ()) if t.defaults or t.pack or len(t.params) == len(given)
        ]
        named = primary or next(iter(declared), None)
        values = bound(named, given)
        if values is None:
            return None
        values = list(map(self.constants.folded, values))
        fitting: list[tuple[tuple[int, bool], CxxTemplate, list[list[Token]]]] = []
        for special in group:
            if special.pattern is not None:
                try:
                    own = matched(special, values if named is None else flat(named, values), self.spelling)
                except OpenPattern:
                    return None
                if own is not None:
                    fitting.append((specialised(special.pattern, special), special, own))
        if not fitting:
            return None if primary is None else (primary, values)
        best = max(x[0] for x in fitting)
        most = [(template, own) for rank, template, own in fitting if rank == best]
        return most[0] if len(most) == 1 else None

    def _function(
        self, group: Sequence[CxxTemplate], given: list[list[Token]], tokens: Sequence[Token], at: int, end: int,
        called: bool,
    ) -> _Chosen | None:  # fmt: skip
        """The function template that a call means."""
        fitting: list[tuple[CxxTemplate, list[list[Token]]]] = []
        count = len(split(list(tokens[end + 2 : closing(tokens, end + 1)]))) if called else None
        for template in (t for t in group if t.pattern is None):
            if len(given) > len(template.params) and not template.pack:
                continue
            if count is not None and not template.takes(count) and len(group) > 1:
                continue
            values: list[list[Token]] | None
            if called and (len(given) < len(template.params) or template.pack):
                types = deduced(template, given, tokens, end, self.instances, self._class_text)
                values = completed(template, types)
                values = values if values is not None or not given else bound(template, given)
            else:
                values = bound(template, given)
            if values is not None:
                fitting.append((template, list(map(self.constants.folded, values))))
        if len(fitting) > 1:
            fitting = [(template, values) for template, values in fitting if not template.pack]
        if len(fitting) > 1 and any(t.condition for t, _ in fitting):
            rows = [(t.condition, dict(zip(t.params, values, strict=False))) for t, values in fitting]
            fitting = [x for x, meant in zip(fitting, all_hold(rows, self.types), strict=True) if meant]
        if len(fitting) > 1 and called:
            ranked = [(agreement(t, tokens, end), t, values) for t, values in fitting]
            best = max((rank for rank, _, _ in ranked if rank is not None), default=0)
            fitting = [(t, values) for rank, t, values in ranked if rank == best]
        if len(fitting) != 1 or (called and end == at and self._is_ordinary(tokens, at)):
            return None
        try:
            special = [(t, own) for t in group if (own := matched(t, flat(*fitting[0]), self.spelling)) is not None]
        except OpenPattern:
            return None
        return special[0] if special else fitting[0]
