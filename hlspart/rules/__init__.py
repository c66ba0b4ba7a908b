"""Lint rules: one module each, found by walking this package.

A rule module has a docstring that is its page (its first line says what it finds), a :class:`Rule`
named ``RULE``, and ``check(facts)``, which yields a diagnostic per finding. Modules whose name
begins with an underscore are not rules. A rule reports only what the records prove.
"""

__all__ = [
    "_base",
]
