"""From file names and options to a pipeline: project files, settings files, standard input."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.options import Options, TargetOptions
from hlspart.pipeline import Pipeline, Reader
from hlspart.reading import read_file, read_stdin
from hlspart.settings import TARGET_KEYS, Settings, SettingsError, find

if TYPE_CHECKING:
    from hlspart.model.project import ProjectFile


class InputError(Exception):
    """Files or options that cannot be used; one line for the user, and a finding for each broken file.

    ``usage``: the call is wrong, whatever the files hold.
    """

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = (), usage: bool = False) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics
        self.usage = usage


def display_path(path: str) -> str:
    """``path`` relative to the current folder, as it appears in every output."""
    if os.path.isabs(path):
        path = os.path.relpath(path)
    while path.startswith("./"):
        path = path[2:].lstrip("/") or "."
    return path


def open_pipeline(
    files: Iterable[str], options: Options, config: str | None, otherwise: TargetOptions | None = None
) -> Pipeline:
    """The pipeline over ``files``; ``options`` win over those of project files, these over the settings file
    (``config``, or the nearest one), and ``otherwise`` is what holds where all are silent. Raises InputError."""
    stdin_name = options.frontend.stdin_filename
    paths: list[str] = []
    options = _configured(options)
    for file in files:
        path = stdin_name if file == "-" else display_path(file)
        project = None if file == "-" else _project(path)
        if project is None:
            paths.append(path)
        else:
            options = _merged(options, project)
            paths += [display_path(s) for s in project.sources]
    if len(set(paths)) < len(paths):
        raise InputError("a file is given twice", usage=True)
    read = _stdin_reader(stdin_name) if stdin_name in paths else None
    options = with_settings(options, settings_for(paths, config))
    return Pipeline(paths, options if otherwise is None else _completed(options, otherwise), read)


def _configured(options: Options) -> Options:
    """``options`` with the tool's configuration (``config_compile``, ``syn.compile``) that directive files hold."""
    from hlspart.frontend.directives import is_project_file, read_project

    settings: list[tuple[str, str]] = []
    for path in options.frontend.directive_files:
        try:
            settings += read_project(path, read_file).settings.items() if is_project_file(path) else ()
        except (OSError, ValueError):
            continue  # said where its directives are read
    target = replace(options.target, settings=(*settings, *options.target.settings))
    return replace(options, target=target)


def _completed(options: Options, otherwise: TargetOptions) -> Options:
    """``options`` with the target of ``otherwise`` where they do not choose; a profile of one's own chooses all."""
    target = options.target
    if target.target_file is not None:
        return options
    own_clock = target.clock_ns is not None
    target = replace(
        target,
        part=target.part or otherwise.part,
        tool=target.tool or otherwise.tool,
        clock_ns=target.clock_ns if own_clock else otherwise.clock_ns,
        uncertainty=target.uncertainty or (None if own_clock else otherwise.uncertainty),
        flow=target.flow or otherwise.flow,
    )
    return replace(options, target=target)


def settings_for(paths: Sequence[str], config: str | None) -> Settings:
    """The settings file for some inputs. Raises InputError."""
    try:
        return find(paths[0] if paths else ".", config)
    except SettingsError as error:
        raise InputError(str(error)) from None


def with_settings(options: Options, settings: Settings) -> Options:
    """``options`` with what a settings file gives where they say nothing."""
    values = {k: v for k, v in settings.values.items() if k in TARGET_KEYS}
    if not values:
        return options
    front, target = options.frontend, options.target
    front = replace(
        front,
        defines=(*values.get("define", ()), *front.defines),
        include_dirs=(*front.include_dirs, *values.get("include", ())),
    )
    target = replace(
        target,
        part=target.part or values.get("part"),
        tool=target.tool or values.get("tool"),
        clock_ns=target.clock_ns or values.get("clock"),
        uncertainty=target.uncertainty or values.get("clock-uncertainty"),
        flow=target.flow or values.get("flow"),
        target_file=target.target_file or values.get("target"),
    )
    return replace(options, frontend=front, target=target, settings=settings.path)


def _project(path: str) -> ProjectFile | None:
    from hlspart.frontend.directives import is_project_file, read_project

    if not is_project_file(path):
        return None
    try:
        project = read_project(path, read_file)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"cannot read {path}: {reason}") from None
    if not project.sources:
        raise InputError(f"{path} names no source files")
    return project


def _merged(options: Options, project: ProjectFile) -> Options:
    front, target = options.frontend, options.target
    front = replace(
        front,
        defines=(*project.defines, *front.defines),
        undefines=(*project.undefines, *front.undefines),
        include_dirs=(*front.include_dirs, *(display_path(d) for d in project.include_dirs)),
        directive_files=(project.path, *front.directive_files),
    )
    target = replace(
        target,
        part=target.part or project.part,
        clock_ns=target.clock_ns or project.clock_ns,
        uncertainty=target.uncertainty or project.uncertainty,
        flow=target.flow or project.flow,
        settings=(*project.settings.items(), *target.settings),
    )
    return replace(options, frontend=front, target=target, top=options.top or project.top)


def target_settings(options: Options, settings: Settings) -> str:
    """What holds for the target and the headers, with its origin, for ``--show-config``."""
    front, target = options.frontend, options.target
    given = {
        "part": target.part,
        "tool": target.tool,
        "clock": target.clock_ns,
        "clock-uncertainty": target.uncertainty,
        "flow": target.flow,
        "target": target.target_file,
        "define": list(front.defines) or None,
        "include": list(front.include_dirs) or None,
    }
    lines = []
    for key, value in given.items():
        said = settings.values.get(key)
        same = value == (list(said) if isinstance(said, tuple) else said)
        origin = "default" if value is None else settings.path if same else "command line or project file"
        lines.append(f"{key} = {value!r}  # {origin}\n")
    return "".join(lines)


def _stdin_reader(name: str) -> Reader:
    data: list[bytes] = []

    def read(path: str) -> bytes:
        if path != name:
            return read_file(path)
        if not data:
            data.append(read_stdin())
        return data[0]

    return read
