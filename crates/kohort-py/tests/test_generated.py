from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import kohort as kh
from kohort import _kohort


def test_the_generated_module_is_current() -> None:
    path = Path(__file__).parents[1] / "generate.py"
    spec = importlib.util.spec_from_file_location("generate", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.FILE.read_text(encoding="utf-8") == module.text(), "run `python generate.py`"


def test_every_model_has_a_constructor_and_every_algorithm_an_id() -> None:
    registry = json.loads(_kohort.registry())
    for model in registry["models"]:
        made = getattr(kh, model["id"].replace("-", "_"))
        assert model["promise"] in made.__doc__
    assert list(kh.ALGORITHMS) == [one["id"] for one in registry["algorithms"]]
    assert list(kh.ATTACKS) == [one["id"] for one in registry["attacks"]]
