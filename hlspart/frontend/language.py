"""Which language a file is of: by its name, by what it says, by what it includes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from hlspart.model.options import FrontendOptions
from hlspart.model.source import OWN, SourceText
from hlspart.reading import HEADER_SUFFIXES

Language = Literal["c", "c++"]

_CPP_SUFFIXES = (".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".C", ".cp")
_CPP_TEXT = re.compile(r"\b(?:template\s*<|namespace\b|class\s+\w|using\b|public:|ap_u?(?:int|fixed)\s*<)|::")
STANDARD_HEADERS = frozenset((
    "any", "atomic", "barrier", "bit", "charconv", "clocale", "compare", "concepts", "condition_variable",
    "coroutine", "csetjmp", "csignal", "cuchar", "cwchar", "cwctype", "execution", "expected", "filesystem",
    "format", "forward_list", "future", "latch", "locale", "mutex", "new", "numbers", "optional", "print", "ranges",
    "ratio", "regex", "scoped_allocator", "semaphore", "shared_mutex", "source_location", "span", "stack",
    "stop_token", "streambuf", "string_view", "syncstream", "system_error", "typeindex", "typeinfo", "valarray",
    "variant",
))  # fmt: skip
"""Headers of the standard library that the tool has no text for: their names are in ``std``."""
_DIRECTIVE = re.compile(r"^\s*#\s*(?:define|undef|include|if)", re.MULTILINE)


def language_of(path: str, options: FrontendOptions) -> Language:
    """By ``--lang``, else by suffix."""
    if options.language is not None:
        return options.language
    return "c++" if path.endswith(_CPP_SUFFIXES) else "c"


def languages(source: SourceText, known: Mapping[str, SourceText], options: FrontendOptions) -> Iterator[Language]:
    """As what to read a file, in this order: a header may be of either language, as those may be that it includes.

    ``known``: texts by path, among them those that the first reading includes.
    """
    language = language_of(source.path, options)
    yield language
    if language == "c" and options.language is None and source.path.endswith(".h"):
        included = (s for p, s in known.items() if p.endswith(HEADER_SUFFIXES) and not p.startswith(OWN))
        if any(_CPP_TEXT.search(s.text) for s in (source, *included)):
            yield "c++"


def is_for_others(source: SourceText) -> bool:
    """Whether a file that declares nothing is a header all the same: of macros, or of other headers."""
    return source.path.endswith(HEADER_SUFFIXES) and _DIRECTIVE.search(source.text) is not None
