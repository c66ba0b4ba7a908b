"""Formats of a lint report, one file each; each module has ``render(report) -> str``."""

from __future__ import annotations

from collections.abc import Callable

from hlspart.model.linting import LintReport
from hlspart.render.lint import concise, contract, github, gitlab, junit, rdjson, sarif, text

FORMATS: dict[str, Callable[[LintReport], str]] = {
    "text": text.render,
    "concise": concise.render,
    "json": contract.render,
    "sarif": sarif.render,
    "github": github.render,
    "gitlab": gitlab.render,
    "junit": junit.render,
    "rdjson": rdjson.render,
}
