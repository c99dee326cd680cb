"""Values that a person passes, as the native half takes them."""

from __future__ import annotations

import json
import os
from typing import Any

from ._errors import PlanError


def json_of(value: Any) -> str:
    """JSON, in which the numbers of numpy are numbers and paths are texts."""
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise PlanError(f"a plan is made of texts, numbers, lists and dicts, but this is {type(value).__name__}")
