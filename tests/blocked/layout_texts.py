"""What the tests of layouts share: texts that are laid out, compiled and compared."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from hlspart.blocked import propagate
from hlspart.model.blocked import Propagation
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify

GCC = ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-fsanitize=address,undefined"]


def laid_out(text: str, top: str = "top") -> tuple[Propagation, str]:
    p = Pipeline(["p.c"], Options(top=top), lambda _: text.encode())
    found, texts = propagate(p.program, p.analysis, top, {})
    return found, texts["p.c"] if isinstance(texts, dict) else ""


def counted(text: str) -> str:
    """The text with a line on standard error for every conversion that runs."""
    return "#include <stdio.h>\n" + re.sub(
        r"(static void (layout_(?:un)?pack_\w+)\([^)]*\)\n\{)", r'\1 fprintf(stderr, "\2\\n");', text
    )


def runs(folder: Path, text: str, parameters: list[tuple[str, int]]) -> list[str]:
    """Names of the conversions that one call makes."""
    arrays = "".join(f"static int {n}[{r}][64];\n" for n, r in parameters)
    call = f"int main(void) {{ top({', '.join(n for n, _ in parameters)}); return 0; }}\n"
    (folder / "c.c").write_text(counted(text) + arrays + call)
    subprocess.run([*GCC, "c.c", "-o", "c"], cwd=folder, check=True)
    return subprocess.run(["./c"], cwd=folder, check=True, stderr=subprocess.PIPE, text=True).stderr.split()


def same(folder: Path, old: str, new: str, top: str = "top") -> None:
    (folder / "old.c").write_text(old)
    (folder / "new.c").write_text(new)
    result = verify(str(folder / "old.c"), str(folder / "new.c"), VerifyOptions(top=top, vectors=2))
    assert result.status == "equal", result.message


def nest(kind: str | None, statement: str) -> str:
    pragma = f"#pragma hlspart layout nest={kind}\n" if kind else ""
    return (
        f"{pragma}    for (int y = 0; y < 3; y++)\n        for (int x = 0; x < 2; x++)\n"
        f"            for (int c = 0; c < 70; c++) {{ {statement} }}\n"
    )


def tensor(*nests: str, constants: str = "") -> str:
    shape = "[1][3][2][70]"
    head = f"void top(const int in{shape}, int out{shape})\n{{\n{constants}    int a{shape}, b{shape}, d{shape};\n"
    return head + "".join(nests) + "}\n"


FIRST, LAST = "a[0][y][x][c] = in[0][y][x][c] * 3 % 7;", "out[0][y][x][c] = b[0][y][x][69 - c];"

MIDDLE = "b[0][y][x][c] = a[0][2 - y][x][c] + 1;"
