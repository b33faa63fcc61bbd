"""A running `watch`."""

import contextlib
import os
import re
import sys
import termios
import time
from pathlib import Path

import pexpect
import psutil
from driving import PROJECT, has_ended, progress_in

from grader.practice.record.attempts import Attempt

RIGHT = (PROJECT / "tests/golden/softmax/solved.py").read_text(encoding="utf-8")
WRONG = (PROJECT / "tests/golden/softmax/nan.py").read_text(encoding="utf-8")
COMMAND = ["-m", "grader", "watch"]
SOFTMAX = "exercises/foundations/softmax.py"
SECONDS = 60.0
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


class Terminal:
    """A running `watch` in a pseudo-terminal."""

    def __init__(self, root: Path, *arguments: str, **variables: str) -> None:
        self.root = root
        self.process = pexpect.spawn(
            sys.executable,
            [*COMMAND, *arguments],
            cwd=str(root),
            env={**ENVIRONMENT, "TERM": "xterm-256color", **variables},
            encoding="utf-8",
            timeout=30,
            dimensions=(40, 100),
        )
        self.process.delaybeforesend = None
        self.modes = termios.tcgetattr(self.process.child_fd)
        self.printed = ""
        self._mark = 0  # what was printed before the last key or save does not count

    def see(self, *texts: str) -> str:
        """Wait until these have been printed, in this order; gives all that is on the screen then."""
        pattern = re.compile(".*?".join(map(re.escape, texts)), re.DOTALL)
        latest = time.monotonic() + SECONDS
        while not pattern.search(plain(self.printed[self._mark :])):
            if not self._read() and time.monotonic() > latest:
                raise AssertionError(f"{texts} are not on the screen:\n{self.screen()}")
        return self.screen()

    def screen(self) -> str:
        """What is on the screen now, the line under the page included."""
        while self._read():
            pass
        page, *lines = self.printed.rpartition("\x1b[H\x1b[J")[2].split("\r\x1b[K")
        return plain("".join([page.rpartition("\n")[0], "\n", lines[-1]] if lines else page))

    def _read(self) -> bool:
        try:
            self.printed += self.process.read_nonblocking(65536, timeout=0.02).replace("\r\n", "\n")
        except pexpect.TIMEOUT:
            return False
        return True

    def press(self, key: str) -> None:
        self.screen()
        self._mark = len(self.printed)
        self.process.send(key)

    def save(self, text: str, file: str = SOFTMAX) -> None:
        self.screen()
        self._mark = len(self.printed)
        (self.root / file).write_text(text, encoding="utf-8")

    def wait_for_attempts(self, count: int) -> list[Attempt]:
        latest = time.monotonic() + 30
        while len(attempts := attempts_in(self.root)) < count and time.monotonic() < latest:
            time.sleep(0.02)
        assert len(attempts) == count
        return attempts

    def processes(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def quit(self) -> int:
        """Press q; the exit status."""
        self.press("q")
        return self.ended()

    def ended(self) -> int:
        """Its exit status, once it has ended and left the terminal as it was."""
        self.process.expect(pexpect.EOF)
        with contextlib.suppress(termios.error):
            assert termios.tcgetattr(self.process.child_fd) == self.modes
        self.process.close()
        assert self.process.exitstatus is not None
        return int(self.process.exitstatus)


def attempts_in(root: Path) -> list[Attempt]:
    return progress_in(root).attempts.of()


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [each for each in processes if not has_ended(each)]
