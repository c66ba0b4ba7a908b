"""``hlspart infer``."""

from __future__ import annotations

from typing import Any

import click

from hlspart.cli.help import CommandWithExample
from hlspart.cli.options import infer_options, infer_options_of, shared_options
from hlspart.cli.run import Run
from hlspart.render import json

_BESIDE = ("cfg", "tcl", "smarthls")
_EMITTED = ("pragma", "diff", "cfg", "tcl", "smarthls")


@click.command("infer", cls=CommandWithExample, example="infer kernel.c --target-ii 1 --emit diff")
@shared_options
@infer_options
@click.option("--scheme", type=click.Choice(["auto", "pragma", "any", "reuse"]), default="auto", show_default=True)
@click.option("--pareto", is_flag=True, help="List the candidates that no other beats.")
@click.option("--emit", type=click.Choice(_EMITTED), help="Print what to paste instead of the report.")
@click.option("--in-place", is_flag=True, help="Write the pragmas into FILE.")
def command(emit: str | None, in_place: bool, **rest: Any) -> int:
    """Find the least partition that reaches the target II, with a proof where there is one."""
    if emit and in_place:
        raise click.UsageError("give --emit or --in-place, only one of them")
    shared = dict(rest)
    shown = not (emit or in_place)
    options = infer_options_of(
        shared, scheme=shared.pop("scheme"), pareto=shared.pop("pareto"), hints=shown, beside=emit in _BESIDE
    )
    run = Run("infer", shared, products=bool(emit or in_place))
    for part in run.load_programs():
        run.statuses(part)
    run.known_arrays(options.arrays)
    answer = run.kernel.infer_with(options)
    for part, result in answer.results:
        run.many_registers(part.program, result)
        if any(x.target_ii is not None and (x.ii_after is None or x.ii_after > x.target_ii) for x in result.loops):
            run.has_findings()
    if emit or in_place:
        from hlspart.infer import emission

        for part, result in answer.results:
            run.better_than_directives(part)
            if any(a.needs_rewrite for a in result.arrays):  # what is emitted does not reach what is said
                run.has_findings()

        written: dict[str, str] = {}  # a header of several programs once
        for part, result in answer.results if in_place else ():
            annotated, said = part.annotated(result)
            run.say(said)
            written = {**annotated, **written}
        for path, new in written.items():
            run.product(path, new, replaces=True)
        if emit:
            texts = [emission.emit(part.program, result, emit) for part, result in answer.results]
            run.product(run.output or "-", emission.together(texts, emit))
    return run.finish({"text": answer.text, "json": lambda paths: json.render(answer.to_json(paths))})
