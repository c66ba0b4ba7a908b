"""What an ``hls_config.cfg`` or a Tcl project script says about a build."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct, field

from hlspart.model.diagnostics import Diagnostic


class ProjectFile(Struct, frozen=True):
    """Sources, top function, flags, device and clock of a project; directives are read apart.

    Paths are as the file gives them, made relative to the current folder through the file's own
    folder. ``clock_ns`` is a period; ``uncertainty`` is ``"27%"`` or nanoseconds as text; ``settings``
    holds every other ``key = value`` (cfg keys, or Tcl ``config_compile.pipeline_loops``). ``files``
    are the files read (a script may source others).
    """

    path: str
    form: Literal["cfg", "tcl"]
    sources: tuple[str, ...] = ()
    testbench: tuple[str, ...] = ()
    top: str | None = None
    cflags: tuple[str, ...] = ()
    part: str | None = None
    clock_ns: float | None = None
    uncertainty: str | None = None
    flow: Literal["vivado", "vitis"] | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def defines(self) -> tuple[str, ...]:
        """``-D`` of the flags, as ``NAME`` or ``NAME=value``."""
        return tuple(self._flags("-D"))

    @property
    def undefines(self) -> tuple[str, ...]:
        """``-U`` of the flags."""
        return tuple(self._flags("-U"))

    @property
    def include_dirs(self) -> tuple[str, ...]:
        """``-I`` of the flags."""
        return tuple(self._flags("-I"))

    def _flags(self, letter: str) -> Iterator[str]:
        flags = iter(self.cflags)
        for flag in flags:
            if flag == letter:
                value = next(flags, None)
                if value is not None:
                    yield value
            elif flag.startswith(letter):
                yield flag[2:]
