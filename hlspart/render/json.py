"""JSON text of a shape: one form everywhere, stable bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hlspart.model.printable import in_json


def render(shape: Mapping[str, Any]) -> str:
    """Indented JSON; undecodable bytes of the source become replacement characters."""
    text = json.dumps(shape, indent=1, ensure_ascii=False)
    return in_json(text.encode("utf-8", "replace").decode("utf-8")) + "\n"
