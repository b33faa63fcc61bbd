"""A warm judge for programs that do not load torch: verdicts come from a server process that stays."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from grader.catalog import PROJECT
from grader.judge.verdict import Verdict


class JudgeFault(RuntimeError):
    """The judge itself failed; the message is its traceback."""


class RemoteJudge:
    """Grades like `grader.judge.session.Judge`, in a process of its own. Options are that class's."""

    def __init__(self, **options: Any) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "grader.judge.server", json.dumps(options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=PROJECT,
            text=True,
            start_new_session=True,  # Ctrl-C is for the program in front
        )

    @property
    def pid(self) -> int:
        """The server's process, to be watched."""
        return self._process.pid

    def grade(self, topic_id: str, path: Path) -> Verdict:
        """The verdict on the file at `path` as an answer to the topic."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"topic": topic_id, "file": str(path)}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise JudgeFault(f"the judge ended with status {self._process.wait()}")
        reply = json.loads(line)
        if "fault" in reply:
            raise JudgeFault(reply["fault"])
        return Verdict.from_json(line)

    def close(self) -> None:
        """End the server and wait for it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def __enter__(self) -> "RemoteJudge":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
