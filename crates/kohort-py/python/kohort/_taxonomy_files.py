"""Taxonomies proposed for a column, checked, and drawn."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import _frames, _kohort
from ._errors import PlanError
from ._plan import Plan
from ._records import Record
from ._taxonomies import Taxonomy


def build_taxonomy(frame: Any, column: str, *, missing: Sequence[str] | None = None) -> Taxonomy:
    """Proposes a taxonomy for a column, with every value in ARX's layout. `missing` are texts that mean none."""
    table = _frames.read(frame, "frame", missing)
    spelled, rows, reason = _kohort.taxonomy_build(table, column)
    return Taxonomy(json.loads(spelled), rows=rows, reason=reason)


def check_taxonomy(
    taxonomy: Taxonomy | str | os.PathLike[str],
    frame: Any = None,
    column: str | None = None,
    separator: str | None = None,
    *,
    missing: Sequence[str] | None = None,
) -> Record:
    """All that is wrong with a file in ARX's layout, and how many values of a column it lacks.

    It is named by its path, or by a taxonomy that was read from one or built from a column.
    """
    against = None
    if frame is not None and column is not None:
        against = (_frames.read(frame, "frame", missing), column)
    text = _listed(taxonomy)
    if text is None:
        raise PlanError("only a file in ARX's layout is checked", "other taxonomies are checked by the plan they are in")
    return Record(json.loads(_kohort.taxonomy_check(text, separator, against)))


def show_taxonomy(
    taxonomy: Taxonomy | str | os.PathLike[str] | Mapping[str, Any],
    frame: Any = None,
    column: str | None = None,
    *,
    separator: str | None = None,
    depth: int = 3,
    lines: int = 60,
) -> Record:
    """Draws a taxonomy as a tree of at most this depth: of a file with its values, of a column by its groups alone."""
    if frame is not None and column is not None:
        spelled = taxonomy if isinstance(taxonomy, Taxonomy) else Taxonomy(_spelled(taxonomy))
        plan = Plan(quasi={column: spelled})
        table = _frames.read(frame, "frame", None)
        drawing = _kohort.taxonomy_of_column(table, plan.to_json(), plan.folder, column, depth, lines)
    else:
        text = _listed(taxonomy)
        if text is None:
            raise PlanError("this taxonomy is about the values of a column", "name it: show_taxonomy(taxonomy, df, column)")
        drawing = _kohort.taxonomy_show(text, separator, depth, lines)
    return Record({"drawing": drawing}, drawing)


def _spelled(taxonomy: Any) -> Any:
    return {"tree": taxonomy} if isinstance(taxonomy, Mapping) else {"file": os.path.abspath(taxonomy)}


def _listed(taxonomy: Any) -> str | None:
    """The text in ARX's layout, where there is one."""
    if isinstance(taxonomy, Taxonomy):
        if taxonomy.arx is not None:
            return taxonomy.arx
        taxonomy = taxonomy.spelled.get("file") if isinstance(taxonomy.spelled, dict) else None
    if not isinstance(taxonomy, (str, os.PathLike)):
        return None
    with open(taxonomy, encoding="utf-8-sig") as file:
        return file.read()
