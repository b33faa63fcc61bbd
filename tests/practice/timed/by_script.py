"""`drill` and `mock` by a script, and what is recorded of them."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

from driving import CATALOG, PROJECT, byheart, progress_in

from grader.practice.record.progress import Progress
from grader.practice.record.sessions import Session

PASSED, NOT_PASSED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130
SOFTMAX = CATALOG["softmax"]
GOLDEN = PROJECT / "tests/golden/softmax"
RIGHT = (PROJECT / "solutions/foundations/softmax.py").read_text(encoding="utf-8")
WRONG = (GOLDEN / "mistake.py").read_text(encoding="utf-8")
MISTAKE = "You subtract log(sum(exp(x - max)))"
ENTER, Q = {"key": "enter"}, {"key": "q"}
TO_THE_END = [Q, ENTER]


def scripted(root: Path, *arguments: str, steps: list[dict[str, Any]]) -> subprocess.CompletedProcess[str]:
    script = root / "script.jsonl"
    script.write_text("".join(json.dumps(step) + "\n" for step in steps), encoding="utf-8")
    return byheart(root, *arguments, "--answers", str(script))


def exercise(root: Path, topic: str = "softmax") -> Path:
    return root / CATALOG[topic].exercise.relative_to(PROJECT)


def progress(root: Path) -> Progress:
    return progress_in(root)


def worked(text: str, before: str) -> int:
    """The seconds that are told after some words, as "after 3:07"."""
    minutes, seconds = re.findall(re.escape(before) + r" (\d+):(\d\d)\b", text)[-1]
    return 60 * int(minutes) + int(seconds)


def last_session(root: Path, kind: str = "drill") -> Session:
    return progress(root).sessions.of(kind)[-1]


# A mock interview by a script

SEVEN = ["--seed", "5", "--count", "7", "--minutes", "74"]
"""All topics of a curriculum of seven."""


def with_seven_topics(root: Path) -> Path:
    """The project with a curriculum that stays as it is: the real one grows."""
    topics = [
        "softmax",
        "activations",
        "mlp_numpy",
        "mlp_torch",
        "gradient_descent",
        "weight_init",
        "dropout",
    ]
    head = '[[chapters]]\nid = "foundations"\ntitle = "Foundations"\n'
    (root / "grader" / "catalog.toml").write_text(f"{head}topics = {json.dumps(topics)}\n", encoding="utf-8")
    return root
