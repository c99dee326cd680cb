from __future__ import annotations

import io
import os
from pathlib import Path

import polars as pl
import pytest
from hypothesis import settings

import kohort as kh

# The same examples each time; the campaign is where others are tried.
settings.register_profile("kohort", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("kohort")


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
    """The command line of the same build: KOHORT names it, and scripts/test-python sets it."""
    found = os.environ["KOHORT"]
    assert Path(found).exists()
    return found
