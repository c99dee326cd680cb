"""A transformer for scikit-learn: models that are trained on anonymized data.

`from kohort.sklearn import Anonymizer` needs scikit-learn, which the package itself does not.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ._api import Release, anonymize
from ._errors import DataError
from ._plan import Plan

#: The column that says which row of the input a row is: the release itself has its rows in another order.
_ROW = "kohort row"


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replaces the rows that a model is trained on by a release of them.

    `fit_transform` makes a release of the training rows with all columns as quasi-identifiers, or by `plan`, and
    keeps it as `release_`, with its receipt. A range is the middle of its bounds, and a group of texts is its label,
    so that encoders can follow. Rows keep their order and none is left out, so that they fit to `y`: where the goal
    cannot be reached so, :class:`kohort.Infeasible` is raised.

    `transform` is for rows that a trained model is asked about. It promises nothing about them, and must not be used to
    publish them: numbers stay as they are, and a text becomes the label that it has most often in the release.
    """

    def __init__(self, plan: Plan | None = None, *, k: int = 5, algorithm: str = "auto", seed: int = 0) -> None:
        self.plan = plan
        self.k = k
        self.algorithm = algorithm
        self.seed = seed

    def fit(self, X: Any, y: Any = None) -> Anonymizer:
        """Makes a release of the rows, and keeps it as `release_`."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None, **_: Any) -> Any:
        """The release of the rows, in the order of the rows."""
        checked: Any = validate_data(self, X, dtype=None, ensure_min_samples=max(2, self.k))
        columns = self._columns(checked)
        names = list(columns)
        import pyarrow as pa

        try:
            table = pa.table({**columns, _ROW: list(range(len(checked)))})
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            # The message of pyarrow shows a cell.
            raise TypeError("every cell of the argument must be a string or a number") from None
        plan = self.plan or Plan(quasi=names, k=self.k)
        named = [name for name in plan.attributes if name not in names]
        if named:
            raise DataError(f"the plan has a column `{named[0]}`, and the rows have none")
        plan = plan.replace(insensitive=[_ROW], algorithm=self.algorithm, seed=self.seed, suppression=0.0)  # type: ignore[arg-type]
        release = anonymize(table, plan, ranges="struct", progress=False)
        self.release_: Release = release
        shown = pa.table(release.frame)
        order = np.argsort(np.asarray(shown[_ROW].to_pylist()))
        self.columns_ = [name for name in shown.column_names if name != _ROW]
        self.labels_: dict[str, dict[Any, Any]] = {}
        cells = []
        for name in self.columns_:
            values = shown[name].to_pylist()
            values = [values[at] for at in order]
            if values and isinstance(values[0], dict):
                cells.append(_middles(values, np.asarray(columns[name], dtype=float)))
                continue
            seen: dict[Any, Counter[Any]] = {}
            for before, after in zip(columns[name], values, strict=True):
                seen.setdefault(before, Counter())[after] += 1
            self.labels_[name] = {before: after.most_common(1)[0][0] for before, after in seen.items()}
            cells.append(np.asarray(values, dtype=object))
        return _together(cells, checked.dtype)

    def transform(self, X: Any) -> Any:
        """Other rows, as the model that was trained expects them. Nothing is promised about them."""
        check_is_fitted(self, "release_")
        checked: Any = validate_data(self, X, dtype=None, reset=False)
        columns = self._columns(checked)
        cells = []
        for name in self.columns_:
            labels = self.labels_.get(name)
            if labels is None:
                cells.append(np.asarray(columns[name], dtype=float))
            else:
                cells.append(np.asarray([labels.get(value, "*") for value in columns[name]], dtype=object))
        return _together(cells, checked.dtype)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The columns of the release."""
        check_is_fitted(self, "release_")
        return np.asarray(self.columns_, dtype=object)

    def _columns(self, checked: Any) -> dict[str, list[Any]]:
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = [f"x{at}" for at in range(checked.shape[1])]
        return {str(name): checked[:, at].tolist() for at, name in enumerate(names)}


def _middles(ranges: list[dict[str, Any]], original: Any) -> Any:
    """The middles of ranges. A cell that hides everything is the middle of the column."""
    whole = (float(original.min()) + float(original.max())) / 2
    bounds = ((one["low"], one["high"]) for one in ranges)
    return np.asarray([whole if low is None or high is None else (float(low) + float(high)) / 2 for low, high in bounds])


def _together(cells: list[Any], dtype: Any) -> Any:
    if all(one.dtype.kind == "f" for one in cells):
        return np.column_stack(cells).astype(dtype if dtype.kind == "f" else float)
    return np.column_stack([one.astype(object) for one in cells])


__all__ = ["Anonymizer"]

