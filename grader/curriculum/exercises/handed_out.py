"""Whether a file is an exercise as it was handed out, at one of the levels of recall or of a part."""

import contextlib
from functools import lru_cache

from grader.curriculum.catalog import Part, Topic
from grader.curriculum.exercises.blanks import MISSING, blanks_of
from grader.curriculum.exercises.empty import HEADING, empty_of
from grader.curriculum.exercises.part import part_of
from grader.curriculum.exercises.source_lines import StubError


def is_handed_out(text: str, solution: str, stub: str, topic: Topic) -> bool:
    """Whether nothing has been written into it: it is empty, or the exercise itself."""
    return (
        text.strip() in ("", stub.strip())
        or (MISSING in text and text.strip() == blanks_of(solution, topic.blanks).strip())
        or (HEADING in text and text.strip() == empty_of(solution).strip())
        or ("NotImplementedError" in text and text.strip() in _parts_of(solution, topic.parts))
    )


@lru_cache(maxsize=256)
def _parts_of(solution: str, parts: tuple[Part, ...]) -> set[str]:
    """The exercises of a solution's parts, as far as they can be made: nobody was handed another one."""
    found = set()
    for part in parts:
        with contextlib.suppress(StubError):
            found.add(part_of(solution, part.names).strip())
    return found
