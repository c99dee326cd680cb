"""Progress for people who wait: tqdm's bar where it is installed, a line on a terminal otherwise."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

logger = logging.getLogger("kohort")

#: A bar appears when a job takes longer than this.
DELAY = 1.0


class Progress:
    """A bar that appears after a while. Calling it says what is done."""

    def __init__(self, shown: bool | None) -> None:
        self._is_shown = sys.stderr.isatty() or _is_notebook() if shown is None else shown
        self._delay = 0.0 if shown else DELAY
        self._started = time.monotonic()
        self._bar: Any = None
        self._what: str | None = None

    def __enter__(self) -> Callable[[str, int, int], None]:
        return self._told

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def _told(self, what: str, done: int, total: int) -> None:
        if what != self._what:
            logger.debug("%s", what)
        if not self._is_shown or time.monotonic() - self._started < self._delay:
            self._what = what
            return
        if self._bar is None or what != self._what:
            if self._bar is not None:
                self._bar.close()
            self._bar = _bar(what, total)
        self._what = what
        self._bar.total = total or None
        self._bar.n = done
        self._bar.refresh()


class _Line:
    """The least of a bar, where tqdm is not installed."""

    def __init__(self, what: str) -> None:
        self.what, self.n, self.total = what, 0, None

    def refresh(self) -> None:
        share = f" {self.n / self.total:4.0%}" if self.total else ""
        sys.stderr.write(f"\r{self.what}{share}\x1b[K")
        sys.stderr.flush()

    def close(self) -> None:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def _bar(what: str, total: int) -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Line(what)
    return tqdm(total=total or None, desc=what, leave=False)


def _is_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"
