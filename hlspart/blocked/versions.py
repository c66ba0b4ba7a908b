"""What an array holds from one statement of a function to the next."""

from __future__ import annotations

from msgspec import Struct, field

from hlspart.blocked.calls import Calls
from hlspart.buffers.lifetimes import Lifetimes
from hlspart.buffers.steps import Table
from hlspart.model.buffers import Touch
from hlspart.model.program import Program, Variable
from hlspart.sets.lifetimes import is_covered, values
from hlspart.sets.region import TooHard


class Version(Struct):
    """What an array holds between two writes: who makes it (None: nobody) and who uses it; nodes by number."""

    producer: int | None
    users: list[int] = field(default_factory=list)


class Versions(Struct, frozen=True):
    """Of one function's arrays. ``touched``: the arrays of each of its statements, which are the first nodes."""

    program: Program
    table: Table
    lifetimes: Lifetimes
    calls: Calls
    touched: list[set[int]]

    @property
    def interface(self) -> int:
        """The node of the function's interface."""
        return len(self.touched)

    def of(self, variable: Variable) -> list[Version]:
        """All that an array holds one after the other."""
        outside = variable.storage != "local"
        versions = [
            Version(self.interface if outside or variable.init is not None else None)
        ]  # initial values: as declared
        touches = self.lifetimes.touches(variable)
        written = False
        for k in range(self.interface):
            if variable.id not in self.touched[k]:
                continue
            needs, makes = self._role(variable, k, touches)
            if needs:
                versions[-1].users.append(k)
            if makes:
                versions.append(Version(k))
                written = True
        if outside and written:
            versions[-1].users.append(self.interface)
        return versions

    def _role(self, variable: Variable, unit: int, touches: list[Touch] | str) -> tuple[bool, bool]:
        """Whether a statement needs what the array holds before, and whether it writes it."""
        kinds = {
            a.kind
            for a in self.table.accesses()
            if a.array == variable.id and self.table.units.get(self.table.owners[a.ref]) == unit
        }
        if isinstance(touches, str) or not self.calls.is_plain(unit):
            handed = [
                self.program.variable(e.formal)
                for e in self.table.edges()
                if e.actual == variable.id and self.table.units.get(self.table.owners[e.call]) == unit
            ]
            changed = not variable.const and not all(self._is_only_read(formal) for formal in handed)
            return True, changed or "write" in kinds
        own = [t for t in touches if t.unit == unit]
        if all(t.kind != "write" for t in own):
            return True, False
        extents = [d or 1 for d in variable.dims]
        try:
            needs = bool(values(own, extents).unwritten) or not is_covered(own, extents)
        except TooHard:
            needs = True
        return needs, True

    def _is_only_read(self, formal: Variable) -> bool:
        """Whether a parameter is declared so, and nothing but its elements is used (no cast takes the promise back)."""
        return formal.const and all(use.kind == "element" for use in self.calls.uses.by_variable.get(formal.id, ()))
