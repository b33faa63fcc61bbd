"""Running a notebook in a kernel of its own."""

import os
import re
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbclient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from grader.curriculum.pack import PROJECT
from grader.notebooks.cleaning import read_notebook

SECONDS = 120
"""The most that one cell may take."""


@dataclass(frozen=True)
class Failure:
    """A cell that did not run: where, what, and the traceback without colours."""

    notebook: str
    cell: int  # as counted on the page, from 1
    error: str
    traceback: str = ""

    def __str__(self) -> str:
        sentence = f"{self.notebook}: cell {self.cell} fails with {self.error}"
        return f"{sentence}\n{self.traceback}".rstrip()


class CellFailed(Exception):
    """A notebook does not run to its end; `failure` says why."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(str(failure))
        self.failure = failure


_clients: list[nbclient.NotebookClient] = []
"""Those whose kernels are running now."""


def executed(path: Path, seconds: int = SECONDS) -> Any:
    """The notebook of a file with the outputs of a run, its cells having the project's folder around them.

    Raises CellFailed.
    """
    notebook = read_notebook(path)
    started = [0]
    client = nbclient.NotebookClient(
        notebook,
        timeout=seconds,
        kernel_name="python3",
        resources={"metadata": {"path": str(PROJECT)}},
        extra_arguments=["--log-level=ERROR"],
        on_cell_start=lambda cell, cell_index: started.append(cell_index + 1),
    )
    name = str(path.relative_to(PROJECT)) if path.is_relative_to(PROJECT) else str(path)
    _clients.append(client)
    try:
        # One thread: tensors are tiny, and kernels run side by side.
        client.execute(env={"OMP_NUM_THREADS": "1", **os.environ})
    except CellExecutionError as error:
        raise CellFailed(_of_error(name, started[-1], error)) from None
    except CellTimeoutError:
        failure = Failure(name, started[-1], f"a time-out: it takes more than {seconds} s")
        raise CellFailed(failure) from None
    except DeadKernelError:
        raise CellFailed(Failure(name, started[-1], "the end of its kernel")) from None
    finally:
        _clients.remove(client)
    return notebook


def end_kernels() -> None:
    """End the kernels of all runs in other threads; these runs then fail."""
    for client in list(_clients):
        pid = getattr(getattr(client.km, "provisioner", None), "pid", None)
        if pid is not None:
            os.kill(pid, signal.SIGKILL)


def _of_error(name: str, cell: int, error: CellExecutionError) -> Failure:
    first = plain(error.evalue).partition("\n")[0]
    return Failure(name, cell, f"{error.ename}: {first}" if first else error.ename, plain(error.traceback))


def plain(text: str) -> str:
    """Text without the colours of a terminal."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
