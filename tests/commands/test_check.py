"""Commands that start torch, as one calls them."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import psutil
from commands.answers import INTERRUPTED, NOT_PASSED, PASSED, RIGHT, exercise
from driving import PROJECT, byheart, command, progress_in

from grader.judge.verdict import Verdict

WRONG = (PROJECT / "tests/golden/softmax/nan.py").read_text(encoding="utf-8")
ENDLESS = RIGHT + "\nwhile True:\n    pass\n"


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
        with contextlib.suppress(psutil.NoSuchProcess):  # one that has ended meanwhile
            if any(child.cpu_times().user > 0.3 for child in children):
                return children
        time.sleep(0.05)
    raise AssertionError("no worker was started")
