"""The commands as one calls them: exit status, what is printed where, what is written, what is imported."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pexpect
import psutil
import pytest
from driving import PROJECT, byheart, command, progress_in

from grader.curriculum.catalog import load_catalog
from grader.judge.verdict import Outcome, Verdict
from grader.practice.plan.schedule import Level, Rating
from grader.practice.record import clock

PASSED, NOT_PASSED, WRONG_USAGE, FAULT, INTERRUPTED = 0, 1, 2, 3, 130
RIGHT = (PROJECT / "tests/golden/softmax/solved.py").read_text(encoding="utf-8")
WRONG = (PROJECT / "tests/golden/softmax/nan.py").read_text(encoding="utf-8")
ENDLESS = RIGHT + "\nwhile True:\n    pass\n"


def exercise(root: Path, name: str = "foundations/softmax") -> Path:
    return root / "exercises" / f"{name}.py"


# Commands that start torch


def test_check_in_json(project: Path) -> None:
    (project / "answer.py").write_text(RIGHT, encoding="utf-8")
    done = byheart(project, "check", "softmax", "--file", "answer.py", "--json")
    assert (done.returncode, done.stderr) == (PASSED, "")
    verdict = Verdict.from_json(done.stdout)
    assert (verdict.topic, verdict.file, verdict.passed) == ("softmax", "answer.py", True)
    assert not (project / ".practice").exists()


def test_check_what_is_started(project: Path) -> None:
    exercise(project).write_text(WRONG, encoding="utf-8")
    shutil.copy(project / "solutions/attention/gqa.py", exercise(project, "attention/gqa"))
    exercise(project, "attention/mha").write_text("", encoding="utf-8")
    done = byheart(project, "check")
    assert (done.returncode, done.stderr) == (NOT_PASSED, "")
    assert "  FAIL  " in done.stdout and "exercises/foundations/softmax.py" in done.stdout
    assert "\n  pass  gqa  Grouped-query attention\n" in done.stdout
    assert done.stdout.endswith("1 of 2 started topics passed. Not yet: softmax\n")
    lines = byheart(project, "check", "--json").stdout.splitlines()
    assert [json.loads(line)["passed"] for line in lines] == [False, True]
    assert [attempt.topic for attempt in progress_in(project).attempts.of()] == ["softmax", "gqa"] * 2


def test_check_keeps_each_attempt_and_tells_the_next_review(project: Path) -> None:
    exercise(project).write_text(WRONG, encoding="utf-8")
    assert byheart(project, "check", "softmax").returncode == NOT_PASSED
    exercise(project).write_text(RIGHT, encoding="utf-8")
    assert "\n  Next review: in 2 days\n" in byheart(project, "check", "softmax").stdout
    wrong, right = progress_in(project).attempts.of("softmax")
    assert (wrong.mode, wrong.outcome, right.outcome) == ("check", "failed", "passed")
    assert wrong.source and progress_in(project).attempts.source(wrong.source) == WRONG.encode()
    assert "  softmax " in byheart(project, "list").stdout and "  passed " in byheart(project, "list").stdout


def test_a_damaged_or_closed_progress_keeps_nobody_from_a_verdict(project: Path) -> None:
    exercise(project).write_text(RIGHT, encoding="utf-8")
    (project / ".practice").write_text("no folder", encoding="utf-8")
    done = byheart(project, "check", "softmax")
    assert done.returncode == PASSED and "checks passed" in done.stdout
    assert done.stderr.startswith("This attempt is not recorded: ") and len(done.stderr.splitlines()) == 1
    (project / ".practice").unlink()
    (project / ".practice").mkdir()
    (project / ".practice/progress.db").write_text("nonsense" * 1000, encoding="utf-8")
    done = byheart(project, "check", "softmax")
    assert done.returncode == PASSED and "It is set aside as progress.damaged-" in done.stderr
    assert "softmax  check  passed" in byheart(project, "history").stdout


def test_compare(project: Path) -> None:
    exercise(project).write_text(WRONG, encoding="utf-8")
    done = byheart(project, "compare", "softmax")
    assert (done.returncode, done.stdout) == (NOT_PASSED, "")
    exercise(project).write_text(RIGHT, encoding="utf-8")
    done = byheart(project, "compare", "softmax")
    assert (done.returncode, done.stderr) == (PASSED, "")
    assert "  lines of code  " in done.stdout and "import torch" not in done.stdout
    _, softmax, log_softmax = done.stdout.split("\n\n")[-3:]
    assert softmax.startswith("softmax\n") and log_softmax.startswith("log_softmax\n")
    assert all(line.startswith(("  ", "- ", "+ ")) for line in softmax.splitlines()[1:])


def test_interrupting_leaves_one_line_and_no_process(tmp_path: Path) -> None:
    answer = tmp_path / "answer.py"
    answer.write_text(ENDLESS, encoding="utf-8")
    check = subprocess.Popen(
        command("check", "softmax", "--file", str(answer)),
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    children = wait_for_children(check.pid)
    os.killpg(check.pid, signal.SIGINT)
    out, err = check.communicate(timeout=20)
    assert (check.returncode, out, err) == (INTERRUPTED, "", "interrupted\n")
    assert psutil.wait_procs(children, timeout=5)[1] == []


def wait_for_children(pid: int) -> list[psutil.Process]:
    """The processes below one, as soon as a worker is among them and busy."""
    latest = time.monotonic() + 60
    while time.monotonic() < latest:
        children = psutil.Process(pid).children(recursive=True)
        if any(child.cpu_times().user > 0.3 for child in children):
            return children
        time.sleep(0.05)
    raise AssertionError("no worker was started")


# Wrong usage


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
        ("byheart quiz nothing_like_it", []),
    ],
)
def test_tab_completes_commands_topics_and_chapters(words: str, completed: list[str]) -> None:
    count = str(len(words.split()) - 1)
    done = byheart(PROJECT, _BYHEART_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=count)
    assert (done.returncode, done.stderr, done.stdout.split()) == (PASSED, "", completed)


def test_completion_is_installed_for_byheart_however_it_is_run(tmp_path: Path) -> None:
    without_looking = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = byheart(PROJECT, "--show-completion", "bash", HOME=str(tmp_path), **without_looking)
    assert "complete -o default -F _byheart_completion byheart" in done.stdout


# Commands that answer in a blink


def test_list_shows_where_one_stands(project: Path) -> None:
    exercise(project).write_text(RIGHT, encoding="utf-8")
    done = byheart(project, "list")
    topics = {topic.id for topic in load_catalog().topics}
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("  ")]
    states = {row[0]: row[-3] for row in rows if row[0] in topics}
    assert (done.returncode, states.pop("softmax")) == (PASSED, "started")
    assert set(states.values()) == {"new"} and len(states) == len(topics) - 1
    assert done.stdout.endswith("Next: softmax, because you have begun it.\n      make check topic=softmax\n")
    assert byheart(project, "next").stdout == "".join(done.stdout.splitlines(keepends=True)[-2:])
    assert not (project / ".practice").exists()


@pytest.mark.parametrize(
    ("words", "topics"),
    [
        (["started"], ["softmax"]),
        (["losses"], ["cross_entropy", "focal_loss", "class_weights", "bce"]),
        (["new", "foundations"], ["activations", "mlp_numpy", "mlp_torch", "dropout"]),
        (["due"], []),
        (["started", "positions", "new"], ["rope"]),
    ],
)
def test_list_of_states_and_chapters(project: Path, words: list[str], topics: list[str]) -> None:
    exercise(project).write_text(RIGHT, encoding="utf-8")
    done = byheart(project, "list", *words)
    rows = [line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")]
    assert (done.returncode, [row for row in rows if row not in ("topic", "make")]) == (PASSED, topics)
    assert "Next: softmax" in done.stdout


def test_list_all_is_the_whole_list(project: Path) -> None:
    assert byheart(project, "list", "all").stdout == byheart(project, "list").stdout


def test_list_of_what_is_no_state_and_no_chapter() -> None:
    done = byheart(PROJECT, "list", "atention")
    assert (done.returncode, done.stdout) == (WRONG_USAGE, "")
    assert done.stderr.startswith(
        "'atention' is no state and no chapter. Did you mean attention? There are: "
    )


def test_what_was_cut_off_is_listed_as_next(project: Path) -> None:
    progress_in(project).sessions.start("drill", ("gqa",), 900.0, {})
    done = byheart(project, "list")
    assert done.stdout.endswith(
        "Next: go on, because the drill of gqa is not finished: 0 of 15 minutes are over.\n      make drill\n"
    )
    assert done.stdout.endswith(byheart(project, "next").stdout)
    progress_in(project).sessions.start("mock", ("a_topic_that_is_no_more",), 900.0, {})
    assert "the drill of gqa" in byheart(project, "next").stdout


def test_check_without_anything_started(project: Path) -> None:
    done = byheart(project, "check")
    assert (done.returncode, done.stdout) == (NOT_PASSED, "")
    assert "make check topic=softmax" in done.stderr


def test_hint_gives_one_more_each_time(project: Path) -> None:
    for shown in (1, 2, 3, 3):
        done = byheart(project, "hint", "softmax")
        assert done.returncode == PASSED and f"hint {shown} of 3\n" in done.stdout
    assert done.stdout.endswith("\nNext: make solution topic=softmax\n")
    assert "hint 1 of 3" in byheart(project, "hint", "softmax", "--level", "1").stdout
    assert progress_in(project).attempts.hints_taken("softmax") == 3
    assert "hint 1 of 3" in byheart(project, "hint", "gqa").stdout


def test_hint_where_nothing_can_be_kept(project: Path) -> None:
    (project / ".practice").write_text("no folder", encoding="utf-8")
    done = byheart(project, "hint", "softmax", "--level", "2")
    assert done.returncode == PASSED and "hint 2 of 3" in done.stdout
    assert done.stderr.startswith("This hint is not recorded: ")


def test_solution_is_printed_as_it_is_and_recorded(project: Path) -> None:
    done = byheart(project, "solution", "softmax", "--yes")
    assert done.stdout == (project / "solutions/foundations/softmax.py").read_text(encoding="utf-8")
    assert progress_in(project).reviews.cards()["softmax"].level is Level.BLANKS


@pytest.mark.parametrize(("answer", "shown"), [("y", True), ("YES", True), ("", False), ("no", False)])
def test_solution_asks_first(project: Path, answer: str, shown: bool) -> None:
    terminal = pexpect.spawn(*spawned("solution", "softmax"), cwd=project, encoding="utf-8", timeout=30)
    terminal.expect_exact("Show the solution of softmax? ")
    terminal.expect_exact("[y/N] ")
    terminal.sendline(answer)
    said = terminal.read()
    terminal.close()
    assert terminal.exitstatus == (PASSED if shown else NOT_PASSED)
    assert ("def softmax" in re.sub(r"\x1b\[[0-9;]*m", "", said)) is shown
    assert ("softmax" in progress_in(project).reviews.cards()) is shown


def test_a_solution_that_costs_nothing_is_shown_without_asking(project: Path) -> None:
    progress = progress_in(project)
    right = Verdict("softmax", "", Outcome.PASSED)
    progress.attempts.record(right, "check", clock.now(), None)
    progress.reviews.add("softmax", Rating.GOOD)
    done = byheart(project, "solution", "softmax")
    assert (done.returncode, "def softmax" in done.stdout) == (PASSED, True)
    assert done.stderr == "This costs nothing: softmax is passed, and no review of it is due.\n"
    assert len(progress.reviews.all()) == 1


def test_checks_are_shown_while_the_mistake_is_looked_for(project: Path) -> None:
    wrong = PROJECT / "tests/golden/softmax/nan.py"
    command = spawned("check", "softmax", "--file", str(wrong))
    terminal = pexpect.spawn(*command, cwd=project, encoding="utf-8", timeout=30)
    terminal.expect_exact("  Looking for the mistake …")
    checks, rest = (re.sub(r"\x1b\[[0-9;]*m", "", text) for text in (terminal.before, terminal.read()))
    assert "  FAIL  " in checks and "checks passed" not in checks
    above = checks.rpartition("\x1b[K")[0].count("\n")
    assert rest.startswith(f"\r\x1b[{above}A\x1b[Jsoftmax  Softmax")  # in its place
    assert "Your values are exactly those of this mistake:" in rest and "5 of 8 checks passed" in rest
    terminal.close()
    assert terminal.exitstatus == NOT_PASSED


def test_while_grading_takes_long_there_is_a_sign_of_life(project: Path) -> None:
    exercise(project).write_text(f"import time\ntime.sleep(2.5)\n{RIGHT}", encoding="utf-8")
    for arguments in (["check", "softmax"], ["check"]):
        terminal = pexpect.spawn(*spawned(*arguments), cwd=project, encoding="utf-8", timeout=30)
        terminal.expect_exact("  Grading … 1 s")
        terminal.expect_exact("\r\x1b[K  Grading … 2 s")
        assert re.search(r"\r\x1b\[J[^…]*pass[^…]*$", terminal.read())
        terminal.close()
        assert terminal.exitstatus == PASSED
    assert "…" not in byheart(project, "check", "softmax").stdout


def spawned(*arguments: str) -> tuple[str, list[str]]:
    """A command as pexpect takes it."""
    python, *others = command(*arguments)
    return python, others


def test_stubs(project: Path) -> None:
    assert byheart(project, "stubs", "--check").returncode == PASSED
    assert byheart(project, "stubs").stdout == "All is up to date.\n"
    exercise(project).unlink()
    stale = byheart(project, "stubs", "--check")
    assert (stale.returncode, stale.stdout) == (NOT_PASSED, "")
    assert "  exercises/foundations/softmax.py\n" in stale.stderr
    assert byheart(project, "stubs").stdout == "wrote exercises/foundations/softmax.py\n"


def test_new_topic(project: Path) -> None:
    done = byheart(project, "new", "my_own_norm", "--chapter", "normalization")
    assert done.returncode == PASSED
    assert "wrote solutions/normalization/my_own_norm.py\n" in done.stdout


# Resetting


def test_reset_keeps_what_was_there(project: Path) -> None:
    stub = exercise(project).read_bytes()
    answer = b"# mine, and no UTF-8: \xff\r\n"
    exercise(project).write_bytes(answer)
    done = byheart(project, "reset", "softmax")
    assert done.returncode == PASSED
    assert done.stdout.splitlines()[0] == "What was there is kept: make restore topic=softmax attempt=1"
    assert exercise(project).read_bytes() == stub
    restored = byheart(project, "restore", "softmax", "1")
    assert restored.stdout == "exercises/foundations/softmax.py is as it was in attempt 1.\n"
    assert exercise(project).read_bytes() == answer


def test_restore_keeps_what_is_there_first(project: Path) -> None:
    attempts = progress_in(project).attempts
    attempts.set_aside("softmax", b"first")
    attempts.set_aside("gqa", b"another topic's")
    exercise(project).write_text("second", encoding="utf-8")
    done = byheart(project, "restore", "softmax", "1")
    assert done.stdout.splitlines()[0] == "What was there is kept: make restore topic=softmax attempt=3"
    assert exercise(project).read_text(encoding="utf-8") == "first"
    assert byheart(project, "restore", "softmax", "2").returncode == WRONG_USAGE
    listed = [line.split()[0] for line in byheart(project, "history", "softmax").stdout.splitlines()[1:3]]
    assert listed == ["1", "3"]


def test_reset_where_nothing_can_be_kept_changes_nothing(project: Path) -> None:
    (project / ".practice").write_text("no folder", encoding="utf-8")
    exercise(project).write_text(RIGHT, encoding="utf-8")
    done = byheart(project, "reset", "softmax")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (NOT_PASSED, "", 1)
    assert exercise(project).read_text(encoding="utf-8") == RIGHT


@pytest.mark.parametrize("text", [None, "", "\n\n"])
def test_reset_of_nothing_saves_nothing(project: Path, text: str | None) -> None:
    stub = exercise(project).read_text(encoding="utf-8")
    exercise(project).unlink()
    if text is not None:
        exercise(project).write_text(text, encoding="utf-8")
    for _ in range(2):
        assert byheart(project, "reset", "softmax").returncode == PASSED
        assert exercise(project).read_text(encoding="utf-8") == stub
    assert not (project / ".practice").exists()


def test_reset_of_a_read_only_exercise(project: Path) -> None:
    exercise(project).write_text(RIGHT, encoding="utf-8")
    exercise(project).chmod(0o444)
    assert byheart(project, "reset", "softmax").returncode == PASSED
    assert "NotImplementedError" in exercise(project).read_text(encoding="utf-8")


def test_reset_that_is_impossible_says_so_in_a_sentence(project: Path) -> None:
    exercise(project).unlink()
    exercise(project).mkdir()
    done = byheart(project, "reset", "softmax")
    assert (done.returncode, done.stdout) == (NOT_PASSED, "")
    assert done.stderr.startswith("exercises/foundations/softmax.py cannot be reset: ")
    assert len(done.stderr.splitlines()) == 1


# Faults, and outputs that are gone


def test_a_fault_of_ours_shows_its_traceback(project: Path) -> None:
    (project / "grader/catalog.toml").write_text("chapters = 1", encoding="utf-8")
    done = byheart(project, "list")
    assert (done.returncode, done.stdout) == (FAULT, "")
    assert "Traceback" in done.stderr and "grader/catalog.toml: chapters:" in done.stderr


@pytest.mark.parametrize(
    "arguments", [["list"], ["history"], ["hint", "softmax"], ["solution", "softmax", "--yes"]]
)
def test_a_reader_that_has_seen_enough_is_no_fault(project: Path, arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command(*arguments), cwd=project, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode in (PASSED, NOT_PASSED), done.stderr) == (True, "")


def test_closed_output_is_no_fault() -> None:
    shell = f'"{sys.executable}" -m grader list >&-'
    done = subprocess.run(shell, shell=True, cwd=PROJECT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (PASSED, "")


def test_a_full_disk_is_a_fault(project: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run(command("hint", "softmax"), cwd=project, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == FAULT


# Imports

HEAVY = {"torch", "numpy", "pytest"}


def imported(*arguments: str, root: Path = PROJECT) -> set[str]:
    """The modules that a run of Python imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments], cwd=root, capture_output=True, text=True
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["list"],
        ["next"],
        ["history"],
        ["hint", "softmax"],
        ["solution", "softmax", "--yes"],
        ["reset", "softmax"],
        ["check", "softmx"],
        ["watch", "softmx"],
        ["edit", "softmx"],
        ["stats"],
        ["quiz"],
        ["quiz", "--chapter", "losses"],
        ["export"],
        ["import", "missing.jsonl"],
        ["check", "--help"],
    ],
    ids=" ".join,
)
def test_diet(project: Path, arguments: list[str]) -> None:
    modules = imported("-m", "grader", *arguments, root=project)
    assert "grader.curriculum.catalog" in modules
    assert modules & HEAVY == set()


@pytest.mark.parametrize("module", ["numpy", "pytest"])
def test_the_diet_is_seen_to_be_broken(module: str) -> None:
    assert module in imported("-c", f"import {module}")
