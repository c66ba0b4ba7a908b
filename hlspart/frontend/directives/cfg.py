"""``hls_config.cfg``: sources, top, part, clock and ``syn.directive.*`` lines (UG1399, v++ HLS configuration)."""

from __future__ import annotations

import os
import re
import shlex
from typing import Literal

from msgspec import Struct, field

from hlspart.frontend.context import place_of
from hlspart.frontend.directives.command import Command
from hlspart.frontend.directives.kinds import KINDS
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Option
from hlspart.model.project import ProjectFile
from hlspart.model.source import Origin, SourceText, Span

_WORD = re.compile(r"\"[^\"]*\"|'[^']*'|[^\s\"'=]+(?:<[^>]*>[^\s\"'=]*)?|=")
_DIRECTIVE = "syn.directive."


class Reading(Struct):
    """What a directive file said: the project and its directives."""

    project: ProjectFile
    commands: list[Command] = field(default_factory=list)
    sources: dict[str, SourceText] = field(default_factory=dict)


def read_cfg(source: SourceText) -> Reading:
    """Read a whole file; a line that is no ``key=value`` is reported and skipped."""
    entries: dict[str, list[str]] = {}
    settings: dict[str, str] = {}
    commands: list[Command] = []
    diagnostics: list[Diagnostic] = []
    start = 0
    for line in source.text.splitlines(keepends=True):
        stripped = line.strip()
        begin = start + len(line) - len(line.lstrip())
        at = Origin(Span(source.path, begin, begin + len(stripped)))
        start += len(line)
        if not stripped or stripped[0] in "#;" or (stripped[0] == "[" and stripped[-1] == "]"):
            continue
        key, equals, value = stripped.partition("=")
        key, value = key.strip(), value.strip()
        if not equals or not key:
            place = place_of({source.path: source}, at.span)
            text = f"'{stripped}' is no key=value"
            diagnostics.append(Diagnostic("HLP007", "directive-file", "warning", place, text))
        elif key.startswith(_DIRECTIVE):
            commands.append(_command(source, at, key, stripped))
        elif key in ("syn.file", "tb.file", "syn.cflags", "syn.csimflags", "syn.top", "part", "clock"):
            entries.setdefault(key, []).append(value)
        else:
            settings[key] = value
    folder = os.path.dirname(source.path)
    flags = [f for text in entries.get("syn.cflags", ()) for f in _shell(text)]
    for text in (v for k, v in settings.items() if k == "syn.file_cflags"):
        flags += _shell(text.partition(",")[2])
    project = ProjectFile(
        source.path,
        "cfg",
        sources=sources_of(folder, entries.get("syn.file", ())),
        testbench=tuple(_beside(folder, p) for p in entries.get("tb.file", ())),
        top=entries.get("syn.top", [None])[-1],
        cflags=flags_beside(folder, flags),
        part=entries.get("part", [None])[-1],
        clock_ns=period(entries["clock"][-1]) if "clock" in entries else None,
        uncertainty=uncertainty(settings["clock_uncertainty"]) if "clock_uncertainty" in settings else None,
        flow=flow(settings.get("flow_target")),
        settings=settings,
        files=(source.path,),
        diagnostics=tuple(diagnostics),
    )
    return Reading(project, commands, {source.path: source})


def _command(source: SourceText, at: Origin, key: str, line: str) -> Command:
    kind = key[len(_DIRECTIVE) :].strip().lower()
    base = at.span.start
    value_at = line.index("=") + 1
    key_at = line.index(_DIRECTIVE) + len(_DIRECTIVE)
    words = [(m.group().strip("\"'"), m.start(), m.end()) for m in _WORD.finditer(line, value_at)]
    names: list[Option] = []
    options: list[Option] = []
    known = KINDS.get(kind)
    index = 0
    while index < len(words):
        text, start, end = words[index]
        origin = Origin(Span(source.path, base + start, base + end))
        index += 1
        if index < len(words) and words[index][0] == "=":
            value = words[index + 1][0] if index + 1 < len(words) else ""
            index += 2
            options.append(Option(text.lower().lstrip("-"), value, origin))
        elif names and known is not None and known.word_option(text.lower()) is not None:
            options.append(Option(text.lower(), None, origin))
        elif text != "=":
            names.append(Option(text, None, origin))
    kind_at = Origin(Span(source.path, base + key_at, base + key_at + len(kind)))
    return Command(kind, "cfg", tuple(names), tuple(options), at, kind_at, line)


def sources_of(folder: str, names: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    """C and C++ sources among ``names`` (headers and data files are listed there too)."""
    endings = (".c", ".cpp", ".cc", ".cxx", ".c++", ".C", ".cp")
    paths = (_beside(folder, name.split(",")[0].strip()) for name in names)
    return tuple(dict.fromkeys(p for p in paths if p.endswith(endings)))


def flags_beside(folder: str, flags: list[str]) -> tuple[str, ...]:
    """Compiler flags with their folders seen from here."""
    result: list[str] = []
    take = False
    for flag in flags:
        if take:
            result.append(_beside(folder, flag))
        elif flag.startswith("-I") and len(flag) > 2:
            result.append("-I" + _beside(folder, flag[2:]))
        else:
            result.append(flag)
        take = flag == "-I"
    return tuple(result)


def _beside(folder: str, name: str) -> str:
    return name if os.path.isabs(name) else os.path.normpath(os.path.join(folder, name))


def _shell(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError:
        return text.split()
    return [inner for word in words for inner in (word.split() if " " in word else [word])]


_UNITS = {"": 1.0, "ns": 1.0, "us": 1e3, "ps": 1e-3, "s": 1e9, "ms": 1e6}
_RATES = {"hz": 1e9, "khz": 1e6, "mhz": 1e3, "ghz": 1.0}


def period(text: str) -> float | None:
    """Clock period in ns of ``5``, ``4ns`` or ``200MHz``; None when it is none of these."""
    match = re.fullmatch(r"\s*([\d.]+(?:[eE][+-]?\d+)?)\s*([a-zA-Z]*)\s*", text)
    if match is None:
        return None
    try:
        number = float(match.group(1))
    except ValueError:
        return None
    unit = match.group(2).lower()
    if number <= 0:
        return None
    if unit in _RATES:
        return round(_RATES[unit] / number, 9)
    return round(number * _UNITS[unit], 9) if unit in _UNITS else None


def uncertainty(text: str) -> str | None:
    """``27%``, or nanoseconds as text."""
    text = text.strip()
    if re.fullmatch(r"[\d.]+\s*%", text):
        return text.replace(" ", "")
    number = period(text) if text not in ("0", "0ns") else 0.0
    return None if number is None else f"{number:g}"


def flow(text: str | None) -> Literal["vivado", "vitis"] | None:
    """``vivado`` or ``vitis``."""
    return "vitis" if text == "vitis" else "vivado" if text == "vivado" else None
