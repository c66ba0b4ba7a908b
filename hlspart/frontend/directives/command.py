"""Directives written outside of the source: the common part of cfg lines and Tcl commands."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from hlspart.frontend.directives.grammar import interpret, is_modelled, literal, unknown_kind
from hlspart.frontend.directives.kinds import KINDS, DirectiveKind
from hlspart.frontend.directives.pragmas import named_variable
from hlspart.frontend.directives.scope import Scopes
from hlspart.model import program as ir
from hlspart.model.directives import Directive, Fault, Option
from hlspart.model.source import Origin


class Command(Struct, frozen=True):
    """``function`` or ``function/label``, what it is about, and options; ``at`` spans the whole line.

    ``names`` are the words without ``=``, the location first.
    """

    kind: str
    source: Literal["cfg", "tcl"]
    names: tuple[Option, ...]
    options: tuple[Option, ...]
    at: Origin
    kind_at: Origin
    text: str
    problems: tuple[Fault, ...] = ()


def directives_of(command: Command, program: ir.Program, scopes: Scopes) -> list[Directive]:
    """The directives that a command means: one, or one for each instance of the function template that it names."""
    named = command.names[0].name.partition("/")[0] if command.names else ""
    return [_directive(command, function, program, scopes) for function in scopes.functions(named) or (None,)]


def _directive(command: Command, at: str | None, program: ir.Program, scopes: Scopes) -> Directive:
    """The directive that a command means in the function ``at``, attached to its loop and variables."""
    kind = KINDS.get(command.kind)
    base = Directive(
        command.kind, "vitis", command.source, command.at, command.text, command.options, {}, None, None, ()
    )
    if kind is None:
        problem = unknown_kind(command.kind, command.kind_at)
        return replace(base, problems=(problem,), modelled=False)
    problems = list(command.problems)
    options = list(command.options)
    function = loop = None
    if not command.names:
        problems.append(
            Fault("missing-location", "no function is named", command.at, "name function or function/label")
        )
    else:
        function, loop, more = _location(command.names[0], at, kind, program, scopes)
        problems += more
    for item in command.names[1:]:
        if kind.subject is not None and all(o.name != kind.subject for o in options):
            options.insert(0, Option(kind.subject, item.name, item.at))
        elif kind.name == "allocation":
            options.append(Option("instances", item.name, item.at))
        else:
            problems.append(Fault("unknown-option", f"unexpected '{item.name}'", item.at))
    values, more = interpret(kind, options, command.at, literal)
    problems += more
    variables: list[int] = []
    for option in options:
        wanted = kind.options.get(option.name)
        if wanted is None or wanted.form != "name" or option.value is None or function is None:
            continue
        for name in option.value.split(","):
            variable, fault = named_variable(
                name.strip(), option.at, lambda n: scopes.find_in_function(n, function), program
            )
            if variable is not None:
                variables.append(variable)
            if fault is not None:
                hint = None if fault.code != "not-visible" else "name the function that declares it"
                problems.append(replace(fault, hint=hint))
    return replace(
        base, options=tuple(options), values=values, function=function, loop=loop,
        variables=tuple(dict.fromkeys(variables)), problems=tuple(problems),
        modelled=is_modelled(kind, options, problems),
    )  # fmt: skip


def _location(
    item: Option, function: str | None, kind: DirectiveKind, program: ir.Program, scopes: Scopes
) -> tuple[str | None, int | None, list[Fault]]:
    name, _, label = item.name.partition("/")
    if function is None:
        known = ", ".join(program.functions) or "none"
        problem = Fault("unknown-function", f"no function '{name}'", item.at, f"the files define {known}")
        return None, None, [problem]
    if not label:
        if kind.place == "loop":
            problem = Fault(
                "outside-loop",
                f"{kind.name.upper()} needs a loop",
                item.at,
                f"write {name}/LABEL with the loop's label",
            )
            return function, None, [problem]
        return function, None, []
    loop = scopes.loop(function, label.rsplit("/", 1)[-1])
    if loop is not None:
        return function, loop, []
    if scopes.has_label(function, label):
        text = f"label '{label}' of '{function}' does not stand before a loop"
        return function, None, [Fault("unknown-label", text, item.at)]
    known = ", ".join(scopes.loop_names(function)) or "none"
    problem = Fault("unknown-label", f"'{function}' has no loop '{label}'", item.at, f"its loops are {known}")
    return function, None, [problem]
