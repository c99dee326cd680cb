"""Every command and every option of the command line is in the package, or a table here says where."""

from __future__ import annotations

import inspect
import re
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

import kohort as kh
from kohort import _generated, _plan

COMMANDS: dict[str, Callable[..., Any]] = {
    "inspect": kh.inspect,
    "diagnose": kh.diagnose,
    "anonymize": kh.anonymize,
    "publish": kh.publish,
    "series list": kh.Ledger.series,
    "series show": kh.Ledger.show,
    "series check": kh.Ledger.check,
    "series history": kh.Ledger.history,
    "series forget": kh.Ledger.forget,
    "series rekey": kh.Ledger.rekey,
    "verify": kh.verify,
    "attack": kh.attack,
    "compare": kh.compare,
    "taxonomy check": kh.check_taxonomy,
    "taxonomy show": kh.show_taxonomy,
    "taxonomy build": kh.build_taxonomy,
    "schema": kh.schema,
    "demo": kh.demo,
}

#: What an argument is called here.
OTHER_NAMES = {
    "identifier": "identifiers",
    "type": "types",
    "taxonomy": "taxonomies",
    "weight": "weights",
    "release2": "others",
    "secret-file": "secret",
    "input": "frame",
    "data": "frame",
    "person-file": "person",
    "new-key-file": "key_file",
    "new-passphrase-file": "passphrase",
}
#: Of one command.
OTHER_NAMES_OF = {
    "attack": {"key": "person"},
    "compare": {"k": "ks", "l": "ls"},
    "demo": {"data": "data"},
}

#: What is no argument, and where it is.
ELSEWHERE = {
    # Of files and terminals: a frame has none of it.
    **dict.fromkeys(("separator", "quote", "header", "encoding", "skip-lines", "unpacked-limit", "records", "parts"), "frames"),
    **dict.fromkeys(("table", "query", "in-place"), "databases"),
    "fail-on-new-columns": "the exit status of a pipeline",
    **dict.fromkeys(("help", "show-values"), "terminals"),
    "quiet": "the logger `kohort`",
    "format": "to_json and to_dict",
    "threads": "set_threads",
    "progress": "the argument of functions that take long",
    # Of what comes back.
    "report": "Receipt.report and Release.report",
    "csv": "Comparison.frame",
    "print-plan": "Plan.to_toml",
    "plan": "the argument `plan`, and Inspection.plan",
    "sql": "kohort.sql",
    "output": "Release.write, Demo.write and the attribute `arx` of a taxonomy",
    "force": "open, and publish(force=True)",
    "trust-folder": "publish(trust_folder=True)",
    # Promises are values.
    "distinct-l": "distinct_l_diversity",
    "entropy-l": "entropy_l_diversity",
    "recursive": "recursive_cl_diversity",
    "t": "t_closeness",
    "distance": "t_closeness",
    # Of the ledger: how it is opened.
    **dict.fromkeys(("ledger", "passphrase-file", "key-file", "head"), "Ledger"),
    "tour": "the guide",
}


def flags(command: str, words: str) -> set[str]:
    ran = subprocess.run([command, *words.split(), "--help"], capture_output=True, text=True, check=True)
    return set(re.findall(r"^ {2,8}(?:-\w, )?--([a-z0-9-]+)", ran.stdout, re.MULTILINE))


def arguments(function: Callable[..., Any]) -> set[str]:
    found = inspect.signature(function).parameters
    names = set(found)
    if any(one.kind is one.VAR_KEYWORD for one in found.values()):
        names |= set(_plan.PlanFields.__annotations__) | _generated.METHOD | _generated.OUTPUT
        names |= set(_generated.SeriesFields.__annotations__) | set(_generated.GOALS)
    return names


@pytest.mark.parametrize("words", COMMANDS)
def test_every_option_of_a_command(command: str, words: str) -> None:
    known = arguments(COMMANDS[words])
    other = {**OTHER_NAMES, **OTHER_NAMES_OF.get(words, {})}
    found = flags(command, words)
    assert len(found) > 4
    missing = {flag for flag in found if other.get(flag, flag.replace("-", "_")) not in known and flag not in ELSEWHERE}
    assert not missing, f"kohort {words}: {sorted(missing)}"


def test_every_command(command: str) -> None:
    def listed(*words: str) -> set[str]:
        ran = subprocess.run([command, *words, "--help"], capture_output=True, text=True, check=True)
        return set(re.findall(r"^  ([a-z]+) {2,}", ran.stdout.partition("Commands:")[2].partition("\n\n")[0], re.MULTILINE))

    found = listed() - {"help", "series", "taxonomy"}
    found |= {f"{group} {one}" for group in ("series", "taxonomy") for one in listed(group) - {"help"}}
    # `list` is the values ALGORITHMS, ATTACKS, METHODS and METRICS, and a function for each model.
    assert found - {"list"} == set(COMMANDS)


def test_where_options_are_named_is_there() -> None:
    for place in ELSEWHERE.values():
        for name in re.findall(r"\b[A-Z]\w+\.\w+|\bkohort\.\w+", place):
            holder, _, member = name.partition(".")
            assert hasattr(kh if holder == "kohort" else getattr(kh, holder), member), name
