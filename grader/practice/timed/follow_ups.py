"""Which of a topic's questions are asked after the work."""

import random

from grader.curriculum.catalog import Question, Topic


def follow_ups(topic: Topic, count: int, session: int) -> tuple[Question, ...]:
    """So many of them; always the same in a session, others in the next."""
    chosen = random.Random(f"{session} {topic.id}")
    return tuple(chosen.sample(topic.questions, min(count, len(topic.questions))))
