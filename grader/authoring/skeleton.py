"""A new topic: skeletons of its five files and its line in the catalog, with TODO where text is missing."""

import keyword
import re
from pathlib import Path

import nbformat

from grader.curriculum.catalog import Catalog, Topic, load_catalog, with_pack
from grader.curriculum.exercises.files import replace_text
from grader.curriculum.pack import Pack
from grader.curriculum.toml_table import is_id
from grader.curriculum.workspace import Workspace
from grader.notebooks.parts import PARTS


class SkeletonError(ValueError):
    """The topic cannot be created; the message says why in a sentence."""


def create_topic(pack: Pack, topic: str, chapter: str, beside: Catalog | None = None) -> list[Path]:
    """Write the five skeletons and list the topic last in its chapter; gives the paths of the skeletons.

    A chapter that does not exist is added as the last one. `beside`: the topics of the curriculum that this
    pack is used with, which may have no catalog yet. Raises `SkeletonError`, before writing anything, for a
    name that is not an id or is taken, and where one of the files is there already.
    """
    for name in (topic, chapter):
        if not is_id(name) or keyword.iskeyword(name):
            raise SkeletonError(f"{name!r} is not an id: use lower-case words joined by underscores.")
    catalog, chapters = _known(pack, beside)
    if topic in [known.id for known in catalog.topics]:
        raise SkeletonError(f"There is a topic {topic} already, in chapter {catalog[topic].chapter}.")
    skeletons = _skeletons(pack, topic, chapter)
    for path in skeletons:
        if path.exists():
            raise SkeletonError(f"{path.relative_to(pack.root)} is there already.")
    listing = pack.catalog.read_text(encoding="utf-8") if pack.catalog.exists() else _LISTING
    if chapter in chapters:
        listing = _with_topic(listing, topic, chapter)
    else:
        listing = (
            f"{listing.rstrip()}\n\n{_CHAPTER.format(topic=topic, chapter=chapter, title=_title(chapter))}"
        )
    for path, text in skeletons.items():
        replace_text(path, text)
    replace_text(pack.catalog, listing)  # last: the catalog never lists a topic without its files
    return list(skeletons)


def _known(pack: Pack, beside: Catalog | None) -> tuple[Catalog, list[str]]:
    """The topics whose names are taken, and the chapters that the pack itself lists."""
    if beside is None:
        catalog = load_catalog(pack)
        return catalog, [chapter.id for chapter in catalog.chapters]
    if not pack.catalog.exists():
        return beside, []
    catalog = with_pack(beside, pack, Workspace(pack.root))
    return catalog, [
        chapter.id for chapter in catalog.chapters if any(topic.pack == pack for topic in chapter.topics)
    ]


def _skeletons(pack: Pack, topic: str, chapter: str) -> dict[Path, str]:
    title = _title(topic)
    paths = Topic(topic, chapter, title, 1, 10, 1, "torch", (), (), (), (), pack, Workspace(pack.root))
    return {
        paths.solution: _SOLUTION.format(topic=topic),
        paths.details: _DETAILS.format(title=title),
        paths.checks: _CHECKS.format(topic=topic),
        pack.room(chapter, topic) / "mistakes.py": _MISTAKES.format(topic=topic),
        paths.notebook: _notebook(title),
    }


def _with_topic(listing: str, topic: str, chapter: str) -> str:
    """The catalog's text with one more topic at the end of a chapter's list, which has a line for each."""
    rest = r"(?:(?!\[\[).*\n)*?topics = \[\n(?:    .*\n)*"
    topics = re.compile(rf'^\[\[chapters\]\]\n(?:(?!\[\[).*\n)*?id = "{chapter}"\n{rest}', re.MULTILINE)
    found = topics.search(listing)
    if found is None:
        raise SkeletonError(
            f"The catalog does not list the topics of {chapter} one a line: add {topic} by hand."
        )
    return f'{listing[: found.end()]}    "{topic}",\n{listing[found.end() :]}'


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _notebook(title: str) -> str:
    texts = f"# {title}\n\nTODO: predict first, then run.", *(f"{part}\n\nTODO" for part in PARTS)
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_markdown_cell, texts)))
    return str(nbformat.writes(notebook)) + "\n"


_LISTING = """\
# Chapters and their topics in study order: a topic's prerequisites stand above it.
"""

_CHAPTER = """\
[[chapters]]
id = "{chapter}"
title = "{title}"
topics = [
    "{topic}",
]
"""

_SOLUTION = '''\
"""TODO: what it is and why one asks for it, in at most five lines, with the paper."""

from jaxtyping import Float
from torch import Tensor


def {topic}(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """TODO: the promise, the edge cases, what is forbidden."""
    return x
'''

_DETAILS = """\
title = "{title}"
difficulty = 1  # TODO: 1 to 3
minutes = 10  # TODO: the budget in an interview
frequency = 1  # TODO: how often it is asked, 1 to 3
prerequisites = []  # TODO: topics that come earlier in the catalog
hints = [
    "TODO: the idea.",
    "TODO: the steps, with shapes.",
    "TODO: the skeleton.",
]
blanks = [  # TODO: the statements (their first lines) that are to be filled in at the easiest level
    "return x",
]

[[questions]]
question = "TODO: a follow-up question of the interviewer."
answer = "TODO: its answer."

[[questions]]
question = "TODO: a second one."
answer = "TODO: its answer."

[[questions]]
question = "TODO: a third one."
answer = "TODO: its answer."

[[questions]]
question = "TODO: a fourth one."
answer = "TODO: its answer."

[[sources]]
title = "TODO: the paper (authors, year)"
url = "https://arxiv.org/abs/TODO"
"""

_CHECKS = '''\
"""Checks of `{topic}`: TODO, what they compare with."""

from grader.kit import assert_close


def oracle(x):
    """TODO: the built-in, or an independent formulation."""
    return x


def test_equals_the_built_in(submission, rng):
    """equals TODO"""
    x = rng.normal(2, 5, 3)
    assert_close(submission.{topic}(x), oracle(x))
'''

_MISTAKES = '''\
"""Known wrong versions of `{topic}`."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "negated",
        find="return x",
        replace="return -x",
        says="TODO: what you did, what is right, and why.",
    ),
]
'''
