"""A `watch` of one exercise."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from practice.live.watching import Terminal


@pytest.fixture
def softmax(project: Path) -> Iterator[Terminal]:
    terminal = Terminal(project, "softmax")
    terminal.see("Every save of exercises/foundations/softmax.py is graded.")
    yield terminal
    terminal.process.close(force=True)
