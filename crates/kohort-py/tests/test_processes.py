"""Threads, forks, interpreters and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest

import kohort as kh


def test_ten_threads_at_once(hospital: pl.DataFrame, plan: kh.Plan) -> None:
    secret = bytes(range(32))
    one = kh.anonymize(hospital, plan, secret=secret)
    with ThreadPoolExecutor(10) as pool:
        made = list(pool.map(lambda _: kh.anonymize(hospital, plan, secret=secret), range(10)))
    assert all(release == one for release in made)


def test_the_number_of_threads_changes_no_answer(hospital: pl.DataFrame, plan: kh.Plan) -> None:
    secret = bytes(range(32))
    one = kh.anonymize(hospital, plan, secret=secret)
    for n in (1, 3, None):
        kh.set_threads(n)
        assert kh.anonymize(hospital, plan, secret=secret) == one
    with pytest.raises(kh.PlanError, match="at least 1"):
        kh.set_threads(0)


def test_progress_is_shown_and_can_be_turned_off(
    hospital: pl.DataFrame, plan: kh.Plan, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kh.anonymize(hospital, plan, budget="1s", progress=False)
    assert capsys.readouterr().err == ""
    for has_tqdm in (True, False):
        if not has_tqdm:
            monkeypatch.setattr("kohort._progress._has", lambda package: False)
        kh.anonymize(hospital, plan, budget="1s", progress=True)
        shown = capsys.readouterr().err
        # A search that ends with its time has no share that is done.
        assert "searching" in shown and str(2**64 - 1) not in shown and "0%" not in shown


def test_the_lock_is_free_during_work() -> None:
    frame = pl.DataFrame({"a": range(60_000), "b": [i * 7919 % 60_000 for i in range(60_000)]})
    counted, done = [0], threading.Event()

    def count() -> None:
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    started = time.monotonic()
    kh.anonymize(frame, quasi=["a", "b"], k=5)
    took = time.monotonic() - started
    done.set()
    thread.join()
    assert counted[0] > took * 100


def test_a_job_after_a_fork(hospital: pl.DataFrame, plan: kh.Plan) -> None:
    kh.anonymize(hospital, plan)
    table = hospital.to_arrow()
    child = os.fork()
    if child == 0:
        os._exit(0 if kh.anonymize(table, plan).verified else 1)
    for _ in range(300):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        pytest.fail("the forked process did not end")
    assert os.waitstatus_to_exitcode(status) == 0


INTERRUPTED = """
import sys, time, polars as pl, kohort as kh
n = 400_000
frame = pl.DataFrame({c: [i * p % n for i in range(n)] for c, p in zip("abcdef", (7, 77, 777, 7919, 104729, 1299709))})
print("ready", flush=True)
try:
    kh.anonymize(frame, quasi=list("abcdef"), k=5, budget="60s")
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_ends_within_half_a_second() -> None:
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(1.5)
    asked = time.monotonic()
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "interrupted\n"
    assert time.monotonic() - asked < 0.5
    child.kill()
    child.wait()


def test_a_subinterpreter_is_refused() -> None:
    code = (
        "import _xxsubinterpreters as s, kohort\n"
        "i = s.create()\n"
        "try:\n    s.run_string(i, 'import kohort')\nexcept Exception as e:\n    print(e)\n"
        "else:\n    print('allowed')\n"
    )
    if sys.version_info >= (3, 13):
        code = code.replace("_xxsubinterpreters", "_interpreters")
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "subinterpreter" in found.stdout, found.stdout + found.stderr
