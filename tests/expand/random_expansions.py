"""Random nests through ``expand``, in lock-step and as independent elements: verdicts against enumeration, texts
against the originals in three orders of the elements.

Run: python tests/expand/random_expansions.py [--first N] [--count N]
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.expand.nests import random_nest, verdict
from tests.expand.running import differing, open_text, plan_of


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--count", type=int, default=500)
    given = options.parse_args()
    wrong, texts, said = 0, 0, Counter[str]()
    for start in range(given.first, given.first + given.count, 50):
        pairs = []
        for seed in range(start, min(start + 50, given.first + given.count)):
            rng = random.Random(seed)
            nest = random_nest(rng)
            text = nest.c("f")
            pipeline = open_text(text)
            placed = ((rng.randint(2, 9), "cyclic"), (rng.randint(2, 4), "block"))
            for (pes, kind), order in itertools.product(placed, ("time-space", "space-time")):
                remainder = rng.choice(["guard", "peel"])
                plan, new = plan_of(pipeline, "L", (pes,), maps=(kind,), order=order, remainder=remainder)
                judgement = plan.expansion.judgement
                wanted = verdict(nest, pes, kind == "block", order == "time-space")
                said[judgement.verdict] += 1
                if judgement.verdict != "refused" and judgement.legal != wanted:
                    wrong += 1
                    print(f"seed {seed}, {pes} elements, {kind}, {order}: {judgement.verdict}, enumeration {wanted}")
                if new is not None:
                    pairs.append((f"{seed} {pes} {kind} {order}", text, new))
        with tempfile.TemporaryDirectory() as folder:
            for name in differing(pairs, Path(folder)):
                wrong += 1
                print(f"differs: {name}")
        texts += len(pairs)
    verdicts = ", ".join(f"{n} {verdict}" for verdict, n in said.most_common())
    print(f"{said.total()} verdicts ({verdicts}), {texts} texts in three orders, {wrong} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
