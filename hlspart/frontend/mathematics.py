"""Types of calls of the library's mathematics, which C++ overloads where C has one function on double.

``<cmath>`` alone declares the overloads in ``std``: without it in front, ``exp`` of a float is that of C, on doubles.
``<math.h>`` and ``using`` bring them in.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hlspart.frontend import types as ct
from hlspart.frontend.preprocess import Preprocessed
from hlspart.frontend.tokens import Token
from hlspart.model import program as ir
from hlspart.model.pure_functions import COMPUTED


def type_of_call(
    name: str, written: str, returns: ir.CType, args: Sequence[ir.Expr], of_c: Collection[str]
) -> ir.CType:
    """The type of a call in C++ of what is ``written`` so. ``of_c``: in front of the names of C's own functions."""
    if name.partition("<")[0] in ("min", "max") and len(args) == 2:
        return ct.arithmetic(args[0].type, args[1].type)
    if returns != ct.DOUBLE and name != "abs":
        return returns
    kind = args[0].type.kind if isinstance(args[0].type, ir.ScalarType) else ""
    if kind == "float" and name in COMPUTED and written in [start + name for start in of_c]:
        return returns
    return args[0].type if kind in ("float", "fixed") else returns


def those_of_c(unit: Preprocessed) -> tuple[str, ...]:
    """What stands in front of mathematics that are C's own: none are where more than ``<cmath>`` declares them."""
    if "cmath" not in unit.included or "math.h" in unit.included or unit.missing:
        return ()
    words = [t.text for t in unit.tokens if isinstance(t, Token)]
    used = (words[k + 1 : k + 3] for k, word in enumerate(words) if word == "using")
    return ("::",) if any(after[:1] == ["std"] or after == ["namespace", "std"] for after in used) else ("", "::")
