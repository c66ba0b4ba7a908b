"""Single faults in banked outputs: how many ``verify`` sees at its defaults.

    python tests/verify/mutants.py [--count 100] [--seed 0]

Kernels are random, banked in three styles, and get one fault each. Whether a fault changes what the kernel
computes is decided without ``verify``: by construction for a branch on a literal, else by a C program that calls
both versions under sanitizers on 20,000 vectors of its own. Faults that change nothing there are set aside.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from hlspart.model.options import Options, RewriteOptions
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify

KINDS = ("bank", "word", "swap", "store", "initial value", "type", "literal", "bound", "operator")
TYPES = ("int", "long long", "unsigned", "short", "float", "double")


def kernel(seed: int) -> str:
    """A kernel ``top`` with one partitioned array that every loop reads or writes."""
    r = random.Random(f"kernel {seed}")
    n, kind = r.randrange(10, 25), r.choice(TYPES)
    data = kind if kind in ("float", "double") else "int"
    initial = ", ".join(str(r.randrange(1, 90)) for _ in range(r.randrange(1, n)))
    lead, filled = r.randrange(n // 3), r.randrange(n // 2, n + 1)
    value = f"in[i] {r.choice('+-*')} 0.5f" if data != "int" else r.choice(("in[i]", "in[i] ^ i", "in[i] & 0x7fffff"))
    partition = f"{r.choice(('cyclic', 'block'))} factor={r.randrange(2, 5)}"
    step, other = r.randrange(1, 4), r.randrange(n)
    op = r.choice("+-*") if data != "int" else r.choice("^&|")
    return f"""void top(const {data} in[{n}], {data} out[{n}], int level, unsigned char flag)
{{
    {kind} A[{n}] = {{{initial}}};
#pragma HLS ARRAY_PARTITION variable=A {partition} dim=1
    for (int i = {lead}; i < {filled}; i++) A[i] = {value};
    for (int i = {step}; i < {n}; i += {step}) if (in[i] > {r.randrange(-50, 50)}) A[i - {step}] = A[i];
    for (int i = 0; i < {n}; i++) {{
#pragma HLS PIPELINE II=1
        out[i] = A[{n - 1} - i] {op} A[(i * {step} + {other}) % {n}];
        if (level > {r.randrange(200, 2000)}) out[i] = A[i];
        if (flag == {r.randrange(256)}) out[i] = {r.randrange(9)};
    }}
}}
"""


STYLES = (RewriteOptions(style="split", unroll=True), RewriteOptions(style="bankdim"), RewriteOptions(style="crossbar"))


def banked(text: str, style: RewriteOptions) -> str:
    """The text that ``rewrite`` makes of a kernel."""
    made = Pipeline(["p.c"], Options(), lambda _: text.encode())
    return made.rewrite(style).files["p.c"]


@dataclass(frozen=True)
class Fault:
    """``certain``: what is computed differs by construction."""

    kind: str
    text: str
    certain: bool = False


_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|^[ \t]*#pragma[^\n]*", re.S | re.M)


def faults(text: str, seed: int) -> list[Fault]:
    """One fault of each kind for which the text has a place."""
    r = random.Random(f"fault {seed}")
    hidden = _CODE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)  # what is no code becomes blank
    out = []

    def places(pattern: str) -> list[re.Match[str]]:
        return list(re.finditer(pattern, hidden, re.M))

    def change(kind: str, pattern: str, make: object) -> None:
        found = places(pattern)
        if found and callable(make):
            m = r.choice(found)
            changed = make(m)
            if changed != m[0]:
                out.append(Fault(kind, text[: m.start()] + changed + text[m.end() :]))

    change("bank", r"\bA_([0-3])(?=\[[^\]]*\](?!,| =  *\{|;))", lambda m: f"A_{int(m[1]) ^ 1}")
    change("word", r"(?<=\[)[^\[\]{}\n]*[a-z][^\[\]{}\n]*(?=\])", lambda m: f"({m[0]}) ^ 1")
    other = {"0": "1", "1": "0"}
    pattern, make = r"\bA(\[[^][]*\])(\[[^][]*\])(?! = [{])", lambda m: f"A{m[2]}{m[1]}"  # bank and word
    if places(r"^.*\bA_0\[.*\n.*\bA_1\[.*$"):  # two banks
        pattern, make = (
            r"^.*\bA_0\[.*\n.*\bA_1\[.*$",
            lambda m: re.sub(r"(?<=A_)[01](?=\[)", lambda x: other[x[0]], m[0]),
        )
    change("swap", pattern, make)
    change("store", r"\bA\w*(\[[^\]]*\])+ = [^;{}]*;", lambda _: ";")
    change("initial value", r"(?<=[{ ])([1-9]\d?)(?=[,}])", lambda m: str(int(m[1]) + 1))
    narrow = {
        "int": "short",
        "long long": "int",
        "unsigned": "unsigned short",
        "short": "signed char",
        "double": "float",
    }
    change("type", rf"^ *({'|'.join(narrow)})(?= A(_0)?\[)", lambda m: m[0].replace(m[1], narrow[m[1]]))
    change("bound", r"(?<=; )(\w+) < (\d+)(?=;)", lambda m: f"{m[1]} < {int(m[2]) - 1}")
    change(
        "operator", r"(?<=[\]\w]) ([-+^|]) (?=[\w(])", lambda m: {"-": " + ", "+": " - ", "^": " | ", "|": " ^ "}[m[1]]
    )
    end = text.rindex("}")
    literal = r.randrange(-(2**31), 2**31) if "const int in" in text else f"{r.randrange(9999)}.25f"
    test = r.choice(
        (f"in[{r.randrange(9)}] == {literal}", f"level == {r.randrange(10**6)}", f"flag == {r.randrange(256)}")
    )
    out.append(Fault("literal", f"{text[:end]}    if ({test}) out[3] = out[3] == 77 ? 78 : 77;\n}}\n", certain=True))
    return out


_ORACLE = """#include <stdio.h>
#include <string.h>
#define top top_a
#include "old.c"
#undef top
#define top top_b
#include "new.c"
#undef top
static unsigned long long s = 88172645463325252ull;
static unsigned long long next(void) { s ^= s << 13; s ^= s >> 7; s ^= s << 17; return s; }
int main(void)
{
    static DATA in[N], a[N], b[N];
    for (int k = 0; k < 20000; k++) {
        for (int i = 0; i < N; i++) {
            int v = (int)next() >> next() % 32;
            in[i] = (DATA)(k % 3 ? v : v % 64) / (DATA)(FLOAT && k % 2 ? 1024 : 1);
        }
        int level = (int)next() >> next() % 32;
        unsigned char flag = next();
        memset(a, 0, sizeof a); memset(b, 0, sizeof b);
        top_a(in, a, level, flag); top_b(in, b, level, flag);
        for (int i = 0; i < N; i++) if (a[i] != b[i] && (a[i] == a[i] || b[i] == b[i])) return 1;
    }
    return 0;
}
"""


def matters(folder: Path, old: str, new: str) -> bool | None:
    """Whether 20,000 vectors tell the versions apart; None where NEW does not compile."""
    size, data = re.search(r"\bin\[(\d+)\]", old), re.search(r"const (\w+) in", old)
    assert size and data
    (folder / "old.c").write_text(old)
    (folder / "new.c").write_text(re.sub(r"^#define", "#define", new, flags=re.M))
    (folder / "oracle.c").write_text(_ORACLE)
    flags = [
        f"-DN={size[1]}",
        f"-DDATA={data[1]}",
        f"-DFLOAT={int(data[1] != 'int')}",
        "-w",
        "-O1",
        "-ffp-contract=off",
    ]
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    made = subprocess.run(["cc", *flags, *sanitizers, "oracle.c", "-o", "oracle"], cwd=folder, capture_output=True)
    if made.returncode:
        return None
    return subprocess.run([str(folder / "oracle")], capture_output=True, timeout=120).returncode != 0


def run(count: int, seed: int, show: bool = False) -> dict[str, Counter[str]]:
    """Per kind: faults ``seen``, ``missed``, ``set aside`` (change nothing) and ``not C``."""
    tables = {kind: Counter[str]() for kind in KINDS}
    done = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        while done < count:
            old = kernel(seed)
            new = banked(old, STYLES[seed % 3])
            for fault in faults(new, seed)[: count - done]:
                known = matters(folder, old, fault.text)
                state = "not C"
                if known is not None:
                    state = "set aside"
                    if known or fault.certain:
                        (folder / "new.c").write_text(fault.text)
                        options = VerifyOptions(top="top", seconds=30.0)
                        answer = verify(str(folder / "old.c"), str(folder / "new.c"), options)
                        state = "seen" if answer.exit_code == 1 else "missed"
                        if state == "missed" and show:
                            print(f"seed {seed}, {fault.kind}: {answer.message}", flush=True)
                tables[fault.kind][state] += 1
                done += 1
            seed += 1
    return tables


def main() -> int:
    """Command line; exit code 1 where less than 95 % are seen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    tables = run(arguments.count, arguments.seed, True)
    for kind, table in tables.items():
        print(f"{kind}: " + ", ".join(f"{state} {n}" for state, n in sorted(table.items())))
    total = sum(tables.values(), Counter[str]())
    share = total["seen"] / max(1, total["seen"] + total["missed"])
    print(f"{total['seen']} of {total['seen'] + total['missed']} faults seen ({share:.1%})")
    return int(share < 0.95)


if __name__ == "__main__":
    sys.exit(main())
