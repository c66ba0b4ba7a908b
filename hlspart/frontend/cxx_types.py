"""Types that C++ names with template arguments: arbitrary precision, channels, side-channel structs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from hlspart.frontend import types as ct
from hlspart.frontend.constants import NotConstant, evaluate_tokens
from hlspart.frontend.tokens import OPEN_TYPE, Token, spell
from hlspart.model import program as ir

AUTO = "__auto_type"
BASIC = {
    "int", "char", "short", "long", "unsigned", "signed", "float", "double", "void", "bool", "_Bool", "__int128", AUTO,
}  # fmt: skip

_LONGEST_CONSTEXPR = 200  # tokens
_DEEPEST_CALL, _MOST_STEPS = 32, 10_000

_BOOL = replace(ct.BOOL, name="bool")


class KnownTypes:
    """Types by name, and the constants that may stand in their arguments."""

    def __init__(self) -> None:
        self.types: dict[str, ir.CType] = {"bool": _BOOL, AUTO: ir.OtherType("auto")}
        self.aliases: dict[str, ir.CType] = {}  # typedefs
        self.constants: dict[str, int] = {}
        # of constexpr ones: parameters, each with its default, and the value
        self.functions: dict[str, tuple[list[tuple[str, list[Token]]], list[Token]]] = {}
        self._steps = 0

    def evaluate(self, tokens: Iterable[Token]) -> int | None:
        """Value of an integer constant expression known here."""
        kept = self._sized(self._measured(list(tokens)))
        plain = [
            t for i, t in enumerate(kept) if not (t.text == "::" or (i + 1 < len(kept) and kept[i + 1].text == "::"))
        ]
        try:
            return evaluate_tokens(plain, self.constants.get, self._called)
        except NotConstant:
            return None

    def width(self, type_: str, member: str) -> int | None:
        """``T::width`` and ``T::iwidth`` of a name of an arbitrary-precision type."""
        known = self.types.get(type_) or self.aliases.get(type_)
        if not isinstance(known, ir.ScalarType) or not known.name.startswith("ap_"):
            return None
        whole = known.bits - known.fraction_bits if known.kind == "fixed" else None
        return {"width": known.bits, "iwidth": whole}.get(member)

    def _measured(self, tokens: list[Token]) -> list[Token]:
        """The tokens with the number for each ``T::width``."""
        measured: list[Token] = []
        at = 0
        while at < len(tokens):
            member = at + 2 < len(tokens) and tokens[at + 1].text == "::"
            value = self.width(tokens[at].text, tokens[at + 2].text) if member else None
            number = tokens[at].copy()
            if value is not None:
                number.kind, number.text = "num", str(value)
            measured.append(number)
            at += 1 if value is None else 3
        return measured

    def _sized(self, tokens: list[Token]) -> list[Token]:
        """The tokens with the size of each type that C has as a number of bytes."""
        at = next((i for i, t in enumerate(tokens[:-2]) if t.text == "sizeof" and tokens[i + 1].text == "("), None)
        end = None if at is None else next((i for i in range(at, len(tokens)) if tokens[i].text == ")"), None)
        if at is None or end is None:
            return tokens
        of = self.type_of(tokens[at + 2 : end])
        if not isinstance(of, ir.ScalarType) or of.kind not in ("int", "float") or of.bits not in (8, 16, 32, 64):
            return tokens
        size = tokens[at].copy()
        size.kind, size.text = "num", str(of.bits // 8)
        return [*tokens[:at], size, *self._sized(tokens[end + 1 :])]

    def note_functions(self, tokens: Sequence[Token]) -> None:
        """Note the ``constexpr`` functions that are nothing but the return of an expression."""
        for at, token in enumerate(tokens):
            if token.text != "constexpr":
                continue
            opening = next((i for i in range(at, min(at + 12, len(tokens))) if tokens[i].text in ("(", ";", "=")), at)
            if tokens[opening].text != "(" or tokens[opening - 1].kind != "id":
                continue
            close = next((i for i in range(opening, len(tokens)) if tokens[i].text == ")"), opening)
            pieces = [piece for piece in split(list(tokens[opening + 1 : close])) if piece]
            equals = [next((i for i, t in enumerate(p) if t.text == "="), len(p)) for p in pieces]
            names = [(p[e - 1].text, p[e + 1 :]) for p, e in zip(pieces, equals, strict=True)]
            body = [t for t in tokens[close + 1 : close + _LONGEST_CONSTEXPR] if t.kind != "pragma"]
            end = next((i for i, t in enumerate(body) if t.text == ";"), 0)
            if [t.text for t in body[:2]] == ["{", "return"] and [t.text for t in body[end : end + 2]] == [";", "}"]:
                self.functions[tokens[opening - 1].text.partition("<")[0]] = (names, body[2:end])

    def _called(self, name: str, values: Sequence[int], depth: int = 0) -> int | None:
        function = self.functions.get(name.partition("<")[0])
        self._steps += 1
        if function is None or len(function[0]) < len(values) or depth > _DEEPEST_CALL or self._steps > _MOST_STEPS:
            return None
        own = {name: value for (name, _), value in zip(function[0], values, strict=False)}
        for parameter, default in function[0][len(values) :]:
            value = self.evaluate(default) if default else None
            if value is None:
                return None
            own[parameter] = value
        try:
            return evaluate_tokens(
                function[1], lambda n: own.get(n, self.constants.get(n)), lambda n, v: self._called(n, v, depth + 1)
            )
        except NotConstant:
            return None

    def template_type(self, name: str, arguments: list[Token], text: str, declared_nowhere: bool = False) -> ir.CType:
        """``name<arguments>``, spelled ``text``; open where a width is not known, or nothing declares the name."""
        parts = split(arguments)
        numbers = [self.evaluate(p) for p in parts]
        first = numbers[0] if numbers else None
        unknown = ir.OtherType(text + OPEN_TYPE)
        match name:
            case "ap_int" | "ap_uint" | "ac_int":
                if first is None or first <= 0:
                    return unknown
                signed = name == "ap_int" or (name == "ac_int" and (len(parts) < 2 or spell(parts[1]) != "false"))
                return ir.ScalarType(text, "int", first, signed)
            case "ap_fixed" | "ap_ufixed":
                if first is None or len(numbers) < 2 or numbers[1] is None or first <= 0:
                    return unknown
                return ir.ScalarType(text, "fixed", first, name == "ap_fixed", first - numbers[1])
            case "stream" | "burst_maxi":  # one word at a time, in order
                words = self.type_of(parts[0]) if parts else ct.UNKNOWN
                return ir.StreamType(words, (*numbers, None, None)[1], name == "burst_maxi")
            case "array" | "vector" if len(numbers) == 2 and numbers[1]:  # std::array, hls::vector
                return ir.StructType(text, ((ir.ELEMENTS, ir.ArrayType(self.type_of(parts[0]), (numbers[1],))),))
            case "ap_axiu" | "ap_axis" | "axis" | "qdma_axis":
                if name == "axis":
                    data = self.type_of(parts[0]) if parts else ct.UNKNOWN
                else:
                    data = self._bits(first, name == "ap_axis")
                    if data == ct.UNKNOWN and parts:
                        data = ir.OtherType(f"ap_{'' if name == 'ap_axis' else 'u'}int<{spell(parts[0])}>{OPEN_TYPE}")
                width = _bytes(data)
                members: list[tuple[str, ir.CType]] = [("data", data)]
                members += [("keep", self._bits(width)), ("strb", self._bits(width)), ("last", self._bits(1))]
                sides = [n or 1 for n in numbers[1:4]] + [1] * 3
                members += [(n, self._bits(max(1, w))) for n, w in zip(("user", "id", "dest"), sides, strict=False)]
                return ir.StructType(text, tuple(members))
            case _:
                return unknown if declared_nowhere else ir.OtherType(text)

    def _bits(self, width: int | None, signed: bool = False) -> ir.CType:
        if not width:
            return ct.UNKNOWN
        return ir.ScalarType(f"ap_{'' if signed else 'u'}int<{width}>", "int", width, signed)

    def type_of(self, tokens: list[Token]) -> ir.CType:
        """Type that a template argument names."""
        cut = next((i for i, t in enumerate(tokens) if t.text == "<"), len(tokens))
        qualifiers = {i for i in range(cut - 1) if tokens[i + 1].text == "::"}
        plain = [t for i, t in enumerate(tokens) if i >= cut or (t.text != "::" and i not in qualifiers)]
        if not plain:
            return ct.UNKNOWN
        if len(plain) > 3 and plain[1].text == "<" and plain[-1].text in (">", ">>"):
            return self.template_type(plain[0].text, plain[2:-1], spell(plain))
        words = [t.text for t in plain if t.text not in ("const", "typename")]
        if all(w in BASIC for w in words):
            return _BOOL if words == ["bool"] else ct.basic(words)
        name = words[0]
        known = self.types.get(name) or self.aliases.get(name) or ct.STANDARD.get(name)
        return known or ir.OtherType(" ".join(words))

    def note_alias(self, name: str, tokens: list[Token]) -> None:
        """Note that ``name`` is a typedef of a type that is a value."""
        texts = [t.text for t in tokens]
        plain = all(t.kind == "id" or t.text == "::" for t in tokens)
        if tokens and (plain or ("<" in texts[1:4] and texts[-1] in (">", ">>"))):
            type_ = self.type_of(tokens)
            if not isinstance(type_, ir.OtherType):
                self.aliases[name] = type_


def _bytes(data: ir.CType) -> int | None:
    """Bytes of the data of a word with side channels; None where padding may be part of them."""
    if isinstance(data, ir.ScalarType):
        return (data.bits + 7) // 8
    member = data.members[0] if isinstance(data, ir.StructType) and len(data.members) == 1 else None
    if member is None or member[0] != ir.ELEMENTS or not isinstance(member[1], ir.ArrayType):
        return None  # of hls::vector alone it is known
    element, extent = member[1].element, member[1].dims[0]
    whole = isinstance(element, ir.ScalarType) and element.bits in (8, 16, 32, 64)
    return extent * element.bits // 8 if whole and isinstance(element, ir.ScalarType) and extent else None


def split(tokens: list[Token]) -> list[list[Token]]:
    """Template or call arguments: pieces between commas outside of brackets; ``(a >> 3)`` closes no list."""
    parts: list[list[Token]] = [[]]
    round_ = angle = 0
    for token in tokens:
        text = token.text
        if text == "," and round_ == angle == 0:
            parts.append([])
            continue
        round_ += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
        if round_ == 0:
            angle += (text == "<") - (text == ">") - 2 * (text == ">>")
        parts[-1].append(token)
    return parts if parts != [[]] else []
