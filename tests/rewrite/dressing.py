"""Random programs in unusual clothes: comments between tokens, spliced lines, one line, CRLF."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

_TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|\w+|\s+|[-+*/%&|^<>=!]+|.", re.S)
_COMMENTS = ("/* A[i] */", "/* // */", "/**/", '/* "quoted */', "/* two\n   lines */", "// to the end of line\n")


def dressed(text: str, r: random.Random, chance: Callable[[float, str], bool]) -> str:
    """``text`` with the same tokens and directives."""
    if chance(0.08, "comments between tokens"):
        text = _strewn(text, r, _COMMENTS)
    if chance(0.04, "spliced lines"):
        text = _strewn(text, r, ("\\\n", "  \\\n   "))
    if chance(0.05, "one line"):
        text = _joined(text)
    if chance(0.05, "tabs and blanks"):
        text = re.sub(r"^(    )+", lambda m: "\t" * (len(m[0]) // 4), text, flags=re.M).replace(";\n", "; \t\n")
    if chance(0.06, "CRLF"):
        text = text.replace("\n", "\r\n")
    return text


def _strewn(text: str, r: random.Random, pieces: tuple[str, ...]) -> str:
    """``pieces`` at some places between tokens outside of directives."""
    lines = []
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("#") or "//" in line:
            lines.append(line)
            continue
        out = ""
        for token in _TOKEN.findall(line):
            if token != "\n" and r.random() < 0.05:
                piece = r.choice(pieces)
                out += "" if out.endswith("/") else piece  # a comment behind a division would begin at its sign
            out += token
        lines.append(out)
    return "".join(lines)


def _joined(text: str) -> str:
    """Every run of lines without a directive or comment in one line."""
    lines: list[str] = []
    for line in text.splitlines():
        plain = not line.startswith("#") and "//" not in line and not line.endswith("\\")
        if plain and lines and lines[-1] and lines[-1][0] != "#" and "//" not in lines[-1] and lines[-1][-1] != "\\":
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"
