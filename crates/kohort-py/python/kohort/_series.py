"""Series: releases of the same people again and again, each made against those before it, with a ledger."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any, overload

from . import _frames, _kohort
from ._errors import PlanError
from ._notes import tell, warn
from ._plan import Plan, PlanFields
from ._progress import Progress
from ._records import Answer, Record
from ._values import json_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The environment variable with the passphrase, as for the command line.
VARIABLE = "KOHORT_LEDGER_PASSPHRASE"


class SeriesReceipt(Answer):
    """What a release of a series promises together with all before it. Confidential, like the table itself."""

    __slots__ = ()
    series: str
    release: int
    method: str
    verified: bool
    held_back: int
    counterfeits: int
    max_posterior: float
    head: str
    files: list[str]
    notes: list[str]

    def _repr_html_(self) -> str:
        return self._shown(f"release {self.release}", "promised", "people")


class SeriesRelease:
    """A release of a series: files that are in place, and recorded in the ledger."""

    def __init__(self, plan: Plan, receipt: SeriesReceipt, frame: Any, values: Any) -> None:
        self.plan = plan
        #: What was promised and what it costs.
        self.receipt = receipt
        #: The rows that were published, as the kind of frame that went in.
        self.frame = frame
        #: How many rows of each class are nobody's, where the method publishes that beside them.
        self.values = values

    @property
    def number(self) -> int:
        """The number of the release, from 1."""
        return self.receipt.release

    @property
    def files(self) -> list[str]:
        """The files that were written."""
        return self.receipt.files

    @property
    def verified(self) -> bool:
        """Whether the judge found the promise kept, by this release and all before it."""
        return self.receipt.verified

    def _tables(self) -> tuple[_kohort.Table, _kohort.Table | None]:
        values = None if self.values is None else _frames.read(self.values, "values", self.plan.missing)
        return _frames.read(self.frame, "release", self.plan.missing), values

    @overload
    def report(self, path: None = None) -> str: ...

    @overload
    def report(self, path: str | os.PathLike[str]) -> None: ...

    def report(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The page about the release: written to a file where one is named, else handed back."""
        return self.receipt.report(path)

    def to_dict(self) -> dict[str, Any]:
        """The receipt, plain."""
        return self.receipt.to_dict()

    def to_json(self, indent: int | None = None) -> str:
        """The receipt as JSON."""
        return self.receipt.to_json(indent)

    def __repr__(self) -> str:
        return repr(self.receipt)

    def _repr_html_(self) -> str:
        return self.receipt._repr_html_()


class Ledger:
    """The encrypted ledger of series: what was published about whom.

    It opens with a `passphrase`, with `key`, at least 32 random bytes, or with the bytes of `key_file`; by default
    with what the environment variable KOHORT_LEDGER_PASSPHRASE says. `head` is a head that the ledger must have had,
    or the file that keeps it, so that an older copy is noticed; by default it is kept in your state folder, as the
    command line does.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] = "kohort.ledger",
        *,
        passphrase: str | None = None,
        key: bytes | None = None,
        key_file: str | os.PathLike[str] | None = None,
        head: str | os.PathLike[str] | None = None,
    ) -> None:
        self.path = os.path.abspath(path)
        self.head = None if head is None else os.fspath(head)
        self._opens = _opens(passphrase, key, key_file) or (os.environ.get(VARIABLE), None)
        if self._opens == (None, None):
            raise PlanError(
                "no passphrase or key is given for the ledger", f"give `passphrase`, `key_file`, or set {VARIABLE}"
            )

    def _place(self) -> str:
        place = {"ledger": self.path, "head": self.head, "heads": _heads(), "now": int(time.time())}
        return json.dumps(place)

    def _ask(self, question: dict[str, Any], then: Any = None) -> tuple[Any, str]:
        answer, text, notes = _kohort.ledger(self._place(), self._opens, json.dumps(question), then)
        warn(notes)
        return json.loads(answer), text

    def series(self) -> list[Record]:
        """The series, each with its releases and people."""
        return [Record(one) for one in self._ask({"what": "series"})[0]]

    def show(self, series: str) -> list[Record]:
        """The releases of a series: when, how, what changed, what it cost."""
        return [Record(one) for one in self._ask({"what": "show", "series": series})[0]]

    def check(self, series: str | None = None) -> list[Record]:
        """Whether the ledger and the releases are what was written: `holds` says so for each series."""
        return [Record(one) for one in self._ask({"what": "check", "series": series})[0]]

    def history(self) -> list[Record]:
        """Every use of the ledger."""
        return [Record(one) for one in self._ask({"what": "history"})[0]]

    def forget(self, series: str, person: str) -> Record:
        """Erases what identifies a person, and keeps what protects the others. `costs` says what that means."""
        value, text = self._ask({"what": "forget", "series": series, "person": str(person)})
        return Record(value, text)

    def rekey(
        self,
        *,
        passphrase: str | None = None,
        key: bytes | None = None,
        key_file: str | os.PathLike[str] | None = None,
        reseal: bool = False,
    ) -> Record:
        """Gives the ledger another passphrase or key; the old one opens it no longer. `reseal` seals all anew."""
        opens = _opens(passphrase, key, key_file)
        if opens is None:
            raise PlanError("no new passphrase or key is given for the ledger")
        value, text = self._ask({"what": "rekey", "reseal": reseal}, opens)
        self._opens = opens
        return Record(value, text)

    def __repr__(self) -> str:
        return f"Ledger({self.path!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a ledger is not pickled: its secret would be in plain text")


def _opens(
    passphrase: str | None, key: bytes | None, key_file: str | os.PathLike[str] | None
) -> tuple[str | None, bytes | None] | None:
    given = [one for one in (passphrase, key, key_file) if one is not None]
    if len(given) > 1:
        raise PlanError("a ledger opens with one of `passphrase`, `key` and `key_file`")
    if key_file is not None:
        with open(key_file, "rb") as file:
            return None, file.read()
    return (passphrase, key) if given else None


def _heads() -> str | None:
    """The folder in which heads of ledgers are kept."""
    state = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(state):
        state = os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(state, "kohort", "heads") if os.path.isabs(state) else None


def publish(
    frame: Any,
    plan: Plan | None = None,
    *,
    ledger: Ledger | None = None,
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    trust_folder: bool = False,
    progress: bool | None = None,
    **fields: Unpack[PlanFields],
) -> SeriesRelease:
    """Publishes the next release of a series, made and judged against everything published before.

    `series={"name": "stays", "key": "patient", "m": 3}` says how, in the plan or here. The release is a file, since the
    ledger records its hash: `output`, where `{release}` is its number; by default NAME-{release}.csv beside the plan.
    It appears together with its entry in the ledger, or not at all. Ctrl-C stops it before that.
    """
    from ._api import _plan, _read

    plan = _plan(plan, {**fields})
    series = plan.series
    if "name" not in series:
        raise PlanError("no series is named", 'name it: series={"name": "stays", "key": "patient"}')
    if ledger is None:
        ledger = Ledger(os.path.join(plan.folder, series.get("ledger", "kohort.ledger")))
    if output is None:
        output = os.path.join(plan.folder, plan.to_dict().get("output", {}).get("release", f"{series['name']}-{{release}}.csv"))
    asked = {
        "series": series["name"],
        "output": os.path.abspath(output),
        "force": force,
        "trust_folder": trust_folder,
    }
    table = _read(frame, plan)
    with Progress(progress) as told:
        answer, text, page, tables = _kohort.publish(
            table, plan.to_json(), plan.folder, ledger._place(), ledger._opens, json_of(asked), told,
        )
    receipt = SeriesReceipt(json.loads(answer), text, page)
    tell(receipt.notes)
    kind = _frames.kind_of(frame)
    frames = [_frames.give(one, kind, frame if at == 0 else None) for at, one in enumerate(tables)]
    return SeriesRelease(plan, receipt, frames[0], frames[1] if len(frames) > 1 else None)
