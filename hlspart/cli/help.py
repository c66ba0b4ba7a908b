"""How ``--help`` is laid out: a command's own options first, in groups, those that all commands share behind them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import click

_F = TypeVar("_F", bound=Callable[..., object])


class GroupedOption(click.Option):
    """An option with the title of the group that it stands under; "" for the command's own."""

    def __init__(self, *args: Any, group: str = "", **others: Any) -> None:
        super().__init__(*args, **others)
        self.group = group


def grouped(title: str) -> Callable[..., Callable[[_F], _F]]:
    """``click.option`` for options of the group ``title``."""
    return partial(click.option, cls=GroupedOption, group=title)


class CommandWithExample(click.Command):
    """A command with an ``example``: what to type, without the name of the program."""

    def __init__(self, *args: Any, example: str, **others: Any) -> None:
        super().__init__(*args, **others)
        self.example = example

    def invoke(self, ctx: click.Context) -> Any:
        """Once, or with ``--watch`` again whenever a file that was read changes."""
        if not ctx.params.pop("watch", False):
            return super().invoke(ctx)
        from hlspart.cli.watch import repeated

        return repeated(ctx, lambda: super(CommandWithExample, self).invoke(ctx))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The groups in the order in which they come, those of :data:`SHARED` last."""
        groups: dict[str, list[tuple[str, str]]] = {"": []}
        for option in (p for p in self.get_params(ctx) if isinstance(p, click.Option)):
            record = option.get_help_record(ctx)
            if record is not None:
                groups.setdefault(getattr(option, "group", ""), []).append(record)
        with formatter.section("Example"):
            formatter.write_text(f"hlspart {self.example}")
        for title in sorted(groups, key=lambda t: SHARED.index(t) if t in SHARED else -1):
            if groups[title]:
                with formatter.section(title or "Options"):
                    formatter.write_dl(groups[title])


READ, PREDICT, WRITE = "What is read", "What is predicted for", "What is written"
SHARED = (READ, PREDICT, WRITE)
