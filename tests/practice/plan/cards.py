"""Cards of a quiz."""

from pathlib import Path

from driving import CATALOG, progress_in

from grader.practice.record.reviews import question_name
from grader.practice.schedule import Rating

TOPICS = CATALOG.topics
SOFTMAX = CATALOG["softmax"]
NAMES = [question_name(SOFTMAX, question) for question in SOFTMAX.questions]


def rated(root: Path) -> list[tuple[str, Rating]]:
    return [(each.name, each.rating) for each in progress_in(root).reviews.all()]
