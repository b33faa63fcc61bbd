"""What the tests share."""

from collections.abc import Iterator

import pytest

from grader.judge.remote import RemoteJudge


@pytest.fixture(scope="session")
def judge() -> Iterator[RemoteJudge]:
    """A warm judge in a process of its own: torch is loaded once for all tests that grade."""
    with RemoteJudge() as remote:
        yield remote
