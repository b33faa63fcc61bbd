"""The page in a real browser: Debian's Chromium."""

import json
from datetime import date, timedelta

import pytest
from driving import PROJECT, byheart, progress_in
from web.answers import SDPA, UNSCALED
from web.browser import Browser, missing
from web.serving import Served

from grader.practice.timed.session_lock import session_lock

pytestmark = [
    pytest.mark.skipif(missing() != "", reason=missing() or "there is a browser"),
    pytest.mark.xdist_group("page"),  # one browser for all, in this order
]

ENTER = "\ue007"


def test_a_wrong_answer_is_explained_on_its_line_until_it_is_right(browser: Browser, served: Served) -> None:
    browser.edit(f"{served.base}/topic/sdpa")
    browser.reads("Scaled dot-product attention", "head_dim", "Every query has at least one key")
    browser.type_answer(UNSCALED, then="enter")
    browser.reads("FAIL", "exactly those of this mistake", "look at line")
    marked = "return document.querySelector('.cm-line.line-look')?.innerText ?? ''"
    browser.until(lambda: "scale = 1.0" in browser.driver.execute_script(marked), "No line is marked.")
    assert served.exercise("sdpa").read_text(encoding="utf-8") == UNSCALED
    browser.press("Hints")
    browser.press("One more hint")
    browser.reads("Hint 1 of 3")
    browser.type_answer(SDPA, then="s")
    browser.reads("pass 1", "Cost:", "Next review", "Next: ")
    assert browser.driver.execute_script(marked) == ""
    browser.press("History")
    browser.reads("watch, failed", "watch, passed")
    browser.press("Compare with the reference")
    browser.press("Show it beside my answer")
    browser.reads("Yours (left) and the reference", "lines of code")


def test_a_drill_from_its_beginning_to_the_next_date(browser: Browser, served: Served) -> None:
    served.exercise("rms_norm").write_text("x = 1\n", encoding="utf-8")
    browser.go(f"{served.base}/drill/rms_norm")
    minutes = browser.driver.find_element("css selector", "input[aria-label=Minutes]")
    for wrong in ("0", "2.5", "601"):
        minutes.send_keys("\ue009a\ue000" + wrong)
        browser.press("Begin")
        browser.reads("A whole number from 1 to 600.")
    minutes.send_keys("\ue009a\ue000" + "6")
    browser.press("Begin")
    browser.until(lambda: browser.typed() is not None, "There is no editor.")
    browser.reads("left", "saved", "What was in exercises/normalization/rms_norm.py is in the history")
    browser.until(lambda: browser.focused.startswith("Your answer"), "What is typed goes nowhere.")
    browser.look(400, 800)
    tops = "return [...document.querySelectorAll('.clock-bar .q-btn')].map((e) => e.offsetTop)"
    browser.until(lambda: len(set(browser.driver.execute_script(tops))) == 1, "They take several lines.")
    browser.look(1280, 900)
    browser.press("Hint")
    browser.until(lambda: browser.focused.startswith("Take a hint?"), "The focus is lost.")
    browser.press("Take a hint?")
    browser.reads("Hint 1 of 3")
    browser.press("Pause")
    in_a_terminal = byheart(PROJECT, "--workspace", str(served.workspace.root), "drill", "softmax")
    assert in_a_terminal.returncode == 1 and "or on the page" in in_a_terminal.stderr
    browser.press("Go on")
    browser.button("Pause")  # the clock runs again
    places = browser.places()
    browser.type_answer("import time\n\ntime.sleep(1)\n", then="s")
    browser.reads("grading …")
    assert browser.places() == places
    source = (PROJECT / "solutions" / "normalization" / "rms_norm.py").read_text(encoding="utf-8")
    browser.type_answer(source, then="s")
    browser.reads("RMS normalization: passed", "1 hint", "Question 1 of 3")
    browser.press("Show the answer")
    browser.press("Go on")
    browser.reads("Question 2 of 3")
    browser.press("Skip the questions")
    browser.reads("Rating: hard", "1 again (tomorrow)")
    browser.go(served.base)
    browser.reads("the drill of rms_norm is over: its rating is missing")
    browser.go(f"{served.base}/session")
    browser.press("1 again")
    browser.reads("Rating: again")
    browser.press("Accept")
    browser.reads("rms_norm is rated again", "Next review: tomorrow")
    browser.press("Take the rating back")
    browser.reads('rms_norm: the rating "again" of', "is taken back; it has no review to come")
    browser.go(served.base)
    row = "return [...document.querySelectorAll('tr')].find(r => r.innerText.includes('rms_norm')).innerText"
    assert "passed" in browser.driver.execute_script(row)
    assert "tomorrow" not in browser.driver.execute_script(row)


def test_an_interview_tells_why_only_at_its_end(browser: Browser, served: Served) -> None:
    browser.go(f"{served.base}/mock")
    with session_lock(served.workspace):  # as a terminal has it
        browser.press("Begin")
        browser.reads("going on in a terminal")
    browser.go(f"{served.base}/mock")
    browser.press("Begin")
    browser.until(lambda: browser.typed() is not None, "There is no editor.")
    browser.reads("1: ", "2: ", "3: ", "saved")
    browser.type_answer("x = 1 / 0\n", then="s")
    browser.reads("1: ", "not yet")
    assert "ZeroDivisionError" not in browser.text
    browser.press("2: ")
    browser.until(lambda: "1 / 0" not in (browser.typed() or "1 / 0"), "It is still the first topic.")
    browser.press("End")
    browser.press("End the interview now?")
    browser.reads("Score card", "ZeroDivisionError", "To answer aloud")
    browser.press("Compare with the answers")
    browser.press("End")
    said = ("is rated again", "its schedule stays as it is")  # a part is not rated
    browser.until(lambda: any(each in browser.text for each in said), "It is not said what it means.")


def test_flash_cards_with_keys(browser: Browser, served: Served) -> None:
    browser.go(f"{served.base}/quiz?count=3")
    browser.reads("question 1 of 3", "Say the answer aloud")
    browser.until(lambda: "1 again" in browser.text or browser.keys(ENTER), "The card does not turn.")
    browser.keys("3")
    browser.reads("question 2 of 3")
    browser.keys("u")
    browser.reads("question 1 of 3", "4 easy")
    browser.keys("4")
    browser.reads("question 2 of 3")
    browser.keys("q")
    browser.reads("1 question: 1 easy.", "left for today.")
    assert "make quiz" not in browser.text
    browser.press("Go on")
    browser.reads("Say the answer aloud")


def test_the_notebook_is_run_once_and_read_on_the_page(browser: Browser, served: Served) -> None:
    browser.edit(f"{served.base}/topic/softmax")
    browser.press("Explanation")
    browser.press("Run the notebook")
    browser.reads("Running the notebook")
    shown = "return document.querySelector('iframe.notebook')?.contentDocument?.body?.innerText ?? ''"
    script = browser.driver.execute_script

    def is_there() -> bool:
        return "Softmax and log-softmax" in script(shown)

    browser.until(is_there, "The notebook does not come.", seconds=60)  # a kernel starts for it
    folded = (
        "return [...document.querySelector('iframe.notebook').contentDocument.querySelectorAll('details')]"
    )
    assert script(f"{folded}.length") >= 4 and not script(f"{folded}.some((each) => each.open)")
    browser.go(f"{served.base}/topic/softmax")
    browser.press("Explanation")
    browser.until(is_there, "It is not kept.")


def test_what_is_decided_for_all_topics_is_kept(browser: Browser, served: Served) -> None:
    later = date.today() + timedelta(days=30)
    choices = progress_in(served.workspace.root).choices
    browser.go(served.base)
    field = browser.driver.find_element("css selector", "input[aria-label='Interview on']")
    set_to = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))"
    browser.driver.execute_script(set_to, field, "2020-01-01")
    browser.reads("2020-01-01 is not in the future")
    browser.driver.execute_script(set_to, field, later.isoformat())
    browser.reads(f"Interview on {later:%A}")
    browser.choose("Topics a day, at most", "3 topics a day")
    browser.until(lambda: choices.settings().limit == 3, "The limit is not kept.")
    browser.choose("Track", "track inference")
    browser.until(lambda: choices.settings().track == "inference", "The track is not kept.")
    assert choices.settings().interview == later
    for forget in (choices.aim_at, choices.limit_to, choices.follow):
        forget(None)


def test_the_search_finds_by_name_and_by_what_it_is_about(browser: Browser, served: Served) -> None:
    browser.go(served.base)
    search = browser.driver.find_element("css selector", "input[aria-label^=Search]")
    search.send_keys("llama 2")
    browser.until(lambda: "softmax\n" not in browser.text and "gqa" in browser.text, "It is not narrowed.")
    search.send_keys(" nothing has this")
    browser.reads("No topic is about that.")


def test_no_request_left_the_machine(browser: Browser, served: Served) -> None:
    """Of all that the tests above did."""
    asked = set()
    for entry in browser.driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            asked.add(message["params"]["request"]["url"])
        elif message["method"] == "Network.webSocketCreated":
            asked.add(message["params"]["url"])
    own = (served.base, served.base.replace("http", "ws"), "data:", "blob:", "about:", "chrome")
    assert len(asked) > 20
    assert [url for url in asked if not url.startswith(own)] == []
    problems = [e["message"] for e in browser.driver.get_log("browser") if e["level"] == "SEVERE"]
    lost = ("ERR_CONNECTION_REFUSED", "WebSocket", "404", "ERR_")
    assert [text for text in problems if not any(word in text for word in lost)] == []
