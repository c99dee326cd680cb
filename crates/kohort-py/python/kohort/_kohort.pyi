from collections.abc import Callable
from typing import Any, final

__all__ = [
    "Release",
    "Table",
    "__version__",
    "anonymize",
    "attack",
    "compare",
    "demo",
    "demo_series",
    "diagnose",
    "inspect",
    "ledger",
    "nested_anonymize",
    "nested_attack",
    "nested_compare",
    "nested_diagnose",
    "nested_inspect",
    "nested_verify",
    "plan",
    "plan_load",
    "plan_read",
    "plan_toml",
    "publish",
    "read_sql",
    "registry",
    "schema",
    "set_threads",
    "sql",
    "taxonomy_build",
    "taxonomy_check",
    "taxonomy_of_column",
    "taxonomy_show",
    "verify",
    "verify_series",
]

__version__: str

_Progress = Callable[[str, int, int], None]

@final
class Table:
    def __new__(cls, frame: Any, name: str, missing: list[str] | None = None) -> Table: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def columns(self) -> list[str]: ...
    @property
    def notes(self) -> list[str]: ...
    def with_ranges(self, columns: list[str]) -> Table: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

@final
class Release:
    @property
    def table(self) -> Table: ...
    @property
    def values(self) -> Table | None: ...
    @property
    def receipt(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def page(self) -> str: ...
    def write(self, path: str) -> tuple[str, str, str]: ...

def read_sql(
    url: str,
    query: str | None = None,
    table: str | None = None,
    password: str | None = None,
    passwords: str | None = None,
    missing: list[str] | None = None,
    progress: _Progress | None = None,
) -> Table: ...
def registry() -> str: ...
def schema() -> str: ...
def demo(
    data: str, name: str, rows: int, seed: int, issues: int | None = None, depth: int | None = None
) -> tuple[str, list[tuple[str, str]]]: ...
def demo_series(rows: int, releases: int, seed: int) -> list[tuple[str, str]]: ...
def set_threads(n: int | None = None) -> None:
    """Lets jobs use at most this many threads; the answer does not depend on it. `None` is one for each core."""

def plan(json: str) -> str: ...
def plan_toml(json: str) -> str: ...
def plan_load(path: str) -> str: ...
def plan_read(text: str) -> str: ...
def inspect(table: Table, plan: str) -> tuple[str, str]: ...
def diagnose(
    table: Table,
    plan: str,
    folder: str,
    asked: str,
    public: Table | None = None,
    progress: _Progress | None = None,
) -> tuple[str, str, str]: ...
def sql(table: Table, plan: str, folder: str, asked: str, dialect: str, public: str | None = None) -> str: ...
def attack(
    releases: list[tuple[Table, Table | None]],
    plan: str,
    folder: str,
    background: str,
    originals: list[Table],
    public: Table | None = None,
    progress: _Progress | None = None,
) -> tuple[str, str, str]: ...
def compare(
    table: Table, plan: str, folder: str, compared: str, progress: _Progress | None = None
) -> tuple[tuple[str, str, str], Table]: ...
def anonymize(
    table: Table, plan: str, folder: str, secret: bytes | None = None, progress: _Progress | None = None
) -> Release: ...
def verify(
    release: tuple[Table, Table | None],
    plan: str,
    folder: str,
    original: Table | None = None,
    others: list[tuple[Table, Table | None]] = ...,
    progress: _Progress | None = None,
) -> tuple[str, str]: ...
def publish(
    table: Table,
    plan: str,
    folder: str,
    place: str,
    opens: tuple[str | None, bytes | None],
    asked: str,
    progress: _Progress | None = None,
) -> tuple[str, str, str, list[Table]]: ...
def ledger(
    place: str,
    opens: tuple[str | None, bytes | None],
    question: str,
    next: tuple[str | None, bytes | None] | None = None,
) -> tuple[str, str, list[str]]: ...
def verify_series(
    releases: list[tuple[Table, Table | None]],
    plan: str,
    folder: str,
    originals: list[Table],
    progress: _Progress | None = None,
) -> tuple[str, str]: ...
def taxonomy_build(table: Table, column: str) -> tuple[str, str, str]: ...
def taxonomy_check(text: str, separator: str | None = None, against: tuple[Table, str] | None = None) -> str: ...
def taxonomy_show(text: str, separator: str | None, depth: int, lines: int) -> str: ...
def taxonomy_of_column(table: Table, plan: str, folder: str, column: str, depth: int, lines: int) -> str: ...

_Given = str | tuple[Table, list[tuple[str, Table]]]
_Handed = tuple[str | None, list[tuple[str, Table]]]

def nested_anonymize(
    records: _Given, plan: str, folder: str, progress: _Progress | None = None
) -> tuple[tuple[str, str, str], list[str], _Handed, _Handed | None]: ...
def nested_verify(
    records: _Given,
    values: _Given | None,
    plan: str,
    folder: str,
    original: _Given | None,
    progress: _Progress | None = None,
) -> tuple[str, str]: ...
def nested_attack(
    records: _Given,
    values: _Given | None,
    plan: str,
    folder: str,
    original: _Given | None,
    only: list[str],
    progress: _Progress | None = None,
) -> tuple[str, str, str]: ...
def nested_diagnose(
    records: _Given, plan: str, folder: str, k: int | None = None, l: str | None = None
) -> tuple[str, str]: ...
def nested_inspect(records: _Given, plan: str) -> tuple[str, str]: ...
def nested_compare(
    records: _Given, plan: str, folder: str, compared: str, progress: _Progress | None = None
) -> tuple[tuple[str, str, str], Table]: ...
