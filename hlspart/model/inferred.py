"""What inference answers: the layout of each array, and what its loops gain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from hlspart.model.results import DimPartition


class LinearMap(Struct, frozen=True):
    """Bank ``(alpha . x) / block mod modulus`` of element ``x``: linear, block-cyclic where a block has several."""

    alpha: tuple[int, ...]
    modulus: int
    block: int = 1

    def to_json(self) -> dict[str, object]:
        """``mapping`` of an array in JSON documents and map files."""
        return {"alpha": list(self.alpha), "modulus": self.modulus, "block": self.block}


class LatticeMap(Struct, frozen=True):
    """A bank for each coset of the lattice whose basis is ``hnf``, in Hermite normal form, a row a vector."""

    hnf: tuple[tuple[int, ...], ...]

    def to_json(self) -> dict[str, object]:
        """``mapping`` of an array in JSON documents and map files."""
        return {"hnf": [list(row) for row in self.hnf]}


class TableMap(Struct, frozen=True):
    """``table`` gives the bank of each class (alpha_j . x mod modulus_j), row-major, by ``alphas`` and ``moduli``."""

    alphas: tuple[tuple[int, ...], ...]
    moduli: tuple[int, ...]
    table: tuple[int, ...]

    def to_json(self) -> dict[str, object]:
        """``mapping`` of an array in JSON documents and map files."""
        return {"alphas": [list(a) for a in self.alphas], "moduli": list(self.moduli), "table": list(self.table)}


BankingMap = LinearMap | LatticeMap | TableMap
"""A banking function no pragma can say."""


def banking_map(entry: Mapping[str, Any]) -> BankingMap:
    """The inverse of ``to_json``."""

    def vectors(name: str) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(row) for row in entry[name])

    if "table" in entry:
        return TableMap(vectors("alphas"), tuple(entry["moduli"]), tuple(entry["table"]))
    if "hnf" in entry:
        return LatticeMap(vectors("hnf"))
    return LinearMap(tuple(entry["alpha"]), entry["modulus"], entry["block"])


#: How the cause of a loop begins whose program is too large to be searched.
UNSEARCHED = "not searched"


class InferredArray(Struct, frozen=True):
    """The contract's ``hlspart.infer/1`` array entry."""

    variable: int
    name: str
    function: str | None
    line: int
    accesses: int
    ports: int
    lower_bound: int
    banks: int
    proved_minimal: bool
    space: str
    absolute: bool
    kind: str
    pragmas: tuple[str, ...]
    mapping: BankingMap | None
    bank_depth: int | None
    needs_rewrite: bool
    dims: tuple[DimPartition, ...] = ()
    reason: str = ""  # why this choice, and what was excluded; for --explain
    roots: tuple[int, ...] = ()  # variables that carry the pragmas (no formal parameter of a given caller)
    removed: tuple[int, ...] = ()  # indices in Program.directives that this choice replaces
    copies: int = 1
    bram18k: int = 0
    selection_luts: int = 0  # between accesses and banks, an estimate
    registers: int = 0  # bits
    fresh: bool = False  # the pragmas are new, not those that are there
    scope: str | None = None  # function for the directives of an array at file scope
    split_top: bool = False  # the rewrite that it needs changes the signature of a top function
    unasked: bool = False  # its directives say what the tool would do without them


class InferredLoop(Struct, frozen=True):
    """What a loop gains. ``rewritten``: ids of the arrays that it touches and that need the rewrite.

    ``span_before``, ``span_after``: least and most of an II that is not known, where they are. ``loop``: its id.
    ``target_ii`` None: nobody asked for an II; the tool pipelines the loop by itself, or not at all.
    """

    function: str
    name: str
    target_ii: int | None
    ii_before: int | None
    ii_after: int | None
    cause: str | None
    hint: str | None = None  # what the next unroll factor would gain
    rewritten: tuple[int, ...] = ()
    span_before: tuple[int, int] | None = None
    span_after: tuple[int, int] | None = None
    loop: int = -1


class InferResult(Struct, frozen=True):
    """Result of ``hlspart.partition.infer``; ``work``: what it took, in scheduled operations."""

    arrays: tuple[InferredArray, ...]
    loops: tuple[InferredLoop, ...]
    pareto: tuple[Mapping[str, object], ...] = field(default=())
    work: int = 0
