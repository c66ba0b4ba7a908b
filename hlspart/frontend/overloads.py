"""C++ functions of one name: told apart by the text of their parameter types, chosen by what a call hands over.

The first one keeps its name, the others are called by their signature, such as ``sum(int*,int)``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hlspart.frontend.context import FunctionDeclaration
from hlspart.frontend.types import basic
from hlspart.model import program as ir

# volatile stays: that of what a reference or pointer means tells functions apart
_NUMBERS = frozenset(("bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double"))
_NO_TYPE = frozenset(("const", "register", "restrict", "__restrict", "__restrict__", "struct", "enum"))


def signature(
    parameters: Sequence[Sequence[str]],
    names: Sequence[str | None],
    rows: Sequence[tuple[int | None, ...]],
    references: Sequence[bool],
) -> tuple[str, ...]:
    """Types of parameters from their tokens, without names, and without const but of what a reference or pointer means.

    ``rows``: of each the extents of an array behind the first, which are part of its type where they are known.
    """
    types = []
    for tokens, name, inner, reference in zip(parameters, names, rows, references, strict=True):
        words: list[str] = []
        depth = pointers = 0
        for text in tokens:
            depth -= text == "]"
            if depth == 0 and text in ("[", "*"):
                pointers += 1
            elif depth == 0 and text not in _NO_TYPE and text not in (name, "]"):
                words.append(text)
            depth += text == "["
        if "const" in tokens and (reference or pointers):
            words.insert(0, "const")
        if len(words) > 1 and words[-1] == "int" and words[-2] in ("unsigned", "long", "short"):
            words.pop()
        known = "".join(f"[{n}]" for n in inner) if None not in inner else ""
        types.append(" ".join(words) + "*" * pointers + known)
    return tuple(types)


def chosen(
    entry: FunctionDeclaration,
    args: Sequence[ir.Expr],
    functions: Mapping[str, ir.Function],
    variables: Sequence[ir.Variable],
) -> FunctionDeclaration:
    """The overload that a call means; where hlspart cannot tell, a function that nothing is known of."""
    every = entry.overloads or (entry,)
    if len(every) == 1:
        return entry
    count = len(args)
    open_ = [x for x in every if x.takes(count)]
    typed = {x.name: _types(x, functions, variables) for x in open_}
    types = [a.type for a in args]
    open_ = _by_qualifiers(open_, args, variables)
    open_ = [x for x in open_ if all(map(_is_stream, x.types, types))]
    same = []
    if all(typed[x.name] is not None for x in open_):
        open_ = [x for x in open_ if all(map(_fits, typed[x.name] or (), types))]
        same = [x for x in open_ if all(map(_is_same, typed[x.name] or (), types))]
    for candidates in ([x for x in same if len(x.signature) == count], same, open_):
        if len(candidates) == 1:
            return candidates[0]
    exact = [x for x in open_ if len(x.signature) == count]
    if len(exact) == 1 and all(x.signature[:count] == exact[0].signature for x in open_):
        return exact[0]
    returns = {x.returns for x in every}
    unknown = returns.pop() if len(returns) == 1 else ir.OtherType("unknown")
    return FunctionDeclaration(f"one of the functions {every[0].name}", unknown)


def _by_qualifiers(
    every: Sequence[FunctionDeclaration], args: Sequence[ir.Expr], variables: Sequence[ir.Variable]
) -> list[FunctionDeclaration]:
    """Without those of which another differs in const and volatile alone, and is the one for what a call hands over."""
    kept = list(every)
    for one in every:
        for other in every:
            if one is other or one.types != other.types:
                continue
            said = zip(map(_qualifiers, one.signature), map(_qualifiers, other.signature), args, strict=False)
            for a, b, arg in said:
                given = _given(arg, variables)
                if a != b and given <= b and not (given <= a and a < b) and one in kept:
                    kept.remove(one)
    return kept or list(every)


def _qualifiers(parameter: str) -> frozenset[str]:
    return frozenset(parameter.split()[:2]) & {"const", "volatile"}


def _given(argument: ir.Expr, variables: Sequence[ir.Variable]) -> frozenset[str]:
    """What of const and volatile the object is that a call hands over."""
    place = argument
    while isinstance(place, ir.Member | ir.Subscript):
        place = place.base
    volatile = isinstance(place, ir.Name | ir.ArrayRef) and variables[place.variable].volatile
    words = (("const", _is_const(argument, variables)), ("volatile", volatile))
    return frozenset(word for word, holds in words if holds)


def _is_const(argument: ir.Expr, variables: Sequence[ir.Variable]) -> bool:
    """Whether what a call hands over cannot be changed: no place, or one in a constant."""
    while isinstance(argument, ir.Member | ir.Subscript):
        if isinstance(argument, ir.Member) and argument.arrow:
            return False
        argument = argument.base
    if isinstance(argument, ir.Name | ir.ArrayRef):
        return variables[argument.variable].const
    return not (isinstance(argument, ir.Unary) and argument.op in ("*", "&"))


def _types(
    entry: FunctionDeclaration, functions: Mapping[str, ir.Function], variables: Sequence[ir.Variable]
) -> list[ir.CType] | None:
    """Types of the parameters, those of a prototype where they are numbers; else None before the body is read."""
    known = functions.get(entry.name)
    if known is not None:
        return [variables[p].type for p in known.params]
    words = [x.split() for x in entry.types]
    return list(map(basic, words)) if all(set(w) <= _NUMBERS - {"bool"} for w in words) else None


def _is_stream(parameter: str, argument: ir.CType) -> bool:
    """Whether a parameter, by its text, and an argument both may be a stream, or neither: nothing converts to one."""
    if isinstance(argument, ir.StreamType):
        return not parameter.endswith("*") and not set(parameter.split()) <= _NUMBERS
    return not isinstance(argument, ir.ScalarType | ir.PointerType) or "stream<" not in parameter


def _is_same(parameter: ir.CType, argument: ir.CType) -> bool:
    """Whether an argument has just the type of a parameter, arrays being pointers."""
    if _decayed(parameter) != _decayed(argument):
        return False
    return all(None in (a, b) or a == b for a, b in zip(rows(parameter), rows(argument), strict=False))


def rows(type_: ir.CType) -> tuple[int | None, ...]:
    """Extents of an array behind the first, or of what a pointer to rows means."""
    match type_:
        case ir.ArrayType():
            return type_.dims[1:]
        case ir.PointerType(ir.ArrayType(dims=dims)):
            return dims
        case _:
            return ()


def _fits(parameter: ir.CType, argument: ir.CType) -> bool:
    """Whether an argument may convert to a parameter: numbers do, arrays and pointers only to their own type."""
    numbers = isinstance(parameter, ir.ScalarType), isinstance(argument, ir.ScalarType)
    known = (ir.ScalarType, ir.ArrayType, ir.PointerType)
    if all(numbers) or not (isinstance(parameter, known) and isinstance(argument, known)):
        return True
    return _is_same(parameter, argument)


def _decayed(type_: ir.CType) -> object:
    match type_:
        case ir.ArrayType(element, dims):
            return (_decayed(element), len(dims))
        case ir.PointerType(ir.ArrayType(element, dims)):
            return (_decayed(element), len(dims) + 1)
        case ir.PointerType(target):
            return (_decayed(target), 1)
        case ir.ScalarType():
            return (type_.kind, type_.bits, type_.signed, type_.fraction_bits, type_.name.split().count("long"))
        case _:
            return type_
