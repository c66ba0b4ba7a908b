"""What an array over the elements takes over from the variable that it stands for: directives and first values."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from hlspart.expand.region import Refusal
from hlspart.model.directives import Directive
from hlspart.model.program import ArrayType, Program, ScalarType, Variable
from hlspart.model.source import Span
from hlspart.rewrite.initialisers import Unsupported, elements

#: Most elements of an array whose first values are written as a statement each.
MOST_FIRST_VALUES = 32
_STORAGE = ("array_partition", "bind_storage", "resource")
_PARTITION_TYPES = ("complete", "cyclic", "block")


def directives(program: Program, variable: Variable, name: str, more: int) -> Iterator[str]:
    """Pragmas that say of ``name`` what directives say of ``variable``; ``name`` has ``more`` dimensions in front.

    Raises :class:`Refusal` for directives that one array cannot hand on to another.
    """
    for d in program.directives:
        if variable.id in d.variables and (len(d.variables) > 1 or d.kind not in _STORAGE):
            said = d.kind.upper()
            raise Refusal("condition", f"{said} names {variable.name}, of which every element gets its own", d.at)
    yield from storage(program, variable, name, more)


def storage(program: Program, variable: Variable, name: str, more: int) -> Iterator[str]:
    """The same, of partition and storage alone."""
    for d in program.directives:
        if d.variables != (variable.id,) or d.kind not in _STORAGE:
            continue
        if d.kind == "array_partition":
            yield from _partitions(d, variable, name, more)
        else:
            options = (o for o in d.options if o.name != "variable")
            rest = (o.name if o.value is None else f"{o.name}={o.value}" for o in options)
            yield f"#pragma HLS {d.kind.upper()} variable={name} {' '.join(rest)}"


def _partitions(d: Directive, variable: Variable, name: str, more: int) -> Iterator[str]:
    kind = d.choice("type", _PARTITION_TYPES) or "complete"
    dim, factor = d.values.get("dim", 1), d.values.get("factor")
    banks = "" if kind == "complete" or factor is None else f" factor={factor}"
    for one in range(1, len(variable.dims) + 1) if dim == 0 else (dim,):
        yield f"#pragma HLS ARRAY_PARTITION variable={name} type={kind}{banks} dim={one + more}"


def first_values(program: Program, variable: Variable, text: Callable[[Span], str]) -> tuple[tuple[str, str], ...]:
    """Subscripts and text of each first value, subscripts "" for a scalar; ``text`` gives that of a place.

    Raises :class:`Refusal`.
    """
    value, kind = variable.init, variable.type
    if value is None:
        return ()
    if isinstance(kind, ScalarType) and value.at.kind == "plain":
        return (("", text(value.at.span)),)
    dims = [d for d in variable.dims if d is not None]
    given = elements(kind, value, text) if isinstance(kind, ArrayType) else None
    if given is None or isinstance(given, Unsupported) or not isinstance(kind, ArrayType):
        raise Refusal("condition", f"the first value of {variable.name} cannot be assigned", variable.at)
    places = list(itertools.islice(itertools.product(*map(range, dims)), MOST_FIRST_VALUES + 1))
    if len(places) > MOST_FIRST_VALUES or not isinstance(kind.element, ScalarType):
        raise Refusal("condition", f"{variable.name} has too many first values to assign", variable.at)
    return tuple(("".join(f"[{i}]" for i in place), given.get(place, "0")) for place in places)
