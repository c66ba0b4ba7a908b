# ruff: noqa: E501 (C text stays on its line)
"""The preprocessor against gcc's: the same tokens for random macro programs and for hard fixed ones."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from hlspart.frontend import load
from hlspart.frontend.preprocess import PREDEFINED, Preprocessor
from hlspart.frontend.tokens import PragmaToken, SourceError, lex
from hlspart.model.options import FrontendOptions
from hlspart.model.source import SourceText
from tests.amounts import amount

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is the oracle")


def ours(text: str) -> list[str]:
    def none(path: str) -> bytes:
        raise FileNotFoundError(path)

    result = Preprocessor(FrontendOptions(), "c", none).run(SourceText("t.c", text))
    return [t.text for t in result.tokens if not isinstance(t, PragmaToken)]


def gcc(text: str) -> list[str] | None:
    flags = [
        f"-D{k}={v}" for k, v in PREDEFINED.items() if k not in ("__STDC__", "__STDC_HOSTED__", "__DATE__", "__TIME__")
    ]
    command = ["gcc", "-E", "-P", "-undef", "-nostdinc", "-std=c99", "-w", *flags, "-x", "c", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    return [t.text for line in lex("out", done.stdout) if not line.directive for t in line.tokens]


FIXED = [
    "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n"
    "#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n#define r(x,y) x ## y\n"
    "#define str(x) # x\nf(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n"
    "p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() };\n",
    '#define str(s) # s\n#define xstr(s) str(s)\n#define debug(s, t) printf("x" # s "= %d, x" # t "= %s", x ## s, x ## t)\n'
    "#define INCFILE(n) vers ## n\n#define glue(a, b) a ## b\n#define xglue(a, b) glue(a, b)\n#define HIGHLOW hello\n"
    '#define LOW LOW ", world"\ndebug(1, 2);\nxstr(strncmp("abc\\0d", "abc", \'\\4\') == 0) str(: @\\n);\n'
    "xstr(INCFILE(2).h)\nglue(HIGH, LOW);\nxglue(HIGH, LOW)\n",
    "#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };\n",
    "#define A(x, ...) x(__VA_ARGS__)\n#define B(fmt, args...) p(fmt, ## args)\nA(f) A(f,) A(f,1,2) B(a) B(a,b,c)\n",
    "#define EMPTY\n#define f(x) [x]\nf EMPTY (3) f\n(4) f EMPTY\n",
    "#define NEG -1\nint x = a -NEG - -NEG;\n#define lp (\n#define id(x) x\nid(id)(3) id lp 2)\n",
    "#define F(x) x\nF(\n#if 1\n a\n#else\n b\n#endif\n)\n",
    "#if 0\nit's not a literal\n#elif (2 + 3 * 4 == 14) && defined(__STDC__) && !defined Q && 'a' == 97 && (1 ? 2 : 1/0)\nyes\n#else\nno\n#endif\n",
    "#if -1 >> 1 < 0 && ~0 == -1 && (7 / -2) == -3 && (-7 % 3) == -1 && 0x10 == 020 + 0 && 10u == 10L\nok\n#endif\n",
    'a\\\nb "x\\\ny" // c\\\nd\ne /* f\n*/ g\n#de\\\nfine Z 1\nZ\n',
    "#define f(a, b) a + b\nf((1, 2), [3)])\n#define S(x) #x\nS(a  b\n c \"q\\n\" '\\'')\n",
    "#define O(x) P(x) x\n#define P(x) O(x)\nO(O(1)) P(O)(2)\n",
    "#define cat(a,b) a##b\n#define XY 7\ncat(X,Y) cat(x,1) cat(1,e5) cat(<,<=)\nint line = __LINE__;\n",
]


@needs_gcc
@pytest.mark.parametrize("text", FIXED, ids=range(len(FIXED)))
def test_fixed_programs_give_gccs_tokens(text: str) -> None:
    expected = gcc(text)
    assert expected
    assert ours(text) == expected


def random_program(seed: int) -> str:
    rnd = random.Random(seed)
    names = ["A", "B", "C", "D", "E"]
    arity = {n: rnd.choice([None, None, 1, 2, 3]) for n in names}
    lines: list[str] = []

    def use(depth: int) -> str:
        name = rnd.choice(names)
        count = arity[name]
        if count is None or depth > 2 or rnd.random() < 0.1:
            return name
        return f"{name}{rnd.choice(['', ' '])}({', '.join(piece(depth + 1) for _ in range(count))})"

    def piece(depth: int) -> str:
        kind = rnd.randrange(6)
        if kind < 2:
            return use(depth)
        if kind == 2:
            return f"({piece(depth + 1)})" if depth < 3 else "z"
        return rnd.choice(["x", "y", "1", "'c'", '"s,"', "+", "-", "x + 1", "", "p->q"])

    for name in names:
        params = ["p", "q", "r"][: arity[name] or 0]
        body: list[str] = []
        for _ in range(rnd.randrange(1, 6)):
            word = rnd.choice([*params, *params, "k", "+", "2", use(2), use(2)])
            if word in params and rnd.random() < 0.2:
                word = "#" + word
            elif rnd.random() < 0.15 and body and body[-1] not in ("##",) and not body[-1].startswith("#"):
                word = rnd.choice([*params, "k", "2"])
                body.append("##")
            body.append(word)
        head = "" if arity[name] is None else f"({', '.join(params)})"
        lines.append(f"#define {name}{head} {' '.join(body)}")
    for number in range(6):
        if rnd.random() < 0.3:
            lines.append(f"#if {number} < {rnd.randrange(6)} && defined {rnd.choice(names)}")
            lines += [f"{use(0)} ;", "#else", f"{use(0)} !", "#endif"]
        lines.append(f"{use(0)} {use(0)} ;")
    return "\n".join(lines) + "\n"


@needs_gcc
def test_random_programs_give_gccs_tokens() -> None:
    compared = 0
    for seed in range(amount(110, 220)):
        text = random_program(seed)
        expected = gcc(text)
        if expected is None:
            continue  # gcc refuses it: a wrong paste or number of arguments
        try:
            found = ours(text)
        except SourceError as fault:
            raise AssertionError(f"seed {seed}: refused: {fault}\n{text}") from fault
        assert found == expected, f"seed {seed}\n{text}"
        compared += 1
    assert compared >= amount(30, 60)


def test_a_header_whose_name_differs_in_case_is_read_and_said(tmp_path: Path) -> None:
    (tmp_path / "Sub").mkdir()
    (tmp_path / "Sub" / "Sizes.h").write_text("const int N = 8;\n")
    kernel = tmp_path / "k.cpp"
    kernel.write_text('#include "sub\\sizes.h"\nint x[N];\n')
    loaded = load([str(kernel)], FrontendOptions())
    assert loaded.variables[-1].dims == (8,)
    assert [(d.rule, d.place.line) for d in loaded.diagnostics] == [("HLP006", 1)] and not loaded.without_header()
    kernel.write_text('#include "sub/Sizes.h"\nint x[N];\n')
    assert not load([str(kernel)], FrontendOptions()).diagnostics


@pytest.mark.parametrize("named", ["../include/sizes.h", "/home/me/proj/sizes.h", "C:\\proj\\sizes.h"])
def test_a_header_beside_stands_for_one_that_a_moved_file_names_elsewhere(tmp_path: Path, named: str) -> None:
    (tmp_path / "sizes.h").write_text("#pragma once\nconst int N = 8;\n")
    kernel = tmp_path / "k.cpp"
    kernel.write_text(f'#include "{named}"\n#include "sizes.h"\nint x[N];\n')
    loaded = load([str(kernel)], FrontendOptions())
    assert loaded.variables[-1].dims == (8,)
    assert [(d.rule, d.place.line) for d in loaded.diagnostics] == [("HLP006", 1)] and not loaded.without_header()
    for missing in ("<../sizes.h>", '"other/sizes.h"', '"../k.cpp"'):  # a folder of a build; the file itself
        kernel.write_text(f"#include {missing}\nint x[N];\n")
        assert load([str(kernel)], FrontendOptions()).without_header()


RAW = (
    'R"MARK(\n#include "none.h"\nint main() { it\'s "open\n)MARK"', 'R"y(a)" \\n)y"', 'R"x(\n)x"', 'R"(a"b)"', 'u8R"()"'
)  # fmt: skip


@needs_gcc
def test_raw_strings_of_cxx() -> None:
    """Each is one literal, whatever it holds; gcc compares its characters."""
    checks = []
    for text in RAW:
        (token,) = [t for line in lex("k.cpp", text) for t in line.tokens]
        assert (token.kind, token.start, token.end) == ("str", 0, len(text))
        checks.append(f"static_assert(__builtin_strcmp({text}, {token.text}) == 0);")
    command = ["gcc", "-std=c++17", "-fsyntax-only", "-x", "c++", "-"]
    done = subprocess.run(command, input="\n".join(checks), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
