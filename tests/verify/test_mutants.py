"""A slice of the single faults of :mod:`mutants`: nearly all that change something are seen."""

from __future__ import annotations

from collections import Counter

import mutants


def test_single_faults_of_banked_outputs_are_seen() -> None:
    tables = mutants.run(16, 3)
    total = sum(tables.values(), Counter[str]())
    assert total["seen"] + total["missed"] >= 10 and sum(table["seen"] > 0 for table in tables.values()) >= 6, tables
    assert total["missed"] == 0, tables
