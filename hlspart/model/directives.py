"""Directives: pragmas in the source, `hls_config.cfg` lines and Tcl commands, in one record type."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

from msgspec import Struct, field

from hlspart.model.source import Origin


class Unread(Struct, frozen=True):
    """What tokens tell of a pragma in text that is not read: what is around it, and every name of that text."""

    cause: str
    in_function: bool
    in_loop: bool
    names: frozenset[str]


class RawPragma(Struct, frozen=True):
    """A pragma as the frontend found it.

    ``text`` is what follows ``#pragma``, with continuations joined and comments removed;
    ``expanded`` is the same with macros expanded as defined at that place (the leading dialect
    word and option keywords are never expanded). ``function`` and ``loop`` (an id) are the
    innermost ones whose body holds it; ``block`` is the id of the Block that holds it.
    ``spelling`` is the form it was written in. ``unread``: it stands in text that is read as tokens only.
    ``open``: parameters of templates around it that have no argument.
    """

    index: int
    at: Origin
    text: str
    expanded: str
    function: str | None
    loop: int | None
    block: int | None
    spelling: Literal["#pragma", "_Pragma"] = "#pragma"
    unread: Unread | None = None
    open: frozenset[str] = frozenset()


class Option(Struct, frozen=True):
    """``name=value`` or a bare word (``value`` None); ``at`` is its place where it has one."""

    name: str
    value: str | None
    at: Origin


class Fault(Struct, frozen=True):
    """What is wrong with a directive; ``code`` is a stable kebab-case word, ``meant`` the word that it should say."""

    code: str
    message: str
    at: Origin
    hint: str | None = None
    fatal: bool = True  # the directive has no effect
    meant: str | None = None


class Directive(Struct, frozen=True):
    """One HLS directive, wherever it was written.

    ``kind`` is the lower-case Vitis name with underscores (``array_partition``, ``pipeline``,
    ``unroll``, ``bind_storage``, ...); ``dialect`` is "vitis" for all that hlspart acts on, else
    the foreign one ("autopilot" is
    ``#pragma AP``; "unknown" lacks the keyword HLS). ``options`` are all options as
    written, in order; ``values`` those with an evaluated integer value. ``function``/``loop`` are
    what it applies to; ``variables`` the resolved variable ids of ``variable=``/``port=``.
    ``modelled``: hlspart's II model knows what it does. ``source`` tells where it was written;
    ``pragma`` is the index of the RawPragma when it was in the source.
    """

    kind: str
    dialect: Literal["vitis", "smarthls", "accel", "bambu", "opencl", "autopilot", "unknown"]
    source: Literal["pragma", "cfg", "tcl"]
    at: Origin
    text: str
    options: tuple[Option, ...]
    values: Mapping[str, int]
    function: str | None
    loop: int | None
    variables: tuple[int, ...]
    problems: tuple[Fault, ...] = field(default=())
    modelled: bool = True
    pragma: int | None = None

    def option(self, name: str) -> str | None:
        """Value of an option by lower-case name ("" for a bare word), None when absent."""
        for item in self.options:
            if item.name == name:
                return item.value if item.value is not None else ""
        return None

    def choice(self, name: str, words: Collection[str]) -> str | None:
        """Lower-case value of ``name=``, or the first bare word that is one of ``words``; None when absent."""
        for item in self.options:
            if item.name == name and item.value is not None:
                return item.value.lower()
            if item.value is None and item.name in words:
                return item.name
        return None

    def has(self, flag: str) -> bool:
        """Whether a flag such as ``off`` or ``rewind`` is set (``off`` or ``off=true``)."""
        value = self.option(flag)
        return value is not None and value.lower() not in ("false", "0")

    @property
    def usable(self) -> bool:
        """No fatal problem."""
        return not any(p.fatal for p in self.problems)

    @property
    def asks_open_banks(self) -> bool:
        """Whether it partitions into a number of banks that nothing here says."""
        if self.kind != "array_partition" or self.dialect != "vitis":
            return False
        along = self.option("dim") is None or "dim" in self.values
        return along and {p.code for p in self.problems} == {"value-unknown"}


PartitionType = Literal["cyclic", "block", "complete"]
PARTITION_TYPES: tuple[PartitionType, ...] = ("cyclic", "block", "complete")


class PartitionRequest(Struct, frozen=True):
    """One ARRAY_PARTITION as the user wrote it, evaluated: 1-based ``dim``, 0 = all dimensions.

    ``factor`` is None for complete. ``off`` marks ``off=true``.
    """

    variable: int
    type: PartitionType
    factor: int | None
    dim: int
    directive: Directive
    off: bool = False
