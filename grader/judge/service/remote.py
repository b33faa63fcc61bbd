"""A warm judge for programs that do not load torch: verdicts come from a server process that stays."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.curriculum.pack import PROJECT
from grader.curriculum.workspace import NAMED, current_workspace
from grader.judge.verdict import Rehearsed, Verdict

if TYPE_CHECKING:
    import psutil

KILL_SECONDS = 2.0
"""How long what a killed server leaves behind is given to tidy up."""


class JudgeFault(RuntimeError):
    """The judge itself failed; the message is its traceback."""


class RemoteJudge:
    """Grades like `grader.judge.session.Judge`, in a process of its own. Options are that class's; `around`
    is what begins the command of that process: a program that runs another one behind walls.
    """

    SERVER = ("-m", "grader.judge.service.server")
    """What the interpreter of that process is given."""

    def __init__(self, *, around: Sequence[str] = (), **options: Any) -> None:
        self._process = subprocess.Popen(
            [*around, sys.executable, *self.SERVER, json.dumps(options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=PROJECT,
            env={**os.environ, NAMED: str(current_workspace().root)},
            text=True,
            start_new_session=True,  # Ctrl-C is for the program in front
        )

    @property
    def pid(self) -> int:
        """The server's process, to be watched."""
        return self._process.pid

    def grade(
        self,
        topic_id: str,
        path: Path,
        checked: Callable[[Verdict], None] | None = None,
        passed_once: Callable[[Verdict], None] | None = None,
        seed: int | None = None,
        explained: bool = True,
    ) -> Verdict:
        """The verdict on the file at `path` as an answer to the topic.

        `checked` is called with the verdict as far as it is while a mistake is still looked for,
        `passed_once` with one that passes, before the second round; `seed` is that of this round, by default
        a new one. Where it need not be `explained`, no mistake is looked for, nor how far the answer is
        right.
        """
        request = {"topic": topic_id, "file": str(path), "seed": seed, "explained": explained}
        listening = {"checked": checked, "passed_once": passed_once}
        self._send(json.dumps(request))
        while True:
            line, reply = self._reply()
            told = next((name for name in listening if name in reply), None)
            if told is None:
                return Verdict.from_json(line)
            if (listen := listening[told]) is not None:
                listen(Verdict.from_json(reply[told]))

    def rehearse(self, topic_id: str) -> list[Rehearsed]:
        """Whether each known mistake of the topic is rejected and named, in their order."""
        self._send(json.dumps({"topic": topic_id}))
        return [Rehearsed(**each) for each in self._reply()[1]["rehearsed"]]

    def hurry(self) -> None:
        """Look for the mistake no longer: `grade` gives the verdict that `checked` was called with.

        From any thread, between that call and the end of `grade`.
        """
        self._send("")

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended: so there will be no answer
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()

    def _reply(self) -> tuple[str, dict[str, Any]]:
        """A line from the server, and what it says; a fault is raised."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise JudgeFault(f"the judge ended with status {self._process.wait()}")
        reply = json.loads(line)
        if "fault" in reply:
            raise JudgeFault(reply["fault"])
        return line, reply

    def close(self) -> None:
        """End the server and wait for it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def kill(self) -> None:
        """End the server and every process below it, whatever they are doing; `close` is still to be called.

        From any thread, also while another one waits for a verdict: that one gets a JudgeFault.
        """
        import psutil  # 30 ms

        below = []
        try:
            server = psutil.Process(self._process.pid)
            server.suspend()  # nothing is started any more
            below = server.children(recursive=True)
        except psutil.NoSuchProcess:
            pass
        finally:
            self._process.kill()
            self._process.wait()
        latest = time.monotonic() + KILL_SECONDS
        while (below := [process for process in below if _is_alive(process)]) and time.monotonic() < latest:
            time.sleep(0.005)  # without a judge they end by themselves
        for process in below:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()

    def __enter__(self) -> "RemoteJudge":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _is_alive(process: "psutil.Process") -> bool:
    """Whether it runs: one that has ended stays listed until its parent has asked for its status."""
    import psutil

    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
