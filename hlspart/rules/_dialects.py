"""Files that are written for another tool."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hlspart.model.directives import Directive
from hlspart.model.program import Program
from hlspart.model.source import Origin, Span

TOOLS = {
    "smarthls": "SmartHLS", "accel": "Merlin", "bambu": "Bambu", "autopilot": "AutoPilot", "opencl": "OpenCL",
}  # fmt: skip
_INTEL = re.compile(
    r"#[ \t]*include[ \t]*[<\"]HLS/\w+\.h[>\"]|\bihc::\w+|\bhls_(?:\w+_)?(?:component|memory|register|bankbits|numbanks"
    r"|bankwidth|max_replicates|singlepump|doublepump|argument|interface)\w*|^[ \t]*component[ \t]+\w+"
    r"|\[\[[ \t]*intel::\w+"
    r"|#[ \t]*pragma[ \t]+(?:ivdep|ii[ \t]+\d|loop_coalesce|max_concurrency|disable_loop_pipelining)",
    re.M,
)
_CATAPULT = re.compile(
    r"^[ \t]*#[ \t]*pragma[ \t]+hls_(?:design|unroll|pipeline_init_interval|merge|preserve|resource|map_to|array)\w*",
    re.M,
)
_STRATUS = re.compile(r"^[ \t]*HLS_(?:UNROLL|PIPELINE|COALESCE|CONSTRAIN|FLATTEN|MAP|DEFINE|SET)_\w+[ \t]*\(", re.M)
_OPENCL = re.compile(r"^[ \t]*__kernel[ \t\n]+\w+", re.M)
_BY_WORDS = (("Intel HLS", _INTEL), ("Catapult", _CATAPULT), ("Stratus HLS", _STRATUS), ("OpenCL", _OPENCL))

_OF_BAMBU = frozenset(("pipeline", "dataflow", "unroll"))  # which both tools have


def _before_function(d: Directive) -> bool:
    """Bambu reads interface pragmas ahead of the function."""
    return d.kind == "interface" and d.function is None and d.source == "pragma" and d.option("mode") is not None


def foreign(program: Program) -> Mapping[str, tuple[str, Origin]]:
    """Path of a file without a directive for Vitis HLS that speaks to another tool -> (its name, the first place)."""
    bambu = {d.at.span.path for d in program.directives if d.dialect == "bambu" or _before_function(d)}
    own = {
        d.at.span.path
        for d in program.directives
        if d.dialect == "vitis" and d.usable and not (d.kind in _OF_BAMBU and d.at.span.path in bambu)
    }
    macros: dict[str, tuple[str, Origin]] = {}
    for d in program.directives:
        path = d.at.span.path
        if d.dialect in TOOLS and path not in own:
            macros.setdefault(path, (TOOLS[d.dialect], d.at))
    inside = {d.at.span.path for d in program.directives if d.kind not in _OF_BAMBU and d.function is not None}
    unread = [h.at for h in program.holes]  # of which the function is one that nobody has read
    broken = {unit.path for unit in program.units if unit.error is not None}  # whose functions nobody has read
    for d in program.directives:
        if any(h.holds(d.at.span) for h in unread):
            continue
        if _before_function(d) and d.at.span.path not in (own | inside | broken):
            macros.setdefault(d.at.span.path, ("Bambu", d.at))
    for unit in program.units:
        source = unit.source or program.sources.get(unit.path)
        if source is not None and unit.path not in own and unit.path not in macros:
            for tool, words in _BY_WORDS:
                match = words.search(source.text)
                if match is not None:
                    macros.setdefault(unit.path, (tool, Origin(Span(unit.path, match.start(), match.end()))))
    catapult = {path for path, (tool, _) in macros.items() if tool == "Catapult"}
    for d in program.directives if catapult else ():  # its headers
        of_catapult = _CATAPULT.search("#pragma " + d.text.strip().removeprefix("#pragma").strip())
        if of_catapult is not None and d.at.span.path not in own:
            macros.setdefault(d.at.span.path, ("Catapult", d.at))
    return macros
