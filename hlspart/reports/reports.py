"""Reading synthesis reports: ``*_csynth.rpt``, ``csynth.xml`` and logs, of Vivado HLS and Vitis HLS.

Tables are read by their headings, not by position; messages by their number, so that lines with a
``v++`` prefix or of the older generation (``SCHED 204-61``, ``XFORM 203-101``) are read alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, cast
from xml.etree import ElementTree

from msgspec.structs import replace

from hlspart.model.access import Bounds
from hlspart.model.comparing import Report, ReportedLoop, ReportedPartition, ToolMessage
from hlspart.model.directives import PartitionType

Flow = Literal["vivado", "vitis"]
EMPTY = Report(None, None, None, (), (), ())
UNKNOWN = Bounds(None, None)


class ReportError(Exception):
    """A report that cannot be read; the message is one line for the user."""


def read(name: str, text: str) -> Report:
    """The report in ``text``, its kind told by its content. Raises :class:`ReportError`."""
    head = text.lstrip()[:300]
    if head.startswith(("<?xml", "<profile")):
        return _xml(name, text)
    if re.search(r"\[(?:v\+\+ )?(?:HLS|SCHED|XFORM|v\+\+) ?\d+-\d+\]", text):
        return _log(name, text)
    if "Performance Estimates" in text or "Loop Name" in text or "& Loops" in text:
        return _rpt(name, text)
    raise ReportError(f"{name}: neither a csynth report (.rpt, .xml) nor a synthesis log")


def merged(reports: Iterable[Report]) -> Report:
    """Several files of one run as one report: a loop of a table completes what a log says of it."""
    out = EMPTY
    loops: dict[tuple[str, str], ReportedLoop] = {}
    for r in reports:
        out = Report(
            out.tool or r.tool,
            out.part or r.part,
            out.clock_ns or r.clock_ns,
            (),
            out.partitions + tuple(p for p in r.partitions if p not in out.partitions),
            out.messages + tuple(m for m in r.messages if m not in out.messages),
            out.uncertainty_ns or r.uncertainty_ns,
            out.flow or r.flow,
        )
        for x in r.loops:
            key = (owner(x.module), x.name)
            same = key if key in loops else next((k for k in loops if k[1] == x.name and not (k[0] and key[0])), None)
            if same is None:
                loops[key] = x
            else:
                loops[same] = _completed(loops[same], x)
    return replace(out, loops=tuple(loops.values()))


def _completed(one: ReportedLoop, other: ReportedLoop) -> ReportedLoop:
    return replace(
        one,
        module=one.module or other.module,
        ii=one.ii if one.ii is not None else other.ii,
        target_ii=one.target_ii if one.target_ii is not None else other.target_ii,
        depth=one.depth if one.depth is not None else other.depth,
        trip_count=one.trip_count if one.trip_count != UNKNOWN else other.trip_count,
        latency=one.latency if one.latency != UNKNOWN else other.latency,
        pipelined=one.pipelined if one.pipelined is not None else other.pipelined,
    )


def owner(module: str | None) -> str:
    """The user's function of a module: ``top_Pipeline_VITIS_LOOP_5_1`` belongs to ``top``."""
    return "" if module is None else re.sub(r"_Pipeline_.*$", "", module)


# -------------------------------------------------------------------------------------- tables


def _rpt(name: str, text: str) -> Report:
    lines = text.splitlines()
    module = None
    part = tool = None
    clock: float | None = None
    uncertainty: float | None = None
    flow: Flow | None = None
    loops: list[ReportedLoop] = []
    for at, line in enumerate(lines):
        if (match := re.match(r"==\s*V\w+ HLS Report for '([^']+)'", line)) is not None:
            module = match[1]
        elif (match := re.match(r"\*\s*Version:\s*(\S+)", line.strip())) is not None:
            tool = match[1]
        elif (match := re.match(r"\*\s*(?:Target device|Part):\s*(\S+)", line.strip())) is not None:
            part = match[1]
        elif (match := re.match(r"\*\s*Solution:.*\b(Vivado|Vitis)\b.*Flow Target", line.strip())) is not None:
            flow = _flow(match[1])
        elif (
            match := re.match(r"\|(?:ap_clk|default)\|(.*)\|$", re.sub(r"\s|ns", "", line))
        ) is not None and not clock:
            clock, uncertainty = _timing(match[1].split("|"))
        elif re.search(r"\|\s*Loop Name\s*\|", line):
            loops += _loop_table(lines, at, module, name)
        elif re.search(r"&\s*Loops", line):
            loops += _summary_table(lines, at, name)
            clock, uncertainty = (clock, uncertainty) if clock is not None else _summary_clock(lines, at)
    return replace(
        EMPTY,
        tool=_tool(tool, text),
        part=part,
        clock_ns=clock,
        loops=tuple(loops),
        uncertainty_ns=uncertainty,
        flow=flow,
    )


def _timing(cells: Sequence[str]) -> tuple[float | None, float | None]:
    """Period and uncertainty of a clock's row: target, estimated, uncertainty."""
    target, spare = (
        x if re.fullmatch(r"\d+(\.\d+)?", x) else "" for x in (cells[0], cells[2] if len(cells) > 2 else "")
    )
    return float(target) if target else None, float(spare) if spare else None


def _flow(word: str | None) -> Flow | None:
    return "vitis" if (word or "").lower() == "vitis" else "vivado" if word else None


def _tool(version: str | None, text: str) -> str | None:
    if version is None:
        return None
    return f"{'vivado-hls' if re.search(r'== *Vivado HLS', text) else 'vitis'}-{version}"


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _table(lines: Sequence[str], at: int) -> tuple[list[str], list[list[str]]]:
    """(heading per column, rows) of the table whose heading has line ``at`` in it."""
    first = at
    while first > 0 and lines[first - 1].strip().startswith("|"):
        first -= 1
    last = at
    while last + 1 < len(lines) and lines[last + 1].strip().startswith("|"):
        last += 1
    bottom = _cells(lines[last])
    heads = [""] * len(bottom)
    for line in lines[first : last + 1]:
        cells = _spread(line, lines[last])
        heads = [f"{h} {c}".strip() for h, c in zip(heads, cells, strict=False)]
    rows = []
    for line in lines[last + 2 :]:
        if not line.strip().startswith("|"):
            break
        rows.append(_cells_raw(line))
    return [h.lower() for h in heads], rows


def _cells_raw(line: str) -> list[str]:
    inner = line.strip()
    return [inner[1:].split("|")[0].rstrip(), *(c.strip() for c in inner.strip("|").split("|")[1:])]


def _spread(line: str, below: str) -> list[str]:
    """Cells of a heading line, repeated under wide cells so that there is one per column of ``below``."""
    ends = [k for k, ch in enumerate(below) if ch == "|"]
    out = []
    for left, right in pairwise(ends):
        start = line.rfind("|", 0, left + 1)
        end = line.find("|", right)
        out.append(line[start + 1 : end if end >= 0 else None].strip())
    return out


def _loop_table(lines: Sequence[str], at: int, module: str | None, name: str) -> Iterator[ReportedLoop]:
    heads, rows = _table(lines, at)

    def column(*words: str) -> int | None:
        return next((k for k, h in enumerate(heads) if all(w in h for w in words)), None)

    low, high = column("latency", "min"), column("latency", "max")
    depth, got, want = column("iteration"), column("achieved"), column("target")
    trip, pipe = column("trip"), column("pipelined")
    for cells in rows:
        title = re.sub(r"^[\s\-+*]*(o\s+)?", "", cells[0]).strip()
        if not title:
            continue
        yes = _at(cells, pipe).lower()
        yield ReportedLoop(
            module, title, _number(_at(cells, got)), _number(_at(cells, want)), _number(_at(cells, depth)),
            _range(_at(cells, trip)), Bounds(_number(_at(cells, low)), _number(_at(cells, high))),
            yes.startswith("yes") if yes else None, name,
        )  # fmt: skip


def _summary_table(lines: Sequence[str], at: int, name: str) -> Iterator[ReportedLoop]:
    """The table of modules and loops that Vitis HLS prints: ``+ module``, ``o loop``."""
    heads, rows = _table(lines, at)

    def column(word: str) -> int | None:
        return next((k for k, h in enumerate(heads) if word in h), None)

    cycles = next((k for k, h in enumerate(heads) if "latency" in h and "cycles" in h), None)
    depth, interval, trip, pipe = column("iteration"), column("interval"), column("trip"), column("pipelined")
    modules: list[tuple[int, str]] = []  # those around a row, by the column that their names stand in
    for cells in rows:
        match = re.match(r"(\s*)([+o])\s*(\S+?)\*?$", cells[0].rstrip())
        if match is None:
            continue
        while modules and modules[-1][0] >= len(match[1]):
            modules.pop()
        if match[2] == "+":
            modules.append((len(match[1]), _module_of(match[3])))
            continue
        module = modules[-1][1] if modules else None
        yes = _at(cells, pipe).lower()
        latency = _number(_at(cells, cycles))
        ii = _number(_at(cells, interval)) if yes.startswith("yes") else None
        yield ReportedLoop(
            module, match[3], ii, None, _number(_at(cells, depth)), _range(_at(cells, trip)),
            Bounds(latency, latency), yes.startswith("yes") if yes else None, name,
        )  # fmt: skip


def _module_of(instance: str) -> str:
    """The module of an instance, whose name 2020.2 gives in place of it: ``grp_load_fu_446``, ``store_U0``."""
    match = re.fullmatch(r"(?:grp_)?(\w+?)_fu_\d+|(\w+?)_U\d+", instance)
    return instance if match is None else match[1] or match[2]


def _summary_clock(lines: Sequence[str], at: int) -> tuple[float | None, float | None]:
    """Period and uncertainty behind the table of modules and loops, which does not name them.

    Latency in ns is that in cycles times the period, but where a module is slower; the slack of a loop is the period
    less the uncertainty (2020.2: with a minus).
    """
    heads, rows = _table(lines, at)

    def column(*words: str) -> int | None:
        return next((k for k, h in enumerate(heads) if all(w in h for w in words)), None)

    spans: list[tuple[float, float, float]] = []
    for cells in rows:
        cycles, ns = _number(_at(cells, column("latency", "cycles"))), _at(cells, column("latency", "ns"))
        if cycles and (match := re.fullmatch(r"\d+(?:\.(\d+))?(?:e\+(\d+))?", ns)) is not None:
            half = 0.5 * 10.0 ** (int(match[2] or 0) - len(match[1] or ""))
            spans.append(((float(ns) - half) / cycles, float(ns) / cycles, (float(ns) + half) / cycles))
    near = ({round(ratio, digits) for _, ratio, _ in spans} for digits in range(4))
    agreed = (x for xs in near for x in sorted(xs) if 2 * sum(a <= x <= b for a, _, b in spans) > len(spans))
    clock = next((x for x in agreed if x > 0), None)
    slacks = {_at(c, column("slack")).lstrip("-") for c in rows if c[0].strip().startswith("o ")}
    slack = slacks.pop() if len(slacks) == 1 else ""
    left = float(slack) if re.fullmatch(r"\d+\.\d+", slack) else 0.0
    return clock, round(clock - left, 3) if clock is not None and clock / 2 < left < clock else None


def _at(cells: Sequence[str], column: int | None) -> str:
    return cells[column] if column is not None and column < len(cells) else ""


def _number(text: str | None) -> int | None:
    match = re.fullmatch(r"\s*(\d+)\s*", text or "")
    return int(match[1]) if match is not None else None


def _range(text: str) -> Bounds:
    match = re.fullmatch(r"\s*(\d+)\s*(?:~\s*(\d+))?\s*", text)
    if match is None:
        return UNKNOWN
    return Bounds(int(match[1]), int(match[2] or match[1]))


# ----------------------------------------------------------------------------------------- XML


def _xml(name: str, text: str) -> Report:
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ReportError(f"{name}: {error}") from error
    loops: list[ReportedLoop] = []
    modules = [(m.findtext("Name"), m) for m in root.iter("Module") if m.find("PerformanceEstimates") is not None]
    if not modules:
        modules = [(root.findtext("UserAssignments/TopModelName"), root)]
    for module, node in modules:
        for summary in node.iter("SummaryOfLoopLatency"):
            for child in summary:
                loops += _xml_loop(child, module, name)
    version = root.findtext("ReportVersion/Version")
    tool = None
    if version is not None:
        tool = (
            f"{'vitis' if version >= '2020' and root.find('UserAssignments/FlowTarget') is not None else 'vivado-hls'}"
        )
        tool = f"{tool}-{version}"
    clock = root.findtext("UserAssignments/TargetClockPeriod")
    spare = root.findtext("UserAssignments/ClockUncertainty")
    return replace(
        EMPTY,
        tool=tool,
        part=root.findtext("UserAssignments/Part"),
        clock_ns=float(clock) if clock else None,
        loops=tuple(loops),
        uncertainty_ns=float(spare) if spare else None,
        flow=_flow(root.findtext("UserAssignments/FlowTarget")),
    )


def _xml_loop(node: ElementTree.Element, module: str | None, name: str) -> Iterator[ReportedLoop]:
    if node.find("TripCount") is None and node.find("Latency") is None:
        return
    ii = _number(node.findtext("PipelineII"))
    title = node.findtext("Name") or re.sub(r"^Loop(?=\d)", "Loop ", node.tag)
    depth = _number(node.findtext("PipelineDepth")) or _number(node.findtext("IterationLatency"))
    yield ReportedLoop(
        module, title, ii, None, depth, _xml_range(node.find("TripCount")),
        _xml_range(node.find("Latency")), ii is not None, name,
    )  # fmt: skip
    for child in node:
        yield from _xml_loop(child, module, name)


def _xml_range(node: ElementTree.Element | None) -> Bounds:
    if node is None:
        return UNKNOWN
    whole = _range(node.text or "")
    if whole != UNKNOWN:
        return whole
    return Bounds(_number(node.findtext(".//min")), _number(node.findtext(".//max")))


# ----------------------------------------------------------------------------------------- logs

_CODE = re.compile(r"\[(?:v\+\+ )?(?:HLS|SCHED|XFORM|v\+\+)? ?(\d+-\d+)\]\s*(.*)")
_RESULT = re.compile(
    r"Pipelining result\s*:\s*Target II\s*[=:]\s*(\w+),\s*Final II\s*[=:]\s*(\w+),\s*Depth\s*[=:]\s*(\w+)"
    r"(?:,\s*(loop|function)\s+'([^']+)')?"
)
_KEPT = ("200-880", "200-885", "200-1457", "200-448", "204-68", "204-69", "214-376", "200-914", "203-104")
_TYPES = r"(cyclic|block|complete)"


def _log(name: str, text: str) -> Report:
    loops: dict[tuple[str | None, str], ReportedLoop] = {}
    partitions: list[ReportedPartition] = []
    messages: list[ToolMessage] = []
    module = pending = tool = part = flow = None
    clock = spare = None
    for line in text.splitlines():
        if version := re.search(r"(Vitis|Vivado)\(TM\)? ?HLS.*? v(\d{4}\.\d)|(Vitis|Vivado) HLS.*?v?(\d{4}\.\d)", line):
            family = version[1] or version[3]
            tool = tool or f"{'vitis' if family == 'Vitis' else 'vivado-hls'}-{version[2] or version[4]}"
        if (device := re.search(r"[Ss]etting target device to '([^']+)'", line)) is not None:
            part = device[1]
        if (
            timed := re.search(r"[Ss]etting up clock '\w+' with an? (period|uncertainty) of ([\d.]+) ?ns", line)
        ) is not None:
            clock, spare = (float(timed[2]), None) if timed[1] == "period" else (clock, float(timed[2]))
        if (meant := re.search(r"Using (?:default )?flow_target '(\w+)'", line)) is not None:
            flow = _flow(meant[1])
        match = _CODE.search(line)
        if match is None:
            continue
        code, said = match[1], match[2]
        if (started := re.search(r"Implementing module '([^']+)'", said)) is not None:
            module = started[1]
        elif (began := re.search(r"Pipelining (?:loop|function) '([^']+)'", said)) is not None:
            pending = began[1]
        elif (result := _RESULT.search(said)) is not None:
            title = result[5] or pending or "?"
            loops[module, title] = ReportedLoop(
                module, title, _number(result[2]), _number(result[1]), _number(result[3]), UNKNOWN, UNKNOWN, True, name
            )
        elif (made := _partition(code, said)) is not None:
            partitions.append(made)
        elif code in _KEPT:
            where = re.search(r"\(?[^\s(']+\.(?:c|cc|cpp|cxx|h|hpp):(\d+)", said)
            messages.append(ToolMessage(code, said.strip(), int(where[1]) if where else None, pending))
    return Report(tool, part, clock, tuple(loops.values()), tuple(partitions), tuple(messages), spare, flow)


def _partition(code: str, said: str) -> ReportedPartition | None:
    """Partition messages: 214-248 and 203-101 (applied), 214-270 and 203-102 (the tool's own)."""
    if code == "214-248":
        match = re.search(
            rf"array_partition to '([^']+)': {_TYPES} partitioning(?: with factor (\d+))?.*?dimension (\d+)", said, re.I
        )
        return _made(match, "applied", (1, 2, 3, 4))
    if code == "214-270":
        match = re.search(
            rf"array_partition type={_TYPES}(?: factor=(\d+))? dim=(\d+)' for array '([^']+)'", said, re.I
        )
        return _made(match, "added", (4, 1, 2, 3))
    if code in ("203-101", "203-102"):
        match = re.search(
            rf"artitioning array '([^']+)'.*?dimension (\d+)(?: with an? {_TYPES} factor (\d+)| {_TYPES}ly)?",
            said,
            re.I,
        )
        if match is None:
            return None
        kind = _kind(match[3] or match[5] or "complete")
        origin: Literal["applied", "added"] = "added" if code == "203-102" else "applied"
        return ReportedPartition(match[1], kind, _number(match[4]), _number(match[2]), origin)
    return None


def _kind(word: str) -> PartitionType:
    return cast(PartitionType, word.lower())


def _made(
    match: re.Match[str] | None, origin: Literal["applied", "added"], groups: tuple[int, int, int, int]
) -> ReportedPartition | None:
    if match is None:
        return None
    name, kind, factor, dim = (match[g] for g in groups)
    return ReportedPartition(name, _kind(kind), _number(factor), _number(dim), origin)
