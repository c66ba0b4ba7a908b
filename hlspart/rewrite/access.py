"""Edits on uses: element accesses, call arguments, sizeof."""

from __future__ import annotations

import re

from hlspart.model.program import ArrayRef, ArrayType, CType, Name, PointerType, Program
from hlspart.model.source import Span, comments, one_line
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.declare import sized_text
from hlspart.rewrite.linear import Index, bare, linear, offset_text, own_text
from hlspart.rewrite.plan import GroupRefusal, Plan
from hlspart.rewrite.uses import Use


def edit_use(program: Program, plan: Plan, use: Use, buffer: EditBuffer) -> GroupRefusal | None:
    """Edit one use of a member of the plan's group."""
    match use.kind:
        case "element":
            assert isinstance(use.node, ArrayRef)
            return _element(program, plan, use.node, buffer)
        case "argument":
            names = plan.names[use.variable]
            if len(names) > 1 and not use.node.at.editable:
                return GroupRefusal("macro", "the array is handed on inside a macro argument", use.node.at)
            buffer.replace(use.node.at, ", ".join(names))
            return None
        case "sizeof":
            return _size(program, use, buffer)
    return GroupRefusal("address-taken", "a use that cannot be edited", use.node.at)


def _size(program: Program, use: Use, buffer: EditBuffer) -> GroupRefusal | None:
    """``sizeof A`` becomes the size of the type that ``A`` had."""
    size, name = use.size, program.variable(use.variable).name
    assert size is not None and size.operand is not None
    if not size.at.editable:
        return GroupRefusal("macro", f"the size of '{name}' is asked for inside the macro {size.at.macro}", size.at)
    kind = size.operand.type
    if isinstance(size.operand, Name) and program.variable(use.variable).storage == "parameter":
        kind = decayed(kind)
    text = sized_text(program, program.variable(use.variable), kind)
    if text is None:
        return GroupRefusal("sizeof", f"the size of '{name}' is asked for, and its type has no name", size.at)
    keyword = re.match(r"\w+", program.text(size.at))
    assert keyword is not None
    buffer.replace(size.at, f"{keyword[0]}({text})")
    return None


def decayed(kind: CType) -> CType:
    """What a parameter declared as an array of type ``kind`` really is."""
    if not isinstance(kind, ArrayType):
        return kind
    return PointerType(ArrayType(kind.element, kind.dims[1:]) if len(kind.dims) > 1 else kind.element)


def _element(program: Program, plan: Plan, ref: ArrayRef, buffer: EditBuffer) -> GroupRefusal | None:
    dims = plan.dims
    banks = plan.banks_of[ref.id]
    shown: list[str] = []  # new bracket text per dimension, "" where it vanishes
    heads: list[str] = []
    for k, (dim, index) in enumerate(zip(dims, ref.indices, strict=True)):
        text = index_text(program, ref, k, buffer)
        if text is None:
            return GroupRefusal("macro", f"index {k + 1} comes out of a macro", ref.at)
        if not dim.is_split:
            shown.append(f"[{text}]")
            continue
        at, bank = Index(text, index, linear(program, index, buffer.text)), banks[k]
        heads.append(str(bank) if bank is not None else dim.bank_by(at, at, at).text)
        local = dim.local_by(at, at, bank)
        shown.append("" if local is None else f"[{local.text}]")
    names = plan.names[ref.variable]
    if plan.style == "bankdim":
        name = names[0] + "".join(f"[{h}]" for h in heads)
    else:
        flat = 0
        for dim, bank in zip(dims, banks, strict=True):
            assert bank is not None
            flat = flat * dim.banks + bank
        name = names[flat]
        if not any(shown) and not plan.scalar_banks:
            shown[-1] = "[0]"
    if not ref.brackets:  # *(A + i)
        buffer.replace(ref.at, name + "".join(shown))
        return None
    buffer.replace(ref.name, name)
    for dim, bracket, text in zip(dims, ref.brackets, shown, strict=True):
        if dim.is_split:
            buffer.replace(bracket, _keep_layout(buffer.text(bracket.span), text))
    return None


def index_text(program: Program, ref: ArrayRef, k: int, buffer: EditBuffer) -> str | None:
    """The user's text of one index, inner edits applied."""
    if ref.brackets:
        bracket = ref.brackets[k]
        if bracket.kind not in ("plain", "argument"):
            return None
        span = bracket.span
        if not re.fullmatch(r"\[.*\]", buffer.text(span), re.S):
            return None  # macros make the brackets
        return bare(one_line(buffer.text(Span(span.path, span.start + 1, span.end - 1))))
    text = own_text(ref.indices[k], buffer.text)
    if text is None:
        form = linear(program, ref.indices[k], buffer.text)
        text = offset_text(ref.indices[k], buffer.text) if form is None else str(form)
    return text


def _keep_layout(old: str, new: str) -> str:
    """``new`` with the comments and line ends of ``old``, so that neither gets lost."""
    missing = [c for c in comments(old) if one_line(c) not in new]
    text = new
    if missing:
        text = (text[:-1] + "".join(f" {c}" for c in missing) + "]") if text else "".join(missing)
    lines = old.count("\n") - text.count("\n")
    return text + "\n" * lines if lines > 0 else text
