"""The notebooks run, from their first cell to their last."""

from __future__ import annotations

import html
import re
import tempfile
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
from nbclient import NotebookClient  # noqa: E402

FOLDER = Path(__file__).parents[1] / "notebooks"
NAMES = {"hospital": ["release.html", "plan.toml", "release.csv"], "tuning_k": ["compare.html"]}


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs(name: str, tmp_path: Path) -> None:
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "a notebook is kept without its outputs"
    client = NotebookClient(notebook, timeout=300, startup_timeout=180, resources={"metadata": {"path": str(tmp_path)}})
    # Kernels that start at once may draw the same port: this one has a socket of its own.
    manager = client.create_kernel_manager()
    with tempfile.TemporaryDirectory() as folder:
        manager.transport, manager.ip = "ipc", f"{folder}/kernel"
        client.execute()
    assert all((tmp_path / file).stat().st_size > 100 for file in NAMES[name])
    shown = [out["data"].get("text/html", "") for cell in notebook.cells for out in cell.get("outputs", []) if "data" in out]
    assert sum('class="kohort"' in text for text in shown) >= (5 if name == "hospital" else 1)
    assert not re.search(r"(?<![-\w])--[a-z]", re.sub(r"<style>.*?</style>", "", html.unescape(" ".join(shown)), flags=re.DOTALL))


def test_every_notebook_is_run() -> None:
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(NAMES)
