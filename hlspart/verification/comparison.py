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
from hlspart.model.verifying import CountedPorts, Uninitialised, VerifyResult
from hlspart.semantics.effects import SeveralTopsError, one_top
from hlspart.targets import Target
from hlspart.verification.constants import hints_of
from hlspart.verification.data import Number, Values, from_json, key, pack, size, to_json
from hlspart.verification.driver import ROUNDED, driver
from hlspart.verification.execute import Executable, Filling, Outcome, compiler, filling_flags
from hlspart.verification.extents import extents_of
from hlspart.verification.interface import Incomparable, Interface, Object, interface
from hlspart.verification.mapping import Correspondence
from hlspart.verification.outputs import Directed, Outputs
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
    reassoc: bool = False  # floating-point outputs may differ by what rounding explains
    map: Mapping[str, Any] | None = None
    extents: Mapping[str, int] = field(default_factory=dict)
    replay: Mapping[str, Any] | None = None
    timeout: float = 20.0
    beside: tuple[str, ...] = ()  # sources that both versions are linked with
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
        self._outputs = Outputs(match.pairs, (self._original.result, self._new.result), options.runs, options.ulp)
        self._directed: tuple[Executable, Executable] | None = None  # both versions, to be told how to round

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
            result, seen, failed = self._compared_on(first, second, folder)
        except OriginalFails:
            if not others:
                raise
            second = self._binary(1, folder, fillings[1])  # what is read before it is written may be an index
            second.wait()
            result, seen, failed = self._compared_on(others[0], second, folder)
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
        if result.rounded:
            text += f"; on {result.rounded} of them but for rounding, no more than both versions round"
        return replace(result, message=text), saved

    def _compared_on(
        self, original: Executable, new: Executable, folder: Path
    ) -> tuple[VerifyResult, list[Run], Values | None]:
        """The result but for its text when equal, the vectors up to a difference, one that fails."""
        trials = self._trials(original)
        seen: list[Run] = []
        status: Literal["equal", "different"] = "equal"
        text, difference, rounded = "", None, 0
        timeout = self._options.timeout
        for batch in trials.batches():
            outcomes = new.run_all([self._input(1, values) for values, _ in batch], self._outputs.record(1), timeout)
            directed = self._rounded_otherwise(batch, outcomes, folder) if self._options.reassoc else {}
            for k, ((values, expected), got) in enumerate(zip(batch, outcomes, strict=False)):
                seen.append((values, expected))
                vector = len(seen), directed.get(k)
                differs = got.status == "ok" and self._outputs.difference(expected, got.data, *vector)
                rounded += k in directed
                if differs or got.status == "fault":
                    got = self._again(original, new, values, expected)
                if got.status == "timeout":
                    raise Incomparable(f"the new version is still running after {timeout:g} s")
                if got.status == "fault":
                    text = f"the new version faults where the original does not: {got.message} (vector {len(seen)})"
                elif differs and (difference := self._outputs.difference(expected, got.data, *vector)):
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
            compared=tuple(o.name for o in self._outputs.of_original), skipped=self._skipped,
            rounded=rounded if status == "equal" else 0,
        )  # fmt: skip
        return result, seen, trials.failed

    def _again(self, original: Executable, new: Executable, values: Values, expected: bytes) -> Outcome:
        """What the new version does on one vector by itself: a difference that does not come twice is none of it."""
        timeout = self._options.timeout
        alone = original.run(self._input(0, values), self._outputs.record(0), timeout)
        if alone.status != "ok":
            raise Incomparable(f"the original gives outputs on the same inputs only sometimes: {alone.message}")
        if alone.data != expected:
            raise Incomparable("the original gives other outputs on the same inputs from run to run")
        return new.run(self._input(1, values), self._outputs.record(1), timeout)

    def _rounded_otherwise(
        self, batch: Sequence[Run], outcomes: Sequence[Outcome], folder: Path
    ) -> Mapping[int, Directed]:
        """Of the vectors on which the outputs differ, by number, what both versions give rounded down and up."""
        pairs = enumerate(zip(batch, outcomes, strict=False))
        differ = [
            k for k, ((_, expected), got) in pairs
            if got.status == "ok" and self._outputs.difference(expected, got.data, 1) is not None
        ]  # fmt: skip
        if differ and self._directed is None:
            fill: Filling = "pattern" if filling_flags(compiler(self._programs[0].units[0].language)) else None
            self._directed = self._binary(0, folder, fill, more=ROUNDED), self._binary(1, folder, fill, more=ROUNDED)
            for binary in self._directed:
                binary.wait()
        readings: list[list[bytes | None]] = [[] for _ in differ]
        for side, binary in enumerate(self._directed or ()):
            inputs = [self._input(side, batch[k][0]) for k in differ]
            for direction in (1, 2):
                got_ = binary.run_all(inputs, self._outputs.record(side), self._options.timeout, direction)
                for n, one in enumerate(readings):
                    one.append(got_[n].data if n < len(got_) and got_[n].status == "ok" else None)
        return {k: (a, b, c, d) for k, (a, b, c, d) in zip(differ, readings, strict=True)}

    def _uninitialised(
        self, patterned: Executable, other: Executable, seen: Sequence[Run], failed: Values | None, folder: Path
    ) -> tuple[Uninitialised, ...]:
        """Locals of the original whose first bytes reach its outputs; ``other``: as it was not compared."""
        looked: list[tuple[Values, bytes | None]] = [*seen[:_LOOKED], *seen[_LOOKED:][-1:]]
        looked += [(failed, None)] if failed is not None else []
        record, timeout = self._outputs.record(0), self._options.timeout
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
        reads = []
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
                reads.append(Uninitialised(self._paths[0], line, column, variable.name))
        return tuple(reads) or (Uninitialised(self._paths[0], 1, 1, None),)

    def _trials(self, original: Executable) -> Trials:
        def run(vectors: Sequence[Values], limit: float) -> list[Outcome]:
            return original.run_all([self._input(0, v) for v in vectors], self._outputs.record(0), limit)

        options = self._options
        given: list[Values] | None = None
        if options.replay is not None:
            try:
                given = list(from_json(options.replay, self._inputs()))
            except ValueError as error:
                raise Incomparable(str(error)) from None
        hints = hints_of(*self._programs, self._top)
        sampler = Sampler(self._inputs(), self._fixed, options.seed, hints, options.value_range)
        size_ = self._outputs.record(0) + self._outputs.record(1) + sum(map(size, self._inputs()))
        limits = Limits(options.vectors, options.seconds, options.timeout, size_)
        return Trials(run, sampler, given, self._inputs(), hints, limits)

    def _ports(self, target: Target, values: Values, folder: Path) -> tuple[CountedPorts, ...]:
        """Port use of the new version, run once on ``values``."""
        from hlspart.verification.ports import Simulation

        simulation = Simulation(os.path.abspath(self._paths[1]), self._flags(1), target, folder, self._programs[1])
        text = driver(str(simulation.source), self._new, self._objects(1), self._outputs.of(1), 1)
        binary = Executable(text, "c", (), folder, "counting")
        binary.wait()
        outcome = binary.run(self._input(1, values), sum(map(size, self._outputs.of(1))), 4 * self._options.timeout)
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
        if self._beside(side):  # which find the headers that the version itself has
            near = dict.fromkeys(os.path.dirname(os.path.abspath(h)) for h in self._programs[0].units[0].headers)
            flags += [f"-I{folder}" for folder in near if os.path.isdir(folder)]
        return flags

    def _binary(
        self, side: int, folder: Path, filling: Filling, text: str | None = None, more: Sequence[str] = ()
    ) -> Executable:
        """One version, or ``text`` in its place, being compiled; ``more``: flags."""
        path = text or os.path.abspath(self._paths[side])
        unit = self._programs[side].units[0]
        source = os.path.relpath(path, folder.resolve()) if '"' in path else path
        runs = self._options.runs
        written = driver(source, self._interface(side), self._objects(side), self._outputs.of(side), runs)
        parts = (("original", "new")[side], filling, None if text is None else "initialised", "directed" * bool(more))
        name = "-".join(part for part in parts if part)
        flags, beside = [*self._flags(side), *more], self._beside(side)
        self._built.append(Executable(written, unit.language, flags, folder, name, filling, beside))
        return self._built[-1]

    def _beside(self, side: int) -> list[str]:
        """Sources that have the bodies of what a version calls: its own, and those of the original that it lacks."""
        there, defined = self._programs[0], self._programs[side].functions
        lacking = {f.at.span.path for name, f in there.functions.items() if name not in defined}
        more = (*(path for path in there.units[0].beside if path in lacking), *self._options.beside)
        return list(dict.fromkeys(map(os.path.realpath, (*self._programs[side].units[0].beside, *more))))

    def _interface(self, side: int) -> Interface:
        return (self._original, self._new)[side]

    def _inputs(self) -> list[Object]:
        return [o for o, _, _ in self._pairs]

    def _objects(self, side: int) -> list[Object]:
        items = [o for o, new, _ in self._pairs for o in ((o,) if side == 0 else new)]
        return [o for o in items if o.role == "parameter"] + [o for o in items if o.role == "global"]

    # --------------------------------------------------------------------------------- inputs

    def _input(self, side: int, values: Values) -> bytes:
        """The input file of one side: each global behind a byte that says whether it is set."""
        inputs: dict[str, list[Number]] = {}
        for item, new, places in self._pairs:
            if key(item) not in values:
                continue
            if side == 0 or places is None:
                inputs[key(item if side == 0 else new[0])] = list(values[key(item)])
                continue
            width = len(item.leaves)
            for bank in new:
                inputs[key(bank)] = [0] * (bank.count * width)
            for n, (name, at) in enumerate(places):
                inputs[name][at * width : (at + 1) * width] = values[key(item)][n * width : (n + 1) * width]
        parts = []
        for item in sorted(self._objects(side), key=lambda o: o.role == "parameter"):
            given = inputs.get(key(item))
            if item.role == "global":
                parts.append(b"\0" if given is None else b"\1")
            if given is not None:
                parts.append(pack(item, given))
        return b"".join(parts)


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
    try:
        return one_top(program, analyse(program).tops)
    except SeveralTopsError as several:
        raise Incomparable(str(several)) from None
