"""A button that takes back what was just rated."""

from collections.abc import Collection

from nicegui import ui

from grader.practice.record import clock
from grader.practice.record.reviews import NothingToUndo
from grader.practice.record.unavailable import ProgressUnavailable
from grader.show.pages.drill import RATED_ANEW, taken_back_text
from grader.web.parts.frame import button
from grader.web.studio import Studio


def undo_button(studio: Studio, topics: Collection[str]) -> None:
    """Offers it for the reviews of these topics, as long as nothing else was rated since."""
    with ui.element("div").props('aria-live="polite"') as place:
        button("Take the rating back", lambda: _undo(studio, set(topics), place))


def _undo(studio: Studio, topics: set[str], place: ui.element) -> None:
    try:
        rated = studio.progress.reviews.last()
        if {review.name for review in rated} != topics:
            said = ["Something else was rated since, and only what was rated last can be taken back."]
        else:
            cards = studio.progress.reviews.undo(rated)
            now = clock.now()
            pairs = zip(rated, cards, strict=True)
            said = [taken_back_text(review, card, review.name, now) for review, card in pairs]
    except (NothingToUndo, ProgressUnavailable) as problem:
        said = [str(problem) or RATED_ANEW]
    place.clear()
    with place:
        for sentence in said:
            ui.label(sentence)
