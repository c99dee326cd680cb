"""Releases of the same people again and again, with a ledger."""

from __future__ import annotations

import pickle
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import kohort as kh

PASSPHRASE = "a long passphrase"


def stays(people: range, *, aged: int = 0) -> pl.DataFrame:
    diseases = ["flu", "gout", "asthma", "ulcer"]
    return pl.DataFrame(
        {
            "patient": [f"p{i}" for i in people],
            "age": [30 + i * 7 % 40 + aged for i in people],
            "sex": ["fm"[i % 2] for i in people],
            "disease": [diseases[i % 4] for i in people],
        }
    )


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> kh.Ledger:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return kh.Ledger(tmp_path / "kohort.ledger", passphrase=PASSPHRASE)


@pytest.fixture
def plan() -> kh.Plan:
    return kh.Plan(
        quasi=["age", "sex"], sensitive="disease", identifiers="patient",
        series={"name": "stays", "key": "patient", "method": "m-invariance", "m": 2},
    )


def test_a_series_from_its_first_release_to_a_new_secret(ledger: kh.Ledger, plan: kh.Plan, tmp_path: Path) -> None:
    output = tmp_path / "stays-{release}.csv"
    first = kh.publish(stays(range(40)), plan, ledger=ledger, output=output, trust_folder=True)
    assert first.verified and first.number == 1 and first.receipt.max_posterior <= 0.5
    assert isinstance(first.frame, pl.DataFrame) and "patient" not in first.frame.columns
    assert first.files == [str(tmp_path / "stays-1.csv")]
    assert first.frame.cast(pl.String).equals(pl.read_csv(first.files[0], infer_schema=False))
    second = kh.publish(
        stays(range(4, 48)).to_pandas(), plan, ledger=ledger, output=output, trust_folder=True, series={"m": 2}
    )
    assert second.number == 2 and second.receipt.inserted == 8 and second.receipt.deleted == 4
    assert isinstance(second.frame, pd.DataFrame)
    assert kh.verify([first, second], original=[stays(range(40)), stays(range(4, 48))])
    assert not kh.verify([stays(range(40)).drop("patient")] * 2, plan, original=[stays(range(40))] * 2)
    assert not kh.attack(second, others=[first], original=[stays(range(40)), stays(range(4, 48))], in_series=True, person="patient").refuted
    second.report(tmp_path / "second.html")
    assert (tmp_path / "second.html").read_text() == second.report() and "<html" in second.report()
    assert [one.releases for one in ledger.series()] == [2]
    assert [one.release for one in ledger.show("stays")] == [1, 2]
    assert all(one.holds for one in ledger.check())
    assert ledger.forget("stays", "p9").releases == [1, 2]
    assert len(ledger.history()) >= 3
    ledger.rekey(key=bytes(range(32)))
    assert [one.releases for one in ledger.series()] == [2]
    with pytest.raises(kh.KohortError, match="secret|passphrase|open"):
        kh.Ledger(ledger.path, passphrase=PASSPHRASE).series()
    Path(first.files[0]).write_text("age,sex,disease\n")
    assert not ledger.check("stays")[0].holds


def test_what_cannot_be_promised_leaves_nothing(ledger: kh.Ledger, plan: kh.Plan, tmp_path: Path) -> None:
    output = tmp_path / "stays-{release}.parquet"
    with pytest.raises(kh.KohortError):
        kh.publish(stays(range(3)), plan, ledger=ledger, output=output, trust_folder=True, series={"m": 5})
    assert not list(tmp_path.glob("stays*"))
    assert kh.publish(stays(range(40)), plan, ledger=ledger, output=output, trust_folder=True).number == 1


def test_an_older_copy_of_the_ledger_is_refused(ledger: kh.Ledger, plan: kh.Plan, tmp_path: Path) -> None:
    output = tmp_path / "stays-{release}.csv"
    kh.publish(stays(range(40)), plan, ledger=ledger, output=output, trust_folder=True)
    older = Path(ledger.path).read_bytes()
    kh.publish(stays(range(40)), plan, ledger=ledger, output=output, trust_folder=True)
    Path(ledger.path).write_bytes(older)
    with pytest.raises(kh.KohortError, match="older copy"):
        kh.publish(stays(range(40)), plan, ledger=ledger, output=output, trust_folder=True)


def test_a_secret_is_needed_and_never_shown(ledger: kh.Ledger, plan: kh.Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    assert PASSPHRASE not in repr(ledger)
    with pytest.raises(TypeError, match="secret"):
        pickle.dumps(ledger)
    monkeypatch.delenv("KOHORT_LEDGER_PASSPHRASE", raising=False)
    with pytest.raises(kh.PlanError, match="passphrase"):
        kh.Ledger("kohort.ledger")
    with pytest.raises(kh.PlanError, match="one of"):
        kh.Ledger("kohort.ledger", passphrase=PASSPHRASE, key=bytes(32))
    with pytest.raises(kh.PlanError, match="no series is named"):
        kh.publish(stays(range(40)), quasi="age", sensitive="disease", ledger=ledger)
