"""What decides about the evidence of a topic's mistakes, as one short text."""

import platform
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import torch

from grader.curriculum.catalog import Topic
from grader.curriculum.contents import digest_of, digest_of_the_program


def fingerprint(topic: Topic) -> str:
    """It differs whenever the topic's files, what checks and workers are made of, or the platform differ."""
    files = (topic.solution, topic.checks, *topic.mistakes)
    return _of(tuple(files), tuple(path.stat().st_mtime_ns for path in files))


@lru_cache(maxsize=256)
def _of(files: tuple[Path, ...], _changed: tuple[int, ...]) -> str:
    return digest_of(files, beside=_of_the_program())


@cache
def _of_the_program() -> str:
    """Of what all topics share, which does not change while a judge lives."""
    versions = (torch.__version__, np.__version__, platform.python_version(), platform.platform())
    processor = torch.backends.cpu.get_cpu_capability()  # kernels round in its own way
    return " ".join([digest_of_the_program(), *versions, platform.machine(), processor])
