"""``hlspart directives``."""

from __future__ import annotations

import os
from typing import Any

import click
from msgspec.structs import replace

from hlspart.cli.help import CommandWithExample
from hlspart.cli.options import dependency_options, infer_options, infer_options_of, shared_options
from hlspart.cli.run import Run
from hlspart.render.shapes import Owner


@click.command("directives", cls=CommandWithExample, example="directives kernel.c --emit cfg -o partition.cfg")
@shared_options
@infer_options
@dependency_options
@click.option("--emit", type=click.Choice(["cfg", "tcl", "smarthls"]), default="cfg", show_default=True)
@click.option("--fail-on-miss", is_flag=True, help="Exit 1 when a loop misses its target II even so.")
def command(emit: str, fail_on_miss: bool, **rest: Any) -> int:
    """Write directives for the least partition that directives can say, beside the untouched source."""
    from hlspart.infer import emission

    shared = dict(rest)
    options = infer_options_of(shared, scheme="pragma", beside=True, sparing=True)
    run = Run("directives", shared, products=True)
    for part in run.load_programs():
        run.statuses(part)
    run.known_arrays(options.arrays)
    results = run.kernel.infer_with(options).results
    for part, result in results:
        run.many_registers(part.program, result)
        run.better_than_directives(part)
        if fail_on_miss and any(
            x.target_ii is not None and (x.ii_after is None or x.ii_after > x.target_ii) for x in result.loops
        ):
            run.has_findings()
    if not run.out_dir:
        texts = [emission.emit(part.program, result, emit) for part, result in results]
        outputs = {run.output or "-": emission.together(texts, emit)}
    else:  # one file for each input, about the arrays that it declares
        outputs = {}
        for part, result in results:
            program, owner = part.program, Owner(part.program)
            for path in part.paths:
                own = tuple(a for a in result.arrays if owner.variable(program.variable(a.variable)) == path)
                stem = os.path.splitext(os.path.basename(path))[0]
                text = emission.emit(program, replace(result, arrays=own), emit)
                outputs[os.path.join(run.out_dir, f"{stem}.{emit}")] = text
    for output, text in outputs.items():
        run.product(output, text)
    run.dependencies(shared, list(outputs))
    return run.finish({}, quiet=True)
