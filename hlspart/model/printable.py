"""Text that may hold parts of sources and file names, made fit to print.

Control characters command terminals (escape sequences, also in one byte of the C1 range), characters that
turn the direction of text show lines as what they are not, and bytes that are no UTF-8 may be any of these.
Each is shown as an escape of C: ``\\x1b``, ``\\u202e``. What is printable stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar, cast

T = TypeVar("T")

# C0 but for tab and newline; DEL, C1; soft hyphen, marks and overrides of direction, zero widths, separators of lines,
# invisible operators, annotation and byte order marks; what surrogateescape makes of bytes; tags
_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f"
)
_IN_TEXT = re.compile(f"[{_HIDDEN}]")
_IN_LINE = re.compile(f"[\n\t{_HIDDEN}]")
_COLOUR = re.compile("(\033\\[[0-9;]{0,8}m)")
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def printable(text: str, coloured: bool = False) -> str:
    """``text`` of any number of lines; ``coloured``: sequences that set colours stay."""
    if not coloured:
        return _IN_TEXT.sub(_escape, text)
    return "".join(x if k % 2 else printable(x) for k, x in enumerate(_COLOUR.split(text)))


def one_line(text: str) -> str:
    """``text`` as part of a line: newlines and tabs are shown as escapes too."""
    return _IN_LINE.sub(_escape, text)


def in_diff(path: str) -> str:
    """A file name for the header of a diff: where it is no plain text, in quotes and octal escapes as git has it."""
    if not _IN_LINE.search(path) and not set('"\\') & set(path):
        return path
    raw = path.encode("utf-8", "surrogateescape")
    plain = (chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:03o}" for b in raw)
    return f'"{"".join(plain)}"'


def in_lines(value: T) -> T:
    """A record of mappings and sequences with each text in it as part of a line."""
    made: object = value
    if isinstance(value, str):
        made = one_line(value)
    elif isinstance(value, Mapping):
        made = {k: in_lines(v) for k, v in value.items()}
    elif isinstance(value, list | tuple):
        made = type(value)([in_lines(v) for v in value])
    return cast(T, made)


def in_json(text: str) -> str:
    """JSON text with the same characters in JSON's own escapes, so that it means what it meant."""
    return _IN_TEXT.sub(_json_escape, text)


def _escape(match: re.Match[str]) -> str:
    number = ord(match[0])
    if match[0] in _SHORT:
        return _SHORT[match[0]]
    if 0xDC80 <= number <= 0xDCFF:  # a byte
        return f"\\x{number - 0xDC00:02x}"
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _json_escape(match: re.Match[str]) -> str:
    number = ord(match[0])
    if number < 0x10000:
        return f"\\u{number:04x}"
    return f"\\u{0xD800 + (number - 0x10000 >> 10):04x}\\u{0xDC00 + (number & 0x3FF):04x}"
