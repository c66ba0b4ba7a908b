"""A macro whose text comes apart where it is used, for want of parentheses.

## What it does
Reports the use of a macro such as `#define ROWS H + 2` beside an operator that binds closer (`ROWS * 16`), of one such
as `#define SQ(x) x * x` with a sum for `x`, of one whose text ends in a semicolon inside of an expression, and of one
that is several statements where one belongs, behind the head of an `if` or a loop without braces.

## Why is this bad
A macro is text: `ROWS * 16` is `H + 2 * 16`. Arrays get another extent, loops another count.

## Example
```c
#define H 30
#define ROWS H + 2
void f(const int a[512], int b[512]) {
  for (int i = 0; i < ROWS * 16; i++) b[i] = a[i];
}
```

## Use instead
```c
#define H 30
#define ROWS (H + 2)
void f(const int a[512], int b[512]) {
  for (int i = 0; i < ROWS * 16; i++) b[i] = a[i];
}
```

## Vitis message it predicts
None; clang-tidy's `bugprone-macro-parentheses`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Origin, Span
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP117", "macro-parentheses", "warning", hint="put parentheses around the macro's text and its parameters")
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([\w, \t]*\))?[ \t]*((?:[^\n\\]|\\(?:\r?\n)?)*)", re.M)
_DIRECTIVE = re.compile(r"^[ \t]*#(?![ \t]*define)(?:[^\n\\]|\\(?:\r?\n)?)*", re.M)
_ASIDE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
_EXPONENT = re.compile(r"(?<=[\d.][eEpP])[-+](?=\d)")  # of 4.0e-6
_OPERATORS = re.compile(r"<<|>>|[-+*/%&|^?]|==|!=")  # < and > may be of a template
#: How close an operator binds.
_LEVELS = {"*": 9, "/": 9, "%": 9, "+": 8, "-": 8, "<<": 7, ">>": 7, "&": 5, "^": 4, "|": 3, "?": 1}
_ENDED = re.compile(r"[\w()+*/ \t.-]+;")  # a number and a semicolon
_NO_NUMBER = re.compile(r"[{};=#\"'@]|\b(?:return|for|if|while|do|const|static|int|float|char|struct|unsigned)\b")


class LooseMacro(Struct, frozen=True):
    """A macro: how loosely its text hangs together (of a use beside ``*``), and where its parameters stand bare."""

    at: Origin
    loosest: str | None
    params: tuple[str, ...]
    bare: dict[int, str]


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Macros of the given files, each at the first use that goes wrong."""
    texts = {path: _blanked(source.text) for path, source in facts.given.items() if "define" in source.text}
    macros: dict[str, list[LooseMacro | None]] = {}
    for path, text in texts.items():
        for line in _DEFINE.finditer(text):
            macros.setdefault(line.group(1), []).append(_read(path, line))
    for name, defined, used in _ended(texts):
        message = f"the text of '{name}' ends in a semicolon, which ends the statement here"
        yield facts.report(RULE, used, message, "remove it from the macro", [(defined, "the macro")])
    for name, defined, used in _statements(texts):
        message = f"'{name}' is several statements: only the first belongs to what is before it"
        yield facts.report(RULE, used, message, "write do { .. } while (0) around them", [(defined, "the macro")])
    for name, several in macros.items():
        known = [m for m in several if m is not None]
        if len(known) < len(several):
            continue  # which one is used is open
        for at, why in (u for path, text in texts.items() for u in _uses(path, text, name, known[0])):
            rest = (_uses(at.span.path, texts[at.span.path], name, m) for m in known[1:])
            if all(any(other.span == at.span for other, _ in uses) for uses in rest):
                related = [(m.at, "the macro") for m in known]
                yield facts.report(RULE, at, f"'{name}' comes apart here: {why}", None, related)
                break


def _ended(texts: dict[str, str]) -> Iterator[tuple[str, Origin, Origin]]:
    """Macros of a number and a semicolon, with a use behind which the expression goes on."""
    for path, text in texts.items():
        for line in _DEFINE.finditer(text):
            if line.group(2) or not _ENDED.fullmatch(line.group(3).strip()):
                continue
            goes_on = re.search(rf"\b{line.group(1)}[ \t]*(?=[-+*/%&|^<>)\]=])", text[line.end() :])
            if goes_on is not None:
                start = line.end() + goes_on.start()
                use = Origin(Span(path, start, start + len(line.group(1))))
                yield line.group(1), Origin(Span(path, line.start(1), line.end(1))), use


def _statements(texts: dict[str, str]) -> Iterator[tuple[str, Origin, Origin]]:
    """Macros of several statements, with a use that is the body of an if, an else or a loop without braces."""
    lines = [(path, line) for path, text in texts.items() for line in _DEFINE.finditer(text)]
    single = {line.group(1) for _, line in lines if not _is_several(line.group(3))}  # which one is used is open
    for path, line in lines:
        if line.group(1) in single:
            continue
        text = _DIRECTIVE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), texts[path])  # #else is no else
        for m in re.finditer(rf"\b{line.group(1)}\b", text[line.end() :]):
            before = text[: line.end() + m.start()].rstrip()
            at = Origin(Span(path, line.end() + m.start(), line.end() + m.end()))
            if re.search(r"\belse$", before) or (before.endswith(")") and _is_head(before)):
                yield line.group(1), Origin(Span(path, line.start(1), line.end(1))), at
                break


def _is_several(text: str) -> bool:
    """Whether the text of a macro is a statement and another one behind it."""
    body = _outside(text.replace("\\", " ").replace("{", "(").replace("}", ")")).strip()
    first, _, rest = body.partition(";")
    whole = body.startswith(("if", "for", "while", "do")) or rest.strip(" ;").startswith("else")
    return bool(first.strip() and rest.strip(" ;")) and not whole


def _is_head(text: str) -> bool:
    """Whether a text ends in the head of an if or of a loop."""
    level = 0
    for k in range(len(text) - 1, max(len(text) - 400, -1), -1):
        level += (text[k] == ")") - (text[k] == "(")
        if level == 0:
            return re.search(r"\b(?:if|for|while)$", text[:k].rstrip()) is not None
    return False


def _blanked(text: str) -> str:
    """The text without comments, literals and signs of exponents, each place as before."""
    return _EXPONENT.sub("0", _ASIDE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text))


def _read(path: str, line: re.Match[str]) -> LooseMacro | None:
    body = line.group(3).replace("\\\n", "  ").replace("\\\r\n", "   ").strip()
    params = tuple(p.strip() for p in (line.group(2) or "()")[1:-1].split(",") if p.strip())
    if not body or _NO_NUMBER.search(body) or "," in _outside(body):
        return None
    binary = [op for _, op in _binary(body)]
    loosest = min(binary, key=lambda op: _LEVELS.get(op, 2), default=None)
    bare: dict[int, str] = {}
    for k, name in enumerate(params):
        beside = (op for m in re.finditer(rf"\b{name}\b", body) for op in _beside(body, m.start(), m.end()))
        closest = max(beside, key=lambda op: _LEVELS.get(op, 0), default=None)
        if closest is not None:
            bare[k] = closest
    if loosest is None and not bare:
        return None
    return LooseMacro(Origin(Span(path, line.start(1), line.end(1))), loosest, params, bare)


def _outside(text: str) -> str:
    """A text with what stands in brackets blanked."""
    level, out = 0, []
    for letter in text:
        level -= letter in ")]"
        out.append(letter if level == 0 else " ")
        level += letter in "(["
    return "".join(out)


def _binary(text: str) -> Iterator[tuple[int, str]]:
    """Operators with two operands outside of brackets, and where they stand."""
    outside = _outside(text)
    for m in _OPERATORS.finditer(outside):
        before = outside[: m.start()].rstrip()
        if (
            before
            and (before[-1].isalnum() or before[-1] in "_)]")
            and outside[m.start() :][:2] not in ("&&", "||", "->")
        ):
            yield m.start(), m.group()


def _beside(text: str, start: int, end: int) -> Iterator[str]:
    """The operators that stand directly before and behind a part of a text."""
    before, after = text[:start].rstrip(), text[end:].lstrip()
    if before and (last := before[-2:] if before[-2:] in ("<<", ">>") else before[-1]) in "*/%+-<<>>":
        left = before[: -len(last)].rstrip()
        if left and (left[-1].isalnum() or left[-1] in "_)]") and last not in ("<", ">"):
            yield last
    first = after[:2] if after[:2] in ("<<", ">>") else after[:1]
    if first and first in ("*", "/", "%", "<<", ">>") and after[:2] not in ("*=", "/=", "%=", "//", "/*"):
        yield first


def _uses(path: str, text: str, name: str, macro: LooseMacro) -> Iterator[tuple[Origin, str]]:
    for m in re.finditer(rf"\b{name}\b", text):
        line = text[text.rfind("\n", 0, m.start()) + 1 : m.start()]
        if re.match(r"\s*#\s*(?:define\s*$|undef|ifdef|ifndef|pragma)", line) or re.search(r"#\s*define\s+$", line):
            continue
        end, args = m.end(), list[str]()
        if macro.params:
            rest = text[m.end() :].lstrip()
            if not rest.startswith("("):
                continue
            end = text.index("(", m.end())
            inner = _bracketed(text, end)
            if inner is None:
                continue
            args, end = _arguments(inner), end + len(inner) + 2
        at = Origin(Span(path, m.start(), end))
        for op in _beside(text, m.start(), end) if macro.loosest is not None else ():
            behind = text[end:].lstrip().startswith(op)
            mine, its = _LEVELS.get(macro.loosest or "", 2), _LEVELS[op]
            right_only = op in ("-", "/", "%") and not behind and mine == its  # x - A + B
            if mine < its or right_only:
                yield at, f"{op} binds to a part of it"
                return
        for k, op in macro.bare.items():
            loose = [o for _, o in _binary(args[k])] if k < len(args) else []
            if any(_LEVELS.get(o, 2) < _LEVELS[op] for o in loose):
                yield at, f"'{args[k].strip()}' is not kept together beside {op}"
                return


def _bracketed(text: str, start: int) -> str | None:
    level = 0
    for k in range(start, min(len(text), start + 400)):
        level += (text[k] == "(") - (text[k] == ")")
        if level == 0:
            return text[start + 1 : k]
    return None


def _arguments(inner: str) -> list[str]:
    outside, args, start = _outside(inner), list[str](), 0
    for k, letter in enumerate(outside):
        if letter == ",":
            args.append(inner[start:k])
            start = k + 1
    return [*args, inner[start:]]
