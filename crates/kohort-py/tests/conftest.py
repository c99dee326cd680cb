from __future__ import annotations

import io
import os
from pathlib import Path

import polars as pl
import pytest

import kohort as kh

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def hospital() -> pl.DataFrame:
    text, _ = kh.demo("hospital", rows=400)
    return pl.read_csv(io.StringIO(text), schema_overrides={"zip": pl.String}, try_parse_dates=True)


@pytest.fixture(scope="session")
def plan() -> kh.Plan:
    return kh.Plan(
        quasi={"age": kh.widths(5, 10, 20), "zip": kh.mask(), "sex": None},
        sensitive=["disease"],
        identifiers=["name"],
        goal=[kh.k_anonymity(5), kh.frequency_l_diversity(2, of="disease")],
        suppression=0.02,
        seed=7,
    )


@pytest.fixture(scope="session")
def command() -> str:
    """The command line of the same build: KOHORT names it."""
    found = os.environ.get("KOHORT", str(ROOT / "target" / "debug" / "kohort"))
    assert Path(found).exists(), "build the command line first: cargo build -p kohort-cli"
    return found
