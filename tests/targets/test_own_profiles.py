"""A profile of the user's own: what it says has an effect or is refused in one line, whatever the mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_second_vendor import ACME, DATA, ROWS, SUM, pipeline

from hlspart.model.options import TargetOptions
from hlspart.targets import TargetError, known, load, profile

MISTAKES = {
    "totals = 2": ("unknown key ports.auto.totals; did you mean total?", "total = 4 }", "totals = 4 }"),
    "ports kind": ("unknown key ports.atuo; did you mean auto?",
        "auto = { writes = 2, total = 4 }", "atuo = { total = 4 }"),
    "directive": ("unknown key directives.partitions; did you mean partition?",
        "partition = true", "partitions = true"),
    "delay without bram": ("memory_delay.zephyr lacks bram", "bram = 0.9, ", ""),
    "delay of nothing": ("unknown key memory_delay.zephyr.brams; did you mean bram?", "bram = 0.9", "brams = 0.9"),
    "no memories": ("devices.memories lacks zephyr", 'zephyr = [[40, 512], [20, 1024]]', ""),
    "memory of words": ("devices.memories.zephyr must hold lists of 2 numbers",
        "[[40, 512], [20, 1024]]", '["40x512"]'),
    "fadd without source": ("operator fadd lacks source", 'dsp = 1, source = "data sheet" }\nadd', "dsp = 1 }\nadd"),
    "fadd without dsp": ("operator fadd lacks dsp",
        "delay_ns = 9.0, dsp = 1", "points = [[4.0, 3]], in_ns = 1, out_ns = 1"),
    "fadd without figures": ("operator fadd has none of points, delay_ns, width_states, latency",
        "delay_ns = 9.0, dsp", "dsp"),
    "points of one number": ("fadd.points must hold lists of 2 numbers", "delay_ns = 9.0", "points = [[4.0]]"),
    "delay for delay_ns": ("unknown key operators.zephyr.fadd.delay; did you mean delay_ns?",
        "delay_ns = 9.0", "delay = 9.0"),
    "an operator": ("unknown key operators.zephyr.fad; did you mean fadd?", "fadd = {", "fad = {"),
    "inherits": ("unknown key operators.zephyr.inherits = zephir",
        '"data sheet"\nfadd', '"data sheet"\ninherits = "zephir"\nfadd'),
    "luts": ("unknown key devices.parts.zp-40.luts; did you mean lut?", "lut = 40000", "luts = 40000"),
    "families of text": ("devices.families.zephyr must be a list", '["zp-"]', '"zp-"'),
    "a device table": ("unknown key devices.part; did you mean parts?", "[devices.parts]", "[devices.part]"),
    "a table": ("unknown key memory_delays; did you mean memory_delay?", "[memory_delay]", "[memory_delays]"),
    "text for a number": ("default_clock_ns must be a number", "4.0\ndefault_family", '"4"\ndefault_family'),
    "no number": ("fadd.delay_ns must be a number up to 1000000000", "delay_ns = 9.0", "delay_ns = nan"),
    "a number without end": ("fadd.per_bit_ns must be a number up to",
        "delay_ns = 9.0", "delay_ns = 9.0, per_bit_ns = inf"),
    "no points": ("fadd.points must hold at least one list", "delay_ns = 9.0", "points = []"),
    "points of no number": ("fadd.points must hold lists of 2 numbers", "delay_ns = 9.0", "points = [[nan, 1]]"),
    "no bits": ("fadd.lut_bits must hold 2 numbers", "delay_ns = 9.0", "delay_ns = 9.0, lut_bits = []"),
    "families of lists": ("devices.families.zephyr must hold texts", '["zp-"]', '[["zp-"]]'),
    "grades of a number": ("devices.libraries.zephyr.same must be a table",
        "[devices.parts]", "[devices.libraries.zephyr]\nsame = 0\n\n[devices.parts]"),
    "a part of text": ("devices.parts.zp-40.lut must be a number", "lut = 40000", 'lut = "many"'),
    "a number for a list": ("aliases must be a list", 'aliases = ["acme"]', "aliases = 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_line(name: str, tmp_path: Path) -> None:
    wanted, right, wrong = MISTAKES[name]
    text = ACME.replace("[operators.zephyr]           # data sheet", '[operators.zephyr]           # "data sheet"')
    assert right in text
    own = tmp_path / "acme.toml"
    own.write_text(text.replace(right, wrong, 1))
    with pytest.raises(TargetError) as error:
        load(TargetOptions(target_file=str(own)))
    assert str(error.value).startswith(f"{own}: ") and wanted in str(error.value) and "\n" not in str(error.value)


def test_each_built_in_profile_is_one_that_a_user_could_have_written(tmp_path: Path) -> None:
    """The rules for profiles refuse nothing that a profile needs."""
    files = [p for p in sorted(DATA.glob("*.toml")) if p.name != "parts.toml"]
    assert len(files) > 15
    for path in files:
        own = tmp_path / path.name
        own.write_text(path.read_text())
        for part in ("xczu9eg-ffvb1156-2-i", "xc7z020clg400-1", "xcvc1902-vsva2197-2MP-e-S", "xcku115-flva1517-2-e"):
            theirs = load(TargetOptions(target_file=str(own), part=part))
            assert theirs.operators == load(TargetOptions(tool=path.stem, part=part)).operators


def test_a_latency_of_a_data_sheet_holds_at_any_clock(tmp_path: Path) -> None:
    text = ACME.replace("fadd = { delay_ns = 9.0,", "fadd = { latency = 3,")
    for clock in (2.0, 4.0, 50.0):
        own = tmp_path / "acme.toml"
        own.write_text(text)
        fadd = load(TargetOptions(target_file=str(own), clock_ns=clock)).operator("fadd", 32)
        assert fadd is not None and (fadd.states, fadd.measured, fadd.dsp) == (4, True, 1)
    made = pipeline(tmp_path, SUM)
    own.write_text(text)
    (loop,) = made.ii.loops
    assert (loop.ii, loop.recurrence_ii) == (3, 3)


def test_devices_are_those_of_the_vendor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of one vendor under a tool of another one has no figures."""
    made = pipeline(tmp_path, ROWS)
    own = str(tmp_path / "acme.toml")
    assert made.target.part == "zp-40f"
    with pytest.raises(TargetError, match="unknown part 'xc7z020'; it is one of --tool vivado-hls"):
        load(TargetOptions(target_file=own, part="xc7z020"))
    Path(own).write_text(
        'inherits = "vitis-2022.1"\n[devices.families]\nnew = ["zz"]\n[devices.memories]\nnew = [[36, 512]]\n'
    )
    assert load(TargetOptions(target_file=own, part="xc7z020")).family == "7-series"  # a family more of the same vendor
    assert load(TargetOptions(target_file=own, part="zz9")).family == "new"


def test_what_parts_hold_is_listed() -> None:
    family, held = known().parts["xc7z020"]
    assert (family, held.bram18k, held.dsp) == ("7-series", 280, 220)
    for part, wanted in (
        ("xcku19p-ffva1760", "ultrascale+"),
        ("xcku115-flva1517", "ultrascale"),
        ("xcsu35p", "ultrascale+"),
    ):
        assert load(TargetOptions(part=part)).family == wanted
    assert profile.known().families["versal"]
