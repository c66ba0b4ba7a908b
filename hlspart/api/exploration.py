"""Exploration of a kernel: the best elements, tiles and order of its nests under a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from hlspart.api.answers import Answer
from hlspart.inputs import InputError
from hlspart.model.diagnostics import Diagnostic
from hlspart.pipeline import Pipeline
from hlspart.render import notebook, shapes

if TYPE_CHECKING:
    from hlspart.model.explored import ExploreResult
from hlspart.model.exploring import ExploreOptions


class ExploreAnswer(Answer, Struct, frozen=True):
    """What was found for the nests of the function ``top``; ``result`` None: nothing could be searched."""

    pipeline: Pipeline
    paths: tuple[str, ...]
    top: str
    result: ExploreResult | None

    @property
    def best(self) -> Mapping[str, Any] | None:
        """The choice: ``cycles``, ``bytes``, ``dsp`` and ``regions``; None where nothing fits."""
        return None if self.result is None else self.result.shape.get("best")

    @property
    def proved(self) -> bool:
        """Whether nothing in the space is better by the stated cost."""
        return self.result is not None and bool(self.result.shape.get("proved"))

    @property
    def texts(self) -> Mapping[str, str]:
        """The new text of each file that changes, where C was asked for."""
        return {} if self.result is None else self.result.texts

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Nests that keep their text, and requests that cannot hold."""
        return () if self.result is None else self.result.diagnostics

    def to_json(self, paths: Sequence[str] | None = None) -> dict[str, Any]:
        """``hlspart.explore/1``; ``paths``: of these files."""
        program = self.pipeline.program
        owner = program.functions[self.top].at.span.path if self.result is not None else None
        entry = dict(self.result.shape) if self.result is not None else {}
        shown = self.paths if paths is None else paths
        return shapes.document("hlspart.explore/1", program, shown, lambda path: entry if path == owner else {})

    def __str__(self) -> str:
        from hlspart.render import explore

        return explore.render(self.to_json())

    def _repr_html_(self) -> str:
        return notebook.explore(self.to_json())


class Explores:
    """What has a pipeline can be explored."""

    pipeline: Pipeline

    def explore(
        self, top: str, elements: int = 1, *, size: int | None = None, dsp: int | None = None, schedule: bool = False,
        allow_reassoc: bool = False, write: bool = True,
    ) -> ExploreAnswer:  # fmt: skip
        """The best shard, split and order of the nests of ``top`` on so many elements.

        ``size``: bytes on the chip at most; ``dsp``: blocks at most; ``schedule``: by what ``ii`` says of the C, else
        by the stated formula; ``write``: with the C. Raises :class:`InputError` for what cannot be searched.
        """
        from hlspart.model.exploring import ExploreOptions, ResourceBudget

        budget = ResourceBudget(size, dsp)
        options = ExploreOptions(elements, budget=budget, reassociate=allow_reassoc, schedule=schedule, write=write)
        return self.explore_with(top, options)

    def explore_with(self, top: str, options: ExploreOptions) -> ExploreAnswer:
        """The same with a record of options."""
        from hlspart.explore import ExploreError

        known = self.pipeline.program.functions
        if top not in known:
            raise InputError(f"no function {top!r}; functions are {', '.join(known) or 'none'}", usage=True)
        try:
            return ExploreAnswer(self.pipeline, self.pipeline.paths, top, self.pipeline.explore(top, options))
        except ExploreError as error:
            raise InputError(str(error)) from None
