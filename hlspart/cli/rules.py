"""``hlspart rules``."""

from __future__ import annotations

import click

from hlspart.cli.help import CommandWithExample


@click.command("rules", cls=CommandWithExample, example="rules --format json")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(form: str) -> int:
    """List the lint rules: code, name, severity, what it finds."""
    from hlspart.cli.files import terminal_width
    from hlspart.lint import catalogue
    from hlspart.render import json
    from hlspart.render.screen import Screen, shown_on
    from hlspart.render.table import table

    rules = catalogue()
    if form == "json":
        shape = [{"rule": r.code, "name": r.name, "severity": r.severity, "summary": r.summary} for r in rules]
        click.echo(json.render({"schema": "hlspart.rules/1", "rules": shape}), nl=False)
    else:
        with shown_on(Screen(terminal_width())):
            click.echo(
                table(("rule", "name", "severity", "what"), [(r.code, r.name, r.severity, r.summary) for r in rules])
            )
    return 0
