"""A quiz as it is held: keys come in, ratings are kept, what is on the screen follows."""

from collections.abc import Callable

from grader.practice.live.events import Events, Key, Resized, Stopped
from grader.practice.plan.quiz import Quiz, pressed
from grader.practice.record.reviews import Review, Reviews
from grader.practice.schedule import Level


def held(quiz: Quiz, reviews: Reviews, events: Events, show: Callable[[Quiz], None]) -> Quiz:
    """The quiz at its end: each rating is kept at once. `show` paints it, whenever it may have changed."""
    rated: list[Review] = []
    show(quiz)
    while quiz.current is not None:
        event = events.next()
        if isinstance(event, Stopped):
            break
        if isinstance(event, Key):
            before, quiz = quiz, pressed(quiz, event.name)
            if before.current is not None and len(quiz.ratings) > len(before.ratings):
                name, rating = before.current.name, quiz.ratings[-1]
                rated.append(Review(name, rating, Level.STUB, reviews.add(name, rating)))
            if len(quiz.ratings) < len(before.ratings):
                reviews.undo([rated.pop()])
        if isinstance(event, Key | Resized) and quiz.current is not None:
            show(quiz)
    return quiz
