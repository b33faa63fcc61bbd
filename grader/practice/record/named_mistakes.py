"""The mistakes that were named on the way to an answer, each once, in the order they were met."""

from collections.abc import Sequence

from grader.judge.verdict import Diagnosis, Verdict

Mistakes = tuple[Diagnosis, ...]


def with_named(mistakes: Mistakes, verdict: Verdict) -> Mistakes:
    """These, and the one that the verdict names, if it is another."""
    named = verdict.diagnosis
    if named is None or named.mistake in {mistake.mistake for mistake in mistakes}:
        return mistakes
    return (*mistakes, named)


def written(mistakes: Mistakes) -> list[list[str]]:
    """As JSON keeps them."""
    return [[mistake.mistake, mistake.message] for mistake in mistakes]


def read(rows: Sequence[Sequence[str]]) -> Mistakes:
    """What `written` gave."""
    return tuple(Diagnosis(mistake, message) for mistake, message in rows)
