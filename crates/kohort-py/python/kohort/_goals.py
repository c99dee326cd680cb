"""A promise of a release."""

from __future__ import annotations

from typing import Any


class Goal:
    """A promise: a privacy model with its parameters. Made by functions such as :func:`kohort.k_anonymity`."""

    __slots__ = ("level", "model")

    #: The id of the model.
    model: str
    #: Its parameters by name, or its one level.
    level: Any

    def __init__(self, model: str, level: Any) -> None:
        if isinstance(level, dict):
            level = {name: _number(list(one) if isinstance(one, tuple) else one) for name, one in level.items() if one is not None}
        object.__setattr__(self, "model", model)
        object.__setattr__(self, "level", _number(level))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a Goal cannot be changed")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Goal) and (self.model, self.level) == (other.model, other.level)

    def __hash__(self) -> int:
        return hash((self.model, repr(self.level)))

    def __repr__(self) -> str:
        return f"Goal(model={self.model!r}, level={self.level!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Goal, (self.model, self.level))


def _number(level: Any) -> Any:
    """A whole number as an `int`: what is counted may come from a computation."""
    return int(level) if isinstance(level, float) and level.is_integer() else level


def goal_fields(goals: list[Goal]) -> dict[str, Any]:
    """The `[goal]` of a plan."""
    fields: dict[str, Any] = {}
    for goal in goals:
        if goal.model not in fields:
            fields[goal.model] = goal.level
            continue
        before = fields[goal.model]
        fields[goal.model] = [*(before if isinstance(before, list) else [before]), goal.level]
    return fields
