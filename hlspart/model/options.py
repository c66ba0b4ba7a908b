"""Options that several commands share, as one immutable record (contract, "All commands")."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace


class FrontendOptions(Struct, frozen=True):
    """How to read C: ``-D``, ``-U``, ``-I``, language, directive files and templates to instantiate."""

    defines: tuple[str, ...] = ()  # "NAME" or "NAME=value"
    undefines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    directive_files: tuple[str, ...] = ()
    language: Literal["c", "c++"] | None = None  # None: by suffix
    stdin_filename: str = "<stdin>"
    instantiate: tuple[str, ...] = ()  # "ns::f<float, 8>"


class TargetOptions(Struct, frozen=True):
    """What to predict for; None means the default of the profile."""

    part: str | None = None
    tool: str | None = None
    clock_ns: float | None = None
    uncertainty: str | None = None  # "2.7" (ns) or "27%"
    flow: Literal["vivado", "vitis"] | None = None  # None: vivado
    target_file: str | None = None
    settings: tuple[tuple[str, str], ...] = ()  # configuration of a project: ("config_compile.pipeline_loops", "0")


class Options(Struct, frozen=True):
    """Everything an analysis depends on beside the text of the files."""

    frontend: FrontendOptions = field(default_factory=FrontendOptions)
    target: TargetOptions = field(default_factory=TargetOptions)
    top: str | None = None
    bank_model: Literal["static", "ideal"] = "static"
    settings: str | None = None  # settings file that some of this comes from


class InferOptions(Struct, frozen=True):
    """Options of ``infer`` (contract). ``target_ii`` None: 1 for every innermost loop without its own."""

    target_ii: int | None = None
    ports: int | None = None
    arrays: tuple[str, ...] = ()
    scheme: Literal["auto", "pragma", "any", "reuse"] = "auto"
    max_banks: int | None = None
    pow2: bool = False
    keep: bool = False
    effort: int = 1
    objective: Literal["banks", "bram", "lut"] = "banks"
    pareto: bool = False
    at_any_price: bool = False  # without the usual bound on banks, for the curve
    beside: bool = False  # for a file of directives: pragmas of the source stay where they serve
    sparing: bool = False  # large arrays stay in memories under scheme "pragma", too, unless max_banks is given
    hints: bool = False  # say what the next unroll factor would gain

    @property
    def usual(self) -> bool:
        """Whether nothing is asked for but what the source asks: the targets that the advice is about."""
        return replace(self, effort=1, hints=False, pareto=False) == InferOptions()

    @property
    def rewriting(self) -> str | None:
        """The options with which ``rewrite`` writes what these find; None where it has none."""
        asked = replace(self, arrays=(), hints=False, pareto=False)
        words = "--infer --style crossbar"
        return (
            words
            if asked == InferOptions()
            else f"{words} --scheme any"
            if asked == InferOptions(scheme="any")
            else None
        )

    @property
    def by_pragma(self) -> InferOptions:
        """The same for pragmas alone, where they are one way of several: as sparing of registers as before."""
        return replace(self, scheme="pragma", sparing=self.sparing or self.scheme != "pragma")


MOST_WORK = 6_000


class RewriteOptions(Struct, frozen=True):
    """Options of ``rewrite`` (contract)."""

    style: Literal[
        "auto", "split", "bankdim", "crossbar", "reuse", "interchange", "scalars", "dependences", "bundles"
    ] = "auto"
    dynamic: Literal["reject", "bankdim", "crossbar"] = "reject"
    infer: bool = False
    split_top: bool = False
    unroll: bool = False
    clone: bool = False
    split_struct: bool = False
    dialect: Literal["c", "hls-library"] = "c"  # how bank-centric code says its loads
    reassoc: bool = False  # sums of floats may be taken in another order
    withheld: tuple[tuple[str, str], ...] = ()  # arrays that keep their text, by name, and why
    most_work: int = MOST_WORK  # scheduled operations in the texts that are looked at: beyond, no further one is
    scheme: Literal["auto", "any"] = "auto"  # of the inference


class AdviceOptions(Struct, frozen=True):
    """Options of ``advise``. ``pareto``: all ways that no other beats; ``reassoc``: sums of floats may change their
    order; ``new_ports``: the signature of top functions may change."""

    pareto: bool = False
    reassoc: bool = False
    new_ports: bool = False


class BufferOptions(Struct, frozen=True):
    """Options of ``buffers``. ``granule``: which memory counts first, the blocks (bram) or the bytes."""

    granule: Literal["bram", "bytes"] = "bram"
    share: bool = True
