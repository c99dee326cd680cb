"""What a person should know beside an answer: it goes to the logger `kohort`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logging import Logger


def tell(notes: Iterable[str]) -> None:
    """Tells notes."""
    for note in notes:
        _logger().info("%s", note)


def warn(notes: Iterable[str]) -> None:
    """Tells what should not be overlooked."""
    for note in notes:
        _logger().warning("%s", note)


def step(name: str) -> None:
    """Tells that a step of a job begins."""
    _logger().debug("%s", name)


def _logger() -> Logger:
    # Imported where there is something to tell: `import kohort` is quick.
    import logging

    return logging.getLogger("kohort")
