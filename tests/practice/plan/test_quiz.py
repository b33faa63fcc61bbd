"""Which questions come, and what keys do."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from practice.plan.cards import NAMES, SOFTMAX, TOPICS

from grader.practice.plan.quiz import NEW_PER_DAY, Flashcard, Outlook, Quiz, deck, outlook, pressed
from grader.practice.record.reviews import Review, question_name
from grader.practice.schedule import Card, Level, Rating
from grader.show.pages.quiz import deck_text, outlook_text, quiz_text, status_text, summary_text

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
