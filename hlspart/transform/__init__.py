"""Programs are transformed as records; their text is made once, when it is asked for.

A transformation is a function from a program to a program; what it keeps keeps its origin in the user's text.
:func:`emit` gives the result its text and its places in it, and a :class:`Forward` back to where all came from.
"""

from hlspart.transform.copying import all_expressions
from hlspart.transform.directives import Wish, with_pragmas
from hlspart.transform.emit import emit, texts
from hlspart.transform.forward import Forward
from hlspart.transform.printer import Unprintable
from hlspart.transform.reverse import refuse_hidden_order, reverse
from hlspart.transform.unroll import Unrolling, unroll

__all__ = [
    "Forward", "Unprintable", "Unrolling", "Wish", "all_expressions", "emit", "forward", "lines", "printer",
    "refuse_hidden_order", "reverse", "text", "texts", "unroll", "with_pragmas",
]  # fmt: skip
