"""What takes long, on a terminal: one line on standard error, from the third second on, that goes away again."""

from __future__ import annotations

import sys
import threading
import time
from types import FrameType

_AFTER, _EVERY = 2.0, 0.5  # seconds
_DOING = {  # package whose code runs -> what it does; the innermost one that is named counts
    "frontend": "reading", "poly": "looking at accesses", "partition": "checking directives", "schedule": "scheduling",
    "infer": "searching partitions", "banking": "searching banks", "rewrite": "rewriting", "transform": "rewriting",
    "verification": "running both versions", "lint": "checking rules", "expand": "expanding",
    "buffers": "packing arrays", "blocked": "laying out", "mars": "tiling", "render": "writing",
}  # fmt: skip


class Progress:
    """``with Progress():`` around the work; ``note`` says how far it is, ``stop`` ends it before output."""

    def __init__(self) -> None:
        self._note = ""
        self._over = threading.Event()
        self._main = 0
        self._thread: threading.Thread | None = None

    def __enter__(self) -> None:
        self._note, self._main = "", threading.get_ident()
        self._over.clear()
        if sys.stderr.isatty():
            self._thread = threading.Thread(target=self._watch, args=(time.monotonic(),), daemon=True)
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def shown(self) -> bool:
        """Whether somebody sees it."""
        return self._thread is not None

    def note(self, text: str) -> None:
        """How far the work is, in place of what is being done."""
        self._note = text

    def stop(self) -> None:
        """Clears the line; nothing more is shown."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _watch(self, start: float) -> None:
        pause, width = _AFTER, 0  # blanks clear the line: --color never has no control sequences
        while not self._over.wait(pause):
            pause = _EVERY
            doing = self._note or doing_in(sys._current_frames().get(self._main))
            text = f"{doing}: {time.monotonic() - start:.0f} s"
            width = max(width, len(text))
            print(f"\r{text:{width}}", end="", file=sys.stderr, flush=True)
        if width:
            print(f"\r{'':{width}}\r", end="", file=sys.stderr, flush=True)


def doing_in(frame: FrameType | None) -> str:
    """What the code of a stack frame is there for."""
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        package = name.split(".")[1] if name.startswith("hlspart.") else ""
        if package in _DOING:
            return _DOING[package]
        frame = frame.f_back
    return "working"


PROGRESS = Progress()  # of this process
