"""Ranges of bits: which values a part of a word comes from, where masks and shifts are constants.

``w.range(31, 0) = x`` makes ``(w & ~mask) | (x & mask)``; who then looks at the upper half does not wait for ``x``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from hlspart.lowering.graph import Carried, Op
from hlspart.model.program import CType, ScalarType
from hlspart.semantics.spans import Span


class BitwiseOp(Struct, frozen=True):
    """A bitwise operation of integers: ``sign`` on ``args``, with a constant on the right where ``constant`` says so.

    ``looks``: the bits of the left operand that it depends on, None where that may be all.
    """

    sign: str
    args: tuple[int, int]
    constant: int | None
    type: ScalarType
    looks: int | None


class Ranges(Struct):
    """The bitwise operations of a loop. ``narrowed``: least width of a signed type that a value is converted to.

    ``masks``: the bits that may be set of values that are none below zero.
    """

    words: dict[int, BitwiseOp] = field(default_factory=dict)
    narrowed: dict[int, int] = field(default_factory=dict)
    masks: dict[int, int] = field(default_factory=dict)

    def note(
        self, made: int, sign: str, args: tuple[int, int], right: int | float | None, types: Sequence[CType]
    ) -> None:
        """An operation; ``types`` of its result and of its left operand, ``right`` that operand if it is a constant."""
        result, left = types
        if not (isinstance(result, ScalarType) and isinstance(left, ScalarType)) or isinstance(right, float):
            return
        if sign in ("<<", ">>") and right is not None and not 0 <= right < result.bits:
            return  # which bits are left is undefined
        if sign in ("&", "|", "^", "<<", ">>") and result.kind == left.kind == "int":
            self.words[made] = BitwiseOp(sign, args, right, result, _looks(sign, right, left.bits))

    def join(self, made: int, ops: dict[int, Op], spans: Mapping[int, Span]) -> None:
        """Let an operation take no time that puts parts of words side by side: `a << 8 | b` of a byte b."""
        word, span = self.words.get(made), spans.get(made)
        if word is None:
            return
        bits = (1 << span[1].bit_length()) - 1 if span is not None and span[0] >= 0 else -1
        left, right = (self._mask(x, spans) for x in word.args)
        if word.sign == "<<" and word.constant is not None and left >= 0:
            bits &= left << word.constant
        elif word.sign in ("|", "^") and min(left, right) >= 0:
            bits &= left | right
        if bits >= 0 and not (word.type.signed and bits >> (word.type.bits - 1)):
            self.masks[made] = bits & ((1 << word.type.bits) - 1)
        if ops[made].kind == "logic" and word.sign in ("|", "^") and min(left, right) >= 0 and not left & right:
            ops[made] = replace(ops[made], kind="wire")

    def _mask(self, value: int, spans: Mapping[int, Span]) -> int:
        span, bits = spans.get(value), self.masks.get(value, -1)
        if bits < 0 and span is not None and span[0] >= 0:
            bits = (1 << span[1].bit_length()) - 1
        top = self.narrowed.get(value, bits.bit_length() + 1)
        return -1 if bits >= 0 and bits >> (top - 1) else bits  # else its sign is copied upwards

    def convert(self, value: int, target: CType) -> None:
        """A value becomes one of another type: the upper bits of a wider one are copies of the sign then."""
        if isinstance(target, ScalarType) and target.signed:
            self.narrowed[value] = min(target.bits, self.narrowed.get(value, target.bits))

    def split(self, ops: dict[int, Op], spans: Mapping[int, Span]) -> None:
        """Let operations that look at some bits of a word wait for what makes these."""
        for ident, word in self.words.items():
            if word.looks is not None:
                source = self._source(word.args[0], word.looks, spans)
                if source != word.args[0]:
                    ops[ident] = replace(ops[ident], args=(word.args[1] if source is None else source, word.args[1]))

    def sliced(self, carried: Sequence[Carried], spans: Mapping[int, Span]) -> Iterator[tuple[int, int]]:
        """Carried values with operations of the next iteration that look at other bits than these values make."""
        back = {x.phi: x.value for x in carried}
        for ident, word in self.words.items():
            value = back.get(word.args[0])
            if word.looks is not None and value is not None and self._source(value, word.looks, spans) != value:
                yield value, ident

    def _source(self, value: int, mask: int, spans: Mapping[int, Span]) -> int | None:
        """What makes the bits ``mask`` of a value, masks and other parts left out; None: they are 0."""
        while (word := self.words.get(value)) is not None and not mask >> self.narrowed.get(value, mask.bit_length()):
            if word.type.signed and mask >> word.type.bits:
                break
            mask &= (1 << word.type.bits) - 1
            if word.sign == "&" and word.constant is not None and not mask & ~word.constant:
                value = word.args[0]
            elif word.sign in ("|", "^"):
                parts = [x for x in word.args if self._possible(x, spans) & mask]
                if len(parts) > 1:
                    break
                if not parts:
                    return None
                value = parts[0]
            else:
                break
        return value if self._possible(value, spans) & mask else None

    def _possible(self, value: int, spans: Mapping[int, Span]) -> int:
        """The bits of a value that may be set, as a number without end."""
        span, word = spans.get(value), self.words.get(value)
        bits = -1
        if span is not None and span[0] >= 0:
            bits = (1 << span[1].bit_length()) - 1
        elif word is not None and word.sign == "&" and word.constant is not None and word.constant >= 0:
            bits = word.constant
        elif word is not None and word.sign == "<<" and word.constant is not None:
            bits = self._possible(word.args[0], spans) << word.constant
            bits &= -1 if word.type.signed else (1 << word.type.bits) - 1
        elif word is not None and word.sign in ("|", "^"):
            bits = self._possible(word.args[0], spans) | self._possible(word.args[1], spans)
        signed = word is not None and word.type.signed
        top = min(
            self.narrowed.get(value, bits.bit_length() + 1), word.type.bits if signed and word is not None else 1 << 20
        )
        return -1 if bits >= 0 and bits >> (top - 1) else bits  # else its sign is copied upwards


def _looks(sign: str, constant: int | None, width: int) -> int | None:
    every = (1 << width) - 1
    if sign == "&" and constant is not None and constant >= 0:
        return constant & every if constant <= every else None
    if sign == ">>" and constant is not None and 0 <= constant < width:
        return every >> constant << constant
    return None
