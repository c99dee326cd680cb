"""Plans: what a person has decided about a table."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _kohort
from ._display import cell, preformatted
from ._errors import PlanError
from ._generated import METHOD, OUTPUT, MethodFields, OutputFields, SeriesFields
from ._goals import Goal, goal_fields
from ._taxonomies import Taxonomy
from ._values import json_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

Columns = str | Sequence[str] | Mapping[str, "Taxonomy | str | Mapping[str, Any] | None"]


class PlanFields(MethodFields, OutputFields, total=False):
    """The fields of a plan, as keywords."""

    quasi: Columns
    """Columns that an outsider may know, alone or each with its taxonomy."""
    sensitive: Columns
    """Columns that nobody may learn about a person."""
    identifiers: str | Sequence[str]
    """Columns that name people: no release has them."""
    insensitive: str | Sequence[str]
    """Columns that are published as they are."""
    goal: Goal | Sequence[Goal]
    """What a release must promise; all of it must hold."""
    k: int
    """The smallest class allowed: the same as `goal=k_anonymity(k)`."""
    frequency_l: float
    """The diversity of the sensitive columns: the same as `goal=frequency_l_diversity(l)`."""
    suppression: float
    """The largest share of rows that may be dropped."""
    preset: str
    """What a regulation requires of values: `hipaa`."""
    unit: str
    """What promises count: `person` or `row`."""
    key: str
    """The column that identifies people."""
    missing: Sequence[str]
    """Texts that mean a missing value, besides the empty one."""
    types: Mapping[str, str]
    """Types of columns where the detected one is wrong: `integer`, `decimal`, `date`, `boolean` or `text`."""
    taxonomies: Mapping[str, Taxonomy | str | Mapping[str, Any]]
    """Taxonomies of columns whose role is given without one."""
    weights: Mapping[str, float]
    """Weights of losses in quasi-identifiers; the others have 1."""
    buckets: Mapping[str, Any]
    """Buckets that promises about a sensitive column count instead of its values."""
    missing_as: Mapping[str, str]
    """What a missing cell of a sensitive column says: `value`, `ignored` or `unprotected`."""
    series: SeriesFields
    """How a series goes on, for `publish`: `{"name": "stays", "key": "patient", "m": 3}`."""
    tables: Mapping[str, Any]
    """The `[tables]` of a plan."""
    rules: Sequence[Mapping[str, Any]]
    """The `[[rules]]` of a plan."""


_TOP = ("preset", "unit", "key", "tables", "rules", "series")
_ATTRIBUTE = {"types": "type", "taxonomies": "taxonomy", "weights": "weight", "buckets": "buckets", "missing_as": "missing"}
_ROLES = {"identifiers": "identifier", "quasi": "quasi", "sensitive": "sensitive", "insensitive": "insensitive"}


def _kebab(name: str) -> str:
    return name.replace("_", "-")


def _spelled(taxonomy: Any) -> Any:
    if isinstance(taxonomy, Taxonomy):
        return taxonomy.spelled
    if isinstance(taxonomy, Mapping):
        return {"tree": taxonomy}
    return taxonomy


def _columns(keyword: str, given: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(given, str):
        return [(given, None)]
    columns = list(given.items()) if isinstance(given, Mapping) else [(name, None) for name in given]
    for name, _ in columns:
        if not isinstance(name, str):
            raise PlanError(f"columns are named by texts, but `{keyword}` has {type(name).__name__}")
    return columns


class Plan:
    """What a person has decided about a table: roles, goal and method.

    It is the same as the plan file of the command line: `save` writes one, and `load` reads one.
    """

    __slots__ = ("_value", "folder")

    def __init__(self, **fields: Unpack[PlanFields]) -> None:
        self.folder = ""
        self._value: dict[str, Any] = json.loads(_kohort.plan(json_of(_fields({**fields}, {}))))

    @classmethod
    def _of(cls, value: dict[str, Any], folder: str) -> Plan:
        plan = cls.__new__(cls)
        plan._value, plan.folder = value, folder
        return plan

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Plan:
        """Reads a plan file; what it names is relative to its folder."""
        path = os.fspath(path)
        return cls._of(json.loads(_kohort.plan_load(path)), os.path.dirname(os.path.abspath(path)))

    @classmethod
    def from_toml(cls, text: str) -> Plan:
        """A plan of the text of a plan file."""
        return cls._of(json.loads(_kohort.plan_read(text)), "")

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Plan:
        """A plan of what `to_dict` gives."""
        return cls._of(json.loads(_kohort.plan(json_of(dict(value)))), "")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a plan file for the command line, or for `load`."""
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self.to_toml())

    def to_toml(self) -> str:
        """The text of the plan file."""
        return _kohort.plan_toml(json.dumps(self._value))

    def to_dict(self) -> dict[str, Any]:
        """The fields of the plan file."""
        value: dict[str, Any] = json.loads(json.dumps(self._value))
        return value

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self._value, ensure_ascii=False)

    def replace(self, **fields: Unpack[PlanFields]) -> Plan:
        """The same plan with other fields."""
        value = self.to_dict()
        for name, given in _fields({**fields}, value.get("attributes", {})).items():
            if isinstance(given, dict) and isinstance(value.get(name), dict):
                value[name] = {**value[name], **given}
            else:
                value[name] = given
        return Plan._of(json.loads(_kohort.plan(json_of(value))), self.folder)

    @property
    def attributes(self) -> dict[str, str]:
        """The role of each column."""
        found = self._value.get("attributes", {})
        return {name: one if isinstance(one, str) else one["role"] for name, one in found.items()}

    @property
    def goal(self) -> dict[str, Any]:
        """What a release must promise."""
        return dict(self._value.get("goal", {}))

    @property
    def method(self) -> dict[str, Any]:
        """How a release is made."""
        return dict(self._value.get("method", {}))

    @property
    def series(self) -> dict[str, Any]:
        """How a series goes on."""
        return dict(self._value.get("series", {}))

    @property
    def tables(self) -> dict[str, Any]:
        """The tables whose rows belong to the people, and how they are joined."""
        return dict(self._value.get("tables", {}))

    @property
    def missing(self) -> list[str] | None:
        """Texts that mean a missing value."""
        found: list[str] | None = self._value.get("read", {}).get("missing")
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and (self._value, self.folder) == (other._value, other.folder)

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __reduce__(self) -> tuple[Any, ...]:
        return (Plan._of, (self._value, self.folder))

    def __repr__(self) -> str:
        return f"Plan({self._value!r})"

    def _repr_html_(self) -> str:
        return cell("plan", preformatted(self.to_toml()))


def _fields(fields: dict[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Keywords as the fields of a plan file. `known` are the columns that have a role already."""
    fields = {name: value for name, value in fields.items() if value is not None}
    value: dict[str, Any] = {}
    attributes: dict[str, dict[str, Any]] = {}
    for keyword, role in _ROLES.items():
        for column, taxonomy in _columns(keyword, fields.pop(keyword, ())):
            if column in attributes:
                raise PlanError(f"column `{column}` has two roles")
            attributes[column] = {"role": role}
            if taxonomy is not None:
                attributes[column]["taxonomy"] = _spelled(taxonomy)
    for keyword, field in _ATTRIBUTE.items():
        for column, given in dict(fields.pop(keyword, {})).items():
            if column not in attributes and column in known:
                before = known[column]
                attributes[column] = {"role": before} if isinstance(before, str) else dict(before)
            if column not in attributes:
                raise PlanError(f"column `{column}` of `{keyword}` has no role")
            attributes[column][field] = _spelled(given) if field == "taxonomy" else given
    if attributes:
        value["attributes"] = attributes
    goal = fields.pop("goal", [])
    goal = [goal] if isinstance(goal, Goal) else list(goal)
    if "k" in fields:
        goal.append(Goal("k-anonymity", fields.pop("k")))
    if "frequency_l" in fields:
        goal.append(Goal("frequency-l-diversity", fields.pop("frequency_l")))
    goals = goal_fields(goal)
    if "suppression" in fields:
        goals["suppression"] = fields.pop("suppression")
    if goals:
        value["goal"] = goals
    if "missing" in fields:
        value["read"] = {"missing": list(fields.pop("missing"))}
    for section, names in (("method", METHOD), ("output", OUTPUT)):
        found = {_kebab(name): fields.pop(name) for name in sorted(names) if name in fields}
        if found:
            value[section] = found
    budget = value.get("method", {}).get("budget")
    if isinstance(budget, (int, float)):
        raise PlanError("`budget` is a text with a unit", f"write `{budget}s` for seconds")
    for name in _TOP:
        if name in fields:
            value[name] = fields.pop(name)
    if "series" in value:
        value["series"] = {_kebab(name): one for name, one in dict(value["series"]).items()}
    for name in fields:
        import difflib

        near = difflib.get_close_matches(name, [*PlanFields.__annotations__, *METHOD, *OUTPUT], 1)
        raise PlanError(f"a plan has no field `{name}`", f"did you mean `{near[0]}`?" if near else None)
    return value
