"""Directives as text: the inverse of reading them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hlspart.frontend.directives.kinds import KINDS
from hlspart.model.directives import Directive, Option
from hlspart.model.program import Program

Form = Literal["pragma", "cfg", "tcl", "smarthls"]


def print_directive(directive: Directive, program: Program, form: Form = "pragma") -> str:
    """``directive`` as a pragma, a cfg line or a Tcl command; reading it again gives the same directive.

    Values that are constant expressions are printed as their value outside of a pragma, because a
    directive file knows no macros. Raises ValueError for SmartHLS where it has no such directive.
    """
    options = [(o.name, o.value) for o in directive.options]
    if form != "pragma":
        options = [(n, str(directive.values[n]) if n in directive.values else v) for n, v in options]
    argument = any(program.variable(v).storage == "parameter" for v in directive.variables)
    return spell(directive.kind, options, form, location_of(directive, program), argument)


def location_of(directive: Directive, program: Program) -> str:
    """``function`` or ``function/loop``."""
    if directive.loop is None:
        return directive.function or ""
    return f"{directive.function}/{program.loops[directive.loop].name}"


def spell(
    kind: str,
    options: Sequence[tuple[str, str | None]],
    form: Form = "pragma",
    location: str = "",
    argument: bool = False,
) -> str:
    """A directive from its plain parts: options as (name, value), value None for a bare word.

    ``argument``: its variable is a parameter, which SmartHLS has a word of its own for.
    """
    if form == "pragma":
        words = [n if v is None else f"{n}={_quoted(v)}" for n, v in options]
        return " ".join(("#pragma HLS", kind, *words))
    if form == "smarthls":
        return _smarthls(kind, options, "argument" if argument else "variable")
    subject = KINDS[kind].subject if kind in KINDS else None
    about = [v for n, v in options if n == subject and v is not None]
    rest = [(n, v) for n, v in options if n != subject or v is None]
    if form == "cfg":
        words = [_named(kind, n, v) for n, v in rest]
        return f"syn.directive.{kind}=" + " ".join((_quoted(location), *about[:1], *words))
    flags = [f"-{text.replace('=', ' ', 1)}" for n, v in rest for text in (_named(kind, n, v),)]
    return " ".join((f"set_directive_{kind}", *flags, f'"{location}"', *about[:1]))


def _named(kind: str, name: str, value: str | None) -> str:
    """A bare choice such as ``cyclic`` with its option's name, as directive files want it."""
    if value is None:
        option = KINDS[kind].word_option(name) if kind in KINDS else None
        return name if option in (None, name) else f"{option}={name}"
    return f"{name}={_quoted(value)}"


def _quoted(text: str) -> str:
    return f'"{text}"' if " " in text and not text.isidentifier() else text


def _smarthls(kind: str, options: Sequence[tuple[str, str | None]], subject: str) -> str:
    values = {n: v for n, v in options if v is not None}
    bare = [n for n, v in options if v is None]
    if kind == "array_partition":
        type_ = values.get("type") or next((b for b in bare if b in ("cyclic", "block", "complete")), "complete")
        factor = f" factor({values['factor']})" if "factor" in values and type_ != "complete" else ""
        return (
            f"#pragma HLS memory partition {subject}({values.get('variable', '')}) type({type_})"
            f" dim({values.get('dim', '1')}){factor}"
        )
    if kind == "pipeline":
        return "#pragma HLS loop pipeline" + (f" II({values['ii']})" if "ii" in values else "")
    if kind == "unroll":
        return "#pragma HLS loop unroll" + (f" factor({values['factor']})" if "factor" in values else "")
    raise ValueError(f"SmartHLS has no directive like {kind.upper()}")


def normalised(options: Sequence[Option], kind: str) -> tuple[tuple[str, str | None], ...]:
    """Options without their places, bare choices with their names: equal for equal meaning."""
    known = KINDS.get(kind)
    result = []
    for option in options:
        name, value = option.name, option.value
        if value is None and known is not None:
            setter = known.word_option(name)
            if setter is not None and setter != name:
                name, value = setter, name
        result.append((name, value))
    return tuple(sorted(result, key=lambda item: (item[0], item[1] or "")))
