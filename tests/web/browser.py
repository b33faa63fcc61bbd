"""A browser for tests: Debian's Chromium, driven by Selenium. It reaches nothing but this machine."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selenium.webdriver import Chrome
    from selenium.webdriver.remote.webelement import WebElement

SECONDS = 20.0
"""The most that is waited for anything: a test goes on as soon as it is there."""

FLAGS = (
    "--headless",
    "--no-sandbox",  # in containers, tests run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)


def missing() -> str:
    """Why there is no browser to test in; empty where there is one."""
    for program in ("chromium", "chromedriver"):
        if shutil.which(program) is None:
            return f"no {program} here: apt-get install chromium chromium-driver"
    for package in ("selenium", "nicegui"):
        try:
            __import__(package)
        except ImportError:
            return f"no {package} here: pip install -e '.[web,browser]'"
    return ""


@contextmanager
def chromium(profile: Path, width: int = 1280, height: int = 900, dark: bool = False) -> Iterator["Browser"]:
    """A browser with a new profile in that folder."""
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (*FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Chrome(options, ChromeService(shutil.which("chromedriver")))
    try:
        browser = Browser(driver)
        browser.look(width, height, dark)
        yield browser
    finally:
        driver.quit()


class Browser:
    """What a person does with a page, waiting for what they would wait for."""

    def __init__(self, driver: "Chrome") -> None:
        self.driver = driver

    def look(self, width: int, height: int, dark: bool = False) -> None:
        """See it at that size, in the light or the dark."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})

    def go(self, address: str) -> None:
        """Open an address, and wait until the page is alive."""
        self.driver.get(address)
        alive = "return window.did_handshake === true"
        self.until(lambda: self.driver.execute_script(alive), f"{address} does not come alive.")

    def edit(self, address: str) -> None:
        """Open a workbench, and wait for its editor."""
        self.go(address)
        self.until(lambda: self.typed() is not None, "There is no editor.")
        self.reads("saved")

    @property
    def text(self) -> str:
        """What is to be read."""
        return str(self.driver.execute_script("return document.body ? document.body.innerText : ''"))

    def until(self, what: Callable[[], object], why: str, seconds: float = SECONDS) -> None:
        """Wait until that is so."""
        from selenium.common.exceptions import TimeoutException, WebDriverException
        from selenium.webdriver.support.ui import WebDriverWait

        try:
            waiting = WebDriverWait(self.driver, seconds, 0.05, [WebDriverException])
            waiting.until(lambda _: what())
        except TimeoutException:
            raise AssertionError(f"{why}\n\nThe page:\n{self.text}") from None

    def reads(self, *texts: str) -> None:
        """Wait until the page says all of that."""
        for text in texts:
            self.until(lambda text=text: text in self.text, f"It does not say {text!r}.")

    def button(self, text: str) -> "WebElement":
        """The visible button that begins with this text."""
        found: list[WebElement] = []

        def look() -> bool:
            buttons = self.driver.find_elements("css selector", "button, [role=button]")
            found[:] = [each for each in buttons if each.is_displayed() and each.text.startswith(text)]
            return bool(found)

        self.until(look, f"There is no button {text!r}.")
        return found[0]

    def press(self, text: str) -> None:
        """Press a button."""
        self.until(lambda: (self.button(text).click(), True), f"The button {text!r} cannot be pressed.")

    def choose(self, name: str, text: str) -> None:
        """Open a list by its name, and take what it offers under that text."""
        item = (
            f"const named = document.querySelector('[aria-label=\"{name}\"]');"
            "const offered = [...document.querySelectorAll('.q-menu .q-item')];"
            "const found = offered.find((each) => each.innerText.trim() === arguments[0]);"
            "if (found) found.click(); else if (!offered.length && named) named.click();"
            "return Boolean(found);"
        )
        self.until(lambda: self.driver.execute_script(item, text), f"{name} does not offer {text!r}.")

    def type_answer(self, source: str, then: str = "") -> None:
        """Write something in the place of all that is in the editor."""
        from selenium.webdriver import Keys

        self.until(lambda: self.typed() is not None, "There is no editor.")
        begun = "return document.querySelector('.cm-content').contentEditable === 'true'"
        self.until(lambda: self.driver.execute_script(begun), "Nothing can be typed.")
        self.driver.execute_script(
            "const e = document.querySelector('.cm-editor'); const v = window.byheartView();"
            "v.focus(); v.dispatch({changes: {from: 0, to: v.state.doc.length, insert: arguments[0]},"
            " userEvent: 'input'});",
            source,
        )
        if then:
            self.hold_control(Keys.ENTER if then == "enter" else then)

    def hold_control(self, key: str) -> None:
        """Press a key together with Ctrl, wherever the focus is."""
        from selenium.webdriver import ActionChains, Keys

        ActionChains(self.driver).key_down(Keys.CONTROL).send_keys(key).key_up(Keys.CONTROL).perform()

    def keys(self, text: str) -> None:
        """Type these keys, wherever the focus is."""
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(text).perform()

    def typed(self) -> str | None:
        """What stands in the editor."""
        view = self.driver.execute_script(
            "window.byheartView = () => {"
            " const node = document.querySelector('.nicegui-codemirror');"
            " return node && getElement(parseInt(node.id.slice(1)))?.editor; };"
            "return window.byheartView()?.state.doc.toString() ?? null"
        )
        return None if view is None else str(view)

    @property
    def focused(self) -> str:
        """What a screen reader says of what has the focus."""
        name = "const e = document.activeElement; return e.getAttribute('aria-label') || e.innerText || ''"
        return str(self.driver.execute_script(name)).strip()

    def places(self) -> list[float]:
        """How far down what a page has around its editor begins."""
        around = (
            "'.clock-bar .q-btn, .two > section, .editor, .editor ~ .row > .q-btn, [aria-label=Verdict] > *'"
        )
        script = f"return [...document.querySelectorAll({around})].map((e) => e.getBoundingClientRect().top)"
        return list(self.driver.execute_script(script))

    def picture(self, path: Path) -> None:
        """A picture of what is seen."""
        self.driver.save_screenshot(str(path))
