"""II, depth and latency of loops: the prediction of a synthesis report.

:func:`check` predicts every loop of a program; :class:`PortAccesses` has what one iteration of a
pipelined loop asks of the memories; :func:`pipelined` only which loops are.
"""

from hlspart.predict.check import PortAccesses, check
from hlspart.predict.pipelines import pipelined
from hlspart.predict.separate import with_members

__all__ = [
    "PortAccesses",
    "check",
    "pipelined",
    "regressions",
    "resources",
    "with_members",
]
