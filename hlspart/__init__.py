"""hlspart: memory partitioning for high-level synthesis C, inferred, checked and rewritten.

>>> import hlspart
>>> kernel = hlspart.open("kernel.c", target="vitis-2022.2", top="f")

See docs/api.md; the names are those of :mod:`hlspart.api`, which is imported when one of them is used.
"""

from hlspart.version import __version__

TYPE_CHECKING = False  # for type checkers alone: typing is not imported for it

if TYPE_CHECKING:
    from hlspart.api import (
        AccessAnswer,
        AdviceAnswer,
        BankMap,
        BuffersAnswer,
        IIAnswer,
        InferAnswer,
        InputError,
        Kernel,
        LayoutAnswer,
        LintAnswer,
        RewriteAnswer,
        VerifyAnswer,
        advise,
        open,
        parse,
        reverse,
        unroll,
        verify,
    )

__all__ = [
    "AccessAnswer",
    "AdviceAnswer",
    "BankMap",
    "BuffersAnswer",
    "IIAnswer",
    "InferAnswer",
    "InputError",
    "Kernel",
    "LayoutAnswer",
    "LintAnswer",
    "RewriteAnswer",
    "VerifyAnswer",
    "__version__",
    "advise",
    "open",
    "parse",
    "reverse",
    "unroll",
    "verify",
]


def __getattr__(name: str) -> object:
    if name in __all__:
        from hlspart import api

        return getattr(api, name)
    raise AttributeError(f"module 'hlspart' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
