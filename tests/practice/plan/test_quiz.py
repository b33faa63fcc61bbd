"""Flash cards: which come when, what keys do, and the command in a terminal and without one."""

import json
import os
import re
import signal
import sys
import termios
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import pexpect
import psutil
import pytest
from driving import byheart, command, progress_in
from hypothesis import given
from hypothesis import strategies as st

from grader.curriculum.catalog import load_catalog
from grader.practice.plan.quiz import NEW_PER_DAY, Flashcard, Outlook, Quiz, deck, outlook, pressed
from grader.practice.plan.schedule import Card, Level, Rating
from grader.practice.record.reviews import Review, question_name
from grader.show.pages.quiz import deck_text, outlook_text, quiz_text, status_text, summary_text

CATALOG = load_catalog()
TOPICS = CATALOG.topics
SOFTMAX = CATALOG["softmax"]
NAMES = [question_name(SOFTMAX, question) for question in SOFTMAX.questions]
NOW = datetime.now(UTC)
TODAY = NOW.astimezone().date()
FRESH = tuple(Flashcard(SOFTMAX, question, None) for question in SOFTMAX.questions)


def review(name: str, ago: float = 10, due: float = 0, rating: Rating = Rating.GOOD) -> Review:
    """Times in days from now."""
    card = Card(NOW - timedelta(days=ago), 3.0, 5.0, NOW + timedelta(days=due), Level.STUB)
    return Review(name, rating, Level.STUB, card)


def names(cards: tuple[Flashcard, ...]) -> list[str]:
    return [each.name for each in cards]


# Which questions come


def test_a_newcomer_gets_the_first_new_ones_in_study_order() -> None:
    everything = [question_name(topic, question) for topic in TOPICS for question in topic.questions]
    assert names(deck(TOPICS, [], NOW)) == everything[:NEW_PER_DAY]


def test_due_ones_come_first_the_most_overdue_at_the_head() -> None:
    reviews = [review(NAMES[3], due=-1), review(NAMES[1], due=-5), review(NAMES[2], due=1)]
    assert names(deck([SOFTMAX], reviews, NOW)) == [NAMES[1], NAMES[3], NAMES[0]]


def test_the_last_review_counts() -> None:
    reviews = [review(NAMES[0], due=-5), review(NAMES[0], ago=1, due=5)]
    assert NAMES[0] not in names(deck([SOFTMAX], reviews, NOW))


@pytest.mark.parametrize("begun, left", [(0, 4), (17, 3), (20, 0), (25, 0)])
def test_new_ones_are_limited_over_the_day_and_all_topics(begun: int, left: int) -> None:
    others = [f"gqa/{number:012x}" for number in range(begun)]
    reviews = [review(name, ago=0, due=5) for name in others] + [review("mha", ago=0, due=5)]
    assert len(deck([SOFTMAX], reviews, NOW)) == left
    assert len(deck([SOFTMAX], [*map(review, others), *reviews], NOW)) == 4  # asked for the first time before


def test_outlook() -> None:
    assert outlook([SOFTMAX], [], NOW) == Outlook(4, None, 0)
    learnt = [review(name, ago=1, due=3 + place // 2) for place, name in enumerate(NAMES)]
    assert outlook([SOFTMAX], learnt, NOW) == Outlook(0, TODAY + timedelta(days=3), 2)
    busy = [review(f"gqa/{number:012x}", ago=0, due=9) for number in range(20)]
    assert outlook([SOFTMAX], busy, NOW) == Outlook(0, TODAY + timedelta(days=1), 4)
    assert outlook([SOFTMAX], [*busy, *learnt], NOW).day == TODAY + timedelta(days=3)


# What keys do


def after(quiz: Quiz, *keys: str) -> Quiz:
    for key in keys:
        quiz = pressed(quiz, key)
    return quiz


@pytest.mark.parametrize("key", ["enter", " ", "x", "3"])
def test_any_key_turns_the_card(key: str) -> None:
    assert after(Quiz(FRESH), key) == Quiz(FRESH, is_open=True)


def test_only_ratings_go_on() -> None:
    opened = after(Quiz(FRESH), "enter")
    assert after(opened, "enter", "5", "0", "x") == opened
    assert after(opened, "1") == Quiz(FRESH, ratings=(Rating.AGAIN,))
    assert after(opened, "4", "enter", "2").ratings == (Rating.EASY, Rating.HARD)


def test_u_takes_the_last_rating_back() -> None:
    assert after(Quiz(FRESH), "u") == Quiz(FRESH)
    rated = after(Quiz(FRESH), "enter", "1")
    assert "u undo" in status_text(rated, NOW, 200).plain
    assert after(rated, "u") == Quiz(FRESH, is_open=True)
    assert after(rated, "enter", "u", "3").ratings == (Rating.GOOD,)


@given(st.lists(st.sampled_from(["enter", "1", "2", "3", "4", "q", "x", "u"])))
def test_a_question_is_rated_only_after_its_answer_was_shown(keys: list[str]) -> None:
    quiz = Quiz(FRESH)
    for key in keys:
        before, quiz = quiz, pressed(quiz, key)
        if len(quiz.ratings) > len(before.ratings):
            assert before.is_open and quiz.ratings[-1] == int(key)
    assert (quiz.current is None) == (quiz.is_left or len(quiz.ratings) == len(FRESH))


# What is shown


def test_the_answer_is_shown_when_the_card_is_turned() -> None:
    first = SOFTMAX.questions[0]
    closed, opened = (quiz_text(quiz, 100).plain for quiz in (Quiz(FRESH), Quiz(FRESH, is_open=True)))
    assert "question 1 of 4, new" in closed and first.question in closed
    assert " ".join(first.answer.split())[:60] not in " ".join(closed.split())
    assert " ".join(first.answer.split()) in " ".join(opened.split())


@pytest.mark.parametrize("width", [40, 60, 100])
def test_text_fits_the_width(width: int) -> None:
    cards = tuple(Flashcard(topic, question, None) for topic in TOPICS for question in topic.questions)
    for line in deck_text(cards, width).plain.splitlines():
        assert len(line) <= width or len(line.split()) == 1, line


def test_keys_are_told_with_the_days_if_there_is_room() -> None:
    opened = Quiz(FRESH, is_open=True)
    wide = status_text(opened, NOW, 100).plain
    assert wide == "1 again (tomorrow)   2 hard (tomorrow)   3 good (in 2 days)   4 easy (in 8 days)   q quit"
    assert status_text(opened, NOW, 60).plain == "1 again   2 hard   3 good   4 easy   q quit"


def test_summary() -> None:
    quiz = Quiz(FRESH, ratings=(Rating.GOOD, Rating.AGAIN, Rating.GOOD))
    later = Outlook(0, TODAY + timedelta(days=1), 1)
    assert summary_text(quiz, later, NOW).plain == (
        "3 questions: 1 again, 2 good. Done for today. The next: 1 question, tomorrow."
    )
    waiting = summary_text(Quiz(FRESH, is_left=True), Outlook(4, None, 0), NOW).plain
    assert waiting == "No question was rated. 4 questions left for today: make quiz"
    assert outlook_text(Outlook(0, None, 0), NOW) == "There are no more questions."


# The command


def script(root: Path, *keys: str) -> str:
    (root / "keys").write_text("".join(json.dumps({"key": key}) + "\n" for key in keys), encoding="utf-8")
    return "keys"


def rated(root: Path) -> list[tuple[str, Rating]]:
    return [(each.name, each.rating) for each in progress_in(root).reviews.all()]


def test_keys_from_a_file(project: Path) -> None:
    done = byheart(project, "quiz", "softmax", "--answers", script(project, "enter", "3", " ", "1", "q"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("\n2 questions: 1 again, 1 good. 2 questions left for today: make quiz\n")
    assert rated(project) == [(NAMES[0], Rating.GOOD), (NAMES[1], Rating.AGAIN)]


def test_a_rating_taken_back_is_as_if_it_had_not_been(project: Path) -> None:
    keys = script(project, "enter", "3", "enter", "1", "u", "4", "u", "2", "q")
    assert byheart(project, "quiz", "softmax", "--answers", keys).returncode == 0
    assert rated(project) == [(NAMES[0], Rating.GOOD), (NAMES[1], Rating.HARD)]
    done = byheart(project, "undo", "--rating", "easy")
    assert done.stdout.startswith(f"softmax, {SOFTMAX.questions[1].question}: the rating")
    assert rated(project) == [(NAMES[0], Rating.GOOD), (NAMES[1], Rating.EASY)]


def test_the_whole_deck(project: Path) -> None:
    done = byheart(project, "quiz", "softmax", "--answers", script(project, *["enter", "4"] * 9))
    assert done.stdout.endswith("\n4 questions: 4 easy. Done for today. The next: 4 questions, in 8 days.\n")
    done = byheart(project, "quiz", "softmax")
    assert done.stdout == "Done for today. The next: 4 questions, in 8 days.\n"


def test_without_a_terminal_it_is_read_and_nothing_is_rated(project: Path) -> None:
    done = byheart(project, "quiz", "--chapter", "losses")
    assert (done.returncode, done.stderr) == (0, "")
    words = " ".join(done.stdout.split())
    for topic in islice((topic for topic in TOPICS if topic.chapter == "losses"), 4):
        for question in topic.questions:
            assert question.question in words and " ".join(question.answer.split()) in words
    assert done.stdout.endswith("\nTo answer and rate them, use a terminal: make quiz\n")
    assert not (project / ".practice").exists()


@pytest.mark.parametrize(
    "arguments, told",
    [
        (["softmx"], "closest: softmax"),
        (["--chapter", "nothing"], "There is no chapter 'nothing'. Chapters: foundations, "),
        (["softmax", "--chapter", "losses"], "not both"),
        (["--answers", "missing"], "missing cannot be read"),
        (["--answers", "wrong"], "wrong, line 1"),
    ],
)
def test_wrong_usage(project: Path, arguments: list[str], told: str) -> None:
    (project / "wrong").write_text("nonsense", encoding="utf-8")
    done = byheart(project, "quiz", *arguments)
    assert done.returncode == 2 and told in done.stderr and "Traceback" not in done.stderr
    assert not (project / ".practice").exists()


# In a terminal


@pytest.fixture
def terminal(project: Path) -> Iterator[pexpect.spawn]:
    variables = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    process = pexpect.spawn(
        sys.executable,
        ["-m", "grader", "quiz", "softmax"],
        cwd=str(project),
        env={**variables, "TERM": "xterm-256color"},
        encoding="utf-8",
        timeout=30,
        dimensions=(40, 100),
    )
    yield process
    process.close(force=True)


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def see(terminal: pexpect.spawn, text: str) -> str:
    """Wait until that is shown, and give what was shown before."""
    terminal.expect_exact(text)
    return plain(terminal.before or "")


def is_line_mode(terminal: pexpect.spawn) -> bool:
    modes = termios.tcgetattr(terminal.child_fd)[3]
    return bool(modes & termios.ICANON) and bool(modes & termios.ECHO)


def test_single_keys(terminal: pexpect.spawn, project: Path) -> None:
    see(terminal, "question 1 of 4, new")
    see(terminal, "Say the answer aloud, then Enter   q quit")
    assert not is_line_mode(terminal)
    terminal.send(" ")
    assert "gives the same result" in " ".join(see(terminal, "1 again (tomorrow)").split())
    terminal.send("3")
    see(terminal, "question 2 of 4, new")
    assert rated(project) == [(NAMES[0], Rating.GOOD)]  # at once
    terminal.send("\r2q")
    see(terminal, "2 questions: 1 hard, 1 good. 2 questions left for today: make quiz")
    terminal.expect(pexpect.EOF)
    terminal.wait()
    assert terminal.exitstatus == 0
    assert len(rated(project)) == 2


def test_the_next_command_puts_right_what_one_that_was_killed_left(project: Path) -> None:
    python, *arguments = command("quiz", "softmax")
    shell = pexpect.spawn("sh", cwd=project, env={**os.environ, "PS1": "$ "}, encoding="utf-8", timeout=60)
    shell.sendline(f"{python} {' '.join(arguments)}")
    shell.expect_exact("Say the answer aloud")
    assert not is_line_mode(shell)
    (quiz,) = psutil.Process(shell.pid).children()
    quiz.kill()
    shell.expect_exact("Killed")
    assert not is_line_mode(shell)
    shell.sendline(f"{python} {' '.join(command('next')[1:])}")
    shell.expect_exact("Next: softmax")
    assert is_line_mode(shell) and not list((project / ".practice").glob("modes-*"))
    shell.close()


def test_a_resized_terminal_is_painted_anew(terminal: pexpect.spawn) -> None:
    see(terminal, "q quit")
    terminal.send("\r")
    see(terminal, "q quit")
    terminal.setwinsize(40, 50)
    shown = see(terminal, "q quit")
    assert max(map(len, shown.splitlines())) <= 50
    assert "question 1 of 4" in shown


def test_ctrl_c_keeps_what_was_rated(terminal: pexpect.spawn, project: Path) -> None:
    see(terminal, "q quit")
    terminal.send("\r3")
    see(terminal, "question 2 of 4")
    terminal.sendintr()
    see(terminal, "interrupted")
    terminal.expect(pexpect.EOF)
    terminal.wait()
    assert (terminal.exitstatus, rated(project)) == (130, [(NAMES[0], Rating.GOOD)])


def test_a_closed_terminal_ends_it(terminal: pexpect.spawn, project: Path) -> None:
    see(terminal, "q quit")
    terminal.send("\r3")
    see(terminal, "question 2 of 4")
    terminal.kill(signal.SIGHUP)
    terminal.expect(pexpect.EOF)
    terminal.wait()
    assert terminal.exitstatus == 0
    assert rated(project) == [(NAMES[0], Rating.GOOD)]
