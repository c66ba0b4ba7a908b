"""Random nests through ``expand``: verdicts against enumeration, texts against the originals in three orders.

Run: python tests/expand/random_expansions.py [--first N] [--count N]
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.expand.nests import random_nest, verdict
from tests.expand.running import differing, open_text, plan_of


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--count", type=int, default=500)
    given = options.parse_args()
    wrong, verdicts, texts, refused = 0, 0, 0, 0
    for start in range(given.first, given.first + given.count, 50):
        pairs = []
        for seed in range(start, min(start + 50, given.first + given.count)):
            rng = random.Random(seed)
            nest = random_nest(rng)
            text = nest.c("f")
            pipeline = open_text(text)
            for pes, kind in ((rng.randint(2, 9), "cyclic"), (rng.randint(2, 4), "block")):
                plan, new = plan_of(pipeline, "L", (pes,), maps=(kind,), remainder=rng.choice(["guard", "peel"]))
                j, wanted = plan.expansion.judgement, verdict(nest, pes, kind == "block")
                verdicts += 1
                refused += j.verdict == "refused"
                if j.verdict != "refused" and j.legal != wanted:
                    wrong += 1
                    print(f"seed {seed}, {pes} elements, {kind}: {j.verdict}, enumeration says {wanted}")
                if new is not None:
                    pairs.append((f"{seed} {pes} {kind}", text, new))
        with tempfile.TemporaryDirectory() as folder:
            for name in differing(pairs, Path(folder)):
                wrong += 1
                print(f"differs: {name}")
        texts += len(pairs)
    print(f"{verdicts} verdicts ({refused} refused), {texts} texts in three orders, {wrong} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
