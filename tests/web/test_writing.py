"""What is typed on the page, and what is in the file: nothing of it is lost."""

import pytest
from driving import ALL_PASSED
from web.answers import NAN, RIGHT
from web.browser import Browser, missing
from web.serving import Served

pytestmark = [
    pytest.mark.skipif(missing() != "", reason=missing() or "there is a browser"),
    pytest.mark.xdist_group("page"),
]


def test_whatever_an_answer_does_the_page_goes_on(browser: Browser, served: Served) -> None:
    browser.edit(f"{served.base}/topic/softmax")
    exits = NAN.replace("exps = torch.exp(x)", "import os; os._exit(1)")
    browser.type_answer(exits, then="enter")
    browser.reads("CRASH")
    browser.type_answer("print('y' * 200_000_000)\n" + NAN, then="enter")
    browser.reads("FAIL", "Your output (last lines)")
    browser.until(lambda: "grading …" not in browser.text, "It grades for ever.")
    places = browser.places()
    browser.type_answer(NAN.replace("exps = torch.exp(x)", "while True: pass"), then="enter")
    browser.reads("grading …")
    assert browser.places() == places
    browser.type_answer(RIGHT, then="enter")  # an endless loop is given up for what is newer
    browser.reads(ALL_PASSED, "Compare with the reference")
    begun = "const sign = document.querySelector('.waiting'); sign.classList.add('on');"
    at_first = "const seen = getComputedStyle(sign).visibility; sign.classList.remove('on'); return seen"
    assert browser.driver.execute_script(f"{begun} {at_first}") == "hidden"  # of what is graded at once


def settled(browser: Browser, text: str) -> bool:
    """Whether the page takes this for what the file holds, and what is typed for nothing else."""
    state = "return [byheart.base, document.querySelector('[role=status]').innerText]"
    return browser.typed() == text and browser.driver.execute_script(state) == [text, "saved"]


def test_the_file_is_the_truth_and_nothing_is_overwritten(browser: Browser, served: Served) -> None:
    file = served.exercise("softmax")
    browser.edit(f"{served.base}/topic/softmax")
    first = browser.driver.current_window_handle
    file.write_text(NAN, encoding="utf-8")
    browser.reads("changed elsewhere", "FAIL")
    assert browser.typed() == NAN
    browser.driver.switch_to.new_window("tab")
    browser.edit(f"{served.base}/topic/softmax")
    browser.reads("FAIL")
    browser.type_answer(RIGHT)
    browser.reads("not saved")
    browser.driver.switch_to.window(first)
    browser.type_answer("# of the first tab\n" + NAN, then="s")
    browser.until(lambda: file.read_text(encoding="utf-8").startswith("# of the first"), "It is not saved.")
    browser.driver.switch_to.window(browser.driver.window_handles[1])
    browser.reads("have both changed", "-# of the first tab")
    assert browser.typed() == RIGHT
    browser.press("Keep what I typed")
    browser.until(lambda: file.read_text(encoding="utf-8") == RIGHT, "It is not in the file.")
    browser.until(lambda: settled(browser, RIGHT), "The page does not know that it is settled.")
    browser.reads(ALL_PASSED)
    browser.type_answer("# in the second tab\n" + RIGHT)
    browser.reads("not saved")
    file.write_text(NAN, encoding="utf-8")
    browser.press("Take the file")
    browser.until(lambda: settled(browser, NAN), "The page does not know that the file is taken.")
    browser.type_answer(RIGHT, then="s")
    browser.reads(ALL_PASSED)
    browser.driver.close()
    browser.driver.switch_to.window(first)
    browser.until(lambda: browser.typed() == RIGHT, "The first tab does not follow.")
    browser.press("History")
    browser.reads("saved, not graded")  # what was in the file


def test_what_is_typed_while_the_server_answers_stays(browser: Browser, served: Served) -> None:
    file = served.exercise("softmax")
    file.write_text(RIGHT, encoding="utf-8")
    browser.edit(f"{served.base}/topic/softmax")
    browser.reads(ALL_PASSED)
    late = (
        "const emit = socket.emit; socket.emit = (...all) => setTimeout(() => emit.apply(socket, all), 3000);"
    )
    browser.driver.execute_script(late)
    typed = "# on its way\n" + RIGHT
    browser.type_answer(typed)
    file.write_text("# 🙂\n" + NAN, encoding="utf-8")
    browser.reads("have both changed", "FAIL")
    assert browser.typed() == typed
    browser.press("Take the file")
    browser.until(lambda: settled(browser, "# 🙂\n" + NAN), "The page does not know that the file is taken.")
    file.write_text("# 🙃\n" + RIGHT, encoding="utf-8")
    browser.reads("changed elsewhere", ALL_PASSED)
    assert settled(browser, "# 🙃\n" + RIGHT)


def test_a_file_that_is_away_is_said_to_be_and_seen_when_it_comes_back(
    browser: Browser, served: Served
) -> None:
    file = served.exercise("rope")
    away = file.with_suffix(".away")
    browser.edit(f"{served.base}/topic/rope")
    blank = file.read_text(encoding="utf-8")
    file.rename(away)
    browser.reads("rope.py is not there", "not saved")
    assert browser.typed() == blank
    away.rename(file)
    browser.until(lambda: settled(browser, blank), "It is not seen that it is back.")
    assert "is not there" not in browser.text
    file.rename(away)
    browser.reads("rope.py is not there")
    browser.press("Save")
    browser.until(file.exists, "It is not written anew.")
    browser.until(lambda: settled(browser, blank), "The page does not know that it is written.")
    file.write_text("x = 1\n", encoding="utf-8")
    browser.until(lambda: browser.typed() == "x = 1\n", "The change does not appear.")
    file.rename(away)
    browser.edit(f"{served.base}/topic/rope")  # which makes a blank one
    browser.until(lambda: settled(browser, blank), "There is no blank exercise.")
    away.rename(file)
    browser.until(lambda: settled(browser, "x = 1\n"), "What came back does not appear.")


def test_what_the_page_puts_into_the_file_is_no_change_from_elsewhere(
    browser: Browser, served: Served
) -> None:
    file = served.exercise("softmax")
    typed = "# only typed\n" + RIGHT
    browser.edit(f"{served.base}/topic/softmax")
    browser.type_answer(RIGHT, then="enter")
    browser.reads(ALL_PASSED)
    browser.type_answer(typed)
    browser.reads("not saved")
    browser.press("Start afresh")
    browser.reads("Make the exercise blank again?")
    browser.press("No")
    browser.press("Start afresh")
    assert file.read_text(encoding="utf-8") == RIGHT and browser.typed() == typed
    browser.press("Yes")
    browser.reads("The exercise is blank again. What was there is in the history.")
    blank = file.read_text(encoding="utf-8")
    assert "raise NotImplementedError" in blank
    browser.until(lambda: settled(browser, blank), "The editor does not follow.")
    browser.press("History")
    back = (
        "const entries = [...document.querySelectorAll('details')];"
        "const entry = entries.find((each) => each.textContent.includes('+# only typed'));"
        "entry.open = true; entry.querySelector('button').click();"
    )
    browser.until(lambda: (browser.driver.execute_script(back), True), "It is not in the history.")
    browser.until(lambda: settled(browser, typed), "It is not brought back.")
    browser.reads(ALL_PASSED)
    assert "elsewhere" not in browser.text and "both changed" not in browser.text


def test_to_blank_what_is_blank_holds_nothing_up(browser: Browser, served: Served) -> None:
    browser.edit(f"{served.base}/topic/softmax")
    done = "The exercise is blank again."
    for _ in range(2):
        browser.press("Start afresh")
        browser.press("Yes")
        browser.reads(done)
        browser.until(
            lambda: done not in browser.text, "It is said for ever."
        )  # or the next was the last one
    served.exercise("softmax").write_text(NAN, encoding="utf-8")
    browser.reads("changed elsewhere")
    browser.until(lambda: settled(browser, NAN), "The change does not appear.")


def test_what_is_typed_outlives_the_server(browser: Browser, served: Served) -> None:
    served.exercise("softmax").write_text(RIGHT, encoding="utf-8")
    browser.edit(f"{served.base}/topic/softmax")
    browser.type_answer("# typed, not saved\n" + RIGHT)
    browser.reads("not saved")
    kept = "return Object.values(localStorage).some(text => text.includes('# typed, not saved'))"
    browser.until(lambda: browser.driver.execute_script(kept), "It is not kept.")
    served.kill()
    browser.reads("Connection lost", "What you typed is kept", "start it again")
    served.begin()
    browser.reads("What you typed before is here again")
    assert browser.typed() == "# typed, not saved\n" + RIGHT
    assert served.exercise("softmax").read_text(encoding="utf-8") == RIGHT
    browser.press("Save")
    browser.reads(ALL_PASSED)


def test_nothing_can_be_typed_that_a_draft_would_overwrite(browser: Browser, served: Served) -> None:
    noted = (
        "const get = Storage.prototype.getItem; window.editable = [];"
        "Storage.prototype.getItem = function (key) { if (key.startsWith('byheart:'))"
        " window.editable.push(document.querySelector('.cm-content')?.contentEditable);"
        " return get.call(this, key); };"
    )
    devtools = browser.driver.execute_cdp_cmd
    script = devtools("Page.addScriptToEvaluateOnNewDocument", {"source": noted})
    try:
        browser.edit(f"{served.base}/topic/softmax")
        browser.type_answer(RIGHT)  # once it can be typed
        assert browser.driver.execute_script("return window.editable") == ["false"]
    finally:
        devtools("Page.removeScriptToEvaluateOnNewDocument", script)
