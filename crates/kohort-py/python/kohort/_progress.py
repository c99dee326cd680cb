"""Progress for people who wait: tqdm's bar where it is installed, a line otherwise."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from ._notes import step

#: A bar appears when a job takes longer than this.
DELAY = 1.0
#: A search that goes on until its time is over counts towards a number that it never reaches.
WITHOUT_END = 1 << 53


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
            step(what)
        if not self._is_shown or time.monotonic() - self._started < self._delay:
            self._what = what
            return
        total = total if total < WITHOUT_END else 0
        if self._bar is None or what != self._what:
            if self._bar is not None:
                self._bar.close()
            self._bar = _bar(what, total)
        self._what = what
        self._bar.total = total or None
        self._bar.update(done - self._bar.n)


class _Line:
    """The least of a bar, on a terminal without tqdm."""

    def __init__(self, what: str) -> None:
        self.what, self.n, self.total = what, 0, None

    def update(self, n: int) -> None:
        self.n += n
        self._show(self.what + (f" {self.n / self.total:4.0%}" if self.total else ""))

    def _show(self, text: str) -> None:
        sys.stderr.write(f"\r{text}\x1b[K")
        sys.stderr.flush()

    def close(self) -> None:
        self._show("")


class _Output(_Line):
    """The same in a notebook: one output that changes, and is empty in the end."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        import IPython.display

        display: Any = IPython.display.display
        self._shown = display({"text/plain": what}, raw=True, display_id=True)

    def _show(self, text: str) -> None:
        self._shown.update({"text/plain": text}, raw=True)


def _bar(what: str, total: int) -> Any:
    # The bar of tqdm for notebooks is a widget.
    if _is_notebook() and not _has("ipywidgets"):
        return _Output(what)
    if not _has("tqdm"):
        return _Line(what)
    from tqdm.auto import tqdm

    return tqdm(total=total or None, desc=what, leave=False)


def _has(package: str) -> bool:
    from importlib.util import find_spec

    return find_spec(package) is not None


def _is_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"
