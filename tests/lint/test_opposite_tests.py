"""HLP437 knows an ``else if`` that holds where the test before it does not, however the two are spelled."""

from __future__ import annotations

import pytest
from lint_helpers import lint_of

BODY = """int f(const int a[16], int n, int m) {
  int x;
  if (ONE) x = 1;
  else if (OTHER) x = 2;
  return x;
}
"""


@pytest.mark.parametrize(("one", "other", "always"), [
    ("a[n+1] > 0", "a[n + 1] <= 0", True),
    ("!(n < m)", "n  <  m", True),
    ("a[ n ]", "!a[n]", True),
    ("n == (int)(m)", "n != (int) m", True),
    ("a[n + 1] > 0", "a[n + 2] <= 0", False),
    ("n < m", "n <= m", False),
    ("!a[n]", "!a[n]", False),
    ("n > 0", "(unsigned)n <= 0", False),
])  # fmt: skip
def test_opposite_tests(one: str, other: str, always: bool) -> None:
    rules = [d.rule for d in lint_of(BODY.replace("ONE", one).replace("OTHER", other)).diagnostics]
    assert ("HLP437" in rules) is not always
