"""The story from paths and options to results: each stage computed once, when first asked for.

load -> analyse -> validate -> check -> infer / rewrite. Packages are imported when their stage
runs, so that a command pays only for what it uses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from hlspart.model.access import AccessAnalysis
from hlspart.model.options import InferOptions, Options, RewriteOptions
from hlspart.model.program import Program
from hlspart.model.results import IIResult, InferResult, Validation

if TYPE_CHECKING:
    from hlspart.model.rewriting import RewriteResult
    from hlspart.targets import Target

Reader = Callable[[str], bytes]


class Pipeline:
    """All results about some files under some options. Raises TargetError from :attr:`target` only."""

    def __init__(self, paths: Sequence[str], options: Options, read: Reader | None = None) -> None:
        self.paths = tuple(paths)
        self.options = options
        self._read = read

    @cached_property
    def program(self) -> Program:
        """The files as records, directives resolved."""
        from hlspart.frontend import load

        return load(self.paths, self.options.frontend, self._read)

    @cached_property
    def analysis(self) -> AccessAnalysis:
        """Accesses, loops and array groups."""
        from hlspart.poly import analyse

        return analyse(self.program, self.options.top)

    @cached_property
    def validation(self) -> Validation:
        """What became of every directive, and the partition of each group."""
        from hlspart.partition import validate

        return validate(self.program, self.analysis, self.options.bank_model)

    @cached_property
    def target(self) -> Target:
        """Tool, device and clock to predict for."""
        from hlspart.targets import load

        return load(self.options.target)

    @cached_property
    def ii(self) -> IIResult:
        """II, depth and latency of every loop; memories of every array."""
        from hlspart.schedule import check

        return check(self.program, self.analysis, self.validation, self.target, self.options.bank_model)

    def infer(self, options: InferOptions) -> InferResult:
        """The least partition that reaches the target II."""
        from hlspart.infer import infer

        return infer(self.program, self.analysis, self.validation, self.target, options, self.options.bank_model)

    def rewrite(self, options: RewriteOptions) -> RewriteResult:
        """Banked C; the port check is needed only to choose a style."""
        from hlspart.rewrite import rewrite

        generic = self.target.vendor == "generic"
        partitioned = any(g.dims for g in self.validation.groups.values())
        ii = self.ii if partitioned and options.style == "auto" and not generic else None
        return rewrite(self.program, self.analysis, self.validation, options, ii, generic)
