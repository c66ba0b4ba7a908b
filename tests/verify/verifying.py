"""Two texts compared, and a kernel to change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hlspart.model.verifying import VerifyResult
from hlspart.verification import VerifyOptions, verify

BASE = """#include <stdint.h>
#define N 8
typedef struct { int16_t re; float im[2]; } sample;
int total[4];
static int state;
const int table[3] = {1, 2, 3};
int setup = 5;
long k(const int in[N], int out[N][2], float f[3], sample s[2], sample one, unsigned char *flag, _Bool yes)
{
    static int calls;
    for (int i = 0; i < N; i++) {
        out[i][0] = in[i] + table[i % 3];
        out[i][1] = in[N - 1 - i] + (yes ? 1 : 0);
    }
    state += in[3];
    calls++;
    total[1] += calls + state / 16;
    f[1] = f[0] * 0.1f;
    s[1].im[1] = s[0].im[0] + one.re;
    *flag = (unsigned char)(*flag + setup);
    return in[0] * 2L;
}
int main(void) { return 0; }
"""


def compare(tmp_path: Path, old: str, new: str, **options: Any) -> VerifyResult:
    (tmp_path / "old.c").write_text(old)
    (tmp_path / "new.c").write_text(new)
    return verify(
        str(tmp_path / "old.c"), str(tmp_path / "new.c"), VerifyOptions(**{"top": "k", "vectors": 6, **options})
    )


def mutated(*changes: tuple[str, str]) -> str:
    text = BASE
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text
