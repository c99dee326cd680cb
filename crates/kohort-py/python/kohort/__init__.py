"""Publish data about people without publishing the people.

>>> import kohort as kh
>>> release = kh.anonymize(df, quasi=["age", "zip", "sex"], sensitive="disease", k=5)
>>> release.frame
"""

from __future__ import annotations

from . import _generated
from ._api import Release, anonymize, attack, compare, diagnose, inspect, schema, sql, verify
from ._databases import read_sql
from ._demo import Demo, demo
from ._errors import DataError, Infeasible, KohortError, PlanError, Rejected
from ._generated import *  # noqa: F403
from ._goals import Goal
from ._kohort import __version__, set_threads
from ._nested import NestedRelease
from ._plan import Plan
from ._records import Attacked, Comparison, Diagnosis, Inspection, NestedReceipt, Receipt, Record, Verdict
from ._series import Ledger, SeriesReceipt, SeriesRelease, publish
from ._taxonomies import Taxonomy, arx_file, calendar, flat, mask, ranges, tree, widths
from ._taxonomy_files import build_taxonomy, check_taxonomy, show_taxonomy

__all__ = [
    "Attacked",
    "Comparison",
    "DataError",
    "Demo",
    "Diagnosis",
    "Goal",
    "Infeasible",
    "Inspection",
    "KohortError",
    "Ledger",
    "NestedReceipt",
    "NestedRelease",
    "Plan",
    "PlanError",
    "Receipt",
    "Record",
    "Rejected",
    "Release",
    "SeriesReceipt",
    "SeriesRelease",
    "Taxonomy",
    "Verdict",
    "__version__",
    "anonymize",
    "arx_file",
    "attack",
    "build_taxonomy",
    "calendar",
    "check_taxonomy",
    "compare",
    "demo",
    "diagnose",
    "flat",
    "inspect",
    "mask",
    "publish",
    "ranges",
    "read_sql",
    "schema",
    "set_threads",
    "show_taxonomy",
    "sql",
    "tree",
    "verify",
    "widths",
]
__all__ += _generated.__all__
