"""Taking back a rating: `undo`."""

from typing import TYPE_CHECKING, Annotated

import typer

from grader.commands.usage import fail, refuse
from grader.curriculum.catalog import Catalog, load_catalog

if TYPE_CHECKING:
    from grader.practice.record.reviews import Review
    from grader.practice.record.sessions import Session
    from grader.practice.schedule import Rating


def undo(
    rating: Annotated[
        str | None, typer.Option(help="Rate it so instead: again, hard, good or easy.", metavar="RATING")
    ] = None,
) -> None:
    """Take back your last rating, of a drill, a mock interview or a question; or give another one."""
    from grader.practice.record import clock
    from grader.practice.record.progress import open_progress
    from grader.practice.record.reviews import NothingToUndo
    from grader.show.pages.drill import RATED_ANEW, taken_back_text
    from grader.show.terminal.console import say

    catalog, progress = load_catalog(), open_progress()
    rated = progress.reviews.last()
    if not rated:
        fail("Nothing has been rated yet.")
    session = progress.sessions.rated_at(rated[0].card.at)
    anew = None if rating is None else _rating(rating, rated, session)
    try:
        cards = progress.reviews.undo(rated, anew)
    except NothingToUndo:
        fail(RATED_ANEW)
    for review, card in zip(rated, cards, strict=True):
        say(taken_back_text(review, card, _name(review, catalog), clock.now()))


def _rating(word: str, rated: "list[Review]", session: "Session | None") -> "Rating":
    """The rating of that name, if it may be given instead."""
    from grader.practice.schedule import Rating
    from grader.practice.timed.resuming import ratings_of

    names = [each.name.lower() for each in Rating]
    if word not in names:
        refuse(f"{word!r} is not a rating. There are: {', '.join(names)}")
    if session is not None and session.kind == "mock":
        refuse("The ratings of a mock interview follow from how it went: they can only be taken back.")
    is_question = "/" in rated[0].name
    if session is None and not is_question:
        refuse(f"{rated[0].name} was not rated by you, so its rating can only be taken back.")
    allowed = tuple(Rating) if session is None else ratings_of(session)
    if Rating[word.upper()] not in allowed:
        only = " or ".join(each.name.lower() for each in allowed)
        refuse(f"After how this drill went, the rating can only be {only}.")
    return Rating[word.upper()]


def _name(review: "Review", catalog: Catalog) -> str:
    """The topic, or what was asked."""
    from grader.practice.record.reviews import question_name

    for topic in catalog.topics:
        for question in topic.questions:
            if question_name(topic, question) == review.name:
                return f"{topic.id}, {question.question}"
    return review.name
