"""`%%check`, `%hint` and `%solution` in a real kernel, and what is left of the judge when it ends."""

import ast
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import psutil
import pytest
from driving import ALL_PASSED, PROJECT, copy_project, has_ended

RIGHT = (PROJECT / "solutions" / "foundations" / "softmax.py").read_text(encoding="utf-8")
NO_MAX = RIGHT.replace(" - x.amax(dim=dim, keepdim=True)", "").replace(
    " - x.max(dim=dim, keepdim=True).values", ""
)
LIMITS = "from grader.judge.service import warm\nwarm.start(check_seconds=1.0, file_seconds=3.0)"


@dataclass
class Kernel:
    """A running kernel with the extension loaded, and the project that it works in."""

    client: nbclient.NotebookClient
    root: Path

    def run(self, source: str) -> list[Any]:
        """The outputs of a cell."""
        cell = nbformat.v4.new_code_cell(source)
        self.client.nb.cells.append(cell)
        self.client.execute_cell(cell, len(self.client.nb.cells) - 1)
        return list(cell.outputs)

    def shown(self, source: str) -> str:
        """The text of a cell's one result."""
        (output,) = self.run(source)
        assert output.output_type == "execute_result", output
        return str(output.data["text/plain"])

    def value(self, expression: str) -> Any:
        """The value of an expression of plain data."""
        return ast.literal_eval(self.shown(expression))

    def attempts(self) -> list[tuple[Any, ...]]:
        """What is recorded, oldest first."""
        path = self.root / ".practice" / "progress.db"
        if not path.exists():
            return []
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute("SELECT topic, mode, outcome, mistake, hints FROM attempts").fetchall()


@contextmanager
def started(root: Path, folder: Path) -> Iterator[Kernel]:
    """A kernel that works in `folder` and finds byheart in `root`."""
    client = nbclient.NotebookClient(
        nbformat.v4.new_notebook(),
        timeout=60,
        kernel_name="python3",
        allow_errors=True,
        resources={"metadata": {"path": str(folder)}},
        extra_arguments=["--log-level=ERROR"],
    )
    with client.setup_kernel(env={**os.environ, "PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"}):
        yield Kernel(client, root)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A kernel in a copy of the project, so that nothing is recorded in this one."""
    root = copy_project(tmp_path_factory.mktemp("project"))
    with started(root, tmp_path_factory.mktemp("elsewhere")) as running:
        assert running.run("%load_ext grader") == []
        assert running.value("import grader; grader.__file__") == str(root / "grader" / "__init__.py")
        yield running


# Grading


def test_a_right_answer_passes(kernel: Kernel) -> None:
    (output,) = kernel.run(f"%%check softmax\n{RIGHT}")
    text, page = output.data["text/plain"], output.data["text/html"]
    assert ALL_PASSED in text and "this cell" in text
    assert "Next review: " in text
    for said in ("pass", "checks passed", "this cell"):
        assert said in page
    assert "background:#fafaf7" in page and "<pre" in page
    assert kernel.attempts()[-1] == ("softmax", "notebook", "passed", None, 0)


def test_a_wrong_answer_fails_and_its_mistake_is_named(kernel: Kernel) -> None:
    assert NO_MAX != RIGHT
    text = kernel.shown(f"%%check softmax\n{NO_MAX}")
    assert "FAIL" in text
    assert "Your values are exactly those of this mistake:" in text
    assert text.endswith("Next: look at line 39 and what leads to it, then run this cell again")
    (_, mode, outcome, mistake, _) = kernel.attempts()[-1]
    assert (mode, outcome) == ("notebook", "failed")
    assert mistake is not None


def test_a_stub_is_no_attempt(kernel: Kernel) -> None:
    before = kernel.attempts()
    text = kernel.shown(
        "%%check softmax\ndef softmax(x, dim=-1):\n    raise NotImplementedError\n\n\nlog_softmax = softmax"
    )
    assert "Nothing is written yet." in text or "todo" in text
    assert kernel.attempts() == before


def test_lines_are_those_of_the_cell(kernel: Kernel) -> None:
    text = kernel.shown("%%check softmax\nx = 1\n1 / 0")
    assert "line 3, in <module>:  1 / 0" in text
    assert text.endswith("Next: look at line 3, then run this cell again")
    assert "line 2" in kernel.shown("%%check softmax\nx = (")


def test_what_an_answer_prints_is_text(kernel: Kernel) -> None:
    (output,) = kernel.run("%%check softmax\nprint('<script>alert(1)</script>')")
    assert "<script>" in output.data["text/plain"]
    assert "<script>" not in output.data["text/html"]


def test_an_answer_does_not_run_in_the_kernel(kernel: Kernel) -> None:
    kernel.run("%%check softmax\nplanted = 1\nimport builtins\nbuiltins.planted = 1")
    assert kernel.value("'planted' in globals(), hasattr(__import__('builtins'), 'planted')") == (
        False,
        False,
    )


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("while True: pass", r"Importing the file takes more than [1-4](\.\d)? s: an endless loop\?"),
        (
            f"{RIGHT}\n\n\ndef softmax(x, dim=-1):\n    while True: pass",
            r"stopped after [1-4](\.\d)? s: an endless loop\?",
        ),
        ("import os\nos._exit(3)", "The process ended itself with exit status 3"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
        ("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)", None),
        ("import sys\nsys.exit('bye')", r"It ends the program: sys\.exit\(bye\)"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    ],
    ids=["loop", "loop in a function", "exit", "signal", "signal to its parent", "sys.exit", "interrupt"],
)
def test_no_answer_hurts_the_kernel(kernel: Kernel, answer: str, says: str | None) -> None:
    kernel.run(LIMITS)
    begun = time.monotonic()
    text = kernel.shown(f"%%check softmax\n{answer}")
    assert time.monotonic() - begun < 20
    assert says is None or re.search(says, text)
    assert ALL_PASSED in kernel.shown(f"%%check softmax\n{RIGHT}")


def test_an_interrupted_check_leaves_nothing_behind(kernel: Kernel) -> None:
    kernel.run("from grader.judge.service import warm\nwarm.start()")
    judge = psutil.Process(kernel.value("warm._judges[0].pid"))
    before = kernel.attempts()
    kernel_process = psutil.Process(kernel.value("import os; os.getpid()"))
    threading.Timer(2.0, kernel_process.send_signal, [signal.SIGINT]).start()
    begun = time.monotonic()
    (output,) = kernel.run("%%check softmax\nwhile True: pass")
    assert output.ename == "KeyboardInterrupt"
    assert time.monotonic() - begun < 8
    assert eventually(lambda: has_ended(judge))
    assert kernel.attempts() == before
    assert ALL_PASSED in kernel.shown(f"%%check softmax\n{RIGHT}")


def eventually(holds: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Whether something comes true in that time."""
    latest = time.monotonic() + seconds
    while not holds() and time.monotonic() < latest:
        time.sleep(0.05)
    return holds()


# Help


def test_hints_say_one_more_each_time(kernel: Kernel) -> None:
    first, second, again, last = (
        kernel.shown(line) for line in ("%hint top_k", "%hint top_k", "%hint top_k 1", "%hint top_k 3")
    )
    assert "hint 1 of 3" in first and first.endswith("Next: %hint top_k")
    assert "hint 2 of 3" in second
    assert again == first
    assert last.endswith("Next: %solution top_k")
    kernel.run("%%check top_k\nx = 1")
    assert kernel.attempts()[-1] == ("top_k", "notebook", "error", None, 3)


def test_solution_asks_first(kernel: Kernel) -> None:
    (output,) = kernel.run("%solution top_k")
    text = output["data"]["text/plain"]
    assert "counts as forgotten" in text and text.endswith("%solution top_k yes")
    assert "def " not in text


def test_solution_does_not_ask_where_it_costs_nothing(kernel: Kernel) -> None:
    assert ALL_PASSED in kernel.shown(f"%%check softmax\n{RIGHT}")
    assert kernel.shown("%solution softmax").split() == RIGHT.split()


def test_solution(kernel: Kernel) -> None:
    (output,) = kernel.run("%solution softmax yes")
    assert output.data["text/plain"].split() == RIGHT.split()
    assert "amax" in output.data["text/html"] or "max" in output.data["text/html"]


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("%%check\nx = 1", "Which topic? For example: %%check gqa"),
        ("%%check sftmax\nx = 1", "There is no topic 'sftmax'; closest: softmax, online_softmax, lstm."),
        ("%hint", "Which topic? For example: %hint gqa"),
        ("%hint softmax 7", "The level of a hint is one of 1, 2, 3: %hint softmax 2"),
        ("%hint softmax two", "The level of a hint is one of 1, 2, 3: %hint softmax 2"),
        ("%solution nothing_like_it", "There is no topic 'nothing_like_it'."),
    ],
)
def test_wrong_usage_is_one_sentence(kernel: Kernel, cell: str, says: str) -> None:
    outputs = kernel.run(cell)
    said = "".join(output.get("text", "") for output in outputs)
    assert said.strip() == f"UsageError: {says}"
    assert [output for output in outputs if output.get("traceback")] == []


# Around it


def test_a_broken_record_is_told_and_the_verdict_is_shown(kernel: Kernel) -> None:
    kernel.run("from grader.notebooks import magics\nkept = magics.open_progress")
    kernel.run("from pathlib import Path\nfrom grader.curriculum.workspace import Workspace")
    kernel.run("magics.open_progress = lambda: kept(Workspace(Path('/proc/nowhere')))")
    try:
        *parts, shown = kernel.run(f"%%check softmax\n{RIGHT}")
        told = "".join(
            part.text for part in parts
        )  # a kernel sends what is printed in one piece or in several
        assert told.startswith("This attempt is not recorded: ") and len(told.splitlines()) == 1
        assert ALL_PASSED in shown.data["text/plain"]
    finally:
        kernel.run("magics.open_progress = kept")


@pytest.mark.parametrize("ended", ["at once", "asked to"])
def test_the_judge_ends_with_its_kernel(tmp_path: Path, ended: str) -> None:
    with started(PROJECT, tmp_path) as running:
        running.run("from grader.judge.service import warm\nwarm.start()")
        judge = psutil.Process(running.value("warm._judges[0].pid"))
        if ended == "at once":
            psutil.Process(running.value("import os; os.getpid()")).kill()
    assert eventually(lambda: has_ended(judge))


def test_solutions_can_be_imported_from_any_folder(tmp_path: Path) -> None:
    code = (
        "from IPython.core.interactiveshell import InteractiveShell as Shell\n"
        "shell = Shell.instance()\n"
        "shell.extension_manager.load_extension('grader')\n"
        "import solutions.foundations.softmax as found; print(found.__file__)"
    )
    done = python(code, cwd=tmp_path)
    assert done.stdout.strip() == str(PROJECT / "solutions" / "foundations" / "softmax.py"), done.stderr


@pytest.mark.parametrize(
    ("module", "free_of"),
    [
        ("grader", {"IPython", "torch", "numpy", "rich"}),
        ("grader.notebooks.magics", {"torch", "matplotlib", "pytest"}),
    ],
)
def test_diet(tmp_path: Path, module: str, free_of: set[str]) -> None:
    done = python(f"import sys, {module}; print(*sys.modules)", cwd=tmp_path)
    modules = set(done.stdout.split())
    assert module in modules
    assert modules & free_of == set()


def python(code: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "IPYTHONDIR": str(cwd / "ipython")}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, env=environment, capture_output=True, text=True, timeout=60
    )
