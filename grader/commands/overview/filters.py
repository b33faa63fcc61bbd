"""Which topics a list shows: `list due`, `list attention`, `list new losses`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from grader.commands.usage import meant, refuse
from grader.curriculum.catalog import Catalog, load_catalog

if TYPE_CHECKING:
    from grader.practice.plan.standing import Standing

EVERYTHING = "all"


def chosen_topics(
    catalog: Catalog, standings: "Mapping[str, Standing]", words: Sequence[str]
) -> set[str] | None:
    """The topics that are in one of the states and in one of the chapters named, where any are; None: all.
    Ends the command where a word is neither.
    """
    from grader.practice.plan.standing import State

    states = {state for state in State if state in words}
    chapters = {chapter.id for chapter in catalog.chapters if chapter.id in words}
    known = [*State, *(chapter.id for chapter in catalog.chapters), EVERYTHING]
    for word in words:
        if word not in known:
            closest = meant(word, known)
            refuse(f"{word!r} is neither a state nor a chapter.{closest} There are: {', '.join(known)}")
    if not states and not chapters:
        return None
    return {
        topic.id
        for topic in catalog.topics
        if (not states or standings[topic.id].state in states) and (not chapters or topic.chapter in chapters)
    }


def filters(incomplete: str) -> list[str]:
    """What such a word may go on as, where Tab is pressed."""
    from grader.practice.plan.standing import State

    words = [*State, *(chapter.id for chapter in load_catalog().chapters), EVERYTHING]
    return [word for word in words if word.startswith(incomplete)]
