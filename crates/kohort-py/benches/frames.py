"""What the way through Python costs: `python benches/frames.py` (with a release build of the package).

A million rows by nine columns from a polars frame and back, against the native half alone, which works on the codes
that are in memory already. Wall and CPU time, and ratios of the same run.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import kohort as kh
from kohort import _frames, _kohort

ROWS = 1_000_000
RUNS = 3


def frame(rows: int) -> pl.DataFrame:
    draw = np.random.default_rng(7)
    return pl.DataFrame(
        {
            "age": draw.integers(18, 95, rows).astype(np.int16),
            "sex": pl.Series(draw.choice(["f", "m"], rows)),
            "zip": pl.Series([f"{code:05}" for code in draw.integers(0, 900, rows) * 7]),
            "admitted": pl.Series(draw.integers(18_000, 20_000, rows).astype(np.int32)).cast(pl.Date),
            "children": draw.integers(0, 6, rows).astype(np.int8),
            "ward": pl.Series(draw.choice([f"ward {n}" for n in range(20)], rows)),
            "cost": draw.integers(10, 9_000, rows),
            "disease": pl.Series(draw.choice([f"disease {n}" for n in range(60)], rows)),
            "smokes": draw.random(rows) < 0.2,
        }
    )


def timed(run: Callable[[], Any], runs: int = RUNS) -> tuple[float, float, Any]:
    """The best of some runs: wall and CPU seconds, and the answer."""
    best, answer = (float("inf"), float("inf")), None
    for _ in range(runs):
        wall, cpu = time.perf_counter(), time.process_time()
        answer = run()
        took = time.perf_counter() - wall, time.process_time() - cpu
        best = min(best[0], took[0]), min(best[1], took[1])
    return (*best, answer)


def line(name: str, wall: float, cpu: float) -> None:
    print(f"{name:42}{wall:9.3f}{cpu:9.3f}", flush=True)


def by(algorithm: str, df: pl.DataFrame, table: Any, runs: int) -> Any:
    plan = kh.Plan(
        quasi={"age": kh.widths(5, 10, 20), "sex": None, "zip": kh.mask(), "admitted": None, "children": None},
        sensitive="disease", insensitive=["ward", "cost", "smokes"], k=5, suppression=0.02, algorithm=algorithm, seed=7,
    )
    native = timed(lambda: _kohort.anonymize(table, plan.to_json(), "", bytes(32)), runs)
    whole = timed(lambda: kh.anonymize(df, plan, secret=bytes(32), progress=False), runs)
    line(f"{algorithm}: native half, codes in memory", *native[:2])
    line(f"{algorithm}: kohort.anonymize, frame to frame", *whole[:2])
    print(f"{'  the way through Python':42}{whole[0] / native[0]:8.3f}×{whole[1] / native[1]:8.3f}×")
    return native[2].table


def main() -> None:
    df = frame(ROWS)
    print(f"{'':42}{'wall s':>9}{'CPU s':>9}")
    wall, cpu, table = timed(lambda: _kohort.Table(df, "frame", None))
    line("frame in", wall, cpu)
    shown = by("mondrian", df, table, RUNS)
    wall, cpu, _ = timed(lambda: _frames.give(shown, "polars", df))
    line("frame out", wall, cpu)
    by("auto", df, table, 1)
    code = "import time; t = time.perf_counter(); import kohort; print(time.perf_counter() - t)"
    took = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(15)]
    print(f"import kohort: {min(took) * 1000:.1f} ms, median {sorted(took)[7] * 1000:.1f} ms")
    print(f"native half: {sum(p.stat().st_size for p in Path(kh.__file__ or '').parent.glob('*.so')) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
