"""What a program says, without the numbers of its nodes: two programs that say the same are the same."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from hlspart.model import program as ir
from hlspart.model.directives import Directive
from hlspart.model.options import Options
from hlspart.model.source import Origin
from hlspart.pipeline import Pipeline
from hlspart.rewrite.uses import Uses


def described(program: ir.Program) -> dict[str, object]:
    """Functions, variables and directives with their exact places; lines in the names of loops do not count."""

    def variable(ident: int) -> object:
        v = program.variable(ident)
        return (v.name, v.at.span)

    def node(x: object) -> object:
        if isinstance(x, Origin):
            return (x.kind, x.span) if x.kind != "macro" else (x.kind, x.span, x.macro)
        if isinstance(x, ir.ScalarType):  # ``unsigned`` and ``unsigned int`` are one type
            return (x.kind, x.bits, x.signed, x.fraction_bits)
        if isinstance(x, ir.Declare):
            inits = tuple(node(program.variable(v).init) for v in x.variables)
            return ("Declare", node(x.at), tuple(map(variable, x.variables)), inits)
        if isinstance(x, ir.PragmaMark):
            return ("pragma", node(x.at), program.pragmas[x.pragma].text, node(program.pragmas[x.pragma].at))
        if isinstance(x, Struct) and hasattr(x, "at"):
            found: list[object] = [type(x).__name__]
            for field in x.__struct_fields__:
                value = getattr(x, field)
                if field == "variable":
                    found.append(variable(value))
                elif field == "name" and isinstance(x, ir.Loop):
                    found.append(x.label)
                elif field not in ("id", "prototypes", "params"):
                    found.append(node(value))
            return tuple(found)
        if isinstance(x, tuple):
            return tuple(node(y) for y in x)
        return x

    def declared(v: ir.Variable) -> object:
        return (v.name, v.type, v.storage, v.function, v.const, v.declarations)

    def directive(d: Directive) -> object:
        names = tuple(map(variable, d.variables))
        loop = None if d.loop is None else node(program.loops[d.loop].at)
        return (d.kind, d.dialect, d.at, d.text, d.values, d.function, loop, names, [p.code for p in d.problems])

    def function(f: ir.Function) -> object:
        return (node(f), list(map(variable, f.params)), node(f.prototypes))

    return {
        "functions": {name: function(f) for name, f in program.functions.items()},
        "variables": sorted((declared(v) for v in program.variables if _used(program, v)), key=repr),
        "directives": [directive(d) for d in program.directives],
        "sizes": sorted((node(s) for s in program.sizes), key=repr),
        "unknown": {name: sorted(spans) for name, spans in Uses(program).unknown.items()},
        "counted": [at for at, _ in program.counted],
        "undefined": sorted(program.undefined),
        "loops": sorted((node(loop.at) for loop in program.loops.values()), key=repr),
    }


def _used(program: ir.Program, v: ir.Variable) -> bool:
    """Whether the variable is declared anywhere: copies leave the ones that they are made of."""
    if v.function is None:
        return True
    function = program.functions.get(v.function)
    if function is None:
        return False
    here = {k for s in ir.walk_statements(function.body) if isinstance(s, ir.Declare) for k in s.variables}
    return v.id in here or v.id in function.params


def reread(texts: Mapping[str, str], options: Options | None = None) -> ir.Program:
    """The program that the texts say."""
    return Pipeline(list(texts), options or Options(), lambda path: _bytes(texts, path)).program


def _bytes(texts: Mapping[str, str], path: str) -> bytes:
    if path not in texts:
        raise OSError
    return texts[path].encode("utf-8", "surrogateescape")
