"""The clock's zone."""

from collections.abc import Iterator

import pytest
from practice.plan.histories import zone


@pytest.fixture(autouse=True)
def utc() -> Iterator[None]:
    yield from zone("UTC")
