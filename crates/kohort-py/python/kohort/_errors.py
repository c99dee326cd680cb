"""What can go wrong. No message shows a cell of a table."""

from __future__ import annotations

import json
import re
from typing import Any

from ._goals import Goal

__all__ = ["DataError", "Infeasible", "KohortError", "PlanError", "Rejected"]


class KohortError(Exception):
    """Something that kohort could not do. `hint` is the way on, where there is one."""

    hint: str | None

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint

    @property
    def message(self) -> str:
        """What went wrong."""
        return str(self.args[0])

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.message, self.hint), self.__dict__)


class PlanError(KohortError, ValueError):
    """The plan says something that a plan cannot say, or does not fit the table."""


class DataError(KohortError, ValueError):
    """A frame is not as it must be."""


class _No(KohortError):
    """The answer is no, and there is no release."""

    def __init__(
        self, message: str, hint: str | None = None, reasons: tuple[str, ...] = (), **more: Any
    ) -> None:
        super().__init__(message, hint)
        self.reasons: tuple[str, ...] = tuple(reasons)


class Infeasible(_No):
    """No release of this table keeps the goal.

    `promise` is the model that is out of reach, where it is one alone. `nearest` says in words which goal is within
    reach, and `nearest_goals` has it as values, each of which can be asked for instead.
    """

    promise: str | None = None
    nearest: str | None = None
    nearest_goals: tuple[Goal, ...] = ()


class Rejected(_No):
    """The release that was made does not keep its promise. `reasons` are the findings of the judge."""


def _goals(promise: str | None, nearest: str | None) -> tuple[Goal, ...]:
    """The goals that a sentence about the nearest ones names: `k = 300`, or `l = 2.5`."""
    found = []
    for name, text in re.findall(r"\b([a-z]+) = ([0-9]+(?:\.[0-9]+)?)", nearest or ""):
        number = float(text)
        level = int(number) if number == int(number) else number
        if name == "k" and promise in (None, "k-anonymity"):
            found.append(Goal("k-anonymity", level))
        elif promise is not None and name in ("l", "t", "beta", "delta"):
            found.append(Goal(promise, {name: level}))
    return tuple(found)


def refused(no: str) -> KohortError:
    """The exception of an answer that is no."""
    value = json.loads(no)
    reasons = tuple(value["causes"])
    message = "; ".join([value["error"], *reasons])
    if value["error"].startswith("the release that was made"):
        return Rejected(message, value["hint"] or None, reasons)
    error = Infeasible(message, value["hint"] or None, reasons)
    error.promise = value["promise"]
    error.nearest = value["nearest"]
    error.nearest_goals = _goals(value["promise"], value["nearest"])
    return error
