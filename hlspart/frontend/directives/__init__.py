"""HLS directives: pragmas, ``hls_config.cfg`` and Tcl, one grammar and one record type.

``resolve`` fills ``Program.directives``; ``read_project`` reads what a configuration file says about
the build; ``print_directive`` writes a directive in any of the forms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hlspart.frontend.context import place_of
from hlspart.frontend.directives.kinds import KINDS, DirectiveKind
from hlspart.frontend.directives.pragmas import directive_of, directives_of
from hlspart.frontend.directives.printing import location_of, normalised, print_directive, spell
from hlspart.frontend.directives.scope import Scopes
from hlspart.model import program as ir
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.options import FrontendOptions
from hlspart.model.source import SourceText, Span

if TYPE_CHECKING:
    from hlspart.frontend.directives.cfg import Reading
    from hlspart.model.project import ProjectFile

__all__ = [
    "KINDS",
    "DirectiveKind",
    "directive_of",
    "is_project_file",
    "location_of",
    "normalised",
    "print_directive",
    "read_project",
    "resolve",
    "spell",
]

Read = Callable[[str], bytes]


def resolve(program: ir.Program, options: FrontendOptions, read: Read) -> ir.Program:
    """``program`` with the directives of its pragmas and of the given directive files.

    Pragmas come first, in source order, then the files in the given order. A file that cannot be
    read is a diagnostic.
    """
    scopes = Scopes(program)
    directives = directives_of(program, scopes)
    diagnostics = list(program.diagnostics)
    sources = dict(program.sources)
    for path in options.directive_files:
        try:
            reading = _read(path, read)
        except (OSError, ValueError) as fault:
            diagnostics.append(_unreadable(path, fault))
            continue
        from hlspart.frontend.directives.command import directives_of as commanded

        sources.update(reading.sources)
        diagnostics += reading.project.diagnostics
        directives += [d for command in reading.commands for d in commanded(command, program, scopes)]
    return replace(program, directives=tuple(directives), diagnostics=tuple(diagnostics), sources=sources)


def is_project_file(path: str) -> bool:
    """Whether ``path`` is a configuration or a script by its suffix."""
    return path.endswith((".cfg", ".ini", ".tcl"))


def read_project(path: str, read: Read) -> ProjectFile:
    """What the file says about the build. Raises OSError when it cannot be read."""
    return _read(path, read).project


def _read(path: str, read: Read) -> Reading:
    source = SourceText(path, read(path).decode("utf-8", "surrogateescape"))
    if _is_tcl(source):
        from hlspart.frontend.directives.tcl import read_tcl

        return read_tcl(source, read)
    from hlspart.frontend.directives.cfg import read_cfg

    return read_cfg(source)


def _is_tcl(source: SourceText) -> bool:
    if source.path.endswith(".tcl"):
        return True
    if source.path.endswith((".cfg", ".ini")):
        return False
    return "set_directive_" in source.text and "syn.directive." not in source.text


def _unreadable(path: str, fault: Exception) -> Diagnostic:
    text = getattr(fault, "strerror", None) or str(fault)
    place = place_of({}, Span(path, 0, 0))
    return Diagnostic("HLP001", "unreadable-file", "error", place, f"cannot read: {text.lower()}")
