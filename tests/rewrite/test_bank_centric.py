"""Bank-centric code: what moves, what is forwarded, what stays in place; every output runs like its original."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import bodies
import generator
import pytest
from rewrite_help import WARNINGS, analysed, banked, banked_as, outputs

from hlspart.layouts.lattice import linear
from hlspart.model.options import InferOptions, Options, RewriteOptions, TargetOptions
from hlspart.model.rewriting import RewriteResult, lut_levels
from hlspart.pipeline import Pipeline
from hlspart.rewrite import rewrite
from hlspart.targets import load
from hlspart.verification import VerifyOptions, verify
from tests.amounts import amount

FORMS = {
    "read behind a store": "A[i] = i; s += A[i]; A[i + 1] = s; s += A[i + 2] + A[i + 1];",
    "in one statement": "s += (A[i] = 3 * i) + 1; A[i + 1] = A[i] = s & 7; A[i] += A[i + 2];",
    "behind a store that may happen": "if (i & 1) { A[i] = 5; s += A[i]; } else A[i + 1] -= 2;\n s += A[i + 1]++;",
    "stores that may meet": "A[i] = 1; A[7] = 2; A[9 - i] = 3; s += A[i];",
    "loop header": "for (int w = A[i] & 3; w < (A[i + 1] & 7); w++) s += w;\n while (A[i] > 9) A[i] -= 7;",
    "jump": "if (A[i] & 2) continue;\n A[i + 1] = s++;\n if (s > 90) break;\n A[i] = s--;",
    "inner loop and outside": "A[i] = 2; for (int w = 0; w < 2; w++) s += A[i + w];\n A[i + 3] = s & 15;",
    "index that is not a sum": "A[i / 2] += i; s += A[i % 3]; A[(i + 1) / 2]++;",
    "a name for an index": "int q = i + 1; A[q] = i; s += A[q + 1];",
    "ternary and shortcut": "s += A[i] > 4 ? A[i + 1] : A[i + 2]; if (A[i] > 3 && A[i + 3]) A[i] = 0;",
}
STEPS = """int A[20];
#pragma HLS array_partition variable=A type=cyclic factor=3
    for (int i = 0; i < 20; i++) A[i] = i;
    int i = 0;
    while (i < 14) { i++; s += A[i]; A[i + 3] = s & 15; i += 1; s ^= A[i]; }
    for (i = 0; i < 15;) { s += A[i]; i++; }
    for (i = 12; i-- > 2;) { A[i] ^= 5; s += A[i + 1]; }
    for (unsigned k = 9; k-- > 0;) A[k] += A[2 * k];
    for (int k = 0; k < 12;) { k++; for (int j = 0; j < 2; j++) A[k + j] += A[k + 1]; }
    for (int k = 0; k < 4; k++) { if (s & 1) { int A[3] = {1, k};
#pragma HLS array_partition variable=A type=cyclic factor=2
        A[2] = s; s += A[1]; } s ^= A[k]; }
    for (int k = 0; k < 15; k++) { int q = k; { int k = 3; A[k + q] = 1; s += A[k]; } s += A[k]; }"""
NESTED = "s += (((a[i]).v))[1] = i; if (s == 7) continue; s ^= (*(a + i + 1)).x -= 3; s += (i[a].y) += 2;"
STRUCTS = "a[i].x = i; a[i].y += 2; s += a[i].x + a[i + 1].y; a[i + 2] = a[i]; if (i & 1) a[i].v[i & 1] = s;"


def kernel(name: str, body: str, declaration: str, array: str, first: str) -> str:
    return f"""int {name}(int s);
int {name}(int s)
{{
    {declaration};
#pragma HLS array_partition variable={array} type=cyclic factor=3
    for (int i = 0; i < 14; i++) {{ {first} }}
    for (int i = 0; i < 10; i++) {{
        {body}
    }}
    for (int i = 0; i < 14; i++) s = (s * 3 & 0xffff) + {array}[i]{".x" if array == "a" else ""};
    return s;
}}
"""


def same(texts: list[str], news: list[str], names: list[str], folder: Path) -> None:
    main = "#include <stdio.h>\n" + "".join(f"int {n}(int);\n" for n in names) + "int main(void) {"
    main += "".join(f' for (int k = 0; k < 4; k++) printf("{n} %d\\n", {n}(k));' for n in names) + " return 0; }\n"
    assert outputs(folder, "new", news, main) == outputs(folder, "old", texts, main)


def test_forms(tmp_path: Path) -> None:
    texts, names = [], []
    for number, body in enumerate(FORMS.values()):
        texts.append(kernel(f"f{number}", body, "int A[14]", "A", "A[i] = (5 * i) & 15;"))
        names.append(f"f{number}")
    structs = "struct p { int x; short y; int v[2]; } a[14]"
    first = "a[i].x = i; a[i].y = 1; a[i].v[0] = 0; a[i].v[1] = 0;"
    texts += [kernel(name, body, structs, "a", first) for name, body in (("g", STRUCTS), ("h", NESTED))]
    results = [banked(t, style="crossbar") for t in texts]
    assert all(o.status == "rewritten" for r in results for o in r.outcomes), [r.outcomes for r in results]
    same(texts, [r.files["p.c"] for r in results], [*names, "g", "h"], tmp_path)


def test_iterators_that_change_in_the_body(tmp_path: Path) -> None:
    text = f"int h(int s);\nint h(int s)\n{{\n    {STEPS}\n    return s + A[9] + A[3];\n}}\n"
    result = banked(text, style="crossbar")
    assert [o.status for o in result.outcomes] == ["rewritten", "rewritten"]
    same([text], [result.files["p.c"]], ["h"], tmp_path)


def test_two_members_in_one_expression_are_refused() -> None:
    declaration = "struct p { int x; int y; } a[14]"
    result = banked(kernel("g", "a[i].x = a[i].y = i;", declaration, "a", "a[i].x = i; a[i].y = 1;"), style="crossbar")
    assert [(o.status, o.code) for o in result.outcomes] == [("refused", "struct")]


def test_what_cannot_move_says_why() -> None:
    def reasons(body: str) -> set[str | None]:
        result = banked(kernel("f", body, "int A[14]", "A", "A[i] = i;"), style="crossbar")
        return {c.in_place for c in result.crossbars}

    assert reasons(FORMS["read behind a store"]) == {None}
    assert reasons(FORMS["in one statement"]) == {None}
    assert reasons(FORMS["loop header"]) == {None, "an access in a loop's header"}
    assert "a jump could skip the stores at the end" in reasons(FORMS["jump"])


def test_a_store_is_forwarded_and_not_loaded() -> None:
    result = banked(kernel("f", "A[i] = i; s += A[i];", "int A[14]", "A", "A[i] = i;"), style="crossbar")
    body = result.crossbars[1]
    assert (body.accesses, body.loads, body.stores) == (2, 0, 1)
    assert "s += A_d0;" in result.files["p.c"]


def test_what_is_always_in_one_bank_needs_no_choice(tmp_path: Path) -> None:
    body = "A[1] += i; A[3 * (i / 4) + 2] ^= 1; if (s & 1) A[i] = A[6] + A[3 * (i & 1) + 1]; A[0] = s;"
    body += " for (int k = 0; k < 3; k++) A[3 * k + 2] = A[3 * k] + A[3];"
    text = kernel("f", body, "int A[14]", "A", "A[i] = i;")
    result = banked(text, style="crossbar")
    new = result.files["p.c"]
    same([text], [new], ["f"], tmp_path)
    inner = new[new.index("for (int k") :].split("}")[0]
    assert "A_BANK" not in inner and "A_1[" not in inner  # 3 k + 2 and 3 k: banks 2 and 0, no choice
    assert "            A_2[A_w2] = A_d2;" in inner and "A_p1_0 = A_0[1];" in inner


@pytest.mark.parametrize(("end", "claimed"), [(3, True), (4, False)])
def test_dependences_in_a_nest_of_one_iteration(end: int, claimed: bool) -> None:
    """The domain of a loop of one iteration is written with its value; the proof is the same."""
    body = f"for (int o = 2; o < {end}; o++) for (int j = 2; j < 9; j += 2) A[j - 2] = A[j];"
    text = "int f(int s);\nint f(int s)\n{\n    int A[14] = {1, 2, 3};\n"
    text += f"#pragma HLS array_partition variable=A type=cyclic factor=3\n    {body}\n    return s + A[0];\n}}\n"
    new = banked(text, style="crossbar").files["p.c"]
    # Each o reads what the one before has written.
    assert ("type=inter direction=RAW dependent=false" in new) == claimed


LOOP = "for (int i = 0; i < 10; i++) {\n#pragma HLS PIPELINE II=1\n"
STUCK = LOOP + "s = A[i + 1] + A[i + 2]; if (s > 90) break; A[i] = s; }"
FREE = LOOP + "s += A[i] + A[i + 1] + A[i + 2]; }"


def auto(body: str) -> RewriteResult:
    """What ``auto`` makes of ``body`` around an array whose banks a tool cannot tell apart."""
    text = "int f(int s);\nint f(int s)\n{\n    int A[14] = {1, 2, 3};\n"
    text += "#pragma HLS bind_storage variable=A type=ram_1p\n"
    text += f"#pragma HLS array_partition variable=A type=cyclic factor=3\n    {body}\n    return s + A[0];\n}}\n"
    return Pipeline(["p.c"], Options(), lambda _: text.encode()).rewrite(RewriteOptions())


def test_auto_keeps_the_pragma_where_no_pipeline_gains() -> None:
    stuck, free, both = auto(STUCK), auto(FREE), auto(STUCK + FREE)
    assert [(o.status, o.style, o.code) for o in stuck.outcomes] == [("kept", "crossbar", "jump")]
    assert not stuck.findings and stuck.edits["p.c"] == ()
    (told,) = stuck.diagnostics
    assert told.severity == "warning" and "its pragma stays" in told.message
    for result in (free, both):
        assert [(o.status, o.style, o.code) for o in result.outcomes] == [("rewritten", "crossbar", None)]
    assert {c.in_place for c in both.crossbars} == {None, "a jump could skip the stores at the end"}


def test_multiplexers_of_a_stencil() -> None:
    result = banked(kernel("f", "s += A[i] + A[i + 1] + A[i + 2];", "int A[14]", "A", "A[i] = i;"), style="crossbar")
    body = result.crossbars[1]
    assert (body.banks, body.accesses, body.loads, body.address_inputs, body.value_inputs) == (3, 3, 1, 3, 3)
    assert body.levels == (1, 1)
    assert [lut_levels(k) for k in (0, 1, 2, 4, 5, 16, 17)] == [0, 0, 1, 1, 2, 2, 3]


def test_generated_lines_are_short() -> None:
    body = "s += " + " + ".join(f"A[i + {k}]" for k in range(13)) + ";"
    text = kernel("f", body, "int A[24]", "A", "A[i] = i;").replace("factor=3", "factor=13")
    result = banked(text, style="crossbar")
    new = result.files["p.c"]
    assert max(len(line) for line in new.splitlines() if "s += " not in line) <= 120
    assert result.crossbars[1].address_inputs == 13


@pytest.fixture(scope="module")
def random_bodies() -> dict[int, str]:
    return {seed: bodies.generate(seed) for seed in range(amount(10, 24))}


def test_random_bodies(random_bodies: dict[int, str], tmp_path: Path) -> None:
    results: dict[int, RewriteResult] = {}
    for seed, text in random_bodies.items():
        results[seed] = rewrite(*analysed(text), RewriteOptions(style="crossbar"))
    assert [o for r in results.values() for o in r.outcomes if o.status != "rewritten"] == []
    main = generator.driver(list(results))
    new = outputs(tmp_path, "new", [r.files["p.c"] for r in results.values()], main)
    assert new == outputs(tmp_path, "old", list(random_bodies.values()), main)


CROSS = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)]


@pytest.mark.parametrize("form", ["read", "write"])
@pytest.mark.parametrize(("ports", "alpha", "banks"), [(1, (1, 2), 5), (2, (1, 1), 3)])
def test_stencils_reach_their_interval(
    form: str, ports: int, alpha: tuple[int, int], banks: int, tmp_path: Path
) -> None:
    """The schedule of the text, made without knowing the layout, at the least number of banks."""
    places = [f"A[i + {1 + y}][j + {1 + x}]" for y, x in CROSS]
    body = f"out[i][j] = {' + '.join(places)};" if form == "read" else " ".join(f"{p} = in[i][j];" for p in places)
    storage = "#pragma HLS bind_storage variable=A type=ram_1p" if ports == 1 else ""
    text = f"""void f(const int in[8][8], int out[8][8], int y)
{{
    int A[10][10];
{storage}
    for (int i = 0; i < 10; i++) for (int j = 0; j < 10; j++) A[i][j] = i;
    for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) {{
#pragma HLS PIPELINE II=1
        {body}
    }}
    for (int i = 0; i < 10; i++) out[y][0] = A[i][0];
}}
"""
    new = banked_as(text, "A", linear((10, 10), alpha, banks)).files["p.c"]
    (tmp_path / "new.c").write_text(new)
    loops = Pipeline([str(tmp_path / "new.c")], Options(top="f")).ii.loops
    line = 1 + new[: new.index("#pragma HLS PIPELINE")].count("\n")
    [found] = [loop for loop in loops if loop.line == line - 1 and loop.pipelined]
    assert (found.target_ii, found.ii, found.ideal_ii) == (1, 1, 1)


def test_stores_that_may_meet_bring_no_dependence_directive() -> None:
    text = kernel("f", "A[i] = 1; A[7] = 2; A[9 - i] = 3; A[13 - i] = 4;", "int A[14]", "A", "A[i] = i;")
    assert "direction=WAW" not in banked(text, style="crossbar").files["p.c"]


@pytest.mark.parametrize(("store", "bound"), [("EACH(k, 8) w[k][i] = in[i] * k;", False), ("w[3][i] = in[i];", True)])
def test_storage_is_bound_only_where_its_ports_serve_what_the_tool_writes_out(
    store: str, bound: bool, tmp_path: Path
) -> None:
    """Eight stores of one text in four banks are two a bank: a memory of one port for stores would be slower."""
    text = f"""#define EACH(v, n) for (int v = 0; v < n; v++)
void k(const int in[60], int out[60])
{{
    int w[8][60] = {{{{0}}}};
#pragma HLS ARRAY_PARTITION variable=w cyclic factor=4 dim=1
FILL: for (int i = 0; i < 60; i++) {{
#pragma HLS PIPELINE II=1
        {store}
    }}
    for (int j = 0; j < 8; j++) {{
        for (int i = 0; i < 60; i++) {{
#pragma HLS PIPELINE II=1
            out[i] = w[j][i];
        }}
    }}
}}
"""
    (tmp_path / "old.c").write_text(text)
    result = Pipeline(["p.c"], Options(), lambda _: text.encode()).rewrite(RewriteOptions(style="crossbar"))
    new = result.files["p.c"]
    (tmp_path / "new.c").write_text(new)
    assert ("type=ram_s2p" in new) == bound and [o.status for o in result.outcomes] == ["rewritten"]
    options = VerifyOptions(top="k", vectors=1, map=result.map_json(), ports=load(TargetOptions()))
    found = verify(str(tmp_path / "old.c"), str(tmp_path / "new.c"), options)
    assert found.status == "equal", found.message
    fills = [(u.writes, u.interval) for u in found.ports if u.loop == "FILL"]
    assert max(fills) == (1 if bound else 2, 1)


def test_a_parameter_under_a_banking_function_is_compared_through_the_map(tmp_path: Path) -> None:
    text = """void f(int A[6][7], int out[4])
{
    for (int i = 0; i < 5; i++) { A[i][i] += A[i + 1][i]; out[i & 3] = A[i][6]; }
}
"""
    program, analysis, validation = analysed(text)
    group = next(g.id for g in analysis.groups if any(program.variable(m).name == "A" for m in g.members))
    layouts = {group: linear((6, 7), (1, 2), 5)}
    result = rewrite(program, analysis, validation, RewriteOptions(split_top=True), layouts=layouts)
    (tmp_path / "old.c").write_text(text)
    (tmp_path / "new.c").write_text(result.files["p.c"])
    paths = str(tmp_path / "old.c"), str(tmp_path / "new.c")
    answer = verify(*paths, VerifyOptions(top="f", vectors=8, map=json.loads(json.dumps(result.map_json()))))
    assert (answer.status, answer.compared) == ("equal", ("A", "out")), answer.message
    (tmp_path / "new.c").write_text(result.files["p.c"].replace("i & 3", "i & 1"))
    wrong = verify(*paths, VerifyOptions(top="f", vectors=8, map=json.loads(json.dumps(result.map_json()))))
    assert wrong.difference is not None and wrong.difference.place.startswith("out[")


def test_a_table_reaches_its_interval_and_computes_the_same(tmp_path: Path) -> None:
    """Four single-port banks by a table, where no closed form has fewer than five."""
    text = """void f(const int in[12][16], int out[8][12])
{
    int A[12][16];
#pragma HLS bind_storage variable=A type=ram_1p
    for (int i = 0; i < 12; i++) for (int j = 0; j < 16; j++) A[i][j] = in[i][j];
    for (int i = 0; i < 8; i++) for (int j = 0; j < 12; j++) {
#pragma HLS PIPELINE II=1
        out[i][j] = A[i][j + 1] + 3 * A[i][j + 3] + 5 * A[i + 1][j + 2] + 7 * A[i + 3][j + 2];
    }
}
"""
    made = Pipeline(["p.c"], Options(top="f"), lambda _: text.encode())
    [array] = [a for a in made.infer(InferOptions()).arrays if a.name == "A"]
    assert (array.kind, array.banks, array.needs_rewrite, array.absolute) == ("table", 4, True, True)
    result = made.rewrite(RewriteOptions(infer=True))
    (tmp_path / "old.c").write_text(text)
    (tmp_path / "new.c").write_text(result.files["p.c"])
    loops = Pipeline([str(tmp_path / "new.c")], Options(top="f")).ii.loops
    assert [(loop.target_ii, loop.ii) for loop in loops if loop.pipelined and loop.target_ii] == [(1, 1)]
    answer = verify(str(tmp_path / "old.c"), str(tmp_path / "new.c"), VerifyOptions(top="f", vectors=8))
    assert answer.status == "equal", answer.message
    assert max(map(len, result.files["p.c"].split("\n")[3:])) <= 120


def test_words_that_no_load_takes_are_not_computed(tmp_path: Path) -> None:
    """Of accesses that have one element in every iteration, one has its word in the address."""
    text = """int k(const int x[4]) {
    int A[11];
#pragma HLS ARRAY_PARTITION variable=A cyclic factor=2 dim=1
    for (int i = 0; i < 11; i++) A[i] = x[i & 3];
    int acc = 0;
    for (int i = 3; i <= 3; i++) {
        A[2 * i - 4] = (A[0] > 5 ? A[i - 3] : A[1]) & 63;
        A[3] ^= A[2 * i - 5];
        acc += A[2 * i - 5] + A[4] + A[5];
    }
    return acc + A[2] + A[3];
}
"""
    main = '#include <stdio.h>\nint main(void) { printf("%d\\n", k((int[]){7, 90, 13, 2})); return 0; }\n'
    written = Pipeline(["k.c"], Options(), lambda _: text.encode()).rewrite(RewriteOptions(style="crossbar"))
    printed = []
    for name, version in (("old.c", text), ("new.c", written.files["k.c"])):
        (tmp_path / name).write_text(version + main)
        subprocess.run(["gcc", *WARNINGS, "-o", tmp_path / "run", tmp_path / name], check=True)
        printed.append(subprocess.run([tmp_path / "run"], capture_output=True, check=True).stdout)
    assert written.files["k.c"] != text and printed[0] == printed[1]
