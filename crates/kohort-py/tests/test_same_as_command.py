"""A release made through Python is the one from the command line, byte for byte."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import kohort as kh

ALGORITHMS = ["auto", "mondrian", "hilbert", "optimal", "datafly", "k-member"]


def rows() -> st.SearchStrategy[list[tuple[int, str, str, str]]]:
    row = st.tuples(
        st.integers(18, 90), st.sampled_from(["f", "m"]), st.sampled_from(["01", "02", "11", "12"]),
        st.sampled_from(["flu", "gout", "asthma", "ulcer"]),
    )
    return st.lists(row, min_size=12, max_size=60)


@settings(max_examples=25)
@given(rows=rows(), k=st.integers(2, 6), algorithm=st.sampled_from(ALGORITHMS), library=st.sampled_from(["pl", "pd", "pa"]))
def test_byte_for_byte(
    command: str, rows: list[tuple[int, str, str, str]], k: int, algorithm: str, library: str
) -> None:
    frame = pl.DataFrame(rows, schema=["age", "sex", "zip", "disease"], orient="row")
    plan = kh.Plan(
        quasi={"age": kh.widths(5, 20), "sex": None, "zip": kh.mask()}, sensitive="disease",
        k=k, suppression=0.1, seed=3, algorithm=algorithm,  # type: ignore[typeddict-item]
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frame.write_csv(folder / "frame.csv")
        text = 'input = "frame.csv"\n' + plan.to_toml()
        (folder / "plan.toml").write_text(text)
        ran = subprocess.run(
            [command, "--quiet", "anonymize", "plan.toml", "-o", "cli.csv"],
            cwd=folder, capture_output=True, text=True, check=False,
        )
        given: object = {"pl": lambda: frame, "pd": frame.to_pandas, "pa": frame.to_arrow}[library]()
        try:
            release = kh.anonymize(given, plan)
        except kh.Infeasible:
            assert ran.returncode == 1, ran.stderr
            return
        assert ran.returncode == 0, ran.stderr
        release.write(folder / "own.csv")
        assert (folder / "own.csv").read_bytes() == (folder / "cli.csv").read_bytes()
        read = pl.read_csv(folder / "cli.csv", infer_schema=False)
        assert read.equals(release.to_polars().cast(pl.String))
