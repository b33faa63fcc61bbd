"""What a verdict was given by: another version of a topic is another exam."""

from grader import VERSION
from grader.curriculum.catalog import Topic
from grader.curriculum.contents import digest_of, digest_of_the_program


def curriculum_of(topic: Topic) -> str:
    """byheart's version, and what tells this topic's files and the judge's from any others: `0.1.0+…`."""
    files = (topic.solution, topic.checks, *topic.mistakes)
    return f"{VERSION}+{digest_of(files, beside=digest_of_the_program())[:12]}"
