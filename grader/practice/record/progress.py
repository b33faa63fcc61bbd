"""A learner's progress: all that is kept between two commands."""

import sys
from collections.abc import Callable
from dataclasses import dataclass

from grader.curriculum.workspace import Workspace, current_workspace
from grader.practice.record.attempts import Attempts
from grader.practice.record.choices import Choices
from grader.practice.record.database import Database
from grader.practice.record.reviews import Reviews
from grader.practice.record.sessions import Sessions


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr)


@dataclass(frozen=True)
class Progress:
    """What is kept in `.practice/progress.db`. Where that file cannot be used, methods raise
    `ProgressUnavailable`, whose message is a sentence.
    """

    database: Database
    attempts: Attempts
    reviews: Reviews
    sessions: Sessions
    choices: Choices


def open_progress(workspace: Workspace | None = None, told: Callable[[str], None] = _say) -> Progress:
    """The progress kept in a workspace (the current one). Nothing is written before something is recorded;
    `told` gets a sentence when a damaged file was set aside.
    """
    database = Database((workspace or current_workspace()).practice / "progress.db", told)
    return Progress(database, Attempts(database), Reviews(database), Sessions(database), Choices(database))
