"""Python values as JSON."""

from __future__ import annotations

import json
from typing import Any


def to_json(value: Any) -> str:
    """Return a value as JSON. Arrays and scalars of numpy are lists and numbers."""
    return json.dumps(value, default=_plain)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be a part of a shape or a body")
