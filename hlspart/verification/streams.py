"""Which stream parameters a function reads from: those are filled before a run, the others begin empty."""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.program import ArrayRef, Call, Expr, Name, Program, StreamType, walk
from hlspart.semantics.effects import statement_expressions

#: So many words a stream holds before a run, and so many of those that it holds after it are compared.
WORDS = 256


def streams_read(program: Program, top: str) -> frozenset[int]:
    """Variable ids of the stream parameters of ``top`` that it, or what it hands them to, takes words from."""
    read, pending = set[int](), True
    while pending:
        more = {v for name in program.functions for v in _reads(program, name, read)} - read
        read |= more
        pending = bool(more)
    return frozenset(v for v in program.functions[top].params if v in read)


def _reads(program: Program, function: str, read: set[int]) -> Iterator[int]:
    """Streams that a function reads, those known to be ``read`` by what it calls included."""
    for root in statement_expressions(program, program.functions[function].body):
        for call in (e for e in walk(root) if isinstance(e, Call) and e.function):
            assert call.function is not None
            if call.function in ("stream.write", "stream.write_nb"):
                continue
            if call.function.startswith("stream."):
                yield from _streams(program, call.args[0])
                continue
            callee = program.functions.get(call.function)
            for k, argument in enumerate(call.args):
                if callee is None or k >= len(callee.params) or callee.params[k] in read:
                    yield from _streams(program, argument)


def _streams(program: Program, argument: Expr) -> Iterator[int]:
    if isinstance(argument, Name | ArrayRef) and isinstance(program.variable(argument.variable).type, StreamType):
        yield argument.variable
