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


@pytest.mark.parametrize(("before", "value", "found"), [
    ("if (W < 8) x = n;", "x", False),  # the arm that the constant leaves writes it
    ("if (W < 8) x = n; else x = m;", "x", False),
    ("if (n) x = 3;", "W > 8 ? x : 0", False),  # the read is left out
    ("if (W > 8) x = n;", "x", True),  # the write is
    ("if (W > 8) m = 1; if (n) x = 3;", "x", True),  # one constant test does not hide another fault
])  # fmt: skip
def test_a_constant_test_leaves_one_arm(before: str, value: str, found: bool) -> None:
    text = f"int f(int n, int m) {{\n  const int W = 4;\n  int x;\n  {before}\n  return {value};\n}}\n"
    assert ("HLP437" in [d.rule for d in lint_of(text).diagnostics]) is found
