"""Export and import hold little in memory."""

import os
import subprocess
import sys
from pathlib import Path

from driving import PROJECT
from practice.transfer.records import attempt, filled, hash_of

from grader.practice.transfer.format import ATTEMPT

MEMORY = """
import resource, sys
from pathlib import Path
from grader.curriculum.workspace import Workspace
from grader.practice.transfer.exporting import export_to
from grader.practice.transfer.importing import import_from
from grader.practice.record.progress import open_progress
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
export_to(open_progress(Workspace(Path("a"))).database, Path("file"))
import_from(open_progress(Workspace(Path("b"))).database, Path("file"))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_it_is_streamed(tmp_path: Path) -> None:
    contents = [os.urandom(2**20) for _ in range(40)]
    rows = [attempt(number, source=hash_of(contents[number % 40])) for number in range(5_000)]
    filled(tmp_path / "a", {ATTEMPT: rows}, contents)
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    done = subprocess.run(
        [sys.executable, "-c", MEMORY],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.stderr == ""
    assert (tmp_path / "file").stat().st_size > 50 * 2**20
    assert int(done.stdout) < 40  # MiB
