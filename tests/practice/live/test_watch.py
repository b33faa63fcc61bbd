"""`watch` as people use it: in a terminal with keys, and without one."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pexpect
import psutil
import pytest
from driving import PROJECT, has_ended, progress_in

from grader.curriculum.catalog import load_catalog
from grader.practice.plan.standing import Standing, State
from grader.practice.plan.steps import following
from grader.practice.record.attempts import Attempt

RIGHT = (PROJECT / "tests/golden/softmax/solved.py").read_text(encoding="utf-8")
WRONG = (PROJECT / "tests/golden/softmax/nan.py").read_text(encoding="utf-8")
UNKNOWN = RIGHT + "\nsoftmax = lambda x, dim=-1: x.abs().neg()\n"  # no known mistake
ENDLESS = RIGHT + "\nwhile True:\n    pass\n"
COMMAND = ["-m", "grader", "watch"]
SOFTMAX = "exercises/foundations/softmax.py"
KEYS = "h hint   v all   l list   n next topic   r run again   e edit   q quit"
SECONDS = 60.0
NOW = datetime(2026, 3, 1, tzinfo=UTC)
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}


def _plain(text: str) -> str:
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
        while not pattern.search(_plain(self.printed[self._mark :])):
            if not self._read() and time.monotonic() > latest:
                raise AssertionError(f"{texts} are not on the screen:\n{self.screen()}")
        return self.screen()

    def screen(self) -> str:
        """What is on the screen now, the line under the page included."""
        while self._read():
            pass
        page, *lines = self.printed.rpartition("\x1b[H\x1b[J")[2].split("\r\x1b[K")
        return _plain("".join([page.rpartition("\n")[0], "\n", lines[-1]] if lines else page))

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


@pytest.fixture
def softmax(project: Path) -> Iterator[Terminal]:
    terminal = Terminal(project, "softmax")
    terminal.see("Every save of exercises/foundations/softmax.py is graded.")
    yield terminal
    terminal.process.close(force=True)


def attempts_in(root: Path) -> list[Attempt]:
    return progress_in(root).attempts.of()


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [each for each in processes if not has_ended(each)]


def test_what_follows_a_topic() -> None:
    topics = load_catalog().topics
    new = {topic.id: Standing(topic, State.NEW, False, False, None, None) for topic in topics}
    first, second, third, last = *topics[:3], topics[-1]
    assert following(new, None, NOW) == first
    assert following(new, last, NOW) == first
    assert following(new, first, NOW) == second
    known = {topic.id: Standing(topic, State.PASSED, True, False, None, None) for topic in topics}
    assert following({**new, second.id: known[second.id]}, first, NOW) == third
    assert following(known, last, NOW) == first
    failing = Standing(last, State.FAILING, False, True, None, None)
    assert following({**known, last.id: failing}, first, NOW) == last


# In a terminal


def test_every_save_is_graded_and_recorded(softmax: Terminal) -> None:
    softmax.save(WRONG)
    page = softmax.see("FAIL", "Your values are exactly those of this mistake:", "5 of 8 checks passed")
    assert page.startswith("softmax  Softmax and log-softmax") and SOFTMAX in page
    softmax.save(RIGHT)
    page = softmax.see("8 of 8 checks passed", "Next review: ")
    assert "FAIL" not in page
    softmax.save(RIGHT)  # the same content
    softmax.press("r")
    softmax.see("8 of 8 checks passed")
    assert softmax.quit() == 0
    attempts = attempts_in(softmax.root)
    assert [(each.mode, each.outcome, each.mistake) for each in attempts] == [
        ("watch", "failed", "no-max-subtracted"),
        ("watch", "passed", None),
        ("watch", "passed", None),
    ]
    source = attempts[0].source
    assert source and progress_in(softmax.root).attempts.source(source) == WRONG.encode()


def test_the_checks_are_shown_while_the_mistake_is_looked_for(softmax: Terminal) -> None:
    softmax.save(f"{UNKNOWN}print('unknown')\n")
    page = softmax.see("FAIL", "Looking for the mistake …", "checks passed")
    assert "unknown" in page and "grading …" in page
    softmax.save(WRONG)
    softmax.see("Your values are exactly those of this mistake:")
    softmax.save(UNKNOWN)
    softmax.see("Looking for the mistake …", "checks passed", "checks passed")
    assert "Looking" not in softmax.screen()
    assert [each.mistake for each in softmax.wait_for_attempts(3)] == [None, "no-max-subtracted", None]


def test_a_verdict_is_shown_soon_after_it_was_found(softmax: Terminal) -> None:
    """The promise is 0.3 s from save to verdict. What the judge takes of them depends on the machine."""
    waited = []
    for number in range(6):
        time.sleep(0.3)
        begun = time.monotonic()
        softmax.save(f"{RIGHT}\n# {number}\n")
        page = softmax.see("8 of 8 checks passed, ", " s.")
        took = time.monotonic() - begun
        waited.append(took - float(page.partition("checks passed, ")[2].partition(" s.")[0]))
    assert min(waited) < 0.2


def test_of_a_burst_of_saves_the_last_is_shown_and_kept(softmax: Terminal) -> None:
    for number in range(20):
        softmax.save(f"{WRONG}\n# {number}\n")
        time.sleep(0.01)
    softmax.save(RIGHT)
    page = softmax.see("8 of 8 checks passed")
    assert "FAIL" not in page
    source = attempts_in(softmax.root)[-1].source
    assert source and progress_in(softmax.root).attempts.source(source) == RIGHT.encode()


def test_hints_the_list_and_the_next_topic(softmax: Terminal) -> None:
    softmax.save(WRONG)
    softmax.see("5 of 8 checks passed")
    for level in (1, 2, 3, 3):
        softmax.press("h")
        page = softmax.see(f"hint {level} of 3")
        assert "FAIL" not in page
    softmax.press("r")
    softmax.see("5 of 8 checks passed")
    assert softmax.wait_for_attempts(2)[-1].hints == 3
    softmax.press("l")
    page = softmax.see("Foundations", "softmax", "failing", "Next: softmax, because")
    assert "checks passed" not in page
    softmax.press("n")
    softmax.see("Every save of exercises/foundations/activations.py is graded.")
    softmax.save(RIGHT)  # is watched no more
    shutil.copy(softmax.root / "solutions/foundations/activations.py", softmax.root / "exercises/foundations")
    softmax.see("activations  Activation functions", "checks passed")
    assert softmax.quit() == 0
    assert [each.topic for each in attempts_in(softmax.root)] == ["softmax", "softmax", "activations"]


def test_all_of_a_verdict_is_one_key_away(softmax: Terminal) -> None:
    softmax.save(WRONG)
    page = softmax.see("5 of 8 checks passed", "correct that, and save it")
    assert "NaN;" not in page and "pass  " not in page
    softmax.press("v")
    page = softmax.see("5 of 8 checks passed")
    assert page.count("values are NaN;") == 3 and page.count("  pass  ") == 5
    softmax.press("v")
    assert "NaN;" not in softmax.see("5 of 8 checks passed")
    assert softmax.quit() == 0


def test_an_answer_that_is_there_is_graded_at_once(project: Path) -> None:
    (project / SOFTMAX).write_text(RIGHT, encoding="utf-8")
    terminal = Terminal(project, "softmax")
    terminal.see("8 of 8 checks passed")
    assert terminal.quit() == 0


def test_an_endless_answer_holds_up_no_key_and_leaves_no_process(softmax: Terminal) -> None:
    softmax.save(RIGHT)
    softmax.see("8 of 8 checks passed")
    softmax.save(ENDLESS)
    softmax.see("grading … 1 s")
    softmax.press("h")
    softmax.see("hint 1 of 3", "grading …")
    processes = softmax.processes()
    assert processes
    begun = time.monotonic()
    assert softmax.quit() == 0
    assert time.monotonic() - begun < 2
    assert alive(processes) == []
    assert len(attempts_in(softmax.root)) == 1


def test_an_endless_answer_that_is_corrected_is_not_waited_for(softmax: Terminal) -> None:
    softmax.save(ENDLESS)
    softmax.see("grading … 1 s")
    begun = time.monotonic()
    softmax.save(RIGHT)
    softmax.see("8 of 8 checks passed")
    assert time.monotonic() - begun < 9  # it would take 10 s to find it endless
    assert [each.outcome for each in attempts_in(softmax.root)] == ["passed"]


def test_a_verdict_does_not_interrupt_reading(softmax: Terminal) -> None:
    softmax.save(f"import time\ntime.sleep(1)\n{RIGHT}")
    softmax.see("grading …")
    softmax.press("h")
    page = softmax.see("hint 1 of 3", "softmax is graded: it passes.")
    assert "checks passed" not in page
    softmax.press("r")
    softmax.see("8 of 8 checks passed")


def test_ctrl_c(softmax: Terminal) -> None:
    softmax.save(ENDLESS)
    softmax.see("grading …")
    processes = softmax.processes()
    softmax.press("\x03")
    assert softmax.ended() == 130
    assert alive(processes) == []


def test_a_closed_terminal_ends_it(softmax: Terminal) -> None:
    processes = [*softmax.processes(), psutil.Process(softmax.process.pid)]
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, softmax.process.child_fd)  # which closes what was there
    os.close(null)
    latest = time.monotonic() + 10
    while alive(processes) and time.monotonic() < latest:
        time.sleep(0.05)
    assert alive(processes) == []


def test_a_new_size_lays_the_verdict_out_anew(softmax: Terminal) -> None:
    softmax.save(RIGHT)
    wide = softmax.see("8 of 8 checks passed").splitlines()[0]
    softmax.press("x")
    softmax.process.setwinsize(40, 80)
    narrow = softmax.see("8 of 8 checks passed").splitlines()[0]
    assert (len(wide), len(narrow)) == (100, 80)


def test_without_colours(project: Path) -> None:
    (project / SOFTMAX).write_text(WRONG, encoding="utf-8")
    terminal = Terminal(project, "softmax", NO_COLOR="1")
    terminal.see("FAIL", "5 of 8 checks passed")
    assert re.search(r"\x1b\[[0-9;]*3[0-7]", terminal.printed) is None
    assert terminal.quit() == 0


def test_an_editor_gets_the_terminal_and_gives_it_back(project: Path, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text(f'#!/bin/sh\nstty -a > "{tmp_path}/modes"\nread line\necho "$line" >> "$2"\n')
    editor.chmod(0o755)
    (project / SOFTMAX).write_text(RIGHT, encoding="utf-8")
    terminal = Terminal(project, "softmax", VISUAL=f"{editor} --wait")
    terminal.see("8 of 8 checks passed")
    terminal.press("e")
    while not (tmp_path / "modes").exists():
        time.sleep(0.02)
    terminal.press("hq = 1\n")
    terminal.see("8 of 8 checks passed")
    modes = (tmp_path / "modes").read_text(encoding="utf-8")
    assert " icanon" in modes and " echo " in modes
    assert (project / SOFTMAX).read_text(encoding="utf-8").endswith("hq = 1\n")
    terminal.press("h")
    terminal.see("hint 1 of 3")
    assert terminal.quit() == 0


def test_an_editor_that_is_not_there(project: Path) -> None:
    terminal = Terminal(project, "softmax", VISUAL="no-such-editor -x")
    terminal.see("Every save of")
    terminal.press("e")
    terminal.see("$VISUAL names an editor that is not there: no-such-editor -x")
    assert terminal.quit() == 0


def test_all_exercises_are_watched(project: Path) -> None:
    terminal = Terminal(project)
    terminal.see("Every save of an exercise is graded.", "Next: softmax, because", f"Open {SOFTMAX}")
    time.sleep(0.3)  # until all folders are watched
    shutil.copy(project / "solutions/attention/gqa.py", project / "exercises/attention")
    page = terminal.see("gqa  Grouped-query attention", "checks passed")
    assert "softmax" not in page.splitlines()[0]
    terminal.press("h")
    terminal.see("gqa  Grouped-query attention: hint 1 of 3")
    assert terminal.quit() == 0


# Without a terminal


def plainly(root: Path, *arguments: str, steps: list[dict[str, object]]) -> subprocess.CompletedProcess[str]:
    """Run `watch` with a script, and nothing else to read from."""
    script = root / "answers.jsonl"
    script.write_text("".join(json.dumps(step) + "\n" for step in steps), encoding="utf-8")
    command = [sys.executable, *COMMAND, *arguments, "--answers", str(script)]
    return subprocess.run(
        command, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120
    )


def test_a_script_takes_the_place_of_keys_and_saves(project: Path) -> None:
    steps = [{"save": WRONG}, {"key": "h"}, {"save": RIGHT}, {"save": RIGHT}, {"save": WRONG}]
    done = plainly(project, "softmax", steps=steps)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout and KEYS not in done.stdout
    places = [done.stdout.index(text) for text in ("5 of 8", "hint 1 of 3", "8 of 8", "Next review: ")]
    assert places == sorted(places)
    assert [each.outcome for each in attempts_in(project)] == ["failed", "passed", "failed"]


def test_a_script_for_several_exercises(project: Path) -> None:
    solution = str(project / "solutions/attention/gqa.py")
    done = plainly(project, steps=[{"copy": solution, "file": "gqa"}, {"save": WRONG, "file": "softmax"}])
    assert (done.returncode, done.stderr) == (0, "")
    assert [(each.topic, each.outcome) for each in attempts_in(project)] == [
        ("gqa", "passed"),
        ("softmax", "failed"),
    ]


def test_progress_that_cannot_be_kept_is_told_under_the_verdict(project: Path) -> None:
    (project / ".practice").write_text("in the way", encoding="utf-8")
    done = plainly(project, "softmax", steps=[{"save": RIGHT}, {"key": "h"}, {"key": "h"}, {"key": "n"}])
    assert (done.returncode, done.stderr) == (0, "")
    assert "8 of 8 checks passed" in done.stdout
    assert "This attempt is not recorded: " in done.stdout
    assert "hint 2 of 3" in done.stdout and "This hint is not recorded: " in done.stdout


def test_damaged_progress_is_told_under_the_verdict(project: Path) -> None:
    (project / ".practice").mkdir()
    (project / ".practice/progress.db").write_bytes(b"no database" * 1000)
    done = plainly(project, "softmax", steps=[{"save": RIGHT}])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("is damaged") == 1
    assert len(attempts_in(project)) == 1


def test_a_script_that_cannot_be_followed_is_wrong_usage(project: Path) -> None:
    done = plainly(project, "softmax", steps=[{"kex": "h"}])
    assert (done.returncode, done.stdout) == (2, "")
    assert "answers.jsonl, line 1: " in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_judge_that_fails_is_a_fault_of_ours(project: Path) -> None:
    checks = project / "grader/topics/foundations/softmax/test_softmax.py"
    checks.write_text("raise RuntimeError('broken checks')", encoding="utf-8")
    done = plainly(project, "softmax", steps=[{"save": RIGHT}])
    assert done.returncode == 3
    assert "broken checks" in done.stderr


def test_it_goes_on_without_a_terminal_until_it_is_ended(project: Path) -> None:
    watch = subprocess.Popen(
        [sys.executable, *COMMAND, "softmax"],
        cwd=project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert watch.stdout is not None
    assert "softmax" in watch.stdout.readline()
    (project / SOFTMAX).write_text(RIGHT, encoding="utf-8")
    while "8 of 8 checks passed" not in watch.stdout.readline():
        assert watch.poll() is None
    children = psutil.Process(watch.pid).children(recursive=True)
    watch.send_signal(signal.SIGTERM)
    watch.communicate(timeout=20)
    assert watch.returncode == 0
    assert alive(children) == []


def test_it_loads_nothing_heavy_itself(project: Path) -> None:
    script = project / "answers.jsonl"
    script.write_text(json.dumps({"save": RIGHT}) + '\n{"key": "h"}\n{"key": "l"}\n', encoding="utf-8")
    command = [sys.executable, "-X", "importtime", *COMMAND, "softmax", "--answers", str(script)]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=120)
    modules = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert done.returncode == 0 and "grader.practice.live.watch" in modules
    assert modules & {"torch", "numpy", "pytest"} == set()
