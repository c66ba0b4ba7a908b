"""A group's plan, and the reasons for having none."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.layout import Layout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.access import ArrayGroup
from hlspart.model.rewriting import Style
from hlspart.model.source import Origin
from hlspart.rewrite.formulas import Formulas
from hlspart.rewrite.regions import Movement


class GroupRefusal(Struct, frozen=True):
    """Why a group keeps its text: ``code`` names the documented class."""

    code: str
    reason: str
    at: Origin


class Plan(Struct, frozen=True):
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
    multiplied: bool = False  # the tool runs more than one iteration of the text at once
    gathered: bool = False  # the arrays stay, calls of a library read them

    @property
    def owner(self) -> int:
        """The member that names the group: the first that no caller in the group fills."""
        fed = {edge.formal for edge in self.group.edges}
        return next((v for v in self.group.members if v not in fed), self.group.members[0])

    @property
    def dims(self) -> tuple[DimLayout, ...]:
        """Per-dimension layout; () when the banking crosses dimensions."""
        return self.layout.dims

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Extents of each new C array."""
        stacked = self.stacked
        if stacked is not None:
            return (stacked.stacked_shape,)
        alone = () if self.scalar_banks else (1,)
        return tuple(self.layout.bank_shape(b) or alone for b in range(self.layout.banks))

    @property
    def stacked(self) -> PerDimLayout | None:
        """The layout whose banks become leading dimensions of one array, under bankdim."""
        return self.layout.per_dimension if self.style == "bankdim" else None

    def place(self, x: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """(number of the new array, index in it) of element ``x``."""
        if self.stacked is not None:
            return 0, self.stacked.stacked_place(x)
        return self.layout.bank(x), self.layout.place(x) or (() if self.scalar_banks else (0,))


def dim_text(dims: tuple[DimLayout, ...]) -> str:
    """``cyclic factor=4 dim=1, ..`` for comments and messages."""
    parts = []
    for k, dim in enumerate(dims):
        if dim.is_split:
            factor = "" if dim.factor is None else f" factor={dim.factor}"
            parts.append(f"{dim.kind}{factor} dim={k + 1}")
    return ", ".join(parts)
