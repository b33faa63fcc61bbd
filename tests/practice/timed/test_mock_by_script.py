"""`mock` as one calls it, by a script."""

import subprocess
import sys
from pathlib import Path

from driving import ALL_PASSED, OF_ALL, byheart
from practice.timed.by_script import (
    CATALOG,
    ENTER,
    GOLDEN,
    MISTAKE,
    NOT_PASSED,
    PASSED,
    RIGHT,
    SEVEN,
    WRONG,
    Q,
    exercise,
    last_session,
    progress,
    scripted,
    with_seven_topics,
    worked,
)

from grader.practice.schedule import Rating

SYNTAX_ERROR = (GOLDEN / "syntax_error.py").read_text(encoding="utf-8")


def test_an_interview_tells_no_more_than_passed_until_the_end(project: Path) -> None:
    steps = [
        {"wait": 60},
        {"save": WRONG, "file": "softmax"},
        {"save": SYNTAX_ERROR, "file": "dropout"},
        {"wait": 100},
        {"save": RIGHT, "file": "softmax"},
        {"key": "h"},
        {"key": "s"},
        {"key": "s"},
        {"wait": 4400},
        ENTER,
        Q,
    ]
    done = scripted(with_seven_topics(project), "mock", *SEVEN, steps=steps)
    assert (done.returncode, done.stderr) == (NOT_PASSED, "")
    before, card = done.stdout.split("Score card", 1)
    assert "7 topics, 74 minutes, seed 5" in before
    rows = [line.split("  ") for line in before.splitlines() if "softmax" in line and "log-softmax" in line]
    assert [row[-1] for row in rows][:1] == ["not started"] and rows[-1][-1] == "passed"
    assert any(row[-1].startswith("not yet: ") and row[-1].endswith(OF_ALL) for row in rows)
    for secret in (MISTAKE, "largest difference", "invalid syntax", "FAIL", "Hint"):
        assert secret not in " ".join(before.split())
    assert MISTAKE in " ".join(card.split())
    assert "The file is not Python: '(' was never closed" in card  # why the last one of dropout did not pass
    assert card.endswith("  Next: make check topic=dropout\n")
    assert "  1 of 7 passed in 74:00 of 74:00 (time over)." in card
    assert "softmax is rated good, next review: " in card and "dropout is rated again" in card
    assert "activations is rated" not in card
    rated = {review.name: review.rating for review in progress(project).reviews.all()}
    assert rated == {"softmax": Rating.GOOD, "dropout": Rating.AGAIN}
    assert [attempt.mode for attempt in progress(project).attempts.of()] == ["mock"] * 3
    listed = byheart(project, "history").stdout
    assert "1 of 7 passed in 74:00 of 74:00 (time over), seed 5" in listed


def test_all_passed_ends_an_interview(project: Path) -> None:
    steps = [
        {"copy": str(topic.solution), "file": topic.id}
        for topic in CATALOG.topics
        if topic.chapter == "losses"
    ]
    done = scripted(project, "mock", "--chapter", "losses", "--count", "4", "--minutes", "40", steps=steps)
    assert done.returncode == PASSED
    assert "4 of 4 passed in" in done.stdout and "of 40:00 (all passed)." in done.stdout


def test_an_interview_that_was_cut_off_goes_on(project: Path) -> None:
    exercise(project).write_text(WRONG, encoding="utf-8")
    cut = scripted(
        with_seven_topics(project), "mock", *SEVEN, steps=[{"wait": 600}, {"save": WRONG, "file": "softmax"}]
    )
    assert cut.stdout.endswith("To go on, or drop it: make mock\n")
    running = byheart(project, "history").stdout
    assert "not finished: make mock" in running
    kept, wrong = progress(project).attempts.of("softmax")
    assert (kept.mode, wrong.mode) == ("saved", "mock")
    assert wrong.mistake is not None and wrong.mistake not in running
    exercise(project).write_text(RIGHT, encoding="utf-8")  # while nobody looked
    done = scripted(project, "mock", "--resume", steps=[{"wait": 60}, Q, Q, Q])
    assert "You go on where you were." in done.stdout
    assert 660 <= worked(done.stdout, "1 of 7 passed in") < 900 and "(ended early)." in done.stdout
    assert last_session(project, "mock").status == "ended early"


def test_check_keeps_the_secrets_of_an_interview(project: Path) -> None:
    scripted(with_seven_topics(project), "mock", *SEVEN, steps=[])
    exercise(project).write_text(WRONG, encoding="utf-8")
    for arguments in (["check", "softmax"], ["check"], ["check", "softmax", "--json"]):
        done = byheart(project, *arguments)
        assert (done.returncode, done.stderr) == (NOT_PASSED, "")
        told = " ".join(done.stdout.split())
        assert f"{OF_ALL} passed. A mock interview asks for this, and tells why at its end" in told
        assert MISTAKE not in told and "largest difference" not in told
    assert progress(project).attempts.of("softmax")[-1].mistake is not None  # it is kept
    answer = project / "answer.py"
    answer.write_text(WRONG, encoding="utf-8")
    graded = byheart(project, "check", "softmax", "--file", str(answer)).stdout
    assert "FAIL" in graded
    exercise(project).write_text(RIGHT, encoding="utf-8")
    assert ALL_PASSED in byheart(project, "check", "softmax").stdout
    byheart(project, "mock", "--drop")
    exercise(project).write_text(WRONG, encoding="utf-8")
    assert MISTAKE in " ".join(byheart(project, "check", "softmax").stdout.split())


def test_the_same_seed_asks_the_same(project: Path) -> None:
    drawn = []
    for _ in range(2):
        scripted(project, "mock", "--seed", "77", steps=[])
        drawn.append(last_session(project, "mock").topics)
        assert byheart(project, "mock", "--drop").returncode == PASSED
    assert drawn[0] == drawn[1] and len(drawn[0]) == 3
    seeds = set()
    for _ in range(2):
        scripted(project, "mock", steps=[])
        seeds.add(last_session(project, "mock").details["seed"])
        assert byheart(project, "mock", "--drop").returncode == PASSED
    assert len(seeds) == 2


def test_no_torch_here(project: Path) -> None:
    (project / "script.jsonl").write_text('{"key": "q"}\n', encoding="utf-8")
    for command in ("drill", "mock"):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "grader", command, "--answers", "script.jsonl"],
            cwd=project,
            capture_output=True,
            text=True,
            timeout=60,
        )
        # The judge, a process of its own, is not asked for import times.
        modules = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
        assert "grader.practice.live.background_judge" in modules
        assert modules & {"torch", "numpy", "pytest", "matplotlib"} == set()
        byheart(project, command, "--drop")
