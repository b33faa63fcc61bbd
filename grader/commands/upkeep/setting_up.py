"""Makes `.venv` and installs what byheart needs: a script that `make` runs with any Python, before there is
anything of ours to import.

The stamp goes before anything is installed and comes back when all is, so an interruption is made up for. The
lock on the Makefile keeps two terminals apart; it is released when the last process that holds it ends.
"""

import fcntl
import os
import platform
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

STAMP, LOG, PYTHON = ".venv/installed", ".venv.log", ".venv/bin/python"
NEEDED = ("pyproject.toml", "constraints.txt")
WHAT = ("-e", ".[dev]", "-c", "constraints.txt")

BIG_BUILD = """\
PyTorch's usual build for Linux has CUDA in it: 2.7 GB to download, 5 GB on
disk. Without a GPU its CPU build does the same, with 0.2 GB. To have that one,
press Ctrl-C, look up its index (PyTorch's page "Start locally", CPU), then:
  PIP_EXTRA_INDEX_URL=INDEX make list
Or install uv, with which make takes the fitting build. The usual one comes now.
"""
CONFIGURED = """\
pip's configuration on this machine decides which build of PyTorch comes: the
one for CPUs has 0.2 GB, the one with CUDA 2.7 GB.
"""

_CONFIGURES = re.compile(r"\.(index-url|extra-index-url|find-links|no-index)=")
_LARGE = re.compile(r"\d{3}(\.\d+)? ?Mi?B|GB|GiB")  # without a terminal, only these are told
_STEPS = re.compile(r"\s*(Collecting|Downloading|Installing|Building|Preparing|Prepared|Resolved|Using)\b.*")
_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")  # pip's, of what it downloads


def main() -> None:
    """Set up, unless that was done meanwhile."""
    with open("Makefile") as lock, open(LOG, "a", encoding="utf-8") as log:
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("Another make is setting up .venv: waiting for it ...")
                fcntl.flock(lock, fcntl.LOCK_EX)
            if not is_set_up():
                log.truncate(0)
                SettingUp(lock, log).do()
        except KeyboardInterrupt:
            sys.exit("Interrupted; the next make sets up again.")


def is_set_up() -> bool:
    """Whether all that is needed is installed."""
    try:
        made_from = max(os.path.getmtime(path) for path in (PYTHON, *NEEDED))
        return os.path.getmtime(STAMP) >= made_from
    except FileNotFoundError:
        return False


def say(sentence: str) -> None:
    """To the learner, at once."""
    print(sentence, file=sys.stderr, flush=True)


class SettingUp:
    """One run. Programs hold the lock as long as they live."""

    def __init__(self, lock: TextIO, log: TextIO) -> None:
        self._lock = lock
        self._log = log

    def do(self) -> None:
        """Make the environment and install into it; ends the program where that fails."""
        say(f"Setting up .venv (once; everything that happens goes to {LOG}) ...")
        if os.path.exists(STAMP):
            os.remove(STAMP)
        usable = self._works(PYTHON, "-c", "import pip, sys; sys.exit(sys.version_info < (3, 11))")
        if not usable and not self._works(sys.executable, "-m", "venv", "--clear", ".venv"):
            venv = "install its venv module (Debian, Ubuntu: python3-venv)"
            sys.exit(f"{sys.executable} cannot make .venv: {venv}. See {LOG}")
        if not self._installs(self._installer()):
            again = "check the network and the space on disk, then run make again"
            sys.exit(f"Setting up failed: {again}. What went wrong is at the end of {LOG}")
        # Every command starts sooner, also where Python is told to write no bytecode.
        self._works(PYTHON, "-m", "compileall", "-q", "grader")
        open(STAMP, "w").close()

    def _installer(self) -> list[str]:
        """The command that installs; says before what it will download, where that is much."""
        has_torch = self._works(PYTHON, "-c", "import importlib.util as u; u.find_spec('torch') or exit(1)")
        if is_pip_configured():
            if not has_torch and sys.platform == "linux":
                say(CONFIGURED.rstrip())
        elif has_uv():
            return ["uv", "pip", "install", "--python", PYTHON, "--torch-backend=auto", *WHAT]
        elif not has_torch and sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64"):
            say(BIG_BUILD.rstrip())
        pip = [PYTHON, "-m", "pip", "install"]
        told = subprocess.run([*pip, "--help"], capture_output=True, text=True).stdout
        return [*pip, *(["--progress-bar=raw"] if "raw" in told else []), *WHAT]

    def _works(self, *command: str) -> bool:
        try:
            done = subprocess.run(command, stdout=self._log, stderr=self._log, pass_fds=[self._lock.fileno()])
        except OSError:
            return False
        return done.returncode == 0

    def _installs(self, command: list[str]) -> bool:
        with (
            shown_progress() as progress,
            subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                pass_fds=[self._lock.fileno()],
            ) as installing,
        ):
            assert installing.stdout is not None
            for line in installing.stdout:
                if not progress.take(line):
                    self._log.write(line)
                    self._log.flush()
        return installing.returncode == 0


class Progress:
    """What an installer is doing, on one line that moves; without a terminal, a line for each large step."""

    def __init__(self) -> None:
        self.step = "starting"
        self.share = ""
        self._since = time.monotonic()

    def take(self, line: str) -> bool:
        """A line that the installer printed; gives whether it only tells how far a download is."""
        if found := _PROGRESS.match(line):
            done, of = (int(number) / 2**20 for number in found.groups())
            self.share = f", {done:.0f} of {of:.0f} MB" if of else ""
            return True
        if _STEPS.match(line):
            self.step, self.share = _short(line), ""
            if not sys.stderr.isatty() and _LARGE.search(self.step):
                say(f"  {self.step}")
        return False

    @property
    def line(self) -> str:
        """How long it takes by now, and what it does."""
        seconds = int(time.monotonic() - self._since)
        sign = "|/-\\"[int(4 * time.monotonic()) % 4]
        return f"  {sign} {seconds // 60}:{seconds % 60:02d}  {self.step}{self.share}"


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """Progress that is painted while it lasts, where there is a terminal."""
    progress, is_over = Progress(), threading.Event()

    def paint() -> None:
        while not is_over.wait(0.2):
            width = shutil.get_terminal_size().columns - 1
            print(f"\r{progress.line[:width]}\x1b[K", end="", file=sys.stderr, flush=True)

    painter = threading.Thread(target=paint, daemon=True)
    if sys.stderr.isatty():
        painter.start()
    try:
        yield progress
    finally:
        is_over.set()
        if painter.ident is not None:
            painter.join()
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _short(line: str) -> str:
    """What an installer says it does, in a few words: no hosts, no long lists."""
    first, *rest = line.split()
    if first == "Installing":
        return f"installing {len(rest) - 2} packages" if "packages:" in rest else "installing"
    size = re.search(r"\(([\d.]+ ?[kKMG]i?B)", line)
    name = rest[0].rpartition("/")[2] if rest else ""
    return f"{first.lower()} {name}{f' ({size[1]})' if size else ''}"


def is_pip_configured() -> bool:
    """Whether pip is told where to take packages from, by a file or the environment: then it installs."""
    told = subprocess.run([PYTHON, "-m", "pip", "config", "list"], capture_output=True, text=True)
    return bool(_CONFIGURES.search(told.stdout))


def has_uv() -> bool:
    """Whether uv is there, and new enough to choose the build of PyTorch."""
    if shutil.which("uv") is None:
        return False
    told = subprocess.run(["uv", "pip", "install", "--help"], capture_output=True, text=True)
    return "--torch-backend" in told.stdout


if __name__ == "__main__":
    main()
