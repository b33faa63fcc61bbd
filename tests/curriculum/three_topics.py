"""A small catalog, and what is complained of when something in it is changed."""

from pathlib import Path

import pytest
from driving import catalog_in

from grader.curriculum.catalog import CatalogError

LISTING = """\
[[chapters]]
id = "foundations"
title = "Foundations"
topics = [
    "softmax",
]

[[chapters]]
id = "attention"
title = "Attention"
topics = [
    "sdpa",
    "gqa",
]
"""

DETAILS = """\
title = "Any topic"
difficulty = 2
minutes = 15
frequency = 3
prerequisites = []
hints = ["The idea.", "The steps.", "The skeleton."]
blanks = ["return x"]

[[questions]]
question = "Why?"
answer = "Because."

[[questions]]
question = "How?"
answer = "So."

[[questions]]
question = "When?"
answer = "Now."

[[questions]]
question = "Where?"
answer = "Here."

[[sources]]
title = "A paper (2017)"
url = "https://arxiv.org/abs/1706.03762"
"""

GQA = "grader/topics/attention/gqa/topic.toml"
SDPA = "grader/topics/attention/sdpa/topic.toml"


def three_topics(root: Path) -> Path:
    """A project of three topics, of which gqa asks for the others."""
    topics = {
        "foundations/softmax": DETAILS,
        "attention/sdpa": DETAILS,
        "attention/gqa": DETAILS.replace("prerequisites = []", 'prerequisites = ["sdpa", "softmax"]'),
    }
    for name, text in topics.items():
        path = root / "grader" / "topics" / name / "topic.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (root / "grader" / "catalog.toml").write_text(LISTING, encoding="utf-8")
    return root


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def complaint(root: Path) -> str:
    with pytest.raises(CatalogError) as error:
        catalog_in(root)
    return str(error.value)
