"""The examples of the guide run, in order, in one program."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "python.md"


def test_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)
    assert len(blocks) > 5
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), names)  # noqa: S102
    assert os.path.getsize("release.html") > 1000 and os.path.getsize("plan.toml") > 100
