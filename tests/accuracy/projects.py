"""What a project file of Vivado HLS or Vitis HLS (``.app``) says of its sources: files and their flags."""

from __future__ import annotations

import re
import shlex
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_SOURCES = (".c", ".cpp", ".cc", ".cxx")


@dataclass(frozen=True, slots=True)
class Project:
    """Sources of a design, folders of headers and macros in the order in which the compiler takes them."""

    sources: tuple[Path, ...] = ()
    include: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()


def project(path: Path) -> Project:
    """The design of a project file. Its names are relative to the folder around the project, or to the project."""
    bases = (path.parent.parent, path.parent)
    sources, include = dict[Path, None](), dict[Path, None]()
    defines = dict[str, None]()
    text = re.sub(r'\sxmlns="[^"]*"', "", path.read_text(errors="replace"))
    for file in ET.fromstring(text).iter("file"):
        if file.get("tb", "false") not in ("false", "0"):
            continue
        name = file.get("name", "")
        if (found := _found(bases, name)) is not None and name.endswith(_SOURCES):
            sources[found] = None
        words = iter(shlex.split(file.get("cflags") or ""))
        for word in words:
            flag, rest = word[:2], word[2:]
            rest = rest or next(words, "") if flag in ("-I", "-D") else rest
            if flag == "-I" and (folder := _found(bases, rest)) is not None:
                include[folder] = None
            elif flag == "-D" and rest:
                defines[rest] = None
    return Project(tuple(sources), tuple(include), tuple(defines))


def _found(bases: tuple[Path, ...], name: str) -> Path | None:
    """A file or folder, else the one with the longest end of its name: projects are copied to elsewhere."""
    parts = [p for p in Path(name).parts if p not in ("..", ".", "/")]
    ends = [Path(*parts[k:]) for k in range(len(parts))]
    tried = (base / end for end in (Path(name), *ends) for base in bases)
    return next((p.resolve() for p in tried if p.exists()), None)


def nearest(folders: Iterable[Path], source: Path) -> list[Path]:
    """Folders of headers, those fewest steps away from a source first: of two headers of one name the near one."""

    def steps(folder: Path) -> tuple[int, str]:
        common = len([1 for a, b in zip(folder.parts, source.parent.parts, strict=False) if a == b])
        return len(folder.parts) + len(source.parent.parts) - 2 * common, str(folder)

    return sorted(folders, key=steps)
