"""Profiles: figures of public reports, inheritance, fallbacks, and one-line refusals."""

from pathlib import Path

import pytest

from hlspart.model.options import TargetOptions
from hlspart.model.ports import Ports
from hlspart.targets import TargetError, known, load

# operator, tool, part, clock -> states, as public synthesis reports show them
REPORTED = [
    ("fadd", None, "vitis-2022.1", "xczu9eg-ffvb1156-2-i", 10.0, 4),
    ("fadd", None, "vitis-2022.1", "xczu9eg-ffvb1156-2-i", 4.0, 7),
    ("fadd", "nodsp", "vitis-2022.1", "xczu9eg-ffvb1156-2-i", 4.0, 4),
    ("fadd", None, "vitis-2022.1", "xczu9eg-ffvb1156-2-i", 4.55, 5),
    ("fmul", None, "vitis-2022.1", "xczu9eg-ffvb1156-2-i", 10.0, 3),
    ("fmul", None, "vitis-2022.1", "xczu9eg-ffvb1156-2-i", 4.0, 4),
    ("dmul", None, "vitis-2022.1", "xczu9eg-ffvb1156-2-i", 10.0, 5),
    ("ddiv", None, "vitis-2022.1", "xczu9eg-ffvb1156-2-i", 10.0, 22),
    ("fadd", None, "vivado-hls-2016.4", "xc7z020clg484-1", 10.0, 5),
    ("fmul", None, "vivado-hls-2016.4", "xc7z020clg484-1", 10.0, 4),
    ("dadd", None, "vivado-hls-2016.4", "xc7z020clg484-1", 10.0, 5),
    ("dadd", None, "vitis-2022.1", "xc7z020clg484-1", 10.0, 6),
    ("dmul", None, "vitis-2022.1", "xc7z020clg484-1", 10.0, 7),
]


@pytest.mark.parametrize(("op", "impl", "tool", "part", "clock", "states"), REPORTED)
def test_operator_states_of_reports(op, impl, tool, part, clock, states):
    time = load(TargetOptions(tool=tool, part=part, clock_ns=clock)).operator(op, 32, impl)
    assert (time.states, time.measured) == (states, True)


def test_integer_multiplication_by_tool_generation():
    old = load(TargetOptions(tool="vivado-hls-2018.3", part="xc7z020"))
    new = load(TargetOptions(tool="vitis-2022.1", part="xc7z020"))
    assert (old.operator("mul", 32).states, new.operator("mul", 32).states) == (1, 2)
    assert load(TargetOptions()).operator("mul", 32).states == 1


def test_division_takes_its_width_plus_four():
    assert load(TargetOptions()).operator("div", 6).states == 10


def test_an_unreported_period_is_never_called_measured():
    assert not load(TargetOptions(clock_ns=7.0)).operator("fadd", 32).measured
    assert load(TargetOptions(clock_ns=7.0)).operator("fadd", 32).states >= 4
    assert load(TargetOptions()).operator("no such", 32) is None


@pytest.mark.parametrize(
    ("storage", "ports"),
    [
        ("ram_1p", Ports(total=1)),
        ("ram_2p", Ports(writes=1, total=2)),
        ("ram_s2p", Ports(reads=1, writes=1)),
        ("ram_t2p", Ports(total=2)),
        ("ram_1wnr", Ports(writes=1)),
        ("rom_np", Ports()),
        ("registers", Ports()),
        ("s_axilite", Ports(total=1)),
    ],
)
def test_ports_of_storage(storage, ports):
    assert load(TargetOptions()).ports(storage) == ports


def test_defaults():
    target = load(TargetOptions())
    assert (target.tool, target.part, target.clock_ns) == ("vitis-2022.1", "xczu9eg-ffvb1156-2-i", 10.0)
    assert target.family == "ultrascale+"
    assert target.effective_ns == pytest.approx(7.3)
    assert target.notes == ()
    assert target.default_storage("interface") == "ap_memory"
    assert load(TargetOptions(flow="vitis")).default_storage("interface") == "m_axi"
    assert load(TargetOptions(tool="vivado-hls-2016.4")).effective_ns == pytest.approx(8.75)


@pytest.mark.parametrize(
    ("part", "family"),
    [
        ("xczu3eg-sbva484-1-e", "ultrascale+"),
        ("xcku115-flva1517-2-e", "ultrascale"),
        ("xcku15p-ffva1156-2-e", "ultrascale+"),
        ("xc7z020clg484-1", "7-series"),
        ("xc7vx485tffg1761-2", "7-series"),
        ("xcvc1902-vsva2197-2MP-e-S", "versal"),
        ("xcvu9p-flga2104-2-i", "ultrascale+"),
        ("7-series", "7-series"),
    ],
)
def test_family_of_part(part, family):
    assert load(TargetOptions(part=part)).family == family


def test_an_unlisted_part_is_said_once():
    assert len(load(TargetOptions(part="xczu28dr-ffvg1517-2-e")).notes) == 1


@pytest.mark.parametrize(
    ("depth", "bits", "blocks"),
    [(1024, 18, 1), (1024, 32, 2), (512, 32, 1), (4096, 32, 8), (16384, 1, 1), (2048, 8, 1), (64, 72, 2), (0, 8, 0)],
)
def test_bram_shapes(depth, bits, blocks):
    assert load(TargetOptions()).bram18k(depth, bits) == blocks


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (TargetOptions(tool="vitis-1999.1"), "unknown tool"),
        (TargetOptions(part="ep4ce6"), "unknown part"),
        (TargetOptions(clock_ns=0.0), "clock period"),
        (TargetOptions(uncertainty="much"), "uncertainty"),
        (TargetOptions(uncertainty="120%"), "uncertainty"),
        (TargetOptions(target_file="no/such.toml"), "cannot read"),
    ],
)
def test_refusals_are_one_line(options, word):
    with pytest.raises(TargetError) as error:
        load(options)
    assert word in str(error.value) and "\n" not in str(error.value)


def test_own_profile(tmp_path: Path):
    own = tmp_path / "mine.toml"
    own.write_text('inherits = "vitis-2022.1"\n[ports]\nauto = { total = 1 }\n')
    target = load(TargetOptions(target_file=str(own)))
    assert target.tool == "mine"
    assert target.ports("auto") == Ports(total=1)
    assert target.ports("ram_t2p") == Ports(total=2)
    own.write_text("ports = 3\n")
    with pytest.raises(TargetError):
        load(TargetOptions(target_file=str(own)))


def test_every_profile_loads_and_inherits():
    tools = known().tools
    assert {"vitis-2022.1", "vitis-2023.2", "vivado-hls-2016.4", "generic"} <= set(tools)
    for tool in tools:
        target = load(TargetOptions(tool=tool))
        assert target.operator("fadd", 32).states >= 3
        assert target.ports("auto").total == 2
    assert load(TargetOptions(tool="vitis-2023.2")).flatten_over == "any"
    assert load(TargetOptions(tool="generic")).auto_pipeline == 0
