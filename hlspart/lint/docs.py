"""Pages of the rules, for docs/rules/ and ``hlspart explain``: both are the rule's own docstring."""

from __future__ import annotations

from hlspart.lint.catalogue import Entry, entries, find

_GROUPS = {
    "0": "cannot analyse",
    "1": "syntax and portability",
    "2": "ports and II",
    "3": "waste",
    "4": "scope and interfaces",
    "5": "expand",
    "6": "dataflow and streams",
    "9": "suppressions",
}


def explain(name: str) -> str | None:
    """The page of a rule by code or name; None when there is none."""
    entry = find(name)
    return None if entry is None else page(entry)


def page(entry: Entry) -> str:
    """Markdown of one rule."""
    rule = entry.rule
    head = f"# {rule.code} {rule.name}\n\n{entry.summary}. Severity: {rule.severity}."
    body = entry.page.split("\n", 1)[1].strip("\n") if "\n" in entry.page else ""
    return f"{head}\n\n{body}\n\n## Suppress\n`// hlspart: ignore[{rule.code}] -- why` on the line or the line above.\n"


def pages() -> dict[str, str]:
    """File name below docs/rules/ -> text: a page per rule and the index."""
    texts = {f"{e.rule.code}.md": page(e) for e in entries()}
    lines = [
        "# Lint rules", "",
        "Generated from the rules themselves by `make docs`. Vitis messages with a number are quoted; those without",
        "one are paraphrased, for their words differ from version to version.", "",
    ]  # fmt: skip
    for digit, title in _GROUPS.items():
        lines += [f"## {digit}xx: {title}", "", "| rule | name | severity | finds |", "|---|---|---|---|"]
        for e in entries():
            if e.rule.code[3] == digit:
                link = f"[{e.rule.code}]({e.rule.code}.md)"
                lines.append(f"| {link} | {e.rule.name} | {e.rule.severity} | {e.summary.lower()} |")
        lines.append("")
    texts["README.md"] = "\n".join(lines)
    return texts
