"""Arrays that directives make FIFOs, and the accesses that reach them."""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.access import Access
from hlspart.model.directives import Directive
from hlspart.model.program import Variable
from hlspart.rules._base import Facts
from hlspart.rules._processes import regions
from hlspart.rules._uses import own_expressions, root_of


def fifos(facts: Facts) -> Iterator[tuple[Directive, Variable]]:
    """Arrays behind INTERFACE ap_fifo or axis of a top function, bound as FIFOs, and channels with STREAM as such."""
    tops = set(facts.analysis.tops)
    regional = {r.function for r in regions(facts.program)}
    for d in facts.program.directives:
        if d.dialect != "vitis" or not d.usable:
            continue
        mode = (d.choice("mode", ("ap_fifo", "axis")) or "") if d.kind == "interface" else ""
        stream = d.kind == "stream" and not d.has("off") and (d.choice("type", ("fifo", "pipo")) or "fifo") == "fifo"
        for ident in d.variables:
            variable = facts.program.variable(ident)
            if variable.as_array is None:
                continue
            queue = d.kind == "bind_storage" and (d.option("type") or "").lower() == "fifo"
            port = mode in ("ap_fifo", "axis") and variable.storage == "parameter" and variable.function in tops
            channel = stream and variable.function in regional and variable.storage in ("local", "static")
            if port or channel or queue:
                yield d, variable


def accesses(facts: Facts, variable: Variable) -> list[list[Access]]:
    """Accesses of a FIFO, by function and kind, those of parameters that it is handed to included."""
    names = {variable.id}
    group = next((g for g in facts.analysis.groups if variable.id in g.members), None)
    for _ in range(len(group.edges) if group is not None else 0):
        more = {e.formal for e in group.edges if e.actual in names} if group is not None else set()
        if more <= names:
            break
        names |= more
    groups: dict[tuple[int, str], list[Access]] = {}
    for a in facts.analysis.accesses:
        if a.array in names:
            groups.setdefault((a.array, a.kind), []).append(a)
    return list(groups.values())


_DATA = ("it depends on the value of", "it is the result of the call")


def is_by_data(access: Access) -> bool:
    """Whether the index of an access depends on a value that is read from somewhere."""
    reason = access.reason or ""
    member = reason.startswith("it depends on the struct member") and "[" in reason  # of an element
    return not access.affine and (member or reason.startswith(_DATA))


_ASKS = ("stream.empty", "stream.read_nb", "stream.size")
_DEEPEST = 8  # calls


def polls(program: c.Program, root: c.Stmt, stream: int, depth: int = 0) -> bool:
    """Whether statements below ``root``, or what they call, ask whether a word is in a stream before they read it."""
    for expr in own_expressions(program, root):
        for call in (x for x in c.walk(expr) if isinstance(x, c.Call)):
            callee = program.functions.get(call.function or "")
            for k, arg in enumerate(call.args):
                argument = root_of(arg)
                if argument is None or argument[0] != stream:
                    continue
                if call.function in _ASKS and k == 0:
                    return True
                inside = callee is not None and depth < _DEEPEST and k < len(callee.params)
                if inside and callee is not None and polls(program, callee.body, callee.params[k], depth + 1):
                    return True
    return False
