"""A slice of the single faults of :mod:`mutants`: nearly all that change something are seen."""

from __future__ import annotations

from collections import Counter

import mutants

from tests.amounts import amount


def test_single_faults_of_banked_outputs_are_seen() -> None:
    tables = mutants.run(amount(6, 16), 3)
    total = sum(tables.values(), Counter[str]())
    kinds = sum(table["seen"] > 0 for table in tables.values())
    assert total["missed"] == 0, tables
    assert total["seen"] >= amount(3, 10) and kinds >= amount(3, 6), tables
