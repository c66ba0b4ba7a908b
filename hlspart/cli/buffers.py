"""``hlspart buffers``."""

from __future__ import annotations

import os
from typing import Any

import click

from hlspart.cli.files import encode, say, write_outputs, write_report
from hlspart.cli.help import CommandWithExample
from hlspart.cli.options import shared_options
from hlspart.cli.run import FINDINGS, UNUSABLE, Run, reports
from hlspart.inputs import display_path
from hlspart.model.buffers import CsvError
from hlspart.model.options import BufferOptions
from hlspart.reading import read_file, read_stdin
from hlspart.render import buffers as text
from hlspart.render import json, shapes

SCHEMA = "hlspart.buffers/1"


@click.command("buffers", cls=CommandWithExample, example="buffers kernel.c -o shared.c")
@shared_options
@click.option("--no-share", "alone", is_flag=True, help="Every array alone: what `rewrite` writes.")
@click.option(
    "--granule",
    type=click.Choice(["bram", "bytes"]),
    default="bram",
    show_default=True,
    help="Which memory counts first.",
)
@click.option("--steps", "with_steps", is_flag=True, help="Print the step table too.")
@click.option("--capacity", type=click.IntRange(min=1), metavar="N", help="Problem files: enough if not above N.")
def command(alone: bool, granule: str, with_steps: bool, capacity: int | None, **shared: Any) -> int:
    """Let on-chip arrays whose lifetimes do not meet share memory.

    With -o OUT.c writes C in which they do: as fast by the prediction of `ii`, with no more memory of any kind.
    A FILE.csv is a problem of MiniMalloc (id,lower,upper,size[,alignment], half-open lifetimes); -o writes it with a
    column of offsets. Exit code 1 when --capacity is not reached.
    """
    problems = [f for f in shared["files"] if _is_problem(f, shared["stdin_filename"])]
    if problems and len(problems) < len(shared["files"]):
        raise click.UsageError("problem files (.csv) and C sources are asked about apart")
    if problems:
        return _solve(shared, capacity)
    if capacity is not None:
        raise click.UsageError("--capacity is for problem files (.csv)")
    return _share(shared, BufferOptions(granule="bytes" if granule == "bytes" else "bram", share=not alone), with_steps)


def _share(shared: dict[str, Any], options: BufferOptions, with_steps: bool) -> int:
    """Sources: the report, and with -o or --out-dir each with its arrays in pools."""
    run = Run("buffers", shared, products=True)
    parts = run.load_programs()
    answer = run.kernel.buffers(options.granule, options.share) if run.code != UNUSABLE else None
    for result in answer.results if answer is not None and (run.out_dir or run.output) else ():
        for path, new in result.files.items():
            run.product(os.path.join(run.out_dir, os.path.basename(path)) if run.out_dir else run.output or "-", new)
        run.say(result.diagnostics)
        if result.findings:
            run.has_findings()

    def shape(paths: tuple[str, ...]) -> shapes.Shape:
        if answer is not None:
            return answer.to_json(paths)
        return shapes.joined([shapes.buffers(p.program, p.analysis, None, paths) for p in parts], paths)

    return run.finish(
        {"text": lambda paths: text.render(shape(paths), with_steps), "json": lambda paths: json.render(shape(paths))}
    )


def _is_problem(file: str, stdin_name: str) -> bool:
    return (stdin_name if file == "-" else file).lower().endswith(".csv")


def _solve(shared: dict[str, Any], capacity: int | None) -> int:
    """Problem files: the report, and each with its offsets for -o or --out-dir."""
    from hlspart.buffers.problem import read_problem, solve, write_solution

    paths = [shared["stdin_filename"] if f == "-" else display_path(f) for f in shared["files"]]
    output, folder = shared["output"], shared["out_dir"]
    if output and (folder or len(paths) > 1):
        raise click.UsageError("-o takes one input; use --out-dir DIR for several")
    code, entries, products = 0, [], []
    for file, path in zip(shared["files"], paths, strict=True):
        problem = read_problem(path, _text(file, path))
        if isinstance(problem, CsvError):
            say(f"{path}:{problem.line}:{problem.column}: error: {problem.message} [problem-file]")
            entries.append({"path": path, "error": problem.message, "line": problem.line, "column": problem.column})
            code = UNUSABLE
            continue
        result = solve(problem, capacity)
        entries.append({"path": path, **result.to_json()})
        if capacity is not None and result.size > capacity:
            why = "no packing is lower" if result.proved else "a lower one was not found"
            say(f"{path}: {result.size} bytes exceed the capacity of {capacity}; {why}")
            code = max(code, FINDINGS)
        target = os.path.join(folder, os.path.basename(path)) if folder else output
        if target:
            if os.path.realpath(target) in {os.path.realpath(p) for p in paths}:
                raise click.UsageError(f"the output {target} is an input")
            products.append((target, write_solution(problem, [b.offset for b in result.buffers])))
    shape = {"schema": SCHEMA, "files": entries, "groups": []}
    renderers = {"text": text.render, "json": json.render}
    asked = {"formats": shared["formats"], "output": None}
    plan = [(name, render(shape)) for name, render in reports("buffers", asked, renderers)]
    write_outputs((name, encode(data)) for name, data in products if code != UNUSABLE)
    for name, data in plan:
        write_report(data, name)
    return code


def _text(file: str, path: str) -> str:
    try:
        data = read_stdin() if file == "-" else read_file(file)
    except OSError as error:
        raise click.ClickException(f"cannot read {path}: {error.strerror or error}") from None
    return data.decode("utf-8", "replace")
