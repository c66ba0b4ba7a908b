"""Edits on declarations: variables, parameters, prototypes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hlspart.model.program import (
    ArrayType,
    CType,
    Declarator,
    PointerType,
    Program,
    StructType,
    Variable,
)
from hlspart.model.source import Origin, Span, comments, one_line
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.initialisers import Index, Unsupported, elements, initialiser_text, wrap
from hlspart.rewrite.plan import GroupRefusal, Plan
from hlspart.transform.printer import type_text

_BLANK = re.compile(r"(?:\s|\\\r?\n|//[^\n]*|/\*.*?\*/)*", re.S)
_ATTRIBUTES = re.compile(r"(?:\s*__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\))*")
_RESTRICT = re.compile(r"\b(?:restrict|__restrict|__restrict__)\b")
_QUALIFIERS = re.compile(r"\b(?:static|const|restrict|volatile|__restrict|__restrict__)\b")


def declare_variable(program: Program, plan: Plan, variable: Variable, buffer: EditBuffer) -> GroupRefusal | None:
    """Edit every declaration of a local, static or global array."""
    for declarator in variable.declarations:
        refusal = _declare(program, plan, variable, declarator, buffer)
        if refusal is not None:
            return refusal
    return None


def _declare(
    program: Program, plan: Plan, variable: Variable, declarator: Declarator, buffer: EditBuffer
) -> GroupRefusal | None:
    at = declarator.declarator
    if not at.editable:
        return GroupRefusal("macro", f"'{variable.name}' is declared by the macro {at.macro or ''}".rstrip(), at)
    text = program.sources[at.span.path].text
    attributes = _ATTRIBUTES.match(text, at.span.end)
    assert attributes is not None
    whole = Span(at.span.path, at.span.start, attributes.end() if attributes[0].strip() else at.span.end)
    if declarator.initialiser is not None:
        if not declarator.initialiser.editable:
            return GroupRefusal("macro", "the initialiser comes out of a macro", declarator.initialiser)
        whole = Span(whole.path, whole.start, declarator.initialiser.span.end)
    after = _BLANK.match(text, whole.end)
    if after is None or text[after.end() : after.end() + 1] not in (",", ";"):
        return GroupRefusal("declaration", f"'{variable.name}' has an unusual declarator", at)
    shaped = _shapes(program, plan, variable, declarator)
    if isinstance(shaped, GroupRefusal):
        return shaped
    if attributes[0].strip():
        shaped = [f"{one} {attributes[0].strip()}" for one in shaped]
    if plan.style != "bankdim" and (variable.internal or variable.scope in program.loops):  # as for mark_unused
        used = plan.used_banks[variable.id]
        shaped = [one if b in used else f"{one} __attribute__((unused))" for b, one in enumerate(shaped)]
    kind = variable.type
    assert isinstance(kind, ArrayType)
    if declarator.initialiser is not None and variable.init is not None:
        values = elements(kind, variable.init, buffer.text)
        if isinstance(values, Unsupported):
            return GroupRefusal(values.code, values.reason, values.expr.at)
        zero = zero_text(program, variable)
        placed = {plan.place(x): text for x, text in values.items()}
        shaped = [f"{one} = {_initialiser(plan, bank, placed, zero)}" for bank, one in enumerate(shaped)]
    elif declarator.initialiser is not None:
        return GroupRefusal("initialiser", "an initialiser that is not understood", declarator.initialiser)
    if variable.storage in ("local", "static"):  # their type may be as local as they are
        stores = [d for d in plan.movement.direct if d.ref.variable == variable.id and d.writer is not None]
        stars = "*" * shaped[0][: shaped[0].index(plan.names[variable.id][0])].count("*")
        shaped = [*shaped, *(stars + plan.waiting[d.ref.id] for d in stores)]
    old = buffer.text(whole)
    lines = old.count("\n")
    column = program.sources[whole.path].line_column(declarator.statement.span.start)[1] - 1
    lost = [c for c in comments(old) if not any(one_line(c) in one for one in shaped)]
    new = wrap([*shaped[:-1], " ".join([shaped[-1], *lost])], lines, " " * (column + 4))
    if len(declarator.brackets) < len(kind.dims):  # the extents come from a typedef
        return _replace_typedef(program, variable, declarator, whole, new, buffer)
    buffer.replace(Origin(whole), new)
    return None


def _replace_typedef(
    program: Program, variable: Variable, declarator: Declarator, whole: Span, new: str, buffer: EditBuffer
) -> GroupRefusal | None:
    """Replace the array typedef in the specifiers by its element type."""
    kind = variable.type
    assert isinstance(kind, ArrayType)
    specifiers = declarator.specifiers
    element = type_text(kind.element)
    if declarator.count > 1 or not specifiers.editable or element is None:
        return GroupRefusal("declaration", f"'{variable.name}' has its extents from a typedef", declarator.declarator)
    words = one_line(program.text(specifiers), False).split()
    kept = [w for w in words if w in ("static", "extern", "const", "register")]
    if len(kept) != len(words) - 1:
        return GroupRefusal("declaration", f"'{variable.name}' has its extents from a typedef", declarator.declarator)
    if variable.const and "const" not in kept:  # of the typedef
        kept.append("const")
    buffer.replace(Origin(Span(whole.path, specifiers.span.start, whole.end)), " ".join([*kept, element]) + " " + new)
    return None


#: Words of C's own arithmetic types, and names of its headers for integer types.
BASIC = frozenset(["int", "unsigned", "signed", "long", "short", "char", "float", "double", "bool", "_Bool"])
STANDARD = frozenset((*(f"{u}int{n}_t" for u in ("", "u") for n in (8, 16, 32, 64)), "size_t"))

_EFFECT = re.compile(r"\+\+|--|(?<![=!<>])=(?!=)")
_STORAGE = re.compile(r"\b(?:static|extern|register|auto|inline|thread_local|_Thread_local)\b")
_OWN_QUALIFIERS = re.compile(r"\b(?:const|constexpr|volatile)\b")
_ENUM = re.compile(r"enum\s+(?:class\s+|struct\s+)?(\w+)[^{]*\{.*\}", re.S)
_STARS = re.compile(r"(?:\*|\b(?:const|volatile|restrict|__restrict|__restrict__)\b|\s)+")


def element_text(program: Program, variable: Variable) -> str | None:
    """The type of ``variable``, or of its elements, as its declaration says it, without qualifiers of its own.

    None where no text says it: the records know neither the enumeration of a value nor what a pointer may change.
    """
    array = variable.as_array
    kind = array.element if array is not None else variable.type
    otherwise = None if isinstance(kind, PointerType) else type_text(kind)
    piece = variable.declarations[0]
    at, name, specifiers = piece.declarator, piece.name.span, piece.specifiers
    pointer = array is not None and isinstance(variable.type, PointerType)
    if specifiers.kind not in ("plain", "argument") or at.kind not in ("plain", "argument"):
        return otherwise
    if array is not None and len(piece.brackets) + pointer < len(array.dims):
        return otherwise  # a typedef of an array
    base = _STORAGE.sub(" ", _ENUM.sub(r"enum \1", one_line(program.text(specifiers), False)))
    before = one_line(program.sources[name.path].text[at.span.start : name.start], False)
    stars = "" if before in ("(", "(&", "&") else before
    if re.search(r"[^\w\s:<>,*]", base) or (stars and not _STARS.fullmatch(stars)):
        return otherwise
    stars = re.sub(r"\*[^*]*\Z", "", stars) if pointer else stars
    stars = re.sub(r"[^*]*\Z", "", stars)
    base = base if stars else _OWN_QUALIFIERS.sub(" ", base)
    if not _OWN_QUALIFIERS.sub(" ", base).strip():  # auto, which takes the type of what is there
        return otherwise
    return " ".join(f"{base} {stars}".split()) or otherwise


def constant_text(element: str) -> str:
    """``element``, as :func:`element_text` gives it, made const."""
    return f"{element} const" if element.endswith("*") else f"const {element}"


def sized_text(program: Program, variable: Variable, kind: CType) -> str | None:
    """A name of ``kind``, which ``variable`` or a part of it has, to ask for its size."""
    element = element_text(program, variable)
    array = variable.as_array
    if element is None or array is None:
        return type_text(kind)
    match kind:
        case PointerType(target=ArrayType() as row) if row.element == array.element:
            return f"{element} (*)" + "".join(f"[{n}]" for n in row.dims)
        case PointerType(target=target) if target == array.element:
            return f"{element} *"
        case ArrayType() if kind.element == array.element and None not in kind.dims:
            return element + "".join(f"[{n}]" for n in kind.dims)
    return element if kind == array.element else type_text(kind)


def _shapes(program: Program, plan: Plan, variable: Variable, declarator: Declarator) -> list[str] | GroupRefusal:
    """The new declarators, without initialisers: one per bank (split) or one (bankdim)."""
    source = program.sources[declarator.declarator.span.path].text
    name, span = declarator.name.span, declarator.declarator.span
    first = declarator.brackets[0].span.start if declarator.brackets else span.end
    before, after = source[span.start : name.start], one_line(source[name.end : first], False)
    if after not in ("", ")") or (after == ")") != ("(" in before):
        return GroupRefusal("declaration", f"'{variable.name}' has an unusual declarator", declarator.declarator)
    return [
        f"{before}{new}{after}" + "".join(f"[{size}]" for size in sizes)
        for new, sizes in zip(plan.names[variable.id], _sizes(program, plan, declarator), strict=True)
    ]


def _plain_shapes(program: Program, plan: Plan, variable: Variable, declarator: Declarator) -> list[str]:
    """The same without anything of the old declarator but its sizes."""
    sizes = _sizes(program, plan, declarator)
    return [n + "".join(f"[{s}]" for s in one) for n, one in zip(plan.names[variable.id], sizes, strict=True)]


def _extent(text: str) -> str | None:
    """What stands in a bracket, None when that is nothing but comments."""
    return text.strip() if one_line(text, False) else None


def _sizes(program: Program, plan: Plan, declarator: Declarator) -> list[list[str]]:
    """Text of every bracket of every new array; an unpartitioned extent keeps the user's text."""
    dims = plan.dims
    if not dims:
        return [[str(size) for size in shape] for shape in plan.shapes]
    old: list[str | None] = [None] * len(dims)
    if len(declarator.brackets) == len(dims):
        for k, bracket in enumerate(declarator.brackets):
            if bracket.kind in ("plain", "argument"):
                old[k] = _extent(one_line(program.text(bracket)[1:-1]))
    qualifiers = " ".join(_QUALIFIERS.findall(old[0] or ""))
    if len(declarator.brackets) < len(dims):  # T *restrict p
        qualifiers = " ".join(_RESTRICT.findall(program.text(declarator.declarator)))
    if qualifiers and not dims[0].is_split:
        old[0] = _extent(_QUALIFIERS.sub("", old[0] or ""))

    def kept(k: int, size: int) -> str:
        return (not dims[k].is_split and old[k]) or str(size)

    local = [k for k, d in enumerate(dims) if d.has_local]
    if plan.style == "bankdim":
        heads = [str(d.banks) for d in dims if d.is_split]
        result = [heads + [kept(k, dims[k].size(0)) for k in local]]
    else:
        result = []
        for bank in range(plan.layout.banks):
            shape = plan.layout.bank_shape(bank)
            sizes = [kept(k, size) for k, size in zip(local, shape, strict=True)]
            result.append(sizes or ([] if plan.scalar_banks else ["1"]))
    if qualifiers:
        for sizes in result:
            if sizes:
                sizes[0] = f"{qualifiers} {sizes[0]}"
    return result


def zero_text(program: Program, variable: Variable) -> str:
    """An initial value for an element: zero, as C has it where nothing is said."""
    array = variable.as_array
    scalar = array is None or not isinstance(array.element, StructType)
    if not program.is_cxx(variable.at.span.path):
        return "0" if scalar else "{0}"
    named = element_text(program, variable)
    if not scalar:
        return "{}"
    basic = named is None or re.search(r"[*<]", named) or named in STANDARD or set(named.split()) <= BASIC
    return "0" if basic else re.sub(r"\A(?:enum|struct|union)\s+", "", f"{named}()")


def _initialiser(plan: Plan, bank: int, placed: Mapping[tuple[int, Index], str], zero: str) -> str:
    return initialiser_text(plan.shapes[bank], lambda index: placed.get((bank, index)), zero)


def mark_unused(program: Program, plan: Plan, variable: Variable, buffer: EditBuffer) -> None:
    """Keep gcc quiet about banks that nothing uses: splitting an array in use must not add warnings."""
    names = [name for b, name in enumerate(plan.names[variable.id]) if b not in plan.used_banks[variable.id]]
    if not names or variable.function is None or variable.scope in program.loops:  # no room for a statement
        return
    if variable.storage == "parameter":
        at = program.functions[variable.function].body.at.span
        offset = at.start + 1
    else:
        at = variable.declarations[0].statement.span
        offset = at.end
    buffer.insert(at.path, offset, "".join(f" (void){name};" for name in names))


def declare_parameter(
    program: Program, plan: Plan, variable: Variable, declarator: Declarator, buffer: EditBuffer
) -> GroupRefusal | None:
    """Edit one parameter of a definition or prototype; ``variable`` is the definition's."""
    statement = declarator.statement
    given = program.given
    if statement.span.path not in given:
        reason = f"a prototype stands in {statement.span.path}, which is not given: give it, too"
        return GroupRefusal("header", reason, statement)
    if program.text(statement).endswith(";"):
        return _old_style(program, plan, variable, declarator, buffer)
    if any(_EFFECT.search(program.text(bracket)) for bracket in declarator.brackets):
        return GroupRefusal("side-effect", "the extent of a parameter has an effect, which would be lost", statement)
    if not _is_alone(program, statement):
        return GroupRefusal(
            "macro", f"'{variable.name}' is declared by the macro {statement.macro or ''}".rstrip(), statement
        )
    kind = variable.as_array
    assert kind is not None
    specifiers = declarator.specifiers
    pointer = isinstance(variable.type, PointerType)
    typedef = len(declarator.brackets) + pointer < len(kind.dims)
    separate = specifiers.span.end <= declarator.declarator.span.start and not typedef
    if separate and specifiers.kind in ("plain", "macro", "mixed"):
        spelled = program.text(specifiers).rstrip()
    else:
        element = element_text(program, variable)
        if element is None:
            return GroupRefusal("declaration", f"the element type of '{variable.name}' has no name", statement)
        spelled = constant_text(element) if is_read_only(program, variable) else element
    if declarator.declarator.editable and not typedef and not pointer:
        shaped = _shapes(program, plan, variable, declarator)
        if isinstance(shaped, GroupRefusal):
            return shaped
    else:
        shaped = _plain_shapes(program, plan, variable, declarator)
    buffer.replace(Origin(statement.span), ", ".join(f"{spelled} {one}" for one in shaped))
    return None


def _old_style(
    program: Program, plan: Plan, variable: Variable, declarator: Declarator, buffer: EditBuffer
) -> GroupRefusal | None:
    """Edit a parameter declared between the parameter list and the body."""
    function = program.functions[variable.function or ""]
    at, kind = declarator.declarator, variable.as_array
    assert kind is not None
    pointer = isinstance(variable.type, PointerType)
    listed = program.text(function.signature)
    start = function.name_at.span.end - function.signature.span.start
    names = re.compile(rf"\b{variable.name}\b").search(listed, start, listed.index(")", start))
    if names is None or not at.editable or len(declarator.brackets) + pointer < len(kind.dims):
        return GroupRefusal("declaration", f"'{variable.name}' has an unusual declaration", at)
    shaped = (_plain_shapes if pointer else _shapes)(program, plan, variable, declarator)
    if isinstance(shaped, GroupRefusal):
        return shaped
    path, offset = function.signature.span.path, function.signature.span.start
    buffer.replace(Origin(Span(path, offset + names.start(), offset + names.end())), ", ".join(plan.names[variable.id]))
    buffer.replace(Origin(at.span), ", ".join(shaped))
    return None


def is_read_only(program: Program, variable: Variable) -> bool:
    """Whether the elements are const."""
    if isinstance(variable.type, PointerType):
        return "const" in one_line(program.text(variable.declarations[0].specifiers), False).split()
    return variable.const


def _is_alone(program: Program, origin: Origin) -> bool:
    """Whether the text of ``origin`` stands alone between a parameter list's delimiters."""
    text = program.sources[origin.span.path].text
    after = _BLANK.match(text, origin.span.end)
    if after is None or text[after.end() : after.end() + 1] not in (",", ")"):
        return False
    if origin.editable:
        return True
    before = re.sub(r"/\*.*?\*/", "", text[max(0, origin.span.start - 400) : origin.span.start], flags=re.S)
    return before.rstrip()[-1:] in ("(", ",")
