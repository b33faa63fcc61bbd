"""Short texts that differ whenever the content of what grades differs. Nothing here loads torch."""

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from grader.curriculum.pack import PACKAGE


def digest_of(files: Iterable[Path], beside: str) -> str:
    """Of the content of files, and of a text beside them."""
    digest = hashlib.sha256(beside.encode())
    for path in files:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:24]


@cache
def digest_of_the_program() -> str:
    """Of what all topics share: what checks, workers and the judge are made of."""
    digest = hashlib.sha256()
    for folder in ("kit", "worker", "judge"):
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
