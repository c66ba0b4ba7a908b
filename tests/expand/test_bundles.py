"""Bundles of their own: the channels of each bus are counted here, and nothing but INTERFACE lines changes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hlspart

#: (head of the function, reads and writes of an iteration, buses that they need)
KERNELS = {
    "vitis flow, nothing said": ("", "acbc", "o", 3),
    "one bundle by name": (
        "#pragma HLS INTERFACE m_axi port=a bundle=mem depth=64 // first\n#pragma HLS INTERFACE mode=m_axi port=b \\\n"
        "    depth=64 bundle=mem offset=slave\n#pragma HLS INTERFACE m_axi port=c bundle=other depth=64\n"
        "#pragma HLS INTERFACE m_axi port=o bundle=other depth=64\n",
        "ab", "o", 3,
    ),
    "names that are taken": (
        "#pragma HLS INTERFACE m_axi port=a depth=64\n#pragma HLS INTERFACE m_axi port=b\n"
        "#pragma HLS INTERFACE m_axi port=c bundle=gmem_b\n#pragma HLS INTERFACE s_axilite port=b bundle=control\n",
        "ab", "o", 2,
    ),
    "two that are written": ("", "a", "ob", 2),
}  # fmt: skip


def kernel(head: str, reads: str, writes: str) -> str:
    """A loop that reads and writes these arguments once each."""
    value = " + ".join(f"{x}[i]" for x in reads)
    stores = "\n".join(f"        {x}[i] = t + {k};" for k, x in enumerate(writes))
    return (
        f"void f(int a[64], int b[64], int c[64], int o[64]) {{\n{head}    for (int i = 0; i < 64; i++) {{\n"
        f"#pragma HLS PIPELINE II=1\n        int t = {value};\n{stores}\n    }}\n}}\n"
    )


def opened(text: str, folder: Path) -> hlspart.Kernel:
    """A kernel of the Vitis flow."""
    path = folder / "kernel.c"
    path.write_text(text)
    return hlspart.open(path, flow="vitis")


def bundles(text: str) -> dict[str, str]:
    """The bundle of each argument, as the Vitis flow takes it."""
    found = dict.fromkeys("abco", "gmem")
    for line in text.replace("\\\n", " ").splitlines():
        if re.match(r"#pragma HLS INTERFACE (mode=)?m_axi", line):
            name = re.search(r"bundle=(\w+)", line)
            found[re.search(r"port=(\w)", line)[1]] = name[1] if name else "gmem"  # type: ignore[index]
    return found


@pytest.mark.parametrize("name", KERNELS)
def test_no_channel_is_asked_twice_and_no_bus_is_more_than_needed(name: str, tmp_path: Path) -> None:
    head, reads, writes, least = KERNELS[name]
    text = kernel(head, reads, writes)
    source = opened(text, tmp_path)
    assert source.ii().loops[0].ii > 1
    (new,) = source.rewrite(style="bundles").texts.values()
    found = bundles(new)
    for accessed in (reads, writes):
        used = [found[x] for x in sorted(set(accessed))]
        assert len(set(used)) == len(used)
    assert len({found[x] for x in reads + writes}) == least
    plain = [line for line in new.splitlines() if "m_axi" not in line and "bundle=mem" not in line]
    assert [line for line in plain if "#pragma HLS INTERFACE" not in line or "s_axilite" in line] == [
        line for line in text.splitlines() if "m_axi" not in line and "bundle=mem" not in line
    ]
    assert opened(new, tmp_path).ii().loops[0].ii == 1


def test_a_bus_more_is_a_port_that_is_asked_for(tmp_path: Path) -> None:
    source = opened(kernel("", "ab", "o"), tmp_path)
    assert dict(source.rewrite(infer=True).texts) == dict(source.texts)
    assert dict(source.rewrite(infer=True, split_top=True).texts) == dict(source.rewrite(style="bundles").texts)
    (loop,) = hlspart.api.advise(source).loops
    ways = {w.kind: w for w in loop.ways}
    assert loop.first is None and ways["bundles"].top_ports == ways["as-written"].top_ports + 1 == 2


@pytest.mark.parametrize(
    "head",
    [
        "#define PORT(x) _Pragma(x)\nPORT(\"HLS INTERFACE m_axi port=b bundle=gmem\")\n",
        "#define MEM gmem\n#pragma HLS INTERFACE m_axi port=b bundle=MEM\n",
    ],
)  # fmt: skip
def test_a_directive_of_a_macro_keeps_its_text(head: str, tmp_path: Path) -> None:
    source = opened(kernel(head, "ab", "o"), tmp_path)
    (new,) = source.rewrite(style="bundles").texts.values()
    assert new == kernel(head, "ab", "o")
