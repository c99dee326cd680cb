"""What a user writes, under mypy's strict rules. Also a test, so that it is true."""

from __future__ import annotations

import io

import polars as pl

import kohort as kh


def test_a_typed_program() -> None:
    text, _ = kh.demo(rows=200)
    df = pl.read_csv(io.StringIO(text))
    plan = kh.Plan(
        quasi={"age": kh.widths(5, 10, 20), "sex": None},
        sensitive="disease",
        goal=[kh.k_anonymity(5), kh.t_closeness(0.9, of="disease", distance="equal")],
        suppression=0.02,
        algorithm="mondrian",
    )
    release: kh.Release = kh.anonymize(df, plan, progress=False)
    verdict: kh.Verdict = kh.verify(release, original=df)
    smallest: int = release.receipt.k
    assert verdict.verified and smallest >= 5
