"""A sample of the calibration sets on every test run; ``make accuracy`` runs all of them."""

import run

from hlspart.targets import load


def test_first_set_sample():
    """Each 30th row: every figure as reported."""
    rows = run.first_set(load(run.VITIS_2022_1), every=30)
    assert len(rows) == 31
    wrong = [r for r in rows if not r.ii_right or r.off]
    assert wrong == []


def test_second_set():
    """No II that contradicts a report; at least nine of ten iteration latencies within the larger of 1 and 10 %."""
    rows = run.second_set(load(run.VITIS_2022_2))
    assert len(rows) == 25
    assert [r for r in rows if not r.ii_right] == []
    assert sum(r.fair for r in rows) >= 23
    assert sum(r.predicted_ii is not None for r in rows) >= 24


def test_third_set():
    """Regression rows: no II that contradicts a report; nearly all iteration latencies within 1."""
    rows = run.third_set()
    assert len(rows) == 50
    assert [r for r in rows if r.wrong] == []
    assert sum(r.predicted_ii is not None for r in rows) == 50
    assert sum(r.near for r in rows) >= 48
