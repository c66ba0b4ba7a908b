"""Directives of what is copied from a callee to each expansion of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from hlspart.model.directives import Directive
from hlspart.model.program import Program


class Copied(Struct, frozen=True):
    """A loop, a local variable or all (``callee``) of a callee in one expansion.

    ``names``: what variables of the callee are there. ``to_loop``: the copy of the loop, or the loop around the call.
    """

    loop: int | None
    to_loop: int | None
    variable: int | None
    names: Mapping[int, int]
    callee: str | None = None

    def directives(self, program: Program, function: str) -> Iterator[Directive]:
        """Those of the copied loop (all that stand on it) or of the copied variable.

        What a body says of dependences holds in the loop that the body becomes a part of (UG1399, DEPENDENCE).
        """
        if self.callee is not None:
            for directive in program.usable.get(self.callee, ()):
                if directive.kind == "dependence" and directive.loop is None:
                    variables = tuple(self.names.get(v, v) for v in directive.variables)
                    yield replace(directive, function=function, loop=self.to_loop, variables=variables)
            return
        for directive in program.directives:
            if self.loop is not None and directive.loop == self.loop:
                variables = tuple(self.names.get(v, v) for v in directive.variables)
                yield replace(directive, function=function, loop=self.to_loop, variables=variables)
            elif self.variable is not None and directive.loop is None and directive.variables == (self.variable,):
                yield replace(directive, function=function, variables=(self.names.get(self.variable, self.variable),))
