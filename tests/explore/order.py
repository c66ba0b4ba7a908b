"""Is bound <= model <= ``ii`` of the C, for random candidates? ``python tests/explore/order.py [COUNT [SEED]]``.

Nests of the test kernels, each with the figures that a search gives them, on random elements and external memories.
"""

import random
import sys
from pathlib import Path

from msgspec.structs import replace

from hlspart.expand.region import Refusal
from hlspart.explore.bound import Bound
from hlspart.explore.emit import write
from hlspart.explore.engine import Explorer
from hlspart.explore.steps import cost, total
from hlspart.model.exploring import ExploreOptions, ExternalMemory
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline

KERNELS = Path(__file__).parent / "kernels"
EACH = 4  #: candidates of a nest


def main(count: int, seed: int) -> None:
    rng, tried, unknown, wrong = random.Random(seed), 0, 0, []
    pipelines = [Pipeline([str(p)], Options()) for p in sorted(KERNELS.glob("*.c"))]
    while tried < count:
        pipeline = rng.choice(pipelines)
        program, top = pipeline.program, rng.choice(list(pipeline.program.functions))
        options = ExploreOptions(
            elements=rng.choice([1, 2, 3, 4, 6, 8]), whole=rng.choice([0, 2, 3]), reassociate=rng.random() < 0.7,
            schedule=rng.random() < 0.3,
            off_chip=ExternalMemory(rng.choice([4, 16, 64]), rng.choice([0, 3, 20, 84]), rng.random() < 0.3),
        )  # fmt: skip
        explorer = Explorer(program, pipeline.analysis, top, options, pipeline.target, pipeline.predict, lambda _: {})
        for region in explorer.plan.searched():
            nest = region.written.nest
            for _ in range(EACH):
                shard = rng.choice(region.space.shards())
                split = rng.choice(list(region.space.slices(shard)))
                vector = region.space.vector(shard, split, rng.choice(list(region.space.orders(split))))
                try:
                    texts, (written,) = write(program, [(region.written, vector)], options.off_chip)
                except Refusal:
                    continue
                taken = {f.name: f.latency.max for f in pipeline.predict(texts).functions}
                model, bound = cost(nest, vector, options.off_chip), Bound(nest, options.off_chip)
                low = max(bound.under(shard).cycles(split), bound.least(shard))
                tried += 1
                copies = [*written.loads.values(), *written.stores.values()]
                if any(taken[n] is None for n in (written.compute, *copies)):
                    unknown += 1
                    continue
                own = {m.array: [names[m.array] for names in (written.loads, written.stores) if m.array in names]
                       for m in model.moves}  # fmt: skip
                moves = [
                    replace(m, cycles=max([m.cycles, *(taken[n] or 0 for n in own[m.array])])) for m in model.moves
                ]
                cycles = total(nest, model.steps, taken[written.compute] or 0, moves, options.off_chip)
                if not low <= model.cycles <= cycles or model.compute > (taken[written.compute] or 0):
                    wrong.append((top, nest.name, options, vector, low, model.cycles, cycles))
    for one in wrong:
        print(*one)
    print(f"{tried} candidates: {unknown} not known, {len(wrong)} not in order")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    main(*given, *(200, 1)[len(given) :])
