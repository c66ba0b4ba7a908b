"""Bank and word of an element as C text, without ``/`` or ``%`` on hardware's critical path.

A division by a constant that is no power of two is a multiplication and a shift, exact on the
range it is used on (Granlund and Montgomery, PLDI 1994); a power of two is bit selection.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from hlspart.layouts.layout import Layout
from hlspart.rewrite.names import Names


class Macro(Struct, frozen=True):
    """``#define name(parameters) body`` with a note for readers."""

    name: str
    parameters: str
    body: str
    note: str = ""

    @property
    def text(self) -> str:
        """The whole line."""
        return f"#define {self.name}({self.parameters}) {self.body}" + (f" /* {self.note} */" if self.note else "")


class Formulas(Struct, frozen=True):
    """Macros of one layout: ``bank`` and ``words`` (one per dimension of a bank's array) name the last ones."""

    helpers: tuple[Macro, ...]
    bank: Macro
    words: tuple[Macro, ...]
    inside: Macro
    pick: Macro
    bank_note: str
    word_note: str
    source: str


def multiply_shift(divisor: int, greatest: int) -> tuple[int, int] | None:
    """(factor, shift) with n * factor >> shift == n / divisor for 0 <= n <= greatest in 32 bits, if any."""
    for shift in range(1, 32):
        factor = -(-(1 << shift) // divisor)
        if (factor * divisor - (1 << shift)) * greatest < 1 << shift:
            return (factor, shift) if factor * greatest < 1 << 32 else None
    return None


class _Writer:
    """Collects the helper macros that the formulas need."""

    def __init__(self, stem: str, names: Names) -> None:
        self._stem = stem
        self._names = names
        self.helpers: dict[tuple[str, int], Macro] = {}

    def div(self, text: str, divisor: int, greatest: int) -> str:
        """text / divisor."""
        if divisor == 1:
            return text
        if divisor & (divisor - 1) == 0:
            return f"({text}) >> {divisor.bit_length() - 1}"
        return f"{self._division(divisor, greatest).name}({text})"

    def mod(self, text: str, divisor: int, greatest: int) -> str:
        """text mod divisor."""
        if divisor == 1:
            return "0u"
        if divisor & (divisor - 1) == 0:
            return f"({text}) & {divisor - 1}u"
        if ("mod", divisor) not in self.helpers:
            division = self._division(divisor, greatest)
            name = self._names.free(f"{self._stem}_MOD{divisor}")
            self.helpers["mod", divisor] = Macro(name, "n", f"((n) - {divisor}u * {division.name}(n))")
        else:
            self._division(divisor, greatest)
        return f"{self.helpers['mod', divisor].name}({text})"

    def look_up(self, values: Sequence[int], index: str, kind: str) -> str:
        """values[index] by shifts of constants: bits of 64-bit words and a choice among these, no memory."""
        width = max(values).bit_length()
        if width == 0:
            return "0u"
        each = 64 // width
        parts = []
        for k in range(0, len(values), each):
            word = sum(v << width * j for j, v in enumerate(values[k : k + each]))
            place = f"((n) - {k}u)" if k else "(n)"
            shift = place if width == 1 else f"{width}u * {place}"
            parts.append(f"0x{word:x}ull >> ({shift} & 63u)")  # defined for what is no index, too
        chosen = "".join(f"(n) < {(k + 1) * each}u ? {part} : " for k, part in enumerate(parts[:-1])) + parts[-1]
        return self.named(kind, ["n"], f"(unsigned)({chosen}) & {(1 << width) - 1}u", index)

    def named(self, kind: str, parameters: Sequence[str], text: str, call: str | None = None) -> str:
        """A macro for ``text``, and its call with its own parameters or with ``call``."""
        name = self._names.free(f"{self._stem}_{kind}")
        self.helpers[kind, 0] = Macro(name, ", ".join(parameters), f"({text})")
        return f"{name}({call or ', '.join(parameters)})"

    def _division(self, divisor: int, greatest: int) -> Macro:
        old = self.helpers.get(("div", divisor))
        multiplier = multiply_shift(divisor, greatest)
        if multiplier is not None:
            body, note = f"((n) * {multiplier[0]}u >> {multiplier[1]})", f"n / {divisor} for n <= {greatest}"
        else:
            body, note = f"((n) / {divisor}u)", f"n reaches {greatest}: no 32-bit multiply-shift"
        if old is not None and int(old.note.split(" <= ")[-1] if "<=" in old.note else greatest) >= greatest:
            return old
        name = old.name if old is not None else self._names.free(f"{self._stem}_DIV{divisor}")
        self.helpers["div", divisor] = Macro(name, "n", body, note)
        return self.helpers["div", divisor]


def formulas(layout: Layout, stem: str, names: Names) -> Formulas:
    """The macros of ``layout``; names begin with ``stem``."""
    writer = _Writer(stem, names)
    axes = [f"x{k}" for k in range(len(layout.shape))]
    shown = [f"(unsigned)({x})" for x in axes]
    formula = layout.formula(writer, shown)
    parameters = ", ".join(axes)
    inside = " && ".join(f"{x} < {n}u" for x, n in zip(shown, layout.shape, strict=True))
    choices = " : ".join(f"(b) == {b} ? y##{b}" for b in range(layout.banks - 1))
    pick = f"({choices} : y##{layout.banks - 1})" if layout.banks > 1 else "((void)(b), y##0)"
    return Formulas(
        tuple(sorted(writer.helpers.values(), key=lambda m: ("MOD" in m.name, m.name))),
        Macro(names.free(f"{stem}_BANK"), parameters, f"({formula.bank})"),
        tuple(
            Macro(names.free(f"{stem}_WORD{k if len(formula.words) > 1 else ''}"), parameters, f"({word})")
            for k, word in enumerate(formula.words)
        ),
        Macro(names.free(f"{stem}_IN"), parameters, f"({inside})"),
        Macro(names.free(f"{stem}_PICK"), "b, y", pick),
        formula.bank_note,
        formula.word_note,
        formula.source,
    )
