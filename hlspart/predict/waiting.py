"""What waits for what in a basic block: straight-line code and modules, by the values and memories that they use."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, field

from hlspart.predict.touched import Touched


class BlockItem(Struct, frozen=True):
    """Straight-line code, or a module that is started and awaited.

    ``ends``: its last state; ``opens``: the first in which a module may be started that waits for it.
    """

    ends: int
    opens: int
    uses: Touched
    module: bool = False


class BasicBlock(Struct):
    """A basic block being scheduled: ``floor`` is its first state, ``last`` the last one taken so far."""

    floor: int
    last: int
    items: list[BlockItem] = field(default_factory=list)

    def behind(self, what: Touched, is_register: Callable[[int], bool]) -> tuple[int, int]:
        """The first states in which straight-line code, and a module, may start."""
        before = [item for item in self.items if what.is_after(item.uses)]
        waits = [(item, item.module and what.takes(item.uses, is_register)) for item in before]
        code = max((item.ends + taken for item, taken in waits), default=self.floor)
        return max(code, self.floor), max((item.opens for item, _ in waits), default=self.floor)

    def add(self, item: BlockItem) -> None:
        """The next item of the text."""
        self.items.append(item)
        self.last = max(self.last, item.ends)
