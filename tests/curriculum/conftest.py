"""A project to change."""

from pathlib import Path

import pytest
from curriculum.three_topics import three_topics


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project of three topics, of which gqa asks for the others."""
    return three_topics(tmp_path)
