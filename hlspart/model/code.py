"""What follows from the code of a program, computed once for all programs that differ in directives alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Concatenate, ParamSpec, TypeVar

from msgspec.structs import replace

from hlspart.model.program import Program
from hlspart.model.statements import Stmt

P = ParamSpec("P")
T = TypeVar("T")


def once_per_code(
    size: int, counts: Callable[[Program], object] = lambda _: None
) -> Callable[[Callable[Concatenate[Program, P], T]], Callable[Concatenate[Program, P], T]]:
    """Keep the last ``size`` results of a function of a program's code.

    Programs have the same code where they share their functions, variables, loops and sources, as one made by
    replacing directives does. ``counts``: what of the directives the result depends on, compared by value.
    """

    def kept(function: Callable[Concatenate[Program, P], T]) -> Callable[Concatenate[Program, P], T]:
        known: list[tuple[Program, object, T]] = []  # the latest last
        lock = Lock()

        @wraps(function)
        def run(program: Program, /, *args: P.args, **kwargs: P.kwargs) -> T:
            asked = args, kwargs, counts(program)
            with lock:
                for k in reversed(range(len(known))):
                    other, before, result = known[k]
                    if is_same_code(other, program) and before == asked:
                        known.append(known.pop(k))
                        return result
            result = function(program, *args, **kwargs)
            with lock:
                known.append((program, asked, result))
                del known[:-size]
            return result

        return run

    return kept


def of_code(change: Callable[Concatenate[Program, P], Program]) -> Callable[Concatenate[Program, P], Program]:
    """A change to a program's code that looks at no directive, made once: what it gives has one code as well."""

    @once_per_code(16)
    def changed(program: Program, /, *args: P.args, **kwargs: P.kwargs) -> Program | None:
        made = change(program, *args, **kwargs)
        return None if made is program else made

    @wraps(change)
    def run(program: Program, /, *args: P.args, **kwargs: P.kwargs) -> Program:
        made = changed(program, *args, **kwargs)
        if made is None:
            return program
        return replace(program, functions=made.functions, variables=made.variables, loops=made.loops)

    return run


def once_per_statement(function: Callable[[Program, Stmt], T]) -> Callable[[Program, Stmt], T]:
    """Keep what follows from single statements of the last programs, whatever their directives."""

    @once_per_code(32)
    def known(program: Program, /) -> dict[Stmt, T]:
        return {}

    @wraps(function)
    def run(program: Program, stmt: Stmt) -> T:
        results = known(program)
        if stmt not in results:
            results[stmt] = function(program, stmt)
        return results[stmt]

    return run


def is_same_code(one: Program, other: Program) -> bool:
    """Whether two programs differ in directives alone."""
    return (
        one.functions is other.functions
        and one.variables is other.variables
        and one.loops is other.loops
        and one.sources is other.sources
    )


def is_read_as(read: Program, made: Program) -> bool:
    """Whether a program as read from its text is the one that was made, but for the places of options in directives."""

    def records(program: Program) -> str:  # statements are equal to themselves alone, what they say is compared
        directives = [replace(d, options=tuple(replace(o, at=d.at) for o in d.options)) for d in program.directives]
        return repr((program.variables, program.functions, program.pragmas, directives))

    return read.loops.keys() == made.loops.keys() and records(read) == records(made)
