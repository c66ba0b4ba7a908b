"""Values with many cases or divisions are unknown, and say so; those with few are exact."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from hlspart.accesses import algebra, analyse
from hlspart.accesses.algebra import Pointer, Unknown
from hlspart.accesses.pointers import Pointers
from hlspart.accesses.scope import State
from hlspart.frontend import load
from hlspart.model.options import FrontendOptions
from hlspart.model.program import ArrayRef
from hlspart.sets.region import Regions, TooHard

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from scalar_programs import generate

from tests.amounts import amount


def indices(text: str) -> list[str | None]:
    """Of every access, why its index is not known (None: it is)."""
    program = load(["k.c"], FrontendOptions(), lambda _: text.encode())
    assert program.units[0].error is None
    return [a.reason for a in analyse(program).accesses]


def chain(step: str, length: int) -> str:
    """An index behind ``length`` steps, each of which uses the one before twice."""
    lines = "".join(f"int t{k + 1} = {step.format(p=f't{k}')};\n" for k in range(length))
    return (
        f"void f(int a[64], int x) {{ for (int i = 0; i < 64; i++) {{ int t0 = x + i;\n{lines}a[t{length}] = i; }} }}"
    )


STEPS = ("{p} + {p} / 2", "{p} * 3 / 2 - {p} % 3", "({p} & 7) + {p} / 5 - x / 3", "({p} > x ? {p} - 1 : {p} / 2 + 3)")


@pytest.mark.parametrize("step", amount(STEPS[2:], STEPS))
def test_chains_end_in_a_cause(step: str) -> None:
    assert indices(chain(step, 2)) == [None]
    (reason,) = indices(chain(step, 40))
    assert reason is not None and re.search("more than (16 cases|8 divisions)|too many values with cases", reason)


def test_many_cases_are_a_cause_too() -> None:
    tests = "".join(f"t = (x == {3 * k} ? i + {k * k} : t);\n" for k in range(30))
    (reason,) = indices(
        f"void f(int a[999], int x) {{ for (int i = 0; i < 9; i++) {{ int t = 0;\n{tests}a[t] = 1; }} }}"
    )
    assert reason is not None and "has more than 16 cases" in reason


def test_a_chain_that_adds_nothing_stays_exact() -> None:
    assert indices(chain("{p} - {p} % 3", 40)) == [None]


def test_a_function_has_one_budget() -> None:
    """Many lines with values of some size each."""
    lines = "".join(f"a[(x + {k}) / 3 + (x + i) % {k + 5}] = 1;\n" for k in range(450))
    reasons = indices(f"void f(int a[64], int x) {{ for (int i = 0; i < 64; i++) {{\n{lines}}} }}")
    assert reasons[0] is None and reasons[-1] is not None and "too many values with cases" in reasons[-1]


def test_arms_of_nested_selections_stay_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The addresses of bank-centric code: which of many accesses is in this bank."""
    banks = "".join(f"int b{k} = (i + {k} * j) % 7;\n" for k in range(24))
    select = " : ".join(f"b{k} == 3 ? {k} + i / 7" for k in range(24))
    seen: list[int] = []
    whole = State.within

    def within(self: State, where: object, exact: bool) -> State:
        made = whole(self, where, exact)  # type: ignore[arg-type]
        seen.append(algebra.divisions(made.dom))
        return made

    monkeypatch.setattr(State, "within", within)
    text = f"""void f(const int a[99], int o[99]) {{ for (int i = 0; i < 60; i++) for (int j = 0; j < 60; j++) {{
        {banks} o[i] = a[{select} : 0]; }} }}"""
    assert len(indices(text)) == 2
    assert len(seen) > 40 and max(seen) <= 8


def test_iterations_that_fall_into_many_pieces_are_too_hard() -> None:
    space = Regions(("i",), (1,))
    pieces = " or ".join(f"i = {3 * k}" for k in range(40))
    many = space.region(f"{{ [i] : {pieces} }}")
    assert many.meet(space.region("{ [i] : 0 <= i < 9 }")).points(99)[0] == [(0,), (3,), (6,)]
    with pytest.raises(TooHard, match="pieces"):
        many.meet(many)


def test_no_value_is_larger_than_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the operations on random programs are given: their cost grows with it."""
    seen: list[tuple[int, int]] = []
    whole = algebra.simplified

    def simplified(value: object) -> object:
        made = whole(value)  # type: ignore[arg-type]
        if not isinstance(made, algebra.Affine):
            seen.append((made.n_piece(), max(f.dim(algebra.isl.dim_type.div) for _, f in made.get_pieces())))
        return made

    monkeypatch.setattr(algebra, "simplified", simplified)
    for seed in range(amount(12, 25)):
        indices(generate(seed))
    assert len(seen) > amount(240, 500)
    # one operation multiplies the cases of two values, and adds their divisions in each
    assert max(pieces for pieces, _ in seen) <= algebra.MOST_CASES**2
    assert max(divisions for _, divisions in seen) <= 3 * algebra.MOST_DIVISIONS


def test_selections_among_what_is_not_known_are_left_at_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Banks in tables: a chain of 16 cases, each a shift by a value, which no number of cases makes known."""
    asked: list[object] = []
    bounds = algebra.bounds
    monkeypatch.setattr(algebra, "bounds", lambda *of: asked.append(of) or bounds(*of))
    place = "((unsigned)(40 - i) - 169u * ((unsigned)(40 - i) * 97u >> 14))"
    few = 0
    for cases in (2, 16):
        del asked[:]
        tests = " ".join(f"{place} < {20 * k}u ? 0x{k}23ull >> (3u * {place} & 63u) :" for k in range(1, cases))
        (reason,) = indices(
            f"void f(int a[64]) {{ for (int i = 0; i < 37; i++) {{ unsigned b = ({tests} 7ull) & 7u; a[b] = i; }} }}"
        )
        assert reason is not None and "shifts by a variable" in reason
        few = len(asked) if cases == 2 else few
    assert 0 < len(asked) <= few


def test_what_stands_in_such_arms_is_still_seen() -> None:
    """An access, an assignment and a call in an arm count, whatever the value of the others."""
    text = "int g(int); void f(int a[64], int b[64], int x) { for (int i = 0; i < 9; i++) { int t = 0; "
    text += "b[i] = x > i ? 1 << i : a[i + 2]; b[i + 9] = x > i ? 1 << i : (t = 5, 3); "
    text += "a[t] = 2; b[20] = (1 << i) + a[i]; } }"
    program = load(["k.c"], FrontendOptions(), lambda _: text.encode())
    assert [(program.variable(a.array).name, a.kind) for a in analyse(program).accesses] == [
        ("a", "read"), ("b", "write"), ("b", "write"), ("a", "write"), ("a", "read"), ("b", "write"),
    ]  # fmt: skip


def test_a_trial_walk_evaluates_no_subscripts_that_only_say_which_element(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which variables move is asked once for each candidate; subscripts are chains of selections in banked text.

    ``sum ^= ..`` makes each loop try its body; with and without the use of scalars being noted.
    """
    tried: list[str] = []
    place = Pointers.place

    def noted(self: Pointers, ref: ArrayRef, st: State) -> Pointer | Unknown:
        if self.trial:
            tried.append(self.program.variable(ref.variable).name)
        return place(self, ref, st)

    monkeypatch.setattr(Pointers, "place", noted)
    text = """int top(int a[64]) {
    int banks[4][8], sum = 0, k = 0;
    for (int n = 0; n < 8; n++) { banks[n & 3][n] = n; sum ^= banks[n % 3 ? n & 3 : 0][n]; k += 3; a[k] = sum; }
    return sum;
}"""
    program = load(["k.c"], FrontendOptions(), lambda _: text.encode())
    accesses = analyse(program).accesses
    named = [(program.variable(access.array).name, access.range) for access in accesses]
    assert [name for name, _ in named] == ["banks", "banks", "a"]
    assert named[2][1] == ((3, 24),)
    assert tried == ["banks", "a"], "the targets of stores alone are looked at"


def test_parameters_that_nothing_uses_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is assumed of 400 parameters would be a set of 400 dimensions; names keep clear of all of them."""
    assumed: list[str] = []
    between = algebra.between
    monkeypatch.setattr(algebra, "between", lambda name, *span: (assumed.append(name), between(name, *span))[1])
    params = ", ".join(f"int p{k}" for k in range(400))
    text = f"void f(int a[64], {params}) {{ for (int p7 = 0; p7 < 64; p7++) a[p7] = p3; a[p300 & 63] = 0; }}"
    program = load(["k.c"], FrontendOptions(), lambda _: text.encode())
    used, kept = (access.map for access in analyse(program).accesses)
    assert assumed == ["p7_2", "p3", "p300"]
    assert used is not None and "[p7_2] -> [p7_2]" in used  # p7 is the parameter's
    assert kept is not None and "[p300]" in kept


def test_numbers_of_thousands_of_bits_have_no_bounds() -> None:
    text = "#include <ap_int.h>\nvoid f(ap_int<20000> n, int A[8]) { for (int i = 0; i < n; i++) A[i & 7] = 0; }\n"
    assert analyse(load(["t.cpp"], FrontendOptions(), lambda _: text.encode())).accesses
