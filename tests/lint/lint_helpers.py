"""Lint of kernels given as text."""

from __future__ import annotations

import re

from hlspart import lint
from hlspart.lint.config import LintConfig
from hlspart.model.linting import LintReport
from hlspart.model.options import FrontendOptions, Options, TargetOptions
from hlspart.pipeline import Pipeline


def lint_of(
    files: dict[str, str] | str,
    *,
    tool: str | None = None,
    config: LintConfig | None = None,
    defines: tuple[str, ...] = (),
) -> LintReport:
    """The report on some texts; a plain text is ``k.c``; ``.cfg`` and ``.tcl`` are directive files, ``.h`` headers."""
    texts = {"k.c": files} if isinstance(files, str) else files

    def read(path: str) -> bytes:
        if path not in texts:
            raise FileNotFoundError(2, "No such file", path)
        return texts[path].encode()

    directives = tuple(p for p in texts if p.endswith((".cfg", ".tcl")))
    options = Options(FrontendOptions(defines, directive_files=directives), TargetOptions(tool=tool))
    headers = tuple(p for p in texts if p.endswith(".h") and len(texts) > 1)
    pipeline = Pipeline([p for p in texts if p not in (*directives, *headers)], options, read)
    return pipeline.lint(config)


BLOCK = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```", re.M | re.S)


def blocks(section: str) -> tuple[dict[str, str], dict[str, str]]:
    """(files, options) of the code blocks of a rule's section: ```c tool=.., ```cpp, ```cfg, ```tcl."""
    files: dict[str, str] = {}
    options: dict[str, str] = {}
    for language, words, text in BLOCK.findall(section):
        files[{"c": "k.c", "cpp": "k.cpp", "cfg": "d.cfg", "tcl": "d.tcl"}[language]] = text
        for word in words.split():
            key, _, value = word.partition("=")
            options[key] = value
    return files, options


__all__ = ["blocks", "lint", "lint_of"]
