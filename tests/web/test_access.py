"""The page for everybody: on a phone, in the dark, with the keyboard alone, read aloud."""

from collections.abc import Iterator
from functools import partial

import pytest
from driving import ALL_PASSED
from web.answers import RIGHT, UNSCALED
from web.browser import Browser, missing
from web.serving import Served

pytestmark = [
    pytest.mark.skipif(missing() != "", reason=missing() or "there is a browser"),
    pytest.mark.xdist_group("page"),
]

PAGES = ("/", "/topic/gqa", "/drill/gqa", "/mock", "/quiz", "/session", "/statistics")
UNKNOWN = ("/topic/nothing", "/nothing")

UNNAMED = """
const name = (e) => (e.getAttribute('aria-label') || e.innerText || e.title || e.labels?.[0]?.innerText
    || e.closest('label')?.innerText || '').trim();
const all = 'a, button, input, select, textarea, [role=tab], [role=textbox], iframe';
return [...document.querySelectorAll(all)]
    .filter((e) => e.offsetParent !== null && !name(e)).map((e) => e.outerHTML.slice(0, 120));
"""

FAINT = """
const parse = (c) => { const unit = c.startsWith('color(srgb') ? 255 : 1;
    const m = c.match(/[0-9.]+/g).map((v, i) => i < 3 ? unit * v : Number(v));
    return m.length < 4 ? [...m, 1] : m; };
const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => { v /= 255;
    return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const over = (c, under) => under.map((v, i) => v * (1 - c[3]) + c[i] * c[3]);
const ground = (e) => { const layers = [];
    for (; e && !layers.some((c) => c[3] === 1); e = e.parentElement)
        layers.push(parse(getComputedStyle(e).backgroundColor));
    return layers.reduceRight((under, c) => over(c, under), [255, 255, 255]); };
const faint = [];
const walker = document.createTreeWalker(document.querySelector(arguments[0]), NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    const isSeen = walker.currentNode.textContent.trim() && e.checkVisibility({visibilityProperty: true});
    if (!isSeen || e.closest('svg, script, style')) continue;
    const [a, b] = [light(over(parse(getComputedStyle(e).color), ground(e))), light(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faint.push(`${ratio.toFixed(2)} ${walker.currentNode.textContent.trim().slice(0, 40)}`);
}
return faint;
"""

CODE = '''@decorator
class A(nn.Module):
    """What it is."""
    async def f(self, x: int = 3, *args, **kwargs) -> None:  # why
        y = f"a {x!r} \\n" + r"b" + 'c'
        if not x and True or False is None:
            return self.w[1:2] @ lambda z: -z ** 2.5e3
        import os as system; raise ValueError(len(x)); del y
'''
"""Of everything that has a colour, something."""

MARKED = """
const element = getElement(parseInt(document.querySelector('.nicegui-codemirror').id.slice(1)));
const kinds = ['line-right', 'line-near', 'line-look'];
element.setDecorations(kinds.flatMap((name, i) => Array.from({length: arguments[0]}, (_, line) =>
    ({kind: 'line', line: (i + 1) * arguments[0] + line + 1, class: name}))));
"""

BROKEN = """
const lines = (e) => { const range = document.createRange(); range.selectNodeContents(e);
    return new Set([...range.getClientRects()].map((each) => Math.round(each.bottom))).size; };
return [...document.querySelectorAll('.cost td, .cost th[scope=col]')].filter((e) => lines(e) > 1).length;
"""

TAB, ENTER, ESCAPE, RIGHTWARDS = "\ue004", "\ue007", "\ue00c", "\ue014"


@pytest.fixture(autouse=True)
def as_it_was(browser: Browser) -> Iterator[None]:
    yield
    browser.look(1280, 900)


def test_every_page_on_a_phone_and_in_the_dark(browser: Browser, served: Served) -> None:
    script = browser.driver.execute_script
    for path in (*PAGES, *UNKNOWN):
        browser.look(400, 800, dark=False)
        browser.go(served.base + path)
        browser.reads("byheart")
        assert script("return document.querySelectorAll('main, [role=main]').length") == 1
        assert script("return document.documentElement.lang") == "en-GB"
        assert browser.driver.find_element("link text", "Topics").is_displayed()  # the way home
        for width, dark in ((400, False), (1280, True)):
            browser.look(width, 800, dark)
            # Sizes and colours change over a moment.
            fits = f"return document.documentElement.scrollWidth <= {width}"
            browser.until(partial(script, fits), f"{path} is too wide for a screen of {width}")
            browser.until(lambda: script(UNNAMED) == [], f"{path} has something without a name")
            browser.until(lambda: script(FAINT, "body") == [], f"{path} has faint text, dark: {dark}")


def test_code_can_be_read_also_on_marked_lines(browser: Browser, served: Served) -> None:
    script = browser.driver.execute_script
    browser.edit(f"{served.base}/topic/swiglu")
    browser.type_answer(4 * CODE)
    script(MARKED, CODE.count("\n"))
    for dark in (False, True):
        browser.look(1280, 1600, dark)
        script("document.querySelector('.editor').style.height = '1000px'")
        shown = "return document.querySelectorAll('.line-look span').length > 20"
        browser.until(partial(script, shown), "The lines are not coloured.")
        browser.until(lambda: script(FAINT, ".cm-editor") == [], f"There is faint code, dark: {dark}")


def test_what_opens_above_a_page_can_be_read(browser: Browser, served: Served) -> None:
    script = browser.driver.execute_script
    for dark in (False, True):
        browser.look(1280, 900, dark)
        browser.go(served.base)
        script("document.querySelector('[aria-label=\"Track\"]').click()")
        browser.reads("track inference")
        browser.until(lambda: script(FAINT, ".q-menu") == [], f"The list is faint, dark: {dark}")


def test_with_the_keyboard_alone(browser: Browser, served: Served) -> None:
    def focused(text: str) -> bool:
        return browser.focused.startswith(text)

    def tab_to(text: str) -> None:
        for _ in range(40):
            if focused(text):
                return
            browser.keys(TAB)
        raise AssertionError(f"Tab does not lead to {text!r}.")

    browser.go(served.base)
    browser.keys(TAB)
    assert focused("To the content")
    browser.keys(ENTER)
    tab_to("Search by name")
    browser.keys("sdpa")
    browser.until(lambda: "Softmax and log" not in browser.text.partition("State")[2], "It is not narrowed.")
    tab_to("Scaled dot-product")
    browser.keys(ENTER)
    browser.until(lambda: browser.typed() is not None, "There is no editor.")
    tab_to("Task")
    browser.keys(RIGHTWARDS)
    browser.until(lambda: focused("Hints"), "An arrow does not lead to the next tab.")
    browser.type_answer(UNSCALED)
    browser.driver.execute_script("document.querySelector('[role=tab]').focus()")
    browser.hold_control("s")  # wherever the focus is
    browser.reads("exactly those of this mistake", "Go to line")
    tab_to("Your answer, Python")
    browser.keys(ESCAPE + TAB)
    assert focused("Check")
    ring = "return getComputedStyle(document.activeElement).outlineStyle"
    assert browser.driver.execute_script(ring) == "solid"
    tab_to("Go to line")
    browser.keys(ENTER)
    browser.until(lambda: focused("Your answer, Python"), "It does not lead into the editor.")
    at = "const s = window.byheartView().state; return s.doc.lineAt(s.selection.main.head).text"
    assert browser.driver.execute_script(at).strip() == "scale = 1.0"


def test_numbers_stay_whole_on_a_phone(browser: Browser, served: Served) -> None:
    script = browser.driver.execute_script
    browser.look(400, 800)
    browser.edit(f"{served.base}/topic/softmax")
    browser.type_answer(RIGHT, then="enter")
    browser.reads(ALL_PASSED, "elements of the largest tensor")
    assert script(BROKEN) == 0
    assert script("return document.documentElement.scrollWidth") <= 400


def test_an_answer_beside_the_reference_has_the_whole_width(browser: Browser, served: Served) -> None:
    wide = "return (document.querySelector('.beside')?.checkVisibility() ?? false) && " + (
        "document.querySelector('.beside').getBoundingClientRect().width > 1000"
    )
    browser.edit(f"{served.base}/topic/softmax")
    browser.type_answer(RIGHT, then="enter")
    browser.reads(ALL_PASSED)
    browser.press("Solution")
    browser.press("Show it beside my answer")
    browser.until(lambda: browser.driver.execute_script(wide), "It is narrow.")
    browser.press("Task")
    task = "return document.querySelector('section.task').getBoundingClientRect().width < 700"
    browser.until(
        lambda: browser.driver.execute_script(task), "The editor does not come back beside the task."
    )


def test_hints_come_one_by_one_to_the_last(browser: Browser, served: Served) -> None:
    browser.edit(f"{served.base}/topic/swiglu")
    browser.press("Hints")
    for level in (1, 2, 3):
        browser.press("One more hint")
        browser.reads(f"Hint {level} of 3")
    browser.until(lambda: "One more hint" not in browser.text, "There is no fourth, but a button for it.")
