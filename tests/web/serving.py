"""The page's server as `byheart open` starts it, in a workspace of its own."""

import re
import signal
import subprocess
from pathlib import Path

import psutil
from driving import PROJECT, command

from grader.curriculum.catalog import load_catalog
from grader.curriculum.workspace import Workspace
from grader.practice.update.generated import write_workspace

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)\S*\?token=\S+")


class Served:
    """One server after the other, in one workspace."""

    def __init__(self, root: Path) -> None:
        self.workspace = Workspace(root)
        self.catalog = load_catalog(workspace=self.workspace)
        write_workspace(self.catalog, self.workspace)
        self.addresses: list[str] = []
        """Those that the terminal showed, each with a token."""
        self.begin()

    def begin(self) -> None:
        """Start it, and wait until it is ready."""
        self.process = subprocess.Popen(
            command("--workspace", str(self.workspace.root), "open", "--no-browser"),
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addresses.append(self.next_address())

    def next_address(self) -> str:
        """The address that the terminal shows next."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := ADDRESS.search(line):
                return found[0]
        raise AssertionError("the server shows no address")

    @property
    def port(self) -> int:
        """Where it listens."""
        found = ADDRESS.search(self.addresses[-1])
        assert found is not None
        return int(found[1])

    @property
    def base(self) -> str:
        """The beginning of its addresses."""
        return f"http://127.0.0.1:{self.port}"

    def exercise(self, topic: str) -> Path:
        """The file of a topic."""
        return self.catalog[topic].exercise

    def below(self) -> list[psutil.Process]:
        """The processes that it has started."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def kill(self) -> None:
        """End it as a crash would."""
        self.process.kill()
        self._wait()

    def end(self) -> int:
        """End it with Ctrl-C; gives its exit status."""
        self.process.send_signal(signal.SIGINT)
        return self._wait()

    def _wait(self) -> int:
        status = self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status
