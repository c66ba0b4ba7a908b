"""``hlspart targets``."""

from __future__ import annotations

import click

from hlspart.cli.help import CommandWithExample


@click.command("targets", cls=CommandWithExample, example="targets --format json")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(form: str) -> int:
    """List the tool versions and devices that hlspart knows."""
    from msgspec.structs import asdict

    from hlspart.render import json
    from hlspart.targets import known

    targets = known()
    resources = {part: {"family": family, **asdict(held)} for part, (family, held) in targets.parts.items()}
    if form == "json":
        shape = {"schema": "hlspart.targets/1", "tools": list(targets.tools), "parts": list(targets.parts),
                 "families": {f: list(p) for f, p in targets.families.items()}, "resources": resources}  # fmt: skip
        click.echo(json.render(shape), nl=False)
        return 0
    parts = [
        f"{part} ({of['family']}): " + ", ".join(f"{n} {name.upper()}" for name, n in of.items() if name != "family")
        for part, of in resources.items()
    ]
    for title, names in (("tools", targets.tools), ("families", tuple(targets.families)), ("parts", tuple(parts))):
        click.echo(f"{title}:")
        for name in names:
            click.echo(f"  {name}")
    return 0
