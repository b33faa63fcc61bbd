"""Running notebooks, several in one kernel."""

import os
import re
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbclient
import nbformat
from jupyter_core.utils import run_sync
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from grader.curriculum.pack import PROJECT
from grader.curriculum.workspace import NAMED, current_workspace
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


_CLEARED = """\
get_ipython().reset(new_session=True, aggressive=False)
def _clear():
    import sys
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
    if torch := sys.modules.get("torch"):
        torch.set_default_dtype(torch.float32)
        torch.set_grad_enabled(True)
        torch.manual_seed(0)
_clear()
del _clear
"""
"""What a notebook may have left behind that another one would see."""

_kernels: list["Kernel"] = []
"""Those that are running now."""


class Kernel:
    """A kernel for one notebook after the other, each of which finds nothing of the one before. What takes
    long, loading torch and matplotlib, is done once. A context manager.
    """

    def __init__(self) -> None:
        self._manager: Any = None

    def executed(self, path: Path, seconds: int = SECONDS) -> Any:
        """The notebook of a file with the outputs of a run, its cells having the project's folder around
        them.

        Raises CellFailed; then the kernel has ended, and the next run starts a new one.
        """
        notebook = read_notebook(path)
        name = str(path.relative_to(PROJECT)) if path.is_relative_to(PROJECT) else str(path)
        started = [0]
        try:
            if self._manager is not None:
                self._run(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(_CLEARED)]), seconds, [])
            self._run(notebook, seconds, started)
        except CellExecutionError as error:
            failure = _of_error(name, started[-1], error)
        except CellTimeoutError:
            failure = Failure(name, started[-1], f"a time-out: it takes more than {seconds} s")
        except DeadKernelError:
            failure = Failure(name, started[-1], "the end of its kernel")
        else:
            return notebook
        self.close()
        raise CellFailed(failure)

    def close(self) -> None:
        """End the kernel."""
        manager, self._manager = self._manager, None
        if manager is not None:
            _kernels.remove(self)
            run_sync(manager.shutdown_kernel)(now=True)

    def kill(self) -> None:
        """End it from another thread; a run in it then fails."""
        pid = getattr(getattr(self._manager, "provisioner", None), "pid", None)
        if pid is not None:
            os.kill(pid, signal.SIGKILL)

    def _run(self, notebook: Any, seconds: int, started: list[int]) -> None:
        client = nbclient.NotebookClient(
            notebook,
            km=self._manager,
            timeout=seconds,
            kernel_name="python3",
            resources={"metadata": {"path": str(current_workspace().root)}},
            extra_arguments=["--log-level=ERROR"],
            on_cell_start=lambda cell, cell_index: started.append(cell_index + 1),
        )
        if self._manager is None:
            self._manager = client.create_kernel_manager()
            _kernels.append(self)
        # One thread: tensors are tiny, and kernels run side by side.
        environment = {"OMP_NUM_THREADS": "1", **os.environ, NAMED: str(current_workspace().root)}
        try:
            client.execute(env=environment, cleanup_kc=False)
        finally:
            if client.kc is not None:
                client.kc.stop_channels()

    def __enter__(self) -> "Kernel":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def end_kernels() -> None:
    """End the kernels of all runs in other threads; these runs then fail."""
    for kernel in list(_kernels):
        kernel.kill()


def _of_error(name: str, cell: int, error: CellExecutionError) -> Failure:
    first = plain(error.evalue).partition("\n")[0]
    return Failure(name, cell, f"{error.ename}: {first}" if first else error.ename, plain(error.traceback))


def plain(text: str) -> str:
    """Text without the colours of a terminal."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
