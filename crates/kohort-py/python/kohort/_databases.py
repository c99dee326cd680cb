"""Rows of databases as frames."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import _frames, _kohort
from ._errors import PlanError

logger = logging.getLogger("kohort")


def read_sql(
    url: str,
    query: str | None = None,
    *,
    table: str | None = None,
    password: str | None = None,
    missing: Sequence[str] | None = None,
) -> Any:
    """Rows of PostgreSQL or SQLite as a frame of the library in use: polars, pandas, pyarrow, or any by Arrow.

    The rows are those of a query, or of a table: `sqlite:ward.db#patients` names one, too. They are read in one
    transaction that changes nothing. A password comes from `password`, the variable PGPASSWORD or a pass file, and
    is in no message.

    >>> kh.read_sql("sqlite:ward.db", "SELECT age, zip, disease FROM patients")
    """
    if not url.startswith(("postgres:", "postgresql:", "sqlite:")):
        raise PlanError(
            "this is no address of a database", "write `postgres://user@host:5432/database` or `sqlite:FILE`"
        )
    given = password or os.environ.get("PGPASSWORD")
    passwords = None if given else _pass_file()
    native = _kohort.read_sql(url, query, table, given, passwords, None if missing is None else list(missing))
    for note in native.notes:
        logger.info("%s", note)
    return _frames.give(native, _frames.kind_in_use())


def _pass_file() -> str | None:
    """The text of PostgreSQL's pass file, where there is one."""
    place = os.environ.get("PGPASSFILE")
    try:
        return (Path(place) if place else Path.home() / ".pgpass").read_text()
    except (OSError, RuntimeError, UnicodeDecodeError):
        return None
