"""What the tests share."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from driving import byheart, copy_project

from grader.judge.service.remote import RemoteJudge


@pytest.fixture(scope="session")
def judge() -> Iterator[RemoteJudge]:
    """A warm judge in a process of its own: torch is loaded once for all tests that grade."""
    with RemoteJudge() as remote:
        yield remote


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project whose exercises are blank."""
    root = copy_project(tmp_path_factory.mktemp("original"))
    assert byheart(root, "stubs").returncode == 0
    return root


@pytest.fixture
def project(original: Path, tmp_path: Path) -> Path:
    """A copy of the project whose exercises are blank, to do with as a test likes."""
    return Path(shutil.copytree(original, tmp_path, dirs_exist_ok=True))
