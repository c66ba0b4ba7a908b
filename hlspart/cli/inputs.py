"""From the files and options of a command line to a pipeline: standard input, project files."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace

import click

from hlspart.cli.files import display_path
from hlspart.model.options import Options
from hlspart.model.project import ProjectFile
from hlspart.pipeline import Pipeline, Reader


def open_pipeline(files: Iterable[str], options: Options) -> Pipeline:
    """The pipeline over ``files``; options given on the command line win over those of project files."""
    stdin_name = options.frontend.stdin_filename
    paths: list[str] = []
    for file in files:
        path = stdin_name if file == "-" else display_path(file)
        project = None if file == "-" else _project(path)
        if project is None:
            paths.append(path)
        else:
            options = _merged(options, project)
            paths += [display_path(s) for s in project.sources]
    if len(set(paths)) < len(paths):
        raise click.UsageError("a file is given twice")
    read = _stdin_reader(stdin_name) if stdin_name in paths else None
    return Pipeline(paths, options, read)


def _project(path: str) -> ProjectFile | None:
    from hlspart.frontend.directives import is_project_file, read_project

    if not is_project_file(path):
        return None
    try:
        project = read_project(path, _read)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise click.ClickException(f"cannot read {path}: {reason}") from None
    if not project.sources:
        raise click.ClickException(f"{path} names no source files")
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
    )
    return replace(options, frontend=front, target=target, top=options.top or project.top)


def _read(path: str) -> bytes:
    with open(path, "rb") as source:
        return source.read()


def _stdin_reader(name: str) -> Reader:
    data: list[bytes] = []

    def read(path: str) -> bytes:
        if path != name:
            return _read(path)
        if not data:
            data.append(sys.stdin.buffer.read())
        return data[0]

    return read
