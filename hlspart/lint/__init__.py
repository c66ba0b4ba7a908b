"""Lint: rules over the records of the analyses, suppression, configuration, baselines, fixes."""

from hlspart.lint.catalogue import catalogue
from hlspart.lint.config import LintConfig
from hlspart.lint.docs import explain, pages
from hlspart.lint.engine import run
from hlspart.lint.ranked import with_ways

__all__ = [
    "LintConfig",
    "baseline",
    "catalogue",
    "changes",
    "config",
    "engine",
    "explain",
    "fixes",
    "pages",
    "run",
    "with_ways",
]
