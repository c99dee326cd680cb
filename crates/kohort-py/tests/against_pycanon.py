"""Levels and verdicts against pycanon, another implementation. It pins pandas: it runs in an environment of its own."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycanon import anonymity

import kohort as kh

QUASI = ["age", "sex", "zip"]

ROW = st.tuples(
    st.integers(18, 90).map(lambda age: age // 24), st.sampled_from("fm"), st.sampled_from(["01", "02", "11"]),
    st.sampled_from(["flu", "gout", "asthma", "ulcer"]),
)
FRAMES = st.lists(ROW, min_size=2, max_size=80).map(lambda rows: pd.DataFrame(rows, columns=[*QUASI, "disease"]))


@given(frame=FRAMES, width=st.integers(1, 3))
def test_levels_agree(frame: pd.DataFrame, width: int) -> None:
    quasi = QUASI[:width]
    found = kh.diagnose(frame, quasi=quasi, sensitive="disease")
    assert found.k == anonymity.k_anonymity(frame, quasi)
    sensitive = found.sensitive[0]
    assert sensitive.distinct_l == anonymity.l_diversity(frame, quasi, ["disease"])
    assert sensitive.t_equal == pytest.approx(anonymity.t_closeness(frame, quasi, ["disease"]), abs=1e-9)


@given(frame=FRAMES, width=st.integers(1, 3))
def test_verdicts_agree(frame: pd.DataFrame, width: int) -> None:
    quasi = QUASI[:width]
    k = anonymity.k_anonymity(frame, quasi)
    l = anonymity.l_diversity(frame, quasi, ["disease"])  # noqa: E741
    t = anonymity.t_closeness(frame, quasi, ["disease"])

    def holds(*goal: kh.Goal) -> bool:
        # A column without a role is in no release.
        return bool(kh.verify(frame[[*quasi, "disease"]], quasi=quasi, sensitive="disease", goal=goal))

    # What pycanon finds is promised truly, and a little more is not.
    assert holds(kh.k_anonymity(k)) if k > 1 else True
    assert not holds(kh.k_anonymity(k + 1))
    assert holds(kh.distinct_l_diversity(l, of="disease")) if l > 1 else True
    assert not holds(kh.distinct_l_diversity(l + 1, of="disease"))
    assert holds(kh.t_closeness(min(t + 1e-6, 1), of="disease", distance="equal"))
    if t > 1e-6:
        assert not holds(kh.t_closeness(t - 1e-6, of="disease", distance="equal"))
