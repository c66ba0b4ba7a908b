"""Operations on streams: reads and writes at a port, the state of the port, and output that is no hardware."""

from __future__ import annotations

from msgspec.structs import replace

from hlspart.hardware.unmodelled import Unmodelled
from hlspart.lowering.graph import excludes
from hlspart.lowering.operations import Location
from hlspart.lowering.parts import Parts
from hlspart.model import program as c
from hlspart.model.access import Affine
from hlspart.semantics import folding

_CONSOLE = ("std::cout", "cout", "std::cerr", "cerr")


class Channels(Parts):
    """Elaborates them."""

    def _prints(self, expr: c.Binary) -> bool:
        """Whether this writes to the console what has no effect of its own: synthesis leaves it out."""
        left: c.Expr = expr
        while isinstance(left, c.Binary) and left.op == "<<":
            left = left.left
        if not isinstance(left, c.OpaqueExpr) or self.program.text(left.at) not in _CONSOLE:
            return False
        return not any(isinstance(e, c.Call | c.Assign | c.IncDec) for e in c.walk(expr))

    def _stream(self, expr: c.Call, name: str, line: int) -> int:
        stream, subscripts = self._channel(expr, line)
        kind = "read" if name == "stream.read" else "write"
        args = tuple(self.value(a) for a in expr.args[1:])
        bits = folding.bits(expr.args[0].type)
        index = tuple(self._form(self.value(i)) for i in subscripts) if subscripts else None
        place = Location(stream.variable, -1, ("stream", self.position), index, None, args, self.frame.domain)
        return self.touch(kind, place, place.values, bits, line)

    def _attempt(self, expr: c.Call, name: str, line: int) -> int:
        """``s.read_nb(x)`` or ``s.write_nb(x)``: a cycle of the port, and whether there was a word or room for one.

        ``x`` keeps its value where there was none.
        """
        if name == "stream.write_nb":
            return self.make("wire", 1, (self._stream(expr, "stream.write", line),), line, ("done",), "done")
        word = self._stream(replace(expr, args=expr.args[:1]), "stream.read", line)
        if len(expr.args) == 1:  # TAPA's x = s.read(nullptr)
            return word
        done = self.make("wire", 1, (word,), line, ("done",), "done")
        target = expr.args[1]
        if name == "stream.read_if":  # TAPA's x = s.read(ok)
            self._store(target, done, line)
            return word
        if not any(isinstance(e, c.ArrayRef) for e in c.walk(target)):  # else the store alone is conditional
            word = self.make("select", folding.bits(target.type), (done, word, self.value(target)), line, (), "select")
        self._store(target, word, line)
        return done

    def _channel(self, expr: c.Call, line: int) -> tuple[c.Name, list[c.Expr]]:
        """The stream that an operation is on, with its subscripts."""
        stream: c.Expr = expr.args[0]
        subscripts: list[c.Expr] = []
        while isinstance(stream, c.Subscript):
            subscripts.insert(0, stream.index)
            stream = stream.base
        if not isinstance(stream, c.Name):
            raise Unmodelled("a stream that is no plain variable", line)
        return stream, subscripts

    def _status(self, expr: c.Call, name: str, line: int) -> int:
        """Whether a stream is empty or full at the start of the iteration: a signal beside its port."""
        stream, subscripts = self._channel(expr, line)
        operation = name.removeprefix("stream.")
        earlier = (op.ref for op in self.body.ops.values() if op.ref is not None and op.ref.variable == stream.variable)
        if any(not excludes(ref.branch, self.branch) for ref in earlier):
            raise Unmodelled(f"the stream operation `{operation}` behind another one is not modelled", line)
        indices = tuple(self.value(i) for i in subscripts)
        text = f"{self.program.variable(stream.variable).name}.{operation}"
        return self.make("input", 1, indices, line, (stream.variable, operation), text)

    def _form(self, value: int) -> Affine | None:
        """A value as an affine form over the names of the space, None where it has none."""
        known = self.constants.get(value)
        return Affine((), known) if isinstance(known, int) else self.forms.get(value)
