"""What is left out: what follows from another finding, and information of a kind that is reported already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from hlspart.model.diagnostics import Diagnostic, Related
from hlspart.rules._base import Facts, Rule

#: What rests on extents, trip counts and values, which a template has when its arguments are given.
_BY_FIGURES = frozenset(f"HLP{n}" for n in (110, 113, 114, *range(201, 222), *range(301, 309), 501, 610, 611, 612)) | {
    "HLP010",
    "HLP011",
}
_MOST_EACH = 4  # findings in one file of a rule that are reported one by one
_MOST_PLACES = 8  # that one finding names beside its own


def independent(facts: Facts, findings: Sequence[Diagnostic], rules: Mapping[str, Rule]) -> list[Diagnostic]:
    """Without the findings that a missing header or an argument of a template would settle."""
    broken = {unit.error for unit in facts.program.units if unit.error is not None}
    return [d for d in findings if d in broken or d.rule not in rules or not _follows(facts, d, rules[d.rule])]


def _follows(facts: Facts, item: Diagnostic, rule: Rule) -> bool:
    if (item.rule in _BY_FIGURES or (rule.names and item.rule != "HLP401")) and facts.is_in_template(item.place):
        return True
    needs_names = (rule.names or rule.limit) and facts.lacks_header(item.place.path)
    return needs_names and (item.severity == "info" or "not read:" in item.message)


def folded(findings: Sequence[Diagnostic], rules: Mapping[str, Rule], asked: Sequence[str]) -> list[Diagnostic]:
    """One finding in the place of all information of one kind; the rules ``asked`` for by name tell each place.

    Of a kind is what tells the same limit, and in one file what a rule says; what has a fix stays by itself.
    """
    kept: list[Diagnostic] = []
    first: dict[tuple[str, str], int] = {}
    more: dict[tuple[str, str], list[Diagnostic]] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for item in findings:
        rule = rules.get(item.rule)
        if rule is not None and rule.each:
            counts[item.rule, item.place.path] += 1
        many = rule is not None and (not rule.each or counts[item.rule, item.place.path] >= _MOST_EACH)
        brief = many and rule is not None and item.fix is None and not _asked(rule, asked)
        if rule is not None and brief and item.severity == "info":
            key = (item.rule, "" if rule.limit else item.place.path)
            if key in first:
                more.setdefault(key, []).append(item)
                continue
            first[key] = len(kept)
        kept.append(item)
    for key, others in more.items():
        head = kept[first[key]]
        places = "place" if len(others) == 1 else "places"
        message = f"{head.message} (and {len(others)} more {places}: --select {head.rule} tells each)"
        related = (*head.related, *(Related(d.place, d.message) for d in others[:_MOST_PLACES]))
        kept[first[key]] = replace(head, message=message, related=related)
    return kept


def _asked(rule: Rule, asked: Sequence[str]) -> bool:
    return any(name.lower() in (rule.code.lower(), rule.name) for name in asked)
