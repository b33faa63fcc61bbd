"""`notebook` as one calls it."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import nbformat
import psutil
import pytest
from driving import CATALOG, byheart, has_ended
from notebooks.sources import notebook_of

from grader.notebooks.cleaning import clean_text, stale_notebooks


@pytest.fixture
def project(project: Path) -> Path:
    """The project with small notebooks, of which only that of softmax does not fail."""
    for name, *sources in (
        ("foundations/softmax", "# T", "%load_ext grader\n1 + 1"),
        ("attention/gqa", "# T", "1 / 0"),
        ("positions/rope", "# T", "# $\\nonsense$", "%load_ext grader"),
    ):
        path = project / "notebooks" / f"{name}.ipynb"
        path.parent.mkdir(parents=True)
        topic = CATALOG[path.stem]
        path.write_text(clean_text(notebook_of(*sources), topic), encoding="utf-8")
    return project


def test_all_notebooks_at_once(project: Path) -> None:
    done = byheart(project, "notebooks")
    assert done.returncode == 1
    assert done.stdout == "wrote build/notebooks/index.html\n"
    assert (
        "notebooks/attention/gqa.ipynb: cell 2 fails with ZeroDivisionError: division by zero" in done.stderr
    )
    build = project / "build" / "notebooks"
    index = (build / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'href="([^"]+)"', index) == ["foundations/softmax.html"]
    page = (build / "foundations" / "softmax.html").read_text(encoding="utf-8")
    assert "Nothing is written yet." in page
    assert re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="(?!data:)[^"]*"|import\(', page) == []
    assert not (project / ".practice").exists()


def test_one_notebook_is_shown_in_the_browser(project: Path) -> None:
    browser = project / "browser"
    browser.write_text('#!/bin/sh\necho "$1" > shown\n', encoding="utf-8")
    browser.chmod(0o755)
    done = byheart(project, "notebook", "softmax", BROWSER=f"{browser} %s")
    page = project / "build" / "notebooks" / "foundations" / "softmax.html"
    assert (done.returncode, done.stdout) == (0, "wrote build/notebooks/foundations/softmax.html\n")
    assert (project / "shown").read_text(encoding="utf-8").strip() == page.as_uri()


def test_one_notebook_is_shown_in_jupyterlab_where_that_is_installed(project: Path) -> None:
    lab = project / "jupyterlab"
    lab.mkdir()
    (lab / "__init__.py").touch()
    (lab / "__main__.py").write_text("import sys; print(sys.argv[1])", encoding="utf-8")
    copy = project / "build" / "notebooks" / "foundations" / "softmax.ipynb"
    done = byheart(project, "notebook", "softmax")
    assert done.stdout.splitlines()[-1] == str(copy)
    changed = nbformat.read(copy, as_version=4)
    assert (changed.cells[1].outputs, changed.cells[1].execution_count) == ([], None)  # to be run there
    changed.cells[-1].source = "%%check softmax\nmine = 1"
    nbformat.write(changed, copy)
    again = byheart(project, "notebook", "softmax")
    (kept,) = re.findall(r"Your changed copy is kept: (.*)", again.stdout)
    assert "mine = 1" in (project / kept).read_text(encoding="utf-8")
    assert "mine = 1" not in copy.read_text(encoding="utf-8")


def test_an_interrupt_ends_the_kernels(project: Path) -> None:
    for name in ("foundations/softmax", "attention/gqa"):
        path = project / "notebooks" / f"{name}.ipynb"
        waiting = "from pathlib import Path\nimport time\nPath('started').touch()\ntime.sleep(60)"
        path.write_text(clean_text(notebook_of("# T", waiting), CATALOG[path.stem]), encoding="utf-8")
    command = [sys.executable, "-m", "grader", "notebooks"]
    running = subprocess.Popen(
        command, cwd=project, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    kernels: list[psutil.Process] = []
    try:
        assert eventually(lambda: (project / "started").exists(), 60)
        kernels = psutil.Process(running.pid).children(recursive=True)
        os.killpg(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=20)
        assert (running.returncode, said) == (130, "interrupted\n")
        assert kernels
        assert eventually(lambda: all(map(has_ended, kernels)), 10)
    finally:
        running.kill()
        running.wait()
        for kernel in kernels:
            if not has_ended(kernel):
                kernel.kill()


def eventually(holds: Callable[[], bool], seconds: float) -> bool:
    """Whether something comes true in that time."""
    latest = time.monotonic() + seconds
    while not holds() and time.monotonic() < latest:
        time.sleep(0.05)
    return holds()


@pytest.mark.parametrize(
    ("wanted", "status", "says"),
    [
        ("gqa", 1, "notebooks/attention/gqa.ipynb: cell 2 fails with ZeroDivisionError: division by zero"),
        ("mha", 1, "mha has no notebook yet."),
        (
            "rope",
            1,
            r"notebooks/positions/rope.ipynb: cell 2 fails with the formula $\nonsense$: pages cannot draw",
        ),
        ("sftmax", 2, "There is no topic 'sftmax'; closest: softmax"),
    ],
)
def test_why_one_notebook_is_not_shown(project: Path, wanted: str, status: int, says: str) -> None:
    done = byheart(project, "notebook", wanted, "--no-open")
    assert done.returncode == status
    assert done.stderr.startswith(says)
    assert "grader/" not in done.stderr  # no frames of ours


def test_clean_command(project: Path) -> None:
    assert byheart(project, "notebooks-clean", "--check").returncode == 0
    path = project / "notebooks" / "foundations" / "softmax.ipynb"
    clean = path.read_text(encoding="utf-8")
    path.write_text(clean.replace('"execution_count": null', '"execution_count": 3', 1), encoding="utf-8")
    stale = byheart(project, "notebooks-clean", "--check")
    assert (stale.returncode, stale.stdout) == (1, "")
    assert "  notebooks/foundations/softmax.ipynb\n" in stale.stderr
    assert byheart(project, "notebooks-clean").stdout == "wrote notebooks/foundations/softmax.ipynb\n"
    assert path.read_text(encoding="utf-8") == clean


def test_what_is_committed_is_clean() -> None:
    assert stale_notebooks(CATALOG.topics) == []
