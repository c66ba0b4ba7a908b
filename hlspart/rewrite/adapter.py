"""Callers that the rewrite leaves alone: they call an adapter with the old signature.

With ``--split-top`` the top's own signature changes, but a test bench in the same file goes on
passing whole arrays. The adapter copies them into banks, calls the top and copies them back.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from msgspec import Struct

from hlspart.layouts.dimension import DimLayout
from hlspart.model.program import Call, Function, Name, Program, Variable, VoidType
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.declare import element_text, is_read_only
from hlspart.rewrite.names import Names, renamed
from hlspart.rewrite.plan import GroupRefusal, Plan
from hlspart.rewrite.templates import render
from hlspart.rewrite.uses import Uses
from hlspart.semantics.places import before
from hlspart.transform.printer import type_text


@dataclass(frozen=True, slots=True)
class _Copy:
    """``loops`` around ``bank = element``."""

    loops: str
    bank: str
    element: str


class _Bank(Struct, frozen=True):
    name: str
    shape: tuple[int, ...]


class _Array(Struct, frozen=True):
    element: str
    const: bool
    banks: tuple[_Bank, ...]
    copies: tuple[_Copy, ...]


def edit_callers(
    program: Program, uses: Uses, plans: Sequence[Plan], buffer: EditBuffer
) -> tuple[Plan, GroupRefusal] | None:
    """Send every call that still passes whole arrays to an adapter, written before its first caller."""
    changed: dict[str, list[Plan]] = {}
    for plan in plans:
        for member in plan.group.members:
            variable = program.variable(member)
            if variable.storage == "parameter" and variable.function is not None:
                changed.setdefault(variable.function, []).append(plan)
    names = Names.of(program)
    for plan in plans:
        names.take(itertools.chain.from_iterable(plan.names.values()))
    for function_name, involved in changed.items():
        function = program.functions[function_name]
        calls = [
            (c, f) for c, f in uses.calls if c.function == function_name and _is_whole(program, involved, function, c)
        ]
        if not calls:
            continue
        if function_name in uses.instances:
            return involved[0], GroupRefusal(
                "template", f"the template {function_name} is called with whole arrays", function.at
            )
        adapter = names.free(f"{function_name}_whole")
        for call, caller in calls:
            outside = call.callee.span.path not in program.given
            if not call.callee.editable or caller is None or outside:
                return involved[0], GroupRefusal("macro", f"a call of {function_name} comes out of a macro", call.at)
            buffer.replace(call.callee, renamed(program.text(call.callee), adapter))
        text = _text(program, function, adapter, involved, names)
        if isinstance(text, GroupRefusal):
            return involved[0], text
        for unit in dict.fromkeys(program.functions[caller].unit for _, caller in calls if caller is not None):
            first = min(
                (program.functions[c] for _, c in calls if c is not None and program.functions[c].unit == unit),
                key=lambda f: f.at.span.start,
            )
            path, source = first.at.span.path, program.sources[first.at.span.path].text
            buffer.insert(path, before(source, first.at.span.start), text)
    return None


def _is_whole(program: Program, plans: Sequence[Plan], function: Function, call: Call) -> bool:
    """Whether the call passes something that is no member of the rewritten group."""
    for plan in plans:
        for member in plan.group.members:
            if member in function.params:
                argument = call.args[function.params.index(member)]
                if not (isinstance(argument, Name) and argument.variable in plan.group.members):
                    return True
    return False


def _text(
    program: Program, function: Function, adapter: str, plans: Iterable[Plan], names: Names
) -> str | GroupRefusal:
    signature = program.text(function.signature).rstrip()
    at = function.name_at.span.start - function.signature.span.start
    if not function.signature.editable or signature[at : at + len(function.name)] != function.name:
        return GroupRefusal("macro", f"the signature of {function.name} comes out of a macro", function.signature)
    signature = signature[:at] + adapter + signature[at + len(function.name) :]
    if not function.internal:
        signature = f"static {signature}"
    arrays = []
    arguments: list[str] = []
    by_member = {v: plan for plan in plans for v in plan.group.members}
    for param in function.params:
        variable = program.variable(param)
        if param not in by_member:
            arguments.append(variable.name)
            continue
        array = _array(program, by_member[param], variable, names)
        if array is None:
            return GroupRefusal("declaration", f"the element type of '{variable.name}' has no name", variable.at)
        arrays.append(array)
        arguments += [b.name for b in array.banks]
    value = names.free("result") if not isinstance(function.return_type, VoidType) else ""
    kind = type_text(function.return_type)
    if value and kind is None:
        return GroupRefusal("declaration", f"the result type of {function.name} has no name", function.name_at)
    return render(
        "adapter.c.j2",
        function=function.name,
        signature=signature,
        arrays=arrays,
        arguments=", ".join(arguments),
        value=value,
        result=f"{kind} {value} = " if value else "",
    )


def _array(program: Program, plan: Plan, variable: Variable, names: Names) -> _Array | None:
    kind = variable.as_array
    assert kind is not None
    element = element_text(program, variable)
    if element is None:
        return None
    banks = tuple(_Bank(names.free(f"{n}_copy"), s) for n, s in zip(plan.names[variable.id], plan.shapes, strict=True))
    return _Array(element, is_read_only(program, variable), banks, tuple(_copies(plan, variable.name, banks)))


def _copies(plan: Plan, name: str, banks: Sequence[_Bank]) -> Iterable[_Copy]:
    layout = plan.layout
    axes = [f"x{k}" for k in range(len(layout.shape))]
    whole = "".join(f"for (int {x} = 0; {x} < {n}; {x}++) " for x, n in zip(axes, layout.shape, strict=True))
    element = name + "".join(f"[{x}]" for x in axes)
    product = layout.per_dimension
    if product is None:
        assert plan.formulas is not None
        listed = ", ".join(axes)
        for b, bank in enumerate(banks):
            test = f"if ({plan.formulas.bank.name}({listed}) == {b}) "
            yield _Copy(whole + test, f"{bank.name}[{plan.formulas.words[0].name}({listed})]", element)
        return
    if plan.style == "bankdim":
        heads = [d.bank_by(_PLAIN, x, "0") for d, x in zip(layout.dims, axes, strict=True) if d.is_split]
        tails = [d.local_by(_PLAIN, x) for d, x in zip(layout.dims, axes, strict=True)]
        index = "".join(f"[{i}]" for i in (*heads, *(t for t in tails if t is not None)))
        yield _Copy(whole, banks[0].name + index, element)
        return
    for b, bank in enumerate(banks):
        loops, index, old = "", "", ""
        for dim, place, size, x in zip(layout.dims, product.bank_tuple(b), product.sizes(b), axes, strict=True):
            if not dim.has_local:
                old += f"[{place}]"
                continue
            loops += f"for (int {x} = 0; {x} < {size}; {x}++) "
            index += f"[{x}]"
            old += f"[{_element(dim, place, x)}]"
        yield _Copy(loops, bank.name + (index or "[0]"), name + old)


def _element(dim: DimLayout, bank: int, local: str) -> str:
    """Index in the old dimension of the local index of a bank."""
    if not dim.is_split:
        return local
    return f"{local if dim.stride == 1 else f'{dim.stride} * {local}'} + {dim.first(bank)}"


class _Plain:
    """C as it is written by hand."""

    def div(self, x: str, by: int, greatest: int, remainder: int | None = None) -> str:
        return f"{x} / {by}"

    def mod(self, x: str, by: int, greatest: int, quotient: int | None = None) -> str:
        return f"{x} % {by}"


_PLAIN = _Plain()
