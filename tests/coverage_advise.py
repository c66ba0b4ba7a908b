"""What becomes of loops that miss their target II in a list of files, with one `rewrite --infer` each.

    python tests/coverage_advise.py [--reassoc] [--verify] [--include DIR] FILE[@TOP]...

Per file: II of late loops before and after, and cycles. *reached*: the target; *proved*: no memories and no schedule
of these operations in this order reach it; *bound*: the II is that of ports of the top function; *better*; *same*. A
file without a late loop is left out. `--verify` runs both texts. `--new-ports`: where ports of the top function bind,
they may become more (`--split-top`), and what is then reached or proved is counted as *.. with new ports*.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Collection

import hlspart
from hlspart.model.results import IIResult, LoopResult
from hlspart.predict.regressions import counterparts
from hlspart.semantics.effects import effects


def cycles(figures: IIResult) -> int | None:
    """Latency of all functions; None where one is not known."""
    each = [f.latency.max for f in figures.functions]
    return None if any(c is None for c in each) else sum(c or 0 for c in each)


def at_ports(loop: LoopResult, figures: IIResult) -> bool:
    """Whether what limits a loop is a memory behind a port of the top function, which keeps its signature."""
    outside = {a.name for a in figures.arrays if a.storage in ("ap_memory", "m_axi", "bram")}
    limit = loop.limits[0] if loop.limits else None
    bus = limit is not None and limit.kind == "interface" and (limit.array or "").startswith("m_axi ")
    return bus or (limit is not None and limit.array in outside and limit.kind in ("memory-port", "interface"))


def outcome(old: LoopResult, new: LoopResult | None, figures: IIResult) -> str:
    """One word for a late loop."""
    if new is None or (not new.misses and new.ii is not None):
        return "reached"
    if new.proof is not None:
        return "proved" if new.least <= new.proof.ii else f"proved, not yet {new.proof.ii}"
    if new.ii is None:
        return "unknown"
    if at_ports(new, figures):
        return "bound by ports of the top"
    return "better" if new.least < old.least else "same"


Written = tuple[hlspart.RewriteAnswer, IIResult, tuple[tuple[LoopResult, LoopResult | None], ...]]


def written(kernel: hlspart.Kernel, reassoc: bool, new_ports: bool) -> Written:
    """The text, its figures, and each loop with the one in its place."""
    answer = kernel.rewrite(infer=True, allow_reassoc=reassoc, split_top=new_ports)
    after = kernel.pipeline.predict(answer.texts)
    (result,) = answer.results
    return answer, after, counterparts(kernel.program, kernel.pipeline.figures, after, result.lines)


def verified(kernel: hlspart.Kernel, answer: hlspart.RewriteAnswer, reassoc: bool) -> str:
    """What running both says; pointers of no extent get 256 elements, and small values are the second try.

    With these, bounds that an input gives stay within the arrays. ``reassoc``: sums may differ by what they round.
    """
    extents: dict[str, int] = {}
    said = ""
    for small in (None, (0, 7)):
        missing: re.Match[str] | None = None
        while missing is None or missing[1] not in extents:
            extents |= {missing[1]: 256} if missing else {}
            try:
                found = hlspart.verify(
                    kernel, answer, seconds=2, value_range=small, extents=extents, timeout=10, allow_reassoc=reassoc
                ).result
            except hlspart.InputError as error:
                return f"not run: {error}"
            missing = re.search(r"give --extent (\w+)=N", found.message)
            if missing is None:
                break
        if found.status == "equal":
            given = f" with {', '.join(extents)} of 256 elements" * bool(extents)
            rounded = " but for rounding" * (found.rounded > 0)
            return f"equal{rounded}{given}{' on small values' * (small is not None)}"
        said = said or f"{found.status}: {found.message[:70]}"
    return said


def verified_tops(kernel: hlspart.Kernel, answer: hlspart.RewriteAnswer, reassoc: bool, late: Collection[str]) -> str:
    """The same where several functions may be the top: of each that calls a function with a late loop."""
    said = verified(kernel, answer, reassoc)
    if "candidates are" not in said:
        return said
    reached = effects(kernel.program).reachable
    tops = [t for t in kernel.pipeline.analysis.tops if set(reached((t,))) & set(late)]
    options = kernel.pipeline.options.frontend
    each = {
        t: verified(hlspart.open(kernel.paths[0], top=t, include_dirs=options.include_dirs), answer, reassoc)
        for t in tops
    }
    different = [f"{top}: {s}" for top, s in each.items() if not s.startswith("equal")]
    return "; ".join(different) or f"equal in {', '.join(each)}"


def main() -> None:
    """A line per file, then counts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    parser.add_argument("--reassoc", action="store_true")
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--new-ports", action="store_true")
    parser.add_argument("--include", action="append", default=[])
    asked = parser.parse_args()
    loops, files = Counter[str](), Counter[str]()
    for item in asked.files:
        path, _, top = item.partition("@")
        start = time.process_time()
        try:
            kernel = hlspart.open(path, top=top or None, include_dirs=asked.include)
        except hlspart.InputError as error:
            files["unreadable"] += 1
            print(f"{path}: {str(error)[:100]}")
            continue
        before = kernel.pipeline.figures
        late = {k: x for k, x in enumerate(before.loops) if x.pipelined and x.misses}
        if not late:
            files["nothing late"] += 1
            continue
        answer, after, pairs = written(kernel, asked.reassoc, False)
        words = {k: outcome(old, pairs[k][1], after) for k, old in late.items()}
        said = []
        known = [pairs[k][1] for k in late]
        kept = any(x is not None and x.misses and x.proof is not None and x.proof.at_ports for x in known)
        if asked.new_ports and (kept or any(w.startswith("bound") or "not yet" in w for w in words.values())):
            wider = written(kernel, asked.reassoc, True)
            new = {k: outcome(old, wider[2][k][1], wider[1]) for k, old in late.items()}
            rank = {"reached": 2, "proved": 1}
            gained = {k for k in late if rank.get(new[k], 0) > rank.get(words[k], 0)}
            if gained:
                answer, after, pairs = wider
                words = new | {k: f"{new[k]} with new ports" for k in gained}
        for k, old in late.items():
            word = words[k]
            loops[word] += 1
            left = pairs[k][1]
            why = (
                f" ({left.limits[0].text[:90]})"
                if left and word in ("same", "better", "unknown") and left.limits
                else ""
            )
            why = f" ({(left.cause or '')[:90]})" if left and word == "unknown" and not why else why
            said.append(f"{old.name} {old.figure} -> {left.figure if left else 'gone'} {word}{why}")
        same = answer.texts == kernel.texts
        files["byte-identical" if same else "rewritten"] += 1
        equal = ""
        if asked.verify and not same:
            equal = f", {verified_tops(kernel, answer, asked.reassoc, {x.function for x in late.values()})}"
            files[f"verified{equal[:7]}"] += 1
        spent = f"{time.process_time() - start:.0f} s"
        print(f"{path}: {'; '.join(said)}; cycles {cycles(before)} -> {cycles(after)}{equal} ({spent})", flush=True)
    print(dict(files), dict(loops))


if __name__ == "__main__":
    main()
