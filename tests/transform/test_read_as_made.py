"""The text of a transformed loop says what its records say: numbers below zero, loops without braces around them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hlspart.model.options import Options
from hlspart.pipeline import Pipeline
from hlspart.rewrite.unroll import words_of
from hlspart.transform.emit import emit
from hlspart.transform.reverse import reverse
from hlspart.transform.unroll import Unrolling, unroll

sys.path.insert(0, str(Path(__file__).parent))
from reading import described, reread

LOOPS = (
    "if (B[0]) for (int i = 1; i < 18; i++) B[i] = i;",
    "if (B[0]) for (int i = 1; i < 18; i++) B[i] = i; else B[1] = 2;",
    "if (B[0]) B[1] = 2; else for (int i = 1; i < 18; i++) { B[i] = i; }",
    "while (B[0]--) for (int i = 1; i < 18; i++) B[i] = i;",
    "for (int i = -8; i < 8; i++) B[i + 8] = i;",
    "for (short i = -8; i < 9; i++) B[i + 8] = i;",
    "for (long i = -8; i < 9; i++) B[i + 8] = i;",
    "for (int i = 8; i > -9; i--) B[i + 8] = i - -3;",
    "int i; for (i = 8; i > -9; i--) B[i + 8] = i;",
)


@pytest.mark.parametrize("loop", LOOPS)
def test_the_text_says_what_the_records_say(loop: str) -> None:
    text = f"int B[40];\nvoid f(void)\n{{\n    {loop}\n}}\n"
    p = Pipeline(["k.c"], Options(), lambda _: text.encode())
    (ident,) = (k for k, x in p.program.loops.items() if x.kind == "for")
    made = [unroll(p.program, p.proved.loops[ident], Unrolling(ident, n), words_of(p.program)) for n in (2, None)]
    if "int i;" not in loop:
        made.append(reverse(p.program, p.proved, ident))
    for program, _ in made:
        new, _ = emit(p.program, program)
        assert described(new) == described(reread({"k.c": new.sources["k.c"].text}))
