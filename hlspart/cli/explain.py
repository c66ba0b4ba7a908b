"""``hlspart explain``."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from hlspart.cli.help import CommandWithExample


def _rules(_context: click.Context, _argument: click.Parameter, begun: str) -> list[CompletionItem]:
    """Codes and names that begin so, for the shell."""
    from hlspart.lint import catalogue

    known = [(word, r) for r in catalogue() for word in (r.code, r.name)]
    return [CompletionItem(word, help=r.name) for word, r in known if word.startswith(begun)]


@click.command("explain", cls=CommandWithExample, example="explain HLP201")
@click.argument("rule", metavar="RULE", shell_complete=_rules)
def command(rule: str) -> int:
    """Explain a lint rule, by code (HLP201) or name."""
    from hlspart.lint import catalogue, explain

    page = explain(rule)
    if page is None:
        codes = ", ".join(r.code for r in catalogue())
        raise click.UsageError(f"no rule {rule!r}; rules are {codes}")
    click.echo(page, nl=not page.endswith("\n"))
    return 0
