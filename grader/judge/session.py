"""A judge at work: what is loaded once, and the processes that workers come from."""

import importlib
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from grader.catalog import PROJECT, Topic
from grader.judge.launch import ForkLauncher, Launcher, SpawnLauncher
from grader.judge.limits import Limits

if TYPE_CHECKING:
    from grader.judge.verdict import Verdict

HIDDEN = ("solutions", "grader/topics", "tests", "notebooks", ".git", ".practice")


def hidden_folders() -> list[str]:
    """The folders of the project that a submission cannot look into."""
    return [str(PROJECT / folder) for folder in HIDDEN]


class Judge:
    """Grades any number of submissions for topics of the given frameworks. A context manager; one grading at
    a time.

    To be made before torch computes anything in this process: workers are forked from what is loaded here,
    those of NumPy topics before torch is loaded at all. `fork=False` starts workers as new interpreters (the
    way where forking is unsafe), `namespaces=False` does without the system's namespaces; both change nothing
    in the verdicts.
    `check_seconds` and `file_seconds` bound the wall-clock time of one check and of all of them.
    """

    def __init__(
        self,
        frameworks: Iterable[str],
        *,
        fork: bool | None = None,
        namespaces: bool = True,
        check_seconds: float = 10.0,
        file_seconds: float = 25.0,
    ) -> None:
        # The tensors are tiny: threads would only cost, and would not survive the fork.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        can_fork = sys.platform == "linux" if fork is None else fork
        self._limits = Limits(check_seconds, file_seconds)
        self._launchers: dict[str, Launcher] = {}
        for framework in sorted(set(frameworks)):  # "numpy" comes before "torch"
            without_torch = framework == "numpy"
            if not without_torch:
                importlib.import_module("torch")
            if can_fork and not (without_torch and "torch" in sys.modules):
                self._launchers[framework] = ForkLauncher(hidden_folders(), namespaces)
            else:
                self._launchers[framework] = SpawnLauncher(hidden_folders(), without_torch)
        import torch

        torch.set_num_threads(1)

    def grade(self, topic: Topic, path: Path) -> "Verdict":
        """The verdict on the file at `path` as an answer to the topic."""
        from grader.judge.judging import (
            grade,
        )  # only now: workers are not to be forked with the checking kit loaded

        return grade(topic, path, self._launchers[topic.framework], self._limits)

    def close(self) -> None:
        """End every process that was started."""
        for launcher in self._launchers.values():
            launcher.close()

    def __enter__(self) -> "Judge":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
