"""What decides about the evidence of a topic's mistakes, as one short text."""

import hashlib
import platform
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import torch

from grader.curriculum.catalog import Topic
from grader.curriculum.pack import PROJECT


def fingerprint(topic: Topic) -> str:
    """It differs whenever the topic's files, what checks and workers are made of, or the platform differ."""
    files = (topic.solution, topic.checks, *topic.mistakes)
    return _of(tuple(files), tuple(path.stat().st_mtime_ns for path in files))


@lru_cache(maxsize=256)
def _of(files: tuple[Path, ...], _changed: tuple[int, ...]) -> str:
    digest = hashlib.sha256(_of_the_program().encode())
    for path in files:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:24]


@cache
def _of_the_program() -> str:
    """Of what all topics share, which does not change while a judge lives."""
    digest = hashlib.sha256()
    for folder in ("kit", "worker", "judge"):
        for path in sorted((PROJECT / "grader" / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    versions = (torch.__version__, np.__version__, platform.python_version(), platform.platform())
    processor = torch.backends.cpu.get_cpu_capability()  # kernels round in its own way
    return " ".join([digest.hexdigest(), *versions, platform.machine(), processor])
