"""Memory-port simulator: what each bank is really asked for in each iteration of a pipelined loop.

The program is run on real data with every access logged. This shares nothing with the port model
but the layout of the banks, so it checks the whole chain from accesses to the II.
"""

from __future__ import annotations

import os
import re
import struct
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from msgspec import Struct

from hlspart.accesses import analyse
from hlspart.banking.counting import count
from hlspart.frontend import load
from hlspart.hardware.reshape import Packed, packings
from hlspart.model.access import AccessAnalysis
from hlspart.model.options import FrontendOptions
from hlspart.model.ports import Ports
from hlspart.model.program import ArrayType, Loop, Program, storage_bits
from hlspart.model.results import IIResult, LoopResult, Validation
from hlspart.model.verifying import CountedPorts
from hlspart.partition import layout_of, validate
from hlspart.predict import PortAccesses, check
from hlspart.targets import Target
from hlspart.verification.dead import dead_loads
from hlspart.verification.execute import COMPILE_SECONDS, Child, compiler
from hlspart.verification.instrument import ACCESS, ENTER, EXIT, ITERATION, Watched, instrumented, parents
from hlspart.verification.interface import Incomparable
from hlspart.verification.invariant import steady_references

LIMIT = 1_000_000  # records that are looked at; the rest of a long run is left out

Address = tuple[int, int]  # base address of the array, byte offset


_Key = tuple[int, int]  # site of an access (reference id), and how often that site came before in the iteration


class _Event(Struct, frozen=True):
    """An access of one iteration."""

    site: int
    occurrence: int
    at: Address

    @property
    def key(self) -> _Key:
        """What it has in common with those of other iterations."""
        return self.site, self.occurrence


class Simulation:
    """The version under test after preprocessing, its prediction, and its instrumented text.

    Loops are named as in ``written``, the same version as the user sees it.
    """

    def __init__(self, path: str, flags: Sequence[str], target: Target, folder: Path, written: Program) -> None:
        expanded = folder / "expanded.c"
        _preprocess(path, flags, expanded)
        self.program: Program = load([str(expanded)], FrontendOptions())
        error = self.program.units[0].error
        if error is not None:
            raise Incomparable(f"the preprocessed new version cannot be read: {error.message}")
        self._names = _renamed(self.program, written)
        self._analysis: AccessAnalysis = analyse(self.program, None)
        self._validation: Validation = validate(self.program, self._analysis, "ideal")
        self._target = target
        self._accesses = PortAccesses(self.program, self._analysis, target)
        self._result: IIResult = check(self.program, self._analysis, self._validation, target, "ideal")
        self._dead = dead_loads(self.program)
        self._packed: dict[int, tuple[Packed | None, ...]] = {
            member: packed
            for variable, packed in packings(self.program).items()
            for member in {variable, *self._together(variable)}
        }
        self._watched = {r.loop: w for r in self._result.loops if r.pipelined and (w := self._watch(r)) is not None}
        self._log = folder / "log"
        text = instrumented(self.program, self._analysis, list(self._watched.values()), str(self._log), LIMIT)
        self.source = folder / "instrumented.c"
        self.source.write_bytes(text.encode("utf-8", "surrogateescape"))

    def _watch(self, result: LoopResult) -> Watched | None:
        inner = self.program.loops.get(result.loop)
        if inner is None:  # a function that is pipelined as a whole
            return None
        above = parents(self.program)
        outer = inner
        for _ in result.flattened[1:]:
            outer = above[outer.id]
        return Watched(inner, outer) if inner.kind == "for" and outer.kind == "for" else None

    # ------------------------------------------------------------------------------- the count

    def uses(self) -> tuple[CountedPorts, ...]:
        """Worst iteration of each array in each pipelined loop that ran."""
        entries: dict[int, list[list[list[_Event]]]] = {}
        for loop, iterations in self._entries():
            entries.setdefault(loop, []).append(iterations)
        out = []
        for result in self._result.loops:
            if result.loop in entries:
                out += self._of_loop(result, entries[result.loop])
        return tuple(out)

    def _entries(self) -> Iterator[tuple[int, list[list[_Event]]]]:
        """(loop, its iterations) for each time the loop was run through."""
        open_: list[tuple[int, list[list[_Event]]]] = []
        seen: dict[int, int] = {}
        data = self._log.read_bytes() if self._log.exists() else b""
        for tag, base, offset in struct.iter_unpack("<qqq", data[: len(data) // 24 * 24]):
            event, ident = tag >> 32, tag & 0xFFFFFFFF
            if event == ENTER:
                open_.append((ident, []))
            elif event == EXIT:
                while open_:
                    last = open_.pop()
                    yield last
                    if last[0] == ident:
                        break
            elif event == ITERATION and open_:
                open_[-1][1].append([])
                seen = {}
            elif event == ACCESS and open_ and open_[-1][1]:
                k = seen.get(ident, 0)
                seen[ident] = k + 1
                open_[-1][1][-1].append(_Event(ident, k, (base, offset)))

    def _of_loop(self, result: LoopResult, entries: list[list[list[_Event]]]) -> list[CountedPorts]:
        variables = {a.ref: a.array for a in self._analysis.accesses}
        kinds: dict[int, set[str]] = {}
        for a in self._analysis.accesses:
            kinds.setdefault(a.ref, set()).add(a.kind)
        factor = self._unroll(result.loop)
        predicted = self._predicted(result)
        worst: dict[int, CountedPorts] = {}
        runs = [
            [
                [
                    _Event(e.site, e.occurrence + 1000 * n, e.at)
                    for n, body in enumerate(bodies[k : k + factor])
                    for e in body
                ]
                for k in range(0, len(bodies), factor)
            ]
            for bodies in entries
        ]
        iterations = sum(map(len, runs))
        unclear = self._unclear(runs, variables, kinds)
        resting = _resting(runs)
        steady = steady_references(self.program, self._watched[result.loop].outermost) | self._constant(result)
        gone = [_hoisted(groups, kinds, unclear, resting, steady) for groups in runs]
        long = [(counted, groups) for counted, groups in zip(gone, runs, strict=True) if len(groups) > 1]
        stay = {e.key for counted, groups in long for events in groups for e in events if e.key not in counted}
        alone = set().union(*(counted for counted, _ in long)) - stay
        if not long:
            alone = _hoisted([events for groups in runs for events in groups], kinds, unclear, resting, steady)
        for fixed, groups in zip(gone, runs, strict=True):
            for events in groups:  # one iteration does not tell: what leaves all longer runs does
                for use in self._iteration(events, fixed if len(groups) > 1 else alone, variables, kinds):
                    variable, bank, reads, writes, ports, banks = use
                    need = ports.interval(reads, writes)
                    if variable not in worst or need > worst[variable].interval:
                        name = self.program.variable(variable).name
                        worst[variable] = CountedPorts(
                            result.function, self._name(result), name, banks, bank, reads, writes, need,
                            predicted.get(variable), 0,
                        )  # fmt: skip
        return [
            CountedPorts(
                u.function, u.loop, u.array, u.banks, u.bank, u.reads, u.writes, u.interval, u.predicted, iterations
            )
            for u in worst.values()
        ]

    def _iteration(
        self,
        events: list[_Event],
        fixed: set[_Key],
        variables: Mapping[int, int],
        kinds: Mapping[int, set[str]],
    ) -> Iterator[tuple[int, int, int, int, Ports, int]]:
        """(variable, bank, reads, writes, ports, number of banks) of each bank that one iteration touches."""
        reads: dict[int, set[Address]] = {}
        writes: dict[int, set[Address]] = {}
        for event in events:
            if event.key in fixed:
                continue
            variable = variables[event.site]
            if (
                "read" in kinds[event.site]
                and event.site not in self._dead
                and event.at not in writes.get(variable, ())
            ):
                reads.setdefault(variable, set()).add(event.at)
            if "write" in kinds[event.site]:
                writes.setdefault(variable, set()).add(event.at)
        for variable in sorted({*reads, *writes}):
            ports = self._ports(variable)
            if ports is None or ports.unlimited:
                continue
            per_bank: dict[int, tuple[set[object], set[object]]] = {}
            for slot, accesses in enumerate((reads, writes)):
                for address in accesses.get(variable, ()):
                    words = per_bank.setdefault(self._bank(variable, address[1]), (set(), set()))
                    words[slot].add(self._word(variable, address))
            for bank, (r, w) in sorted(per_bank.items()):
                yield variable, bank, len(r), len(w), ports, self._banks(variable)

    def _constant(self, result: LoopResult) -> frozenset[int]:
        """References whose index is a sum in which the loop's iterators cancel out."""
        own = set(result.flattened or (result.name,))
        variables = set()
        for a in self._analysis.accesses:
            names = {self._analysis.loops[x].iterator for x in a.loops if self._analysis.loops[x].name in own}
            if a.index is not None and all(f is not None and not names & set(f.names) for f in a.index):
                variables.add(a.ref)
        return frozenset(variables)

    def _unclear(
        self, runs: list[list[list[_Event]]], variables: Mapping[int, int], kinds: Mapping[int, set[str]]
    ) -> dict[_Key, set[_Key]]:
        """By access, the others of an array that is stored to which a compiler cannot tell apart from it.

        It can where some index differs by one number in all iterations, and where the two are always one element.
        """
        steps: dict[tuple[_Key, _Key], list[set[int]] | None] = {}
        for events in (events for groups in runs for events in groups):
            here: dict[int, list[_Event]] = {}
            for event in events:
                here.setdefault(variables[event.site], []).append(event)
            for variable, keys in here.items():
                if not any("write" in kinds[e.site] for e in keys):
                    continue
                dims = [d for d in self.program.variable(variable).dims if d is not None]
                at = {e.key: self._index(variable, e.at[1], dims) for e in keys}
                for one, x in at.items():
                    for other, y in at.items():
                        sets = steps.setdefault((one, other), [set() for _ in dims])
                        if x is None or y is None:
                            steps[one, other] = None
                        elif sets is not None:
                            for known, step in zip(sets, (p - q for p, q in zip(x, y, strict=True)), strict=True):
                                known.add(step)
        unclear: dict[_Key, set[_Key]] = {}
        for (one, other), sets in steps.items():
            if sets is None or not (any(len(s) == 1 and 0 not in s for s in sets) or all(s == {0} for s in sets)):
                unclear.setdefault(one, set()).add(other)
        return unclear

    # ---------------------------------------------------------------------- memories as modelled

    def _ports(self, variable: int) -> Ports | None:
        for array in self._result.arrays:
            if array.variable == variable:
                return None if array.registers else self._target.ports(array.storage)
        return None

    def _banks(self, variable: int) -> int:
        layout = layout_of(self._validation, self._analysis, self.program, variable)
        return 1 if layout is None else layout.banks

    def _bank(self, variable: int, offset: int) -> int:
        layout = layout_of(self._validation, self._analysis, self.program, variable)
        if layout is None:
            return 0
        index = self._index(variable, offset, layout.shape)
        return 0 if index is None else layout.bank(index)

    def _index(self, variable: int, offset: int, shape: Sequence[int]) -> tuple[int, ...] | None:
        """The element at a byte offset."""
        kind = self.program.variable(variable).type
        bits = storage_bits(kind.element) if isinstance(kind, ArrayType) else None
        if bits is None:
            return None
        element, index = offset // max(1, bits // 8), []
        for extent in reversed(shape):
            element, i = divmod(element, extent)
            index.append(i)
        return tuple(reversed(index))

    def _word(self, variable: int, address: Address) -> object:
        """What one access of a memory moves: an element, of a reshaped array a word of several."""
        packed = self._packed.get(variable)
        dims = [d for d in self.program.variable(variable).dims if d is not None]
        index = self._index(variable, address[1], dims) if packed is not None and len(dims) == len(packed) else None
        if packed is None or index is None:
            return address
        return address[0], *(x if p is None else p.word(x) for p, x in zip(packed, index, strict=True))

    def _together(self, variable: int) -> tuple[int, ...]:
        """Arrays that calls tie to ``variable`` and that have its shape."""
        group = next((g for g in self._analysis.groups if variable in g.members), None)
        dims = self.program.variable(variable).dims
        return tuple(m for m in group.members if self.program.variable(m).dims == dims) if group is not None else ()

    def _name(self, result: LoopResult) -> str:
        """The loop's name, of flattened ones all, with the lines of the user's text."""
        return "_".join(self._names[result.function, n] for n in result.flattened or (result.name,))

    def _unroll(self, loop: int) -> int:
        for d in self.program.directives:
            if d.kind == "unroll" and d.loop == loop and d.usable:
                return d.values.get("factor", 1)
        return 1

    def _predicted(self, result: LoopResult) -> dict[int, int]:
        """Ideal interval of each array in a loop, from the port model; of a loop that runs once there is none."""
        if result.trip_count.max == 1:
            return {}
        space, accesses = self._accesses.of(result.loop)
        predicted = {}
        for variable, items in accesses.items():
            ports = self._ports(variable)
            if ports is None or ports.unlimited or not items:
                continue
            layout = layout_of(self._validation, self._analysis, self.program, variable)
            if layout is not None:
                predicted[variable] = count(space, items, layout, ports).ideal.interval
        return predicted


def _resting(runs: list[list[list[_Event]]]) -> set[_Key]:
    """Accesses that happen more than once in some run, and in no run to two elements."""
    twice: set[_Key] = set()
    moved: set[_Key] = set()
    for groups in runs:
        where: dict[_Key, Address] = {}
        for event in (event for events in groups for event in events):
            if event.key in where:
                (twice if where[event.key] == event.at else moved).add(event.key)
            where[event.key] = event.at
    return twice - moved


def _hoisted(
    groups: list[list[_Event]],
    kinds: Mapping[int, set[str]],
    unclear: Mapping[_Key, set[_Key]],
    resting: set[_Key],
    steady: frozenset[int],
) -> set[_Key]:
    """Accesses that happen once, before or after a run: to one element and told apart from stores.

    ``steady`` are the references whose text lets a compiler see that.

    A store does in every iteration; a load may also happen in some (``resting``), as loading more does no harm.
    """
    where: dict[_Key, set[Address]] = {}
    times: dict[_Key, int] = {}
    for events in groups:
        for event in events:
            times[event.key] = times.get(event.key, 0) + 1
            where.setdefault(event.key, set()).add(event.at)
    stores = {k for k in where if "write" in kinds[k[0]]}
    always = {k for k, at in where.items() if len(at) == 1 and times[k] == len(groups)}
    stored = {at for k in stores for at in where[k]}
    open_ = {at for k in stores - always for at in where[k]}
    return {
        k
        for k in always | ((resting & set(where)) - stores)
        if k[0] in steady
        and not where[k] & open_
        and not unclear.get(k, set()) & (set(where) if where[k] <= stored else stores)
    }


def _renamed(program: Program, written: Program) -> dict[tuple[str, str], str]:
    """Names of loops, by function and name in ``program``: those in ``written``, where both have the same loops."""
    seen, shown = _loops(program), _loops(written)
    names = {}
    for function, loops in seen.items():
        same = shown[function] if [x.kind for x in shown.get(function, ())] == [x.kind for x in loops] else loops
        names.update({(function, a.name): b.name for a, b in zip(loops, same, strict=True)})
    return names


def _loops(program: Program) -> dict[str, list[Loop]]:
    """Loops of each function in the order of the text."""
    loops: dict[str, list[Loop]] = {}
    for loop in program.loops.values():
        loops.setdefault(loop.function, []).append(loop)
    return loops


def _preprocess(path: str, flags: Sequence[str], into: Path) -> None:
    headers = str(files("hlspart.frontend") / "headers")
    command = [compiler("c"), "-E", "-P", "-nostdinc", "-isystem", headers, *flags, path, "-o", str(into)]
    code, said = Child(command, Path.cwd(), subprocess.PIPE, os.environ).wait(COMPILE_SECONDS)
    if code != 0:
        raise Incomparable(f"the new version cannot be preprocessed: {next(iter(said.splitlines()), '?')}")
    into.write_bytes(_UNIVERSAL.sub(_character, into.read_bytes()))


# gcc prints identifiers outside of ASCII as universal character names, literals as they are
_UNIVERSAL = re.compile(rb"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})")


def _character(match: re.Match[bytes]) -> bytes:
    digits = match[1] or match[2]
    return match[0] if digits is None else chr(int(digits, 16)).encode("utf-8", "surrogatepass")
