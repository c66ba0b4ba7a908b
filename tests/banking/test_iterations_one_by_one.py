"""Iterations looked at one after the other: which accesses of one need a port beside which others."""

from __future__ import annotations

from types import SimpleNamespace

from hypothesis import given, settings
from hypothesis import strategies as st

from hlspart.banking import listed
from hlspart.banking.accesses import are_exclusive

ARMS = st.dictionaries(st.integers(0, 3), st.integers(0, 2), max_size=3).map(lambda arms: tuple(sorted(arms.items())))
TOUCHES = st.lists(st.tuples(st.booleans(), ARMS, st.integers(0, 2)), min_size=1, max_size=9)


@settings(max_examples=300, deadline=None)
@given(TOUCHES)
def test_masks_of_neighbours_are_those_of_all_pairs(touches):
    group = [(SimpleNamespace(read=read, access=SimpleNamespace(branch=arms)), (e,)) for read, arms, e in touches]

    def meet(one, other):
        both_read = one[0].read and other[0].read and one[1] == other[1]
        return not both_read and not are_exclusive(one[0].access, other[0].access)

    pairs = [sum(1 << k for k, b in enumerate(group) if a is not b and meet(a, b)) for a in group]
    assert listed._neighbours(group) == pairs
