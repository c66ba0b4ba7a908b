"""II, depth and latency of loops: the prediction of a synthesis report.

:func:`check` predicts every loop of a program; :func:`port_accesses` gives what one iteration of a
pipelined loop asks of the memories.
"""

from hlspart.predict.check import check, port_accesses

__all__ = [
    "check",
    "port_accesses",
    "regressions",
    "resources",
]
