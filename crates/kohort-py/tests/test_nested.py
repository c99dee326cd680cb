"""Records inside records: a list of dicts, JSON, or frames joined by keys."""

from __future__ import annotations

import json
import pickle
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import kohort as kh


@pytest.fixture(scope="module")
def text() -> str:
    return kh.demo("students", rows=120)[0]


@pytest.fixture(scope="module")
def plan(text: str) -> kh.Plan:
    found = kh.inspect(text)
    assert "courses[].course" in found.roles
    return kh.Plan(
        quasi=["major", "birth_year", "courses[].course"], sensitive=["gpa", "courses[].grade"], identifiers="student_id",
        frequency_l=2, k=3, suppression=0.1, seed=3, transparent=False,
    )


def test_dicts_in_and_dicts_out(text: str, plan: kh.Plan) -> None:
    records = json.loads(text)
    release = kh.anonymize(records, plan)
    assert isinstance(release, kh.NestedRelease) and release.verified
    assert isinstance(release.frame, list) and "student_id" not in release.frame[0]
    assert kh.verify(release, original=records)
    assert kh.verify(release.frame, plan, original=records)
    assert not kh.verify([{k: v for k, v in one.items() if k != "student_id"} for one in records], plan, original=records)
    assert not kh.attack(release, original=records).refuted
    assert kh.diagnose(records, plan).k >= 1
    assert "<html" in release.report()
    assert pickle.loads(pickle.dumps(release)) == release
    compared = kh.compare(records, plan, algorithms=["clustree-greedy"], ks=[2, 3])
    assert len(pl.DataFrame(compared.frame)) == 2


def test_text_in_is_the_command_line_byte_for_byte(text: str, plan: kh.Plan, command: str, tmp_path: Path) -> None:
    (tmp_path / "students.json").write_text(text)
    (tmp_path / "plan.toml").write_text('input = "students.json"\n' + plan.to_toml())
    subprocess.run([command, "--quiet", "anonymize", "plan.toml", "-o", "cli.json"], cwd=tmp_path, check=True)
    release = kh.anonymize(text, plan)
    assert isinstance(release.frame, str)
    assert release.frame.encode() == (tmp_path / "cli.json").read_bytes()
    assert json.loads(release.frame) == kh.anonymize(json.loads(text), plan).frame


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_frames_joined_by_keys(text: str, library: str) -> None:
    records = json.loads(text)
    people = pl.DataFrame([{"student": one["student_id"], "major": one["major"], "birth_year": one["birth_year"]} for one in records])
    courses = pl.DataFrame([{"student": one["student_id"], "course": course["course"], "grade": course["grade"]} for one in records for course in one["courses"]])
    to: Any = {"polars": lambda frame: frame, "pandas": pl.DataFrame.to_pandas, "pyarrow": pl.DataFrame.to_arrow}[library]
    frames = {"students": to(people), "courses": to(courses)}
    plan = kh.Plan(
        quasi=["major", "birth_year", "courses[].course"], sensitive=["courses[].grade"],
        key="student", tables={"courses": {"foreign-key": "student"}}, k=3, frequency_l=2, suppression=0.1, transparent=False,
    )
    release = kh.anonymize(frames, plan)
    assert list(release.frame) == ["students", "courses"] and type(release.frame["students"]) is type(frames["students"])
    assert kh.verify(release, original=frames) and kh.verify(release.frame, plan, original=frames)
    shown = pl.DataFrame(release.frame["courses"])
    assert set(shown["student"]) <= set(pl.DataFrame(release.frame["students"])["student"])
    assert not set(map(str, shown["student"])) & set(people["student"])
    assert kh.inspect(frames, key="student", tables={"courses": {"foreign-key": "student"}}).roles


def test_values_apart(text: str, plan: kh.Plan) -> None:
    records = json.loads(text)
    anatomy = kh.Plan(
        quasi=["major", "birth_year", "courses[].course"], sensitive=["courses[].grade"], identifiers="student_id",
        frequency_l=2, suppression=0.5, algorithm="tree-anatomy",  # type: ignore[typeddict-item]
    )
    release = kh.anonymize(records, anatomy)
    assert release.values and kh.verify(release, original=records)
    assert kh.verify(release.frame, anatomy, values=release.values, original=records)
    with pytest.raises(kh.PlanError, match="values"):
        kh.verify(release.frame, anatomy)


def test_bad_records_are_refused_without_a_cell(plan: kh.Plan) -> None:
    with pytest.raises(kh.DataError, match="NaN"):
        kh.anonymize([{"id": "secret-cell", "gpa": float("nan")}], plan)
    with pytest.raises(kh.DataError, match="object"):
        kh.anonymize([{"id": object()}], plan)
    with pytest.raises(kh.KohortError) as broken:
        kh.anonymize('[{"id": "secret-cell", "gpa": ]', plan)
    assert "secret-cell" not in str(broken.value) and "line 1" in str(broken.value)
    with pytest.raises(kh.PlanError, match="tables"):
        kh.anonymize({"a": pl.DataFrame({"x": [1]}), "b": pl.DataFrame({"x": [1]})}, plan)
    with pytest.raises(kh.PlanError, match="subsets"):
        kh.diagnose([{"id": "1", "gpa": 1}], plan, subsets=True)
    with pytest.raises(kh.PlanError, match="sampling_fraction"):
        kh.diagnose([{"id": "1", "gpa": 1}], plan, sampling_fraction=0.1)
    with pytest.raises(kh.PlanError, match="ranges"):
        kh.anonymize([{"id": "1", "gpa": 1}], plan, ranges="struct")
    with pytest.raises(kh.DataError, match="UTF-8") as bytes_:
        kh.anonymize(b'[{"id": "secret-cell\xff"}]', plan)
    assert "secret" not in str(bytes_.value) and bytes_.value.__cause__ is None


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_the_rows_of_a_person_in_one_frame(library: str) -> None:
    rows = [(f"p{i // 2}", 30 + i // 2 % 5, "ab"[i % 2], ["flu", "gout", "asthma"][i % 3]) for i in range(90)]
    stays = pl.DataFrame(rows, schema=["patient", "age", "ward", "disease"], orient="row")
    to: Any = {"polars": lambda frame: frame, "pandas": pl.DataFrame.to_pandas, "pyarrow": pl.DataFrame.to_arrow}[library]
    frame = to(stays)
    with pytest.raises(kh.PlanError, match="rows are not people"):
        kh.anonymize(frame, quasi=["age"], sensitive="disease", identifiers="patient", k=3)
    plan = kh.Plan(
        quasi=["age", "stays[].ward"], sensitive="stays[].disease", key="patient",
        tables={"stays": {"foreign-key": "patient"}}, k=3, frequency_l=2, suppression=0.3,
    )
    assert kh.diagnose(frame, plan).k >= 1
    release = kh.anonymize(frame, plan)
    assert all(type(one) is type(frame) for one in release.frame.values())
    assert kh.verify(release, original=frame) and not kh.attack(release, original=frame).refuted
