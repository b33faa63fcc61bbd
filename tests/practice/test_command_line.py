"""Commands as a learner types them, by the program that installed byheart."""

from pathlib import Path

import pytest

from grader.practice import command_line


@pytest.mark.parametrize(
    ("environment", "marked_by", "program", "newer"),
    [
        ("venv", None, "byheart", "pip install --upgrade byheart"),
        ("pipx/venvs/byheart", "pipx_metadata.json", "byheart", "pipx upgrade byheart"),
        ("uv/tools/byheart", "uv-receipt.toml", "byheart", "uv tool upgrade byheart"),
        ("uv/archive-v0/9k2Glfc_Bu17hi8P", None, "uvx byheart", "uvx byheart@latest"),
        ("uv/environments-v2/409d7d054e15cc1d", None, "uvx byheart", "uvx byheart@latest"),
    ],
)
def test_an_installed_byheart_is_typed_and_renewed_as_it_came(
    environment: str,
    marked_by: str | None,
    program: str,
    newer: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prefix = tmp_path / environment
    prefix.mkdir(parents=True)
    if marked_by is not None:
        (prefix / marked_by).touch()
    monkeypatch.setattr("sys.prefix", str(prefix))
    monkeypatch.setattr(command_line, "is_clone", lambda: False)
    monkeypatch.setattr(command_line, "is_clone_of_this", lambda root: False)
    assert command_line.typed("check", topic="gqa") == f"{program} check gqa"
    assert command_line.typed_option("limit", "3") == "--limit 3"
    assert command_line.newer_version() == newer


def test_in_a_clone_make_is_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["-m"])
    monkeypatch.setattr(command_line, "is_clone_of_this", lambda root: True)
    assert command_line.typed("check", topic="gqa", args="--case") == "make check topic=gqa args=--case"
    assert command_line.typed_option("limit", "3") == "limit=3"
