"""Independent elements as processes (order `space-time`): legal regions are written, equal in any order of elements."""

from __future__ import annotations

import itertools
import json
import random
import re
import shutil
from pathlib import Path

import pytest

from tests.amounts import amount
from tests.expand.nests import random_nest, verdict
from tests.expand.running import differing, open_text, plan_of
from tests.expand.test_expand import run

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")

HEAD = "void f(int a[64], int b[64], int c[24][24], int o[2]) {\n    int s = o[0], t = o[1];\n"
TAIL = "    o[0] = s;\n    o[1] = t;\n}\n"

#: Body, loops to expand, and whether loading, elements and storing must follow one another.
FORMS = {
    "rows": ("L: for (int i = 0; i < 24; i++) for (int j = 0; j < 24; j++) c[i][j] = a[i] * b[j];", "L", False),
    "rows with gaps": ("L: for (int i = 1; i < 20; i += 2) { int x = a[i];\n// one row\n"
                       "for (int j = 0; j < 24; j++) c[i][j] = x + j; }", "L", False),
    "in place": ("L: for (int i = 0; i < 21; i++) a[i + 1] = a[i + 1] * 3 + b[i];", "L", True),
    "under a condition": ("L: for (int i = 0; i < 21; i++) if (b[i] > 3) a[i] = b[i];", "L", True),
    "backwards": ("L: for (int i = 20; i > 2; i -= 3) a[i] = b[20 - i];", "L", False),
    "a triangle": ("L: for (int i = 0; i < 17; i++) for (int j = i; j < 20; j++) c[i][j] = a[j];", "L", False),
    "a sum": ("L: for (int i = 0; i < 22; i++) s += a[i] * b[i];", "L", False),
    "a maximum": ("L: for (int i = 0; i < 22; i++) if (a[i] > s) s = a[i];", "L", False),
    "a sum in an element": ("for (int k = 0; k < 5; k++) {\nL: for (int i = 0; i < 22; i++) a[k] += c[k][i] * 2; }",
                            "L", False),
    "a sum of other elements": ("for (int k = 1; k < 5; k++) {\nL: for (int i = 0; i < k; i++) a[k] -= a[i]; }",
                                None, False),
    "a histogram": ("L: for (int i = 0; i < 60; i++) a[b[i] & 15] += i;", "L", False),
    "least values": ("L: for (int i = 0; i < 60; i++) if (b[i] < a[i & 7]) a[i & 7] = b[i];", "L", True),
    "a last value": ("L: for (int i = 0; i < 13; i++) { s = a[i]; b[i] = s + 1; }", "L", False),
    "a last row": ("L: for (int i = 0; i < 9; i++) for (int j = 0; j < 12; j++) { b[j] = a[i + j]; c[i][j] = b[j]; }",
                   "L", False),
    "a line of one's own": ("int line[24];\nL: for (int i = 0; i < 23; i++) {\n"
                            "for (int j = 0; j < 24; j++) line[j] = a[j] + i;\n"
                            "for (int j = 0; j < 24; j++) c[i][j] = line[23 - j]; }", "L", False),
    "a loop around": ("for (int k = 0; k < 3; k++) {\nL: for (int i = 0; i < 10; i++) c[k][i + k] = a[i] + k; }",
                      "L", False),
    "two loops": ("L: for (int i = 0; i < 11; i++) {\nM: for (int j = 0; j < 7; j++) c[i][j + 1] = a[i] - b[j]; }",
                  "L,M", False),
    "a sum over two loops": ("L: for (int i = 0; i < 11; i++) {\nM: for (int j = 0; j < 7; j++) s += c[i][j]; }",
                             "L,M", False),
    "columns of sums": ("L: for (int i = 0; i < 11; i++) {\nM: for (int j = 0; j < 7; j++) b[j] += c[i][j]; }",
                        "L,M", False),
}  # fmt: skip


@pytest.mark.parametrize("form", [*FORMS][:: amount(4, 1)])
def test_every_form_is_written_and_computes_the_same_in_any_order(form: str, tmp_path: Path) -> None:
    body, loops, phases = FORMS[form]
    text = f"{HEAD}    {body}\n{TAIL}"
    pairs = []
    for pes, kinds in itertools.product((2, 3, 5), itertools.product(("cyclic", "block"), repeat=2)):
        many = 2 if loops == "L,M" else 1
        plan, new = plan_of(open_text(text), loops or "L", (pes, 3)[:many], maps=kinds[:many], order="space-time")
        if loops is None:
            assert new is None and plan.expansion.judgement.code in ("dataflow-form", "trip-count")
            continue
        assert new is not None, plan.expansion.judgement
        elements = pes * (3 if many == 2 else 1)
        assert len(re.findall(r"^    f_L_pe\(", new, re.M)) == elements
        assert ("f_L_run(" in new) == phases and new.count("#pragma HLS DATAFLOW") == 1
        if "// one row" in text:
            assert "// one row" in new
        pairs.append((f"{pes} {kinds}", text, new))
    assert len(pairs) == (0 if loops is None else 12)
    if pairs:
        assert differing(pairs, tmp_path) == []


def test_no_array_has_two_users_in_a_region() -> None:
    """In a DATAFLOW function every copy is named once as an argument of an element, and once of a load or store."""
    text = f"{HEAD}    {FORMS['in place'][0]}\n{TAIL}"
    _, new = plan_of(open_text(text), "L", (4,), order="space-time")
    assert new is not None
    (region,) = re.findall(r"#pragma HLS DATAFLOW\n((?:    .*\n)+)", new)
    given = [x for call in re.findall(r"\((.*)\)", region) for x in call.split(", ") if not x.isdigit()]
    assert len(given) == len(set(given)) == 8  # a and b, four elements


SCOPED = (
    ("typedef int T;", "T x = a[i];"),
    ("enum { K = 3, M };", "int x = a[i] + M;"),
    ("struct P { int y; };", "struct P q = {a[i]}; int x = q.y;"),
)


@pytest.mark.parametrize(("declared", "used"), SCOPED)
def test_what_a_function_declares_is_not_known_in_another(declared: str, used: str) -> None:
    text = f"{HEAD}    {declared}\n    L: for (int i = 0; i < 20; i++) {{ {used} b[i] = x; }}\n{TAIL}"
    plan, new = plan_of(open_text(text), "L", (2,), order="space-time")
    assert plan.expansion.judgement.code == "dataflow-form" and new is None
    assert "known in f only" in (plan.expansion.judgement.reason or "")


def test_what_the_loop_declares_is_known_in_its_function(tmp_path: Path) -> None:
    texts = [f"{HEAD}    L: for (int i = 0; i < 20; i++) {{ {d} {u} b[i] = x; }}\n{TAIL}" for d, u in SCOPED[:2]]
    pairs = [(str(k), t, plan_of(open_text(t), "L", (2,), order="space-time")[1] or "") for k, t in enumerate(texts)]
    assert all(new for _, _, new in pairs)
    assert differing(pairs, tmp_path) == []


def test_random_nests(tmp_path: Path) -> None:
    """Verdicts are those of an enumeration, hardly any legal region is refused, and the texts compute the same."""
    pairs, counts, refused = [], {True: 0, False: 0}, 0
    for seed in range(7000, 7000 + amount(20, 60)):
        rng = random.Random(seed)
        nest = random_nest(rng)
        text = nest.c("f")
        pipeline = open_text(text)
        for pes, kind in ((rng.randint(2, 5), "cyclic"), (rng.randint(2, 4), "block")):
            plan, new = plan_of(pipeline, "L", (pes,), maps=(kind,), order="space-time")
            judgement, wanted = plan.expansion.judgement, verdict(nest, pes, kind == "block", lockstep=False)
            counts[wanted] += 1
            refused += judgement.verdict == "refused"
            assert judgement.verdict == "refused" or judgement.legal == wanted, (seed, pes, kind, judgement)
            if new is not None:
                pairs.append((f"{seed} {pes} {kind}", text, new))
    few = amount(1, 3)
    assert counts[True] > 20 * few and counts[False] > 6 * few and refused <= 2 and len(pairs) > 20 * few
    assert differing(pairs, tmp_path) == []


def test_figures_are_those_of_the_text(tmp_path: Path) -> None:
    """The cycles that are said are those of the prediction for the text as written; the elements' DSP blocks add up."""
    text = """void f(const int a[64][32], const int x[32], int y[64]) {
ROWS: for (int i = 0; i < 64; i++) {
        int s = 0;
        for (int j = 0; j < 32; j++) {
#pragma HLS PIPELINE II=1
            s += a[i][j] * x[j];
        }
        y[i] = s;
    }
}
"""
    (tmp_path / "f.c").write_text(text)
    said = run("expand", "f.c", "--loop", "ROWS", "--pe", "4", "--order", "space-time", "-o", "g.c", "--format",
               "json=e.json", cwd=tmp_path)  # fmt: skip
    assert said.returncode == 0, said.stderr
    (file,) = json.loads((tmp_path / "e.json").read_text())["files"]
    (region,) = file["regions"]
    whole = []
    for name in ("f.c", "g.c"):
        (after,) = json.loads(run("ii", name, "--format", "json", cwd=tmp_path).stdout)["files"]
        whole.append(next(f for f in after["functions"] if f["name"] == "f"))
    cycles = [f["latency"]["max"] for f in whole]
    assert region["cycles"]["before"] - region["cycles"]["after"] == cycles[0] - cycles[1] != 0
    elements = next(f for f in after["functions"] if f["name"] == "f_ROWS_pe")["resources"]["dsp"]
    assert region["resources"]["dsp"] == [elements, 4 * elements] and elements > 0
