"""Why something is not known: what results say of it, and where."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

#: Of a loop that a pipeline around it would have to unroll.
NOT_CONSTANT = "must be unrolled but its bounds are not constant"
#: Of an array that a directive partitions.
OPEN_BANKS = "how many banks a partition of an unknown extent or factor makes is not known"
#: Of an array that several tasks access.
PORTS_DIVIDED = "how processes that run at once divide the ports of an array is not known"
#: Of a type that no file given declares.
UNDECLARED_TYPE = "but declared nowhere: a header is missing, or another file includes this one"


class Cause(Struct, frozen=True):
    """Why a figure is not known, in one sentence, and the lines that it is about; () where the sentence names them."""

    text: str
    lines: tuple[int, ...] = ()

    @property
    def located(self) -> str:
        """The sentence with its lines."""
        if not self.lines:
            return self.text
        return f"{self.text} (line{'s' * (len(self.lines) > 1)} {', '.join(map(str, self.lines))})"


def as_text(causes: Iterable[Cause]) -> str | None:
    """All of them, each once; None where there is none."""
    return "; ".join(dict.fromkeys(x.text for x in causes)) or None


def located(causes: Iterable[Cause]) -> str | None:
    """All of them with their lines; None where there is none."""
    return "; ".join(dict.fromkeys(x.located for x in causes)) or None
