"""II, depth and latency of loops: the prediction of a synthesis report.

:func:`check` predicts every loop of a program; :class:`PortAccesses` has what one iteration of a
pipelined loop asks of the memories; :func:`pipelined` only which loops are; :func:`called`
predicts functions that are pipelined within their callers.
"""

from hlspart.predict.check import PortAccesses, called, check
from hlspart.predict.pipelines import pipelined, with_pipelines
from hlspart.predict.separate import apart, with_members

__all__ = [
    "PortAccesses",
    "apart",
    "called",
    "check",
    "inlined",
    "pipelined",
    "regressions",
    "resources",
    "with_members",
    "with_pipelines",
]
