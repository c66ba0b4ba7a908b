"""A modulo scheduler: iterative modulo scheduling with chaining, memory ports and shared units.

B. R. Rau, "Iterative modulo scheduling", MICRO 1994: operations are placed in order of their height,
each at the first state that its scheduled predecessors and the resources allow, at most II states
on; what stands in the way is taken out and placed again. Chaining: a value is handed on inside a
state when the rest of the period suffices. Time and cost depend on operations, never on trip counts.
"""

from __future__ import annotations

import importlib.util
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from heapq import heappop, heappush

from msgspec.structs import replace

from hlspart.model.ports import Ports
from hlspart.schedule.problem import Problem, Schedule, Wait, allowed, topological
from hlspart.schedule.recurrence import critical_cycle, earliest, goes_round

MAX_SLOTS = 2_000_000  # operations times II, over all attempts to share units
MOST_PLACEMENTS = 40_000  # in attempts at one II after the other; what has no schedule by then needs far more states
JUMPS = 5  # attempts beyond these, at an II an eighth above the bound, then at twice the distance, and so on
MOST_KEPT = 256  # problems whose schedules are remembered


@lru_cache(maxsize=MOST_KEPT)
def modulo_schedule(problem: Problem, lowest: int, share_delay: int, tries: int = 64) -> Schedule | None:
    """A schedule at the least II >= ``lowest`` that the scheduler reaches.

    Units are shared as far as II allows. In loops with a recurrence through some of them, units are added, one
    at a time, where sharing delays an iteration by more than ``share_delay`` states, or at all if they serve a
    recurrence that fills the II.
    Where the attempts to share them cost more than ``MAX_SLOTS``, the best so far counts. Where ``tries`` at one II
    after the other find nothing, a few far apart are tried, unless it was to be one try. Equal problems are solved
    once: loops are predicted again and again with other partitions and directives, which change few of them.
    """
    counts = problem.counts()
    waiting = _Waiting(problem)
    spent = placements = 0
    least = True
    runs: list[tuple[_Attempt, Schedule | None]] = []  # at the II at hand

    def attempt(ii: int, units: Mapping[str, int]) -> Schedule | None:
        nonlocal placements
        alike = next((run for run in runs if run[0].goes_alike(units)), None)
        if alike is None:
            tried = _Attempt(waiting, ii, units)
            alike = tried, tried.run()
            runs.append(alike)
        tried, schedule = alike
        placements += tried.placements
        return None if schedule is None else replace(schedule, units=dict(units))

    each = min(tries, max(1, MOST_PLACEMENTS // _placements(len(problem.graph.ops))))
    for ii in (*range(lowest, lowest + each), *(_jumps(lowest, each) if tries > 1 else ())):
        runs.clear()
        free = {unit: problem.limited.get(unit, n) for unit, n in counts.items()}
        loose = attempt(ii, free)
        if loose is None:
            exact = _exact(problem, ii)
            if isinstance(exact, Schedule):
                return replace(exact, least=least, placements=placements)
            least = least and not exact
            continue
        loose = replace(loose, least=least, skipped=ii >= lowest + each)
        units = {u: min(free[u], math.ceil(n / ii)) for u, n in counts.items()}
        if units == free:
            return replace(loose, placements=placements)
        best = attempt(ii, units)
        longer = best is None or best.depth > loose.depth
        critical = _critical_units(problem, ii) if longer and best is not None else set()
        recurs = longer and bool({problem.timing[op].unit for op in problem.graph.recurring} - {None})
        while best is None or best.depth > loose.depth:
            too_deep = best is None or (recurs and best.depth > loose.depth + share_delay)
            options = []
            for unit in sorted(units if too_deep else critical):
                if units[unit] < free[unit]:
                    spent += len(problem.graph.ops) * ii
                    if spent > MAX_SLOTS:
                        return replace(best or loose, least=least, skipped=loose.skipped, placements=placements)
                    tried = attempt(ii, {**units, unit: units[unit] + 1})
                    options.append((tried.depth if tried is not None else math.inf, unit, tried))
            if not options:
                best = loose if too_deep else best
                break
            depth, unit, tried = min(options, key=lambda o: o[:2])
            if depth == math.inf:  # one unit more of any kind is not enough
                units = _more(partial(attempt, ii), units, {unit: free[unit] for _, unit, _ in options})
                continue
            if not too_deep and (best is None or depth >= best.depth):
                break
            best = tried
            units[unit] += 1
        assert best is not None
        return replace(best, least=least, skipped=loose.skipped, placements=placements)
    return None


def _jumps(lowest: int, each: int) -> Iterator[int]:
    """What is tried where no II from ``lowest`` on has a schedule, of as many as ``each``."""
    return (lowest + each - 1 + (1 + lowest // 8) * 2**k for k in range(JUMPS))


def _more(
    attempt: Callable[[Mapping[str, int]], Schedule | None], units: Mapping[str, int], most: Mapping[str, int]
) -> dict[str, int]:
    """Units with so many more of each kind in ``most`` that one more of each may be enough."""

    def raised(more: int) -> dict[str, int]:
        return {u: min(n + more, most[u]) if u in most else n for u, n in units.items()}

    low, high = 1, 2
    while raised(low) != raised(high) and attempt(raised(high)) is None:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if attempt(raised(middle)) is None else (low, middle)
    return raised(low)


def _exact(problem: Problem, ii: int) -> Schedule | bool:
    """What integer programming says of ``ii``: a schedule, False: none exists, True: not decided."""
    if importlib.util.find_spec("highspy") is None:
        return True
    from hlspart.schedule import exact

    return exact.schedule_at(problem, ii) if exact.fits(problem, ii) else True


def _critical_units(problem: Problem, ii: int) -> set[str]:
    """Kinds of units in recurrences that forbid any smaller II."""
    if ii == 1 or earliest(problem, ii - 1) is not None:
        return set()
    units = (problem.timing[e.sink].unit for e in critical_cycle(problem, ii))
    return {u for u in units if u is not None}


def together_at_most(branches: Sequence[tuple[tuple[int, int], ...]]) -> int:
    """Most accesses that run in one iteration, of accesses in the given arms (nested, outermost first)."""
    count = sum(not b for b in branches)
    arms: dict[int, dict[int, list[tuple[tuple[int, int], ...]]]] = {}
    for branch in branches:
        if branch:
            (instance, arm), rest = branch[0], branch[1:]
            arms.setdefault(instance, {}).setdefault(arm, []).append(rest)
    return count + sum(max(together_at_most(rest) for rest in by_arm.values()) for by_arm in arms.values())


def _placements(operations: int) -> int:
    """How often operations are placed in one attempt: what has no state by then mostly goes round in circles."""
    return min(8 * operations + 64, max(2 * operations, 16_000))


_Use = tuple[bool, tuple[tuple[int, int], ...]]  # whether an access reads, and the arms that it stands in


class _Waiting:
    """What the operations of a problem wait for, which is alike in all attempts."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.incoming: dict[int, list[Wait]] = defaultdict(list)
        self.outgoing: dict[int, list[Wait]] = defaultdict(list)
        for wait in problem.waits:
            self.outgoing[wait.source].append(wait)
            self.incoming[wait.sink].append(wait)
        self._order = topological(problem.graph)[::-1]
        self._heights: dict[int, dict[int, int] | None] = {}

    def heights(self, ii: int) -> Mapping[int, int] | None:
        """The states from each operation to the end; None where waits go round in a circle that grows."""
        if ii not in self._heights:
            self._heights = {ii: self._at(ii)}
        return self._heights[ii]

    def _at(self, ii: int) -> dict[int, int] | None:
        height = dict.fromkeys(self._order, 0)
        ahead: dict[int, int] = {}  # what an operation got its height from
        waiting = set(self._order)
        while waiting:
            for op in self._order:
                if op not in waiting:
                    continue
                waiting.discard(op)
                before = best = height[op]
                for wait in self.outgoing.get(op, ()):
                    if (least := height[wait.sink] + wait.gap - ii * wait.distance) > best:
                        best, ahead[op] = least, wait.sink
                if best > before:
                    height[op] = best
                    waiting.update(wait.source for wait in self.incoming.get(op, ()))
            if waiting and goes_round(ahead):
                return None
        return height


class _Attempt:
    """One run of the scheduler at a fixed II with fixed numbers of units."""

    def __init__(self, waiting: _Waiting, ii: int, units: Mapping[str, int]) -> None:
        self.problem, self.ii, self.units = waiting.problem, ii, units
        self.heights = waiting.heights(ii)
        self.incoming, self.outgoing = waiting.incoming, waiting.outgoing
        self.placements = 0
        self.start: dict[int, int] = {}
        self.offset: dict[int, float] = {}
        self.last: dict[int, int] = {}
        self.reads: dict[tuple[str, int], dict[int, None]] = defaultdict(dict)  # in the order of their placing
        self.writes: dict[tuple[str, int], dict[int, None]] = defaultdict(dict)
        self.busy: dict[tuple[str, int], dict[int, None]] = defaultdict(dict)
        self.full: dict[str, int] = defaultdict(int)  # the slots, as bits, in which a unit has nothing more to give
        self.shut: dict[str, dict[_Use, int]] = defaultdict(dict)  # and those in which a bank was asked in vain
        self.refused: dict[tuple[str, int], list[_Use]] = defaultdict(list)  # the same by bank and slot
        self.most: dict[str, int] = defaultdict(int)  # units of a kind that were taken in one slot

    def goes_alike(self, units: Mapping[str, int]) -> bool:
        """Whether one with ``units`` takes the same steps as this did: as many of a kind, or enough in both."""
        return all(n == self.units[unit] or self.most[unit] < min(n + 1, self.units[unit]) for unit, n in units.items())

    def run(self) -> Schedule | None:
        """The schedule, or None when the budget is used up."""
        heights = self.heights
        if heights is None:
            return None
        rank = {op: n for n, op in enumerate(sorted(heights, key=lambda op: (-heights[op], op)))}
        order = sorted(rank, key=rank.__getitem__)
        waiting = list(range(len(order)))  # a heap of ranks
        budget = _placements(len(order))
        while waiting:
            if self.placements == budget:
                return None
            self.placements += 1
            for gone in self._place(order[heappop(waiting)]):
                heappush(waiting, rank[gone])
        shift = min(self.start.values(), default=0)
        start = {op: t - shift for op, t in self.start.items()} if shift else dict(self.start)
        depth = max((start[op] + self.problem.timing[op].states for op in start), default=0)
        return Schedule(self.ii, start, self.offset, dict(self.units), depth, "iterative modulo scheduling")

    def _place(self, op: int) -> list[int]:
        """Put ``op`` into the schedule; returns the operations that had to leave."""
        state, offset = 0, 0.0
        period, starts, offsets = self.problem.period, self.start, self.offset
        for wait in self.incoming.get(op, ()):
            source = wait.source
            if source in starts and source != op:
                need = allowed(wait, period, starts[source], offsets[source], self.ii)
                if need > (state, offset):
                    state, offset = need
        chosen = self._first(op, state)
        if chosen is None:
            chosen = max(state, self.last.get(op, -1) + 1)
        gone = self._evict(op, chosen)
        self.start[op] = self.last[op] = chosen
        self.offset[op] = offset if chosen == state else 0.0
        self._occupy(op, chosen)
        for wait in self.outgoing.get(op, ()):
            sink = wait.sink
            if sink in starts and sink != op:
                need = allowed(wait, period, chosen, offsets[op], self.ii)
                if need > (starts[sink], offsets[sink]):
                    self._remove(sink)
                    gone.append(sink)
        return gone

    def _first(self, op: int, state: int) -> int | None:
        """The first state from ``state`` on in which ``op`` fits."""
        unit, use = self.problem.timing[op].unit, self.problem.ports.get(op)
        taken = self.full[unit] if unit is not None else 0
        like: _Use | None = None  # accesses that no bank tells apart
        if use is not None:
            like = use.read, use.branch if op in self.problem.either else ()
            for bank in use.banks:
                taken |= self.shut[bank].get(like, 0)
        begin, every = state % self.ii, (1 << self.ii) - 1
        while free := every & ~taken:
            ahead = free >> begin
            slot = begin + _lowest(ahead) if ahead else _lowest(free)
            refusing = self._refusing(op, slot)
            if refusing is None:
                return state + (slot - begin) % self.ii
            if like is not None:
                self.shut[refusing][like] = self.shut[refusing].get(like, 0) | 1 << slot
                self.refused[refusing, slot].append(like)
            taken |= 1 << slot
        return None

    def _fits(self, op: int, t: int) -> bool:
        slot = t % self.ii
        unit = self.problem.timing[op].unit
        if unit is not None and len(self.busy[unit, slot]) >= self.units[unit]:
            return False
        return self._refusing(op, slot) is None

    def _refusing(self, op: int, slot: int) -> str | None:
        """A bank that has no port for ``op``, with what it serves in this slot."""
        use = self.problem.ports.get(op)
        for bank in use.banks if use is not None else ():
            reads, writes = self.reads[bank, slot], self.writes[bank, slot]
            if use is None or not (reads or writes):
                continue
            ports = self.problem.limits[bank]
            if ports.serves(len(reads) + use.read, len(writes) + (not use.read)):
                continue
            if not self._is_in_turn(ports, [*reads, op] if use.read else reads, writes if use.read else [*writes, op]):
                return bank
        return None

    def _is_in_turn(self, ports: Ports, reads: Collection[int], writes: Collection[int]) -> bool:
        """Whether one bank serves the accesses of one slot because they never all run in one iteration."""
        if self.problem.either.isdisjoint(reads) and self.problem.either.isdisjoint(writes):
            return False
        arms = {x: self.problem.ports[x].branch for x in (*reads, *writes)}
        most_reads = together_at_most([arms[x] for x in reads])
        most_writes = together_at_most([arms[x] for x in writes])
        together = together_at_most(list(arms.values()))
        single = ports.serves(most_reads, 0) and ports.serves(0, most_writes)
        return single and (ports.total is None or together <= ports.total)

    def _evict(self, op: int, t: int) -> list[int]:
        """Make room for ``op`` in state ``t``: the lowest of those in the way leave."""
        gone: list[int] = []
        while not self._fits(op, t):
            slot = t % self.ii
            unit = self.problem.timing[op].unit
            if unit is not None and len(self.busy[unit, slot]) >= self.units[unit]:
                victim = next(reversed(self.busy[unit, slot]))
            else:
                use = self.problem.ports[op]
                others = [x for b in use.banks for x in (*self.reads[b, slot], *self.writes[b, slot])]
                victim = max(others)
            self._remove(victim)
            gone.append(victim)
        return gone

    def _occupy(self, op: int, t: int) -> None:
        slot = t % self.ii
        unit = self.problem.timing[op].unit
        if unit is not None:
            beside = self.busy[unit, slot]
            beside[op] = None
            self.most[unit] = max(self.most[unit], len(beside))
            if len(beside) >= self.units[unit]:
                self.full[unit] |= 1 << slot
        use = self.problem.ports.get(op)
        if use is not None:
            table = self.reads if use.read else self.writes
            for bank in use.banks:
                table[bank, slot][op] = None

    def _remove(self, op: int) -> None:
        slot = self.start.pop(op) % self.ii
        unit = self.problem.timing[op].unit
        if unit is not None:
            del self.busy[unit, slot][op]
            self.full[unit] &= ~(1 << slot)
        use = self.problem.ports.get(op)
        if use is not None:
            table = self.reads if use.read else self.writes
            for bank in use.banks:
                del table[bank, slot][op]
                for like in self.refused.pop((bank, slot), ()):
                    self.shut[bank][like] &= ~(1 << slot)


def _lowest(bits: int) -> int:
    """The place of the lowest bit that is set."""
    return (bits & -bits).bit_length() - 1
