"""An oracle that knows nothing of isl: the C compiler runs the kernel and notes every subscript.

A kernel's text is instrumented at the spans the frontend gives (each reference ``A[e0][e1]`` notes
its subscripts, each loop notes entries and iterations), compiled with gcc, run, and what was visited
is compared with what the analysis claims for the same reference.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import islpy as isl

from hlspart.accesses import analyse
from hlspart.frontend import load
from hlspart.model.access import Access, AccessAnalysis
from hlspart.model.options import FrontendOptions
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Block,
    Declare,
    Loop,
    PointerType,
    Program,
    SizeOf,
    Unary,
    children,
    expressions,
    walk_statements,
)

RUNTIME = r"""
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
static jmp_buf hls_out;
static long hls_budget;
static void hls_spend(void) { if (--hls_budget < 0) longjmp(hls_out, 1); }
static long hls_wrap(long x, long n) { return ((x % n) + n) % n; }
static void hls_note(int id, int rank, long a, long b, long c, const volatile void *at) {
  hls_spend();
  printf("R %d %d %ld %ld %ld %ld\n", id, rank, a, b, c, (long)at);
}
static void hls_enter(int id) { printf("E %d\n", id); }
static void hls_tick(int id) { hls_spend(); printf("T %d\n", id); }
"""


def parse(text: str, *defines: str) -> Program:
    """Program of one C text; parse errors fail the test."""
    program = load(["k.c"], FrontendOptions(defines=defines), lambda path: text.encode())
    assert program.units[0].error is None, program.units[0].error
    return program


def analysed(text: str, top: str | None = None) -> tuple[Program, AccessAnalysis]:
    """Program and analysis of one C text."""
    program = parse(text)
    return program, analyse(program, top)


def named(program: Program, analysis: AccessAnalysis, text: str, kind: str | None = None) -> Access:
    """The one access whose source is ``text``."""
    found = [
        a for a in analysis.accesses
        if program.text(a.at) == text and (kind is None or a.kind == kind)
    ]  # fmt: skip
    assert len(found) == 1, [program.text(a.at) for a in analysis.accesses]
    return found[0]


@dataclass
class Run:
    """What one call of one kernel visited."""

    finished: bool = True
    places: Counter[tuple[int, str, int]] = field(default_factory=Counter)  # (reference, array, element)
    visits: dict[int, Counter[tuple[int, ...]]] = field(default_factory=dict)
    trips: dict[int, list[int]] = field(default_factory=dict)


def references(program: Program, function: str) -> Iterator[ArrayRef]:
    """References that the kernel evaluates: not those whose address alone is taken, nor under sizeof."""

    def below(expr: object, direct: bool) -> Iterator[ArrayRef]:
        if isinstance(expr, SizeOf):
            return
        if (
            isinstance(expr, ArrayRef)
            and expr.brackets
            and direct
            and not isinstance(expr.type, (ArrayType, PointerType))
        ):
            yield expr
        address = isinstance(expr, Unary) and expr.op == "&"
        for child in children(expr):  # type: ignore[arg-type]
            yield from below(child, not address)

    for stmt in walk_statements(program.functions[function].body):
        tops = list(expressions(stmt))
        if isinstance(stmt, Declare):
            tops += [i for v in stmt.variables if (i := program.variable(v).init) is not None]
        for top in tops:
            yield from below(top, True)


def instrumented(program: Program, functions: Sequence[str]) -> str:
    """The program's text with notes at every reference and loop (each array with constant extents)."""
    path = program.units[0].path
    text = program.sources[path].text
    opening: dict[int, list[str]] = {}
    closing: dict[int, list[str]] = {}

    def put(where: dict[int, list[str]], offset: int, piece: str) -> None:
        where.setdefault(offset, []).append(piece)

    for name in functions:
        for ref in references(program, name):
            variable = program.variable(ref.variable)
            assert ref.brackets and ref.at.kind == "plain"
            rank = len(ref.brackets)
            pointer = isinstance(variable.type, PointerType)
            first = ref.brackets[0].span.start
            put(opening, ref.at.span.start, "(*({ ")
            names = []
            for k, bracket in enumerate(ref.brackets):
                put(opening, bracket.span.start, f"{'' if k else '; '}long hls_x{k} = (")
                put(closing, bracket.span.end, "); ")
                names.append(f"hls_x{k}")
            padded = ", ".join(names + ["0"] * (3 - rank))
            dims = [None] if pointer else list(variable.dims)
            where = "".join(
                f"[hls_x{k}]" if dims[k] is None else f"[hls_wrap(hls_x{k}, {dims[k]})]" for k in range(rank)
            )
            put(
                closing,
                ref.at.span.end,
                f"hls_note({ref.id}, {rank}, {padded}, &{variable.name}{where}); &{variable.name}{where}; }}))",
            )
            assert text[first] == "["
        for stmt in walk_statements(program.functions[name].body):
            if isinstance(stmt, Loop):
                assert isinstance(stmt.body, Block) and stmt.body.braces
                put(opening, stmt.at.span.start, f"hls_enter({stmt.id}); ")
                put(opening, stmt.body.at.span.start + 1, f" hls_tick({stmt.id});")
    skip = set()
    for name in functions:  # the name and brackets themselves vanish, their contents stay
        for ref in references(program, name):
            skip.update(range(ref.name.span.start, ref.name.span.end))
            for bracket in ref.brackets:
                skip.update((bracket.span.start, bracket.span.end - 1))
    out = []
    for offset in range(len(text) + 1):
        out += closing.get(offset, [])
        out += opening.get(offset, [])
        if offset < len(text) and offset not in skip:
            out.append(text[offset])
    return "".join(out)


def run(
    program: Program, calls: Sequence[tuple[str, str]], folder: Path, budget: int = 20000, notes: Sequence[str] = ()
) -> list[Run]:
    """Compile and run; ``calls`` are (function, argument text); arrays are globals of the program.

    ``notes``: functions to note references of, when not just those called.
    """
    functions = sorted(notes) or sorted({name for name, _ in calls})
    body = "\n".join(
        f'  printf("C\\n"); hls_budget = {budget}; if (!setjmp(hls_out)) {name}({args}); else printf("X\\n");'
        for name, args in calls
    )
    arrays = [v for v in program.variables if v.function is None and v.is_array]
    first = {v.id: f"{v.name}{'[0]' * len(v.dims)}" for v in arrays}
    told = "\n".join(
        f'  printf("A {v.name} %ld %ld %ld\\n", (long){v.name}, (long)sizeof {v.name}, (long)sizeof({first[v.id]}));'
        for v in arrays
    )
    main = f"\nint main(void) {{\n{told}\n{body}\n  return 0;\n}}\n"
    source = folder / "kernel.c"
    source.write_text(RUNTIME + instrumented(program, functions) + main)
    binary = folder / "kernel"
    flags = ["-O0", "-w", "-fwrapv", "-std=gnu11"]
    subprocess.run(["gcc", *flags, str(source), "-o", str(binary)], check=True, capture_output=True, text=True)
    done = subprocess.run([str(binary)], check=True, capture_output=True, text=True, timeout=60)
    runs: list[Run] = []
    known: list[tuple[str, int, int, int]] = []
    for line in done.stdout.splitlines():
        code, *rest = line.split()
        if code == "C":
            runs.append(Run())
        elif code == "X":
            runs[-1].finished = False
        elif code == "R":
            ident, rank, *values, address = map(int, rest)
            for name, begin, size, step in known:
                if begin <= address < begin + size:
                    runs[-1].places[ident, name, (address - begin) // step] += 1
            runs[-1].visits.setdefault(ident, Counter())[tuple(values[:rank])] += 1
        elif code == "A":
            known.append((rest[0], int(rest[1]), int(rest[2]), int(rest[3])))
        elif code == "E":
            runs[-1].trips.setdefault(int(rest[0]), []).append(0)
        else:
            runs[-1].trips[int(rest[0])][-1] += 1
    return runs


def points(domain: str, params: dict[str, int]) -> list[tuple[int, ...]]:
    """All points of an isl set for given values of its parameters."""
    found: list[tuple[int, ...]] = []
    whole = fixed(isl.Set(domain), params)
    size = whole.dim(isl.dim_type.set)

    def note(point: isl.Point) -> None:
        found.append(tuple(point.get_coordinate_val(isl.dim_type.set, k).to_python() for k in range(size)))

    whole.foreach_point(note)
    return found


def fixed(domain: isl.Set, params: dict[str, int]) -> isl.Set:
    """A set with its parameters replaced by numbers."""
    for name, value in params.items():
        position = domain.find_dim_by_name(isl.dim_type.param, name)
        if position >= 0:
            domain = domain.fix_val(isl.dim_type.param, position, isl.Val(value))
    return domain.project_out_all_params()


def touched(access: Access, params: dict[str, int], elements: Iterable[tuple[int, ...]]) -> set[tuple[int, ...]]:
    """Those of ``elements`` that the access may touch according to the analysis."""
    assert access.map is not None
    image = fixed(isl.Set(access.domain).apply(isl.Map(access.map)), params)
    found = set()
    for element in elements:
        point = isl.Set.universe(image.get_space())
        for k, value in enumerate(element):
            point = point.fix_val(isl.dim_type.set, k, isl.Val(value))
        if point.is_subset(image):
            found.add(element)
    return found


def claimed(access: Access, params: dict[str, int]) -> Counter[tuple[int, ...]]:
    """Elements that the analysis says one access touches, with how often."""
    assert access.map is not None
    relation = isl.Map(access.map)
    for name, value in params.items():
        position = relation.find_dim_by_name(isl.dim_type.param, name)
        if position >= 0:
            relation = relation.fix_val(isl.dim_type.param, position, isl.Val(value))
    relation = relation.project_out_all_params()
    result: Counter[tuple[int, ...]] = Counter()
    for point in points(access.domain, params):
        space = relation.get_space().domain()
        at = isl.Set.universe(space)
        for k, value in enumerate(point):
            at = at.fix_val(isl.dim_type.set, k, isl.Val(value))
        image = at.apply(relation)
        assert image.is_singleton(), (access.map, point)
        element = image.sample_point()
        size = image.dim(isl.dim_type.set)
        result[tuple(element.get_coordinate_val(isl.dim_type.set, k).to_python() for k in range(size))] += 1
    return result


def disagreements(
    program: Program, analysis: AccessAnalysis, run: Run, function: str, params: dict[str, int]
) -> list[str]:
    """Where a run contradicts what the analysis claims; empty when all is well."""
    wrong: list[str] = []
    for access in analysis.accesses:
        if access.function != function or not access.affine:
            continue
        visited = run.visits.get(access.ref, Counter())
        text = program.text(access.at)
        outside = sorted(set(visited) - touched(access, params, visited))
        if outside:
            wrong.append(f"{text}: visited {outside[:8]} outside {access}")
        if access.exact and run.finished:
            said = claimed(access, params)
            if visited != said:
                wrong.append(f"{text}: visited {sorted(visited.items())[:8]}, claimed {sorted(said.items())[:8]}")
            if access.count is not None and access.count != sum(said.values()):
                wrong.append(f"{text}: count {access.count}, domain has {sum(said.values())}")
        for k, (low, high) in enumerate(access.range or ()):
            values = [e[k] for e in visited]
            if values and not ((low is None or low <= min(values)) and (high is None or max(values) <= high)):
                wrong.append(f"{text}: dimension {k} visits {min(values)}..{max(values)}, range {low}..{high}")
    for loop, trips in run.trips.items():
        info = analysis.loops[loop]
        for trip in trips if run.finished else trips[:-1]:
            low, high = info.trip_count.min, info.trip_count.max
            if (low is not None and trip < low) or (high is not None and trip > high):
                wrong.append(f"loop {info.name}: {trip} iterations, claimed {low}..{high}")
    return wrong
