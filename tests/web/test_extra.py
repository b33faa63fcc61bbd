"""Where NiceGUI is not installed: what `open` does then."""

import importlib.util
import subprocess

import pytest
import typer

from grader.commands.practice import page
from grader.curriculum import pack


@pytest.fixture(autouse=True)
def without_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == page.EXTRA else found(name))


def test_a_package_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pack, "is_clone", lambda: False)
    with pytest.raises(typer.Exit) as ended:
        page.require_extra()
    assert ended.value.exit_code == 2
    assert 'pip install "byheart[web]"' in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("status", [0, 1])
def test_a_clone_installs_it_with_a_sentence(
    status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run: list[list[str]] = []

    def installed(command: list[str], **options: object) -> "subprocess.CompletedProcess[str]":
        run.append(command)
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: "there" if status == 0 else None)
        return subprocess.CompletedProcess(command, status)

    monkeypatch.setattr(subprocess, "run", installed)
    if status == 0:
        page.require_extra()
    else:
        with pytest.raises(typer.Exit) as ended:
            page.require_extra()
        assert ended.value.exit_code == 1
    assert run[0][-3:-1] == ["-c", "constraints.txt"] and run[0][-1].startswith("nicegui>=")
    assert "NiceGUI, which is installed now" in capsys.readouterr().err
