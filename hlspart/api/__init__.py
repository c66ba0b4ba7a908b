"""The library: what the commands do, as calls. ``import hlspart`` gives these names; docs/api.md shows them at work.

A :class:`Kernel` is some files under some options. Its methods return answers: records with ``to_json()``, the
document that the command prints with ``--format json``, ``str()``, the text that it prints on a terminal, and a
table for notebooks. Nothing is written to a file, and nothing is changed in place.
"""

from hlspart.api.answers import (
    AccessAnswer,
    AdviceAnswer,
    Answer,
    BankMap,
    IIAnswer,
    LintAnswer,
    VerifyAnswer,
    bank_map,
)
from hlspart.api.calls import advise, open, parse, verify
from hlspart.api.changes import reverse, unroll
from hlspart.api.document import Document
from hlspart.api.exploration import ExploreAnswer
from hlspart.api.kernel import BuffersAnswer, InferAnswer, Kernel, LayoutAnswer, RewriteAnswer
from hlspart.inputs import InputError

__all__ = [
    "AccessAnswer", "AdviceAnswer",
    "Answer", "BankMap", "BuffersAnswer", "Document", "ExploreAnswer",
    "IIAnswer", "InferAnswer", "InputError", "Kernel",
    "LayoutAnswer", "LintAnswer",
    "RewriteAnswer", "VerifyAnswer", "advise", "bank_map", "open", "parse", "reverse", "unroll", "verify",
]  # fmt: skip
