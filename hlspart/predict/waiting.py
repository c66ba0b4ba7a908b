"""What waits for what in a basic block: straight-line code and modules, by the values and memories that they use."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, field

from hlspart.predict.touched import Touched


class BlockItem(Struct, frozen=True):
    """Straight-line code, or a module that is started and awaited.

    ``ends``: its last state; ``opens``: the first in which a module may be started that waits for it. ``loop``: it is a
    pipelined loop that is a module, ``code``: straight-line code.
    """

    ends: int
    opens: int
    uses: Touched
    loop: bool = False
    code: bool = False


class BasicBlock(Struct):
    """A basic block being scheduled: ``floor`` is its first state, ``last`` the last one taken so far."""

    floor: int
    last: int
    items: list[BlockItem] = field(default_factory=list)

    def behind(self, what: Touched, is_register: Callable[[int], bool], loop: bool = False) -> tuple[int, int]:
        """The first states in which straight-line code, and a module, may start; ``loop``: a pipelined one.

        Reports (R4): code reads what a loop has made, and such a loop starts, a state after the memory is stored to.
        """
        before = [item for item in self.items if what.is_after(item.uses)]
        code = max((item.ends + item.loop for item in before), default=self.floor)
        opens = (item.opens + (loop and item.code and what.meets(item.uses, is_register)) for item in before)
        return max(code, self.floor), max(opens, default=self.floor)

    def add(self, item: BlockItem) -> None:
        """The next item of the text."""
        self.items.append(item)
        self.last = max(self.last, item.ends)
