"""The learner's own editor."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from driving import PROJECT

from grader.practice.live.editor import Editor, NoEditor, chosen_editor


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the only programs there are."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with open(os.devnull) as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        yield tmp_path


def add(programs: Path, name: str, script: str = "") -> Path:
    program = programs / name
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(
    ("environment", "command"),
    [
        ({"VISUAL": "one", "EDITOR": "two"}, ("one",)),
        ({"VISUAL": " ", "EDITOR": "two"}, ("two",)),
        ({"EDITOR": "two -c 'set ts=4' --wait"}, ("two", "-c", "set ts=4", "--wait")),
        ({"EDITOR": "two", "TERM_PROGRAM": "vscode"}, ("two",)),
        ({"TERM_PROGRAM": "vscode"}, ("code",)),
    ],
)
def test_which_editor(programs: Path, environment: dict[str, str], command: tuple[str, ...]) -> None:
    for name in ("one", "two", "code", "vi", "nano"):
        add(programs, name)
    assert chosen_editor(environment) == Editor(command)


@pytest.mark.parametrize(("there", "command"), [(("vi", "nano"), "vi"), (("nano",), "nano")])
def test_the_system_has_one(
    programs: Path, monkeypatch: pytest.MonkeyPatch, there: tuple[str, ...], command: str
) -> None:
    for name in there:
        add(programs, name)
    with pytest.raises(NoEditor, match="export VISUAL=nano"):  # no terminal to edit in
        chosen_editor({})
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert chosen_editor({"TERM_PROGRAM": "vscode"}) == Editor((command,))


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({}, "No editor is known"),
        ({"EDITOR": "three -x"}, r"\$EDITOR names an editor that is not there: three -x"),
        ({"VISUAL": "'open"}, r"\$VISUAL cannot be read"),
    ],
)
def test_no_editor(programs: Path, environment: dict[str, str], told: str) -> None:
    with pytest.raises(NoEditor, match=told):
        chosen_editor(environment)


def test_what_has_a_window_leaves_the_terminal_free() -> None:
    assert not Editor(("/usr/bin/code", "--wait")).needs_terminal
    assert Editor(("vim",)).needs_terminal
    assert Editor(("some-editor",)).needs_terminal


def test_a_window_is_not_waited_for(tmp_path: Path) -> None:
    program = add(tmp_path, "code", f"touch {tmp_path}/opened; exec sleep 5")
    Editor((str(program),)).open(tmp_path / "file")
    assert (tmp_path / "opened").exists()


@pytest.mark.parametrize("name", ["code", "some-editor"])
def test_an_editor_that_fails(tmp_path: Path, name: str) -> None:
    with pytest.raises(NoEditor, match=f"{name} ended with status 3"):
        Editor((str(add(tmp_path, name, "exit 3")),)).open(tmp_path / "file")


# The command


def edit(topic: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], **variables}
    command = [sys.executable, "-m", "grader", "edit", topic]
    return subprocess.run(
        command,
        cwd=PROJECT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_the_exercise_is_opened() -> None:
    done = edit("gqa", VISUAL="echo opens")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"opens {PROJECT}/exercises/attention/gqa.py\n"


def test_no_editor_is_told_in_a_line() -> None:
    done = edit("gqa")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "No editor is known. Name yours, for example: export VISUAL=nano\n"


def test_an_unknown_topic() -> None:
    done = edit("gqaa", VISUAL="echo opens")
    assert (done.returncode, done.stdout) == (2, "")
    assert "closest: gqa" in done.stderr
