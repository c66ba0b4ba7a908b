"""Uses of macros written out one level in the user's own text.

A macro may contain an access that a rewrite must change in one place and not in another; there the
use is replaced by the macro's body with the arguments' own text. Every proposal is checked: the
file must still preprocess to the same tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hlspart.frontend.language import language_of
from hlspart.frontend.preprocess import Preprocessed, Preprocessor
from hlspart.frontend.tokens import MacroUse, SourceError, Token
from hlspart.model.options import FrontendOptions
from hlspart.model.source import Edit, SourceText, Span, apply_edits
from hlspart.reading import read_file


def unfolded(
    source: SourceText,
    wanted: Iterable[Span],
    options: FrontendOptions,
    read: Callable[[str], bytes] | None = None,
) -> tuple[Edit, ...]:
    """Edits of ``source`` that write out every macro use overlapping a span of ``wanted`` (one level).

    Uses that cannot be written out where they stand are left alone.
    """
    spans = [s for s in wanted if s.path == source.path]
    before = _preprocessed(source, options, read)
    if before is None or not spans:
        return ()
    uses: dict[tuple[int, int], MacroUse] = {}
    for token in before.tokens:
        use = token.use
        inside = use is not None and use.path == source.path
        if use is not None and inside and any(use.start < s.end and s.start < use.end for s in spans):
            uses[use.start, use.end] = use
    edits = [Edit(Span(source.path, *at), text) for at, use in sorted(uses.items()) if (text := _text(use, source))]
    if _same(before, source, edits, options, read):
        return tuple(edits)
    return tuple(edit for edit in edits if _same(before, source, [edit], options, read))


def _preprocessed(
    source: SourceText, options: FrontendOptions, read: Callable[[str], bytes] | None
) -> Preprocessed | None:
    try:
        return Preprocessor(options, language_of(source.path, options), read or read_file).run(source)
    except SourceError:
        return None


def _same(
    before: Preprocessed,
    source: SourceText,
    edits: list[Edit],
    options: FrontendOptions,
    read: Callable[[str], bytes] | None,
) -> bool:
    after = _preprocessed(SourceText(source.path, apply_edits(source, edits)), options, read)
    return after is not None and _words(after.tokens) == _words(before.tokens)


def _words(tokens: list[Token]) -> list[str]:
    return [t.text for t in tokens if t.kind != "pragma"]


def _text(use: MacroUse, source: SourceText) -> str | None:
    """The body of the macro with the arguments' text in it; None where the body makes its own tokens."""
    macro = use.macro
    if macro is None or macro.builtin or any(t.kind == "pragma" for a in use.arguments for t in a):
        return None
    names = [*(macro.params or ()), *([macro.variadic] if macro.variadic else [])]
    given = dict(zip(names, use.arguments, strict=False))
    out = ""
    pasting = False
    for at, token in enumerate(macro.body):
        following = macro.body[at + 1].text if at + 1 < len(macro.body) else ""
        if token.text == "#" and following in given:
            return None  # a string of an argument's text
        if token.text == "##":
            pasting = True
            out = out.rstrip()
            continue
        argument = given.get(token.text) if token.kind == "id" else None
        text = token.text if argument is None else _argument(argument, source)
        if text is None:
            return None
        out += (" " if token.space and out and not pasting else "") + text
        pasting = False
    return out or None


def _argument(tokens: list[Token], source: SourceText) -> str | None:
    if not tokens:
        return ""
    if any(t.path != source.path or t.use is not None for t in tokens):
        return None
    return source.text[tokens[0].start : tokens[-1].end]
