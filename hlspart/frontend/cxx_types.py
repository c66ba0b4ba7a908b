"""Types that C++ names with template arguments: arbitrary precision, channels, side-channel structs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hlspart.frontend import types as ct
from hlspart.frontend.constants import NotConstant, evaluate_tokens
from hlspart.frontend.tokens import Token, spell
from hlspart.model import program as ir

AUTO = "__auto_type"
BASIC = {
    "int", "char", "short", "long", "unsigned", "signed", "float", "double", "void", "bool", "_Bool", "__int128", AUTO,
}  # fmt: skip

_BOOL = replace(ct.BOOL, name="bool")


class KnownTypes:
    """Types by name, and the constants that may stand in their arguments."""

    def __init__(self) -> None:
        self.types: dict[str, ir.CType] = {"bool": _BOOL, AUTO: ir.OtherType("auto")}
        self.constants: dict[str, int] = {}

    def evaluate(self, tokens: Iterable[Token]) -> int | None:
        """Value of an integer constant expression known here."""
        kept = [t for i, t in enumerate(tokens)]
        plain = [
            t for i, t in enumerate(kept) if not (t.text == "::" or (i + 1 < len(kept) and kept[i + 1].text == "::"))
        ]
        try:
            return evaluate_tokens(plain, self.constants.get)
        except NotConstant:
            return None

    def template_type(self, name: str, arguments: list[Token], text: str) -> ir.CType:
        """``name<arguments>``, spelled ``text``."""
        parts = split(arguments)
        numbers = [self.evaluate(p) for p in parts]
        first = numbers[0] if numbers else None
        match name:
            case "ap_int" | "ap_uint" | "ac_int":
                if first is None or first <= 0:
                    return ir.OtherType(text)
                signed = name == "ap_int" or (name == "ac_int" and (len(parts) < 2 or spell(parts[1]) != "false"))
                return ir.ScalarType(text, "int", first, signed)
            case "ap_fixed" | "ap_ufixed":
                if first is None or len(numbers) < 2 or numbers[1] is None or first <= 0:
                    return ir.OtherType(text)
                return ir.ScalarType(text, "fixed", first, name == "ap_fixed", first - numbers[1])
            case "stream":
                return ir.StreamType(self.type_of(parts[0]) if parts else ct.UNKNOWN, (*numbers, None, None)[1])
            case "ap_axiu" | "ap_axis" | "axis" | "qdma_axis":
                if name == "axis":
                    data = self.type_of(parts[0]) if parts else ct.UNKNOWN
                else:
                    data = self._bits(first, name == "ap_axis")
                width = data.bits // 8 if isinstance(data, ir.ScalarType) else 1
                members: list[tuple[str, ir.CType]] = [("data", data)]
                members += [("keep", self._bits(width)), ("strb", self._bits(width)), ("last", self._bits(1))]
                sides = [n or 1 for n in numbers[1:4]] + [1] * 3
                members += [(n, self._bits(max(1, w))) for n, w in zip(("user", "id", "dest"), sides, strict=False)]
                return ir.StructType(text, tuple(members))
            case _:
                return ir.OtherType(text)

    def _bits(self, width: int | None, signed: bool = False) -> ir.CType:
        if not width:
            return ct.UNKNOWN
        return ir.ScalarType(f"ap_{'' if signed else 'u'}int<{width}>", "int", width, signed)

    def type_of(self, tokens: list[Token]) -> ir.CType:
        """Type that a template argument names."""
        plain = [
            t
            for i, t in enumerate(tokens)
            if t.text != "::" and not (i + 1 < len(tokens) and tokens[i + 1].text == "::")
        ]
        if not plain:
            return ct.UNKNOWN
        if len(plain) > 3 and plain[1].text == "<" and plain[-1].text in (">", ">>"):
            return self.template_type(plain[0].text, plain[2:-1], spell(plain))
        words = [t.text for t in plain if t.text != "const"]
        if all(w in BASIC for w in words):
            return _BOOL if words == ["bool"] else ct.basic(words)
        return self.types.get(words[0], ir.OtherType(" ".join(words)))


def split(tokens: list[Token]) -> list[list[Token]]:
    """Template or call arguments: pieces between commas outside of brackets."""
    parts: list[list[Token]] = [[]]
    level = 0
    for token in tokens:
        if token.text == "," and level == 0:
            parts.append([])
            continue
        level += (token.text in ("(", "[", "{", "<")) - (token.text in (")", "]", "}", ">"))
        level -= 2 * (token.text == ">>")
        parts[-1].append(token)
    return parts if parts != [[]] else []
