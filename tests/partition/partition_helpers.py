"""Validation of kernels given as text."""

from __future__ import annotations

from hlspart.accesses import analyse
from hlspart.frontend import load
from hlspart.model.access import AccessAnalysis
from hlspart.model.options import FrontendOptions
from hlspart.model.program import Program
from hlspart.model.results import PragmaStatus, Validation
from hlspart.partition import validate


def validated(text: str, **files: str) -> tuple[Program, AccessAnalysis, Validation]:
    """Program, accesses and validation of ``text``; ``files`` are directive files by name with _ for the dot."""
    texts = {"k.c": text, **{name.replace("_", "."): body for name, body in files.items()}}
    options = FrontendOptions(directive_files=tuple(p for p in texts if p != "k.c"))
    program = load(["k.c"], options, lambda path: texts[path].encode())
    assert program.units[0].error is None, program.units[0].error
    analysis = analyse(program)
    return program, analysis, validate(program, analysis)


def partitions(validation: Validation) -> list[PragmaStatus]:
    """Statuses of the ARRAY_PARTITION directives."""
    return [s for s in validation.statuses if "array_partition" in s.text.lower()]
