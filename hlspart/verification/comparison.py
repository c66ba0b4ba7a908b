"""The comparison itself: same seeded inputs for both versions, outputs bit by bit."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from hlspart.accesses import analyse
from hlspart.frontend import load
from hlspart.model.options import FrontendOptions
from hlspart.model.program import Program
from hlspart.model.verifying import CountedPorts, Difference, Uninitialised, VerifyResult
from hlspart.targets import Target
from hlspart.verification.constants import hints_of
from hlspart.verification.data import Number, Values, from_json, key, pack, size, to_json, unpack
from hlspart.verification.differences import place, same, shown, split
from hlspart.verification.driver import driver
from hlspart.verification.execute import Executable, Filling, Outcome, compiler, filling_flags
from hlspart.verification.extents import extents_of
from hlspart.verification.interface import Incomparable, Interface, Object, interface
from hlspart.verification.mapping import Correspondence
from hlspart.verification.sampling import Sampler
from hlspart.verification.trials import Limits, OriginalFails, Run, Trials
from hlspart.verification.uninitialised import candidates, initialised

_LOOKED = 32  # vectors on which locals are filled otherwise
_SUSPECTS = 16  # locals that are looked at one by one


class VerifyOptions(Struct, frozen=True):
    """Options of ``verify``. ``map`` and ``replay`` are parsed JSON; ``value_range`` bounds all values.

    ``vectors`` None: as many as can be run in ``seconds``, up to ``trials.MOST``.
    """

    top: str | None = None
    frontend: FrontendOptions = field(default_factory=FrontendOptions)
    seed: int = 1
    vectors: int | None = None
    seconds: float = 4.0
    runs: int = 2
    value_range: tuple[float, float] | None = None
    ulp: int = 0
    map: Mapping[str, Any] | None = None
    extents: Mapping[str, int] = field(default_factory=dict)
    replay: Mapping[str, Any] | None = None
    timeout: float = 20.0
    ports: Target | None = None  # count port accesses of the new version and compare with this target's prediction


def verify(original: str, new: str, options: VerifyOptions) -> VerifyResult:
    """Compare two C files through the signature of the top function."""
    return _verify(original, new, options, False)[0]


def verify_many(pairs: Sequence[tuple[str, str, VerifyOptions]], jobs: int | None = None) -> list[VerifyResult]:
    """Results of many comparisons, in order; they run side by side on all processors."""
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        return list(pool.map(lambda p: verify(*p), pairs))


def verify_and_save(original: str, new: str, options: VerifyOptions) -> tuple[VerifyResult, str | None]:
    """Like :func:`verify`, with the text of a vector file that replays the comparison."""
    return _verify(original, new, options, True)


def _verify(original: str, new: str, options: VerifyOptions, save: bool) -> tuple[VerifyResult, str | None]:
    blank = VerifyResult("incomparable", "", options.top or "", options.seed, 0, options.runs)
    try:
        comparison = _Comparison(original, new, options)
        with tempfile.TemporaryDirectory(prefix="hlspart-verify-") as folder:
            return comparison.run(Path(folder), save)
    except Incomparable as reason:
        return replace(blank, message=str(reason)), None


class _Comparison:
    def __init__(self, original: str, new: str, options: VerifyOptions) -> None:
        self._options = options
        first = _program(original, options.frontend)
        beside = os.path.dirname(os.path.abspath(original))  # a rewritten copy elsewhere finds the original's headers
        folders = (*options.frontend.include_dirs, beside)
        second = _program(new, replace(options.frontend, include_dirs=folders))
        if options.ports is not None and second.units[0].language != "c":
            raise Incomparable("--ports needs C")
        self._top = _top(first, original, options.top)
        if self._top not in second.functions:
            raise Incomparable(f"{new} does not define {self._top}")
        extents = {**extents_of(first, self._top), **options.extents}
        new_extents = {**extents_of(second, self._top), **extents}
        self._original = interface(first, self._top, extents)
        self._new = interface(second, self._top, new_extents)
        if (self._original.result is None) != (self._new.result is None):
            raise Incomparable("the signatures differ: only one version returns a value")
        if self._original.result and self._new.result and self._original.result.same_as != self._new.result.same_as:
            raise Incomparable("the signatures differ: the types of the return values")
        try:
            match = Correspondence(self._original, self._new, options.map)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError, ZeroDivisionError):
            raise Incomparable("the map file has values that do not fit schema hlspart.map/1") from None
        self._pairs = match.pairs
        self._skipped = (*self._original.skipped, *match.skipped)
        self._programs = (first, second)
        self._fixed = _fixed(first, self._top, options.frontend.defines)
        self._paths = (original, new)
        self._built: list[Executable] = []

    # ---------------------------------------------------------------------------- the two sides

    def run(self, folder: Path, save: bool) -> tuple[VerifyResult, str | None]:
        """Compile, run all vectors, compare."""
        try:
            return self._outcome(folder, save)
        finally:
            for binary in self._built:
                binary.stop()

    def _outcome(self, folder: Path, save: bool) -> tuple[VerifyResult, str | None]:
        fillings: tuple[Filling, ...] = (None,)
        if filling_flags(compiler(self._programs[0].units[0].language)) is not None:
            fillings = ("pattern", "zero") if candidates(self._programs[0]) else ("pattern",)
        binaries = [self._binary(0, folder, f) for f in fillings] + [self._binary(1, folder, fillings[0])]
        for binary in binaries:
            binary.wait()
        first, *others, second = binaries
        try:
            result, seen, failed = self._compared_on(first, second)
        except OriginalFails:
            if not others:
                raise
            second = self._binary(1, folder, fillings[1])  # what is read before it is written may be an index
            second.wait()
            result, seen, failed = self._compared_on(others[0], second)
            others = [first]
        result = replace(result, own_headers=first.own_headers())
        if others:
            result = replace(result, uninitialised=self._uninitialised(first, others[0], seen, failed, folder))
        saved = None
        if save:
            vectors = [values for values, _ in seen]
            saved = json.dumps(to_json(self._top, self._options.seed, self._inputs(), vectors), indent=1) + "\n"
        if result.status == "different":
            return result, saved
        if self._options.ports is not None:
            result = replace(result, ports=self._ports(self._options.ports, seen[0][0], folder))
        outputs = ", ".join(result.compared) or "nothing to compare"
        text = f"equal on {len(seen)} vector{'s' * (len(seen) != 1)} x {self._options.runs} runs: {outputs}"
        return replace(result, message=text), saved

    def _compared_on(self, original: Executable, new: Executable) -> tuple[VerifyResult, list[Run], Values | None]:
        """The result but for its text when equal, the vectors up to a difference, one that fails."""
        trials = self._trials(original)
        seen: list[Run] = []
        status: Literal["equal", "different"] = "equal"
        text, difference = "", None
        timeout = self._options.timeout
        for batch in trials.batches():
            outcomes = new.run_all([self._input(1, values) for values, _ in batch], self._record(1), timeout)
            for (values, expected), got in zip(batch, outcomes, strict=False):
                seen.append((values, expected))
                differs = got.status == "ok" and self._difference(expected, got.data, len(seen)) is not None
                if differs or got.status == "fault":
                    got = self._again(original, new, values, expected)
                if got.status == "timeout":
                    raise Incomparable(f"the new version is still running after {timeout:g} s")
                if got.status == "fault":
                    text = f"the new version faults where the original does not: {got.message} (vector {len(seen)})"
                elif (difference := self._difference(expected, got.data, len(seen))) is not None:
                    text = (
                        f"{difference.place} is {difference.original} in the original and {difference.new} in the new"
                        f" version (vector {len(seen)}, run {difference.run}, seed {self._options.seed})"
                    )
                if text:
                    status = "different"
                    break
            if text:
                break
        tried = trials.tried([values for values, _ in seen])
        result = VerifyResult(
            status, text, self._top, self._options.seed, len(seen), self._options.runs, tried, difference=difference,
            compared=tuple(o.name for o in self._outputs()), skipped=self._skipped,
        )  # fmt: skip
        return result, seen, trials.failed

    def _again(self, original: Executable, new: Executable, values: Values, expected: bytes) -> Outcome:
        """What the new version does on one vector by itself: a difference that does not come twice is none of it."""
        timeout = self._options.timeout
        alone = original.run(self._input(0, values), self._record(0), timeout)
        if alone.status != "ok":
            raise Incomparable(f"the original gives outputs on the same inputs only sometimes: {alone.message}")
        if alone.data != expected:
            raise Incomparable("the original gives other outputs on the same inputs from run to run")
        return new.run(self._input(1, values), self._record(1), timeout)

    def _uninitialised(
        self, patterned: Executable, other: Executable, seen: Sequence[Run], failed: Values | None, folder: Path
    ) -> tuple[Uninitialised, ...]:
        """Locals of the original whose first bytes reach its outputs; ``other``: as it was not compared."""
        looked: list[tuple[Values, bytes | None]] = [*seen[:_LOOKED], *seen[_LOOKED:][-1:]]
        looked += [(failed, None)] if failed is not None else []
        record, timeout = self._record(0), self._options.timeout
        outcomes = other.run_all([self._input(0, values) for values, _ in looked], record, timeout)
        changed = [
            values
            for (values, expected), got in zip(looked, outcomes, strict=False)
            if got.status != "timeout" and got.data != (expected or b"")
        ]
        if not changed:
            return ()
        program, vector = self._programs[0], self._input(0, changed[0])
        before = patterned.run(vector, record, timeout)
        found = []
        for variable in candidates(program)[:_SUSPECTS]:
            text = folder / "initialised"
            text.write_bytes(initialised(program, variable).encode("utf-8", "surrogateescape"))
            binary = self._binary(0, folder, "pattern", str(text))
            try:
                binary.wait()
            except Incomparable:  # nothing may stand there
                continue
            if binary.run(vector, record, timeout).data != before.data:
                line, column = program.sources[variable.at.span.path].line_column(variable.at.span.start)
                found.append(Uninitialised(self._paths[0], line, column, variable.name))
        return tuple(found) or (Uninitialised(self._paths[0], 1, 1, None),)

    def _trials(self, original: Executable) -> Trials:
        def run(vectors: Sequence[Values], limit: float) -> list[Outcome]:
            return original.run_all([self._input(0, v) for v in vectors], self._record(0), limit)

        options = self._options
        given: list[Values] | None = None
        if options.replay is not None:
            try:
                given = list(from_json(options.replay, self._inputs()))
            except ValueError as error:
                raise Incomparable(str(error)) from None
        hints = hints_of(*self._programs, self._top)
        sampler = Sampler(self._inputs(), self._fixed, options.seed, hints, options.value_range)
        size_ = self._record(0) + self._record(1) + sum(map(size, self._inputs()))
        limits = Limits(options.vectors, options.seconds, options.timeout, size_)
        return Trials(run, sampler, given, self._inputs(), hints, limits)

    def _record(self, side: int) -> int:
        """Bytes of the outputs of all runs on one vector."""
        return self._options.runs * sum(map(size, self._outputs_of(side)))

    def _ports(self, target: Target, values: Values, folder: Path) -> tuple[CountedPorts, ...]:
        """Port use of the new version, run once on ``values``."""
        from hlspart.verification.ports import Simulation

        simulation = Simulation(os.path.abspath(self._paths[1]), self._flags(1), target, folder, self._programs[1])
        text = driver(str(simulation.source), self._new, self._objects(1), self._outputs_of(1), 1)
        binary = Executable(text, "c", (), folder, "counting")
        binary.wait()
        outcome = binary.run(self._input(1, values), sum(map(size, self._outputs_of(1))), 4 * self._options.timeout)
        if outcome.status != "ok":
            raise Incomparable(f"the counting version: {outcome.message}")
        return simulation.uses()

    def _flags(self, side: int) -> list[str]:
        options = self._options.frontend
        flags = [f"-D{d}" for d in options.defines if d.partition("=")[0] not in self._fixed]
        flags += [f"-U{u}" for u in options.undefines]
        path = os.path.abspath(self._paths[side])
        flags += [f"-I{os.path.dirname(path)}"] + [f"-I{os.path.abspath(d)}" for d in options.include_dirs]
        if side == 1:
            flags.append(f"-I{os.path.dirname(os.path.abspath(self._paths[0]))}")
        return flags

    def _binary(self, side: int, folder: Path, filling: Filling, text: str | None = None) -> Executable:
        """One version, or ``text`` in its place, being compiled."""
        path = text or os.path.abspath(self._paths[side])
        unit = self._programs[side].units[0]
        source = os.path.relpath(path, folder.resolve()) if '"' in path else path
        runs = self._options.runs
        written = driver(source, self._interface(side), self._objects(side), self._outputs_of(side), runs)
        parts = (("original", "new")[side], filling, None if text is None else "initialised")
        name = "-".join(part for part in parts if part)
        self._built.append(Executable(written, unit.language, self._flags(side), folder, name, filling))
        return self._built[-1]

    def _interface(self, side: int) -> Interface:
        return (self._original, self._new)[side]

    def _inputs(self) -> list[Object]:
        return [o for o, _, _ in self._pairs]

    def _outputs(self) -> list[Object]:
        result = [self._original.result] if self._original.result else []
        return result + [o for o in self._inputs() if o.output]

    def _objects(self, side: int) -> list[Object]:
        items = [o for o, new, _ in self._pairs for o in ((o,) if side == 0 else new)]
        return [o for o in items if o.role == "parameter"] + [o for o in items if o.role == "global"]

    def _outputs_of(self, side: int) -> list[Object]:
        result = self._interface(side).result
        items = [x for o, new, _ in self._pairs if o.output for x in ((o,) if side == 0 else new)]
        return ([result] if result else []) + items

    # --------------------------------------------------------------------------------- inputs

    def _input(self, side: int, values: Values) -> bytes:
        """The input file of one side: each global behind a byte that says whether it is set."""
        held: dict[str, list[Number]] = {}
        for item, new, places in self._pairs:
            if key(item) not in values:
                continue
            if side == 0 or places is None:
                held[key(item if side == 0 else new[0])] = list(values[key(item)])
                continue
            width = len(item.leaves)
            for bank in new:
                held[key(bank)] = [0] * (bank.count * width)
            for n, (name, at) in enumerate(places):
                held[name][at * width : (at + 1) * width] = values[key(item)][n * width : (n + 1) * width]
        parts = []
        for item in sorted(self._objects(side), key=lambda o: o.role == "parameter"):
            given = held.get(key(item))
            if item.role == "global":
                parts.append(b"\0" if given is None else b"\1")
            if given is not None:
                parts.append(pack(item, given))
        return b"".join(parts)

    # ------------------------------------------------------------------------------ differences

    def _difference(self, expected: bytes, got: bytes, vector: int) -> Difference | None:
        one, two = sum(map(size, self._outputs_of(0))), sum(map(size, self._outputs_of(1)))
        for run in range(self._options.runs):
            first = split(self._outputs_of(0), expected[run * one : (run + 1) * one])
            second = split(self._outputs_of(1), got[run * two : (run + 1) * two])
            for item, found, wanted in self._compared(first, second):
                for at, (a, b) in enumerate(zip(wanted, found, strict=True)):
                    code = item.leaves[at % len(item.leaves)].code
                    if not same(a, b, code, self._options.ulp):
                        return Difference(place(item, at), shown(a, code), shown(b, code), vector, run + 1)
        return None

    def _compared(
        self, first: Mapping[str, bytes], second: Mapping[str, bytes]
    ) -> list[tuple[Object, Sequence[Number], Sequence[Number]]]:
        """(object, new values, original values) of the objects whose bytes differ."""
        out: list[tuple[Object, Sequence[Number], Sequence[Number]]] = []
        result, new_result = self._original.result, self._new.result
        if result and new_result and first[key(result)] != second[key(new_result)]:
            out.append((result, unpack(new_result, second[key(new_result)]), unpack(result, first[key(result)])))
        for item, new, places in self._pairs:
            if not item.output:
                continue
            if places is None:
                if first[key(item)] != second[key(new[0])]:
                    out.append((item, unpack(new[0], second[key(new[0])]), unpack(item, first[key(item)])))
                continue
            banks = {key(b): unpack(b, second[key(b)]) for b in new}
            width = len(item.leaves)
            gathered = [x for name, at in places for x in banks[name][at * width : (at + 1) * width]]
            out.append((item, gathered, unpack(item, first[key(item)])))
        return out


def _program(path: str, options: FrontendOptions) -> Program:
    program = load([path], options)
    error = program.units[0].error
    if error is not None:
        raise Incomparable(f"{error.place.path}:{error.place.line}:{error.place.column}: {error.message}")
    return program


def _fixed(program: Program, top: str, defines: Sequence[str]) -> dict[str, int]:
    """Parameters of the top function whose value ``-D name=value`` gives."""
    names = {program.variable(v).name for v in program.functions[top].params}
    pairs = (d.partition("=") for d in defines)
    number = re.compile(r"-?(?:0x[0-9a-f]+|[1-9][0-9]*|0)", re.I)
    return {name: int(value, 0) for name, _, value in pairs if name in names and number.fullmatch(value)}


def _top(program: Program, path: str, asked: str | None) -> str:
    if asked is not None:
        if asked not in program.functions:
            raise Incomparable(
                f"{path} does not define {asked}; it defines {', '.join(program.functions) or 'nothing'}"
            )
        return asked
    tops = analyse(program).tops
    if len(tops) != 1:
        raise Incomparable(f"give --top NAME; candidates are {', '.join(tops) or 'none'}")
    return tops[0]
