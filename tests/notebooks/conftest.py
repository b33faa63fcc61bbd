"""What these tests share."""

from collections.abc import Iterator

import pytest

from grader.notebooks.running import Kernel


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    """One for all notebooks that are run in this process: torch is loaded once."""
    with Kernel() as running:
        yield running
