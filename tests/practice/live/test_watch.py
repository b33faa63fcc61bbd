"""`watch` in a terminal."""

import os
import re
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path

import psutil
from driving import ALL_BUT_THREE_PASSED, ALL_PASSED, progress_in
from practice.live.watching import RIGHT, SOFTMAX, WRONG, Terminal, alive, attempts_in

from grader.curriculum.catalog import load_catalog
from grader.practice.plan.standing import Standing, State
from grader.practice.plan.steps import following

UNKNOWN = RIGHT + "\nsoftmax = lambda x, dim=-1: x.abs().neg()\n"  # no known mistake
ENDLESS = RIGHT + "\nwhile True:\n    pass\n"
NOW = datetime(2026, 3, 1, tzinfo=UTC)


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
    page = softmax.see("FAIL", "Your values are exactly those of this mistake:", ALL_BUT_THREE_PASSED)
    assert page.startswith("softmax  Softmax and log-softmax") and SOFTMAX in page
    softmax.save(RIGHT)
    page = softmax.see(ALL_PASSED, "Next review: ")
    assert "FAIL" not in page
    softmax.save(RIGHT)  # the same content
    softmax.press("r")
    softmax.see(ALL_PASSED)
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
        page = softmax.see(f"{ALL_PASSED}, ", " s.")
        took = time.monotonic() - begun
        waited.append(took - float(page.partition("checks passed, ")[2].partition(" s.")[0]))
    assert min(waited) < 0.2


def test_of_a_burst_of_saves_the_last_is_shown_and_kept(softmax: Terminal) -> None:
    for number in range(20):
        softmax.save(f"{WRONG}\n# {number}\n")
        time.sleep(0.01)
    softmax.save(RIGHT)
    page = softmax.see(ALL_PASSED)
    assert "FAIL" not in page
    source = attempts_in(softmax.root)[-1].source
    assert source and progress_in(softmax.root).attempts.source(source) == RIGHT.encode()


def test_hints_the_list_and_the_next_topic(softmax: Terminal) -> None:
    softmax.save(WRONG)
    softmax.see(ALL_BUT_THREE_PASSED)
    for level in (1, 2, 3, 3):
        softmax.press("h")
        page = softmax.see(f"hint {level} of 3", *["Next: press h for the next hint"][: level < 3])
        assert "FAIL" not in page
    softmax.press("r")
    softmax.see(ALL_BUT_THREE_PASSED)
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
    page = softmax.see(ALL_BUT_THREE_PASSED, "look at line 5, and save it")
    assert "NaN;" not in page and "pass  " not in page
    softmax.press("v")
    page = softmax.see(ALL_BUT_THREE_PASSED)
    assert page.count("  pass  ") == int(ALL_BUT_THREE_PASSED.split()[0])
    assert page.count("values are NaN;") == 3
    softmax.press("v")
    assert "NaN;" not in softmax.see(ALL_BUT_THREE_PASSED)
    assert softmax.quit() == 0


def test_an_answer_that_is_there_is_graded_at_once(project: Path) -> None:
    (project / SOFTMAX).write_text(RIGHT, encoding="utf-8")
    terminal = Terminal(project, "softmax")
    terminal.see(ALL_PASSED)
    assert terminal.quit() == 0


def test_an_endless_answer_holds_up_no_key_and_leaves_no_process(softmax: Terminal) -> None:
    softmax.save(RIGHT)
    softmax.see(ALL_PASSED)
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
    softmax.see(ALL_PASSED)
    assert time.monotonic() - begun < 9  # it would take 10 s to find it endless
    assert [each.outcome for each in attempts_in(softmax.root)] == ["passed"]


def test_a_verdict_does_not_interrupt_reading(softmax: Terminal) -> None:
    softmax.save(f"import time\ntime.sleep(1)\n{RIGHT}")
    softmax.see("grading …")
    softmax.press("h")
    page = softmax.see("hint 1 of 3", "softmax is graded: it passes.")
    assert "checks passed" not in page
    softmax.press("r")
    softmax.see(ALL_PASSED)


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
    wide = softmax.see(ALL_PASSED).splitlines()[0]
    softmax.press("x")
    softmax.process.setwinsize(40, 80)
    narrow = softmax.see(ALL_PASSED).splitlines()[0]
    assert (len(wide), len(narrow)) == (100, 80)


def test_without_colours(project: Path) -> None:
    (project / SOFTMAX).write_text(WRONG, encoding="utf-8")
    terminal = Terminal(project, "softmax", NO_COLOR="1")
    terminal.see("FAIL", ALL_BUT_THREE_PASSED)
    assert re.search(r"\x1b\[[0-9;]*3[0-7]", terminal.printed) is None
    assert terminal.quit() == 0


def test_an_editor_gets_the_terminal_and_gives_it_back(project: Path, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text(f'#!/bin/sh\nstty -a > "{tmp_path}/modes"\nread line\necho "$line" >> "$2"\n')
    editor.chmod(0o755)
    (project / SOFTMAX).write_text(RIGHT, encoding="utf-8")
    terminal = Terminal(project, "softmax", VISUAL=f"{editor} --wait")
    terminal.see(ALL_PASSED)
    terminal.press("e")
    while not (tmp_path / "modes").exists():
        time.sleep(0.02)
    terminal.press("hq = 1\n")
    terminal.see(ALL_PASSED)
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
