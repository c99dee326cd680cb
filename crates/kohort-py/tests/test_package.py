from __future__ import annotations

import copy
import datetime
import decimal
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kohort as kh

#: What the random choices of a method are drawn from: the same release each time.
SECRET = bytes(range(32))


def test_the_notebook_of_the_readme(hospital: pl.DataFrame, plan: kh.Plan, tmp_path: Path) -> None:
    assert kh.inspect(hospital).roles["disease"] == "sensitive"
    assert kh.diagnose(hospital, quasi=["age", "sex", "zip"], sensitive="disease").k == 1
    release = kh.anonymize(hospital, plan, budget="1s", progress=False)
    assert release.verified and release.receipt.k >= 5
    assert isinstance(release.frame, pl.DataFrame) and "name" not in release.frame.columns
    assert release.to_polars().equals(release.frame)
    assert not kh.attack(release, original=hospital).refuted
    assert kh.verify(release.frame, plan, original=hospital)
    release.report(tmp_path / "release.html")
    plan.save(tmp_path / "plan.toml")
    assert kh.Plan.load(tmp_path / "plan.toml").to_dict() == plan.to_dict()
    assert "<html" in (tmp_path / "release.html").read_text()


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow", "lazy"])
def test_the_kind_of_frame_that_went_in_comes_out(hospital: pl.DataFrame, kind: str) -> None:
    frame = {
        "polars": lambda: hospital,
        "lazy": hospital.lazy,
        "pandas": hospital.to_pandas,
        "pyarrow": hospital.to_arrow,
    }[kind]()
    release = kh.anonymize(frame, quasi=["age", "sex"], sensitive="disease", insensitive=["ward"], k=4)
    expected = {"polars": pl.DataFrame, "lazy": pl.DataFrame, "pandas": pd.DataFrame, "pyarrow": pa.Table}[kind]
    assert isinstance(release.frame, expected)
    whole = kh.anonymize(hospital, quasi=["age", "sex"], sensitive="disease", insensitive=["ward"], k=4)
    assert release.to_polars().equals(whole.to_polars(), null_equal=True)
    assert kh.verify(release.frame, release.plan, original=frame)


def test_anything_with_a_stream_goes_in_and_a_stream_comes_out(hospital: pl.DataFrame) -> None:
    class Stream:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return hospital.__arrow_c_stream__()

    release = kh.anonymize(Stream(), quasi=["age"], k=4)
    assert pa.table(release.frame).num_rows == hospital.height


def test_untouched_columns_keep_their_types() -> None:
    n = 24
    columns = {
        "age": [30 + i % 4 for i in range(n)],
        "int8": pl.Series([i % 3 for i in range(n)], dtype=pl.Int8),
        "uint64": pl.Series([2**63 + i for i in range(n)], dtype=pl.UInt64),
        "float": [i / 7 if i % 5 else None for i in range(n)],
        "decimal": pl.Series([decimal.Decimal(i) / 4 for i in range(n)], dtype=pl.Decimal(10, 2)),
        "date": [datetime.date(2020, 1, 1 + i) for i in range(n)],
        "time": pl.Series([datetime.datetime(2020, 1, 1, i) for i in range(n)], dtype=pl.Datetime("ms")),
        "zone": pl.Series([datetime.datetime(2020, 1, 1, i) for i in range(n)]).dt.replace_time_zone("Europe/Rome"),
        "bool": [None if i == 3 else i % 2 == 0 for i in range(n)],
        "cat": pl.Series(["ab"[i % 2] for i in range(n)], dtype=pl.Categorical),
        "enum": pl.Series(["ab"[i % 2] for i in range(n)], dtype=pl.Enum(["b", "a", "never"])),
        "text": [None if i == 2 else f"t{i}" for i in range(n)],
    }
    frame = pl.DataFrame(columns)
    others = [name for name in frame.columns if name != "age"]
    release = kh.anonymize(frame, quasi="age", insensitive=others, k=3)
    shown = release.frame
    for name in others:
        if name == "enum":
            # A category that stands in no row may be of somebody who was left out.
            assert shown.schema[name] == pl.Enum(["b", "a"])
            continue
        assert shown.schema[name] == frame.schema[name], name
        key = lambda value: (value is None, str(value))
        assert sorted(shown[name].to_list(), key=key) == sorted(frame[name].to_list(), key=key), name
    arrow = kh.anonymize(frame.to_arrow(), quasi="age", insensitive=others, k=3).frame
    for name in set(others) - {"enum"}:
        assert arrow.schema.field(name).type == frame.to_arrow().schema.field(name).type, name
    sliced = frame.to_arrow().slice(5, 12)
    chunked = pa.concat_tables([sliced, sliced])
    assert kh.anonymize(chunked, quasi="age", insensitive=["text"], k=2).frame.num_rows == 24


def test_pandas_keeps_its_types_and_a_named_index() -> None:
    n = 20
    frame = pd.DataFrame(
        {
            "age": [30 + i % 4 for i in range(n)],
            "nullable": pd.array([i if i % 3 else None for i in range(n)], dtype="Int16"),
            "cat": pd.Categorical(["x", "y"] * 10, categories=["y", "x", "never"], ordered=True),
            "when": pd.date_range("2020-01-01", periods=n).astype("datetime64[s]"),
            "flag": pd.array([True, None] * 10, dtype="boolean"),
        },
        index=pd.Index([f"w{i % 2}" for i in range(n)], name="ward"),
    )
    others = ["nullable", "cat", "when", "flag", "ward"]
    release = kh.anonymize(frame, quasi="age", insensitive=others, k=3)
    assert release.frame.index.name == "ward"
    for name in ["nullable", "when", "flag"]:
        assert release.frame[name].dtype == frame[name].dtype, name
    assert list(release.frame["cat"].cat.categories) == ["y", "x"] and release.frame["cat"].cat.ordered
    with pytest.raises(kh.PlanError, match="index `ward` has no role"):
        kh.anonymize(frame, quasi="age", k=3)
    filtered = frame.reset_index(drop=True)[5:]
    assert list(kh.anonymize(filtered, quasi="age", k=3).frame.columns) == ["age"]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"age": [1, "secret-cell", 3.5]}), "column `age`"),
        (pd.DataFrame([[1, 2]], columns=["age", "age"]), "`age`"),
        (pa.table([pa.array([1]), pa.array([2])], names=["age", "age"]), "same name"),
        (pl.DataFrame({"age": [[1], [2]]}), "`age`"),
        (pl.DataFrame({"age": pl.Series([], dtype=pl.Int64)}), "row"),
        ({"age": [1]}, "a frame is needed"),
        ("age", "a frame is needed"),
    ],
)
def test_bad_frames_are_refused_without_a_cell(frame: object, message: str) -> None:
    with pytest.raises(kh.DataError, match=message) as caught:
        kh.anonymize(frame, quasi="age", k=2)
    assert "secret-cell" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_errors_have_a_hierarchy(hospital: pl.DataFrame) -> None:
    assert issubclass(kh.PlanError, kh.KohortError) and issubclass(kh.Infeasible, kh.KohortError)
    with pytest.raises(kh.Infeasible) as caught:
        kh.anonymize(hospital, quasi=["age"], k=1000)
    assert caught.value.nearest_goals == ((kh.k_anonymity(400),),)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.nearest_goals) == (str(caught.value), caught.value.nearest_goals)
    kh.anonymize(hospital, quasi=["age"], goal=caught.value.nearest_goals[0])
    with pytest.raises(kh.Infeasible) as both:
        goal = [kh.k_anonymity(5), kh.frequency_l_diversity(300, of="disease")]
        kh.anonymize(hospital, quasi=["age"], sensitive="disease", goal=goal)
    (nearest,) = both.value.nearest_goals
    diverse = next(one for one in nearest if one.model == "frequency-l-diversity")
    assert goal[0] in nearest and 1 < diverse.level["l"] < 300 and diverse.level["attribute"] == "disease"
    with pytest.raises(kh.PlanError, match="did you mean `sensitive`"):
        kh.Plan(quasi="age", sensitve="disease")  # type: ignore[call-arg]
    with pytest.raises(kh.PlanError, match="algorithm"):
        kh.anonymize(hospital, quasi="age", k=2, algorithm="mondrain")  # type: ignore[arg-type]
    with pytest.raises(kh.KohortError, match="nowhere"):
        kh.anonymize(hospital, quasi="nowhere", k=2)
    with pytest.raises(kh.PlanError, match="k"):
        kh.Plan(k=-1)
    with pytest.raises(kh.PlanError, match="quasi"):
        kh.anonymize(hospital, k=2)
    verdict = kh.verify(hospital.select("age"), kh.Plan(quasi="age", k=2))
    assert not verdict and verdict.reasons
    with pytest.raises(kh.Rejected) as rejected:
        verdict.require()
    assert list(rejected.value.reasons) == verdict.reasons


@pytest.mark.parametrize(
    ("call", "message", "hint"),
    [
        (lambda df: kh.anonymize("patients.csv", quasi="age", k=2), "this is str", "read the file first"),
        (lambda df: kh.anonymize(Path("patients.csv"), quasi="age", k=2), "this is PosixPath", "read the file first"),
        (lambda df: kh.inspect(df.to_pandas().groupby("sex")), "pandas DataFrameGroupBy", None),
        (lambda df: kh.anonymize(pd.DataFrame([[1], [1]]), quasi="0", k=2), "`0` is int", r"df\.columns\.map\(str\)"),
        (lambda df: kh.inspect(pl.DataFrame({"a": pl.Series([object()], dtype=pl.Object)})), "column `a` has Python objects", "texts"),
        (lambda df: kh.anonymize(df, {"quasi": "age", "k": 2}), "this is dict", r"Plan\(\*\*fields\)"),
        (lambda df: kh.anonymize(df, quasi=[pl.col("age")], k=2), "`quasi` has Expr", None),
        (lambda df: kh.anonymize(df, quasi="age", k=2, budget=10), "`budget`", "write `10s`"),
        (lambda df: kh.anonymize(df, quasi="age", k=2, seed=-1), "`seed`: invalid value", None),
        (lambda df: kh.anonymize(df, quasi="age", k=2, metric=7), "`metric`: invalid type", None),
        (lambda df: kh.anonymize(df, quasi="age", k=object()), "this is object", None),
    ],
)
def test_what_a_stranger_tries_is_refused_with_a_way_on(
    hospital: pl.DataFrame, call: Callable[[pl.DataFrame], object], message: str, hint: str | None
) -> None:
    with pytest.raises(kh.KohortError, match=message) as caught:
        call(hospital)
    assert hint is None or re.search(hint, caught.value.hint or "")


def test_numbers_of_other_libraries_are_numbers(hospital: pl.DataFrame) -> None:
    plan = kh.Plan(quasi="age", k=np.int64(5), suppression=np.float32(0.25), seed=np.uint8(7))
    assert plan == kh.Plan(quasi="age", k=5.0, suppression=0.25, seed=7)  # type: ignore[arg-type]
    assert kh.compare(hospital, quasi=["age"], algorithms=["mondrian"], ks=np.array([2, 5])).frame.height == 2


def test_a_release_says_where_its_numbers_and_rows_are(hospital: pl.DataFrame) -> None:
    release = kh.anonymize(hospital, quasi="age", k=5)
    with pytest.raises(AttributeError, match=r"`release\.receipt\.loss`"):
        release.loss  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"`release\.frame\.head`"):
        release.head  # type: ignore[attr-defined]
    assert copy.deepcopy(release) == release and not hasattr(release, "nothing")


def test_answers_are_objects(hospital: pl.DataFrame, plan: kh.Plan) -> None:
    release = kh.anonymize(hospital, plan, secret=SECRET)
    answers = [
        kh.inspect(hospital),
        kh.diagnose(hospital, plan),
        release.receipt,
        kh.verify(release, original=hospital),
        kh.attack(release, original=hospital),
        kh.compare(hospital, plan, algorithms=["mondrian"], ks=[5]),
        plan,
    ]
    names = set(hospital["name"])
    for answer in answers:
        again = pickle.loads(pickle.dumps(answer))
        assert again == answer
        assert json.loads(answer.to_json()) == answer.to_dict()
        cell = answer._repr_html_()
        assert cell.startswith('<div class="kohort">') and "<script" not in cell and "http" not in cell
        shown = cell + repr(answer)
        assert not any(name in shown for name in names)
        assert "--" not in repr(answer), "a flag of the command line"
    assert pickle.loads(pickle.dumps(release)) == release
    assert release == kh.anonymize(hospital, plan, secret=SECRET)
    assert release.receipt.goal[0].model == "k-anonymity"
    with pytest.raises(AttributeError):
        release.receipt.verified = True  # type: ignore[misc]


def test_a_cell_has_parts_of_the_report_in_the_colors_of_the_theme(hospital: pl.DataFrame, plan: kh.Plan) -> None:
    release = kh.anonymize(hospital, plan)
    cells = {
        "Levels, and what they mean": kh.diagnose(hospital, plan),
        "What was promised, and the evidence": release,
        "The share of targets guessed right": kh.attack(release, original=hospital),
        "Utility by risk": kh.compare(hospital, plan, algorithms=["mondrian"], ks=[5, 10]),
    }
    for part, answer in cells.items():
        cell = answer._repr_html_()
        assert part in cell and part in answer.report()
        assert len(cell) < len(answer.report())
        # Its ink is that of the notebook, whatever the system prefers.
        assert "--ink: currentColor" in cell and "<body" not in cell
    inspected = kh.inspect(hospital)._repr_html_()
    assert "starter" not in inspected and "`" not in inspected and "<code>age</code>" in inspected
    judged = kh.verify(release, original=hospital)
    assert judged._repr_html_().count("verified") == 1 and "k-anonymity, k = 5: holds" in judged._repr_html_()
    with pytest.raises(kh.PlanError, match="no page"):
        kh.diagnose([{"a": 1}, {"a": 1}], quasi="a").report()


def test_the_twelve_questions(hospital: pl.DataFrame) -> None:
    roles = {"quasi": ["age", "sex", "zip"], "sensitive": "disease"}
    for level in (None, kh.k_anonymity(2)):
        for subsets in (False, True):
            for more in ({}, {"suppress": 0.05}, {"find_suppression": True}):
                found = kh.diagnose(hospital, levels=level, subsets=subsets, **more, **roles)  # type: ignore[arg-type]
                assert (found.holds is None) == (level is None or subsets or "find_suppression" in more)
    assert not kh.diagnose(hospital, levels=kh.k_anonymity(2), **roles)  # type: ignore[arg-type]
    assert kh.diagnose(hospital, levels=kh.k_anonymity(2), subsets=True, **roles).positive_border  # type: ignore[arg-type]
    assert "GROUP BY" in kh.sql(hospital, table="patients", **roles)  # type: ignore[arg-type]
    drawn = kh.diagnose(hospital, borders=2, **roles).report()  # type: ignore[arg-type]
    assert len(drawn) > len(kh.diagnose(hospital, **roles).report())  # type: ignore[arg-type]
    public = hospital.select("age", "sex", "zip")
    assert kh.diagnose(hospital, public=public, **roles).risk  # type: ignore[arg-type]


def test_taxonomies_are_values(hospital: pl.DataFrame, tmp_path: Path) -> None:
    built = kh.build_taxonomy(hospital, "ward")
    file = tmp_path / "ward.csv"
    file.write_text(built.arx or "")
    assert kh.check_taxonomy(file, hospital, "ward").is_tree
    wards = sorted(set(hospital["ward"]))
    groups = {"first": wards[:2], "others": wards[2:]}
    for taxonomy in (kh.arx_file(file), kh.tree(groups), groups, kh.mask(), kh.flat()):
        release = kh.anonymize(hospital, quasi={"ward": taxonomy, "sex": None}, k=10, suppression=0.1)
        assert release.verified
    assert "others" in str(kh.show_taxonomy(groups, hospital, "ward")) and wards[0] not in str(kh.show_taxonomy(groups, hospital, "ward"))
    assert wards[0] in str(kh.show_taxonomy(built)) and str(kh.show_taxonomy(file)) == str(kh.show_taxonomy(built))
    assert kh.check_taxonomy(kh.arx_file(file)).to_dict() == kh.check_taxonomy(built).to_dict()
    assert "0****" in str(kh.show_taxonomy(kh.mask(), hospital, "zip", depth=1))
    with pytest.raises(kh.PlanError, match="show_taxonomy"):
        kh.show_taxonomy(kh.mask())
    ranges = kh.ranges([0, 39], [40, 69], [70, 120])
    shown = kh.anonymize(hospital, quasi={"age": ranges, "admission": kh.calendar("month", "year")}, k=10)
    assert shown.verified


def test_other_releases_of_a_table_are_judged_with_it(hospital: pl.DataFrame) -> None:
    fields = {"quasi": ["age", "sex"], "sensitive": "disease", "frequency_l": 3, "transparent": False, "suppression": 0.2}
    first, second = (kh.anonymize(hospital, algorithm=name, seed=7, **fields) for name in ("mondrian", "hilbert"))  # type: ignore[arg-type]
    assert kh.verify(first, original=hospital)
    together = kh.verify(first, original=hospital, others=[second])
    assert not together and any("together with the other release" in reason for reason in together.reasons)
    with pytest.raises(kh.PlanError, match="others"):
        kh.verify([first, second], first.plan, others=[second])


def test_an_adversary_may_have_the_secret(hospital: pl.DataFrame) -> None:
    release = kh.anonymize(hospital, quasi=["age", "sex"], sensitive="disease", frequency_l=2, suppression=0.2, secret=SECRET)
    answer = kh.attack(release, original=hospital, secret=SECRET, only="prosecutor")
    assert [one.id for one in answer.attacks] == ["prosecutor"]
    with pytest.raises(kh.PlanError, match="32"):
        kh.attack(release, original=hospital, secret=b"short")


def test_an_inspection_is_a_plan_to_start_from(hospital: pl.DataFrame, tmp_path: Path) -> None:
    found = kh.inspect(hospital)
    assert found.plan.attributes["name"] == "identifier" and "input" not in found.plan.to_dict()
    assert kh.Plan.from_toml(found.starter_plan).attributes == found.plan.attributes
    with pytest.raises(kh.PlanError, match="line 1"):
        kh.Plan.from_toml("k = ")
    twice = pl.concat([hospital.with_row_index("patient"), hospital.with_row_index("patient")])
    notes = kh.inspect(twice, key="patient").notes
    assert len(notes) == 1 and 'key="patient", tables={"rows": {"foreign-key": "patient"}}' in notes[0]
    assert kh.inspect(pl.DataFrame({"a": ["1", "-", "2"]}), missing=["-"]).columns[0].type == "integer"


def test_demo_data_is_frames(tmp_path: Path) -> None:
    demo = kh.demo("hospital", rows=60)
    frame = demo.frame
    assert isinstance(frame, pl.DataFrame) and frame.height == 60
    assert frame.schema["age"] == pl.Int64 and frame.schema["zip"] == pl.String and frame.schema["admission"] == pl.Date
    demo.write(tmp_path)
    plan = kh.Plan.load(tmp_path / "plan.toml").replace(goal=kh.k_anonymity(3), suppression=0.5)
    assert kh.diagnose(frame, plan).rows == 60
    with pytest.raises(FileExistsError):
        demo.write(tmp_path)
    releases = kh.demo(rows=40, releases=3).frames
    assert len(releases) == 3 and {frame.columns[0] for frame in releases} == {releases[0].columns[0]}
    assert len(kh.demo("poll", rows=5, issues=3).frame.columns) == len(kh.demo("poll", rows=5).frame.columns) - 4
    deep, flat = (kh.demo("patients", rows=20, depth=depth).text for depth in (4, 2))
    assert len(deep) > len(flat) and isinstance(kh.demo("students", rows=2).frame, list)
    with pytest.raises(kh.PlanError, match="depth"):
        kh.demo("students", depth=9)
    with pytest.raises(kh.PlanError, match="hospital"):
        kh.demo("hospitals")  # type: ignore[arg-type]


def test_import_is_quick_and_imports_no_frame_library() -> None:
    code = "import sys, kohort; print([m for m in ('numpy', 'pandas', 'polars', 'pyarrow') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
