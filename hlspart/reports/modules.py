"""Which functions of a program the modules of a report are: copies, instances and shortened names."""

from __future__ import annotations

import re

from hlspart.model.program import Call, Program, walk
from hlspart.semantics.effects import statement_expressions

NAME_LENGTH = 20  # of a function in the messages of Vivado HLS


def homes(function: str, program: Program) -> frozenset[str]:
    """Functions that a module may be of: the one of its name, and those of which it is another copy or instance.

    ``Split7``, ``Split_1``, ``Split_3_1`` and ``Split_clone_2`` are copies of Split, ``conv_c112`` one of conv_c1: of
    several names, the longest. ``conv_16_3_s`` and ``conv_16_3_7`` are ``conv<16, 3>``. A name does not begin with
    ``_`` (``p_shift`` is ``_shift``), may begin with that of the top, and has 20 characters at most in messages of
    Vivado HLS.
    """
    known = program.functions
    if function.startswith("p_") and function not in known and function[1:] in known:
        function = function[1:]
    bases = {f: re.split(r"[<(]", f)[0] for f in known}
    if function in known:
        return frozenset(f for f, base in bases.items() if function in (f, base))
    written = {f: _written(f) for f in known if "<" in f}
    plain = _numbers(function)
    instances = [f for f, text in written.items() if re.fullmatch(rf"{text}(s|\d*(_\d+)*)", plain)]
    if instances:
        return frozenset(instances)
    copies = {f: b for f, b in bases.items() if b and re.fullmatch(_COPY, function.removeprefix(b))}
    copies = {f: b for f, b in copies.items() if function.startswith(b)}
    if not copies:  # an instance whose arguments are written in another way
        copies = {f: b for f, b in bases.items() if f in written and function.startswith(f"{b}_")}
    if copies:
        longest = max(copies.values(), key=len)
        return frozenset(f for f, base in copies.items() if base == longest)
    short = re.sub(r"_\d+$", "", function)
    if len(short) == NAME_LENGTH:
        cut = [f for f, b in bases.items() if short in (b[:NAME_LENGTH], written.get(f, b)[:NAME_LENGTH])]
        if cut:
            return frozenset(cut)
    rest = next((function.removeprefix(f"{f}_") for f in known if f and function.startswith(f"{f}_")), None)
    return homes(rest, program) if rest is not None else frozenset()


_COPY = r"(_clone)*(_?\d+)*|(_\d+)*_s"


def _written(instance: str) -> str:
    """The name of an instance as tools write it: ``conv<16, 3ul>`` is ``conv_16_3_``."""
    return re.sub(r"\W+", "_", _numbers(instance))


def _numbers(name: str) -> str:
    """``name`` without the types of its numbers (``64ul``)."""
    return re.sub(r"(?<![A-Za-z0-9])(\d+)[uUlL]+|(?<=_)(\d+)[uUlL]+(?![A-Za-z])", r"\1\2", name)


def is_process(module: str) -> bool:
    """Whether a module is made of a loop or a block of a DATAFLOW region: ``top_Loop_2_proc14``, ``Block_proc``."""
    return re.search(r"(^|_)(Loop|Block|dataflow)_", module) is not None


def below(function: str, program: Program) -> frozenset[str]:
    """Functions that the function of a module calls, directly or not."""
    out: set[str] = set()
    waiting = [*homes(function, program)]
    while waiting:
        body = program.functions.get(waiting.pop())
        for root in statement_expressions(program, body.body) if body is not None else ():
            for expr in walk(root):
                name = (expr.function or "") if isinstance(expr, Call) else ""
                if name in program.functions and name not in out:
                    out.add(name)
                    waiting.append(name)
    return frozenset(out)
