"""``hlspart explain``."""

from __future__ import annotations

import click


@click.command("explain")
@click.argument("rule", metavar="RULE")
def command(rule: str) -> int:
    """Explain a lint rule, by code (HLP201) or name."""
    from hlspart.lint import catalogue, explain

    page = explain(rule)
    if page is None:
        codes = ", ".join(r.code for r in catalogue())
        raise click.UsageError(f"no rule {rule!r}; rules are {codes}")
    click.echo(page, nl=not page.endswith("\n"))
    return 0
