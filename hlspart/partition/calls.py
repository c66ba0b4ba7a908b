"""Accesses of a callee as its callers make them: affine there, though not in the callee alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.access import Access, AccessAnalysis
from hlspart.model.program import Program
from hlspart.model.results import BankVerdict
from hlspart.partition.unrolling import is_decided, unroll_factors
from hlspart.partition.verdicts import Verdicts
from hlspart.semantics.effects import effects


class Expansions:
    """The top functions with their calls expanded; nothing is done before the first question."""

    def __init__(self, program: Program, analysis: AccessAnalysis) -> None:
        self._program, self._analysis = program, analysis
        self._expanded: dict[str, _Top] = {}

    def is_affine(self, access: Access) -> bool:
        """Whether every call that reaches ``access`` is expanded and makes it an affine access."""
        return bool(self._copies(access)) and all(a.affine for a, _ in self._copies(access))

    def verdict(self, access: Access, layout: PerDimLayout) -> BankVerdict:
        """One verdict for all copies of an access that is :meth:`affine`: the worst, and all banks reached."""
        banks: set[int] | None = set()
        for copy, top in self._copies(access):
            verdict = top.verdicts.verdict(copy, layout)
            if verdict.kind != "const" and not (
                verdict.kind == "const-after-unroll" and is_decided(verdict.unrolls, top.factors)
            ):
                return BankVerdict("dynamic", None, dim=verdict.dim)
            banks = None if banks is None or verdict.banks is None else banks | set(verdict.banks)
        several = banks is None or len(banks) > 1
        return BankVerdict(
            "const-after-unroll" if several else "const", None if banks is None else tuple(sorted(banks))
        )

    def _copies(self, access: Access) -> Sequence[tuple[Access, _Top]]:
        if access.function in self._analysis.tops:
            return ()
        copies = []
        for name in self._reaching(access.function):
            top = self._top(name)
            if access.function in top.called:
                return ()
            copies += [(a, top) for a in top.copies.get((access.ref, access.kind), ())]
        return copies

    def _reaching(self, function: str) -> tuple[str, ...]:
        """The top functions whose calls reach ``function``."""
        return tuple(name for name, reached in self._reached.items() if function in reached)

    @cached_property
    def _reached(self) -> Mapping[str, frozenset[str]]:
        known = effects(self._program)
        return {name: known.reachable((name,)) for name in self._analysis.tops}

    def _top(self, name: str) -> _Top:
        if name not in self._expanded:
            self._expanded[name] = _Top(self._program, name)
        return self._expanded[name]


class _Top:
    """One top function without its calls."""

    def __init__(self, program: Program, name: str) -> None:
        from hlspart.accesses import of_top
        from hlspart.transform.inline import inline

        expanded, forward = inline(program, name)
        accesses, loops = of_top(expanded, name)
        self.called = effects(expanded).reachable((name,)) - {name}
        self.factors: Mapping[int, int] = unroll_factors(expanded)
        self.verdicts = Verdicts(loops)
        self.copies: dict[tuple[int, str], list[Access]] = {}  # of accesses, by reference and kind
        for access in accesses:
            self.copies.setdefault((forward.node(access.ref), access.kind), []).append(access)
