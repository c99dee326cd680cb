"""The transformer for scikit-learn."""

from __future__ import annotations

from unittest import SkipTest

import numpy as np
import pandas as pd
import pytest

import kohort as kh

pytest.importorskip("sklearn")

from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import OneHotEncoder  # noqa: E402
from sklearn.tree import DecisionTreeClassifier  # noqa: E402
from sklearn.utils.estimator_checks import estimator_checks_generator  # noqa: E402

from kohort.sklearn import Anonymizer  # noqa: E402

#: What cannot hold for a transformer that anonymizes, and why.
DO_NOT_APPLY = {
    "check_transformer_general": "the rows that a model is trained on are anonymized, others are not",
    "check_methods_sample_order_invariance": "a release depends on all rows together",
    "check_methods_subset_invariance": "a release depends on all rows together",
    "check_transformer_data_not_an_array": "as check_transformer_general",
    "check_fit2d_1sample": "one row cannot be anonymized",
}


@pytest.mark.parametrize("k", [2])
def test_the_checks_of_scikit_learn(k: int) -> None:
    n = 0
    for estimator, check in estimator_checks_generator(Anonymizer(k=k)):
        name = check.func.__name__
        if name in DO_NOT_APPLY:
            continue
        try:
            check(estimator)
        except SkipTest:
            continue
        n += 1
    assert n > 30


def test_a_model_is_trained_on_a_release() -> None:
    draw = np.random.default_rng(3)
    n = 600
    frame = pd.DataFrame({"age": draw.integers(18, 90, n), "sex": draw.choice(["f", "m"], n)})
    y = (frame["age"] > 50).astype(int) ^ (draw.random(n) < 0.05)
    anonymizer = Anonymizer(k=10)
    model = make_pipeline(anonymizer, OneHotEncoder(handle_unknown="ignore"), DecisionTreeClassifier(max_depth=5))
    model.fit(frame[:400], y[:400])
    assert anonymizer.release_.verified and anonymizer.release_.receipt.k >= 10
    shown = anonymizer.fit_transform(frame[:400])
    assert len({tuple(row) for row in shown}) <= 40 and shown.shape == (400, 2)
    tree = make_pipeline(Anonymizer(kh.Plan(quasi={"age": kh.widths(5, 10, 20)}, k=10)), DecisionTreeClassifier(max_depth=3))
    assert tree.fit(frame[["age"]][:400], y[:400]).score(frame[["age"]][400:], y[400:]) > 0.8


def test_what_cannot_be_kept_is_refused() -> None:
    with pytest.raises(ValueError, match="minimum of 30"):
        Anonymizer(k=30).fit(pd.DataFrame({"age": [1, 2, 3] * 5}))
    with pytest.raises(kh.DataError, match="zip"):
        Anonymizer(kh.Plan(quasi=["zip"], k=2)).fit(pd.DataFrame({"age": [1, 2, 3] * 5}))
