"""Profiles: figures of public reports, inheritance, fallbacks, and one-line refusals."""

from pathlib import Path

import pytest

import hlspart
from hlspart.model.options import TargetOptions
from hlspart.model.ports import Ports
from hlspart.targets import TargetError, known, load

# operator, tool, part, clock -> states, as public synthesis reports show them
REPORTED = [
    ("fadd", None, "vitis-2022.1", "xczu9eg-ffvb1156-2-i", 10.0, 4),
    ("fadd", None, "vitis-2022.1", "xcvu9p-flga2104-2-i", 4.0, 7),
    ("fadd", "nodsp", "vitis-2022.1", "xcvu9p-flga2104-2-i", 4.0, 4),
    ("fadd", None, "vitis-2022.1", "xcvu9p-flga2104-2-i", 4.55, 5),
    ("fmul", None, "vitis-2022.1", "xczu9eg-ffvb1156-2-i", 10.0, 3),
    ("fmul", None, "vitis-2022.1", "xcvu9p-flga2104-2-i", 4.0, 4),
    # Zynq: hijoouzc/UpConv_Block_HLS, tiagolascasas/heterogeneous-vitis-apps, songqij/ESE5320hw
    ("fadd", None, "vitis-2024.2", "xczu7ev-ffvc1156-2-e", 3.33, 11),
    ("fdiv", None, "vitis-2024.2", "xczu7ev-ffvc1156-2-e", 3.33, 30),
    ("dadd", None, "vitis-2024.1", "xczu9eg-ffvb1156-2-e", 6.67, 8),
    ("fadd", None, "vitis-2020.2", "xczu3eg-sbva484-1-i", 6.67, 8),
    # b07901049/1111HLS_labC_DFT
    ("fadd", None, "vitis-2022.1", "xc7z020-clg400-1", 5.6, 10),
    ("dmul", None, "vitis-2022.1", "xczu9eg-ffvb1156-2-i", 10.0, 5),
    ("ddiv", None, "vitis-2022.1", "xczu9eg-ffvb1156-2-i", 10.0, 22),
    ("fadd", None, "vivado-hls-2016.4", "xc7z020clg484-1", 10.0, 5),
    ("fmul", None, "vivado-hls-2016.4", "xc7z020clg484-1", 10.0, 4),
    ("dadd", None, "vivado-hls-2016.4", "xc7z020clg484-1", 10.0, 5),
    ("dmul", None, "vitis-2022.1", "xc7z020clg484-1", 10.0, 7),
    # Crazy-James26/HeteroCL_Transformer
    ("fadd", None, "vitis-2022.1", "xcu280-fsvh2892-2L-e", 3.33, 7),
    ("fadd", "nodsp", "vitis-2022.1", "xcu280-fsvh2892-2L-e", 3.33, 5),
    ("fmul", None, "vitis-2022.1", "xcu280-fsvh2892-2L-e", 3.33, 4),
    ("fdiv", None, "vitis-2022.1", "xcu280-fsvh2892-2L-e", 3.33, 12),
    ("dadd", None, "vitis-2022.1", "xcu280-fsvh2892-2L-e", 3.33, 8),
    ("dsqrt", None, "vitis-2022.1", "xcu280-fsvh2892-2L-e", 3.33, 30),
    # UCLA-VAST/AutoBridge, with another uncertainty the same unit as at 3.33 ns above
    ("fadd", None, "vivado-hls-2019.2", "xcu250-figd2104-2L-e", 3.33, 7),
    ("fadd", None, "vivado-hls-2019.2", "xcu280-fsvh2892-2L-e", 4.0, 5),
    # UCLA-VAST/Prometheus
    ("fadd", None, "vitis-2023.2", "xcu55c-fsvh2892-2L-e", 4.55, 5),
    ("dmul", None, "vitis-2023.2", "xcu55c-fsvh2892-2L-e", 4.0, 6),
    # imans927/Vivado_HLS_Try, photkosee/COMP4601-23T2 (2020.1): the same family, another grade
    ("fmul", None, "vivado-hls-2018.3", "xczu7ev-ffvc1156-2-e", 10.0, 2),
    ("fmul", None, "vivado-hls-2020.1", "xqzu5ev-ffrb900-1-i", 10.0, 3),
    ("fadd", None, "vivado-hls-2020.1", "xqzu5ev-ffrb900-1-i", 8.0, 5),
    ("itod", None, "vivado-hls-2020.1", "xqzu5ev-ffrb900-1-i", 8.0, 5),
    # the same clock on five kinds of 7-series: Town-Hong/HLS_FaceDetect, Chenjh151/CNNIOT_OK, AnthonyKenny98/HoneyBee,
    # MohammadJavadN/CNN-Accelerator, okpeter97/CarSimOnFPGA
    ("fdiv", None, "vivado-hls-2017.4", "xc7z020clg484-1", 10.0, 16),
    ("fdiv", None, "vivado-hls-2019.2", "xc7z020-clg400-2", 10.0, 12),
    ("fdiv", None, "vivado-hls-2019.2", "xc7z030i-fbg484-2L", 10.0, 12),
    ("fdiv", None, "vivado-hls-2019.1", "xc7z020-clg484-3", 10.0, 10),
    ("fdiv", None, "vivado-hls-2019.1", "xc7k325t-ffg900-2", 10.0, 8),
    # dalilavieira/HLStools, hungalab/ResNet-50_INT8, SiddharthAG2005/cnn-accelerator-vitis-hls,
    # Jbonfigs/EECE5698_FinalProject
    ("fdiv", None, "vivado-hls-2019.1", "xc7k160t-fbg484-1", 10.0, 9),
    ("fdiv", None, "vivado-hls-2019.1", "xczu19eg-ffvc1760-2-i", 10.0, 8),
    ("fadd", None, "vitis-2024.2", "xa7a12t-cpg238-2I", 10.0, 5),
    ("fsqrt", None, "vitis-2023.2", "xczu9eg-ffvb1156-2-e", 10.0, 8),
    # Marui-9/swiglu, Deverne-labs/HLS-Zybo, rubennc91/TFG_JorgeNieto_2026
    ("fadd", None, "vitis-2025.1", "xck26-sfvc784-2LV-c", 3.33, 11),
    ("fdiv", None, "vitis-2025.1", "xck26-sfvc784-2LV-c", 3.33, 30),
    ("dsqrt", None, "vitis-2020.2", "xc7z020-clg400-1", 10.0, 57),
    ("dcmp", None, "vitis-2020.2", "xc7z020-clg484-1", 10.0, 2),
    # mzrghorbani/lr_standaloneHLS, mzrghorbani/lr_hls_dev
    ("fadd", None, "vivado-hls-2018.3", "xcku115-flvd1517-2-i", 10.0, 4),
    ("fadd", None, "vivado-hls-2019.1", "xcku115-flvd1517-2-i", 3.125, 10),
    # Licheng-Guo/vivado-hls-broadcast-optimization: fast units of the time before 2019
    ("fadd", None, "vivado-hls-2018.2", "xcvu9p-flgb2104-2-i", 3.33, 11),
    # Supunig/GMM_Background_subtraction (2014.4) and image-fusion of dadaguaijiangjungd: conversions took a state less
    ("fext", None, "vivado-hls-2016.4", "xc7z020clg484-1", 10.0, 1),
    ("fext", None, "vivado-hls-2019.1", "xc7z020-clg484-1", 10.0, 2),
]

UNCERTAINTY = {("vivado-hls-2018.2", 3.33): "0.9ns"}  # else that of the tool


@pytest.mark.parametrize(("op", "impl", "tool", "part", "clock", "states"), REPORTED)
def test_operator_states_of_reports(op, impl, tool, part, clock, states):
    options = TargetOptions(tool=tool, part=part, clock_ns=clock, uncertainty=UNCERTAINTY.get((tool, clock)))
    time = load(options).operator(op, 32, impl)
    assert (time.states, time.measured) == (states, True)


# operator, part, effective period, and states that must stay possible: those of reports nearby
UNSURE = [
    ("fadd", "xc7k325t-ffg900-1", 7.3, 4),  # no report of this grade
    ("dadd", "xc7z020clg484-1", 7.3, 7),  # reports show 6 and 7 (Crazy-James26/HeteroCL_Transformer)
    ("itof", "xcvu9p-flga2104-2-i", 5.0, 3),  # 4 at 7.3 ns (hdeben01/Min-Sum-Vitis-QEC), 3 at 3.65 (zanehpn/HLStrans)
    ("fadd", "xcvu9p-flga2104-2-i", 5.84, 5),  # between 5 states and 4
    ("fadd", "xcvu9p-flga2104-2-i", 1.46, 12),  # faster than any report
    ("fmul", "xcvc1902-vsva2197-2MP-e-S", 7.3, 3),  # a family without reports
]


@pytest.mark.parametrize(("op", "part", "period", "states"), UNSURE)
def test_bounds_where_reports_leave_a_choice(op, part, period, states):
    time = load(TargetOptions(part=part, clock_ns=period, uncertainty="0ns")).operator(op, 32)
    assert not time.measured and time.least <= states <= time.most


@pytest.mark.parametrize("part", ["xczu9eg-ffvb1156-2-i", "xc7z020clg484-1", "xqzu5ev-ffrb900-1-i", "xcku115-2-e"])
@pytest.mark.parametrize("op", ["fadd", "fmul", "dadd", "dmul", "fdiv", "mul"])
def test_a_longer_period_never_takes_more_states(op, part):
    last = None
    for step in range(100, 1400, 7):
        time = load(TargetOptions(part=part, clock_ns=step / 100, uncertainty="0ns")).operator(op, 32)
        assert last is None or (time.most <= last[1] and time.least <= last[0])
        last = (time.least, time.most)


@pytest.mark.parametrize(
    ("part", "clock", "widths", "states"),
    [
        ("xc7z020-clg400-1", 10.0, (64, 67), (5, 5)),  # b07901049/1111HLS_labB and three others
        ("xc7z020-clg400-1", 10.0, (43, 36), (1, 5)),  # two, three and five states
        ("xc7z020-clg400-2", 10.0, (64, 67), (1, 10)),  # another grade
        ("xczu7ev-ffvc1156-2-e", 10.0, (64, 9), (1, 1)),  # velicharlagokulkumar/vitis-hls, tsopeter/HW-IP
        ("xczu7ev-ffvc1156-2-e", 10.0, (40, 34), (1, 1)),  # asandeep1/FPGA_ECE8893
        ("xcu280-fsvh2892-2L-e", 3.33, (64, 67), (5, 5)),  # UCLA-VAST/Stream-HLS
        ("xczu3eg-sbva484-1-e", 10.0, (64, 9), (1, 5)),  # 2018.3: two
        ("xc7z020-clg400-1", 10.0, (512, 512), (1, 10)),  # wider than any in a report
        ("xcu280-fsvh2892-2L-e", 3.33, (256, 67), (1, 5)),
    ],
)
def test_states_of_wide_products(part, clock, widths, states):
    found = load(TargetOptions(tool="vitis-2022.2", part=part, clock_ns=clock)).operator("mul", 64, operands=widths)
    assert (found.least, found.most, found.measured) == (*states, states[0] == states[1])


def test_states_between_periods_follow_from_the_delay_of_a_unit():
    # UCLA-VAST/AutoBridge: seven states of 2.34 ns; nguyencanhtrung/vivado-hls-practice: four of 6.43 ns
    def fadd(period):
        part = "xcu250-figd2104-2-e"
        return load(TargetOptions(part=part, clock_ns=period, uncertainty="0ns")).operator("fadd", 32)

    assert [(fadd(p).least, fadd(p).most) for p in (2.34, 2.6, 6.43, 7.0)] == [(7, 7), (7, 7), (4, 4), (4, 4)]
    assert fadd(2.33).most > 7 and fadd(6.42).most == 5


# products of 32 bits: kefuzheng/vivado_hls_test, bol-edu/2021-fall-ntu, crimson1256/hls4ml_modified_yolo_v3_tiny
@pytest.mark.parametrize(("period", "states"), [(8.75, 1), (7.3, 2), (5.83, 3), (4.38, 5), (2.92, 7)])
def test_products_of_7_series_take_more_states_at_faster_clocks(period, states):
    time = load(TargetOptions(part="xc7z020clg484-1", clock_ns=period, uncertainty="0ns")).operator("mul", 32)
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


def test_updates_of_a_version_have_its_profile():
    for said, tool in (("vitis-2022.1.2", "vitis-2022.1"), ("Vivado HLS 2017.4.op", "vivado-hls-2017.4")):
        assert load(TargetOptions(tool=said)).tool == tool


def test_an_unlisted_part_is_said_once():
    assert len(load(TargetOptions(part="xczu28dr-ffvg1517-2-e")).notes) == 1


@pytest.mark.parametrize(
    ("depth", "bits", "blocks"),
    [(1024, 18, 1), (1024, 32, 2), (512, 32, 1), (4096, 32, 8), (16384, 1, 1), (2048, 8, 1), (64, 72, 2), (0, 8, 0)],
)
def test_bram_shapes(depth, bits, blocks):
    assert load(TargetOptions()).memories.bram18k(depth, bits) == blocks


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
        assert target.operator("fadd", 32).states >= (3 if target.vendor in ("amd", "generic") else 1)
        assert target.ports("auto").total == 2 or target.vendor not in ("amd", "generic")
    assert load(TargetOptions(tool="vitis-2023.2")).flatten_over == "any"
    assert load(TargetOptions(tool="generic")).auto_pipeline == 0


@pytest.mark.parametrize("tool", ["generic", "vitis-2022.1"])
def test_what_an_unknown_tool_makes_of_a_loop_of_run_time_bounds_is_not_claimed(tool, tmp_path):
    text = (
        "void f(int a[64], int o[64], int n) {\nL: for (int i = 0; i < 16; i++) {\n#pragma HLS PIPELINE II=1\n"
        "int s = 0;\nM: for (int j = 0; j < n; j++) s += a[j];\no[i] = s;\n}\n}\n"
    )
    (tmp_path / "k.c").write_text(text)
    kernel = hlspart.open(tmp_path / "k.c", target=tool)
    (status,) = kernel.pipeline.validation.statuses
    loops = {x.name: x for x in kernel.pipeline.figures.loops}
    assert status.status == ("unmodelled" if tool == "generic" else "ignored")
    assert loops["L"].ii is None and (loops["L"].cause is not None) is (tool == "generic")
    assert ("M" in loops) is (tool != "generic")


@pytest.mark.parametrize("part", ["xczu9eg-ffvb1156-2-i", "xcu280-fsvh2892-2l-e"])
def test_an_operator_of_one_state_has_one_delay(part: str) -> None:
    """Its first state is its last: else the schedule and its check would disagree."""
    seen = 0
    for clock in (5.0, 10.0, 18.5, 30.0, 50.0):
        target = load(TargetOptions(part=part, clock_ns=clock))
        for op, bits in (("mul", 64), ("fadd", 32), ("fmul", 32), ("dadd", 64), ("fcmp", 32), ("itof", 32)):
            time = target.operator(op, bits)
            assert time is not None
            if time.states == 1:
                seen += 1
                assert time.in_ns == time.out_ns
    assert seen
