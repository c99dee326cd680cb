"""A promise of a release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Goal:
    """A promise: a privacy model with its parameters. Made by functions such as :func:`kohort.k_anonymity`."""

    model: str
    level: Any

    def __post_init__(self) -> None:
        if isinstance(self.level, dict):
            level = {name: value for name, value in self.level.items() if value is not None}
            object.__setattr__(self, "level", {n: list(v) if isinstance(v, tuple) else v for n, v in level.items()})

    def __hash__(self) -> int:
        return hash((self.model, repr(self.level)))


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
