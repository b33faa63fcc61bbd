"""Which exercises hold something of the learner's."""

from grader.catalog import Catalog, Topic
from grader.stubs import stub_of


def started_topics(catalog: Catalog) -> list[Topic]:
    """The topics whose exercise is neither its stub nor empty, in study order."""
    return [topic for topic in catalog.topics if is_started(topic)]


def is_started(topic: Topic) -> bool:
    """Whether the exercise differs from its stub; an empty or missing one does not count."""
    try:
        text = topic.exercise.read_text(encoding="utf-8", errors="replace").strip()
    except FileNotFoundError:
        return False
    except OSError:  # a folder, say: checking it tells more
        return True
    return bool(text) and text != stub(topic).strip()


def stub(topic: Topic) -> str:
    """The text of the blank exercise."""
    return stub_of(topic.solution.read_text(encoding="utf-8"))
