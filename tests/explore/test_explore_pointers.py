"""Arrays of a nest that its text names by a pointer or a reference."""

from pathlib import Path

import pytest

from hlspart.model.explored import ExploreResult
from hlspart.model.exploring import Assumed, ExploreOptions, ExternalMemory, ResourceBudget
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify

HEAD = "void top(int A[9], int B[9], int D[9], int M[9][4]) {\n"
REGION = "#pragma hlspart region\n{\n%s\n}"
ALL = "for (int i = 0; i < 9; i++) for (int j = 0; j < 4; j++) %s"
SEARCHED = {
    "argument of a region": (
        "int *p = B + 1;\n" + REGION,
        "for (int i = 0; i < 9; i++) B[i] = A[i];\nfor (int i = 0; i < 8; i++) D[i] = p[i] + 3;",
    ),
    "local of a region": (
        "int T[9];\nint *p = T + 1;\n" + REGION,
        "for (int i = 0; i < 9; i++) T[i] = A[i];\nfor (int i = 0; i < 8; i++) D[i] = p[i] + 3;",
    ),
    "reference": (
        REGION,
        "for (int i = 0; i < 9; i++) { int &x = A[i]; x += i; }\nfor (int i = 0; i < 8; i++) D[i] += A[i + 1];",
    ),
    "row": (ALL, "{ int *q = M[i]; D[i] += q[j]; }"),
    "row in a branch": (ALL, "if (D[i] < 7) { int *q = M[i]; D[i] += q[j]; }"),
}
KEPT = {
    "offset and data": "int *p = B + 1;\nfor (int i = 0; i < 8; i++) D[i] = p[A[i] & 7] + 3;",
    "row of data": "for (int i = 0; i < 9; i++) { int *q = M[A[i] & 7]; for (int j = 0; j < 4; j++) D[i] += q[j]; }",
    "reference to data": "for (int i = 0; i < 8; i++) { int &r = B[A[i] & 7]; r += D[i]; }",
    "pointer and more": ALL % "{ int *q = M[i], k = 3; D[i] += q[j] * k; }",
}


def explored(tmp_path: Path, name: str, body: str) -> tuple[Path, ExploreResult]:
    path = tmp_path / ("a.cpp" if "reference" in name else "a.c")
    path.write_text(HEAD + body + "\n}\n")
    options = ExploreOptions(2, (), ResourceBudget(size=4096), ExternalMemory(16, 20), assumed={"*": Assumed(1, 9, 2)},
                             write=True)  # fmt: skip
    return path, Pipeline([str(path)], Options()).explore("top", options)


@pytest.mark.parametrize("name", SEARCHED)
def test_pointers_count_from_where_they_are(tmp_path: Path, name: str) -> None:
    path, result = explored(tmp_path, name, SEARCHED[name][0] % SEARCHED[name][1])
    new = path.with_name("new" + path.suffix)
    new.write_text(result.texts[str(path)])
    assert verify(str(path), str(new), VerifyOptions(top="top", vectors=2, value_range=(-9, 9))).status == "equal"


@pytest.mark.parametrize("name", KEPT)
def test_nests_with_other_pointers_keep_their_text(tmp_path: Path, name: str) -> None:
    _, result = explored(tmp_path, name, KEPT[name])
    assert not result.texts
    assert [d.rule for d in result.diagnostics] == ["not-explored"]


def test_members_of_objects_are_no_arrays_of_functions(tmp_path: Path) -> None:
    path = tmp_path / "a.cpp"
    path.write_text("""struct O { int m[7]; void s() { for (int i = 0; i < 7; i++) m[i] += 1; } };
void top(int y[7], int z[7]) {
    O o;
    for (int i = 0; i < 7; i++) o.m[i] = y[i];
    o.s();
    for (int i = 0; i < 7; i++) z[i] = o.m[i];
}
""")
    options = ExploreOptions(2, assumed={"*": Assumed(1, 9, 2)}, write=True)
    result = Pipeline([str(path)], Options()).explore("top", options)
    assert not result.texts
    assert [d.place.line for d in result.diagnostics if "o.m is part of an object" in d.message] == [4, 6]
