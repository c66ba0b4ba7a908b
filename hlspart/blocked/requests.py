"""What ``#pragma hlspart layout`` asks: ``nest=KIND|8,4``, ``variable=A layout=NCx``, ``tile=8,4`` or ``pack=4``."""

from __future__ import annotations

import re

from msgspec import Struct, field

from hlspart.blocked.plan import LayoutPlan, tiles
from hlspart.model.blocked import ANY, BLOCKED, COMPACT, Kind
from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.program import Function, Loop, PragmaMark, Program, Stmt, Variable
from hlspart.model.source import Origin
from hlspart.semantics.effects import effects

_KINDS: dict[str, Kind] = {"blocked": BLOCKED, "compact": COMPACT, "any": ANY}
_LAYOUTS: dict[str, Kind] = {"ncx": BLOCKED, "cx": BLOCKED, "blocked": BLOCKED, "compact": COMPACT, "nhwc": COMPACT}


class LayoutRequests(Struct):
    """``nests``: by statement of the function; ``variables``: by id; ``tiles``: tile sizes by id; ``wrong``: faults.

    ``about``: the nest or array of each pragma, by its index.
    """

    nests: dict[int, Kind] = field(default_factory=dict)
    variables: dict[int, Kind] = field(default_factory=dict)
    tiles: dict[int, tuple[int, ...]] = field(default_factory=dict)
    wrong: list[Diagnostic] = field(default_factory=list)
    about: dict[int, tuple[str, int]] = field(default_factory=dict)


def requests(program: Program, function: Function, plan: LayoutPlan) -> LayoutRequests:
    """The directives in a function and in a plan, and faults of those that concern it."""
    wanted = LayoutRequests()
    marks = {s.pragma: k for k, s in enumerate(function.body.body) if isinstance(s, PragmaMark)}
    concerned = effects(program).reachable((function.name,))
    for pragma in program.pragmas:
        words = pragma.expanded.split()
        if [w.lower() for w in words[:2]] != ["hlspart", "layout"] or pragma.function not in (None, *concerned):
            continue
        options = dict(w.partition("=")[::2] for w in words[2:])
        problem = None
        if pragma.function not in (None, function.name):
            problem = f"it stands in {pragma.function}; it belongs in {function.name}, about what that hands on"
        elif set(options) == {"nest"}:
            nest = _behind(function, marks.get(pragma.index))
            if nest is None:
                problem = "nest= belongs before a statement of the top function"
            else:
                problem, wanted.about[pragma.index] = _set(nest, options["nest"], wanted), ("nest", nest)
        elif "variable" in options and len(options) == 2 and set(options) <= {"variable", "layout", "tile", "pack"}:
            problem = _variable(program, function, options, wanted)
            variable = named(program, function, options["variable"])
            if variable is not None:
                wanted.about[pragma.index] = "array", variable.id
        else:
            problem = "say nest=blocked|compact|any|8,4 or variable=A with layout=NCx|compact, tile=8,4 or pack=4"
        if problem is not None:
            wanted.wrong.append(finding(program, pragma.at, problem))
    for name, kind in plan.nests.items():
        at = next((k for k, s in enumerate(function.body.body) if name in _called(program, s)), None)
        problem = f"no nest {name!r} in {function.name}" if at is None else _set(at, kind, wanted)
        if problem is not None:
            wanted.wrong.append(finding(program, function.name_at, problem, plan.path))
    for name, (option, value) in plan.arrays.items():
        problem = _variable(program, function, {"variable": name, option: value}, wanted)
        if problem is not None:
            wanted.wrong.append(finding(program, function.name_at, problem, plan.path))
    return wanted


def _called(program: Program, s: Stmt) -> tuple[str, ...]:
    """What a plan may call a statement: its line and its label."""
    line = str(program.line(s.at))
    return (line, s.label) if isinstance(s, Loop) and s.label else (line,)


def _behind(function: Function, mark: int | None) -> int | None:
    """The statement that a pragma stands before."""
    body = function.body.body
    if mark is None:
        return None
    return next((k for k in range(mark, len(body)) if not isinstance(body[k], PragmaMark)), None)


def _set(at: int, kind: str, requests: LayoutRequests) -> str | None:
    wanted = _KINDS.get(kind) or tiles(kind)
    if wanted is None:
        return f"nest={kind} is not known; it is blocked, compact, any or sizes of tiles, such as 8,4"
    if requests.nests.setdefault(at, wanted) != wanted:
        return "two layouts for one nest"
    return None


def _variable(program: Program, function: Function, options: dict[str, str], requests: LayoutRequests) -> str | None:
    name = options["variable"]
    variable = named(program, function, name)
    if variable is None:
        return f"no array {name!r} in {function.name}"
    tile, pack = options.get("tile"), options.get("pack")
    if pack is not None:
        if not re.fullmatch("[1-9][0-9]{0,8}", pack) or len(variable.dims) < 2:
            return f"pack={pack}: a number of rows to put together, of an array of two or more dimensions"
        if (variable.dims[0] or 0) % int(pack):
            return f"pack={pack}: {name} has {variable.dims[0]} rows, no multiple of {pack}"
        tile = ",".join((pack, *("1" for _ in variable.dims[1:])))
    if tile is not None:
        sizes = tuple(int(t) if t.isdigit() else 0 for t in tile.split(","))
        if len(sizes) != len(variable.dims) or 0 in sizes:
            return f"tile={tile}: one positive size for each of the {len(variable.dims)} dimensions of {name}"
        if requests.tiles.setdefault(variable.id, sizes) != sizes or variable.id in requests.variables:
            return f"two layouts for {name}"
        return None
    layout = options["layout"]
    kind = _LAYOUTS.get(layout.lower())
    if kind is None:
        return f"layout={layout} is not known; it is NCx, Cx, blocked or compact"
    if kind == BLOCKED and len(variable.dims) != 4:
        return f"{name} has {len(variable.dims)} dimensions; channel layouts are for four (N, H, W, C); say tile="
    if requests.variables.setdefault(variable.id, kind) != kind or variable.id in requests.tiles:
        return f"two layouts for {name}"
    return None


def named(program: Program, function: Function, name: str) -> Variable | None:
    """The array of a name in a function, else at file scope."""
    own = [v for v in program.arrays() if v.name == name and v.function == function.name]
    outer = [v for v in program.arrays() if v.name == name and v.function is None]
    return next(iter(own or outer), None)


def finding(program: Program, at: Origin, problem: str, said: str = "#pragma hlspart layout") -> Diagnostic:
    """An error with its place; ``said``: what it is about."""
    source = program.sources[at.span.path]
    place = Place(at.span.path, *source.line_column(at.span.start), *source.line_column(at.span.end))
    return Diagnostic("layout-pragma", "layout-pragma", "error", place, f"{said}: {problem}")
