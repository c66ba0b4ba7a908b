"""Programs are transformed as records; their text is made once, when it is asked for.

A transformation is a function from a program and what to do to a program and a :class:`forward.Forward` back to
where all came from; what it keeps keeps its origin in the user's text. :func:`emit.emit` gives the result its text and
its places in it. Calls expanded, structures apart, copies as loops and initial values as stores (:mod:`inline`,
:mod:`members`, :mod:`copy_loops`, :mod:`initial_stores`) are for analysis alone.
"""

__all__ = [
    "arms", "clone", "copy_loops", "copying", "dereferenced", "directives", "emit", "forward", "handed",
    "initial_stores", "inline", "lines", "members", "printer", "returns", "reverse", "tables", "text", "unroll",
]  # fmt: skip
