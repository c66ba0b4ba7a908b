"""II, depth and latency of loops: the prediction of a synthesis report.

:func:`check` predicts every loop of a program; :func:`port_accesses` gives what one iteration of a
pipelined loop asks of the memories.
"""

from hlspart.schedule.check import check, port_accesses

__all__ = [
    "check",
    "compare",
    "port_accesses",
    "regressions",
    "reports",
    "reshape",
    "resources",
    "storage",
]
