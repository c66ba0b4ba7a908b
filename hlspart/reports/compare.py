"""Predicted against reported, loop by loop, and the first point where model and tool part ways."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from hlspart.model.access import AccessAnalysis
from hlspart.model.causes import Cause
from hlspart.model.comparing import Comparison, LoopComparison, PartitionComparison, Report, ReportedLoop
from hlspart.model.program import Call, Function, Loop, Program, Stmt, walk, walk_statements
from hlspart.model.results import IIResult, LoopResult, Validation
from hlspart.reports.modules import NAME_LENGTH, below, homes, is_process
from hlspart.reports.reports import UNKNOWN, owner
from hlspart.reports.turns import in_turn, meet
from hlspart.semantics.block_copies import block_copy
from hlspart.semantics.effects import statement_values
from hlspart.targets import Target, names_loops


def compare(
    program: Program,
    analysis: AccessAnalysis,
    validation: Validation,
    result: IIResult,
    target: Target,
    report: Report,
    called: Sequence[LoopResult] = (),
) -> Comparison:
    """How ``result`` (of :func:`hlspart.predict.check`) compares with ``report``.

    ``called``: the predictions of functions of :func:`functions_said`, as they are in pipelined callers.
    """
    modules = {owner(x.module) for x in report.loops if x.module}
    places, theirs = _Places.of(program, modules), {f for m in modules for f in homes(m, program)}
    left, made = list(result.loops), list(result.made)
    rows: list[LoopComparison] = []
    named = names_loops(report.tool, target)
    for said in report.loops:
        ways = ((exact, loops) for exact in (True, False) for loops in (left, list(result.loops)))
        tried = (_find(said, loops, places, program, named, exact, theirs) for exact, loops in ways)
        mine = next((x for x in tried if x is not None), None)
        if mine is None and (mine := _made(said, made, program, named)) is not None:
            made.remove(mine)
        mine = mine or _instance(said, left) or in_turn(said, report, result.loops)
        mine = mine or _agreed([x for x in called if x.function in _functions(said, program)])
        if mine in left:  # else another copy of its function
            left.remove(mine)
        row = _row(mine, said, report, _absent(said, program, named))
        asked = mine.pipelined if mine is not None else said.name not in program.functions
        if said.pipelined and not asked and not target.auto_pipeline:
            row = replace(
                row, why=f"{row.why}; this tool pipelines by directives alone, and none that was read says so"
            )
        rows.append(row)
    reported = {owner(x.module) for x in report.loops if x.module}
    reported |= {name for top in reported for name in below(top, program)}
    for mine in left:
        if mine.pipelined and (not reported or mine.function in reported):
            rows.append(_row(mine, None, report))
    return Comparison(report, tuple(rows), _partitions(program, validation, report), _mismatches(target, report))


def functions_said(program: Program, result: IIResult, report: Report) -> tuple[str, ...]:
    """Functions that the report calls pipelined and the prediction knows as parts of their callers only."""
    known = {x.function for x in result.loops if x.loop < 0}
    functions = (f for said in report.loops if said.ii is not None for f in _functions(said, program))
    return tuple(dict.fromkeys(f for f in functions if f not in known))


# --------------------------------------------------------------------------------------- names


def _functions(said: ReportedLoop, program: Program) -> tuple[str, ...]:
    """Functions that a row without a loop may be: all instances of a template, whose copies have numbers behind."""
    name = re.sub(r"<.*$|(\.\d+)+$", "", said.name)
    if said.module is not None and not said.module.startswith(name):
        return ()
    return tuple(f for f in program.functions if name in (base := re.split(r"[<(]", f)[0], base[:NAME_LENGTH]))


def _agreed(loops: Sequence[LoopResult]) -> LoopResult | None:
    """One record for several instances of a function: bounds where they differ."""
    ends = [x.bounds or ((x.ii, x.ii) if x.ii is not None else None) for x in loops]
    known = [x for x in ends if x is not None]
    if not loops or len(known) < len(loops) or len(set(known)) == 1:
        return next((x for x, end in zip(loops, ends, strict=True) if end is None), loops[0] if loops else None)
    span = min(low for low, _ in known), max(high for _, high in known)
    return replace(loops[0], ii=None, bounds=span, depth=None, causes=(Cause("its instances differ"),))


def _instance(said: ReportedLoop, loops: Sequence[LoopResult]) -> LoopResult | None:
    """The function that a row without a loop means, whose template arguments the tool writes in its own way.

    ``relu<array<ap_fixed, 42u>, relu_config18>``: the instance with the most of these names; several must agree.
    """
    base, angle, given = said.name.partition("<")
    instances = [x for x in loops if x.loop < 0 and x.function.partition("<")[0] == base] if angle else []
    names = set(re.findall(r"[A-Za-z_]\w*", given))
    shared = [len(names.intersection(re.findall(r"[A-Za-z_]\w*", x.function))) for x in instances]
    return _agreed([x for x, n in zip(instances, shared, strict=True) if n == max(shared)])


def _made(said: ReportedLoop, made: list[LoopResult], program: Program, named: bool) -> LoopResult | None:
    """The loop of a call that copies, or of initial values, that a row means: by its variables, else by its iterations.

    ``memcpy.buf.in`` names variables as far as the tool knew them (``memcpy..in``, ``memcpy.top.buf.gep.in``).
    """
    function = owner(said.module)
    near, inside = homes(function, program), below(function, program)
    own = [x for x in made if x.function in near] or [x for x in made if x.function in inside]
    own = own or (made if not near and is_process(function) else [])
    if (call := re.match(r"(memcpy|memset)[._]", said.name)) is not None:
        names = {call[1], *said.name[len(call[0]) :].split(".")}
        shared = {k: len(names.intersection(x.name.split("."))) for k, x in enumerate(own)}
        own = [x for k, x in enumerate(own) if shared[k] == max(shared.values()) > 1 and x.name.startswith(call[1])]
    elif not (named and re.fullmatch(r"Loop \d+|\w+\.\d+", said.name)):
        return None
    return next((x for x in own if meet(said.trip_count, x.trip_count)), None)


class _Places(Struct, frozen=True):
    """Loops of Vivado HLS by their place: ``ids`` of ``function/Loop 1.2`` or ``function/LABEL.2``.

    Loops go by their place among their siblings, after the name or the place of the loop around them (``parents``).
    """

    ids: dict[str, int] = field(default_factory=dict)
    parents: dict[int, int] = field(default_factory=dict)

    def at(self, said: ReportedLoop, loops: list[LoopResult], functions: Sequence[str]) -> LoopResult | None:
        """The loop at a place of the functions, or the flattened nest whose outermost loop is there.

        Functions that have reports of their own, but no loops in them, count like those put into their callers: where
        the iterations differ, the place among the loops of the text alone is taken. Libraries have not always labels.
        """

        def there(way: str) -> list[LoopResult]:
            ids = [self.ids[key] for f in functions if (key := f"{way}{f}/{said.name}") in self.ids]
            return [x for ident in ids for x in loops if ident in (x.loop, self._outer(x))]

        counted = there("")
        every = counted + (there("=") if said.trip_count != UNKNOWN else [])
        same = next((x for x in every if meet(said.trip_count, x.trip_count)), None)
        return same or next(iter(counted or [x for x in there("~") if x.label]), None)

    def nests(self, loop: LoopResult, loops: list[LoopResult]) -> Iterator[str | None]:
        """Names of the nests that end with ``loop``, which the model keeps apart."""
        labels = {x.loop: x.label for x in loops}
        around, at = [loop.label], self.parents.get(loop.loop)
        while at is not None:
            around.insert(0, labels.get(at))
            yield _flattened_name(around)
            at = self.parents.get(at)

    def _outer(self, loop: LoopResult) -> int | None:
        at: int | None = loop.loop
        for _ in loop.flattened[1:]:
            at = self.parents.get(at) if at is not None else None
        return at

    @staticmethod
    def of(program: Program, modules: Collection[str]) -> _Places:
        """The places of all loops of a program; those of a function that has no module count in its callers."""
        out = _Places()
        names = {re.sub(r"_\d+$", "", m)[:NAME_LENGTH] for m in modules}
        kept = {f for m in modules for f in homes(m, program)} if modules else program.functions.keys()
        kept = kept | {f for f in program.functions if re.split(r"[<(]", f)[0][:NAME_LENGTH] in names}

        def counted(node: Loop | Function, around: frozenset[str], kept: Collection[str]) -> list[Stmt]:
            loops: list[Stmt] = []
            nested: set[int] = set()
            for stmt in walk_statements(node.body):
                if id(stmt) in nested:
                    continue
                if isinstance(stmt, Loop):
                    nested |= {id(s) for s in walk_statements(stmt.body)}
                if isinstance(stmt, Loop) or block_copy(stmt) is not None:
                    loops.append(stmt)
                    continue
                called = (
                    e.function or ""
                    for root in statement_values(program, stmt)
                    for e in walk(root)
                    if isinstance(e, Call)
                )
                for name in (f for f in called if f in program.functions and f not in kept and f not in around):
                    loops += counted(program.functions[name], around | {name}, kept)
            return loops

        def visit(function: str, loops: list[Stmt], around: str, parent: int | None, kept: Collection[str]) -> None:
            for n, loop in enumerate(loops, 1):
                if not isinstance(loop, Loop):
                    continue
                label = loop.label if not function.startswith("~") else None
                name = label or (f"{around}.{n}" if around else f"Loop {n}")
                out.ids[f"{function}/{name}"] = loop.id
                if parent is not None:
                    out.parents[loop.id] = parent
                visit(function, counted(loop, frozenset({function}), kept), name, loop.id, kept)

        for name, function in program.functions.items():
            for way in "~=":
                visit(
                    f"{way}{name}", counted(function, frozenset({name}), program.functions), "", None, program.functions
                )
            visit(name, counted(function, frozenset({name}), kept), "", None, kept)
        return out


def _flattened_name(labels: Sequence[str | None]) -> str | None:
    """How Vivado HLS names a flattened nest: ``A_B``, with ``L`` for a loop or an inner nest without a label.

    It joins two loops at a time, the innermost first, and two without labels have none: ``A`` around them is ``A_L``.
    """
    name = labels[-1]
    for label in reversed(labels[:-1]):
        name = None if label is None and name is None else f"{label or 'L'}_{name or 'L'}"
    return name


def _find(
    said: ReportedLoop,
    loops: list[LoopResult],
    places: _Places,
    program: Program,
    named: bool,
    exact: bool,
    theirs: Collection[str],
) -> LoopResult | None:
    """The loop of ``loops`` that a row means: ``exact``: one of its name, whatever is called so in another function.

    Of a module whose function is not known it is none of ``theirs``, of functions that have modules of their own.
    """
    function = owner(said.module)
    copies = homes(function, program) - {function}
    own = [x for x in loops if x.function == function] or [x for x in loops if x.function in copies]
    inside = below(function, program)  # the tool has put functions into their callers
    called = [x for x in loops if x.function in inside]
    lost = not (own or inside or copies)
    groups = (own, called, [x for x in loops if x.function not in theirs] if lost else [])
    if exact:
        same = next((same for there in groups if (same := [x for x in there if x.name == said.name])), [])
        return next((x for x in same if meet(said.trip_count, x.trip_count)), same[0] if same else None)
    if lost and function and re.match(r"Loop \d", said.name):  # a place says nothing where the function is not known
        at = (x for x in groups[2] if x.trip_count == said.trip_count != UNKNOWN and x.pipelined == said.pipelined)
        return next(at, None) if is_process(function) else None
    places = _Places() if named else places
    for there in groups:
        near = [x for x in there if meet(said.trip_count, x.trip_count)]
        for some in (near, there) if len({x.function for x in there}) > 1 else (there,):
            functions = dict.fromkeys([function, *([] if there is called else (x.function for x in some))])
            if (loop := _named(said, some, places, list(functions))) is not None:
                return loop
    return None


def _named(said: ReportedLoop, loops: list[LoopResult], places: _Places, functions: Sequence[str]) -> LoopResult | None:
    for x in loops:
        if said.name == x.name or (said.name == x.function and x.loop < 0):
            return x
    if re.fullmatch(r"Loop [\d.]+|\w+(\.\d+)+", said.name):
        return places.at(said, loops, functions)
    for x in loops:
        labels = [None if name != _unplaced(name) else name for name in x.flattened]
        if labels and said.name == _flattened_name(labels) and meet(said.trip_count, x.trip_count):
            return x
    # lines have moved since: unlabelled loops keep their numbers, and loops their iterations
    moved = [x for x in loops if x.name != _unplaced(x.name) == _unplaced(said.name)]
    moved = [x for x in moved if meet(said.trip_count, x.trip_count)]
    if moved:
        return next((x for x in moved if x.pipelined == said.pipelined), moved[0])
    # a nest flattened by the one and not by the other, or further, goes by its innermost loop
    inner = [(x, x.flattened[-1] if x.flattened else x.name) for x in loops if x.pipelined]
    for x, name in inner:
        if said.name.endswith("_" + name):
            return x
    for x, name in inner:  # ... whose lines have moved
        if _unplaced(said.name).endswith("_" + _unplaced(name)) and meet(said.trip_count, x.trip_count):
            return x
    last = next((x for x in loops if x.flattened and said.name == x.flattened[-1]), None)
    return last or next((x for x, _ in inner if said.name in places.nests(x, loops)), None)


def _unplaced(name: str) -> str:
    """``name`` without the lines of unlabelled loops."""
    return re.sub(r"VITIS_LOOP_\d+_(\d+)", r"VITIS_LOOP_\1", name)


# ----------------------------------------------------------------------------------- comparing


def _absent(said: ReportedLoop, program: Program, named: bool) -> str:
    """Why the model has no such loop, as far as its name tells."""
    if (call := re.match(r"(memcpy|memset)\b|(memcpy|memset)_", said.name)) is not None:
        return f"the tool has made this loop of a call of {call[1] or call[2]}"
    if named and re.fullmatch(r"Loop \d+|\w+\.\d+", said.name):
        return "the tool has made this loop itself: copies or initial values"
    function = owner(said.module)
    if function and function not in program.functions and not re.match(r"(.*_)?(Loop|Block)_", function):
        return f"no function {function} in the sources that were read: of a library, or a copy under another name"
    return "the model has no such loop: the tool kept or named it otherwise"


def _row(mine: LoopResult | None, said: ReportedLoop | None, report: Report, absent: str = "") -> LoopComparison:
    drift: list[str] = []
    if mine is None:
        drift.append("not predicted")
    elif said is None:
        drift.append("not reported")
    else:
        if said.pipelined and said.ii is not None and mine.ii != said.ii:
            inside = mine.bounds is not None and mine.bounds[0] <= said.ii <= mine.bounds[1]
            drift += [] if mine.ii is None and inside else ["II"]
        if said.pipelined is not None and said.pipelined != mine.pipelined:
            drift.append("pipelining")
        known = said.depth is not None and mine.depth is not None and mine.pipelined
        if known and abs((said.depth or 0) - (mine.depth or 0)) > max(1.0, 0.1 * (said.depth or 0)):
            drift.append("depth")
        if said.trip_count != UNKNOWN and mine.trip_count != UNKNOWN and not meet(said.trip_count, mine.trip_count):
            drift.append("trip count")
    return LoopComparison(
        function=mine.function if mine is not None else owner(said.module) if said is not None else "",
        name=mine.name if mine is not None else said.name if said is not None else "",
        predicted_ii=mine.ii if mine is not None else None,
        predicted_bounds=mine.bounds if mine is not None else None,
        predicted_depth=mine.depth if mine is not None else None,
        predicted_trip=mine.trip_count if mine is not None else None,
        predicted_latency=mine.latency if mine is not None else None,
        reported=said,
        drift=tuple(drift),
        why=absent if mine is None else _why(mine, said, drift, report),
    )


def _why(mine: LoopResult, said: ReportedLoop | None, drift: list[str], report: Report) -> str | None:
    """The first point where model and tool part ways, in one sentence."""
    if not drift:
        return f"bounds: {mine.cause}" if said is not None and mine.ii is None and mine.cause else None
    if said is None:
        return "the report has no such loop: the tool unrolled, merged or named it otherwise"
    if "pipelining" in drift:
        return f"{'only the tool' if said.pipelined else 'only the model'} pipelines it"
    if "trip count" in drift:
        return "other iterations: unrolling or flattening differs, or the source is another version"
    if "II" in drift:
        if mine.ii is None:
            return f"not predicted: {mine.cause}"
        limit = mine.limits[0].text if mine.limits else "nothing limits it"
        messages = [m for m in report.messages if m.loop in (None, said.name) and m.code in _LIMITING]
        messages = [
            m for m in messages if m.line is None or not mine.limits or m.line in mine.limits[0].lines
        ] or messages
        tool = f"; the tool says [{messages[0].code}] {messages[0].text}" if messages else ""
        return f"predicted II {mine.ii} ({limit}), reported {said.ii}{tool}"
    return f"same II, but {mine.depth} states predicted and {said.depth} reported: operator latencies or sharing differ"


_LIMITING = ("200-880", "200-885", "204-68", "204-69", "200-448")


def _partitions(program: Program, validation: Validation, report: Report) -> tuple[PartitionComparison, ...]:
    """Fate of every partition that was asked for, where the log speaks of partitions, and those the tool added."""
    out = []
    applied = [p for p in report.partitions if p.origin == "applied"]
    for group in validation.groups.values():
        for request in group.requests:
            name = program.variable(request.variable).name
            done = any(
                p.variable.split("/")[-1].split(".")[-1] == name and p.type == request.type
                and p.factor in (None, request.factor) and (p.dim == request.dim or request.dim == 0)
                for p in applied
            )  # fmt: skip
            if report.partitions:
                fate = "applied" if done else "ignored"
                line = program.line(request.directive.at) if request.directive.pragma is not None else None
                out.append(PartitionComparison(name, request.type, request.factor, request.dim, fate, line))  # type: ignore[arg-type]
    for p in report.partitions:
        if p.origin == "added":
            out.append(PartitionComparison(p.variable, p.type, p.factor, p.dim, "added", None))
    return tuple(out)


def _mismatches(target: Target, report: Report) -> tuple[str, ...]:
    out = []
    version = re.search(r"\d{4}\.\d", report.tool or "")  # without the number of an update
    if report.tool is not None and (version[0] if version is not None else report.tool) not in target.tool:
        out.append(f"the report is of {report.tool}, the prediction for {target.tool}")
    if report.part is not None and report.part.lower() != target.part.lower():
        out.append(f"the report is for {report.part}, the prediction for {target.part}")
    if report.clock_ns is not None and abs(report.clock_ns - target.clock_ns) > 1e-6:
        out.append(f"the report is for {report.clock_ns:g} ns, the prediction for {target.clock_ns:g} ns")
    return tuple(out)
