"""What the name of a file or a folder tells: the student, the topic, and the forms in which platforms hand
files out.

Canvas, "Download submissions": `smithbob_LATE_340934_208490284_softmax-1.py` (sortable name or a group's,
perhaps LATE, the number of the user, that of the upload, the name of the file, perhaps how often it was
replaced); where grading is anonymous, `anon_` and letters stand for name and number. Moodle,
"Download all submissions": `Bob Smith_12345_assignsubmission_file_softmax.py`, or a folder with the name up
to `file` or `file_`.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

_CANVAS = re.compile(r"(?P<name>.+?)_(?:LATE_)?(?P<user>\d+)_\d+_(?P<file>.+)", re.DOTALL)
_CANVAS_UNNAMED = re.compile(r"(?:LATE_)?(?P<name>anon)_(?P<user>[A-Za-z0-9]+)_\d+_(?P<file>.+)", re.DOTALL)
_MOODLE = re.compile(r"(?P<name>.+)_(?P<user>\d+)_assignsubmission_file_?(?P<file>.*)", re.DOTALL)
_REPLACED = re.compile(r"-\d{1,3}$")
_BETWEEN = "_-. "


@dataclass(frozen=True)
class Handed:
    """A name in a platform's form: the student with the platform's number (`smithbob_340934`), and what the
    student called the file; empty for a folder.
    """

    student: str
    file: str


def from_platform(name: str) -> Handed | None:
    """What Canvas or Moodle made the name of; None where neither did."""
    match = _MOODLE.fullmatch(name) or _CANVAS_UNNAMED.fullmatch(name) or _CANVAS.fullmatch(name)
    return Handed(f"{match['name']}_{match['user']}", match["file"]) if match else None


def topic_of(stem: str, topics: Collection[str]) -> str | None:
    """The topic that a file is called after, as the student called it or with Canvas's number behind it."""
    for name in (stem.lower(), _REPLACED.sub("", stem.lower())):
        if name in topics:
            return name
    return None


def student_and_topic(stem: str, topics: Collection[str]) -> tuple[str, str] | None:
    """The two that a file's name holds, in either order (`alice_gqa`, `gqa-alice`); None where it holds no
    topic, or two. Of topics that end alike the longer one is meant: `alice_mha_sdpa`.
    """
    lower = stem.lower()
    first = max((each for each in topics if _begins(lower, each)), key=len, default=None)
    last = max((each for each in topics if _begins(lower[::-1], each[::-1])), key=len, default=None)
    if (first is None) == (last is None):
        return None
    student = stem[len(first) :] if first is not None else stem[: -len(last or "")]
    student = student.strip(_BETWEEN)
    return (student, first or last or "") if student and not holds_topic(student, topics) else None


def holds_topic(name: str, topics: Collection[str]) -> bool:
    """Whether there is a topic anywhere in a name, as a word of its own."""
    words = f"_{re.sub(f'[{re.escape(_BETWEEN)}]', '_', name.lower())}_"
    return any(f"_{topic}_" in words for topic in topics)


def common_prefix(folders: Collection[str], parent: str) -> str:
    """What stands before the student in folders that GitHub Classroom's command line cloned: of
    `gqa-submissions/gqa-alice`, it is `gqa-`. Empty elsewhere.
    """
    prefix = f"{parent.removesuffix('-submissions')}-"
    is_clone = parent.endswith("-submissions") and all(name.startswith(prefix) for name in folders)
    return prefix if is_clone and all(len(name) > len(prefix) for name in folders) else ""


def _begins(name: str, topic: str) -> bool:
    return name.startswith(topic) and name[len(topic) : len(topic) + 1] in tuple(_BETWEEN)
