"""Literals: their values and types."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hlspart.frontend import types as ct
from hlspart.model import program as ir
from hlspart.model.source import Origin

_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11}


def integer(text: str) -> int | None:
    """Value of an integer literal with any prefix, digit separators and suffixes; None if it is none."""
    digits = text.replace("'", "").rstrip("uUlLzZ")
    try:
        if digits[:2] in ("0x", "0X"):
            return int(digits[2:], 16)
        if digits[:2] in ("0b", "0B"):
            return int(digits[2:], 2)
        if len(digits) > 1 and digits[0] == "0":
            return int(digits, 8)
        return int(digits) if len(digits) < 1000 and digits.isdecimal() else None
    except ValueError:
        return None


def character(text: str) -> int | None:
    """Value of a character literal (multi-character ones as gcc gives them)."""
    body = text[text.index("'") + 1 : -1]
    value, at = 0, 0
    while at < len(body):
        code = ord(body[at])
        at += 1
        if code == 92 and at < len(body):
            escape = body[at]
            at += 1
            if escape == "x":
                end = at
                while end < len(body) and body[end] in "0123456789abcdefABCDEF":
                    end += 1
                if end == at:
                    return None
                code, at = int(body[at:end], 16), end
            elif escape in "01234567":
                end = at
                while end < len(body) and end < at + 2 and body[end] in "01234567":
                    end += 1
                code, at = int(body[at - 1 : end], 8), end
            else:
                code = _ESCAPES.get(escape, ord(escape))
        value = (value << 8) | (code & 0xFF)
    if len(body) and value > 127 and value < 256:
        value -= 256
    return value


def constant(text: str) -> tuple[ir.ScalarType, int | float]:
    """Type and value of a number or character."""
    if text.endswith("'"):
        return ir.INT, character(text) or 0
    number = integer(text)
    if number is not None:
        return _integer_type(text, number), number
    suffix = text[-1].lower()
    type_ = ct.FLOAT if suffix == "f" and not text.lower().startswith("0x") else ct.DOUBLE
    digits = text.rstrip("fFlL").replace("'", "")
    try:
        return type_, float.fromhex(digits) if digits[:2] in ("0x", "0X") else float(digits)
    except (ValueError, OverflowError):
        return type_, 0.0


_PREFIXES = {"0x": 16, "0b": 2, "0o": 8, "0d": 10}


def spelled_number(given: Sequence[ir.Expr], type_: ir.CType, at: Origin) -> ir.Const | None:
    """What ``ap_uint<256>("0x30..", 16)`` is; None where it is not that."""
    if not isinstance(type_, ir.ScalarType) or type_.library is None or type_.kind != "int" or len(given) not in (1, 2):
        return None
    base = given[1].value if len(given) == 2 and isinstance(given[1], ir.Const) else None
    if not isinstance(given[0], ir.StringLit) or (len(given) == 2 and not isinstance(base, int)):
        return None
    text = given[0].value.lower().replace("_", "")
    sign, digits = text[:1] if text[:1] in ("-", "+") else "", text.lstrip("+-")
    said = _PREFIXES.get(digits[:2])
    if said is not None and base in (None, said):
        base, digits = said, digits[2:]
    try:
        value = int(sign + digits, base if isinstance(base, int) else 10) & ((1 << type_.bits) - 1)
    except ValueError:
        return None
    if type_.signed and value >> (type_.bits - 1):
        value -= 1 << type_.bits
    return ir.Const(at, type_, value, text)


def string_length(text: str) -> int:
    """Characters of a string literal's text, escapes counted as one."""
    return len(re.sub(r"\\(x[0-9a-fA-F]+|[0-7]{1,3}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", ".", text))


def _integer_type(text: str, value: int) -> ir.ScalarType:
    unsigned, long = "u" in text.lower(), "l" in text.lower()  # neither is a hexadecimal digit
    decimal = not text.startswith("0") or text in ("0",)
    for type_ in (ir.INT, ct.UNSIGNED, ct.LONG, ct.SIZE):
        if (type_.signed and unsigned) or (type_.bits == 32 and long):
            continue
        if not type_.signed and not unsigned and decimal and type_.bits == 32:
            continue
        if value < 1 << (type_.bits - type_.signed):
            return type_
    return ct.SIZE
