"""Records of a search on disk: what is searched, and one line per finished task, written by the driver alone.

What was finished of a nest stays for other searches with nests that are alike: ``FOLDER/templates/KEY.json``.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TextIO

from hlspart.explore.errors import StateError

_RECORD = frozenset({"task", "evaluated", "pruned", "failed", "least", "front"})


def digest(value: object) -> str:
    """Name of a plain value, the same on every machine."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


class Store:
    """``FOLDER/space.json`` and ``FOLDER/results.jsonl``; without a folder nothing is kept."""

    def __init__(self, folder: str | None, space: Mapping[str, Any], resume: bool) -> None:
        """Raises :class:`StateError`. Without ``resume`` what is there is replaced."""
        self.done: dict[str, dict[str, Any]] = {}
        self._file: TextIO | None = None
        if folder is None:
            return
        path = Path(folder)
        try:
            path.mkdir(parents=True, exist_ok=True)
            known, results = path / "space.json", path / "results.jsonl"
            if resume and known.exists():
                there = _read(known)
                if there.get("hash") != digest(space):
                    raise StateError(f"{folder} holds the records of another search")
                self.done = {r["task"]: r for r in _lines(results)}
            text = "".join(json.dumps(r, separators=(",", ":")) + "\n" for r in self.done.values())
            _replace(results, text)  # a line that a crash cut off is gone
            _replace(known, json.dumps({"hash": digest(space), "space": space}, indent=1) + "\n")
            self._file = results.open("a", encoding="utf-8")
        except OSError as error:
            raise StateError(f"cannot keep records in {folder}: {error.strerror or error}") from None

    def add(self, records: Iterable[dict[str, Any]]) -> None:
        """Take finished tasks in; on disk before it returns."""
        for record in records:
            self.done[record["task"]] = record
            if self._file is not None:
                self._file.write(json.dumps(record, separators=(",", ":")) + "\n")
        if self._file is not None:
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """No more records."""
        if self._file is not None:
            self._file.close()


class Templates:
    """``FOLDER/templates``: the records of a whole nest, by all that they depend on. Several searches may write it."""

    def __init__(self, folder: str | None) -> None:
        self._folder = None if folder is None else Path(folder) / "templates"

    def known(self, nest: int, key: str) -> list[dict[str, Any]]:
        """Records of an earlier search, as tasks of ``nest``."""
        there = _read(path) if self._folder is not None and (path := self._folder / f"{key}.json").exists() else {}
        records = there.get("records")
        if not isinstance(records, list) or not all(isinstance(r, dict) and set(r) >= _RECORD for r in records):
            return []
        return [{**r, "task": f"{nest}:{r['task']}"} for r in records]

    def keep(self, key: str, records: Iterable[Mapping[str, Any]]) -> None:
        """The records of all tasks of a nest. Raises :class:`StateError`."""
        if self._folder is None or (path := self._folder / f"{key}.json").exists():
            return
        own = [{**r, "task": str(r["task"]).partition(":")[2]} for r in records]
        try:
            self._folder.mkdir(exist_ok=True)
            _replace(path, json.dumps({"records": own}, separators=(",", ":")) + "\n")
        except OSError as error:
            raise StateError(f"cannot keep records in {self._folder}: {error.strerror or error}") from None


def _read(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def _lines(path: Path) -> list[dict[str, Any]]:
    """Whole records; a broken one is as if its task had not run."""
    records = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict) and set(record) >= _RECORD:
            records.append(record)
    return records


def _replace(path: Path, text: str) -> None:
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)
