"""``hlspart rewrite``."""

from __future__ import annotations

import difflib
import json as writer
import os
from collections.abc import Mapping
from typing import Any

import click
from msgspec.structs import replace

from hlspart.cli.help import CommandWithExample
from hlspart.cli.options import dependency_options, shared_options
from hlspart.cli.run import Run
from hlspart.model.options import MOST_WORK, RewriteOptions
from hlspart.model.printable import in_diff
from hlspart.render import json


@click.command("rewrite", cls=CommandWithExample, example="rewrite kernel.c --infer -o banked.c")
@shared_options
@click.option(
    "--style", default="auto", show_default=True,
    type=click.Choice(
        ["auto", "split", "bankdim", "crossbar", "reuse", "interchange", "scalars", "dependences", "bundles"]
    ),
    help="auto: the least change that makes the tool see what the partition promises; reuse: sliding windows; "
    "interchange: loops in an order without recurrences; scalars: what the next iterations load is kept in variables; "
    "dependences: directives that say how far apart iterations meet, where the tool cannot see it; "
    "bundles: arguments that share an m_axi bundle get their own.",
)  # fmt: skip
@click.option(
    "--dynamic", type=click.Choice(["reject", "bankdim", "crossbar"]), default="reject", show_default=True,
    help="What becomes of a bank that is undecided at compile time under --style split.",
)  # fmt: skip
@click.option(
    "--dialect", type=click.Choice(["c", "hls-library"]), default="c", show_default=True,
    help="hls-library: loads as hls::gather of Vitis HLS 2026.1, C++ and one-dimensional cyclic partitions only.",
)  # fmt: skip
@click.option("--infer", "use_inferred", is_flag=True, help="Partition as `infer` would.")
@click.option(
    "--scheme", type=click.Choice(["auto", "any"]), default="auto", show_default=True,
    help="With --infer: as `infer --scheme` has it.",
)  # fmt: skip
@click.option("--allow-reassoc", "reassoc", is_flag=True, help="With --infer: sums of floats may change their order.")
@click.option("--split-top", is_flag=True, help="Split parameters of top functions too.")
@click.option("--unroll", is_flag=True, help="Unroll where a bank becomes constant only then.")
@click.option("--clone", is_flag=True, help="Clone functions that are called with differently partitioned arrays.")
@click.option("--split-struct", is_flag=True, help="Make partitioned array members of structs arrays of their own.")
@click.option(
    "--max-work",
    "most_work",
    type=click.IntRange(min=0),
    default=MOST_WORK,
    show_default=True,
    metavar="N",
    help="With --infer: further ways are tried while the texts looked at have at most N operations.",
)
@click.option("--map", "map_file", metavar="FILE", help="Write old line <-> new line, banks and parameters as JSON.")
@dependency_options
@click.option("--in-place", is_flag=True, help="Replace FILE itself, atomically.")
@click.option("--diff", is_flag=True, help="Print a unified diff instead of the new text.")
def command(
    use_inferred: bool,
    map_file: str | None,
    in_place: bool,
    diff: bool,
    **rest: Any,
) -> int:
    """Write banked C that compiles and behaves like FILE, everything else kept as it is."""
    shared = dict(rest)
    names = (
        "style",
        "dynamic",
        "split_top",
        "unroll",
        "clone",
        "split_struct",
        "dialect",
        "reassoc",
        "most_work",
        "scheme",
    )
    options = RewriteOptions(infer=use_inferred, **{n: shared.pop(n) for n in names})
    if in_place and (shared["output"] or shared["out_dir"]):
        raise click.UsageError("give --in-place, -o or --out-dir, only one of them")
    if options.dialect != "c" and options.style not in ("auto", "crossbar"):
        raise click.UsageError(f"--dialect {options.dialect} is another way to write --style crossbar")
    run = Run("rewrite", shared, products=True)
    if len(run.files) > 1 and not (in_place or run.out_dir or diff):
        raise click.UsageError("several inputs need --out-dir DIR, --in-place or --diff")
    run.load_programs()
    answer = run.kernel.rewrite_with(options)
    for part, result in zip(run.parts, answer.results, strict=True):
        run.statuses(part)
        run.say(result.diagnostics)
    if answer.findings:
        run.has_findings()
    outputs = {}
    before = run.kernel.texts
    for path, new in answer.texts.items() if not diff else ():
        if path in before:
            outputs[path] = path if in_place else output_of(run, path)
            run.product(outputs[path], new, in_place)
    if diff:
        run.product(run.output or "-", differences(before, answer.texts))
    if map_file:
        run.product(map_file, writer.dumps(answer.map, indent=1) + "\n")
    run.dependencies(shared, list(outputs.values()))
    answer = replace(answer, outputs=outputs)
    return run.finish({"text": lambda _: str(answer), "json": lambda _: json.render(answer.to_json())}, quiet=True)


def output_of(run: Run, path: str) -> str:
    """Where the new text of an input goes."""
    if run.out_dir:
        return os.path.join(run.out_dir, os.path.basename(path))
    return run.output or "-"


def differences(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """New texts as one unified diff."""
    out = []
    for path, new in after.items():
        old = before[path]
        lines = difflib.unified_diff(
            old.splitlines(keepends=True), new.splitlines(keepends=True), in_diff(f"a/{path}"), in_diff(f"b/{path}")
        )
        out += [line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines]
    return "".join(out)
