"""Reductions: every element adds to a partial of its own; the partials are combined once behind the loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec.structs import replace

from hlspart.expand.context import ExpansionContext
from hlspart.expand.region import Refusal, Region
from hlspart.expand.texts import Texts, names_in, type_text
from hlspart.model.expanding import Form, Reduction, Request
from hlspart.model.program import ArrayRef, Program, ScalarType
from hlspart.rewrite.names import Names


class RegionWriter(Protocol):
    """What partial results ask of the writer of a region."""

    program: Program
    names: Names
    texts: Texts
    region: Region
    request: Request
    pes: tuple[int, ...]
    form: Form

    def count(self, position: int) -> str:
        """Name of the constant with the number of elements of an expanded loop."""

    def element(self, position: int) -> str:
        """Name of the iterator over the elements of an expanded loop."""

    def widest(self, variable: int) -> int:
        """Bits of the widest integer that the region combines with a variable."""

    def around(self, bodies: list[str], ctx: ExpansionContext, used: set[int]) -> list[str]:
        """Loops over the elements around lines."""


#: What every partial starts from; the others start from the variable's own value, which does them no harm.
_IDENTITY = {"+": "0", "*": "1", "^": "0"}
#: So many partials are combined by name; more are combined by a loop.
_MOST_NAMED = 64


class Partials:
    """The partials of one reduction around the loop that they are for."""

    def __init__(self, emitter: RegionWriter, reduction: Reduction, ctx: ExpansionContext) -> None:
        self.emitter, self.reduction, self.ctx = emitter, reduction, ctx
        self.variable = emitter.program.variable(reduction.variable)
        self.name = emitter.names.free(f"{reduction.name}_part")
        self.owners = [a.count for a in ctx.axes]
        self.counts = [emitter.count(k) for k in reduction.loops]
        self.sizes = [emitter.pes[k] for k in reduction.loops]
        self.deep = emitter.form.interleave if self._interleaved() else 1
        self.index = [emitter.names.free(f"{reduction.name}_i{k}") for k in range(len(self.variable.dims))]

    def _interleaved(self) -> bool:
        return not self.reduction.whole and self._element().kind in ("float", "fixed")

    def _element(self) -> ScalarType:
        kind = (
            self.variable.type
            if isinstance(self.variable.type, ScalarType)
            else getattr(self.variable.type, "element", None)
        )
        if not isinstance(kind, ScalarType):
            raise Refusal("dependence", f"{self.reduction.name} is no array of numbers", self.variable.at)
        return kind

    @property
    def type(self) -> str:
        """Type of a partial: unsigned where sums of some of the values might overflow although the whole does not."""
        kind = self._element()
        if kind.kind == "int" and kind.signed and self.reduction.op in ("+", "*") and "<" not in kind.name:
            return "unsigned long long" if kind.bits > 32 or self._is_wide() else "unsigned"
        if kind.kind == "int" and not kind.signed and kind.bits <= 32 and self._is_wide() and "<" not in kind.name:
            return "unsigned long long"
        return type_text(self.emitter.program, self.reduction.variable)

    def _is_wide(self) -> bool:
        """Whether a value of more than 32 bits is added."""
        return self.emitter.widest(self.reduction.variable) > 32

    # ------------------------------------------------------------------------------ in the loop

    def context(self, ctx: ExpansionContext) -> ExpansionContext:
        """What the variable is called inside."""
        own = "".join(f"[{a.element}]" for a in self.ctx.axes) if not self.reduction.whole else ""
        own += "".join(f"[{self.emitter.element(k)}]" for k in self.reduction.loops)
        if self.deep > 1:
            own += f"[{self.deep - 1}]"
        if self.reduction.whole or not self.variable.dims:
            return replace(ctx, names={**ctx.names, self.reduction.variable: self.name + own})
        return replace(ctx, whole={**ctx.whole, self.reduction.variable: self.name + own})

    @staticmethod
    def rotation(partial: str, emitter: RegionWriter, reduction: Reduction) -> list[str]:
        """Statements that move the partial that was just added to behind the others."""
        deep = emitter.form.interleave
        base = partial.rsplit("[", 1)[0]
        if not partial.endswith(f"[{deep - 1}]"):
            return []
        kind = type_text(emitter.program, reduction.variable)
        name = emitter.names.free(f"{reduction.name}_sum")
        return [f"const {kind} {name} = {partial};", *rotation(base, deep, name)]

    # ---------------------------------------------------------------------------- around it

    def before(self) -> list[str]:
        """Declaration and first values."""
        pad = self.ctx.indent
        shape = [*([] if self.reduction.whole else self.owners), *self.counts]
        extents = "".join(f"[{c}]" for c in shape) + (f"[{self.deep}]" if self.deep > 1 else "")
        own = "".join(f"[{d}]" for d in self.variable.dims) if self.reduction.whole else ""
        lines = [f"{pad}{self.type} {self.name}{extents}{own};"]
        complete = len(shape) + (self.deep > 1)
        lines += [
            f"#pragma HLS ARRAY_PARTITION variable={self.name} type=complete dim={k + 1}" for k in range(complete)
        ]
        if self.reduction.whole:
            return lines + self._over_elements(self._set())
        return lines + self._over_owners(self._set())

    @property
    def identity(self) -> str | None:
        """What a partial starts from where that is a constant."""
        return _IDENTITY.get(self.reduction.op)

    @property
    def first(self) -> str:
        """What a partial starts from."""
        return self.identity or self.target()

    def _set(self) -> list[str]:
        """Set all partials (of one element) to what they start from."""
        value = self.first
        names = [
            self.emitter.names.free(f"{self.reduction.name}_q{k}") for k in range(len(self.counts) + (self.deep > 1))
        ]
        sizes = [*self.counts, *([str(self.deep)] if self.deep > 1 else [])]
        lines: list[str] = []
        for k, (name, size) in enumerate(zip(names, sizes, strict=True)):
            lines += [f"{'    ' * k}for (int {name} = 0; {name} < {size}; {name}++) {{", "#pragma HLS UNROLL"]
        lines.append(f"{'    ' * len(names)}{self._partial([*names])} = {value};")
        return lines + [f"{'    ' * k}}}" for k in reversed(range(len(names)))]

    def _partial(self, which: Sequence[str]) -> str:
        own = "" if self.reduction.whole else "".join(f"[{a.element}]" for a in self.ctx.axes)
        element = "".join(f"[{i}]" for i in self.index) if self.reduction.whole else ""
        return self.name + own + "".join(f"[{w}]" for w in which) + element

    def target(self) -> str:
        """The variable itself, as it is called outside of the loop."""
        ident = self.reduction.variable
        if self.reduction.whole:
            return self.ctx.names.get(ident, self.variable.name) + "".join(f"[{i}]" for i in self.index)
        if ident in self.ctx.whole:
            return self.ctx.whole[ident]
        if not self.variable.dims and self.variable.as_array is None:
            return self.ctx.names.get(ident, self.variable.name)
        use = self._use()
        return self.emitter.texts.text(use.at.span, self.ctx.names, {})

    def _use(self) -> ArrayRef:
        span = self.emitter.region.loops[0].body.at.span
        for use in self.emitter.texts.within(span, self.reduction.variable):
            if isinstance(use, ArrayRef) and use.at.kind == "plain" and not self.emitter.texts.reads_another(use):
                return use
        raise Refusal("condition", f"macros name {self.reduction.name}", self.variable.at)

    def behind(self) -> list[str]:
        """The variable takes what the partials hold."""
        which: list[list[str]] = [[]]
        for size in [*self.sizes, *([self.deep] if self.deep > 1 else [])]:
            which = [[*w, str(k)] for w in which for k in range(size)]
        body = self.taken([self._partial(w) for w in which], self.target())
        return self._over_elements(body) if self.reduction.whole else self._over_owners(body)

    def taken(self, partials: list[str], target: str) -> list[str]:
        """Statements by which ``target`` takes what ``partials`` hold."""
        lines, total = self._combined(partials)
        if self.identity is not None:
            kind = self._element()
            value = f"{target} {self.reduction.op} {total}"
            if kind.kind == "int" and "<" not in kind.name:
                value = f"({type_text(self.emitter.program, self.reduction.variable)})({value})"
        else:
            value = total
        return [*lines, f"{target} = {value};"]

    def _combined(self, partials: list[str]) -> tuple[list[str], str]:
        """Statements and the expression of all partials together."""
        kind, op = self.type, self.reduction.op
        if len(partials) > _MOST_NAMED:
            raise Refusal("capacity", f"{len(partials)} partials of {self.reduction.name}", self.variable.at)
        lines: list[str] = []
        if self.emitter.request.reduce == "tree":
            while len(partials) > 1:
                level = []
                for one, other in zip(partials[::2], partials[1::2], strict=False):
                    name = self.emitter.names.free(f"{self.reduction.name}_s")
                    lines.append(f"const {kind} {name} = {_joined(op, one, other)};")
                    level.append(name)
                partials = level + (partials[-1:] if len(partials) % 2 else [])
            return lines, partials[0]
        total = partials[0]
        for other in partials[1:]:
            name = self.emitter.names.free(f"{self.reduction.name}_s")
            lines.append(f"const {kind} {name} = {_joined(op, total, other)};")
            total = name
        return lines, total

    # ---------------------------------------------------------------------------------- loops

    def _over_owners(self, body: list[str]) -> list[str]:
        """Statements for each element of the loops around."""
        if not self.ctx.axes:
            return [line if line.startswith("#") else self.ctx.indent + line for line in body]
        pad = self.ctx.indent + "    " * (len(self.ctx.axes) + bool(self.ctx.guards))
        used = {i for _, named in self.ctx.guards for i in named}
        if self.variable.dims or self.variable.as_array is not None:
            used |= {v for index in self._use().indices for v in names_in(index)}
        return self.emitter.around([line if line.startswith("#") else pad + line for line in body], self.ctx, used)

    def _over_elements(self, body: list[str]) -> list[str]:
        """Statements for each element of the array."""
        lines, pad = [], self.ctx.indent
        for k, (name, size) in enumerate(zip(self.index, self.variable.dims, strict=True)):
            lines.append(f"{pad}{'    ' * k}for (int {name} = 0; {name} < {size}; {name}++) {{")
        inner = pad + "    " * len(self.index)
        lines += [line if line.startswith("#") else inner + line for line in body]
        return lines + [f"{pad}{'    ' * k}}}" for k in reversed(range(len(self.index)))]


def rotation(base: str, deep: int, newest: str) -> list[str]:
    """Statements that move ``deep`` partials by one place, the last one out, and put ``newest`` in front."""
    return [f"{base}[{k}] = {base}[{k - 1}];" for k in reversed(range(1, deep))] + [f"{base}[0] = {newest};"]


def joined(op: str, terms: Sequence[str]) -> str:
    """The sum or product of all terms as a tree, of which no path is longer than it has to be; the first is last."""
    level = list(terms[::-1])
    while len(level) > 2:
        pairs = [f"({f' {op} '.join(level[k : k + 2])})" for k in range(0, len(level) - 1, 2)]
        level = pairs + level[len(level) - len(level) % 2 :]
    return f" {op} ".join(level[::-1])


def _joined(op: str, one: str, other: str) -> str:
    if op in ("min", "max"):
        return f"{one} {'<' if op == 'min' else '>'} {other} ? {one} : {other}"
    return f"{one} {op} {other}"
