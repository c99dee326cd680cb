"""Hints are in the words of this package: they name arguments, not flags."""

from __future__ import annotations

import inspect
import json
import re
from functools import reduce
from pathlib import Path

import polars as pl
import pytest

import kohort as kh
from kohort import _generated, _kohort, _plan

#: What is about text files: frames have none of it, and hints about a ledger's or a release's file may name it.
OF_FILES = {"encoding", "header", "quote", "skip_lines", "unpacked_limit", "show_values", "help()"}


def arguments() -> set[str]:
    """Every argument of the package."""
    found = set(_plan.PlanFields.__annotations__) | set(_generated.SeriesFields.__annotations__)
    for name in kh.__all__:
        one = getattr(kh, name)
        called = [one] if inspect.isfunction(one) else []
        if inspect.isclass(one) and one.__module__.startswith("kohort"):
            called = [one.__init__, *(member for _, member in inspect.getmembers(one, inspect.isfunction))]
        for function in called:
            found |= set(inspect.signature(function).parameters)
    return found


def test_every_setting_is_an_argument() -> None:
    known = arguments() | set(_generated.METHOD) | set(_generated.OUTPUT) | OF_FILES
    for name in json.loads(_kohort.registry())["settings"]:
        if name.endswith("()"):
            member = name.removesuffix("()")
            assert name in OF_FILES or any(hasattr(one, member) for one in (kh.Record, kh.Release, kh.Plan)), name
        elif name.startswith("kohort."):
            assert hasattr(kh, name.partition(".")[2]), name
        else:
            series = {"l": "l", "series": "name"}
            assert series.get(name, name) in known, name


def test_every_command_is_in_the_package() -> None:
    for name in json.loads(_kohort.registry())["commands"]:
        reduce(getattr, name.split(".")[1:], kh)


def test_hints_name_arguments(hospital: pl.DataFrame) -> None:
    with pytest.raises(kh.Infeasible) as caught:
        kh.anonymize(hospital, quasi=["age", "zip", "sex"], sensitive="disease", k=5, algorithm="mondrian", frequency_l=40)
    assert caught.value.hint
    with pytest.raises(kh.PlanError) as twice:
        kh.diagnose(hospital, quasi=["age"], suppress=0.1, find_suppression=True)
    assert "`suppress` gives a share and `find_suppression=True`" in str(twice.value)
    with pytest.raises(kh.KohortError) as unknown:
        kh.anonymize(hospital, quasi="nowhere", k=2)
    assert unknown.value.hint == "`kohort.inspect` lists the columns"
    with pytest.raises(kh.PlanError) as nothing:
        kh.anonymize(hospital, k=2)
    assert '`quasi=["age", "sex", "zip"]`' in (nothing.value.hint or "")
    with pytest.raises(kh.KohortError) as value:
        kh.anonymize(hospital, quasi="name", types={"name": "integer"}, k=2)
    assert '`types={"name": "text"}`' in (value.value.hint or "")
    with pytest.raises(kh.PlanError) as unsafe:
        kh.anonymize(hospital, quasi=["age"], k=2, algorithm="additive-noise")
    assert "`allow_unsafe=True`" in (unsafe.value.hint or "")


def test_what_an_attack_lacks_is_an_argument(hospital: pl.DataFrame, plan: kh.Plan) -> None:
    release = kh.anonymize(hospital, plan)
    answer = kh.attack(release)
    pages = (re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL) for page in (answer.report(), answer._repr_html_()))
    for shown in (repr(answer), *pages, answer.to_json()):
        assert not re.search(r"(?<![-\w])--[a-z]", shown)
    assert "`original`" in repr(answer) and "`others`" in repr(answer)


def test_no_file_of_the_package_names_a_flag() -> None:
    for path in Path(kh.__file__ or "").parent.glob("*.py"):
        assert not re.search(r"[`\" ]--[a-z]", path.read_text(encoding="utf-8")), path.name
