"""Records -> the plain dictionaries of the JSON contract (docs/cli.md), one function per schema.

Text output is made from the same records, so the two cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hlspart.model.access import Access, AccessAnalysis, Bounds
from hlspart.model.advising import LoopAdvice
from hlspart.model.options import InferOptions
from hlspart.model.program import Program, Variable, storage_bits
from hlspart.render.functions import function
from hlspart.render.ways import no_advice, of_loops

if TYPE_CHECKING:
    from hlspart.model.buffers import ProgramStep, Shared
    from hlspart.model.inferred import InferredArray, InferResult
    from hlspart.model.results import ArrayResult, DimPartition, IIResult, Limit, LoopResult, PragmaStatus, Validation
    from hlspart.model.rewriting import GroupOutcome, RewriteResult
    from hlspart.model.verifying import VerifyResult

Shape = dict[str, Any]
Advice = Sequence[LoopAdvice]


def document(
    schema: str,
    program: Program,
    paths: Sequence[str],
    entry: Callable[[str], Shape],
    groups: Sequence[Shape] = (),
) -> Shape:
    """The one object of a command: an entry per input file, ``{"path", "error"}`` for a broken one."""
    files: list[Shape] = []
    for unit in program.units:
        if unit.path not in paths:
            continue
        if unit.error is None:
            files.append({"path": unit.path, **entry(unit.path)})
        else:
            at = unit.error.place
            files.append({"path": unit.path, "error": unit.error.message, "line": at.line, "column": at.column})
    return {"schema": schema, "files": files, "groups": list(groups)}


def joined(documents: Sequence[Shape], paths: Sequence[str]) -> Shape:
    """The documents of several programs as one, files in the order of ``paths``."""
    files = sorted((f for d in documents for f in d["files"]), key=lambda f: paths.index(f["path"]))
    return {**documents[0], "files": files, "groups": [g for d in documents for g in d["groups"]]}


class Owner:
    """Which input file a place belongs to: its own, or the first that includes its header."""

    def __init__(self, program: Program) -> None:
        self._of: dict[str, str] = {u.path: u.path for u in program.units}
        for unit in program.units:
            for header in unit.headers:
                self._of.setdefault(header, unit.path)
        self._program = program

    def path(self, path: str) -> str:
        """The input file for a path in a span."""
        return self._of.get(path, path)

    def variable(self, variable: Variable) -> str:
        """The input file of a variable's definition."""
        if variable.function is not None and variable.function in self._program.functions:
            return self.function(variable.function)
        return self.path(variable.at.span.path)

    def function(self, name: str) -> str:
        """The input file of a function."""
        return self.path(self._program.functions[name].unit)


def bounds(value: Bounds) -> Shape:
    """Least and greatest, null where unknown."""
    return {"min": value.min, "max": value.max}


def groups(program: Program, analysis: AccessAnalysis) -> list[Shape]:
    """Arrays that calls tie together, with the calls; single arrays without a fault are left out."""
    out = []
    for group in analysis.groups:
        if len(group.members) < 2 and not group.faults:
            continue
        out.append(
            {
                "members": [_member(program, v) for v in group.members],
                "edges": [
                    {
                        "caller": e.caller,
                        "callee": e.callee,
                        "argument": e.argument,
                        "actual": program.variable(e.actual).name,
                        "formal": program.variable(e.formal).name,
                        "path": e.at.span.path,
                        "line": program.line(e.at),
                    }
                    for e in group.edges
                ],
                "faults": [
                    {
                        "code": f.code,
                        "reason": f.reason,
                        "array": program.variable(f.variable).name,
                        "path": f.at.span.path,
                        "line": program.line(f.at),
                        "expression": f.expression,
                    }
                    for f in group.faults
                ],
            }
        )
    return out


def _member(program: Program, ident: int) -> Shape:
    variable = program.variable(ident)
    return {"name": variable.name, "function": variable.function, "path": variable.at.span.path}


# ----------------------------------------------------------------------------------- accesses


def accesses(program: Program, analysis: AccessAnalysis, paths: Sequence[str]) -> Shape:
    """``hlspart.accesses/1``."""
    owner = Owner(program)
    used = {a.array for a in analysis.accesses}
    shown = [v for v in program.variables if v.is_array or v.id in used]

    def entry(path: str) -> Shape:
        return {
            "arrays": [_array(program, analysis, v) for v in shown if owner.variable(v) == path],
            "accesses": [
                _access(program, analysis, a) for a in analysis.accesses if owner.function(a.function) == path
            ],
        }

    return document("hlspart.accesses/1", program, paths, entry, groups(program, analysis))


def _array(program: Program, analysis: AccessAnalysis, variable: Variable) -> Shape:
    of = variable.as_array
    return {
        "name": variable.name,
        "function": variable.function,
        "kind": variable.storage,
        "line": program.line(variable.at),
        "dims": list(analysis.shapes.get(variable.id, of.dims if of is not None else ())),
        "element_bits": None if of is None else storage_bits(of.element),
    }


def _access(program: Program, analysis: AccessAnalysis, access: Access) -> Shape:
    span = access.at.span
    line, column = program.sources[span.path].line_column(span.start)
    end_line, end_column = program.sources[span.path].line_column(span.end)
    return {
        "array": program.variable(access.array).name,
        "function": access.function,
        "path": span.path,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "kind": access.kind,
        "loops": [analysis.loops[i].name for i in access.loops],
        "affine": access.affine,
        "exact": access.exact,
        "reason": access.reason,
        "domain": access.domain,
        "map": access.map,
        "range": None if access.range is None else [list(r) for r in access.range],
        "count": access.count,
        "witness": None if access.witness is None else dict(access.witness),
    }


# ----------------------------------------------------------------------------------------- ii


def ii(
    program: Program, analysis: AccessAnalysis, result: IIResult, paths: Sequence[str], advice: Advice = ()
) -> Shape:
    """``hlspart.ii/1``; ``advice``: on loops that miss their target."""
    owner, ways = Owner(program), of_loops(program, advice)

    def entry(path: str) -> Shape:
        return {
            "tool": result.tool,
            "part": result.part,
            "clock_ns": result.clock_ns,
            "loops": [
                _loop(item) | ways.get((item.function, item.name), no_advice(item.proof))
                for item in result.loops
                if owner.function(item.function) == path
            ],
            "arrays": [
                _memory(item) for item in result.arrays if owner.variable(program.variable(item.variable)) == path
            ],
            "pragmas": [status(s) for s in result.pragmas if owner.path(s.path) == path or s.path not in known],
            "functions": [function(f) for f in result.functions if owner.function(f.name) == path],
            "resources": [{"name": r.name, "used": r.used, "available": r.available} for r in result.resources],
            "assumptions": list(result.assumptions),
            "unread": sum(h.at.path == path for h in program.holes),
        }

    known = program.given | {h for u in program.units for h in u.headers}
    return document("hlspart.ii/1", program, paths, entry, groups(program, analysis))


def _loop(item: LoopResult) -> Shape:
    shape: Shape = {
        "function": item.function,
        "name": item.name,
        "label": item.label,
        "line": item.line,
        "pipelined": item.pipelined,
        "target_ii": item.target_ii,
        "ii": item.ii,
        "ideal_ii": item.ideal_ii,
        "resource_ii": item.resource_ii,
        "recurrence_ii": item.recurrence_ii,
        "depth": item.depth,
        "trip_count": bounds(item.trip_count),
        "latency": bounds(item.latency),
        "cause": item.cause or item.depth_cause,
        "bounds": None if item.bounds is None else list(item.bounds),
        "confidence": item.confidence,
        "origin": item.origin,
        "limits": [_limit(x) for x in item.limits],
        "banks": [
            {"array": x.array, "bank": x.bank, "reads": x.reads, "writes": x.writes, "ports": x.ports, "ii": x.ii}
            for x in item.banks
        ],
        "method": item.method,
        "dsp": item.dsp,
    }
    if item.flattened:
        shape["flattened"] = list(item.flattened)
    return shape


def _limit(item: Limit) -> Shape:
    shape: Shape = {"kind": item.kind, "ii": item.ii, "lines": list(item.lines), "text": item.text, "hint": item.hint}
    if item.kind == "recurrence":
        return shape | {"variable": item.variable, "distance": item.distance, "latency": item.latency}
    return shape | {
        "array": item.array,
        "bank": item.bank,
        "accesses": item.accesses,
        "ports": item.ports,
        "witness": None if item.witness is None else dict(item.witness),
    }


def _memory(item: ArrayResult) -> Shape:
    return {
        "name": item.name,
        "function": item.function,
        "line": item.line,
        "dims": list(item.dims),
        "element_bits": item.element_bits,
        "storage": item.storage,
        "ports": item.ports,
        "banks": item.banks,
        "bank_depths": list(item.bank_depths),
        "auto": item.auto,
        "partition": [_partition(p) for p in item.partition],
        "bram18k": item.bram18k,
        "registers": item.registers,
        "uram": item.uram,
        "luts": item.luts,
        "mux_luts": item.mux_luts,
        "copies": item.copies,
    }


def _partition(item: DimPartition) -> Shape:
    return {"dim": item.dim, "type": item.type, "factor": item.factor, "origin": item.origin}


def status(item: PragmaStatus) -> Shape:
    """One directive and what became of it."""
    return {
        "path": item.path,
        "line": item.line,
        "text": item.text,
        "status": item.status,
        "reason": item.reason,
        "code": item.code,
        "hint": item.hint,
    }


# -------------------------------------------------------------------------------------- infer


def infer(
    program: Program,
    analysis: AccessAnalysis,
    result: InferResult,
    paths: Sequence[str],
    advice: Advice = (),
    options: InferOptions = InferOptions(),  # noqa: B008
) -> Shape:
    """``hlspart.infer/1``; ``advice``: on loops that miss their target; ``options``: those of the inference."""
    owner, ways = Owner(program), of_loops(program, advice)

    def entry(path: str) -> Shape:
        shape: Shape = {
            "arrays": [
                _inferred(item, options.rewriting)
                for item in result.arrays
                if owner.variable(program.variable(item.variable)) == path
            ],
            "loops": [
                {
                    "function": item.function,
                    "name": item.name,
                    "target_ii": item.target_ii,
                    "ii_before": item.ii_before,
                    "ii_after": item.ii_after,
                    "bounds_before": item.span_before,
                    "bounds_after": item.span_after,
                    "cause": item.cause,
                    "hint": item.hint,
                }
                | ways.get((item.function, item.name), no_advice(None))
                for item in result.loops
                if owner.function(item.function) == path
            ],
        }
        if result.pareto:
            shape["pareto"] = [dict(p) for p in result.pareto]
        return shape

    return document("hlspart.infer/1", program, paths, entry, groups(program, analysis))


def _inferred(item: InferredArray, rewriting: str | None) -> Shape:
    command = f"hlspart rewrite {rewriting}" + " --split-top" * item.split_top
    return {
        "name": item.name,
        "function": item.function,
        "line": item.line,
        "accesses": item.accesses,
        "ports": item.ports,
        "lower_bound": item.lower_bound,
        "banks": item.banks,
        "proved_minimal": item.proved_minimal,
        "space": item.space,
        "absolute": item.absolute,
        "kind": item.kind,
        "pragmas": list(item.pragmas),
        "mapping": None if item.mapping is None else item.mapping.to_json(),
        "bank_depth": item.bank_depth,
        "needs_rewrite": item.needs_rewrite,
        "command": command if item.needs_rewrite and rewriting is not None else None,
        "selection_luts": item.selection_luts,
        "split_top": item.split_top,
        "reason": item.reason,
        "partition": [_partition(p) for p in item.dims],
    }


# ------------------------------------------------------------------------------------ buffers


def buffers(program: Program, analysis: AccessAnalysis, shared: Shared | None, paths: Sequence[str]) -> Shape:
    """``hlspart.buffers/1``: each file its own arrays and the totals of its program; without ``found`` paths only."""
    owner = Owner(program)

    def entry(path: str) -> Shape:
        if shared is None:
            return {}
        own = (b for b, v in zip(shared.sharing.buffers, shared.variables, strict=True) if of(v) == path)
        return {
            **shared.sharing.to_json(),
            "buffers": [b.to_json() for b in own],
            "bram18k": shared.bram18k,
            "unshared_bram18k": shared.unshared_bram18k,
            "pools": [p.to_json() for p in shared.pools if owner.function(p.function) == path],
            "steps": [_step(program, analysis, s) for s in shared.steps if owner.function(s.function) == path],
        }

    def of(variable: int) -> str:
        return owner.variable(program.variable(variable))

    tied = groups(program, analysis) if shared is not None else ()
    return document("hlspart.buffers/1", program, paths, entry, tied)


def _step(program: Program, analysis: AccessAnalysis, step: ProgramStep) -> Shape:
    source = program.sources[step.at.path]
    return {
        "step": step.number,
        "function": step.function,
        "line": source.line_column(step.at.start)[0],
        "end_line": source.line_column(step.at.end)[0],
        "repeats": [analysis.loops[x].name for x in step.repeats],
        "reads": sorted(program.variable(v).name for v in step.reads),
        "writes": sorted(program.variable(v).name for v in step.writes),
    }


# ------------------------------------------------------------------------------------- verify


def verify(original: str, new: str, result: VerifyResult) -> Shape:
    """``hlspart.verify/1``."""
    d, t = result.difference, result.tried
    entry: Shape = {
        "path": original,
        "new": new,
        "top": result.top,
        "status": result.status,
        "message": result.message,
        "seed": result.seed,
        "vectors": result.vectors,
        "runs": result.runs,
        "tried": None
        if t is None
        else {
            "integers": None if t.integers is None else list(t.integers),
            "floats": None if t.floats is None else list(t.floats),
            "constants": t.constants,
            "known_constants": t.known,
            "faults": t.faults,
            "timeouts": t.timeouts,
            "first_fault": t.first or None,
        },
        "uninitialised": [
            {"path": u.path, "line": u.line, "column": u.column, "variable": u.variable} for u in result.uninitialised
        ],
        "rounded": result.rounded,
        "own_headers": list(result.own_headers),
        "compared": list(result.compared),
        "skipped": list(result.skipped),
        "difference": None
        if d is None
        else {"place": d.place, "original": d.original, "new": d.new, "vector": d.vector, "run": d.run},
        "ports": [
            {
                "function": p.function,
                "loop": p.loop,
                "array": p.array,
                "banks": p.banks,
                "bank": p.bank,
                "reads": p.reads,
                "writes": p.writes,
                "interval": p.interval,
                "predicted": p.predicted,
                "iterations": p.iterations,
            }
            for p in result.ports
        ],
    }
    return {"schema": "hlspart.verify/1", "files": [entry], "groups": []}


# ------------------------------------------------------------------------------------ rewrite


def rewrite(
    program: Program,
    analysis: AccessAnalysis,
    validation: Validation,
    result: RewriteResult,
    outputs: Mapping[str, str],
) -> Shape:
    """``hlspart.rewrite/1``: what became of each group, and where its elements are."""
    owner = Owner(program)
    members = {g.id: [owner.variable(program.variable(v)) for v in g.members] for g in analysis.groups}

    def place(item: GroupOutcome) -> list[str]:
        if item.at is not None:
            return [owner.path(item.at.span.path)]
        return [owner.path(a.path) for a in result.arrays if a.array in item.arrays]  # members that became arrays

    def entry(path: str) -> Shape:
        return {
            "output": outputs.get(path),
            "changed": bool(result.edits.get(path)),
            "outcomes": [_outcome(program, x) for x in result.outcomes if path in (members.get(x.group) or place(x))],
            "arrays": [a.to_json() for a in result.arrays if owner.path(a.path) == path],
            "crossbars": [c.to_json() for c in result.crossbars if owner.path(c.path) == path],
            "pragmas": [status(s) for s in validation.statuses if owner.path(s.path) == path],
        }

    paths = [u.path for u in program.units]
    return document("hlspart.rewrite/1", program, paths, entry, groups(program, analysis))


def _outcome(program: Program, item: GroupOutcome) -> Shape:
    return {
        "arrays": list(item.arrays),
        "status": item.status,
        "style": item.style,
        "code": item.code,
        "reason": item.reason,
        "line": None if item.at is None else program.line(item.at),
    }


def advise(program: Program, loops: Sequence[LoopAdvice], paths: Sequence[str], files: str) -> Shape:
    """``hlspart.advise/1``; ``files``: as the commands name them."""
    owner = Owner(program)
    return document(
        "hlspart.advise/1",
        program,
        paths,
        lambda path: {"loops": [x.to_json(files) for x in loops if owner.path(x.path) == path]},
    )
