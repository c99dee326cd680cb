"""How a release is made on Spark: places, boxes, a release of each box, and what must add up."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _kohort
from .._api import anonymize
from .._errors import DataError, Infeasible, PlanError
from .._plan import Plan
from . import _boxes
from ._judge import goals_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Columns beside the rows while a release is made. Nothing that is handed out has them.
BOX, ROW, MADE = "kohort box", "kohort row", "kohort made"
#: Points that the driver takes to cut boxes by.
POINTS = 1_000_000
#: Values of a column that the driver takes to put them in order.
VALUES = 1_000_000
#: Promises that hold of the rows of two boxes together where they hold of each.
IN_PARTS = ("k-anonymity", "distinct-l-diversity", "frequency-l-diversity", "entropy-l-diversity")
ALGORITHMS = ("auto", "mondrian")


def refuse(plan: Plan) -> None:
    """Refuses what is not kept by making a release in parts, with the reason."""
    value = plan.to_dict()
    for model in value.get("goal", {}):
        if model not in (*IN_PARTS, "suppression"):
            raise PlanError(f"`{model}` is about the whole table, and is not kept by boxes", f"boxes keep {', '.join(IN_PARTS)}")
    if not goals_of(plan):
        raise PlanError("nothing is promised: the goal is empty", "ask for something, such as `k=5`")
    if "quasi" not in plan.attributes.values():
        raise PlanError("no quasi-identifier is named", "name columns as `quasi=[...]`")
    for field in ("tables", "rules", "series", "preset", "key", "unit", "output"):
        if field in value:
            raise PlanError(f"`{field}` of a plan is not for boxes", "leave it out, or use `kohort.anonymize`")
    method = value.get("method", {})
    if "budget" in method:
        raise PlanError("`budget` ends a search by time, and a task that is tried again must do the same", "leave it out")
    if method.get("algorithm", "auto") not in ALGORITHMS:
        raise PlanError(f"`{method['algorithm']}` is not for boxes", f"boxes are made by {' or '.join(ALGORITHMS)}")
    if method.get("form") == "anatomized":
        raise PlanError("an anatomized release is not made in boxes", "leave `form` out")
    for name, attribute in value.get("attributes", {}).items():
        taxonomy = attribute.get("taxonomy") if isinstance(attribute, dict) else None
        if isinstance(taxonomy, dict) and "file" in taxonomy or isinstance(taxonomy, str) and "." in taxonomy:
            raise PlanError(f"the taxonomy of `{name}` is a file, which is not on the workers", "use `kohort.tree`")


@dataclass
class Made:
    """The rows of a release with the columns that it is judged by."""

    boxed: DataFrame
    released: DataFrame
    columns: list[str]
    rows_in: int
    rows_out: int
    boxes: int
    secret: bytes

    def public(self) -> DataFrame:
        """The rows that are handed out, in an order that tells nothing: rows of a box stand nowhere together."""
        from pyspark.sql import functions as F

        names = [f"`{name}`" for name in self.columns]
        order = F.sha2(F.concat_ws(" ", F.lit(self.secret.hex()), F.col(f"`{ROW}`")), 256)
        return self.released.orderBy(order, *names).select(*names)

    def drop(self) -> None:
        """Gives back what was kept while the release was made."""
        self.released.unpersist()
        self.boxed.unpersist()

    def keep_released(self) -> None:
        """Gives back what only the making and the judge needed."""
        self.boxed.unpersist()


def make(rows: DataFrame, plan: Plan, rows_per_box: int, secret: bytes) -> Made:
    """A release of each box. Each task is a function of its rows alone."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

    roles = plan.attributes
    quasi = [name for name in rows.columns if roles[name] == "quasi"]
    orders = [_order(rows, name, plan) for name in quasi]
    texts = [F.col(f"`{name}`").cast("string") for name in rows.columns]
    # Rows with the same cells have the same key: whichever of them is taken, the same is done.
    key = F.sha2(F.to_json(F.array(*texts), {"ignoreNullFields": "false"}), 256)
    keyed = rows.withColumn(ROW, key)
    tree = _tree(rows, plan, quasi, orders, rows_per_box)

    fields = [StructField(BOX, IntegerType()), *keyed.schema.fields]
    boxed = keyed.mapInArrow(_boxing(quasi, orders, tree), StructType(fields)).persist()
    counts = _counts(boxed, plan)
    # A box that cannot keep the goal is joined with the one beside it.
    numbers = {leaf.number: leaf for leaf in tree.leaves()}
    for (number, value), n in counts.items():
        leaf = numbers[number]
        leaf.counts[value] = leaf.counts.get(value, 0) + n
    before = dict(numbers)
    _boxes.join(tree, lambda found: is_enough(found, plan))
    after = {leaf.number: leaf for leaf in tree.leaves()}
    if len(after) < len(before):
        boxed.unpersist()
        boxed = keyed.mapInArrow(_boxing(quasi, orders, tree), StructType(fields)).persist()

    public = [name for name in rows.columns if roles[name] in ("quasi", "sensitive", "insensitive")]
    types = [StructField(name, StringType() if name in quasi else rows.schema[name].dataType) for name in public]
    inner = [StructField(BOX, IntegerType()), StructField(ROW, StringType()), StructField(MADE, LongType())]
    spans = {name: order.span for name, order in zip(quasi, orders, strict=True) if order.span}
    work = _working(plan, quasi, public, secret, spans)
    released = boxed.groupBy(BOX).applyInArrow(work, StructType([*types, *inner])).persist()
    try:
        rows_in, rows_out = boxed.count(), released.count()
    except Exception as error:
        released.unpersist()
        boxed.unpersist()
        raise _of_worker(error) from None
    return Made(boxed, released, public, rows_in, rows_out, len(after), secret)


def _order(rows: DataFrame, name: str, plan: Plan) -> _boxes.Order:
    if rows.schema[name].dataType.typeName().startswith("timestamp"):
        raise DataError(f"column `{name}` is a time, which is no quasi-identifier of a box", "make it a date with `to_date`")
    counted = rows.groupBy(f"`{name}`").count()
    if counted.limit(VALUES + 1).count() > VALUES:
        if rows.schema[name].dataType.typeName() in ("byte", "short", "integer", "long", "float", "double"):
            shares = [place / _boxes.PLACES for place in range(_boxes.PLACES)]
            starts = sorted(set(rows.approxQuantile(name, shares, 1 / (4 * _boxes.PLACES))))
            return _boxes.Order(tuple(starts), None, _boxes.span(starts[0], starts[-1]))
        raise DataError(f"column `{name}` has more than {VALUES:,} values", "round them, or publish ranges of them")
    values = {row[0]: row[1] for row in counted.collect()}
    attribute = plan.to_dict()["attributes"][name]
    taxonomy = attribute.get("taxonomy") if isinstance(attribute, dict) else None
    tree = taxonomy.get("tree") if isinstance(taxonomy, dict) else None
    return _boxes.Order.of(values, None if tree is None else list(_leaves(tree)))


def _leaves(tree: Any) -> Iterator[Any]:
    """The values of a taxonomy, neighbors beside one another."""
    if isinstance(tree, Mapping):
        for part in tree.values():
            yield from _leaves(part)
    elif isinstance(tree, (list, tuple)):
        for part in tree:
            yield from _leaves(part)
    else:
        yield tree


def _tree(rows: DataFrame, plan: Plan, quasi: list[str], orders: list[_boxes.Order], most: int) -> _boxes.Box:
    """The boxes, cut by the places of the rows."""
    import numpy as np
    from pyspark.sql import functions as F
    from pyspark.sql.types import IntegerType, StructField, StructType

    places = [f"p{at}" for at in range(len(quasi))]
    schema = StructType([StructField(place, IntegerType()) for place in places])
    points = rows.select(*(f"`{name}`" for name in quasi)).mapInArrow(_placing(quasi, orders, places), schema)
    counted = points.groupBy(*places).count()
    n_points = counted.count()
    share = -(-n_points // POINTS)
    if share > 1:
        counted = counted.where(F.pmod(F.xxhash64(*places), F.lit(share)) == 0)
    # In order, so that the same rows are cut alike.
    table = counted.orderBy(*places).toArrow()
    found = np.column_stack([np.asarray(table[place].to_pylist(), dtype=np.int64) for place in places])
    weights = np.asarray(table["count"].to_pylist(), dtype=np.int64) * share
    return _boxes.cut(found, weights, most, max(50, most // 4))


def _placing(quasi: list[str], orders: list[_boxes.Order], places: list[str]) -> Any:
    def place(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            found = [order.places(batch[name].to_pylist()) for name, order in zip(quasi, orders, strict=True)]
            yield pa.RecordBatch.from_arrays([pa.array(one) for one in found], names=places)

    return place


def _boxing(quasi: list[str], orders: list[_boxes.Order], tree: _boxes.Box) -> Any:
    def box(batches: Iterator[Any]) -> Iterator[Any]:
        import numpy as np
        import pyarrow as pa

        for batch in batches:
            found = [order.places(batch[name].to_pylist()) for name, order in zip(quasi, orders, strict=True)]
            numbers = _boxes.boxes_of(tree, np.column_stack(found))
            arrays = [pa.array(numbers, pa.int32()), *batch.columns]
            yield pa.RecordBatch.from_arrays(arrays, names=[BOX, *batch.schema.names])

    return box


def _counts(boxed: DataFrame, plan: Plan) -> dict[tuple[int, tuple[str, Any]], int]:
    """The rows of each box, and how often each value of a sensitive column that a promise is about stands there."""
    found = {(row[0], ("", None)): row[1] for row in boxed.groupBy(BOX).count().collect()}
    for name in {name for goal in goals_of(plan) for name in _about(goal.level, plan) if goal.model != "k-anonymity"}:
        for number, value, n in boxed.groupBy(BOX, f"`{name}`").count().collect():
            found[number, (name, value)] = n
    return found


def _about(level: Any, plan: Plan) -> list[str]:
    if isinstance(level, dict) and "attribute" in level:
        return [level["attribute"]]
    return [name for name, role in plan.attributes.items() if role == "sensitive"]


def is_enough(counts: Mapping[tuple[str, Any], int], plan: Plan) -> bool:
    """Whether rows with these counts can keep the promises, with room to spare."""
    rows = counts.get(("", None), 0)
    for goal in goals_of(plan):
        level: Any = goal.level.get("l", goal.level.get("k")) if isinstance(goal.level, dict) else goal.level
        if goal.model == "k-anonymity":
            if rows < 10 * level:
                return False
            continue
        for name in _about(goal.level, plan):
            of_values = [n for (column, _), n in counts.items() if column == name]
            # Each value may fill 1/l of a class, and a tenth less here. Entropy asks for more than distinct values.
            if len(of_values) < level or goal.model != "distinct-l-diversity" and max(of_values) * level * 11 > rows * 10:
                return False
    return True


def _working(plan: Plan, quasi: list[str], public: list[str], secret: bytes, spans: Mapping[str, float]) -> Any:
    value = plan.to_dict()
    roles = plan.attributes
    # The columns that name people do not go to the workers.
    shown_columns = {name: one for name, one in value["attributes"].items() if roles[name] != "identifier"}
    inner = Plan.from_dict({**value, "attributes": shown_columns}).replace(insensitive=[ROW])

    def work(key: tuple[Any, ...], table: Any) -> Any:
        import pyarrow as pa

        number = key[0].as_py()
        # The rows come in any order.
        table = table.drop_columns([BOX]).sort_by(ROW)
        asked = inner.replace(weights=_weights(table, inner, spans))
        for name in quasi:
            at = table.schema.get_field_index(name)
            table = table.set_column(at, name, table[name].cast(pa.string()))
        own = hashlib.blake2b(number.to_bytes(8, "little"), key=secret, digest_size=32).digest()
        _kohort.set_threads(1)
        shown = pa.table(anonymize(table, asked, secret=own, progress=False).frame)
        columns = {name: shown[name].cast(pa.string() if name in quasi else table.schema.field(name).type) for name in public}
        n = shown.num_rows
        return pa.table(
            {**columns, BOX: pa.array([number] * n, pa.int32()), ROW: shown[ROW], MADE: pa.array([n] * n, pa.int64())}
        )

    return work


def _weights(table: Any, plan: Plan, spans: Mapping[str, float]) -> dict[str, float]:
    """What a loss in a column of numbers or times weighs: a whole box is a part of the column alone."""
    import pyarrow.compute as pc

    weights = {}
    given = plan.to_dict()["attributes"]
    for name, whole in spans.items():
        ends = pc.min_max(table[name]).as_py()
        if ends["min"] is None:
            continue
        own = given[name].get("weight", 1.0) if isinstance(given[name], dict) else 1.0
        part = (_boxes.span(ends["min"], ends["max"]) or 0.0) / whole
        weights[name] = own * min(1.0, max(part, 0.001))
    return weights


def _of_worker(error: Exception) -> Exception:
    """The exception of a worker as it would be here. Spark's message has lines of code, and maybe a cell."""
    text = str(error)
    if "kohort._errors.Infeasible" in text:
        return Infeasible("a box cannot keep the goal", "allow more suppression, or larger boxes with `rows_per_box`")
    of_kohort = re.search(r"kohort\._errors\.\w+: (.+)", text)
    if of_kohort is not None:
        return DataError(of_kohort.group(1), "a worker could not make a release of its box")
    kinds = re.findall(r"^([\w.]+(?:Error|Exception))\b", text, re.MULTILINE)
    return DataError(f"a worker failed with {kinds[-1] if kinds else type(error).__name__}", "its log says where")


def accounts(made: Made) -> list[str]:
    """What does not add up: rows that are lost or there twice, whoever lost or doubled them."""
    from pyspark.sql import functions as F

    reasons = []
    by_box = made.released.groupBy(BOX).agg(F.count("*").alias("n"), F.min(MADE).alias("a"), F.max(MADE).alias("b"))
    wrong = by_box.where("n != a or n != b").count()
    if wrong:
        reasons.append(f"{wrong} boxes have other rows than were made for them")
    n_boxes = by_box.count()
    if n_boxes != made.boxes:
        reasons.append(f"{made.boxes - n_boxes} of {made.boxes} boxes are not in the release")
    before, after = (frame.groupBy(F.col(f"`{ROW}`").alias("row")).count() for frame in (made.boxed, made.released))
    together = after.alias("a").join(before.alias("b"), "row", "left")
    n = together.where("b.count is null or a.count > b.count").count()
    if n:
        reasons.append(f"{n} rows are released more often than they are in the input")
    return reasons


@contextmanager
def staged(frame: DataFrame, output: str) -> Iterator[DataFrame]:
    """Writes a folder beside the output, and puts it in place where what is done with it goes well."""
    spark: Any = frame.sparkSession
    path = spark._jvm.org.apache.hadoop.fs.Path
    there, beside = path(output), path(output.rstrip("/") + ".staging")
    files = there.getFileSystem(spark._jsc.hadoopConfiguration())
    if files.exists(there):
        raise DataError(f"{output} exists", "name a folder that does not")
    try:
        frame.write.parquet(str(beside))
        yield spark.read.parquet(str(beside))
        if not files.rename(beside, there):
            raise DataError(f"{output} could not be put in place")
    finally:
        files.delete(beside, True)
