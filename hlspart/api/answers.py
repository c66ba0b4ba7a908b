"""What a call found: records, and the document, text and table that are made of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from hlspart.pipeline import Pipeline
from hlspart.render import notebook, shapes

if TYPE_CHECKING:
    from hlspart.layouts.layout import Layout
    from hlspart.model.access import Access, AccessAnalysis
    from hlspart.model.advising import LoopAdvice
    from hlspart.model.diagnostics import Diagnostic
    from hlspart.model.linting import LintReport
    from hlspart.model.program import Program
    from hlspart.model.results import ArrayResult, IIResult, LoopResult
    from hlspart.model.verifying import VerifyResult


class Answer:
    """What a call found, in the forms that a command prints."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The document that the command prints with ``--format json``."""

    @abstractmethod
    def __str__(self) -> str:
        """The text that the command prints."""

    @abstractmethod
    def _repr_html_(self) -> str:
        """A table for notebooks."""


@dataclass(frozen=True, repr=False)
class AccessAnswer(Answer, Sequence["Access"]):
    """Every array access of a kernel: a sequence of :class:`hlspart.model.access.Access`."""

    pipelines: tuple[Pipeline, ...]
    paths: tuple[str, ...]
    programs: tuple[Program, ...]  # with members of structures apart, as the hardware has them
    analyses: tuple[AccessAnalysis, ...]  # of each program

    @cached_property
    def accesses(self) -> tuple[Access, ...]:
        """The records, program after program."""
        return tuple(a for analysis in self.analyses for a in analysis.accesses)

    def __len__(self) -> int:
        return len(self.accesses)

    def __getitem__(self, index: Any) -> Any:
        return self.accesses[index]

    def to_json(self, paths: Sequence[str] | None = None) -> dict[str, Any]:
        """``hlspart.accesses/1``; ``paths``: of these files."""
        shown = self.paths if paths is None else paths
        pairs = zip(self.programs, self.analyses, strict=True)
        return shapes.joined([shapes.accesses(program, analysis, shown) for program, analysis in pairs], shown)

    def text(self, paths: Sequence[str] | None = None) -> str:
        """The text of ``hlspart accesses``."""
        from hlspart.render import text

        return text.accesses(self.to_json(paths))

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return notebook.accesses(self.to_json())


class IIAnswer(Answer, Struct, frozen=True):
    """The II, depth and latency of every loop, and the memory of every array."""

    pipelines: tuple[Pipeline, ...]
    paths: tuple[str, ...]
    results: tuple[IIResult, ...]  # of each program

    @property
    def loops(self) -> tuple[LoopResult, ...]:
        """One record a loop, with what limits it."""
        return tuple(x for result in self.results for x in result.loops)

    @property
    def arrays(self) -> tuple[ArrayResult, ...]:
        """One record an array."""
        return tuple(x for result in self.results for x in result.arrays)

    def loop(self, name: str) -> LoopResult:
        """The loop of this label or name, or ``function/name``. Raises KeyError."""
        for item in self.loops:
            if name in (item.name, f"{item.function}/{item.name}", *item.flattened):
                return item
        raise KeyError(f"no loop {name!r}; loops are {', '.join(x.name for x in self.loops) or 'none'}")

    def to_json(self, paths: Sequence[str] | None = None) -> dict[str, Any]:
        """``hlspart.ii/1``; ``paths``: of these files."""
        shown = self.paths if paths is None else paths
        pairs = zip(self.pipelines, self.results, strict=True)
        made = [shapes.ii(p.program, p.analysis, result, shown, p.advice) for p, result in pairs]
        return shapes.joined(made, shown)

    def text(self, paths: Sequence[str] | None = None) -> str:
        """The text of ``hlspart ii``."""
        from hlspart.render import ii

        return ii.text(self.to_json(paths))

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return notebook.ii(self.to_json())


@dataclass(frozen=True, repr=False)
class LintAnswer(Answer, Sequence["Diagnostic"]):
    """The findings of the lint rules: a sequence of :class:`hlspart.model.diagnostics.Diagnostic`."""

    report: LintReport

    def __len__(self) -> int:
        return len(self.report.diagnostics)

    def __getitem__(self, index: Any) -> Any:
        return self.report.diagnostics[index]

    def to_json(self) -> dict[str, Any]:
        """``hlspart.lint/1``."""
        from hlspart.render.lint import contract

        return contract.shape(self.report)

    def __str__(self) -> str:
        from hlspart.render.lint import text

        return text.render(self.report)

    def _repr_html_(self) -> str:
        return notebook.lint(self.to_json())


class VerifyAnswer(Answer, Struct, frozen=True):
    """Two kernels on the same data: equal, or the first difference. True where they are equal."""

    original: str
    new: str
    result: VerifyResult

    def __bool__(self) -> bool:
        return self.result.status == "equal"

    def to_json(self) -> dict[str, Any]:
        """``hlspart.verify/1``."""
        return shapes.verify(self.original, self.new, self.result)

    def __str__(self) -> str:
        from hlspart.render import text

        return text.verify(self.original, self.new, self.result)

    def _repr_html_(self) -> str:
        return notebook.verify(self.to_json())


class BankMap(Struct, frozen=True):
    """Which element lies in which bank: ``rows`` are the last two dimensions, the leading indices at 0.

    One dimension is cut into rows (``wrapped``); large arrays show a corner. ``note`` says so.
    """

    array: str
    banks: int
    rows: tuple[tuple[int, ...], ...]
    note: str
    wrapped: bool = False

    def to_json(self) -> dict[str, Any]:
        """The same as a dictionary."""
        return {"array": self.array, "banks": self.banks, "rows": [list(r) for r in self.rows], "note": self.note}

    def _repr_html_(self) -> str:
        from hlspart.render import svg

        return svg.bank_map(self.rows, self.note, self.wrapped)


_LARGEST = 128  # rows and columns of a bank map; beyond that, one corner is shown


def bank_map(array: str, layout: Layout, which: str) -> BankMap:
    """The bank map of a layout; ``which`` ends the name of the array in the note."""
    shape = layout.shape
    lead = len(shape) - 2
    note = f"{array}{''.join(f'[{s}]' for s in shape)} {which}: {layout.banks} banks"
    if lead < 0:
        columns = min(32 if shape[0] <= 1024 else 64, shape[0])
        shown = min(shape[0], columns * columns)
        banks = [layout.bank((x,)) for x in range(shown)]
        pieces = tuple(tuple(banks[k : k + columns]) for k in range(0, shown, columns))
        note += f", the first {shown} elements" if shown < shape[0] else ""
        return BankMap(array, layout.banks, pieces, note, True)
    rows, columns = shape[-2:]
    part = min(rows, _LARGEST), min(columns, _LARGEST)
    cells = tuple(tuple(layout.bank((*([0] * lead), y, x)) for x in range(part[1])) for y in range(part[0]))
    if part != (rows, columns):
        note += f", the first {part[0]} x {part[1]} elements"
    if lead > 0:
        note += ", leading indices 0"
    return BankMap(array, layout.banks, cells, note)


class AdviceAnswer(Answer, Struct, frozen=True):
    """The ways to faster loops, each written out and predicted."""

    pipelines: tuple[Pipeline, ...]
    paths: tuple[str, ...]
    results: tuple[tuple[LoopAdvice, ...], ...]  # of each program
    files: str  # as the commands name them

    @property
    def loops(self) -> tuple[LoopAdvice, ...]:
        """One record a pipelined loop, with its ways, the one to take first."""
        return tuple(x for result in self.results for x in result)

    def to_json(self, paths: Sequence[str] | None = None) -> dict[str, Any]:
        """``hlspart.advise/1``; ``paths``: of these files."""
        shown = self.paths if paths is None else tuple(paths)
        pairs = zip(self.pipelines, self.results, strict=True)
        return shapes.joined([shapes.advise(p.program, result, shown, self.files) for p, result in pairs], shown)

    def __str__(self) -> str:
        from hlspart.render import advise

        return advise.render(self.to_json())

    def _repr_html_(self) -> str:
        return notebook.advise(self.to_json())
