"""A group's plan, and the reasons for having none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hlspart.layouts.perdim import DimLayout, PerDimLayout
from hlspart.model.access import ArrayGroup
from hlspart.model.rewriting import Style
from hlspart.model.source import Origin
from hlspart.rewrite.formulas import Formulas
from hlspart.rewrite.lanes import Layout
from hlspart.rewrite.regions import Movement


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a group keeps its text: ``code`` names the documented class."""

    code: str
    reason: str
    at: Origin


@dataclass(frozen=True)
class Plan:
    """A group that will be rewritten. ``names``: the new arrays of each member (one for bankdim)."""

    group: ArrayGroup
    style: Style
    layout: Layout
    names: Mapping[int, tuple[str, ...]]
    scalar_banks: bool
    banks_of: Mapping[int, tuple[int | None, ...]]  # ArrayRef.id -> constant bank coordinate per dimension
    used_banks: Mapping[int, frozenset[int]] = field(default_factory=dict)  # split: by member, see Decider
    movement: Movement = field(default_factory=Movement)  # crossbar only, as all below
    formulas: Formulas | None = None
    stems: Mapping[int, str] = field(default_factory=dict)  # what the names of bank-centric code begin with
    gets: Mapping[int, str] = field(default_factory=dict)  # by member, the macro that loads in place
    puts: Mapping[int, str] = field(default_factory=dict)  # by member, the macro that stores in place
    waiting: Mapping[int, str] = field(default_factory=dict)  # by ArrayRef, the variable of a store in place
    gathered: bool = False  # the arrays stay, calls of a library read them

    @property
    def owner(self) -> int:
        """The member that names the group: the first that no caller in the group fills."""
        fed = {edge.formal for edge in self.group.edges}
        return next((v for v in self.group.members if v not in fed), self.group.members[0])

    @property
    def dims(self) -> tuple[DimLayout, ...]:
        """Per-dimension layout; () when the banking crosses dimensions."""
        return self.layout.dims if isinstance(self.layout, PerDimLayout) else ()

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Extents of each new C array."""
        if self.style == "bankdim":
            return (self.padded_shape,)
        return tuple(self.bank_shape(b) for b in range(self.layout.banks))

    def place(self, x: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """(number of the new array, index in it) of element ``x``."""
        layout = self.layout
        if not isinstance(layout, PerDimLayout):
            return layout.bank(x), (layout.offset(x),)
        local = tuple(i for d, i in zip(layout.dims, layout.local(x), strict=True) if d.kind != "complete")
        if self.style == "bankdim":
            return 0, tuple(layout.dims[k].bank(x[k]) for k in layout.partitioned) + local
        return layout.bank(x), local or (() if self.scalar_banks else (0,))

    def bank_shape(self, bank: int) -> tuple[int, ...]:
        """Extents of one bank's C array; () for a scalar."""
        if not isinstance(self.layout, PerDimLayout):
            return (self.layout.depth(bank),)
        pairs = zip(self.layout.dims, self.layout.bank_shape(bank), strict=True)
        shape = tuple(size for dim, size in pairs if dim.kind != "complete")
        return shape or (() if self.scalar_banks else (1,))

    @property
    def padded_shape(self) -> tuple[int, ...]:
        """Extents of the one array under bankdim: bank dimensions first, then the longest bank's."""
        assert isinstance(self.layout, PerDimLayout)
        dims = self.layout.dims
        heads = tuple(dims[k].banks for k in self.layout.partitioned)
        return heads + tuple(d.size(0) for d in dims if d.kind != "complete")


def dim_text(dims: tuple[DimLayout, ...]) -> str:
    """``cyclic factor=4 dim=1, ..`` for comments and messages."""
    parts = []
    for k, dim in enumerate(dims):
        if dim.kind != "whole":
            factor = "" if dim.kind == "complete" else f" factor={dim.banks}"
            parts.append(f"{dim.kind}{factor} dim={k + 1}")
    return ", ".join(parts)
