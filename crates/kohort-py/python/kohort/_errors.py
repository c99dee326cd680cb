"""What can go wrong. No message shows a cell of a table."""

from __future__ import annotations

import json
from collections.abc import Iterator
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

    `promise` is the model that is out of reach, where it is one alone. `nearest` says in words which goals are within
    reach, and `nearest_goals` has them as values, each of which can be asked for instead: `goal=no.nearest_goals[0]`.
    """

    promise: str | None = None
    nearest: str | None = None
    nearest_goals: tuple[tuple[Goal, ...], ...] = ()
    #: The numbers of the promises of each of the nearest goals.
    _nearest: list[list[dict[str, Any]]]

    def of(self, goal: dict[str, Any]) -> Infeasible:
        """The same, with the nearest goals made of what a plan asks for."""
        self.nearest_goals = tuple(tuple(_with_numbers(goal, found)) for found in self._nearest)
        return self


class Rejected(_No):
    """The release that was made does not keep its promise. `reasons` are the findings of the judge."""


def _with_numbers(goal: dict[str, Any], found: list[dict[str, Any]]) -> Iterator[Goal]:
    """The promises of a goal, each with the numbers that were found for it."""
    for model, asked in goal.items():
        for level in asked if isinstance(asked, list) else [asked]:
            attribute = level.get("attribute") if isinstance(level, dict) else None
            numbers = (one["numbers"] for one in found if (one["model"], one["attribute"]) == (model, attribute))
            nearest: dict[str, Any] = next(numbers, {})
            if isinstance(level, dict):
                yield Goal(model, {**level, **{name: one for name, one in nearest.items() if name in level}})
            elif model != "suppression":
                yield Goal(model, next(iter(nearest.values()), level))


def refused(no: str, nearest: str) -> KohortError:
    """The exception of an answer that is no."""
    value = json.loads(no)
    reasons = tuple(value["causes"])
    message = "; ".join([value["error"], *reasons])
    if value["error"].startswith("the release that was made"):
        return Rejected(message, value["hint"] or None, reasons)
    error = Infeasible(message, value["hint"] or None, reasons)
    error.promise = value["promise"]
    error.nearest = value["nearest"]
    error._nearest = json.loads(nearest)
    return error
