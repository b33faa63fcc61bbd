"""The judge that stays with a process: started when it is first needed, ended with it."""

import atexit
import os
import signal
import tempfile
from pathlib import Path
from typing import Any

from grader.curriculum.catalog import Topic
from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Verdict

_judges: list[RemoteJudge] = []
"""The one that is running, or none."""


def start(**options: Any) -> None:
    """Start it now, in the place of one that runs; `options` are those of `grader.judge.session.Judge`."""
    end()
    _judges.append(RemoteJudge(**options))


def grade_source(topic: Topic, source: str, explained: bool = True) -> Verdict:
    """The verdict on a text as an answer to the topic; its file is one that is gone. See `RemoteJudge.grade`
    for `explained`.
    """
    return grade_data(topic, source.encode(errors="replace"), explained)


def grade_data(topic: Topic, data: bytes, explained: bool = True) -> Verdict:
    """The verdict on the content of a file as an answer to the topic."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{topic.id}.py")
        path.write_bytes(data)
        if not _judges:
            start()
        try:
            return _judges[0].grade(topic.id, path, explained=explained)
        except BaseException:
            # What it was about to say would be taken for the answer to the next question.
            end(at_once=True)
            raise


def end(at_once: bool = False) -> None:
    """End the judge, if there is one: after what it is doing, or (`at_once`) with its workers, now."""
    while _judges:
        judge = _judges.pop()
        if at_once:
            os.kill(judge.pid, signal.SIGKILL)
        judge.close()


atexit.register(end)
