"""What a top function takes, gives back and changes: the objects that a driver fills and reads."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from hlspart.model.program import (
    ArrayType,
    CType,
    Function,
    PointerType,
    Program,
    ScalarType,
    StreamType,
    StructType,
    Variable,
    VoidType,
)
from hlspart.model.source import one_line
from hlspart.verification.streams import WORDS, streams_read

# struct-module code of each scalar C type that can be moved between processes as it is
_CODES = {
    ("int", 8, True): "b",
    ("int", 8, False): "B",
    ("int", 16, True): "h",
    ("int", 16, False): "H",
    ("int", 32, True): "i",
    ("int", 32, False): "I",
    ("int", 64, True): "q",
    ("int", 64, False): "Q",
    ("float", 16, True): "e",
    ("float", 32, True): "f",
    ("float", 64, True): "d",
}
_ARBITRARY = re.compile(r"(?:.*::)?ap_u?int\b")
_NAMES = {
    "b": "signed char", "B": "unsigned char", "h": "short", "H": "unsigned short", "i": "int",
    "I": "unsigned int", "q": "long long", "Q": "unsigned long long", "e": "half", "f": "float", "d": "double",
    "?": "_Bool",
}  # fmt: skip


#: What a text is skipped by, or opens or closes a scope with.
_SCOPES = re.compile(
    r"""//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*"""
    r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\bnamespace\b[^;{}=()]*\{|[{}]""",
    re.MULTILINE | re.DOTALL,
)


class Incomparable(Exception):
    """The versions cannot be compared; the message says why. Caught inside the package."""


class ScalarField(Struct, frozen=True):
    """A scalar inside an element: ``path`` is a C suffix such as ``.re`` ("" for a plain scalar).

    ``bits``: width of an arbitrary-precision integer, which is moved by its value; None where its bytes are.
    ``raw``: a fixed-point number, which is moved by the integer that its bits make.
    """

    path: str
    code: str
    bits: int | None = None
    raw: bool = False


class Object(Struct, frozen=True):
    """A parameter or a global. ``leaves`` describe one element, ``shape`` is () for a single object.

    ``passing``: how a parameter reaches the function. ``element`` is a C type name for its storage. A stream is an
    array of the words that it holds before (where ``filled``) and after a run.
    ``output``: whether the function may change it for its caller. ``initialised`` globals keep the
    value that the source gives them.
    """

    name: str
    role: Literal["parameter", "global"]
    position: int | None
    shape: tuple[int, ...]
    element: str
    leaves: tuple[ScalarField, ...]
    passing: Literal["value", "array", "pointer", "reference", "stream"] = "array"
    output: bool = True
    initialised: bool = False
    defined: bool = True
    internal: bool = False
    filled: bool = True
    pointed: bool = False  # a stream that the function is given a pointer to

    @property
    def count(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def same_as(self) -> tuple[object, ...]:
        """What must agree for two objects to be compared directly."""
        return (self.shape, tuple((leaf.path, leaf.code, leaf.bits) for leaf in self.leaves))


class Interface(Struct, frozen=True):
    """Objects of one version of the top function, parameters in order, then globals by name.

    ``namespace``: that of the top function, in which its name and its types mean what they do there.
    """

    top: str
    parameters: tuple[Object, ...]
    globals: tuple[Object, ...]
    result: Object | None
    skipped: tuple[str, ...]
    language: Literal["c", "c++"] = "c"
    namespace: tuple[str, ...] = ()


def interface(program: Program, top: str, extents: Mapping[str, int]) -> Interface:
    """The interface of ``top``; raises Incomparable naming what cannot be driven."""
    function = program.functions[top]
    if function.variadic:
        raise Incomparable(f"{top} takes a variable number of arguments")
    parameters = tuple(_parameter(program, i, v, extents) for i, v in enumerate(function.params))
    read = {program.variable(v).name for v in streams_read(program, top)}
    parameters = tuple(replace(p, filled=p.passing != "stream" or p.name in read) for p in parameters)
    streams = [_left(p) for p in parameters if p.passing == "stream"]
    skipped = []
    for variable in program.variables:
        if variable.storage != "global" or variable.const or variable.volatile or variable.at.span.path.startswith("<"):
            continue
        if all(d.declarator.span.path in program.units[0].beside for d in variable.declarations):
            continue  # the other source keeps it to itself
        try:
            streams.append(_global(program, variable, extents))
        except Incomparable as reason:
            skipped.append(str(reason))
    language = program.units[0].language
    ordered = tuple(sorted(streams, key=lambda o: o.name))
    namespace = _namespace(program, function) if language == "c++" else ()
    return Interface(top, parameters, ordered, _result(function), tuple(skipped), language, namespace)


def _namespace(program: Program, function: Function) -> tuple[str, ...]:
    """The namespaces around the definition of a function, those without a name left out."""
    source = program.sources.get(function.at.span.path)
    opened: list[tuple[str, ...]] = []
    for match in _SCOPES.finditer(source.text if source is not None else "", 0, function.at.span.start):
        text = match[0]
        if text == "{" or text.startswith("namespace"):
            opened.append(tuple(re.findall(r"\w+", text)[1:]))
        elif text == "}" and opened:
            opened.pop()
    return tuple(name for names in opened for name in names)


def _parameter(program: Program, position: int, ident: int, extents: Mapping[str, int]) -> Object:
    variable = program.variable(ident)
    try:
        return _driven(program, position, variable, extents)
    except Incomparable as reason:
        raise Incomparable(f"line {program.line(variable.at)}: {reason}") from None


def _driven(program: Program, position: int, variable: Variable, extents: Mapping[str, int]) -> Object:
    kind = variable.type
    spelled = _specifiers(program, variable)
    cxx = program.units[0].language == "c++"
    match kind:
        case ArrayType():
            shape = _shape(variable, kind.dims, extents)
            spelled = _of_element(program, variable, spelled, len(kind.dims))
            element, leaves = _element(kind.element, spelled, variable.name, cxx)
            constant = variable.const or _const(program, variable)
            return Object(variable.name, "parameter", position, shape, element, leaves, "array", not constant)
        case PointerType():
            target = kind.target
            inner: tuple[int | None, ...] = ()
            if isinstance(target, ArrayType):  # int (*A)[8]
                inner, target = target.dims, target.element
            shape = _shape(variable, (extents.get(variable.name), *inner), extents)
            spelled = _of_element(program, variable, spelled, len(inner))
            element, leaves = _element(target, spelled, variable.name, cxx)
            constant = _const(program, variable)
            return Object(variable.name, "parameter", position, shape, element, leaves, "pointer", not constant)
        case StreamType() if variable.reference:
            shape = (extents.get(variable.name, WORDS),)
            leaves = tuple(_leaves(kind.element, "", variable.name))
            pointed = "*" in program.text(variable.declarations[0].declarator)
            return Object(variable.name, "parameter", position, shape, spelled, leaves, "stream", pointed=pointed)
        case _:
            element, leaves = _element(kind, spelled, variable.name, cxx)
            passing: Literal["reference", "value"] = "reference" if variable.reference else "value"
            return Object(variable.name, "parameter", position, (), element, leaves, passing, variable.reference)


def _left(stream: Object) -> Object:
    """How many words a stream holds after a run."""
    return Object(left(stream), "global", None, (), "long long", (ScalarField("", "q"),), defined=False)


def left(stream: Object) -> str:
    """Name of the variable for the words that are left in a stream."""
    return f"words_left_in_{stream.name}"


def _global(program: Program, variable: Variable, extents: Mapping[str, int]) -> Object:
    kind = variable.type
    dims: tuple[int | None, ...] = ()
    if isinstance(kind, ArrayType):
        dims, kind = kind.dims, kind.element
    shape = _shape(variable, dims, extents)
    spelled = _of_element(program, variable, _specifiers(program, variable), len(dims))
    element, leaves = _element(kind, spelled, variable.name)
    return Object(
        variable.name, "global", None, shape, element, leaves,
        initialised=variable.init is not None, defined=not variable.extern, internal=variable.internal,
    )  # fmt: skip


def _result(function: Function) -> Object | None:
    kind = function.return_type
    if isinstance(kind, VoidType):
        return None
    element, leaves = _element(kind, "", "the return value")
    return Object("return value", "global", None, (), element, leaves)


def _shape(variable: Variable, dims: tuple[int | None, ...], extents: Mapping[str, int]) -> tuple[int, ...]:
    known = list(dims)
    if known and known[0] is None:
        known[0] = extents.get(variable.name)
    sizes = [d for d in known if d is not None]
    if len(sizes) < len(known):
        raise Incomparable(f"the extent of {variable.name} is unknown; give --extent {variable.name}=N")
    if math.prod(sizes) == 0:
        raise Incomparable(f"{variable.name} has no elements")
    return tuple(sizes)


def _element(kind: CType, spelled: str, name: str, cxx: bool = False) -> tuple[str, tuple[ScalarField, ...]]:
    """Type name for storage, and its scalars. C++ tells long from long long, so there it is as written."""
    leaves = tuple(_leaves(kind, "", name))
    if isinstance(kind, ScalarType) and not (cxx and spelled) and leaves[0].bits is None:
        return _NAMES[leaves[0].code], leaves
    if not spelled:
        assert isinstance(kind, StructType | ScalarType)
        return kind.name, leaves
    return spelled, leaves


def _leaves(kind: CType, path: str, name: str) -> list[ScalarField]:
    match kind:
        case ScalarType():
            code = (
                None
                if _ARBITRARY.match(kind.name)
                else "?"
                if kind.kind == "bool"
                else _CODES.get((kind.kind, kind.bits, kind.signed or kind.kind == "float"))
            )
            if kind.kind == "fixed" and kind.bits <= 64:
                return [ScalarField(path, "Q", kind.bits, raw=True)]
            if code is None and kind.kind == "int" and kind.bits <= 64 and _ARBITRARY.match(kind.name):
                return [ScalarField(path, "q" if kind.signed else "Q", kind.bits)]
            if code is None:
                raise Incomparable(f"{name}{path} has type {kind.name}, which cannot be driven")
            return [ScalarField(path, code)]
        case StructType() if kind.members and not kind.union:
            return [leaf for field, member in kind.members for leaf in _leaves(member, f"{path}.{field}", name)]
        case StructType() if kind.members:  # a union: by its widest member, whole numbers first
            options = [_leaves(member, f"{path}.{field}", name) for field, member in kind.members]
            return max(options, key=lambda leaves: (_width(leaves), sum(leaf.code not in "efd" for leaf in leaves)))
        case ArrayType() if all(d is not None for d in kind.dims):
            paths = [path]
            for extent in kind.dims:
                assert extent is not None
                paths = [f"{p}[{k}]" for p in paths for k in range(extent)]
            if len(paths) > 4096:
                raise Incomparable(f"{name}{path} is too large a member array")
            return [leaf for p in paths for leaf in _leaves(kind.element, p, name)]
        case StreamType():
            raise Incomparable(f"{name}{path} is a stream, which cannot be driven")
        case _:
            raise Incomparable(f"{name}{path} has a type that cannot be driven ({type(kind).__name__.lower()})")


def _width(leaves: list[ScalarField]) -> int:
    return struct.calcsize("<" + "".join(leaf.code for leaf in leaves))


_QUALIFIERS = {"const", "volatile", "register", "static", "extern", "restrict", "inline", "__restrict", "__restrict__"}


def _specifiers(program: Program, variable: Variable) -> str:
    """The declaration specifiers as written, without qualifiers and storage classes."""
    words = one_line(program.text(variable.declarations[0].specifiers), False).split()
    return " ".join(w for w in words if w not in _QUALIFIERS)


def _of_element(program: Program, variable: Variable, spelled: str, dimensions: int) -> str:
    """The type of an element: where a typedef has dimensions of its own, the specifiers name an array."""
    declarator = variable.declarations[0].declarator
    if declarator.kind != "plain":
        return spelled
    more = dimensions - program.text(declarator).count("[")
    return f"__typeof__((*({spelled} *)0){'[0]' * more})" if more > 0 else spelled


def _const(program: Program, variable: Variable) -> bool:
    return "const" in one_line(program.text(variable.declarations[0].specifiers), False).split()
