"""What of the README is made from other files: its lists of commands and topics, and its pictures."""

import re
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from grader.authoring.tour import tour_pages
from grader.curriculum.catalog import Catalog, Chapter, Topic
from grader.curriculum.exercises.files import replace_text
from grader.curriculum.pack import PROJECT
from grader.judge.verdict import Verdict
from grader.show.pages.topic_list import DIFFICULTIES, weeks_text
from grader.show.terminal.console import WIDTH
from grader.show.terminal.picture import picture
from grader.show.verdicts.verdict import verdict_text

Grade = Callable[[Topic, Path], Verdict]

README = PROJECT / "README.md"
PICTURES = PROJECT / "docs" / "pictures"
SECONDS = 1.1
"""What every check takes in a picture, so that it is the same each time."""


def generated_files(catalog: Catalog, grade: Grade) -> dict[Path, str]:
    """All files that are made from others, at least in part, each with the text that it should have."""

    def verdict_on(topic: Topic, answer: str) -> Verdict:
        return _verdict(topic, answer, grade)

    gqa, softmax = catalog["gqa"], catalog["softmax"]
    tiled = _solution(gqa).replace("repeat_interleave(groups, dim=1)", "repeat(1, groups, 1, 1)")
    checks = {"failing": verdict_on(gqa, tiled), "passing": verdict_on(softmax, _solution(softmax))}
    pages = {
        name: (f"make check topic={verdict.topic}", verdict_text(verdict, catalog, WIDTH))
        for name, verdict in checks.items()
    } | tour_pages(catalog, verdict_on)
    pictures = {PICTURES / f"{name}.svg": picture(*page, name) for name, page in pages.items()}
    return {README: readme_text(catalog), **pictures}


def stale_files(files: dict[Path, str]) -> list[Path]:
    """Those that are missing, or have another text."""
    return [path for path, text in files.items() if not path.exists() or path.read_text("utf-8") != text]


def write_files(files: dict[Path, str]) -> list[Path]:
    """Write those that are stale, and give their paths."""
    stale = stale_files(files)
    for path in stale:
        replace_text(path, files[path])
    return stale


def readme_text(catalog: Catalog) -> str:
    """The README with its lists up to date."""
    text = README.read_text(encoding="utf-8")
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    parts = {"commands": _commands(makefile), "topics": _topics(catalog), "tracks": _tracks(catalog)}
    for name, part in parts.items():
        text = _with_part(text, name, part)
    return text


def _with_part(text: str, name: str, part: str) -> str:
    """The text with that between the markers of a generated part."""
    markers = re.compile(rf"(<!-- generated: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    changed, count = markers.subn(lambda found: f"{found[1]}{part}{found[2]}", text)
    if count != 1:
        raise ValueError(f"README.md has {count} parts marked <!-- generated: {name} -->")
    return changed


def _commands(makefile: str) -> str:
    """The Makefile's targets with their arguments and what they do, for learners first."""
    targets = re.findall(r"^([a-z-]+):.*## (.*)\| (.*)$", makefile, re.MULTILINE)
    rows = [f"| `{f'make {name} {arguments}'.strip()}` | {says} |\n" for name, arguments, says in targets]
    return "| Command | What it does |\n|---|---|\n" + "".join(rows)


def _topics(catalog: Catalog) -> str:
    rows = [_topic_row(chapter, topic) for chapter in catalog.chapters for topic in chapter.topics]
    return "| Chapter | Topic | | Difficulty | Minutes |\n|---|---|---|---|---|\n" + "".join(rows)


def _topic_row(chapter: Chapter, topic: Topic) -> str:
    """A row of the table; the chapter stands at its first topic."""
    link = f"[`{topic.id}`]({topic.exercise_name})"
    first = chapter.title if topic is chapter.topics[0] else ""
    return f"| {first} | {link} | {topic.title} | {DIFFICULTIES[topic.difficulty]} | {topic.minutes} |\n"


def _tracks(catalog: Catalog) -> str:
    """Each track with what it is about, and for how many weeks it is made."""
    rows = []
    for track in catalog.tracks:
        weeks = f", {weeks_text(track.weeks)}" if track.weeks else ""
        topics = ", ".join(f"`{topic.id}`" for topic in track.topics)
        rows.append(f"| `{track.id}` | {track.title}{weeks} | {topics} |\n")
    return "| Track | | Topics, the most important first |\n|---|---|---|\n" + "".join(rows)


def _verdict(topic: Topic, answer: str, grade: Grade) -> Verdict:
    """The verdict on a text as an answer to a topic, as if it stood in the exercise."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{topic.id}.py")
        path.write_text(answer, encoding="utf-8")
        verdict = grade(topic, path)
    exercise = topic.exercise_name
    return replace(verdict, file=exercise, seconds=SECONDS)


def _solution(topic: Topic) -> str:
    return topic.solution.read_text(encoding="utf-8")
