"""The function that works on one tile of every element."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from hlspart.expand.counters import constant
from hlspart.expand.region import Refusal
from hlspart.expand.texts import type_text, unevaluated
from hlspart.explore.box import tested
from hlspart.explore.frame import PAD, RegionFrame, counting
from hlspart.model.exploring import Operand
from hlspart.model.program import (
    ArrayRef,
    Binary,
    Conditional,
    Declare,
    Expr,
    ExprStmt,
    Loop,
    Name,
    PragmaMark,
    ScalarType,
    Stmt,
    Variable,
    walk,
    walk_statements,
)
from hlspart.model.source import Span
from hlspart.semantics.effects import statement_expressions
from hlspart.semantics.folding import is_float


class Compute:
    """The compute function of a region."""

    def __init__(self, frame: RegionFrame) -> None:
        self.frame = frame
        self.used: list[int] = []  # loops whose step the function must know; once it is written
        self.scalars: list[Variable] = []  # what is handed to it; once it is written
        self.ahead: dict[
            str, str
        ] = {}  # values that are loaded ahead of the elements' tests, by the word of the buffer

    def function(self, name: str) -> list[str]:
        """The function that works on one tile of every element."""
        lines: list[str] = []
        parts = [o for o in self.frame.nest.operands if self._parts(o)]
        for o in parts:
            lines += self._part_declared(o)
        loops = [k for k in range(len(self.frame.nest.loops)) if self.frame.slices[k] > 1]
        carried = [k for k in loops if k in self.frame.nest.reductions]
        inner = [*carried, *(k for k in loops if k not in carried)]
        lines += self._tile_loops(inner, self._iteration(1 + len(inner), frozenset(o.name for o in parts)))
        for o in parts:
            lines += self._joined(o)
        text = "\n".join(lines)
        self.used = [k for k in self.frame.timed if re.search(rf"\b{self.frame.t[k]}\b", text)]
        self.scalars = [v for v in self.frame.w.scalars if re.search(rf"\b{v.name}\b", text)]
        given = [f"{type_text(self.frame.program, v.id)} {v.name}" for v in self.scalars]
        given += dict.fromkeys(self.frame.parameter(o) for o in self.frame.nest.operands)
        given += self.frame.counts(self.used)
        head = [f"static void {name}({', '.join(given)}) {{", "#pragma HLS INLINE off"]
        return [*head, *self.frame.counted(self.used), *lines, "}"]

    def _tile_loops(self, loops: Sequence[int], body: list[str]) -> list[str]:
        lines, depth = [], 1
        for k in loops:
            lines.append(PAD * depth + counting(self.frame.x[k], self.frame.slices[k]))
            depth += 1
        if loops:
            lines.append("#pragma HLS PIPELINE II=1")
        return [*lines, *body, *(PAD * d + "}" for d in range(depth - 1, 0, -1))]

    def _iteration(self, depth: int, parts: frozenset[str]) -> list[str]:
        lines = self._loaded_ahead(depth, parts)
        for k in self.frame.spread:
            lines += [PAD * depth + counting(self.frame.p[k], self.frame.vector.shard[k]), "#pragma HLS UNROLL"]
            depth += 1
        tests = [t for k in range(len(self.frame.nest.loops)) for t in self.frame.real(k, self.frame.x[k])]
        closing = depth
        if tests:
            lines.append(f"{PAD * depth}if ({' && '.join(tests)}) {{")
            depth += 1
        lines += self._iterators(depth)
        lines += self._statements(depth, parts)
        if tests:
            lines.append(PAD * closing + "}")
        return [*lines, *(PAD * d + "}" for d in range(closing - 1, closing - 1 - len(self.frame.spread), -1))]

    def _loaded_ahead(self, depth: int, parts: frozenset[str]) -> list[str]:
        """Loads of words that elements share although not each of them has an iteration.

        Behind tests that differ, each element would have a load of its own.
        """
        lines = []
        for ref, operand in self._plain_reads(parts):
            own = self.frame.spread_of(operand)
            others = [k for k in self.frame.spread if k not in own]
            word = self._element(ref, operand, parts)
            differ = any(self._is_of_element(k) for k in others) or (others and self._exists(len(self.frame.w.loops)))
            if word in self.ahead or not differ:
                continue
            name = self.frame.names.free(f"{operand.name}_v")
            self.ahead[word] = value = name + "".join(f"[{self.frame.p[k]}]" for k in own)
            sizes = "".join(f"[{self.frame.vector.shard[k]}]" for k in own)
            lines.append(f"{PAD * depth}{self.frame.type(operand)} {name}{sizes};")
            lines += [f"#pragma HLS ARRAY_PARTITION variable={name} type=complete dim=0"] if own else []
            for level, k in enumerate(own):
                lines += [PAD * (depth + level) + counting(self.frame.p[k], self.frame.vector.shard[k])]
                lines += ["#pragma HLS UNROLL"]
            tests = [t for k in sorted(operand.loops) for t in self.frame.real(k, self.frame.x[k])]
            if tests and isinstance(self.frame.element(operand), ScalarType):
                load = f"{value} = {' && '.join(tests)} ? {word} : 0;"  # one value, on which elements may share work
            else:
                load = f"if ({' && '.join(tests)}) {value} = {word};" if tests else f"{value} = {word};"
            lines.append(PAD * (depth + len(own)) + load)
            lines += [PAD * (depth + level) + "}" for level in reversed(range(len(own)))]
        return lines

    def _is_of_element(self, k: int) -> bool:
        """Whether elements along a loop in space have an iteration or not."""
        return any(re.search(rf"\b{self.frame.p[k]}\b", t) for t in self.frame.real(k, self.frame.x[k]))

    def _plain_reads(self, parts: frozenset[str]) -> Iterator[tuple[ArrayRef, Operand]]:
        """Elements that every iteration reads and none writes."""
        for stmt in self.frame.w.body.body:
            nodes = [e for root in statement_expressions(self.frame.program, stmt) for e in walk(root)]
            branches = any(
                isinstance(e, Conditional) or (isinstance(e, Binary) and e.op in ("&&", "||")) for e in nodes
            )
            if not isinstance(stmt, ExprStmt) or branches:
                continue
            for ref in (e for e in nodes if isinstance(e, ArrayRef)):
                operand = self._operand(ref)
                if operand is None or operand.in_place or operand.written or operand.name in parts:
                    continue
                if any(self.frame.w.windows[self.frame.nest.operands.index(operand)].still):
                    continue
                if all(name in self.frame.w.counters for form in self.frame.w.forms[ref.id] for name, _ in form.terms):
                    yield ref, operand

    def _is_named(self, variable: int) -> bool:
        """Whether the text of an iteration names a variable outside of what is replaced, its own tests included."""
        kept = [s for _, s, _ in self.frame.w.kept]
        refs = (u for uses in self.frame.texts.uses.values() for u in uses if isinstance(u, ArrayRef))
        hidden = [at for ref in refs for at in self._replaced(ref)]
        hidden += [s.at.span for s in self.frame.w.pointers]
        for ref in self.frame.w.stands_for.values():
            operand = self._operand(ref)
            if operand is not None and operand.in_place and self.frame.texts.mentions(ref.at.span, variable):
                return True
        for of, loop in zip(self.frame.w.boxes, self.frame.w.loops, strict=True):
            counter = self.frame.counter(loop)
            if of.varies and counter is not None and counter.id == variable:
                return True
            based = of.base is not None and variable in of.base.variables
            if based and counter is not None and self._is_named(counter.id):
                return True
        if variable in tested(self.frame.w.boxes):
            return True
        for stmt in (*kept, self.frame.w.body):
            for use in self.frame.texts.within(stmt.at.span, variable):
                at = use.at.span
                if not any(h.path == at.path and h.start <= at.start and at.end <= h.end for h in hidden):
                    return True
            if self.frame.program.variable(variable).name in unevaluated(self.frame.program.text(stmt.at)):
                return True
        return False

    def _replaced(self, ref: ArrayRef) -> list[Span]:
        """What of an element's text is not there in an iteration: all but indices along which the window lies still."""
        operand, number = self._operand(ref), self.frame.w.owner.get(ref.id)
        if operand is None or number is None or operand.in_place:
            return []
        still = self.frame.w.windows[number].still
        return [b.span for b, s in zip(ref.brackets, still, strict=True) if not s] if any(still) else [ref.at.span]

    def _iterators(self, depth: int) -> list[str]:
        lines = []
        for k, loop in enumerate(self.frame.w.loops):
            variable = self.frame.counter(loop)
            if variable is None or not self._is_named(variable.id):
                continue
            of, place = self.frame.w.boxes[k], self.frame.position(k, self.frame.x[k])
            stride, start = of.stride, of.start
            text = place if stride == 1 else f"({place})" if stride == -1 else f"{abs(stride)} * ({place})"
            text = f"{start or ''} - {text}".strip() if stride < 0 else f"{start} + {text}" if start else text
            text = f"{of.base.text} {'' if text[0] == '-' else '+ '}{text}" if of.base is not None else text
            kind = constant(self.frame.texts, variable.name) + type_text(self.frame.program, variable.id)
            lines.append(f"{PAD * depth}{kind} {variable.name} = {text};")
        own = [v for v, number in self.frame.w.private.items() if number is None]
        for stmt in walk_statements(self.frame.w.body):
            if isinstance(stmt, Loop) and not isinstance(stmt.init, Declare):
                inner = self.frame.counter(stmt)
                own += [] if inner is None else [inner.id]
        for v in dict.fromkeys(own):
            name = self.frame.program.variable(v).name
            lines.append(f"{PAD * depth}{type_text(self.frame.program, v)} {name};")
        return lines

    def _statements(self, depth: int, parts: frozenset[str]) -> list[str]:
        lines = []
        last = len(self.frame.w.loops) - 1
        for when in ("every", "first"):
            for level, stmt, at in self.frame.w.kept:
                if at == when:
                    lines += self._guarded(level, last, stmt, when, depth)
        tests = self._exists(last)
        lines += [f"{PAD * depth}if ({' && '.join(tests)}) {{"] if tests else []
        for stmt in self.frame.w.body.body:
            if not isinstance(stmt, PragmaMark) and stmt not in self.frame.w.pointers:
                lines.append(PAD * (depth + bool(tests)) + self._text(stmt, parts))
        lines += [PAD * depth + "}"] if tests else []
        for level, stmt, at in sorted(self.frame.w.kept, key=lambda e: -e[0]):
            if at == "last":
                lines += self._guarded(level, last, stmt, at, depth)
        return lines

    def _exists(self, level: int) -> list[str]:
        """Tests that the loops down to a level have the values at hand in an iteration."""
        tests = []
        for of, loop in zip(self.frame.w.boxes[: level + 1], self.frame.w.loops, strict=False):
            counter = self.frame.counter(loop)
            if of.first is not None and counter is not None:
                tests.append(f"{counter.name} >= ({self.frame.texts.edited(of.first.at.span, {})})")
            tests += [self.frame.texts.edited(test.at.span, {}) for test in of.test]
        return tests

    def _guarded(self, level: int, last: int, stmt: Stmt, when: str, depth: int) -> list[str]:
        text = self._text(stmt, frozenset())
        elements: list[str] = []
        places = self._exists(level) if when != "every" else []
        for k in range(level + 1, last + 1) if when != "every" else ():
            element, place = self.frame.at(k, 0 if when == "first" else self.frame.nest.extents[k] - 1)
            elements += element
            places += place
        # those of the elements alone: what they rule out is not built
        heads = [f"if ({' && '.join(tests)})" for tests in (elements, places) if tests]
        return [f"{PAD * depth}{' '.join(heads)} {{ {text} }}" if heads else PAD * depth + text]

    def _text(self, stmt: Stmt, parts: frozenset[str]) -> str:
        """A statement over the buffers."""
        if not stmt.at.editable:
            raise Refusal("macro", "a macro makes a statement of the nest", stmt.at)
        edits: dict[Span, str] = {}
        for root in statement_expressions(self.frame.program, stmt):
            edits |= self._edits(root, parts)
        for pointer in (s for s in walk_statements(stmt) if s in self.frame.w.pointers):
            edits = {at: text for at, text in edits.items() if not pointer.at.span.holds(at)}
            edits[pointer.at.span] = ";"
        if isinstance(stmt, Declare) and any(self._place(v, parts) is not None for v in stmt.variables):
            return " ".join(self._first_value(stmt, v, parts, edits) for v in stmt.variables)
        text = self.frame.texts.edited(stmt.at.span, edits)
        return text if not isinstance(stmt, Declare) or text.rstrip().endswith(";") else text + ";"

    def _first_value(self, stmt: Declare, ident: int, parts: frozenset[str], edits: dict[Span, str]) -> str:
        """What gives a declared scalar its value where it lies in a buffer."""
        variable, place = self.frame.program.variable(ident), self._place(ident, parts)
        init = variable.declarations[0].initialiser
        if place is None or init is None or not init.editable:
            raise Refusal("scalar", f"the first value of {variable.name} cannot be moved", stmt.at)
        inside = {s: t for s, t in edits.items() if init.span.start <= s.start and s.end <= init.span.end}
        return f"{place} = {self.frame.texts.edited(init.span, inside)};"

    def _edits(self, root: Expr, parts: frozenset[str]) -> dict[Span, str]:
        """What replaces elements of buffers in an expression."""
        edits: dict[Span, str] = {}
        inside: set[int] = set()  # references in indices that are replaced with the element
        for e in walk(root):
            if isinstance(e, ArrayRef) and (operand := self._operand(e)) is not None and e.id not in inside:
                if operand.in_place:
                    continue
                word = self._element(e, operand, parts)
                edits[self._editable(e.at)] = self.ahead.get(word, word)
                inside |= {r.id for index in e.indices for r in walk(index) if isinstance(r, ArrayRef)}
            elif isinstance(e, Name) and (place := self._place(e.variable, parts)) is not None:
                edits[self._editable(e.at)] = place
        return edits

    def _place(self, variable: int, parts: frozenset[str]) -> str | None:
        """The word of a buffer that holds a scalar; None: it has a name of its own."""
        ref, number = self.frame.w.stands_for.get(variable), self.frame.w.private.get(variable)
        if ref is not None and (operand := self._operand(ref)) is not None:
            return self._element(ref, operand, parts)
        if number is None:
            return None
        private = self.frame.nest.operands[number]
        own = "".join(f"[{self.frame.p[k]}]" for k in self.frame.spread_of(private))
        inside = [[k for k, _ in d.terms if self.frame.slices[k] > 1] for d in private.dims]
        words = (self.frame.x[loops[0]] if loops else "0" for loops in inside)
        return self.frame.buffer(private) + own + "".join(f"[{w}]" for w in words)

    def _editable(self, at: object) -> Span:
        kind, span = getattr(at, "kind", ""), getattr(at, "span", None)
        if kind not in ("plain", "argument") or not isinstance(span, Span):
            raise Refusal("macro", "a macro's body names an array of the nest", self.frame.w.loops[0].at)
        return span

    def _operand(self, ref: ArrayRef) -> Operand | None:
        number = self.frame.w.owner.get(ref.id)
        return None if number is None else self.frame.nest.operands[number]

    def _element(self, ref: ArrayRef, operand: Operand, parts: frozenset[str]) -> str:
        """The word of a buffer that holds an element."""
        if operand.in_place:
            return self.frame.texts.edited(self._editable(ref.at), {})
        number = self.frame.nest.operands.index(operand)
        forms = self.frame.w.forms[ref.id]
        index = []
        for d, dim in enumerate(operand.dims):
            pieces = []
            low = self.frame.w.windows[number].low[d]
            if self.frame.w.windows[number].still[d]:
                given = self.frame.texts.edited(ref.brackets[d].span, self._edits(ref.indices[d], parts))[1:-1]
                index.append(f"({given}) - {low}" if low > 0 else f"({given}) + {-low}" if low else given)
                continue
            shift = forms[d].const - low
            strides = dict(dim.terms)
            for name, c in forms[d].terms:
                k = self.frame.w.counters.get(name)
                if k is None:
                    inner = self.frame.w.inner[name]
                    pieces.append(inner if c == 1 else f"{c} * {inner}")
                    continue
                shift += c * self.frame.w.boxes[k].start
                c = strides[k]
                if c < 0:
                    shift -= c * (self.frame.slices[k] - 1)
                if self.frame.slices[k] > 1:
                    pieces.append(self.frame.x[k] if c == 1 else f"{c} * {self.frame.x[k]}")
            text = " + ".join(pieces)
            if shift or not text:
                text = f"{text} {'-' if shift < 0 else '+'} {abs(shift)}" if text else str(shift)
            index.append(text)
        if operand.name in parts:
            own = [k for k in self.frame.spread if k in self.frame.nest.carried(operand)]
            buffer = f"{self.frame.buffer(operand)}_part" + "".join(f"[{self.frame.p[k]}]" for k in own)
        else:
            buffer = self.frame.buffer(operand)
        buffer += "".join(f"[{self.frame.p[k]}]" for k in self.frame.spread_of(operand))
        return buffer + "".join(f"[{i}]" for i in index)

    # ------------------------------------------------------------------------- sums in space

    def _parts(self, operand: Operand) -> list[int]:
        return [k for k in self.frame.spread if k in self.frame.nest.carried(operand)]

    def _part_walk(self, operand: Operand, line: str, skip: Sequence[int] = ()) -> list[str]:
        """``line`` for every word of the parts of a sum: tile words pipelined, elements at once."""
        dims = [(self.frame.word(operand, d), n.words(self.frame.slices)) for d, n in enumerate(operand.dims)]
        lines, depth = [], 1
        for at, n in dims:
            lines.append(PAD * depth + counting(at, n))
            depth += 1
        lines.append("#pragma HLS PIPELINE II=1")
        for k in (k for k in (*self._parts(operand), *self.frame.spread_of(operand)) if k not in skip):
            lines += [PAD * depth + counting(self.frame.p[k], self.frame.vector.shard[k]), "#pragma HLS UNROLL"]
            depth += 1
        return [*lines, PAD * depth + line, *(PAD * d + "}" for d in range(depth - 1, 0, -1))]

    def _part_declared(self, operand: Operand) -> list[str]:
        mine = self._parts(operand)
        name = f"{self.frame.buffer(operand)}_part"
        sizes = "".join(f"[{self.frame.vector.shard[k]}]" for k in mine) + self.frame.extents(operand)
        lines = [f"{PAD}{self.frame.type(operand)} {name}{sizes};"]
        spread = len(mine) + len(self.frame.spread_of(operand))
        lines += [f"#pragma HLS ARRAY_PARTITION variable={name} type=complete dim={d + 1}" for d in range(spread)]
        at = "".join(f"[{self.frame.p[k]}]" for k in (*mine, *self.frame.spread_of(operand)))
        at += "".join(f"[{self.frame.word(operand, d)}]" for d in range(len(operand.dims)))
        # a sum without terms leaves the element as it is, which +0 does not where that is -0
        zero = "-0.0f" if is_float(self.frame.element(operand)) else "0"
        return lines + self._part_walk(operand, f"{name}{at} = {zero};")

    def _joined(self, operand: Operand) -> list[str]:
        """Parts of a sum added up in a tree, then to the tile."""
        mine = self._parts(operand)
        name = f"{self.frame.buffer(operand)}_part"
        tail = "".join(f"[{self.frame.p[k]}]" for k in self.frame.spread_of(operand))
        tail += "".join(f"[{self.frame.word(operand, d)}]" for d in range(len(operand.dims)))
        terms = [
            name + "".join(f"[{i}]" for i in at) + tail
            for at in itertools.product(*(range(self.frame.vector.shard[k]) for k in mine))
        ]
        while len(terms) > 1:
            pairs = [terms[i : i + 2] for i in range(0, len(terms), 2)]
            terms = [f"({' + '.join(pair)})" if len(pair) > 1 else pair[0] for pair in pairs]
        return self._part_walk(operand, f"{self.frame.buffer(operand)}{tail} += {terms[0]};", mine)
