"""The directives of Vitis HLS and their options, as data.

Sources: the pragma reference of UG1399 (2020.1 to 2025.2) and the option definitions in AMD's open
clang front end. What the II model does not know is marked, so that a loop it touches gets no figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

OptionForm = Literal["int", "name", "word", "flag", "choice"]
"""int: constant expression; name: variable(s) of the program; word: free text; choice: one of some words."""


class OptionKind(Struct, frozen=True):
    """One option. A choice may also be written as the bare word, without ``name=``."""

    form: OptionForm
    required: bool | tuple[str, ...] = False  # names: unless one of those options is there
    words: tuple[str, ...] = ()
    least: int | None = None  # of an int


class DirectiveKind(Struct, frozen=True):
    """One directive.

    ``subject``: the option that names what it is about (``variable``, ``port``, ..). ``place``:
    "loop" needs an enclosing loop; "function" is about the function it stands in; "region" either.
    ``modelled``: hlspart's predictions account for it (or it provably does not change them).
    ``deprecated``: what to use instead.
    """

    name: str
    options: Mapping[str, OptionKind]
    subject: str | None
    place: Literal["loop", "function", "region"]
    modelled: bool
    deprecated: str | None = None

    def word_option(self, word: str) -> str | None:
        """The option that the bare ``word`` sets, if any."""
        if word in self.options and self.options[word].form == "flag":
            return word
        for name, option in self.options.items():
            if word in option.words:
                return name
        return None


_LEAST = {"+": 1, "0": 0, "-": -1}


def _options(text: str) -> dict[str, OptionKind]:
    """``name:form``, ``!`` required (``!other|third``: or one of those), ``name=a|b`` for a choice.

    ``name:int+`` for 1 or more, ``name:int0`` for 0 or more, ``name:int-`` for -1, which means the default, or more.
    """
    options = {}
    for item in text.split():
        said, mark, other = item.partition("!")
        required, (name, _, form) = (tuple(other.split("|")) if other else bool(mark)), said.partition(":")
        if "=" in name:
            name, _, words = name.partition("=")
            options[name] = OptionKind("choice", required, tuple(words.split("|")))
        else:
            kind = form.rstrip("+0-") or "flag"
            options[name] = OptionKind(kind, required, (), _LEAST.get(form[-1:]))  # type: ignore[arg-type]
    return options


def _kind(
    name: str,
    options: str = "",
    subject: str | None = None,
    place: Literal["loop", "function", "region"] = "function",
    modelled: bool = True,
    deprecated: str | None = None,
) -> DirectiveKind:
    return DirectiveKind(name, _options(options), subject, place, modelled, deprecated)


_PARTITION = "variable:name! factor:int+ dim:int type=block|cyclic|complete"
_INTERFACE_MODES = (
    "ap_none|ap_stable|ap_vld|ap_ack|ap_hs|ap_ovld|ap_fifo|ap_memory|bram|ap_bus|m_axi|axis|s_axilite"
    "|ap_ctrl_none|ap_ctrl_hs|ap_ctrl_chain|ap_auto"
)

KINDS: Mapping[str, DirectiveKind] = {
    kind.name: kind
    for kind in (
        _kind("array_partition", f"{_PARTITION} dynamic off", "variable"),
        _kind("array_reshape", f"{_PARTITION} object off", "variable"),
        _kind("pipeline", "ii:int+ rewind enable_flush off style=stp|flp|frp", None, "region"),
        _kind("unroll", "factor:int+ skip_exit_check off region type=partial|complete", None, "loop"),
        _kind("loop_tripcount", "min:int!max|avg max:int avg:int", None, "loop"),
        _kind("loop_flatten", "off", None, "loop"),
        _kind("loop_merge", "force", None, "region", modelled=False),
        _kind("inline", "off recursive region self all type=none"),
        _kind(
            "dependence",
            "variable:name cross_variables:name class=array|pointer type=inter|intra dependent=true|false"
            " direction=raw|war|waw distance:int+",
            "variable",
            "region",
        ),
        _kind("dataflow", "disable_start_propagation interval:int", None, "region"),
        _kind("stream", "variable:name! depth:int+ dim:int off type=fifo|pipo|shared|unsync", "variable"),
        _kind("bind_storage", "variable:name! type:word! impl:word latency:int-", "variable"),
        _kind(
            "resource",
            "variable:name! core:word!latency latency:int metadata:word ecc_mode:word"
            " memory_style=auto|distribute|block|uram",
            "variable",
            deprecated="bind_storage or bind_op",
        ),
        _kind("bind_op", "variable:name! op:word! impl:word latency:int-", "variable"),
        _kind(
            "interface",
            f"port:name mode={_INTERFACE_MODES} bundle:word register"
            " register_mode=forward|reverse|both|off depth:int offset:word"
            " latency:int0 clock:word name:word storage_type:word storage_impl:word num_read_outstanding:int+"
            " num_write_outstanding:int+ max_read_burst_length:int+ max_write_burst_length:int+ channel:word"
            " max_widen_bitwidth:int direct_io interrupt:word side_channel:word address:word metadata:word"
            " autorestart flush ports:name",
            "port",
        ),
        _kind("allocation", "instances:word! limit:int+ type=function|operation|core", None, "region"),
        _kind(
            "performance",
            "target_ti:word!target_tl target_tl:word assume_ti:word assume_tl:word unit=sec|cycle scope=loop|region",
            None,
            "region",
            modelled=False,
        ),
        _kind("aggregate", "variable:name! compact=bit|byte|none|auto", "variable"),
        _kind("disaggregate", "variable:name!", "variable", modelled=False),
        _kind("latency", "min:int0!max max:int0", None, "region", modelled=False),
        _kind("occurrence", "cycle:int+!", None, "region", modelled=False),
        _kind("protocol", "mode=floating|fixed", None, "region", modelled=False),
        _kind("expression_balance", "off", None, "region"),
        _kind("function_instantiate", "variable:name!", "variable"),
        _kind("stable", "variable:name!", "variable"),
        _kind("stable_content", "variable:name!", "variable"),
        _kind("reset", "variable:name! off", "variable"),
        _kind("top", "name:word"),
        _kind("clock", "domain:word"),  # UG902, set_directive_clock: of SystemC; elsewhere there is one clock
        _kind("alias", "ports:name! offset:word!distance distance:word", "ports", modelled=False),
        _kind("cache", "port:name! lines:int depth:int ways:int users:int type:word", "port", modelled=False),
        _kind("array_stencil", "variable:name! off", "variable", modelled=False),
        _kind("shared", "variable:name!", "variable", modelled=False, deprecated="stream type=shared"),
        _kind(
            "data_pack",
            "variable:name! instance:word byte_pad=struct_level|field_level",
            "variable",
            deprecated="aggregate",
        ),
        _kind("array_map", "variable:name! instance:word offset:int horizontal vertical", "variable", modelled=False),
    )
}

#: Words that only HLS pragmas begin with: a line that lacks the keyword HLS was meant as one.
DISTINCTIVE = frozenset(KINDS) - {
    "unroll", "inline", "cache", "shared", "top", "alias", "stream", "reset", "clock",
}  # fmt: skip
