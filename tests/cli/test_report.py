"""The report page: what is on it, and how it looks in a real browser where there is one."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from collections import Counter
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from tests.amounts import amount

ROOT = Path(__file__).resolve().parents[2]
VOID = {"meta", "link", "br", "img", "rect", "path", "circle"}
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Page(HTMLParser):
    """Counts elements and checks that they are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.count: Counter[str] = Counter()
        self.open: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] += 1
        self.links += [v for k, v in attrs if k in ("src", "href") and v]
        if tag not in VOID or tag == "rect":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, (tag, self.open[-3:], self.getpos())
        self.open.pop()


@pytest.fixture
def page(cli, tmp_path: Path) -> Path:
    shutil.copy(ROOT / "samples/conv2d.c", tmp_path / "conv2d.c")
    assert cli("report", "conv2d.c", "-o", "report.html").code == 0
    return tmp_path / "report.html"


def test_self_contained_and_complete(cli, page: Path) -> None:
    text = page.read_text()
    parsed = Page(text)
    assert parsed.open == [] and parsed.count["script"] == 1
    assert all(link.startswith("#") and f'id="{link[1:]}"' in text for link in parsed.links)
    assert "://" not in text and "@import" not in text and "url(" not in text
    script = re.search(r"<script>(.*?)</script>", text, re.S)[1]  # type: ignore[index]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    assert policy in text  # no other script runs
    assert "1 of 2 pipelined loops misses the target II" in text
    maps = text.count("<figure>")  # as written and, where infer finds another mapping, as inferred
    assert maps in (1, 2) and text.count("<title>[") == 24 * 32 * maps  # a cell with tooltip per element
    assert len(set(re.findall(r"bank (\d)</title>", text))) == 9
    assert 'data-label="II">5</td>' in text and "tile bank 0: 9 accesses, 2 ports" in text
    assert re.findall(r'class="late">slot (\d) ', text) == ["1", "2", "3", "4"]  # one slot is asked for, five are used
    assert text.count('<span class="l') == len((ROOT / "samples/conv2d.c").read_text().split("\n"))
    assert len(re.findall('<span class="l h4"', text)) >= 10
    for table in ("loops", "memories", "findings", "directives"):
        assert text.count(f'<table class="{table}') == 1
    assert cli("report", "conv2d.c", "-o", "again.html").code == 0
    assert (page.parent / "again.html").read_text() == text


def test_the_figures_are_those_of_the_analyses(cli, page: Path) -> None:
    text, (file,) = page.read_text(), cli("ii", "conv2d.c", "--format", "json").json["files"]
    lint = cli("lint", "conv2d.c", "--format", "json").json
    tiles = [int(n) for n in re.findall(r"<li class=\"[a-z]*\"><b>(\d+)</b>", text)]
    arrays = file["arrays"]
    assert tiles == [
        2, 1, sum(a["banks"] for a in arrays), sum(a["bram18k"] for a in arrays),
        sum(a["registers"] for a in arrays), lint["summary"]["errors"] + lint["summary"]["warnings"],
    ]  # fmt: skip
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr><td data-label=\"loop.*?</tr>", text)]
    figures = [(r[0], *map(int, r[3:5])) for r in rows]
    assert figures == [(f"{x['function']}/{x['name']}", x["target_ii"], x["ii"]) for x in file["loops"]]
    assert text.count('data-label="storage"') == len(arrays)
    said = [(d["line"], d["severity"], f"{d['rule']} {d['name']}") for d in lint["diagnostics"]]
    table = re.search(r'<table class="findings">(.*?)</table>', text, re.S)[1]  # type: ignore[index]
    rows = re.findall(r">(\d+)</a></td><td class=\"\w+\">(\w+)</td><td>.*?small\">(HLP[^<]*)<", table)
    assert [(int(line), severity, rule) for line, severity, rule in rows] == said


def test_every_sample_has_a_page(cli, tmp_path: Path) -> None:
    samples = sorted((ROOT / "samples").glob("*.c"))[:: amount(3, 1)]
    for sample in samples:
        shutil.copy(sample, tmp_path)
    done = cli("report", *(s.name for s in samples), "--out-dir", "pages", "--format", "html")
    assert done.code == 0
    pages = sorted((tmp_path / "pages").glob("*.html"))
    assert len(pages) == len(samples) >= amount(4, 10)
    for path in pages:
        parsed = Page(path.read_text())
        assert parsed.open == [] and parsed.count["table"] >= 2


def test_source_is_escaped(cli, tmp_path: Path) -> None:
    (tmp_path / "x.c").write_text("/* <script>alert(1)</script> & */ int f(int a[2]) { return a[0] < a[1]; }\n")
    assert cli("report", "x.c", "-o", "x.html").code == 0
    text = (tmp_path / "x.html").read_text()
    assert text.count("<script") == 1 and "&lt;script&gt;" in text
    Page(text)


def test_a_broken_file_is_on_the_page(cli, tmp_path: Path) -> None:
    (tmp_path / "x.c").write_text("void f( {\n")
    assert cli("report", "x.c", "-o", "x.html").code == 2
    assert "not analysed: line 1" in (tmp_path / "x.html").read_text()


def test_large_arrays_have_a_path_per_bank(cli, tmp_path: Path) -> None:
    (tmp_path / "x.c").write_text(
        "void f(int o[8]) { int a[500][300];\n#pragma HLS ARRAY_PARTITION variable=a block factor=5 dim=1\n"
        "#pragma HLS ARRAY_PARTITION variable=a block factor=3 dim=2\n"
        "for (int i = 0; i < 500; i++) for (int j = 0; j < 300; j++) a[i][j] = i; o[0] = a[1][2]; }\n"
    )
    assert cli("report", "x.c", "-o", "x.html").code == 0
    text = (tmp_path / "x.html").read_text()
    assert text.count("<path ") == 4 and "the first 128 x 128 elements" in text and len(text) < 300_000


def test_findings_of_headers_and_of_broken_files_are_there(cli, tmp_path: Path) -> None:
    (tmp_path / "n.h").write_text(
        "static int g(int x) {\n#pragma HLS array_partition variable=zz complete\nreturn x; }\n"
    )
    (tmp_path / "x.c").write_text('#include "n.h"\nint f(int x) { return g(x); }\n')
    (tmp_path / "bad.c").write_text("void f( {\n")
    assert cli("report", "x.c", "bad.c", "--format", "html=x.html").code == 2
    text = (tmp_path / "x.html").read_text()
    assert "n.h:2" in text and "HLP401 unknown-variable" in text and "HLP002 syntax-error" in text
    assert "1 file could not be read" in text and Page(text).open == []


def test_regions_and_lifetimes(cli, tmp_path: Path) -> None:
    (tmp_path / "x.c").write_text(
        "static void g(int p[8]) { for (int i = 0; i < 8; i++) p[i] = i; }\n"
        "void f(int out[8]) {\n"
        "  int a[8], b[8], c[8];\n"
        "  g(a);\n"
        "L: for (int i = 0; i < 8; i++)\n"
        "    b[i] = a[i];\n"
        "  c[0] = 0;\n"
        "M: for (int i = 0; i < 8; i++) out[i] = b[i] + c[0];\n"
        "}\n"
    )
    assert cli("report", "x.c", "--format", "json=x.json", "--format", "html=x.html").code == 0
    (file,) = json.loads((tmp_path / "x.json").read_text())["files"]
    of = [x for x in file["regions"] if x["function"] == "f"]
    assert [(x["loop"], x["line"], x["end_line"], x["reads"], x["writes"], x["calls"]) for x in of] == [
        (None, 4, 4, [], [], ["a"]),
        ("L", 5, 6, ["a"], ["b"], []),
        (None, 7, 7, [], ["c"], []),
        ("M", 8, 8, ["b", "c"], ["out"], []),
    ]
    assert {x["array"]: (x["first"], x["last"], x["across_calls"]) for x in file["lifetimes"]} == {
        "p": (0, 0, True), "a": (0, 1, False), "b": (1, 3, False), "c": (2, 3, False), "out": (3, 3, True),
    }  # fmt: skip
    text = (tmp_path / "x.html").read_text()
    assert (
        "<h3>Regions</h3>" in text and "<h3>Lifetimes</h3>" in text and "line 4 to 6" in text and Page(text).open == []
    )
    assert file["memory"]["unshared_bytes"] == 96 and "<title>b: steps" in text and "memory map" in text


def test_a_late_loop_comes_first_with_reason_chart_and_ways(cli, tmp_path: Path) -> None:
    shutil.copy(ROOT / "samples/bottleneck.c", tmp_path)
    assert cli("report", "bottleneck.c", "-o", "r.html").code == 0
    text = unescape((tmp_path / "r.html").read_text())
    card = re.search(r"<article.*?</article>", text, re.S)[0]  # type: ignore[index]
    assert text.index("<article") < text.index("<table")
    assert "bottleneck/SUM_LOOP II 2 instead of 1: 3 accesses to mem, 2 ports" in card
    assert re.findall(r'aria-label="load ([^"]*)"', card) == [
        "mem[i], line 25: bottleneck.mem p0, slot 0",
        "mem[i - 1], line 25: bottleneck.mem p1, slot 0",
        "mem[i - 2], line 25: bottleneck.mem p0, slot 1, 1 slot too late",
    ]
    ways = re.findall(r"<li><p>(.*?)</li>", card, re.S)
    assert len(ways) == 4 and "reuse buffers" in ways[0] and "II 1, 130 cycles" in ways[0]
    assert all("<button" in way for way in ways)  # what changes nothing is no way out
    command = re.search(r"<pre>(hlspart rewrite .*?)</pre>", ways[0])[1]  # type: ignore[index]
    assert cli(*command.split()[1:]).code == 0
    (after,) = cli("ii", "NEW.c", "--format", "json").json["files"]
    assert {x["ii"] for x in after["loops"]} == {1}
    changed = re.search(r'<pre class="diff">(.*?)</pre>', text, re.S)[1]  # type: ignore[index]
    lines = re.findall(r"<span[^>]*>(.*)</span>", changed)
    assert "-    int32_t mem[N];" in lines and any(x.startswith("+ ") and "mem" in x for x in lines)


def test_when_the_parts_of_a_function_run(cli, tmp_path: Path) -> None:
    shutil.copy(ROOT / "samples/polyphase.c", tmp_path)
    assert cli("report", "polyphase.c", "-o", "r.html").code == 0
    text = (tmp_path / "r.html").read_text()
    (end,) = re.findall(r"When the parts of polyphase run: (\d+) cycles", text)
    parts = re.findall(r'aria-label="(\S+): states (\d+) to (\d+), (\d+) cycles"', text)
    found = {name: (int(a), int(b)) for name, a, b, _ in parts if name in ("load", "window()", "fold", "energy()")}
    loops = {
        x["name"]: x["latency"]["max"] for x in cli("ii", "polyphase.c", "--format", "json").json["files"][0]["loops"]
    }
    assert len(found) == 4 and max(b for _, b in found.values()) == int(end)
    assert found["load"][1] - found["load"][0] == loops["load"] and found["fold"][1] - found["fold"][0] == loops["fold"]
    assert found["load"][1] < found["window()"][0] and found["fold"][0] < found["energy()"][1]  # the last two overlap


def test_unknown_is_neither_green_nor_missed_and_nothing_is_none(cli, tmp_path: Path) -> None:
    (tmp_path / "n.h").write_text(
        "static void g(int n, int a[64], const int p[64]) {\nL: for (int i = 0; i < 64; i++) {\n#pragma HLS pipeline\n"
        "while (a[p[i]] > n) a[p[i]] -= n; } }\n"
    )
    (tmp_path / "x.c").write_text(
        '#include "n.h"\nvoid f(int n, int a[64], int *q, const int p[64]) { g(n, a, p); *q = n; }\n'
    )
    assert cli("report", "x.c", "-o", "x.html").code == 0
    text = (tmp_path / "x.html").read_text()
    page = Page(text)
    assert page.open == [] and all(f'id="{link[1:]}"' in text for link in page.links)
    assert "None" not in text and "n.h:2" in text
    tiles = dict(reversed(x) for x in re.findall(r'<li class="[a-z]*"><b>(\d+)</b>([a-zA-Z0-9 ]+)', text))
    assert (tiles["pipelined loops"], tiles["miss the target II"], tiles["cannot be predicted"]) == ("1", "0", "1")
    assert 'class="n warn" data-label="II"' in text and 'class="n good" data-label="II"' not in text


def test_a_page_of_1024_banks_stays_small(cli, tmp_path: Path) -> None:
    (tmp_path / "b.c").write_text(
        "void big(const int in[4096], int out[4096]) {\n  int m[128][128];\n"
        "#pragma HLS array_partition variable=m type=cyclic factor=32 dim=1\n"
        "#pragma HLS array_partition variable=m type=cyclic factor=32 dim=2\n"
        "A: for (int i = 0; i < 64; i++)\n    for (int j = 0; j < 64; j++) {\n#pragma HLS pipeline II=1\n"
        "      m[i][j] = in[i * 64 + j];\n    }\n"
        "B: for (int i = 0; i < 64; i++)\n    for (int j = 0; j < 64; j++) {\n#pragma HLS pipeline II=1\n"
        "      out[i * 64 + j] = m[i][j] + m[j][i] + m[2 * i][j] + m[i][2 * j];\n    }\n}\n"
    )
    assert cli("report", "b.c", "-o", "b.html").code == 0
    text = (tmp_path / "b.html").read_text()
    assert len(text.encode()) < 300_000 and "1024 banks" in text and Page(text).open == []
    assert len(re.findall(r'<path d="[^"]*" stroke="hsl', text)) == 1024 and "and 1000 more" in text


def test_a_large_map_shows_one_period_and_all_of_what_does_not_repeat(cli, tmp_path: Path) -> None:
    body = "#pragma HLS pipeline II=1\n    m[{0}] = p[{0}]; }}\n"
    (tmp_path / "m.c").write_text(
        "void f(const int p[4096], int o[64]) {\n  int m[4096], n[4096], s[96][128];\n"
        "#pragma HLS array_partition variable=m type=cyclic factor=128\n"
        "#pragma HLS array_partition variable=n type=block factor=3\n"
        "#pragma HLS array_partition variable=s type=cyclic factor=10 dim=2\n"
        "A: for (int i = 0; i < 4096; i++) {\n" + body.format("i") + "B: for (int i = 0; i < 4096; i++) {\n"
        "#pragma HLS pipeline II=1\n    n[i] = m[i]; s[i % 96][i % 128] = i; }\n"
        "C: for (int i = 0; i < 64; i++) o[i] = n[i] + s[i][i];\n}\n"
    )
    cli("report", "m.c", "-o", "m.html")
    text = (tmp_path / "m.html").read_text()
    drawn = dict(re.findall(r"(\w+)\[[\]\[\d]+ as written: \d+ banks(?:, drawn: ([^<]*))?<", text))
    # 64 elements a row, eight rows at least; 10 columns a period
    assert drawn == {
        "m": "the first 512; the others repeat them",
        "n": "",
        "s": "8 x 10 of them; the others repeat them",
    }
    (shown,) = re.findall(r'<svg [^>]*aria-label="banks of m\[4096\] as written.*?</svg>', text, re.S)
    found = re.findall(r"\[(\d+)\] bank (\d+)<", shown)
    assert [(int(x), int(b)) for x, b in found] == [(x, x % 128) for x in range(512)]


def test_the_card_of_an_uncertain_loop_does_not_say_that_it_misses(cli, tmp_path: Path) -> None:
    (tmp_path / "h.c").write_text(
        "void f(const unsigned char v[64], const unsigned char w[64], int h[256]) {\n"
        "COUNT: for (int i = 0; i < 64; i++) {\n#pragma HLS PIPELINE II=1\n    h[v[i]] = i; h[w[i]] = 1; }\n}\n"
    )
    assert cli("report", "h.c", "-o", "h.html").code == 0
    (card,) = re.findall(r"<article class=\"(.*?)</article>", (tmp_path / "h.html").read_text(), re.S)
    assert card.startswith("card doubtful") and ">f/COUNT II 1 to 2, target 1</h3>" in card
    assert "<p>whether iterations touch the same element depends on data; at most II 2: h: " in card


# ---------------------------------------------------------------------------------- the browser

MEASURE = """<script>
const frame = document.querySelector("iframe");
frame.onload = () => {
  const inner = frame.contentDocument, all = (s) => inner.querySelectorAll(s);
  const out = [...all("body *")].filter((e) => {
    const box = e.getBoundingClientRect();
    return box.right > frame.clientWidth + 1 && !e.closest(".wide, pre");
  });
  const heat = inner.defaultView.getComputedStyle(inner.querySelector("span.h4")).borderLeftColor;
  const paper = inner.defaultView.getComputedStyle(inner.body).backgroundColor;
  const taken = inner.querySelector(".taken[data-a][aria-label*=tile]");
  taken.dispatchEvent(new inner.defaultView.MouseEvent("mouseover", { bubbles: true }));
  const place = (e) => e.closest("pre") ? " source" : e.closest("figure") ? " bank" : "";
  const lit = [...all(".lit")].map((e) => e.tagName + place(e));
  taken.dispatchEvent(new inner.defaultView.MouseEvent("mouseout", { bubbles: true }));
  const unnamed = [...all("[tabindex], a, button, summary")].filter(
    (e) => !(e.getAttribute("aria-label") || e.textContent.trim()));
  const copy = inner.querySelector("button.copy");
  document.title = JSON.stringify({
    lit: [...new Set(lit)].sort(), dark: all(".lit").length, unnamed: unnamed.length,
    copy: [copy.hidden, copy.getAttribute("aria-label"), copy.tabIndex],
    levels: [...all("h1, h2, h3, h4")].map((e) => +e.tagName[1]),
    width: inner.scrollingElement.scrollWidth, height: inner.scrollingElement.scrollHeight, outside: out.length,
    cells: all("figure rect").length, loops: all("table.loops tr").length, lines: all("pre span.l").length,
    svg: all("svg").length, heat, paper,
    hidden: [...all("h3, td[data-label=II]")].filter((e) => !e.offsetParent).length,
  });
};
</script>"""


FRAMES = [(width, scheme) for width in (360, 768, 1280, 1920) for scheme in ("light", "dark")]


@pytest.mark.skipif(BROWSER is None, reason="no Chromium: apt-get install chromium to see the report page tested")
@pytest.mark.parametrize(("width", "scheme"), amount([FRAMES[0]], FRAMES))
def test_in_a_browser(page: Path, tmp_path: Path, width: int, scheme: str) -> None:
    """In a frame, for the window of a headless browser is never narrower than 500."""
    frame, picture, height = tmp_path / "frame.html", tmp_path / "shot.png", 2400
    style = f"border:0;display:block;width:{width}px;height:{height}px"
    frame.write_text(
        f'<body style="margin:0"><iframe style="{style}" srcdoc="{escape(page.read_text())}"></iframe>{MEASURE}'
    )
    command = [
        BROWSER or "", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=4000",
        "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
        "--disable-sync", f"--user-data-dir={tmp_path / 'profile'}",
        f"--blink-settings=preferredColorScheme={int(scheme == 'light')}",
        f"--window-size={max(width, 500)},{height}", f"--screenshot={picture}", "--dump-dom", frame.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-300:]
    found = json.loads(unescape(re.search(r"<title>(.*?)</title>", done.stdout)[1]))  # type: ignore[index]
    assert found["width"] <= width and found["outside"] == 0, "something is wider than the page"
    maps = page.read_text().count("<figure>")
    assert (found["cells"], found["loops"], found["hidden"]) == (24 * 32 * maps, 3, 0)
    assert found["svg"] >= 4 and found["lines"] == len((ROOT / "samples/conv2d.c").read_text().split("\n"))
    assert found["lit"] == ["SPAN source", "g", "rect bank"]  # slot, access and bank go together
    assert found["dark"] == 0
    assert found["unnamed"] == 0 and found["copy"] == [False, "Copy: hlspart rewrite conv2d.c --infer -o NEW.c", 0]
    assert all(b - a <= 2 for a, b in zip(found["levels"], found["levels"][1:], strict=False))
    assert found["heat"] == "rgb(198, 40, 40)"
    paper = (255, 255, 255) if scheme == "light" else (13, 17, 23)
    assert found["paper"] == "rgb({}, {}, {})".format(*paper)
    with Image.open(picture) as shot:
        image = shot.convert("RGB").crop((0, 0, width, min(height, found["height"])))
    ink = ImageChops.difference(image, Image.new("RGB", image.size, paper)).convert("L").point(lambda v: 255 * (v > 24))
    bands = [ink.crop((0, y, width, y + 200)) for y in range(0, image.height - 200, 200)]
    shares = [sum(band.histogram()[255:]) / (width * 200) for band in bands]
    assert len(bands) >= 6 and min(shares) > 0.001 and max(shares) < 0.95  # every part shows something
    assert ink.getbbox()[0] >= 8 and ink.getbbox()[2] <= width - 8  # and stays inside the margins
