"""The report page: what is on it, and how it looks in a real browser where there is one."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import zlib
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VOID = {"meta", "link", "br", "img", "rect", "path"}
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
    assert parsed.open == [] and parsed.links == [] and parsed.count["script"] == 0
    assert "http" not in text and "@import" not in text and "url(" not in text
    assert parsed.count["svg"] == 3  # bars, ports, one bank map
    assert text.count("<title>[") == 24 * 32  # a cell with tooltip per element
    assert len(set(re.findall(r"bank (\d)</title>", text))) == 9
    assert '<td class="n bad">5</td>' in text and "tile bank 0: 9 accesses, 2 ports" in text
    assert text.count('<span class="l') == len((ROOT / "samples/conv2d.c").read_text().split("\n"))
    assert len(re.findall('<span class="l h4">', text)) >= 10 and "linear alpha [1, 2]" in text
    assert cli("report", "conv2d.c", "-o", "again.html").code == 0
    assert (page.parent / "again.html").read_text() == text


def test_every_sample_has_a_page(cli, tmp_path: Path) -> None:
    samples = sorted((ROOT / "samples").glob("*.c"))
    for sample in samples:
        shutil.copy(sample, tmp_path)
    done = cli("report", *(s.name for s in samples), "--out-dir", "pages", "--format", "html")
    assert done.code == 0
    pages = sorted((tmp_path / "pages").glob("*.html"))
    assert len(pages) == len(samples) >= 10
    for path in pages:
        parsed = Page(path.read_text())
        assert parsed.open == [] and parsed.count["table"] >= 2


def test_source_is_escaped(cli, tmp_path: Path) -> None:
    (tmp_path / "x.c").write_text("/* <script>alert(1)</script> & */ int f(int a[2]) { return a[0] < a[1]; }\n")
    assert cli("report", "x.c", "-o", "x.html").code == 0
    text = (tmp_path / "x.html").read_text()
    assert "<script" not in text and "&lt;script&gt;" in text
    Page(text)


def test_a_broken_file_is_on_the_page(cli, tmp_path: Path) -> None:
    (tmp_path / "x.c").write_text("void f( {\n")
    assert cli("report", "x.c", "-o", "x.html").code == 2
    assert "not analysed: line 1" in (tmp_path / "x.html").read_text()


def test_large_arrays_have_a_path_per_bank(cli, tmp_path: Path) -> None:
    (tmp_path / "x.c").write_text(
        "void f(int o[8]) { int a[500][300];\n#pragma HLS ARRAY_PARTITION variable=a cyclic factor=3 dim=2\n"
        "for (int i = 0; i < 500; i++) for (int j = 0; j < 300; j++) a[i][j] = i; o[0] = a[1][2]; }\n"
    )
    assert cli("report", "x.c", "-o", "x.html").code == 0
    text = (tmp_path / "x.html").read_text()
    assert text.count("<path ") == 3 and "the first 128 x 128 elements" in text and len(text) < 900_000


# ---------------------------------------------------------------------------------- the browser


def browse(folder: Path, page: Path, *args: str) -> str:
    assert BROWSER is not None
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}", *args]
    done = subprocess.run([*command, f"file://{page}"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-300:]
    return done.stdout


def pixels(path: Path) -> tuple[int, int, int]:
    """Width, height, number of distinct bytes of a PNG's image data."""
    data = path.read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    at, body = 8, b""
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        if data[at + 4 : at + 8] == b"IDAT":
            body += data[at + 8 : at + 8 + length]
        at += 12 + length
    return width, height, len(set(zlib.decompress(body)))


@pytest.mark.skipif(BROWSER is None, reason="no Chromium: apt-get install chromium to see the report page tested")
@pytest.mark.parametrize("width", [360, 1280])
def test_in_a_browser(page: Path, tmp_path: Path, width: int) -> None:
    measure = (
        "<script>document.title = [document.scrollingElement.scrollWidth, innerWidth,"
        " document.querySelectorAll('svg rect').length, document.querySelectorAll('table.loops tr').length,"
        " getComputedStyle(document.querySelector('span.h4')).borderLeftColor].join(';')</script>"
    )
    copy = tmp_path / "measured.html"
    copy.write_text(page.read_text() + measure)
    size = f"--window-size={max(width, 500)},1500"  # headless windows are never narrower than 500
    frame = tmp_path / "frame.html"
    frame.write_text(f'<iframe src="measured.html" width="{width}" height="900" style="border:0"></iframe>')
    dom = browse(tmp_path, copy, size, "--dump-dom")
    whole, window, rects, rows, stripe = re.search(r"<title>([^<]*)</title>", dom)[1].split(";")  # type: ignore[index]
    assert int(whole) <= int(window), "the page is wider than its window"
    assert int(rects) > 24 * 32 and rows == "3" and stripe == "rgb(198, 40, 40)"
    picture = tmp_path / "shot.png"
    browse(tmp_path, frame, size, f"--screenshot={picture}")
    found_width, height, variety = pixels(picture)
    assert found_width >= width and height >= 900 and variety > 100
