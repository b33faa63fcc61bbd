"""A judge at work: what is loaded once, and the processes that workers come from."""

import gc
import os
import sys
from collections.abc import Iterable, Iterator
from functools import reduce
from operator import and_
from pathlib import Path
from typing import TYPE_CHECKING

from grader.curriculum.catalog import Topic
from grader.curriculum.pack import CARRIED, PACKAGE, PROJECT, is_clone
from grader.curriculum.workspace import current_workspace, read_settings
from grader.judge.limits import Limits
from grader.worker.torch_import import import_torch
from grader.worker.walls.wall import Wall

if TYPE_CHECKING:
    from grader.judge.listener import Listener
    from grader.judge.verdict import Rehearsed, Verdict
    from grader.judge.workers.launch import Launcher

HIDDEN = ("solutions", "grader/topics", "tests", "notebooks", ".git", ".practice", "build")
"""What there is to hide in a clone."""


def hidden_folders() -> list[str]:
    """The folders that a submission cannot look into: of the curriculum, the learner's and all packs."""
    workspace = current_workspace()
    own = [PROJECT / folder for folder in HIDDEN] if is_clone() else [PACKAGE / "topics", CARRIED]
    learners = [workspace.practice, workspace.notebooks, workspace.build]
    return [str(folder) for folder in dict.fromkeys([*own, *learners, *read_settings(workspace).packs])]


class Judge:
    """Grades any number of submissions for topics of the given frameworks. A context manager; one grading at
    a time.

    To be made before torch computes anything in this process: workers are forked from what is loaded here,
    those of NumPy topics before torch is loaded at all. `fork=False` starts workers as new interpreters (the
    way where forking is unsafe), `namespaces=False` does without the system's namespaces; both change nothing
    in the verdicts.
    `check_seconds` bounds the wall-clock time of one check, `file_seconds` that of all of them (see
    `Limits.latest`). Without `diagnose` no mistake is looked for, which takes most of the time that a wrong
    answer takes. Without `again` a passing answer is not tried once more on inputs of its own: whoever knows
    the checks' may pass. Without `trail` it is not told how far a wrong answer is right. `repair_seconds`
    bounds how long the line of a mistake that is not known is looked for, and `patience` how long after
    grading began, both in seconds of an ordinary machine. `naming_seconds` bounds how long known mistakes are
    made and compared, whatever else the machine does, and however slow it is: somebody waits.
    """

    def __init__(
        self,
        frameworks: Iterable[str],
        *,
        fork: bool | None = None,
        namespaces: bool = True,
        check_seconds: float = Limits.check_seconds,
        file_seconds: float = Limits.file_seconds,
        diagnose: bool = True,
        again: bool = True,
        trail: bool = True,
        repair_seconds: float = Limits.repair_seconds,
        patience: float = Limits.patience,
        naming_seconds: float = Limits.naming_seconds,
    ) -> None:
        # The tensors are tiny: threads would only cost, and would not survive the fork. NumPy's begin when it
        # is imported.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        self._limits = Limits(
            check_seconds,
            file_seconds,
            diagnose,
            again,
            trail,
            repair_seconds,
            patience,
            naming_seconds,
        )
        can_fork = sys.platform == "linux" if fork is None else fork
        gc.disable()  # nothing that is imported is garbage, and looking for it takes a tenth of the time
        launchers = {
            framework: _launcher(framework == "numpy", can_fork, namespaces)
            for framework in sorted(set(frameworks))  # "numpy" comes before "torch"
        }
        # Only now: workers are not to be forked with the checking kit loaded.
        import_torch()
        from grader.judge.judging import grade
        from grader.judge.workers.starting import Starter

        self._grade = grade
        self._starters = {framework: Starter(launcher) for framework, launcher in launchers.items()}
        gc.freeze()
        gc.enable()

    def grade(
        self, topic: Topic, path: Path, listener: "Listener | None" = None, seed: int | None = None
    ) -> "Verdict":
        """The verdict on the file at `path` as an answer to the topic. `seed` is that of the second round, by
        default a new one.
        """
        return self._grade(topic, path, self._starters[topic.framework], self._limits, listener, seed)

    def make_ready(self, topic: Topic) -> None:
        """Begin what the next answer to the topic will need, so that its verdict comes sooner. For whoever
        waits for one, and is likely to: it is for nothing if another topic comes.
        """
        from grader.judge.checks.reading import read_checks
        from grader.judge.checks.setup import setup_for

        self._starters[topic.framework].make_ready(setup_for(topic, read_checks(topic)))

    def walls(self) -> Wall:
        """What stands around every worker of this judge."""
        return reduce(and_, (starter.walls() for starter in self._starters.values()))

    def case(self, topic: Topic, path: Path) -> "str | None":
        """A script that shows the smallest case in which the file fails; None where it fails in none."""
        from grader.judge.case.finding import find_case

        return find_case(topic, path, self._starters[topic.framework], self._limits)

    def rehearse(self, topic: Topic) -> "Iterator[Rehearsed]":
        """Whether each known mistake of the topic is rejected and named, in their order."""
        from grader.judge.diagnosis.rehearsal import rehearse

        return rehearse(topic, self._starters[topic.framework], self._limits)

    def close(self) -> None:
        """End every process that was started."""
        for starter in self._starters.values():
            starter.close()

    def __enter__(self) -> "Judge":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _launcher(without_torch: bool, can_fork: bool, namespaces: bool) -> "Launcher":
    from grader.judge.workers.launch import ForkLauncher, SpawnLauncher

    if not without_torch:
        import_torch().set_num_threads(1)
    if can_fork and not (without_torch and "torch" in sys.modules):
        return ForkLauncher(hidden_folders(), namespaces)
    return SpawnLauncher(hidden_folders(), without_torch)
