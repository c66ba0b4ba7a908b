"""II, depth and latency of loops: the prediction of a synthesis report.

:func:`check` predicts every loop of a program; :class:`PortAccesses` has what one iteration of a
pipelined loop asks of the memories.
"""

from hlspart.predict.check import PortAccesses, check

__all__ = [
    "PortAccesses",
    "check",
    "regressions",
    "resources",
]
