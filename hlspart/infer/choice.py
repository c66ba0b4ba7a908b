"""The banking of one array group: the cheapest that serves all its loops, with what was excluded."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from hlspart.banking.counting import BankModel
from hlspart.banking.need import Need
from hlspart.banking.pragmas import MOST_BANKS, PragmaSpace, divides
from hlspart.banking.search import Banking, least_any, lower_bound
from hlspart.infer.cost import Cost, blocks, cost
from hlspart.infer.demand import COPIED, REBINDABLE, Demand, elements
from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.layout import Layout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.inferred import BankingMap
from hlspart.model.options import InferOptions
from hlspart.model.ports import Ports
from hlspart.targets import Target
from hlspart.targets.target import REGISTERS

MOST_WAYS = 16  # to deal out the ports of a bank, over all loops
SMALL_BITS = 512  # arrays up to this size become registers under scheme auto when they need banks
REGISTERS_FOR = 2  # times the cost of banks, that registers may cost: they answer at once
SPARE, SPARE_AT_PORTS = 8, 6  # times the banks that accesses ask for; each bank of an argument is a port
USUAL = 16  # banks that are never too many
MOST_OWN, MOST_AT_PORTS = 256, 64
MOST_REGISTER_BITS = 16_384  # of one array; a slower loop is preferred to more that nobody asked for


Pair = tuple[int, int, int]  # a loop of a demand, and positions of two of its accesses


class Choice(Struct, frozen=True):
    """A banking with its price and what is proved about it.

    ``copies`` above 1: the array is replicated instead. ``rewrite``: no pragma says it, or the pragma
    alone would not help; the banked code of ``rewrite`` is needed.
    """

    kind: str
    layout: Layout
    cost: Cost
    lower_bound: int
    proved: bool
    absolute: bool
    space: str
    reason: str
    rewrite: bool = False
    copies: int = 1

    @property
    def banks(self) -> int:
        """Memories: banks, or copies."""
        return self.layout.banks * self.copies

    @property
    def mapping(self) -> BankingMap | None:
        """The banking function when no pragma says it."""
        return self.layout.mapping


class Chooser(Struct, frozen=True, dict=True):
    """Chooses for one demand."""

    demand: Demand
    options: InferOptions
    model: BankModel
    target: Target
    last_resort: bool = True  # whether scheme pragma may end in registers
    rewrites: bool = True  # whether banks may be selected in the text
    copies: bool = True  # whether the array may be copied for its reads
    tried: frozenset[Layout] = frozenset()  # partitions with ports enough under which the schedule falls short
    apart: frozenset[Pair] = frozenset()  # accesses that may not share a bank
    divided: str = ""  # why banks are to be found without a division

    def choose(self, needs: Sequence[Need], start: int = 1) -> Choice | None:
        """The cheapest banking that serves ``needs`` with at least ``start`` banks; None when there is none."""
        if self.apart:  # all needs: options that do nothing for ports may part
            return self._pragma(needs, lower_bound(needs, self.demand.shape), max(start, 2))
        if all(need.trivial for need in needs) and start == 1:
            copied = self._replicated(1) if self.demand.storage == COPIED else None
            return copied or self.none(needs)
        needs = [n for n in needs if not n.trivial] or list(needs)
        bound = lower_bound(needs, self.demand.shape)
        if self.options.scheme == "any" and self.rewrites:
            return self._any(needs, start) or self._replicated(bound)
        existing = self.demand.existing
        memories = existing is not None and any(d.banks < d.extent for d in existing.dims)
        served = memories and existing is not None and all(n.fits(existing, self.model) for n in needs)
        pragma = self._pragma(needs, bound, start)
        if self.options.scheme == "auto" and self._small and not served:
            registers = self._registers(bound)
            if pragma is None or registers.cost.share <= REGISTERS_FOR * pragma.cost.share:
                return registers
        if self.options.scheme == "pragma":
            return pragma
        if pragma is not None and self.options.objective == "banks":
            other = self._any(needs, start) if pragma.banks > bound and self.rewrites else None
            if other is None or other.cost.share >= pragma.cost.share:
                return pragma
            return replace(other, reason=f"{other.reason}; a pragma that does needs {pragma.banks} and costs more")
        other = self._any(needs, start) if self.rewrites else None
        copied = self._replicated(bound)
        keeping = None if self.demand.bound else copied  # another memory than asked for only where no banks serve
        return min([c for c in (pragma, other, keeping) if c is not None], key=self._price, default=copied)

    def _price(self, choice: Choice) -> tuple[int, ...]:
        blocks, luts = choice.cost.bram18k, choice.cost.luts + choice.cost.register_bits
        if self.options.objective == "lut":
            return (luts, choice.rewrite, blocks, choice.banks)
        if self.options.objective == "bram":
            return (blocks, choice.rewrite, choice.banks, luts)
        return (blocks, choice.banks, choice.rewrite, luts)

    @property
    def _small(self) -> bool:
        cap = self.options.max_banks
        size = elements(self.demand)
        small = size * self.demand.bits <= SMALL_BITS and not (self.demand.interface or self.demand.bound)
        return small and (cap is None or size <= cap)

    @property
    def too_large(self) -> bool:
        """Whether the array is to stay in memories: nobody asked for so many registers."""
        asked = self.options.max_banks is not None or (self.options.scheme == "pragma" and not self.options.sparing)
        return elements(self.demand) * self.demand.bits > MOST_REGISTER_BITS and not asked

    @property
    def may_be_registers(self) -> bool:
        """Whether the array may become registers for the sake of a recurrence: few bits, or as many as are allowed."""
        if self.options.scheme == "any" or elements(self.demand) > self.most_registers:
            return False
        if self.options.scheme == "auto" and not self._small and not self.demand.shifted:
            return False
        powers = not self.options.pow2 or elements(self.demand).bit_count() == 1
        size = elements(self.demand)
        few = size * self.demand.bits <= MOST_REGISTER_BITS and (not self.demand.interface or self._all_at_once)
        return powers and (few or self.options.max_banks is not None)

    @property
    def _all_at_once(self) -> bool:
        """Whether an iteration touches as many elements of an argument as it has, so that each has a port anyway."""
        return elements(self.demand) <= min(self.demand.touched, MOST_AT_PORTS)

    def as_registers(self, why: str) -> Choice:
        """Registers, because a memory takes too long."""
        needs = [loop.need for loop in self.demand.loops]
        choice = self._registers(lower_bound(needs, self.demand.shape))
        size = elements(self.demand) * self.demand.bits
        return replace(choice, reason=f"{why}: registers answer at once, {size} bits in all")

    @property
    def instead(self) -> str:
        """What would take the place of a slower loop."""
        size = elements(self.demand)
        return f"not made {size * self.demand.bits} bits of registers, which --max-banks {size} allows"

    @cached_property
    def most(self) -> int:
        """No more banks than these are looked at: the knee, unless the user says how many (docs/banking.md)."""
        if self.options.max_banks is not None:
            return self.options.max_banks
        if self.options.at_any_price:
            return MOST_BANKS
        limits = ((mask, cap) for loop in self.demand.loops for mask, cap in loop.need.limits)
        asked = max((-(-mask.bit_count() // cap) for mask, cap in limits), default=1)
        spare, most = (SPARE_AT_PORTS, MOST_AT_PORTS) if self.demand.interface else (SPARE, MOST_OWN)
        return min(most, max(USUAL, spare * asked))

    @property
    def most_registers(self) -> int:
        """No more elements than these become registers."""
        return self.options.max_banks if self.options.max_banks is not None else MOST_BANKS

    @property
    def capped(self) -> str:
        """How many banks were looked at, in the words of a reason."""
        cap = counted(self.most, "bank")
        return f" with at most {cap}" + ("" if self.options.max_banks is not None else " (--max-banks allows more)")

    def excludes(self, need: Need) -> bool:
        """Whether no banking of the size that is looked at serves ``need``, whatever loads may leave the loop."""
        return lower_bound([need], self.demand.shape) > self.most and self._leaving([need]) > self.most

    def _cost(self, layout: Layout, crossbar: bool, copies: int = 1) -> Cost:
        needs = [loop.need for loop in self.demand.loops]
        return cost(layout, self.demand.bits, needs, crossbar, self.target, copies)

    def _whole(self) -> PerDimLayout:
        return PerDimLayout(tuple(DimLayout.of("whole", n, None) for n in self.demand.shape))

    def none(self, needs: Sequence[Need]) -> Choice:
        """One bank, for needs that ask for no more."""
        most = self.demand.accesses
        slowest = max((n.ii for n in needs), default=1)
        reason = f"one bank serves {counted(most, 'access')} per iteration at II {slowest}"
        if any(n.is_over(n.everything) for n in needs):
            reason += "; opposite arms of a branch share a port"
        if self.demand.own is not None and self.demand.storage == REGISTERS:
            reason = "the tool makes it registers by itself, which have no ports"
        return Choice("none", self._whole(), self._cost(self._whole(), False), 1, True, True, "one bank", reason)

    def _registers(self, bound: int, proved: bool = False) -> Choice:
        layout = PerDimLayout(tuple(DimLayout.of("complete", n, None) for n in self.demand.shape))
        size = elements(self.demand) * self.demand.bits
        return Choice(
            "complete", layout, self._cost(layout, False), bound, proved, layout.banks == bound,
            "cyclic, block and complete per dimension" if proved else "registers",
            f"registers have no ports; {size} bits in all"
            + (f" (at most {SMALL_BITS})" if self._small else "; no partition that leaves memories serves"),
        )  # fmt: skip

    # ------------------------------------------------------------------------------ pragmas

    def _pragma(self, needs: Sequence[Need], bound: int, start: int) -> Choice | None:
        space = self._space(needs, self.model)
        bound = min(bound, space.leaving)
        solutions = [x for x in self._in_order(space, max(bound, start)) if not (self.too_large and x.depth(0) == 1)]
        existing = self.demand.existing
        if not solutions and existing is not None and existing.banks > self.most and start <= existing.banks:
            solutions = [existing] if self._parts(existing) and all(n.fits(existing, self.model) for n in needs) else []
        if not solutions:
            last = self.last_resort and self.options.scheme == "pragma"
            last = last and (not self.demand.interface or self.options.max_banks is not None)
            last = last and elements(self.demand) <= self.most_registers and not self.too_large
            return self._registers(bound, space.complete) if last else None
        leaving = self._leaving(needs)
        if leaving <= solutions[0].banks:  # a partition that does not rely on that is what one expects
            staying = [x for x in solutions if all(n.fits(x, "ideal") for n in needs)]
            solutions = staying or solutions
        best = min(solutions, key=self._simplicity)
        kept = existing is not None and existing.banks == best.banks and existing not in self.tried
        if existing is not None and kept and self._parts(existing) and all(n.fits(existing, self.model) for n in needs):
            best = existing
        powers = ", powers of two" if self.options.pow2 else ""
        proved = space.complete and start <= bound and not (self.tried or self.apart or self.divided)
        why = self._why(best.banks, bound, proved)
        if self.model == "ideal" and leaving < best.banks:
            proved = False
            why += f"; with {leaving} banks or more loads may leave the loop, which the ideal count does not know"
        return Choice(
            best.kind, best, self._cost(best, False), bound, proved, best.banks == bound and not self.apart,
            f"cyclic, block and complete per dimension, {self.model} count{powers}", why,
        )  # fmt: skip

    def _space(self, needs: Sequence[Need], model: BankModel) -> PragmaSpace:
        every = [loop.need for loop in self.demand.loops] if self.divided else []
        return PragmaSpace(needs, self.demand.shape, model, self.most, max(1, self.options.effort), undivided=every)

    def _leaving(self, needs: Sequence[Need]) -> int:
        """No partition with fewer banks takes a load out of its loop."""
        return PragmaSpace(needs, self.demand.shape, "static", self.most).leaving

    def _in_order(self, space: PragmaSpace, start: int) -> tuple[PerDimLayout, ...]:
        """All partitions with the least number of banks that serve, but for those that were tried or do not part."""
        if not (self.tried or self.apart):
            return space.once((start, self.options.pow2), lambda: self._from(space, start))
        while True:
            layouts = self._from(space, start)
            left = tuple(x for x in layouts if x not in self.tried and self._parts(x))
            if left or not layouts:
                return left
            start = layouts[0].banks + 1

    def _parts(self, layout: PerDimLayout) -> bool:
        return separated(self.demand, layout, self.apart) == self.apart

    def _from(self, space: PragmaSpace, start: int) -> tuple[PerDimLayout, ...]:
        if not self.options.pow2:
            return space.least(start)
        numbers = (tuple(space.solutions(n)) for n in _powers(self.most) if n >= start)
        return next((layouts for layouts in numbers if layouts), ())

    def _simplicity(self, layout: PerDimLayout) -> tuple[object, ...]:
        """Among equals: fewer blocks of memory, fewer dimensions, powers of two, cyclic before block."""
        return (blocks(layout, self.demand.bits, self.target), *layout.simplicity)

    def _why(self, banks: int, bound: int, proved: bool) -> str:
        asked, ports = counted(self.demand.accesses, "access"), counted(self.demand.port_count, "port")
        need = f"{asked} per iteration on {ports} need {counted(bound, 'bank')}"
        if self.apart:
            return f"{need} at least"
        if banks == bound:
            return f"{need}, which this reaches"
        if proved:
            return f"{need} at least; all partitions with fewer than {banks} overload a bank ({self.model} count)"
        if self.divided:
            return f"{need} at least; {self.divided} where banks take a division"
        if self.tried:
            return f"{need} at least; with {min(x.banks for x in self.tried)} the schedule takes longer"
        return f"{need} at least; smaller numbers were not all excluded"

    # ---------------------------------------------------------------------------- any scheme

    def _any(self, needs: Sequence[Need], start: int) -> Choice | None:
        banking = self._least(needs, start)
        if self.model == "static" and self._leaving(needs) < (self.most + 1 if banking is None else banking.banks):
            pragma = self._pragma(needs, lower_bound(needs, self.demand.shape), start)
            if pragma is not None and (banking is None or pragma.banks < banking.banks):
                why = f"{pragma.reason}; loads leave their loop under it, which no other mapping brings about"
                if banking is None:
                    why = f"{pragma.reason}; no mapping that a text can select was found within the effort"
                return replace(pragma, proved=False, absolute=False, reason=why)
        if banking is None:
            return None
        layout: Layout = banking.layout
        static = self._space(needs, "static")
        said = min(static.solutions(banking.banks), key=self._simplicity, default=None)
        existing = self.demand.existing
        if existing is not None and existing.banks == banking.banks and all(n.fits(existing, "static") for n in needs):
            said = existing
        rewrite = said is None
        if said is not None:
            layout = said
        why = banking.reason
        if rewrite:
            why += "; no pragma says so: the bank of an access is not known at compile time"
        return Choice(
            layout.kind, layout, self._cost(layout, rewrite), banking.lower_bound, banking.excluded and start == 1,
            banking.absolute, banking.space + (", powers of two" if self.options.pow2 else ""), why, rewrite,
        )  # fmt: skip

    def interval(self, need: Need, layout: Layout) -> int:
        """Least II that code with selected banks allows a loop."""
        if self._apart:
            return need.interval(layout)
        return need.problem.ideal(layout, need.ports)[0].interval

    @property
    def _apart(self) -> bool:
        """Whether loads and stores of such code are counted as the sites that they are."""
        return self.model == "static"

    def _least(self, needs: Sequence[Need], start: int) -> Banking | None:
        """The least banks that a text can select; the ports of a bank may be port_splits out in several ways."""
        ways = [tuple(needs)]
        if self._apart:
            every = itertools.product(*(sorted(n.port_splits, key=lambda x: x.crowding) for n in needs))
            ways = list(itertools.islice(every, MOST_WAYS))
        best: Banking | None = None
        for way in ways:
            if best is None or lower_bound(way, self.demand.shape) < best.banks:
                best = self._least_of(way, start, self.most if best is None else best.banks - 1) or best
        if best is None or ways == [tuple(needs)]:
            return best
        bound = lower_bound(needs, self.demand.shape)
        met = best.banks <= bound
        excluded = met or (best.excluded and len(ways) == 1)
        open_ = f"{best.banks} banks serve, fewer were not excluded for all ways to deal out ports; lower bound {bound}"
        return replace(
            best,
            lower_bound=bound,
            excluded=excluded,
            absolute=met,
            space=f"{best.space}; loads and stores on ports of their own",
            reason=f"{best.reason if excluded else open_}, with loads and stores on ports of their own",
        )

    def _least_of(self, needs: Sequence[Need], start: int, most: int) -> Banking | None:
        effort, start = self.options.effort, max(start, 2)  # code for one bank alone would gain nothing
        # where accesses share a bank in changing pairs, the text of a table has more loads than the bank has ports
        tables = not (self._apart and any(cap > 1 for need in needs for _, cap in need.limits))
        stored = any(not s.read for need in needs for s in need.problem.sites)
        written = self._apart and (
            stored or self.options.scheme == "auto"
        )  # of loads alone any says the least there is
        if not self.options.pow2:
            return least_any(needs, self.demand.shape, most, effort, start, tables, written)
        for banks in _powers(most):
            if banks >= start:
                banking = least_any(needs, self.demand.shape, banks, effort, banks, tables, written)
                if banking is not None:
                    return banking
        return None

    # --------------------------------------------------------------------------- replication

    def copied(self) -> Choice | None:
        """Copies of an array that nothing may partition; None where they serve no loop."""
        return self._replicated(lower_bound([x.need for x in self.demand.loops], self.demand.shape))

    @property
    def _named(self) -> bool:
        """Whether the source says which memory it is to be, other than a RAM with reads that no banks serve."""
        if not self.demand.bound or self.demand.storage == COPIED:
            return False
        banked = self.demand.fault is None and not any(x.by_data for x in self.demand.loops)
        return banked or self.demand.storage not in REBINDABLE

    def _replicated(self, bound: int) -> Choice | None:
        """Copies of the whole array, each with its own read port: the remedy for data-dependent reads."""
        if self.demand.interface or self._named or not self.copies or COPIED not in self.target.profile["ports"]:
            return None
        copies, layout = 1, self._whole()
        for need in (x.need for x in self.demand.loops):  # a slower II is not the tool's: it copies for what is asked
            reads, writes = (need.problem.static(layout, p).interval for p in (Ports(reads=1), Ports(writes=1)))
            if writes > need.ii:
                return None
            copies = max(copies, -(-reads // need.ii))
        if copies < 2 or copies > self.most:
            return None
        return Choice(
            "replicate", layout, self._cost(layout, False, copies), bound, False, False, "replication",
            f"{copies} copies of the memory, one read port each; every write goes to all of them", copies=copies,
        )  # fmt: skip


def is_divided_by(demand: Demand, layout: Layout) -> bool:
    """Whether a pragma for ``layout`` makes an access take a division to find its bank."""
    dims = layout.per_dimension.dims if layout.per_dimension is not None else ()
    return any(divides(loop.need, k, dim) for loop in demand.loops for k, dim in enumerate(dims))


def separated(demand: Demand, layout: PerDimLayout, pairs: frozenset[Pair]) -> frozenset[Pair]:
    """Those of ``pairs`` that never share a bank under ``layout``."""

    def reach(k: int, position: int) -> frozenset[int]:
        return demand.loops[k].need.problem.reach(position, layout)

    return frozenset((k, a, b) for k, a, b in pairs if reach(k, a).isdisjoint(reach(k, b)))


def counted(number: int, word: str) -> str:
    """A number of things, in the plural where there are several."""
    plural = "es" if word.endswith("s") else "s"
    return f"{number} {word}{plural if number != 1 else ''}"


def _powers(most: int) -> Iterator[int]:
    power = 1
    while power <= most:
        yield power
        power *= 2
