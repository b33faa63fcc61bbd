"""The learner's own editor: which one it is, and a file opened in it."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

# What has a window of its own leaves the terminal free. Of anything else that has to be assumed otherwise.
_WITH_WINDOW = {"atom", "charm", "code", "code-insiders", "codium", "cursor", "gedit", "gnome-text-editor"}
_WITH_WINDOW |= {
    "gvim",
    "idea",
    "kate",
    "kwrite",
    "mate",
    "mousepad",
    "mvim",
    "nova",
    "open",
    "pluma",
    "pycharm",
}
_WITH_WINDOW |= {"subl", "vscodium", "windsurf", "xdg-open", "xed", "zed"}
_WINDOW_SECONDS = 1.0
"""How long a program with a window is given to say that it cannot open one."""


class NoEditor(Exception):
    """No file can be opened; the message is a sentence for the learner."""


@dataclass(frozen=True)
class Editor:
    """A program that opens files, with its arguments."""

    command: tuple[str, ...]

    @property
    def needs_terminal(self) -> bool:
        """Whether it takes the terminal until it ends."""
        return Path(self.command[0]).name not in _WITH_WINDOW

    def open(self, path: Path) -> None:
        """Open the file; waits until an editor in the terminal ends. Raises NoEditor."""
        try:
            status = self._wait([*self.command, str(path)])
        except OSError as error:
            raise NoEditor(f"{self.command[0]} cannot be started: {error.strerror}.") from None
        if status != 0:
            raise NoEditor(f"{shlex.join(self.command)} ended with status {status}.")

    def _wait(self, command: list[str]) -> int:
        if not self.needs_terminal:
            window = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # it outlives this program
            )
            try:
                return window.wait(_WINDOW_SECONDS)
            except subprocess.TimeoutExpired:
                threading.Thread(target=window.wait, daemon=True).start()  # somebody has to, once it ends
                return 0
        # Ctrl-C is the editor's now. A handler, because a signal that is ignored stays so in the editor.
        before = signal.signal(signal.SIGINT, lambda *_: None)
        try:
            return subprocess.run(command).returncode
        finally:
            signal.signal(signal.SIGINT, before)


def chosen_editor(environment: Mapping[str, str] = os.environ) -> Editor:
    """What $VISUAL or $EDITOR names, VS Code in its own terminal, or the system's. Raises NoEditor."""
    for variable in ("VISUAL", "EDITOR"):
        named = environment.get(variable, "").strip()
        if named:
            return _named(variable, named)
    if environment.get("TERM_PROGRAM") == "vscode" and shutil.which("code"):
        return Editor(("code",))
    for name in ("vi", "nano"):
        if shutil.which(name) and sys.stdin.isatty():
            return Editor((name,))
    raise NoEditor("No editor is known. Name yours, for example: export VISUAL=nano")


def _named(variable: str, text: str) -> Editor:
    try:
        command = shlex.split(text)
    except ValueError as error:
        raise NoEditor(f"${variable} cannot be read ({error}): {text}") from None
    if not command or shutil.which(command[0]) is None:
        raise NoEditor(f"${variable} names an editor that is not there: {text}")
    return Editor(tuple(command))
