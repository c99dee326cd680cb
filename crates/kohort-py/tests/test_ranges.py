"""Ranges as structs of their bounds."""

from __future__ import annotations

import datetime
import pickle

import polars as pl
import pytest

import kohort as kh

N = 40


@pytest.fixture
def frame() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "age": pl.Series([20 + i for i in range(N)], dtype=pl.Int16),
            "cost": [i * 1.5 for i in range(N)],
            "day": [datetime.date(2020, 1, 1) + datetime.timedelta(days=9 * i) for i in range(N)],
            "sex": ["fm"[i % 2] for i in range(N)],
        }
    )


def test_bounds_have_the_type_of_the_column(frame: pl.DataFrame) -> None:
    release = kh.anonymize(frame, quasi=["age", "cost", "day"], k=4, ranges="struct")
    closed = pl.Field("closed", pl.String)
    assert release.frame.schema["age"] == pl.Struct([pl.Field("low", pl.Int16), pl.Field("high", pl.Int16), closed])
    assert release.frame.schema["day"] == pl.Struct([pl.Field("low", pl.Date), pl.Field("high", pl.Date), closed])
    ages = release.frame["age"].struct
    assert (ages.field("low") <= ages.field("high")).all()
    assert release.to_polars().schema["age"] == pl.String
    assert kh.verify(release, original=frame)
    again = pickle.loads(pickle.dumps(release))
    assert again == release and kh.verify(again, original=frame)


def test_bounds_are_those_of_the_texts(frame: pl.DataFrame) -> None:
    plan = kh.Plan(quasi={"age": kh.widths(5, 10, 20), "sex": None}, k=4)
    texts, structs = (kh.anonymize(frame, plan, ranges=ranges).frame for ranges in ("text", "struct"))  # type: ignore[arg-type]
    assert structs["sex"].equals(texts["sex"])
    for text, bounds in zip(texts["age"], structs["age"], strict=True):
        written = f"[{bounds['low']}, {bounds['high']}]"
        assert text in (written, str(bounds["low"])) or text == "*"


def test_another_word_is_refused(frame: pl.DataFrame) -> None:
    with pytest.raises(kh.PlanError, match="struct"):
        kh.anonymize(frame, quasi="age", k=2, ranges="tuple")  # type: ignore[call-overload]
