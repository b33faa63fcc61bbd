"""Which exercises hold something of the learner's."""

from grader.curriculum.catalog import Catalog, Topic
from grader.curriculum.exercises.blanks import MISSING
from grader.curriculum.exercises.files import stub_of
from grader.practice.exercises.levels import level_of

_BLANK = "raise NotImplementedError"


def started_topics(catalog: Catalog) -> list[Topic]:
    """The topics whose exercise is neither blank nor empty, in study order."""
    return [topic for topic in catalog.topics if is_started(topic)]


def is_started(topic: Topic) -> bool:
    """Whether anything is written in the exercise; an empty or missing one does not count.

    Told at a glance, because making the stubs of a whole catalog to compare with takes longer than a list
    may: below its docstring a blank exercise has nothing but lines of the solution, and one that raises for
    every function, or for every blank. What a part gives is a lot of the solution: it is compared.
    """
    if topic.part is not None:
        return is_changed(topic)
    lines = _lines(_without_docstring(text_of(topic)))
    known = {*_lines(topic.solution.read_text(encoding="utf-8")), _BLANK, MISSING}
    if any(line not in known for line in lines):
        return True
    if lines and lines.count(MISSING) == len(topic.blanks):
        return False
    asked = _without_given(lines)
    functions = sum(line.startswith(("def ", "async def ")) for line in asked)
    return asked.count(_BLANK) < functions


def is_changed(topic: Topic) -> bool:
    """Whether anything in the exercise differs from what it is blank, at any level of recall; an empty or
    missing one does not count.
    """
    text = text_of(topic)
    return bool(text.strip()) and level_of(topic, text) is None


def text_of(topic: Topic) -> str:
    """What stands in the exercise, nothing if it is missing; something if it cannot be read: a check tells
    more.
    """
    try:
        return topic.exercise.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    except OSError:  # a folder, say
        return "cannot be read"


def stub(topic: Topic) -> str:
    """The text of the blank exercise."""
    return stub_of(topic.solution.read_text(encoding="utf-8"))


def _without_docstring(text: str) -> str:
    """The text below the module's docstring, which at the level "empty" is all there is."""
    parts = text.split('"""', 2)
    return parts[2] if len(parts) == 3 and parts[0].strip() in ("", "r") else text


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _without_given(lines: list[str]) -> list[str]:
    """The lines outside of `# given` … `# end given`, where functions have their bodies."""
    kept, given = [], False
    for line in lines:
        given = (given or line == "# given") and line != "# end given"
        if not given:
            kept.append(line)
    return kept
