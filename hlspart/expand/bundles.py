"""Bundles of their own: arguments that wait for each other at one bus, each at a bus of its own, by INTERFACE alone.

A bundle of m_axi ports has one channel to read and one to write; the Vitis flow puts all arguments into one. Arguments
of a top function are memories that do not overlap, as the tool takes them, so that they may part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from msgspec import Struct

from hlspart.expand.region import Refusal
from hlspart.expand.texts import as_many, indent_of, padded
from hlspart.hardware.bindings import bundle
from hlspart.hardware.memory import BUS
from hlspart.hardware.storage import Storage
from hlspart.model.access import AccessAnalysis
from hlspart.model.directives import Directive
from hlspart.model.program import Function, Program
from hlspart.model.results import IIResult, Validation
from hlspart.model.source import Edit
from hlspart.rewrite.buffer import EditBuffer
from hlspart.targets import Target

MOST = 16  # bundles of a function


class OwnBundle(Struct, frozen=True):
    """An argument that gets the bundle ``name``; ``said``: the directive that makes it an m_axi port so far."""

    variable: int
    name: str
    said: Directive | None


def sharing(
    program: Program, analysis: AccessAnalysis, validation: Validation, target: Target, figures: IIResult
) -> tuple[OwnBundle, ...]:
    """Arguments that share a bundle which keeps a loop from its II, all but the first of each bundle."""
    misses = [
        (x.loop, limit.array) for x in figures.loops if x.misses for limit in x.limits if limit.kind == "interface"
    ]
    if not misses:
        return ()
    storage = Storage(program, analysis, validation, target)
    tops = (program.functions[name] for name in analysis.tops if name in program.functions)
    return tuple(x for top in tops for x in _of_function(program, analysis, storage, top, misses))


def with_bundles(program: Program, chosen: Sequence[OwnBundle]) -> dict[str, tuple[Edit, ...]]:
    """Edits that say these bundles; ports whose directive does not allow it keep theirs."""
    return as_many(program, chosen, partial(_edits, program))


def buses(storage: Storage, top: Function) -> dict[int, str]:
    """The bus of each argument of a top function that has one, as :func:`bundle` names it."""
    return {v: m.resource for v in top.params if (m := storage.memory(v)).storage == BUS}


def _of_function(
    program: Program,
    analysis: AccessAnalysis,
    storage: Storage,
    top: Function,
    misses: Sequence[tuple[int, str | None]],
) -> Iterator[OwnBundle]:
    """Those of one top function; none where these would be too many."""
    ports = buses(storage, top)
    taken, bundles = {*ports.values()}, list[OwnBundle]()
    for shared in dict.fromkeys(ports.values()):
        loops = {loop for loop, bus in misses if bus == shared}
        used = {analysis.group_of.get(a.array) for a in analysis.accesses if loops & set(a.loops)} - {None}
        for variable in [v for v in ports if ports[v] == shared and analysis.group_of.get(v) in used][1:]:
            name = wanted = f"{shared.removeprefix(BUS).strip()}_{program.variable(variable).name}".lower()
            number = 0
            while bundle(name) in taken:
                name, number = f"{wanted}_{number}", number + 1
            taken.add(bundle(name))
            bundles.append(OwnBundle(variable, name, _said(program, variable)))
    if len(taken) <= MOST:
        yield from bundles


def _said(program: Program, variable: int) -> Directive | None:
    """The directive that makes an argument an m_axi port."""
    modes = (
        d
        for d in program.directives
        if d.kind == "interface" and d.usable and variable in d.variables and d.choice("mode", (BUS,)) == BUS
    )
    return next(modes, None)


def _edits(program: Program, chosen: Sequence[OwnBundle], buffer: EditBuffer) -> None:
    for port in chosen:
        if port.said is not None:
            _changed(port, port.said, buffer)
        else:
            _added(program, port, buffer)


def _changed(port: OwnBundle, said: Directive, buffer: EditBuffer) -> None:
    """The bundle in the directive that is there."""
    if said.source != "pragma" or said.at.kind != "plain" or len(said.variables) != 1:
        raise Refusal("macro", "the directive stands in a macro or beside the source", said.at)
    option = next((o for o in said.options if o.name == "bundle"), None)
    if option is None:
        buffer.insert(said.at.span.path, said.at.span.end, f" bundle={port.name}")
    elif option.at.kind == "plain":
        buffer.replace(option.at, f"bundle={port.name}")
    else:
        raise Refusal("macro", "a macro makes the name of the bundle", option.at)


def _added(program: Program, port: OwnBundle, buffer: EditBuffer) -> None:
    """A directive of its own at the start of the function."""
    variable = program.variable(port.variable)
    function = program.functions[variable.function or ""]
    body = function.body
    if not body.at.editable or not body.braces:
        raise Refusal("macro", f"the body of {function.name} stands in a macro", body.at)
    path, at = body.at.span.path, body.at.span.start + 1
    line = f"#pragma HLS INTERFACE mode=m_axi port={variable.name} bundle={port.name}"
    text, source = "\n" + padded(indent_of(program, body.at) + "    ", line), program.sources[path].text
    behind = source[at : source.find("\n", at)]
    buffer.insert(path, at, text + ("\n" if behind.strip() else ""))
