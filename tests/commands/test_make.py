"""The Makefile: what each command calls, and what it says where something is missing or wrong."""

import os
import signal
from pathlib import Path

import pexpect
import pytest
from recorded_make import calls, environment, make, recorded_project, write_program

from grader.curriculum.catalog import load_catalog

PYTEST = ["-m", "pytest", "-q", "--dist", "loadgroup"]
COMMANDS = [
    "today",
    "list",
    "next",
    "track",
    "check",
    "watch",
    "edit",
    "open",
    "drill",
    "mock",
    "quiz",
    "undo",
    "hint",
    "solution",
    "compare",
    "history",
    "restore",
    "reset",
    "suspend",
    "resume",
    "stats",
    "doctor",
    "report",
    "notebook",
    "notebooks",
    "export",
    "import",
    "grade",
    "update",
    "new",
    "stubs",
    "notebooks-clean",
    "readme",
    "bench",
    "test",
    "lint",
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return recorded_project(tmp_path)


def test_make_alone_lists_every_command_and_runs_nothing(project):
    run = make(project)
    listed = [line.split()[1] for line in run.stdout.splitlines() if line.startswith("  make ")]
    assert listed == COMMANDS
    assert run.returncode == 0
    assert not (project / "calls").exists()


@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        (["list"], ["list"]),
        (["list", "due", "attention"], ["list", "due", "attention"]),
        (["list", "new"], ["list", "new"]),
        (["check"], ["check"]),
        (["check", "topic="], ["check"]),
        (["check", "gqa"], ["check", "gqa"]),
        (["drill", "rope", "minutes=5"], ["drill", "rope", "--minutes", "5"]),
        (["restore", "gqa", "7"], ["restore", "gqa", "7"]),
        (["restore", "topic=gqa", "7"], ["restore", "gqa", "7"]),
        (["mock", "losses"], ["mock", "--chapter", "losses"]),
        (["import", "exercises"], ["import", "exercises"]),
        (["new", "gqa", "attention"], ["new", "gqa", "--chapter", "attention"]),
        (["check", "topic=gqa", "args=--file 'my answer.py'"], ["check", "gqa", "--file", "my answer.py"]),
        (["hint", "topic=gqa"], ["hint", "gqa"]),
        (["notebook", "topic=gqa", "args=--no-open"], ["notebook", "gqa", "--no-open"]),
        (["notebooks-clean", "args=--check"], ["notebooks-clean", "--check"]),
        (["hint", "topic=gqa", "level=2"], ["hint", "gqa", "--level", "2"]),
        (["watch"], ["watch"]),
        (["watch", "topic=gqa"], ["watch", "gqa"]),
        (["edit", "topic=gqa"], ["edit", "gqa"]),
        (["open"], ["open"]),
        (["open", "gqa", "port=8000"], ["open", "gqa", "--port", "8000"]),
        (["drill"], ["drill"]),
        (["drill", "topic=gqa", "minutes=9", "level=empty"],
         ["drill", "gqa", "--minutes", "9", "--level", "empty"]),
        (["mock"], ["mock"]),
        (["mock", "minutes=9", "count=2", "chapter=losses", "seed=7"],
         ["mock", "--minutes", "9", "--count", "2", "--chapter", "losses", "--seed", "7"]),
        (["quiz"], ["quiz"]),
        (["quiz", "topic=gqa"], ["quiz", "gqa"]),
        (["undo"], ["undo"]),
        (["today"], ["today"]),
        (["today", "20", "interview=2027-01-15", "limit=3", "track=systems"],
         ["today", "20", "--interview", "2027-01-15", "--limit", "3", "--track", "systems"]),
        (["list", "due", "track=systems"], ["list", "due", "--track", "systems"]),
        (["next", "track=none"], ["next", "--track", "none"]),
        (["track"], ["track"]),
        (["track", "systems"], ["track", "systems"]),
        (["suspend", "gqa"], ["suspend", "gqa"]),
        (["resume", "topic=gqa"], ["resume", "gqa"]),
        (["undo", "rating=good"], ["undo", "--rating", "good"]),
        (["quiz", "chapter=losses"], ["quiz", "--chapter", "losses"]),
        (["next"], ["next"]),
        (["solution", "topic=gqa"], ["solution", "gqa"]),
        (["solution", "topic=gqa", "yes=1"], ["solution", "gqa", "--yes"]),
        (["compare", "topic=gqa"], ["compare", "gqa"]),
        (["history"], ["history"]),
        (["history", "topic=gqa"], ["history", "gqa"]),
        (["restore", "topic=gqa", "attempt=7"], ["restore", "gqa", "7"]),
        (["reset", "topic=gqa"], ["reset", "gqa"]),
        (["update"], ["update"]),
        (["stats"], ["stats"]),
        (["report"], ["report"]),
        (["export"], ["export"]),
        (["grade", "path=their files", "topic=gqa"], ["grade", "their files", "--topic", "gqa"]),
        (["grade", "handed", "args=--numbers"], ["grade", "handed", "--numbers"]),
        (["export", "file=my progress.jsonl"], ["export", "my progress.jsonl"]),
        (["import", "file=my progress.jsonl"], ["import", "my progress.jsonl"]),
        (["new", "topic=gqa", "chapter=attention"], ["new", "gqa", "--chapter", "attention"]),
        (["stubs"], ["stubs"]),
        (["readme"], ["readme"]),
        (["bench"], ["bench"]),
        (["test", "args=-k gqa"], [*PYTEST, "-n", "3", "-k", "gqa"]),
        (["test", "gqa"], [*PYTEST, "-n", "2", "--topic", "gqa", "tests"]),
    ],
)  # fmt: skip
def test_a_command_calls_the_program(project, arguments, call):
    run = make(project, *arguments)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert calls(project) == [call]


@pytest.mark.parametrize(
    "topic", ["a b", "'", '"', "; touch spoilt", "`touch spoilt`", "$(shell touch spoilt)", "$$HOME\n#"]
)
def test_a_topic_is_passed_on_as_it_is_typed(project, topic):
    make(project, "check", f"topic={topic}")
    assert calls(project) == [["check", topic]]
    assert not (project / "spoilt").exists()


def test_words_are_options_even_where_files_have_their_names(project):
    for name in ("gqa", "check"):
        (project / name).touch()
    assert make(project, "check", "gqa").returncode == 0
    assert calls(project) == [["check", "gqa"]]


def test_no_topic_has_the_name_of_a_command():
    assert not {topic.id for topic in load_catalog().topics} & {*COMMANDS, "help"}


def test_commands_behind_a_command_are_done_one_after_the_other(project):
    assert make(project, "check", "gqa", "list", "stats").returncode == 0
    assert calls(project) == [["check", "gqa"], ["list"], ["stats"]]


def test_options_count_from_the_command_line_only(project):
    names = ["topic", "chapter", "level", "attempt", "yes", "minutes", "count", "seed", "file", "args"]
    for command in ("check", "drill", "mock", "quiz", "export", "solution"):
        goals = [command, "gqa"] if command == "solution" else [command]
        run = make(project, *goals, **dict.fromkeys(names, "9"))
        assert (run.returncode, run.stderr) == (0, "")
    assert calls(project) == [["check"], ["drill"], ["mock"], ["quiz"], ["export"], ["solution", "gqa"]]


def test_an_environment_that_overrides_makefiles_changes_nothing(project):
    assert make(project, "-e", "check", level="9", topic="mha").returncode == 0
    assert calls(project) == [["check"]]


@pytest.mark.parametrize("text", ["'", ";touch", "`ls`", "$$HOME", "(x)"])
def test_a_word_is_passed_on_as_it_is_typed(project, text):
    make(project, "check", text)
    assert calls(project) == [["check", text]]


def test_a_verdict_that_is_not_passed_fails_make_without_a_word_of_its_own(project):
    for arguments in (["topic=unsolved"], ["unsolved"]):
        run = make(project, "check", *arguments)
        assert (run.returncode, run.stdout, run.stderr) == (1, "", "")
    assert calls(project) == [["check", "unsolved"]] * 2
    assert [path.name for path in (project / ".venv").iterdir() if path.name.startswith("failed")] == []


def test_an_interrupted_command_has_the_last_word(project):
    program = '#!/bin/sh\ntrap "echo interrupted; exit 130" INT\necho begun\nsleep 30 & wait\n'
    write_program(project / ".venv/bin/python", program)
    (project / ".venv" / "installed").touch()
    child = pexpect.spawn("make", ["watch"], cwd=project, env=environment(), encoding="utf-8", timeout=20)
    child.expect_exact("begun\r\n")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.before.splitlines() == ["^Cinterrupted"]
    assert child.signalstatus == signal.SIGINT


def test_a_variable_of_the_user_is_no_interrupt(project):
    assert make(project, "check", "unsolved", interrupted="1").returncode == 1


def test_a_failure_that_cannot_be_noted_is_one_all_the_same(project):
    (project / ".venv").rename(project / "elsewhere")
    (project / ".venv").symlink_to("elsewhere")
    (project / "elsewhere").chmod(0o555)
    if os.access(project / "elsewhere", os.W_OK):
        pytest.skip("this user may write anywhere")
    assert make(project, "check", "unsolved").returncode == 2


def test_what_a_command_starts_is_not_under_the_same_make(project):
    """A make that is begun in the learner's editor, say."""
    (project / ".venv/bin/python").write_text("#!/bin/sh\nmake -f other\n", encoding="utf-8")
    (project / "other").write_text("made: ; @touch made\n", encoding="utf-8")
    assert make(project, "edit", "gqa").returncode == 0
    assert (project / "made").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["check", "TOPIC=gqa"], "There is no option TOPIC=, so nothing is done. Did you mean topic=?"),
        (
            ["check", "gqa", "topics=gqa"],
            "There is no option topics=, so nothing is done. Did you mean topic=?",
        ),
        (["drill", "Minute=5"], "There is no option Minute=, so nothing is done. Did you mean minutes=?"),
        (["check", "CFLAGS=a topic=b"], "There is no option CFLAGS=, so nothing is done."),
        (["chekc", "gqa"], "There is no command chekc; make alone lists them all. Did you mean check?"),
        (["xylophone"], "There is no command xylophone; make alone lists them all."),
        (["stats", "gqa"], "stats cannot do anything with gqa."),
        (["check", "gqa", "mha"], "check cannot do anything with mha."),
        (["check", "topic=gqa", "mha"], "check cannot do anything with mha."),
        (["edit"], "Which topic? For example: make edit gqa"),
        (["hint"], "Which topic? For example: make hint gqa"),
        (["solution", "topic="], "Which topic? For example: make solution gqa"),
        (["reset", "topic= "], "Which topic? For example: make reset gqa"),
        (["restore", "gqa"], "Which attempt? make history gqa lists them."),
        (["import"], "Which file? For example: make import progress.jsonl"),
        (["grade"], "Which folder? For example: make grade path=submissions"),
    ],
)
def test_wrong_usage_is_one_sentence_and_nothing_is_done(project, arguments, told):
    run = make(project, *arguments)
    assert (run.returncode, run.stdout, run.stderr) == (1, "", told + "\n")
    assert not (project / "calls").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["new", "gqa"], "Which topic and chapter? For example: make new gqa attention"),
        (["test", "TOPIC=gqa"], "There is no option TOPIC=, so nothing is done."),
    ],
)
def test_wrong_usage_of_an_authors_command_stops_make(project, arguments, told):
    run = make(project, *arguments)
    assert run.returncode == 2 and told in run.stderr and len(run.stderr.splitlines()) == 1
    assert not (project / "calls").exists()
