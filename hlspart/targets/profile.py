"""Reading the profiles: TOML files with inheritance, parts by prefix, options into a :class:`Target`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from hlspart.model.options import TargetOptions
from hlspart.reading import read_file
from hlspart.targets.checked import TargetError, check_figures, check_operators, check_profile
from hlspart.targets.target import Resources, Target

DEFAULT_TOOL = "vitis-2022.1"


class KnownTargets(Struct, frozen=True):
    """What ``hlspart targets`` lists."""

    tools: tuple[str, ...]
    families: Mapping[str, tuple[str, ...]]  # family -> part prefixes
    parts: Mapping[str, tuple[str, Resources]]  # part -> its family, what it holds


def known() -> KnownTargets:
    """All tools, families and listed parts."""
    tools = _tools()
    devices = [_devices(_tool_profile(tool)) for tool in tools]
    families = {name: tuple(prefixes) for d in devices for name, prefixes in d["families"].items()}
    parts = {part: (_device(part, d)[0], Resources(**held)) for d in devices for part, held in d["parts"].items()}
    return KnownTargets(tools, families, parts)


def names_loops(tool: str | None, target: Target) -> bool:
    """Whether reports of ``tool`` (else of ``target``) name every loop of the text."""
    nearest = reported(tool, None)[0]
    profile = target.profile if nearest is None else _tool_profile(nearest)
    return bool(profile["directives"]["named_loops"])


def load(options: TargetOptions) -> Target:
    """The target that ``options`` name, defaults filled in. Raises :class:`TargetError`."""
    profile = _configured(_profile_of(options), options.settings)
    notes = [f"{k} = {v}" for k, v in options.settings if _setting(k) is not None]
    part = (options.part or str(profile["default_part"])).strip()
    devices = _devices(profile)
    family, listed = _device(part, devices)
    if listed is None and part.lower() not in devices["families"]:
        notes.append(f"part {part} is not listed; taken as its family {family}")
    tables, other = profile["operators"], str(profile["default_family"])
    if options.target_file is not None:
        check_figures(profile, family, devices, options.target_file)
    if family not in tables:
        notes.append(f"{profile['tool']} has no figures for {family}; those of {other} are used")
    clock = options.clock_ns if options.clock_ns is not None else float(profile["default_clock_ns"])
    if not 0.5 <= clock <= 1000:
        raise TargetError(f"clock period {clock:g} ns is not between 0.5 and 1000 ns")
    slower = _slower(part, family, devices)
    operators = _operators(tables, family if family in tables else other, _library(part, family, devices), slower)
    if options.target_file is not None:
        check_operators(operators, options.target_file)
    if slower != 1:
        profile = _slowed(profile, slower)
    return Target(
        tool=str(profile["tool"]),
        vendor=str(profile["vendor"]),
        part=part,
        family=family,
        clock_ns=clock,
        uncertainty_ns=_uncertainty(options.uncertainty or str(profile["uncertainty"]), clock),
        flow=options.flow or "vivado",
        resources=Resources(**(listed or {})),
        notes=tuple(notes),
        profile=profile,
        operators=operators,
        shapes=tuple((int(w), int(d)) for w, d in devices["memories"][family]),
        ultra=(int(devices["ultraram"][0]), int(devices["ultraram"][1]), family in devices.get("ultraram_filled", ())),
    )


_VERSION = r"(.+)-(\d{4})\.(\d).*"  # name of a tool, year and number of a version


def reported(tool: str | None, part: str | None) -> tuple[str | None, str | None]:
    """What a report says of tool and part, as options: the nearest tool with a profile; no part of unknown family."""
    match = re.fullmatch(_VERSION, tool or "")
    nearest = None
    if match is not None:
        wanted = 4 * int(match[2]) + int(match[3])
        versions = [(m, t) for t in _tools() if (m := re.fullmatch(_VERSION, t)) and m[1] == match[1]]
        nearest = min(((abs(4 * int(m[2]) + int(m[3]) - wanted), t) for m, t in versions), default=(0, None))[1]
    try:
        family = part and _device(part, _devices(_tool_profile(nearest or DEFAULT_TOOL)))[0]
    except TargetError:
        family = None
    return nearest, part if family else None


# settings of a project (cfg `syn.compile.x`, Tcl `config_compile -x`) that change a profile
_SETTINGS = {
    "compile.pipeline_loops": ("pipeline", "auto_threshold"),
    "compile.unsafe_math_optimizations": ("pipeline", "unsafe_math"),
    "array_partition.complete_threshold": ("partition", "complete_threshold"),
    "array_partition.throughput_driven": ("partition", "throughput_driven"),
}


def _setting(key: str) -> tuple[str, str] | None:
    """Table and key of the profile that a setting changes."""
    return _SETTINGS.get(key.removeprefix("syn.").removeprefix("config_"))


def _configured(profile: dict[str, Any], settings: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    """``profile`` as the settings of a project change it; a value that is no number or switch is left alone."""
    for key, text in settings:
        known = _setting(key)
        value = {"true": "1", "false": "0", "off": "0", "": "1"}.get(text.strip().lower(), text.strip())
        if known is not None and value.isdigit():
            table, name = known
            profile = {**profile, table: {**profile[table], name: int(value)}}
    return profile


def _profile_of(options: TargetOptions) -> dict[str, Any]:
    if options.target_file is None:
        return _tool_profile(_tool_name(options.tool or DEFAULT_TOOL))
    path = Path(options.target_file)
    try:
        own = tomllib.loads(read_file(path).decode().replace("\r\n", "\n"))
    except OSError as error:
        raise TargetError(f"cannot read {options.target_file}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TargetError(f"{options.target_file}: {error}") from error
    base = _tool_profile(_tool_name(str(own.get("inherits", options.tool or DEFAULT_TOOL))))
    check_profile(base, _data("parts.toml"), own, str(options.target_file))
    return _merged(base, {"tool": path.stem, **own})


def _tool_name(name: str) -> str:
    if name in _tools():
        return name
    wanted = re.sub(r"[\s_-]+", "", name.strip().lower())
    wanted = re.sub(r"(\d{4}\.\d)\..*$", r"\1", wanted)  # an update of a version: 2022.1.2, 2017.4.op
    for tool in _tools():
        version = re.fullmatch(_VERSION, tool)
        aliases = [f"{alias}{tool.removeprefix(version[1])}" for alias in _aliases(tool)] if version else _aliases(tool)
        if wanted in (x.replace("-", "") for x in (tool, *aliases)):
            return tool
    raise TargetError(f"unknown tool {name!r}; known: {', '.join(_tools())}")


def _tools() -> tuple[str, ...]:
    """Names of all profiles."""
    return tuple(
        sorted(f.name[:-5] for f in _folder().iterdir() if f.name.endswith(".toml") and f.name != "parts.toml")
    )


def _aliases(tool: str) -> list[str]:
    aliases: list[str] = _tool_profile(tool)["aliases"]
    return aliases


def _devices(profile: Mapping[str, Any]) -> dict[str, Any]:
    """Device families and parts, those of the profile's own table ``devices`` over the listed ones.

    A tool of another vendor that has families of its own has no other devices.
    """
    own, listed = profile.get("devices", {}), _data("parts.toml")
    if "families" in own and profile["vendor"] not in listed["vendors"]:
        listed = {key: {} if isinstance(value, dict) else value for key, value in listed.items()}
    return _merged(listed, own)


def _sellers(part: str) -> list[str]:
    """Tools that know a part."""
    tools = []
    for tool in _tools():
        prefixes = [p for family in _devices(_tool_profile(tool))["families"].values() for p in family]
        if part.lower().startswith(tuple(prefixes)):
            tools.append(tool)
    return tools


def _folder() -> Path:
    return Path(__file__).parent / "data"


@cache
def _data(name: str) -> dict[str, Any]:
    return tomllib.loads((_folder() / name).read_text(encoding="utf-8"))


@cache
def _tool_profile(tool: str) -> dict[str, Any]:
    own = _data(f"{tool}.toml")
    if "inherits" not in own:
        return own
    return _merged(_tool_profile(own["inherits"]), own)


def _merged(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """``own`` over ``base``, table by table; an operator entry is replaced whole."""
    out = dict(base)
    for key, value in own.items():
        below = out.get(key)
        if isinstance(value, dict) and isinstance(below, dict) and "source" not in value:
            out[key] = _merged(below, value)
        else:
            out[key] = value
    return out


def _operators(
    tables: Mapping[str, Any], family: str, library: str | None, slower: float
) -> dict[str, Mapping[str, Any]]:
    """Operators of ``family``, those of ``library`` over them.

    Points that another family or library was seen at say little of this one: they are marked ``foreign``.
    ``slower``: what the delays of the family are multiplied by.
    """
    own = dict(tables[family])
    parent = own.pop("inherits", None)
    table = own if parent is None else _over(_operators(tables, str(parent), None, 1.0), own)
    table = _slowed(table, slower)
    own = dict(tables.get(library, {})) if library is not None else {}
    if own.pop("inherits", None) is not None:  # the same units but those that it names
        return {**table, **{op: {**table.get(op, {}), **entry} for op, entry in own.items()}}
    return table if library is None else _over(table, own)


def _over(table: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Operators of other devices, marked so, under those of ``own``, which may leave out what does not differ."""
    left = ("points", "steps", "fits", "wide")
    below = {op: {k: v for k, v in entry.items() if k not in left} for op, entry in table.items()}
    return {**_foreign(table), **{op: {**below.get(op, {}), **entry} for op, entry in own.items()}}


def _foreign(table: Mapping[str, Any]) -> dict[str, Any]:
    """``table`` with all entries that have figures of single periods marked as those of other devices."""
    mark = {"foreign": True, "source": "model"}
    rest = {op: {k: v for k, v in entry.items() if k != "wide"} for op, entry in table.items()}
    return {op: {**entry, **mark} if "points" in entry or "steps" in entry else entry for op, entry in rest.items()}


def _library(part: str, family: str, devices: Mapping[str, Any]) -> str | None:
    """Name of the part's own operator times; None where they are those of its family."""
    data = devices["libraries"].get(family)
    if data is None:
        return None
    name = part.lower()
    kind = next((k for k, prefixes in data["kinds"].items() if any(name.startswith(p) for p in prefixes)), data["kind"])
    match = re.search(r"-([123](?:lv|l)?)", name)
    grade = data["grade"] if match is None else data["same"].get(match[1], match[1])
    return None if (kind, grade) == (data["kind"], data["grade"]) else f"{kind}-{grade}"


def _device(part: str, data: Mapping[str, Any]) -> tuple[str, dict[str, Any] | None]:
    """Family by the longest matching prefix, and the figures of a listed part."""
    name = part.lower()
    matches = [
        (len(p), family) for family, prefixes in data["families"].items() for p in prefixes if name.startswith(p)
    ]
    if not matches:
        tools = _sellers(part)
        known = f"it is one of --tool {tools[-1]}" if tools else f"families: {', '.join(data['families'])}"
        raise TargetError(f"unknown part {part!r}; {known}")
    listed = [p for p in data["parts"] if name.startswith(p)]
    return max(matches)[1], data["parts"][max(listed, key=len)] if listed else None


def _slower(part: str, family: str, devices: Mapping[str, Any]) -> float:
    """Delays of a part over those of the grade that the profile's figures are of; 1 for a part without a grade."""
    grade = re.search(r"-([123])", part)
    return float(devices["speed"].get(family, {}).get(grade[1], 1)) if grade else 1.0


_DELAYS = ("delay_ns", "per_bit_ns", "narrow_ns", "in_ns", "out_ns", "mux_ns", "select_ns")


def _slowed(table: Mapping[str, Any], factor: float) -> dict[str, Any]:
    """``table`` with all delays multiplied: those named so, those of ``memory_delay``, the third figure of points."""
    out: dict[str, Any] = {}
    for key, value in table.items():
        if key == "memory_delay":
            out[key] = {family: {k: v * factor for k, v in kinds.items()} for family, kinds in value.items()}
        elif isinstance(value, dict):
            out[key] = _slowed(value, factor)
        elif key == "points":
            out[key] = [[*p[:2], *(ns * factor for ns in p[2:])] for p in value]
        else:
            out[key] = value * factor if key in _DELAYS else value
    return out


def _uncertainty(text: str, clock: float) -> float:
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*(%|ns)?\s*", text)
    if match is None:
        raise TargetError(f"clock uncertainty {text!r} is neither ns nor per cent")
    value = float(match[1])
    value = value / 100 * clock if match[2] == "%" else value
    if value >= clock:
        raise TargetError(f"clock uncertainty {text} leaves nothing of a period of {clock:g} ns")
    return value
