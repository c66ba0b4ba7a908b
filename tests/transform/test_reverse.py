"""Reversed loops: what may be reversed, and that it then prints the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hlspart.model.options import Options
from hlspart.pipeline import Pipeline
from hlspart.transform.emit import emit
from hlspart.transform.printer import Unprintable
from hlspart.transform.reverse import reverse

sys.path.insert(0, str(Path(__file__).parent))
from reading import described, reread

BODIES = {  # body of a loop over i = 1, 3, .. 15 -> the reason for which it keeps its order
    "B[i] = A[i - 1] + A[i + 1];": None,
    "A[i] = 3 * A[i]; B[i + 1] = i;": None,
    "int t = A[i]; B[i] = t + 1;": None,
    "for (int k = 0; k < 2; k++) B[i + k] = A[2 * k];": None,
    "A[i] = A[i - 1];": None,  # odd and even elements
    "A[i] = A[i - 2];": "iterations meet in an element of 'A'",
    "B[3] = i;": "iterations meet in an element of 'B'",
    "B[A[i] & 15] = 1;": "iterations meet in an element of 'B'",
    "s += A[i];": "'s' has a value that iterations hand on",
    "if (A[i] > 40) break; B[i] = 1;": "the loop does not declare what it counts",
    "static int t; B[i] = t++;": "the body has a static variable",
}

TEXT = """#include <stdio.h>
int A[32], B[32];
int f(int s)
{
    for (int i = 1; i < 16; i += 2) { /* keep this */
        BODY // and this
    }
    return s;
}
int main(void)
{
    for (int i = 0; i < 32; i++) A[i] = i * i % 61;
    int s = f(3);
    for (int i = 0; i < 32; i++) s = s * 7 + A[i] - 3 * B[i];
    printf("%d\\n", s);
    return 0;
}
"""


@pytest.mark.parametrize("body", BODIES)
def test_only_what_does_not_matter_is_reversed(body: str, tmp_path: Path) -> None:
    text = TEXT.replace("BODY", body)
    p = Pipeline(["k.c"], Options(), lambda _: text.encode())
    (loop,) = (x.id for x in p.program.loops.values() if x.function == "f" and "keep this" in p.program.text(x.at))
    reason = BODIES[body]
    if reason is not None:
        with pytest.raises(Unprintable) as refused:
            reverse(p.program, p.proved, loop)
        assert refused.value.reason == reason
        return
    program, forward = emit(p.program, reverse(p.program, p.proved, loop)[0])
    new = program.sources["k.c"].text
    assert new == text.replace("int i = 1; i < 16; i += 2", "int i = 15; i >= 1; i -= 2")
    assert described(program) == described(reread({"k.c": new}))
    assert forward.texts["k.c"][0].back(new.index("BODY"[:0] + body)) == text.index(body)
    said = []
    for k, each in enumerate((text, new)):
        (tmp_path / f"{k}.c").write_text(each)
        subprocess.run(["gcc", "-fwrapv", "-o", tmp_path / str(k), tmp_path / f"{k}.c"], check=True)
        said.append(subprocess.run([tmp_path / str(k)], check=True, capture_output=True).stdout)
    assert said[0] == said[1]


HEADS = {  # a loop, and why it keeps its order
    "for (signed char i = -128; i < -112; i++) B[i + 128] = 1;": "the iterator cannot go beyond its first value",
    "for (short i = -32768; i < -32752; i++) B[i + 32768] = 1;": "the iterator cannot go beyond its first value",
    "for (short i = -32767; i < -32751; i++) B[i + 32767] = 1;": None,
    "for (unsigned i = 0; i < 16; i++) B[i] = 1;": "the iterator cannot go beyond its first value",
    "for (int i = 0; i < 16; i++) B[i] = seen;": "'seen' is volatile",
    "for (int i = 0; i < 16; i++) { volatile int t = i; B[i] = t; }": "'t' is volatile",
}


@pytest.mark.parametrize("head", HEADS)
def test_iterators_stay_in_their_type_and_volatile_objects_keep_their_order(head: str) -> None:
    text = f"volatile int seen; int B[16];\nvoid f(void) {{ {head} }}\n"
    p = Pipeline(["k.c"], Options(), lambda _: text.encode())
    (loop,) = p.program.loops
    if (reason := HEADS[head]) is None:
        program, _ = emit(p.program, reverse(p.program, p.proved, loop)[0])
        assert "i = -32752; i >= (-32767); i -= 1" in program.sources["k.c"].text
        return
    with pytest.raises(Unprintable) as refused:
        reverse(p.program, p.proved, loop)
    assert refused.value.reason == reason
