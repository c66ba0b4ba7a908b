"""Bank and word of an element as C text, without ``/`` or ``%`` on hardware's critical path.

A division by a constant that is no power of two is a multiplication and a shift, exact on the
range it is used on (Granlund and Montgomery, PLDI 1994); a power of two is bit selection.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hlspart.layouts.blockcyclic import BlockCyclicLayout
from hlspart.layouts.lattice import LatticeLayout
from hlspart.layouts.perdim import DimLayout, PerDimLayout
from hlspart.layouts.table import TableLayout
from hlspart.rewrite.names import Names


@dataclass(frozen=True, slots=True)
class Macro:
    """``#define name(parameters) body`` with a note for readers."""

    name: str
    parameters: str
    body: str
    note: str = ""

    @property
    def text(self) -> str:
        """The whole line."""
        return f"#define {self.name}({self.parameters}) {self.body}" + (f" /* {self.note} */" if self.note else "")


@dataclass(frozen=True, slots=True)
class Formulas:
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
            parts.append(f"0x{word:x}ull >> {place if width == 1 else f'{width}u * {place}'}")
        chosen = "".join(f"(n) < {(k + 1) * each}u ? {part} : " for k, part in enumerate(parts[:-1])) + parts[-1]
        return self.named(kind, ["n"], f"(unsigned)({chosen}) & {(1 << width) - 1}u", index)

    def named(self, kind: str, parameters: Sequence[str], text: str, call: str | None = None) -> str:
        """A macro for ``text``, and its call with its own parameters or with ``call``."""
        name = self._names.free(f"{self._stem}_{kind}")
        self.helpers[kind, 0] = Macro(name, ", ".join(parameters), f"({text})")
        return f"{name}({call or ', '.join(parameters)})"

    def _division(self, divisor: int, greatest: int) -> Macro:
        old = self.helpers.get(("div", divisor))
        found = multiply_shift(divisor, greatest)
        if found is not None:
            body, note = f"((n) * {found[0]}u >> {found[1]})", f"n / {divisor} for n <= {greatest}"
        else:
            body, note = f"((n) / {divisor}u)", f"n reaches {greatest}: no 32-bit multiply-shift"
        if old is not None and int(old.note.split(" <= ")[-1] if "<=" in old.note else greatest) >= greatest:
            return old
        name = old.name if old is not None else self._names.free(f"{self._stem}_DIV{divisor}")
        self.helpers["div", divisor] = Macro(name, "n", body, note)
        return self.helpers["div", divisor]


def formulas(
    layout: PerDimLayout | LatticeLayout | BlockCyclicLayout | TableLayout, stem: str, names: Names
) -> Formulas:
    """The macros of ``layout``; names begin with ``stem``."""
    writer = _Writer(stem, names)
    axes = [f"x{k}" for k in range(len(layout.shape))]
    shown = [f"(unsigned)({x})" for x in axes]
    match layout:
        case PerDimLayout():
            bank, words, notes = _perdim(layout, writer, shown)
            source = "partition per dimension, UG1399"
        case LatticeLayout():
            bank, words, notes = _lattice(layout, writer, shown)
            source = "lattice banking, cf. Cilardo and Gallo, ACM TACO 2015"
        case BlockCyclicLayout():
            bank, words, notes = _blockcyclic(layout, writer, shown)
            source = "block-cyclic banking, cf. Wang et al., ASP-DAC 2013"
        case TableLayout():
            bank, words, notes = _table(layout, writer, shown)
            source = "banks of classes modulo a lattice, found by search"
    parameters = ", ".join(axes)
    inside = " && ".join(f"{x} < {n}u" for x, n in zip(shown, layout.shape, strict=True))
    choices = " : ".join(f"(b) == {b} ? y##{b}" for b in range(layout.banks - 1))
    pick = f"({choices} : y##{layout.banks - 1})" if layout.banks > 1 else "((void)(b), y##0)"
    return Formulas(
        tuple(sorted(writer.helpers.values(), key=lambda m: ("MOD" in m.name, m.name))),
        Macro(names.free(f"{stem}_BANK"), parameters, f"({bank})"),
        tuple(
            Macro(names.free(f"{stem}_WORD{k if len(words) > 1 else ''}"), parameters, f"({word})")
            for k, word in enumerate(words)
        ),
        Macro(names.free(f"{stem}_IN"), parameters, f"({inside})"),
        Macro(names.free(f"{stem}_PICK"), "b, y", pick),
        *notes,
        source,
    )


def _dot(alpha: Sequence[int], terms: Sequence[str]) -> str:
    return " + ".join(t if a == 1 else f"{a}u * {t}" for a, t in zip(alpha, terms, strict=True) if a) or "0u"


def _note(alpha: Sequence[int]) -> str:
    return " + ".join(f"x{k}" if a == 1 else f"{a}*x{k}" for k, a in enumerate(alpha) if a) or "0"


def _reach(alpha: Sequence[int], shape: Sequence[int]) -> int:
    return sum(a * (n - 1) for a, n in zip(alpha, shape, strict=True))


def _lattice(layout: LatticeLayout, writer: _Writer, shown: list[str]) -> tuple[str, list[str], tuple[str, str]]:
    bank, notes = "", []
    for alpha, modulus in zip(layout.alphas, layout.moduli, strict=True):
        part = writer.mod(_dot(alpha, shown), modulus, _reach(alpha, layout.shape))
        bank = f"{modulus}u * ({bank}) + ({part})" if bank else part
        notes.append(f"({_note(alpha)}) mod {modulus}")
    word, note = _boxes(layout, writer, shown)
    return bank or "0u", [word], (" and ".join(notes) or "0", note)


def _boxes(layout: LatticeLayout, writer: _Writer, shown: list[str]) -> tuple[str, str]:
    """Row-major number of the box of the Hermite form's diagonal."""
    word, note = "", ""
    axes = [f"x{k}" for k in range(len(shown))]
    for k, (h, count, x, n) in enumerate(zip(layout.cell, layout.boxes, shown, layout.shape, strict=True)):
        if count == 1:
            continue
        part = writer.div(x, h, n - 1)
        part = f"({part})" if ">>" in part else part
        told = f"x{k}" if h == 1 else f"x{k}/{h}"
        word = f"{count}u * {word if word in shown else f'({word})'} + {part}" if word else part
        note = f"{count}*{note if note in axes else f'({note})'} + {told}" if note else told
    return word or "0u", note or "0"


def _blockcyclic(
    layout: BlockCyclicLayout, writer: _Writer, shown: list[str]
) -> tuple[str, list[str], tuple[str, str]]:
    form, reach = _dot(layout.alpha, shown), _reach(layout.alpha, layout.shape)
    bank = writer.mod(writer.div(form, layout.block, reach), layout.modulus, reach // layout.block)
    word, note = _boxes(layout.lattice, writer, shown)
    within = writer.mod(form, layout.block, reach)
    text = _note(layout.alpha)
    return (
        bank,
        [f"{layout.block}u * ({word}) + ({within})"],
        (f"(({text}) / {layout.block}) mod {layout.modulus}", f"{layout.block}*({note}) + ({text}) mod {layout.block}"),
    )


def _table(layout: TableLayout, writer: _Writer, shown: list[str]) -> tuple[str, list[str], tuple[str, str]]:
    text, (box,), (class_note, box_note) = _lattice(layout.classes, writer, shown)
    index = writer.named("CLASS", [f"x{k}" for k in range(len(shown))], text)
    bank = writer.look_up(layout.table, index, "TABLE")
    rank = writer.look_up(layout.ranks, index, "RANK")
    seen = f"{layout.words}*({{{', '.join(map(str, layout.ranks))}}}[class])"
    return (
        bank,
        [f"{layout.words}u * {rank} + {box}"],
        (f"{{{', '.join(map(str, layout.table))}}}[class], class {class_note}", f"{seen} + {box_note}"),
    )


def _perdim(layout: PerDimLayout, writer: _Writer, shown: list[str]) -> tuple[str, list[str], tuple[str, str]]:
    bank, words, notes, word_notes = "", [], [], []
    for k, (dim, x) in enumerate(zip(layout.dims, shown, strict=True)):
        if dim.kind != "whole":
            part, note = _dim_bank(dim, writer, x, f"x{k}")
            bank = f"{dim.banks}u * ({bank}) + ({part})" if bank else part
            notes.append(note)
        if dim.kind != "complete":
            word, note = _dim_word(dim, writer, x, f"x{k}")
            words.append(word)
            word_notes.append(f"[{note}]")
    return bank or "0u", words or ["0u"], (", ".join(notes) or "0", "".join(word_notes) or "[0]")


def _dim_bank(dim: DimLayout, writer: _Writer, x: str, told: str) -> tuple[str, str]:
    match dim.kind:
        case "cyclic":
            return writer.mod(x, dim.banks, dim.extent - 1), f"{told} mod {dim.banks}"
        case "block":
            return writer.div(x, dim.block, dim.extent - 1), f"{told} / {dim.block}"
        case _:
            return x, told


def _dim_word(dim: DimLayout, writer: _Writer, x: str, told: str) -> tuple[str, str]:
    match dim.kind:
        case "cyclic":
            return writer.div(x, dim.banks, dim.extent - 1), f"{told} / {dim.banks}"
        case "block":
            return writer.mod(x, dim.block, dim.extent - 1), f"{told} mod {dim.block}"
        case _:
            return x, told
