"""Nests of the functions that a function calls: each runs as often as the calls of its function do."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from hlspart.explore.nests import nests, repeats
from hlspart.explore.records import KeptNest, ReadNest
from hlspart.explore.requests import outer_loops
from hlspart.model.access import AccessAnalysis
from hlspart.model.program import (
    ArrayRef,
    Block,
    Call,
    ExprStmt,
    Function,
    Jump,
    Loop,
    Name,
    Program,
    Return,
    walk,
    walk_statements,
)
from hlspart.semantics.effects import effects, statement_expressions
from hlspart.semantics.places import before

#: Directives of a function whose calls or loops do not run one after the other.
_AT_ONCE = ("dataflow", "pipeline")
#: Ways from the top function to calls that are followed.
MOST = 64


class CalledNests(Struct):
    """All nests of a top function, in the order in which they first run.

    ``roots``: what a parameter of a called function stands for; ``whole``: parameters that are all of one array that
    the top function is given; ``left``: calls of functions whose nests are not among them.
    """

    nests: list[ReadNest | KeptNest] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    roots: dict[int, frozenset[int]] = field(default_factory=dict)
    whole: set[int] = field(default_factory=set)
    left: list[Call] = field(default_factory=list)


class _Site(Struct, frozen=True):
    caller: str
    call: Call
    times: int
    roots: tuple[tuple[int, int, bool], ...]  # parameter, what it stands for, whether that is all of it


def called_nests(program: Program, analysis: AccessAnalysis, top: Function, whole: int) -> CalledNests:
    """The nests of a function and of those that it calls."""
    return _Calls(program, analysis, top, whole).collected()


class _Calls:
    def __init__(self, program: Program, analysis: AccessAnalysis, top: Function, whole: int) -> None:
        self.program, self.analysis, self.top, self.whole = program, analysis, top, whole
        self.sites: dict[str, list[_Site]] = {}
        self.own: dict[str, list[ReadNest | KeptNest]] = {}
        self.wrong: set[str] = set()
        self.ways = 0

    def collected(self) -> CalledNests:
        """All of them."""
        self._follow(self.top, 1, {}, (self.top.name,))
        every = [c for f in self.program.functions.values() for c in self._calls(f)]
        for name, sites in self.sites.items():
            if len({id(s.call) for s in sites}) != sum(c.function == name for c in every):
                self.wrong.add(name)  # some call is conditional, or part of an iteration
        for _ in self.sites:
            self.wrong |= {n for n, sites in self.sites.items() if any(s.caller in self.wrong for s in sites)}
        done = CalledNests()
        self._take(self.top, done)
        for name in (f.name for f in done.functions[1:]):
            for site in self.sites[name]:
                for param, root, is_all in site.roots:
                    done.roots[param] = done.roots.get(param, frozenset()) | {root}
                    if is_all and self.program.variable(root).function == self.top.name:
                        done.whole.add(param)
        done.whole = {
            p for p in done.whole if len(done.roots[p]) == 1 and
            all(self.program.variable(r).storage == "parameter" for r in done.roots[p])
        }  # fmt: skip
        roots = {p: next(iter(done.roots[p])) for p in done.whole}
        done.nests = [replace(n, roots=roots) if isinstance(n, ReadNest) else n for n in done.nests]
        taken = {f.name for f in done.functions}
        seen: set[str] = set()
        for call in (c for f in done.functions for c in self._calls(f)):
            name = call.function or ""
            of = self.program.functions.get(name)
            if of is None or name in taken | seen or not self._reaches_loops(name):
                continue
            if not _lies_in(call, [n.loops[0] for n in done.nests if isinstance(n, ReadNest)]):
                seen.add(name)
                done.left.append(call)
        return done

    def _reaches_loops(self, name: str) -> bool:
        functions = (self.program.functions.get(x) for x in effects(self.program).reachable((name,)))
        return any(True for f in functions if f is not None for _ in outer_loops(f.body))

    def _calls(self, function: Function) -> Iterator[Call]:
        for root in statement_expressions(self.program, function.body):
            yield from (e for e in walk(root) if isinstance(e, Call))

    def _nests(self, function: Function) -> list[ReadNest | KeptNest]:
        if function.name not in self.own:
            self.own[function.name] = nests(self.program, self.analysis, function, self.whole)
        return self.own[function.name]

    def _follow(self, function: Function, times: int, stand: Mapping[int, int], path: tuple[str, ...]) -> None:
        """Note the calls below a function; ``stand``: what its parameters stand for in the top function."""
        self.ways += 1
        searched = [n.loops[0] for n in self._nests(function) if isinstance(n, ReadNest)]
        for call, often in self._unconditional(function.body, 1):
            of = self.program.functions.get(call.function or "")
            if of is None or _lies_in(call, searched) or not self._is_plain(of):
                continue
            roots = self._roots(of, call, stand)
            if roots is None or of.name in path or self.ways > MOST:
                self.wrong.add(of.name)
                continue
            self.sites.setdefault(of.name, []).append(_Site(function.name, call, times * often, roots))
            self._follow(of, times * often, {p: r for p, r, _ in roots}, (*path, of.name))

    def _unconditional(self, body: Block, times: int) -> Iterator[tuple[Call, int]]:
        """Statements that are calls, and how often each of them runs; none behind what may leave them out."""
        for stmt in body.body:
            if any(isinstance(s, Return | Jump) for s in walk_statements(stmt)):
                return
            if isinstance(stmt, ExprStmt) and isinstance(stmt.expr, Call):
                yield stmt.expr, times
            elif isinstance(stmt, Block):
                yield from self._unconditional(stmt, times)
            elif isinstance(stmt, Loop) and repeats(self.program, self.analysis, stmt):
                yield from self._unconditional(stmt.body, times * (self.analysis.loops[stmt.id].trip_count.exact or 1))

    def _is_plain(self, of: Function) -> bool:
        """Whether functions may be written before a function, which has nests."""
        path = of.body.at.span.path
        if path != self.top.body.at.span.path or not of.signature.editable or of.open or of.variadic or "::" in of.name:
            return False
        text = self.program.sources[path].text
        head = text[before(text, of.at.span.start) : of.at.span.start]
        # functions that run beside each other, and loops that a pipeline unrolls, are no steps one after the other
        steps = not any(d.kind in _AT_ONCE and d.loop is None and d.function in (of.name, self.top.name)
                        for d in self.program.directives)  # fmt: skip
        return steps and re.search(r"\btemplate\b", head) is None and any(True for _ in outer_loops(of.body))

    def _roots(self, of: Function, call: Call, stand: Mapping[int, int]) -> tuple[tuple[int, int, bool], ...] | None:
        """What arrays among the parameters stand for; None where they may be parts of one array, or are not known."""
        roots = []
        for param, arg in zip(of.params, call.args, strict=False):
            if self.program.variable(param).as_array is None:
                continue
            if not isinstance(arg, Name | ArrayRef) or self.program.variable(arg.variable).as_array is None:
                return None
            roots.append((param, stand.get(arg.variable, arg.variable), isinstance(arg, Name)))
        own = {
            e.variable
            for root in statement_expressions(self.program, of.body)
            for e in walk(root)
            if isinstance(e, Name | ArrayRef) and self.program.variable(e.variable).function is None
        }
        arrays = [r for _, r, _ in roots]
        return (
            None
            if len(call.args) != len(of.params) or len({*arrays}) < len(arrays) or own & {*arrays}
            else tuple(roots)
        )

    def _take(self, function: Function, done: CalledNests) -> None:
        """The nests of a function, and where they are first called those of others."""
        done.functions.append(function)
        times = sum(s.times for s in self.sites.get(function.name, ())) or 1
        calls = [
            s.call
            for name, sites in self.sites.items()
            if name not in self.wrong
            for s in sites
            if any(s.call is c for c in self._calls(function))
        ]
        places: list[tuple[int, ReadNest | KeptNest | Call]] = [
            (c.at.span.start, c) for c in {id(c): c for c in calls}.values()
        ]
        for nest in self._nests(function):
            if isinstance(nest, ReadNest):
                nest = replace(nest, nest=replace(nest.nest, repeats=nest.nest.repeats * times))
            elif any(_lies_in(c, [nest.loop]) for c in calls):
                continue  # what it runs is searched
            places.append(((nest.loop if isinstance(nest, KeptNest) else nest.loops[0]).at.span.start, nest))
        for _, one in sorted(places, key=lambda p: p[0]):
            if not isinstance(one, Call):
                done.nests.append(one)
            elif one.function not in {f.name for f in done.functions}:
                self._take(self.program.functions[one.function or ""], done)


def _lies_in(call: Call, loops: Collection[Loop]) -> bool:
    return any(loop.at.span.holds(call.at.span) for loop in loops)
