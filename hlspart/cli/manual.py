"""``hlspart help``."""

from __future__ import annotations

from pathlib import Path

import click

from hlspart.cli.help import CommandWithExample

_PAGES = Path(__file__).resolve().parent.parent / "docs"
_NOT_TOPICS = ("package", "index")


def topics() -> dict[str, Path]:
    """Name of a page -> its file. A task is called what its command is called."""
    files = [*sorted((_PAGES / "tasks").glob("*.md")), *sorted(_PAGES.glob("*.md"))]
    pages: dict[str, Path] = {}
    for file in files:
        name = file.stem if file.stem not in pages else f"{file.stem}-reference"
        if file.stem not in _NOT_TOPICS:
            pages[name] = file
    return pages


@click.command("help", cls=CommandWithExample, example="help glossary")
@click.argument("topic", required=False, metavar="[TOPIC]")
@click.pass_context
def command(context: click.Context, topic: str | None) -> int:
    """Show a page of the documentation, or list them. `hlspart COMMAND --help` shows the options of a command."""
    known = topics()
    if topic is None:
        rows = [(name, file.read_text(encoding="utf-8").split("\n", 1)[0].lstrip("# ")) for name, file in known.items()]
        wide = max(len(name) for name, _ in rows)
        click.echo("".join(f"  {name.ljust(wide)}  {title}\n" for name, title in rows), nl=False)
        return 0
    if topic in known:
        click.echo_via_pager(known[topic].read_text(encoding="utf-8"))
        return 0
    group = context.parent.command if context.parent is not None else None
    subcommand = group.get_command(context, topic) if isinstance(group, click.Group) else None
    if subcommand is None:
        raise click.UsageError(f"no topic {topic!r}; topics are {', '.join(known)}")
    with click.Context(subcommand, parent=context.parent, info_name=topic) as inner:
        click.echo(subcommand.get_help(inner))
    return 0
