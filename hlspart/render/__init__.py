"""Records and shapes -> text, JSON, HTML and more, one file each."""

__all__ = [
    "advise",
    "buffers",
    "cards",
    "expand",
    "explain",
    "explore",
    "html",
    "ii",
    "json",
    "layout",
    "lint",
    "lives",
    "mars",
    "notebook",
    "record",
    "screen",
    "shapes",
    "svg",
    "table",
    "text",
]
