"""From C text to the records of the II check, for the tests beside this file."""

from collections.abc import Sequence

from hlspart.accesses import analyse
from hlspart.frontend import load
from hlspart.model.options import FrontendOptions, TargetOptions
from hlspart.model.results import IIResult, LoopResult
from hlspart.partition import validate
from hlspart.predict import check
from hlspart.targets import load as load_target


def result(
    text: str, bank_model: str = "static", top: str | None = None, path: str = "k.c", **target: object
) -> IIResult:
    """The II check of one C text, or C++ by its path."""
    program = load([path], FrontendOptions(), read=lambda _: text.encode())
    assert program.units[0].error is None, program.units[0].error
    analysis = analyse(program, top)
    return check(program, analysis, validate(program, analysis), load_target(TargetOptions(**target)), bank_model)


def loop(text: str, name: str = "L", bank_model: str = "static", **target: object) -> LoopResult:
    """The loop called ``name``."""
    found = [x for x in result(text, bank_model, **target).loops if x.name == name]
    assert len(found) == 1, f"{len(found)} loops {name}"
    return found[0]


def pipelined_loop(text: str, **target: object) -> LoopResult:
    """The one pipelined loop, whatever flattening calls it."""
    (found,) = (x for x in result(text, **target).loops if x.pipelined)
    return found


def pipelined(body: str, pragmas: str = "", parameters: str = "int A[64], int x[64]", header: str = "") -> str:
    """A function with one pipelined loop L over i = 4..63."""
    start = header or "for (int i = 4; i < 64; i++)"
    return f"""int f({parameters}) {{
{pragmas}
    int acc = 0;
    L: {start} {{
#pragma HLS PIPELINE II=1
        {body}
    }}
    return acc;
}}
"""


def least_distance(rows: Sequence[tuple[tuple[int, ...] | None, tuple[int, ...] | None]]) -> int | None:
    """Iterations from a first access to a second one of the same element, at least; None where they never meet so.

    ``rows``: the elements of both per iteration, None where one does not run.
    """
    last: dict[tuple[int, ...], int] = {}
    distances = []
    for number, (first, second) in enumerate(rows):
        if second is not None and second in last:
            distances.append(number - last[second])
        if first is not None:
            last[first] = number
    return min(distances, default=None)
