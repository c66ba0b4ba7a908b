"""Accesses that stay where they are: a load or store with its own selection among the banks.

For accesses that bank-centric code cannot move (loop headers, jumps, statements with inner loops)
and that stand in no loop that has to reach an II. A store collects its value in a variable first,
so that it is evaluated once.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hlspart.model.program import ArrayRef, IncDec, Program
from hlspart.model.source import Span, one_line
from hlspart.rewrite.access import index_text
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.declare import element_text
from hlspart.rewrite.formulas import Macro
from hlspart.rewrite.plan import GroupRefusal, Plan


class Wrap(Struct, frozen=True):
    """Text around an expression."""

    span: Span
    before: str
    after: str


def refuse_direct(plan: Plan) -> GroupRefusal | None:
    """Accesses in place that cannot be written."""
    for direct in plan.movement.direct:
        at, writer = direct.ref.at, direct.writer
        if at.kind not in ("plain", "argument"):
            return GroupRefusal("macro", "the access comes out of a macro", at)
        if direct.writes and (writer is None or not writer.node.at.editable):
            return GroupRefusal("macro", "the assignment comes out of a macro", at)
        if writer is not None and writer.partial and writer.used and isinstance(writer.node, IncDec):
            return GroupRefusal("struct", "the value of a member's increment is used", at)
    return None


def edit_direct(program: Program, plan: Plan, buffer: EditBuffer) -> GroupRefusal | None:
    """Replace loads by the macro that selects, targets of stores by their variables."""
    for direct in plan.movement.direct:
        index = _index(program, direct.ref, buffer)
        if index is None:
            return GroupRefusal("macro", "an index comes out of a macro", direct.ref.at)
        variable = direct.ref.variable
        loaded = f"{plan.gets[variable]}({index})"
        buffer.replace(direct.ref.at, loaded if direct.writer is None else plan.waiting[direct.ref.id])
    return None


def _index(program: Program, ref: ArrayRef, buffer: EditBuffer) -> str | None:
    texts = [index_text(program, ref, k, buffer) for k in range(len(ref.indices))]
    known = [t for t in texts if t is not None]
    if len(known) < len(texts):
        return None
    return ", ".join(f"({one_line(t)})" if "," in t else one_line(t) for t in known)


def direct_wraps(program: Program, plan: Plan, buffer: EditBuffer) -> list[Wrap]:
    """What goes around assignments that stay in place; declares the variables that no array does."""
    wraps: list[Wrap] = []
    declared: dict[str, list[str]] = {}
    for direct in plan.movement.direct:
        writer = direct.writer
        if writer is None:
            continue
        get, put = plan.gets[direct.ref.variable], plan.puts[direct.ref.variable]
        index = _index(program, direct.ref, buffer)
        name = plan.waiting[direct.ref.id]
        variable = program.variable(direct.ref.variable)
        if variable.storage not in ("local", "static"):
            declared.setdefault(direct.function, []).append(f"{element_text(program, variable)} {name};")
        before = f"({name} = {get}({index}), " if direct.reads or writer.partial else "("
        if isinstance(writer.node, IncDec) and not writer.node.prefix and writer.used:
            change = "+ 1" if writer.node.op == "++" else "- 1"
            wraps.append(Wrap(writer.node.at.span, f"{before}{put}({index}, {name} {change}), ", ")"))
        else:
            before_name, behind_name = writer.member
            value = f", {before_name}{name}{behind_name}" if writer.used and writer.partial else ""
            wraps.append(Wrap(writer.node.at.span, before, f", {put}({index}, {name}){value})"))
    for function, lines in declared.items():
        at = program.functions[function].body.at.span
        buffer.insert(at.path, at.start + 1, "".join(f"\n    {line}" for line in lines))
    return wraps


def direct_macros(program: Program, plan: Plan) -> Iterator[Macro]:
    """The macros that load and store one element of each array with accesses in place."""
    assert plan.formulas is not None
    f = plan.formulas
    axes = f.bank.parameters
    address = "".join(f"[{w.name}({axes})]" for w in f.words)
    variables = dict.fromkeys(d.ref.variable for d in plan.movement.direct)
    for variable in variables:
        mine = [d for d in plan.movement.direct if d.ref.variable == variable]
        banks = plan.names[variable]
        tests = [f"{f.bank.name}({axes}) == {b} ? " for b in range(len(banks) - 1)]
        if any(d.writer is None or d.reads or d.writer.partial for d in mine):
            body = " : ".join(t + n + address for t, n in zip([*tests, ""], banks, strict=True))
            yield Macro(plan.gets[variable], axes, f"({body})")
        if any(d.writer is not None for d in mine):
            stores = [f"({n}{address} = (v))" for n in banks]
            body = " : ".join(t + s for t, s in zip([*tests, ""], stores, strict=True))
            yield Macro(plan.puts[variable], f"{axes}, v", f"({body})")
