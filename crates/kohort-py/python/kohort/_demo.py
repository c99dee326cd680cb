"""Made-up data, about people who do not exist."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple

from . import _kohort
from ._errors import DataError

#: Data that there is.
Data = Literal["hospital", "census", "poll", "students", "patients"]

_NESTED = ("students", "patients")


class Demo(NamedTuple):
    """Made-up data: the text of its file, and the files beside it by name."""

    text: str
    """The file: CSV, or JSON of nested records. Of a series, the first release."""
    files: dict[str, str]
    """The files beside it: taxonomies and a plan; of a series, the tables of all releases."""

    @property
    def name(self) -> str:
        """The name of the file, as the plan has it."""
        return next(name for name, text in self._all().items() if text is self.text)

    @property
    def frame(self) -> Any:
        """The table as a frame of the library that the program has imported, or nested records as a list of dicts."""
        return json.loads(self.text) if self.text.startswith("[") else self._typed(self.text)

    @property
    def frames(self) -> list[Any]:
        """The table of each release of a series."""
        return [self._typed(text) for name, text in self.files.items() if name.startswith("stays-")]

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Writes all files into a folder, where `Plan.load` finds them together. No file is overwritten."""
        for name, text in self._all().items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            with open(path, "x", encoding="utf-8", newline="") as file:
                file.write(text)

    def _all(self) -> dict[str, str]:
        if any(text is self.text for text in self.files.values()):
            return self.files
        return {_file_of(self.files["plan.toml"]): self.text, **self.files}


    def _typed(self, text: str) -> Any:
        """A frame of CSV; a column has the type that the plan says, or that its texts have."""
        attributes = json.loads(_kohort.plan_read(self.files["plan.toml"]))["attributes"]
        kept = {name for name, one in attributes.items() if isinstance(one, dict) and one.get("type") == "text"}
        import csv

        header, *rows = csv.reader(text.splitlines())
        columns = zip(header, zip(*rows, strict=True), strict=True)
        return _frame({name: _values(texts, name in kept) for name, texts in columns})


def _file_of(plan: str) -> str:
    """The file that a plan names as its input."""
    name: str = json.loads(_kohort.plan_read(plan))["input"]
    return name


def _number(text: str) -> float:
    number = float(text) if "." in text else int(text)
    if isinstance(number, int) and str(number) != text:
        raise ValueError("a code with leading zeros")
    return number


def _values(texts: Sequence[str], are_texts: bool) -> list[Any]:
    import datetime

    for read in () if are_texts else (_number, datetime.date.fromisoformat):
        try:
            return [read(text) if text else None for text in texts]
        except ValueError:
            continue
    return [text or None for text in texts]


def _frame(columns: dict[str, list[Any]]) -> Any:
    """A frame of the library that is in use, or else of the first that is installed."""
    libraries = ("polars", "pandas", "pyarrow")
    found = [one for one in libraries if one in sys.modules] or [one for one in libraries if find_spec(one)]
    if not found:
        raise DataError("no library for frames is installed", "pip install polars")
    if found[0] == "polars":
        import polars as pl

        return pl.DataFrame(columns)
    if found[0] == "pyarrow":
        import pyarrow as pa

        return pa.table(columns)
    import datetime

    import pandas as pd

    dates = {name: one for name, one in columns.items() if any(isinstance(cell, datetime.date) for cell in one)}
    return pd.DataFrame({**columns, **{name: pd.to_datetime(pd.Series(one)) for name, one in dates.items()}})


def demo(
    data: Data = "hospital",
    rows: int = 1000,
    seed: int = 7,
    *,
    issues: int | None = None,
    depth: int | None = None,
    releases: int | None = None,
) -> Demo:
    """Made-up data of so many people: `demo("hospital").frame` is a frame, and `demo("students").frame` a list of dicts.

    A poll has so many `issues`, each a sensitive attribute, and nested records have this `depth`. With `releases`, it
    is a table of hospital patients for each of so many releases: `demo(releases=3).frames`.
    """
    if releases is not None:
        files = dict(_kohort.demo_series(rows, releases, seed))
        return Demo(files["stays-1.csv"], files)
    name = f"{data}.json" if data in _NESTED else f"{data}.csv"
    text, beside = _kohort.demo(data, name, rows, seed, issues, depth)
    return Demo(text, dict(beside))
