"""Wrong usage, the same from any folder, and tab completion."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands.answers import PASSED, WRONG_USAGE, exercise
from driving import PROJECT, byheart


@pytest.mark.parametrize(
    "arguments, told",
    [
        (["check", "softmx"], "closest: softmax"),
        (["hint", "softmx"], "closest: softmax"),
        (["reset", "nothing_like_it"], "no topic 'nothing_like_it'"),
        (["watch", "softmx"], "closest: softmax"),
        (["edit", "softmx"], "closest: softmax"),
        (["check", "--file", "answer.py"], "--file needs a topic"),
        (["check", "softmax", "--jsn"], "No such option"),
        (["hint", "softmax", "--level", "4"], "--level"),
        (["hint", "softmax", "--level", "0"], "--level"),
        (["chekc"], "check"),
        (["new", "softmax", "--chapter", "foundations"], "a topic softmax already"),
        (["restore", "softmax", "1000000"], "make history topic=softmax"),
        (["restore", "softmax", "first"], "'first'"),
        (["history", "softmx"], "closest: softmax"),
        (["solution", "softmax"], "say yes=1"),
    ],
)
def test_wrong_usage(arguments: list[str], told: str) -> None:
    done = byheart(PROJECT, *arguments)
    assert (done.returncode, done.stdout) == (WRONG_USAGE, "")
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_windows_is_refused() -> None:
    code = "import sys\nsys.platform = 'win32'\nfrom grader.__main__ import main\nmain()"
    check = [sys.executable, "-c", code, "check", "softmax"]
    done = subprocess.run(check, cwd=PROJECT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (WRONG_USAGE, "")
    assert "use WSL" in done.stderr


# The same from any folder


def test_byheart_tells_its_own_commands(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    code = "import sys\nsys.argv[0] = '/somewhere/bin/byheart'\nfrom grader.__main__ import main\nmain()"

    def called(*arguments: str) -> "subprocess.CompletedProcess[str]":
        elsewhere = tmp_path_factory.mktemp("elsewhere")
        environment = {**os.environ, "PYTHONPATH": str(project)}
        return subprocess.run(
            [sys.executable, "-c", code, *arguments],
            cwd=elsewhere,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )

    assert "byheart check softmax\n" in called("next").stdout
    assert called("hint", "gqa").stdout.endswith("\nNext: byheart hint gqa\n")
    exercise(project).write_text("mine", encoding="utf-8")
    assert "What was there is kept: byheart restore softmax 1\n" in called("reset", "softmax").stdout
    assert "All topics: byheart list\n" in called("check", "softmx").stderr


# Tab


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("byheart li", ["list"]),
        ("byheart check self_attention_v", [f"self_attention_v{number}" for number in (1, 2, 3, 4)]),
        ("byheart drill rop", ["rope"]),
        ("byheart hint mla", ["mla"]),
        ("byheart mock --chapter lo", ["losses"]),
        ("byheart next --track al", ["alignment"]),
        ("byheart track no", ["none"]),
        ("byheart restore kv_cache.ca", ["kv_cache.cache"]),
        ("byheart quiz nothing_like_it", []),
    ],
)
def test_tab_completes_commands_and_names(words: str, completed: list[str]) -> None:
    count = str(len(words.split()) - 1)
    done = byheart(PROJECT, _BYHEART_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=count)
    assert (done.returncode, done.stderr, done.stdout.split()) == (PASSED, "", completed)


def test_completion_is_installed_for_byheart_however_it_is_run(tmp_path: Path) -> None:
    without_looking = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = byheart(PROJECT, "--show-completion", "bash", HOME=str(tmp_path), **without_looking)
    assert "complete -o default -F _byheart_completion byheart" in done.stdout
