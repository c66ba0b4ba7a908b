"""Tool versions and devices: what a synthesis tool knows, as data.

``data/*.toml`` hold one profile per tool version (with ``inherits``) and ``parts.toml`` the devices;
each names its sources. :func:`load` makes one :class:`Target` of options; nothing else in hlspart
holds a latency, a port count or a threshold of a tool.
"""

from hlspart.targets.checked import TargetError
from hlspart.targets.profile import KnownTargets, known, load, names_loops, reported
from hlspart.targets.target import OperatorTime, Resources, Target

__all__ = [
    "KnownTargets",
    "OperatorTime",
    "Resources",
    "Target",
    "TargetError",
    "known",
    "load",
    "names_loops",
    "reported",
    "target",
]
