"""What latencies are made of: one function, as its controller knows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from hlspart.model import program as c
from hlspart.model.program import Program
from hlspart.predict.depths import DepthRange
from hlspart.predict.touched import Touched


class Controlled(Protocol):
    """One function as prediction knows it: which loops are parts of its controller, and what lies between them."""

    @property
    def program(self) -> Program:
        """The program with those calls expanded in it that are no modules."""

    @property
    def statements(self) -> Sequence[c.Stmt]:
        """Its body in that program."""

    @property
    def parts(self) -> Mapping[int, int]:
        """Index of the record of the nest that begins with a loop, by the loop's id."""

    @property
    def alone(self) -> bool:
        """Whether the function is one pipelined loop, which then is no module of its own."""

    def states(self, around: int | None, statements: Sequence[c.Stmt]) -> DepthRange:
        """States of straight-line code in the nest ``around`` (index of its record; None: in no loop)."""

    def ahead(self, record: int) -> DepthRange:
        """States of what has left a pipelined loop and is loaded ahead of it."""

    def worked(self, record: int) -> DepthRange:
        """States of the operations that have left a pipelined loop and are worked out ahead of it."""

    def taken(self, record: int, what: Touched) -> Touched:
        """What the operations that have left a pipelined loop, which is ``what``, wait for."""

    def around(self, record: int) -> int:
        """States of m_axi requests and responses around a pipelined loop, at the most."""

    def copies(self, loop: c.Loop) -> int | None:
        """How often the body of an unrolled loop is there, at the most; 1 where a loop is not unrolled."""

    def is_register(self, variable: int) -> bool:
        """Whether every element of an array is a register."""

    def filled(self, stmt: c.Stmt) -> int:
        """Words of the memories that a declaration fills with zeros, which the tool does in loops of its own."""
