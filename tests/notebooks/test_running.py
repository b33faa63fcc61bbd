"""A notebook that does not run is named with its cell."""

from pathlib import Path

import nbformat
import pytest
from notebooks.sources import notebook_of

from grader.notebooks.running import CellFailed, Failure, Kernel


def failure(folder: Path, *sources: str, seconds: int = 60) -> Failure:
    """How a notebook of these cells fails."""
    path = folder / "sample.ipynb"
    nbformat.write(notebook_of("# Title", *sources), path)
    with pytest.raises(CellFailed) as caught, Kernel() as kernel:
        kernel.executed(path, seconds)
    return caught.value.failure


def test_a_failing_cell_is_named(tmp_path: Path) -> None:
    found = failure(tmp_path, "x = 1", "def f():\n    return x / 0\n\nf()")
    sentence, _, traceback = str(found).partition("\n")
    assert sentence == f"{tmp_path}/sample.ipynb: cell 3 fails with ZeroDivisionError: division by zero"
    assert "return x / 0" in traceback and "\x1b" not in traceback


def test_a_cell_that_never_ends_is_named(tmp_path: Path) -> None:
    found = failure(tmp_path, "while True: pass", seconds=2)
    assert (found.cell, found.error) == (2, "a time-out: it takes more than 2 s")


def test_a_cell_that_ends_its_kernel_is_named(tmp_path: Path) -> None:
    found = failure(tmp_path, "import os", "os._exit(1)")
    assert (found.cell, found.error) == (3, "the end of its kernel")


def test_a_notebook_finds_nothing_of_the_one_before(tmp_path: Path) -> None:
    first, second = tmp_path / "first.ipynb", tmp_path / "second.ipynb"
    left = "import torch\nx = 1\ntorch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)"
    found = "import torch\n'x' in globals(), torch.get_default_dtype(), torch.is_grad_enabled()"
    nbformat.write(notebook_of("# T", left), first)
    nbformat.write(notebook_of("# T", found), second)
    with Kernel() as kernel:
        kernel.executed(first)
        cell = kernel.executed(second).cells[1]
    assert cell.outputs[0].data["text/plain"] == "(False, torch.float32, True)"
    assert cell.execution_count == 1


def test_a_notebook_runs_where_the_one_before_ended_its_kernel(tmp_path: Path) -> None:
    fatal, sound = tmp_path / "fatal.ipynb", tmp_path / "sound.ipynb"
    nbformat.write(notebook_of("# T", "import os", "os._exit(1)"), fatal)
    nbformat.write(notebook_of("# T", "1 + 1"), sound)
    with Kernel() as kernel:
        with pytest.raises(CellFailed):
            kernel.executed(fatal)
        assert kernel.executed(sound).cells[1].outputs[0].data["text/plain"] == "2"
