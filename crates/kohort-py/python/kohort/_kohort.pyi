from collections.abc import Callable
from typing import Any

__version__: str

_Progress = Callable[[str, int, int], None]

class Table:
    def __init__(self, frame: Any, name: str, missing: list[str] | None = None) -> None: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def columns(self) -> list[str]: ...
    @property
    def notes(self) -> list[str]: ...
    def with_ranges(self, columns: list[str]) -> Table: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

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
    def write(self, path: str) -> str: ...

def registry() -> str: ...
def schema() -> str: ...
def demo(data: str, name: str, rows: int, seed: int) -> tuple[str, list[tuple[str, str]]]: ...
def plan(json: str) -> str: ...
def plan_toml(json: str) -> str: ...
def plan_load(path: str) -> str: ...
def inspect(table: Table) -> tuple[str, str]: ...
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
    release: Table,
    plan: str,
    folder: str,
    values: Table | None = None,
    original: Table | None = None,
    progress: _Progress | None = None,
) -> tuple[str, str]: ...
def publish(
    table: Table,
    plan: str,
    folder: str,
    place: str,
    opens: tuple[str | None, bytes | None],
    asked: str,
    hidden: bytes,
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
