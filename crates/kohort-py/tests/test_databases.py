"""Rows of databases as frames."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import polars as pl
import pytest

import kohort as kh


@pytest.fixture
def ward(tmp_path: Path, hospital: pl.DataFrame) -> str:
    database = sqlite3.connect(tmp_path / "ward.db")
    rows = hospital.select("age", "sex", "zip", "disease")
    database.execute("CREATE TABLE patients (age INTEGER, sex TEXT, zip TEXT, disease TEXT)")
    database.executemany("INSERT INTO patients VALUES (?, ?, ?, ?)", rows.rows())
    database.commit()
    database.close()
    return f"sqlite:{tmp_path / 'ward.db'}"


def test_a_query_is_a_frame(ward: str, hospital: pl.DataFrame) -> None:
    frame = kh.read_sql(ward, "SELECT age, zip, disease FROM patients")
    assert isinstance(frame, pl.DataFrame)
    assert frame.columns == ["age", "zip", "disease"]
    assert frame["zip"].to_list() == hospital["zip"].to_list()
    found = kh.diagnose(kh.read_sql(f"{ward}#patients"), quasi=["age", "sex", "zip"], sensitive="disease")
    expected = kh.diagnose(hospital, quasi=["age", "sex", "zip"], sensitive="disease")
    assert found.to_dict()["class_sizes"] == expected.to_dict()["class_sizes"]
    assert len(kh.read_sql(ward, table="patients")) == len(hospital)


def test_what_cannot_be_read_is_said_without_a_secret(ward: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(kh.KohortError, match="no such table"):
        kh.read_sql(ward, table="nowhere")
    with pytest.raises(kh.KohortError, match="does not only read"):
        kh.read_sql(ward, "DELETE FROM patients")
    with pytest.raises(kh.PlanError, match="no address"):
        kh.read_sql("patients.csv", table="a")
    monkeypatch.setenv("PGPASSWORD", "s3cret")
    for url in ("postgres://me@127.0.0.1:1/d?connect_timeout=2#a", "postgres://me:s3cret@h/d#a"):
        with pytest.raises(kh.KohortError) as found:
            kh.read_sql(url)
        assert "s3cret" not in str(found.value)
