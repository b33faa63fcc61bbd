"""An empty progress."""

from pathlib import Path

import pytest
from driving import progress_in

from grader.practice.record.progress import Progress


@pytest.fixture
def progress(tmp_path: Path) -> Progress:
    return progress_in(tmp_path)
