"""`watch` without a terminal."""

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path

import psutil
from driving import ALL_PASSED, own_room
from practice.live.watching import COMMAND, RIGHT, SOFTMAX, WRONG, alive, attempts_in

KEYS = "h hint   v all   l list   n next topic   r run again   e edit   q quit"


# Without a terminal


def plainly(root: Path, *arguments: str, steps: list[dict[str, object]]) -> subprocess.CompletedProcess[str]:
    """Run `watch` with a script, and nothing else to read from."""
    script = root / "answers.jsonl"
    script.write_text("".join(json.dumps(step) + "\n" for step in steps), encoding="utf-8")
    command = [sys.executable, *COMMAND, *arguments, "--answers", str(script)]
    return subprocess.run(
        command, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120
    )


def test_a_script_takes_the_place_of_keys_and_saves(project: Path) -> None:
    steps = [{"save": WRONG}, {"key": "h"}, {"save": RIGHT}, {"save": RIGHT}, {"save": WRONG}]
    done = plainly(project, "softmax", steps=steps)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout and KEYS not in done.stdout
    places = [done.stdout.index(text) for text in ("FAIL", "hint 1 of 3", ALL_PASSED, "Next review: ")]
    assert places == sorted(places)
    assert [each.outcome for each in attempts_in(project)] == ["failed", "passed", "failed"]


def test_a_script_for_several_exercises(project: Path) -> None:
    solution = str(project / "solutions/attention/gqa.py")
    done = plainly(project, steps=[{"copy": solution, "file": "gqa"}, {"save": WRONG, "file": "softmax"}])
    assert (done.returncode, done.stderr) == (0, "")
    assert [(each.topic, each.outcome) for each in attempts_in(project)] == [
        ("gqa", "passed"),
        ("softmax", "failed"),
    ]


def test_progress_that_cannot_be_kept_is_told_under_the_verdict(project: Path) -> None:
    (project / ".practice").write_text("in the way", encoding="utf-8")
    done = plainly(project, "softmax", steps=[{"save": RIGHT}, {"key": "h"}, {"key": "h"}, {"key": "n"}])
    assert (done.returncode, done.stderr) == (0, "")
    assert ALL_PASSED in done.stdout
    assert "This attempt is not recorded: " in done.stdout
    assert "hint 2 of 3" in done.stdout and "This hint is not recorded: " in done.stdout


def test_damaged_progress_is_told_under_the_verdict(project: Path) -> None:
    (project / ".practice").mkdir()
    (project / ".practice/progress.db").write_bytes(b"no database" * 1000)
    done = plainly(project, "softmax", steps=[{"save": RIGHT}])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("is damaged") == 1
    assert len(attempts_in(project)) == 1


def test_a_script_that_cannot_be_followed_is_wrong_usage(project: Path) -> None:
    done = plainly(project, "softmax", steps=[{"kex": "h"}])
    assert (done.returncode, done.stdout) == (2, "")
    assert "answers.jsonl, line 1: " in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_judge_that_fails_is_a_fault_of_ours(project: Path) -> None:
    checks = own_room(project / "grader/topics") / "foundations/softmax/test_softmax.py"
    checks.write_text("raise RuntimeError('broken checks')", encoding="utf-8")
    done = plainly(project, "softmax", steps=[{"save": RIGHT}])
    assert done.returncode == 3
    assert "broken checks" in done.stderr


def test_it_goes_on_without_a_terminal_until_it_is_ended(project: Path) -> None:
    watch = subprocess.Popen(
        [sys.executable, *COMMAND, "softmax"],
        cwd=project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert watch.stdout is not None
    overdue = threading.Timer(120.0, watch.kill)
    overdue.start()
    assert "softmax" in watch.stdout.readline()
    (project / SOFTMAX).write_text(RIGHT, encoding="utf-8")
    while ALL_PASSED not in watch.stdout.readline():
        assert watch.poll() is None
    children = psutil.Process(watch.pid).children(recursive=True)
    watch.send_signal(signal.SIGTERM)
    watch.communicate(timeout=20)
    overdue.cancel()
    assert watch.returncode == 0
    assert alive(children) == []


def test_it_loads_nothing_heavy_itself(project: Path) -> None:
    script = project / "answers.jsonl"
    script.write_text(json.dumps({"save": RIGHT}) + '\n{"key": "h"}\n{"key": "l"}\n', encoding="utf-8")
    command = [sys.executable, "-X", "importtime", *COMMAND, "softmax", "--answers", str(script)]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=120)
    modules = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert done.returncode == 0 and "grader.practice.live.watch" in modules
    assert modules & {"torch", "numpy", "pytest"} == set()
