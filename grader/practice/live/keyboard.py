"""Single keys from the terminal, read in the background."""

import codecs
import contextlib
import os
import re
import select
import sys
import termios
import threading
import tty
from collections.abc import Callable
from typing import Any

from grader.practice.live import left_modes

_ESCAPE = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|O.|.)?", re.DOTALL)
"""What arrows, function keys and Alt with a key send; Escape sends but its beginning."""
_NAMES = {"\r": "enter", "\n": "enter", "\x1b": "escape"}


class Keyboard:
    """Gives each key to `pressed` while it is taken: its character, "enter" or "escape". `gone` is told when
    the terminal is closed. Nothing happens where standard input is no terminal.
    """

    def __init__(self, pressed: Callable[[str], None], gone: Callable[[str], None]) -> None:
        self._pressed = pressed
        self._gone = gone
        self._modes: list[Any] | None = None
        self._thread: threading.Thread | None = None
        self._wake = -1

    def take(self) -> None:
        """Read keys from now on."""
        if self._thread is not None or not sys.stdin.isatty():
            return
        terminal = sys.stdin.fileno()
        self._modes = termios.tcgetattr(terminal)
        left_modes.keep(terminal, self._modes)
        tty.setcbreak(terminal, termios.TCSANOW)  # what was typed ahead is not lost
        wake, self._wake = os.pipe()
        self._thread = threading.Thread(target=self._read, args=(terminal, wake), daemon=True)
        self._thread.start()

    def release(self, for_good: bool = False) -> bool:
        """Read no more and put the terminal's modes back; says whether it was taken. `for_good`, keys that
        were not read are dropped: they were meant for what is over, and not for the shell.
        """
        thread, self._thread = self._thread, None
        if thread is None:
            return False
        os.close(self._wake)
        thread.join()
        assert self._modes is not None
        with contextlib.suppress(termios.error):  # the terminal is gone
            when = termios.TCSAFLUSH if for_good else termios.TCSANOW
            termios.tcsetattr(sys.stdin.fileno(), when, self._modes)
            left_modes.forget(sys.stdin.fileno())
        return True

    def _read(self, terminal: int, wake: int) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        try:
            while True:
                ready, _, _ = select.select([terminal, wake], [], [])
                if wake in ready:
                    return
                data = os.read(terminal, 1024)
                if not data:
                    break
                for key in keys(decoder.decode(data)):
                    self._pressed(key)
        except OSError:
            pass
        finally:
            os.close(wake)
        self._gone("the terminal was closed")


def keys(text: str) -> list[str]:
    """The keys that sent this text; those without a character of their own are left out, but for those that
    say yes or no.
    """
    characters = _ESCAPE.sub(lambda sent: sent[0] if sent[0] == "\x1b" else "", text)
    return [
        _NAMES.get(character, character)
        for character in characters
        if character in _NAMES or character.isprintable()
    ]
