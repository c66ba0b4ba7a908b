"""Nests stay apart where a recurrence goes around an outer loop alone and filling the pipeline anew costs less."""

from __future__ import annotations

import pytest

import hlspart
from hlspart.model.options import RewriteOptions

OFF = "#pragma HLS LOOP_FLATTEN off"


def rows(width: int, value: str, labels: tuple[str, str] = ("", "")) -> str:
    return f"""
void top(float first[{width}], const float w[{width}], float out[{width}]) {{
    float l[50][{width}];
    for (int s = 0; s < {width}; s++)
        l[0][s] = first[s];
    {labels[0]}for (int t = 1; t < 50; t++)
        {labels[1]}for (int s = 0; s < {width}; s++) {{
#pragma HLS PIPELINE II=1
            l[t][s] = {value};
        }}
    for (int s = 0; s < {width}; s++)
        out[s] = l[49][s];
}}
"""


LAST_OF_THE_ROW_BEFORE = "l[t - 1][63 - s] * w[s] + 0.5f"


def judged(text: str) -> tuple[hlspart.RewriteAnswer, int, int]:
    """What is written, with the cycles of all pipelined loops before and after."""
    kernel = hlspart.parse(text)
    answer = kernel.rewrite(infer=True)
    before, after = kernel.pipeline.figures, kernel.pipeline.predict(answer.texts)
    (was,), (now,) = before.functions, after.functions
    assert was.latency.max is not None and now.latency.max is not None
    return answer, was.latency.max, now.latency.max


@pytest.mark.parametrize("labels", (("", ""), ("TIME: ", "STATE: ")))
def test_a_row_that_waits_for_the_one_before_is_a_pipeline_of_its_own(labels: tuple[str, str]) -> None:
    text = rows(64, LAST_OF_THE_ROW_BEFORE, labels)
    kernel = hlspart.parse(text)
    answer, was, now = judged(text)
    (written,) = answer.texts.values()
    late = [x for x in kernel.pipeline.figures.loops if x.misses]
    assert len(late) == 1 and len(late[0].flattened) == 2
    assert written.replace(OFF + "\n", "") == text
    after = kernel.pipeline.predict(answer.texts)
    assert all(x.ii == 1 for x in after.loops if x.pipelined)
    (row,) = (x for x in after.loops if x.pipelined and x.line == written[: written.index(OFF)].count("\n") - 1)
    assert row.depth is not None
    filled = 49 * (63 + row.depth + 4)  # by hand: each row fills its pipeline, and takes some states to enter and leave
    assert now < was and now <= filled + 2 * (64 + 3)


def test_rows_of_few_iterations_stay_one_loop_where_that_is_faster() -> None:
    text = rows(2, "l[t - 1][1 - s] + w[s]")
    answer, was, now = judged(text)
    assert now <= was
    for written in answer.texts.values():
        assert OFF not in written or now < was


def test_what_a_row_hands_to_itself_is_no_reason() -> None:
    answer, _, _ = judged(rows(64, "l[t][(s + 63) % 64] * w[s] + 0.5f"))
    assert not any(OFF in written for written in answer.texts.values())


def test_loops_that_hand_on_nothing_remain_flattened() -> None:
    text = """
void top(const int a[16][16], int out[20][16][16]) {
    static int l[21][16][16];
    for (int t = 0; t < 20; t++)
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < 16; j++) {
#pragma HLS PIPELINE II=1
                l[t + 1][15 - i][15 - j] = l[t][i][j] / 3 + a[i][j];
                out[t][i][j] = l[t][i][j];
            }
}
"""
    kernel = hlspart.parse(text)
    answer, was, now = judged(text)
    (written,) = answer.texts.values()
    pipelined = [x for x in kernel.pipeline.predict(answer.texts).loops if x.pipelined]
    assert [len(x.flattened) for x in pipelined] == [2] and OFF in written
    assert now < was


def test_a_directive_of_the_user_on_flattening_stays() -> None:
    text = rows(64, LAST_OF_THE_ROW_BEFORE).replace("II=1\n", "II=1\n#pragma HLS LOOP_FLATTEN\n")
    answer, _, _ = judged(text)
    assert not any(OFF in written for written in answer.texts.values())


def test_every_nest_of_a_file_is_kept_apart() -> None:
    one = rows(64, LAST_OF_THE_ROW_BEFORE)
    answer = hlspart.parse(one + one.replace("void top", "void second")).rewrite(infer=True)
    (written,) = answer.texts.values()
    assert written.count(OFF) == 2


def test_the_way_that_promises_most_is_tried_where_the_budget_is_spent() -> None:
    kernel = hlspart.parse(rows(64, LAST_OF_THE_ROW_BEFORE))
    result = kernel.pipeline.rewrite(RewriteOptions(infer=True, most_work=0))
    (written,) = result.files.values()
    after = kernel.pipeline.predict(result.files)
    assert OFF in written and "nests kept apart" not in result.untried
    assert not any(x.misses for x in after.loops)
    (was,), (now,) = kernel.pipeline.figures.functions, after.functions
    assert was.latency.max is not None and now.latency.max is not None and 2 * now.latency.max <= was.latency.max


def test_a_way_that_promises_little_stays_untried_where_the_budget_is_spent() -> None:
    kernel = hlspart.parse(rows(2, "l[t - 1][1 - s] + w[s]"))
    result = kernel.pipeline.rewrite(RewriteOptions(infer=True, most_work=0))
    assert dict(result.files) == {u.path: u.source.text for u in kernel.program.units if u.source is not None}
    assert "nests kept apart" in result.untried
