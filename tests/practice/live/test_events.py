"""Events: saves of every kind, keys, scripts, signals; and that the terminal is as it was before."""

import os
import pty
import signal
import termios
import threading
import time
import tty
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from grader.judge.verdict import Outcome, Verdict
from grader.practice.live.events import (
    Failed,
    Graded,
    GradingBegun,
    Key,
    Resized,
    Saved,
    Stopped,
    Tick,
)
from grader.practice.live.keyboard import keys
from grader.practice.live.script import ScriptError
from grader.practice.live.terminal_events import TerminalEvents

SECONDS = 5.0
VERDICT = Verdict("softmax", "softmax.py", Outcome.PASSED)
NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "softmax.py"
    path.write_text("before", encoding="utf-8")
    return path


@pytest.fixture
def events(file: Path) -> Iterator[TerminalEvents]:
    with TerminalEvents([file]) as events:
        time.sleep(0.2)  # until the folder is watched
        yield events


def saved(events: TerminalEvents, seconds: float = 0.3) -> list[Path]:
    """The files that are told to be saved, until nothing has happened for so long."""
    paths = []
    latest = time.monotonic() + seconds
    while time.monotonic() < latest:
        match events.next():
            case Saved(path):
                paths.append(path)
                latest = time.monotonic() + seconds
    return paths


def until(events: TerminalEvents, kind: type) -> object:
    latest = time.monotonic() + SECONDS
    while time.monotonic() < latest:
        if isinstance(event := events.next(), kind):
            return event
    raise AssertionError(f"no {kind.__name__} came")


# Saves


def test_a_save_is_told_at_once(file: Path, events: TerminalEvents) -> None:
    delays = []
    for text in ("1", "2", "3"):
        begun = time.monotonic()
        file.write_text(text, encoding="utf-8")
        assert until(events, Saved) == Saved(file)
        delays.append(time.monotonic() - begun)
    assert min(delays) < 0.15


def test_a_save_by_rename(file: Path, events: TerminalEvents) -> None:
    for text in ("1", "2"):
        other = file.with_name("4913~")
        other.write_text(text, encoding="utf-8")
        other.replace(file)
        assert saved(events) == [file]


def test_a_file_that_is_deleted_and_made_again(file: Path, events: TerminalEvents) -> None:
    file.unlink()
    assert saved(events) == []
    file.write_text("before", encoding="utf-8")
    assert saved(events) == []
    file.unlink()
    file.write_text("after", encoding="utf-8")
    assert saved(events) == [file]


def test_a_folder_that_is_deleted_and_made_again(tmp_path: Path) -> None:
    file = tmp_path / "attention" / "gqa.py"
    with TerminalEvents([file]) as events:
        for text in ("1", "2"):
            file.parent.mkdir()
            file.write_text(text, encoding="utf-8")
            assert saved(events, seconds=1.5) == [file]
            file.unlink()
            file.parent.rmdir()
            assert saved(events) == []


def test_the_same_content_is_nothing_new(file: Path, events: TerminalEvents) -> None:
    file.write_text("before", encoding="utf-8")
    os.utime(file)
    file.with_name("other.py").write_text("x", encoding="utf-8")
    assert saved(events, seconds=1.2) == []


def test_a_burst_ends_with_the_last_content(file: Path, events: TerminalEvents) -> None:
    for number in range(30):
        file.write_text(f"{number}", encoding="utf-8")
    assert set(saved(events)) == {file}
    file.write_text("29", encoding="utf-8")  # what was seen last
    assert saved(events) == []


def test_an_editor_that_empties_the_file_first(file: Path, events: TerminalEvents) -> None:
    with file.open("w", encoding="utf-8") as opened:
        time.sleep(0.06)
        opened.write("after")
    assert saved(events) == [file]


def test_without_notifications_files_are_looked_at(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_more_watches(*folders: Path, **options: object) -> None:
        raise OSError("OS file watch limit reached")

    monkeypatch.setattr("watchfiles.watch", no_more_watches)
    with TerminalEvents([file]) as events:
        time.sleep(0.2)
        file.write_text("after", encoding="utf-8")
        begun = time.monotonic()
        assert until(events, Saved) == Saved(file)
        assert time.monotonic() - begun < 0.5


def test_other_files_can_be_watched(file: Path, events: TerminalEvents, tmp_path: Path) -> None:
    other = tmp_path / "other" / "gqa.py"
    other.parent.mkdir()
    other.write_text("before", encoding="utf-8")
    events.watch([other])
    time.sleep(0.2)
    file.write_text("after", encoding="utf-8")
    assert saved(events) == []
    other.write_text("after", encoding="utf-8")
    assert saved(events) == [other]


# Time, signals, what is posted


def test_a_tick_comes_about_every_second_even_when_much_happens(events: TerminalEvents) -> None:
    begun = time.monotonic()
    while not isinstance(events.next(), Tick):
        events.post(Key("x"))
        time.sleep(0.001)
    assert 0.5 < time.monotonic() - begun < 2


def test_what_fails_in_the_background_is_raised(events: TerminalEvents) -> None:
    threading.Timer(0.1, events.post, [Failed(RuntimeError("the judge"))]).start()
    with pytest.raises(RuntimeError, match="the judge"):
        until(events, Stopped)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops(events: TerminalEvents, number: int) -> None:
    threading.Timer(0.1, os.kill, [os.getpid(), number]).start()
    assert isinstance(until(events, Stopped), Stopped)


def test_a_new_size_of_the_terminal(events: TerminalEvents) -> None:
    os.kill(os.getpid(), signal.SIGWINCH)
    assert until(events, Resized) == Resized()


def test_signals_are_handled_as_before_in_the_end(file: Path) -> None:
    numbers = (signal.SIGTERM, signal.SIGHUP, signal.SIGWINCH, signal.SIGTSTP, signal.SIGQUIT)
    before = [signal.getsignal(number) for number in numbers]
    with TerminalEvents([file]):
        assert [signal.getsignal(number) for number in numbers] != before
    assert [signal.getsignal(number) for number in numbers] == before


def test_a_signal_that_is_ignored_stays_so(file: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with TerminalEvents([file]):
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


# Keys


def test_keys_have_names() -> None:
    assert keys("hü1 \r\n") == ["h", "ü", "1", " ", "enter", "enter"]
    assert keys("\x1b[A\x1b[1;5Ca\x1bOPb\x1bxc\x1b\x04\x7f\t") == ["a", "b", "c"]
    assert keys("\x1b") == ["escape"]  # it says no where something is asked


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, int]]:
    """A pseudo-terminal that is standard input: both of its ends."""
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, closefd=False) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield ours, theirs
    for descriptor in (ours, theirs):
        os.close(descriptor)


def test_keys_come_from_the_terminal_and_its_modes_are_put_back(terminal: tuple[int, int]) -> None:
    ours, theirs = terminal
    before = termios.tcgetattr(theirs)
    os.write(ours, b"a")  # typed ahead
    with pytest.raises(KeyboardInterrupt), TerminalEvents([]) as events:
        assert termios.tcgetattr(theirs)[tty.LFLAG] & (termios.ICANON | termios.ECHO) == 0
        os.write(ours, b"h\r")
        assert [until(events, Key) for _ in range(3)] == [Key("a"), Key("h"), Key("enter")]
        with events.handed_over():
            assert termios.tcgetattr(theirs) == before
            os.write(ours, b"for the editor\n")
            assert os.read(theirs, 100) == b"for the editor\n"
        assert isinstance(until(events, Resized), Resized)
        os.write(ours, b"q")
        assert until(events, Key) == Key("q")
        raise KeyboardInterrupt
    assert termios.tcgetattr(theirs) == before


# Scripts


def script(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_a_script_saves_waits_for_the_verdict_and_goes_on(file: Path, tmp_path: Path) -> None:
    (tmp_path / "answer.py").write_text("copied", encoding="utf-8")
    answers = script(
        tmp_path, '{"save": "new"}', '{"key": "h"}', "", '{"save": "new"}', '{"wait": 90}',
        f'{{"copy": "{tmp_path}/answer.py", "file": "softmax"}}',
    )  # fmt: skip
    seen = []
    with TerminalEvents([file], answers) as events:
        while not seen or not isinstance(seen[-1], Stopped):
            seen.append(events.next())
            if isinstance(seen[-1], Saved):
                assert file.read_text(encoding="utf-8") in ("new", "copied")
                events.post(GradingBegun())
                threading.Timer(0.2, events.post, [Graded(file, b"", VERDICT, NOW)]).start()
    assert [event for event in seen if event != Tick()] == [
        Saved(file), Graded(file, b"", VERDICT, NOW), Key("h"), Tick(90),
        Saved(file), Graded(file, b"", VERDICT, NOW), Stopped("end of script"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    ["x", "[]", "{}", '{"key": "hh"}', '{"wait": -1}', '{"save": 1}', '{"save": "", "file": 1}',
     '{"save": "", "key": "h"}', '{"copy": "/nowhere"}'],
)  # fmt: skip
def test_a_script_that_cannot_be_followed_names_its_line(file: Path, tmp_path: Path, line: str) -> None:
    with pytest.raises(ScriptError, match=r"answers\.jsonl, line 2: "):
        TerminalEvents([file], script(tmp_path, '{"key": "h"}', line))


def test_a_script_for_an_exercise_that_is_not_open(file: Path, tmp_path: Path) -> None:
    answers = script(tmp_path, '{"save": "", "file": "gqa"}')
    with (
        pytest.raises(ScriptError, match="line 1: no exercise gqa is open"),
        TerminalEvents([file], answers) as events,
    ):
        events.next()


def test_no_script_at_all(file: Path, tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match="cannot be read"):
        TerminalEvents([file], tmp_path / "nowhere.jsonl")
