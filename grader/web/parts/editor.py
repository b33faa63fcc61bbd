"""The editor of an exercise. The file on disk is the truth: what is typed goes there when it is saved, what
changes there appears here, and where both have changed both are shown.

Once something can be typed, the browser alone changes the text, and tells of each change in order: a text
that the server sent could overwrite what was typed while it was on its way.
"""

import hashlib
import json
from dataclasses import dataclass, replace

from nicegui import ui

from grader.curriculum.catalog import Topic
from grader.practice.exercises.replacing import put
from grader.practice.record.progress import Progress
from grader.practice.record.unavailable import ProgressUnavailable
from grader.web.drafts import FileText, Settled, Unreadable, difference, settled, stamp
from grader.web.parts.frame import button, html
from grader.web.stage import Stage
from grader.web.texts.markup import diff_html
from grader.web.texts.verdict import Marks

LABEL = "Your answer, Python. Control and Enter check it. Escape, then Tab leave the editor."

BEGIN_SECONDS = 60.0
"""How long a browser may take to begin: a busy one takes many."""

GLANCE_SECONDS = 1.0
"""How often the file is looked at: nobody tells that it goes, or comes back as it was."""


@dataclass(frozen=True)
class _Coming:
    """A text that the browser was asked to put in the place of its own, and what is said when it has."""

    text: str
    said: str


class Editor:
    """One in a page."""

    def __init__(self, topic: Topic, file: FileText, progress: Progress, stage: Stage, key: str) -> None:
        """`file` is what the exercise holds. `stage` is what grades it; the key makes it grade what it has
        graded before.
        """
        self._topic = topic
        self._progress = progress
        self._stage = stage
        self._key = key
        self._file = file
        self._seen = stamp(topic.exercise) if file.is_there else None
        self._base = self._file.text
        self._coming: _Coming | None = None
        self._marks: Marks = {}
        self._banner = ui.element("div").props('aria-live="assertive"')
        self._code = ui.codemirror(
            self._base,
            language="Python",
            theme="githubLight",
            on_change=lambda: self._changed(),
            keymap={"Mod-s": lambda: self.save(), "Mod-Enter": lambda: self.check()},
        ).classes("editor")
        self._code.disable()  # what is typed before it begins, an earlier draft would overwrite
        self.buttons = ui.element("div").classes("row")
        """The row of buttons below: there is place for more."""
        with self.buttons:
            button("Check", self.check, main=True).props("data-key=enter").tooltip("Ctrl+Enter")
            button("Save", self.save).props("data-key=s").tooltip("Ctrl+S: the file is graded too")
            self._status = ui.label().props('role="status"').classes("quiet")
        ui.timer(GLANCE_SECONDS, self._glance)
        self._show_file()

    async def begin(self) -> None:
        """Once the browser is there: bring back what was typed before the last connection was lost. From then
        on, something can be typed.
        """
        try:
            await self._bring_back()
        finally:
            if not self._code.is_deleted:
                self._code.enable()
                self._show_marks()

    async def _bring_back(self) -> None:
        root = hashlib.sha256(str(self._topic.workspace.root).encode()).hexdigest()[:12]
        key = json.dumps(f"byheart:{root}:{self._topic.name}")
        start = f"byheart.begin({self._code.id}, {key}, {json.dumps(LABEL)}, {json.dumps(self._base)})"
        kept = await ui.run_javascript(f"return {start}", timeout=BEGIN_SECONDS)
        if not isinstance(kept, dict) or not isinstance(kept.get("text"), str):
            return
        typed, base = kept["text"], kept.get("base")
        match settled(base if isinstance(base, str) else "", typed, self._base):
            case Settled.TYPED:
                self._code.value = typed
                self._say("What you typed before is here again. It is not saved yet.")
            case Settled.CONFLICT:
                self._code.value = typed
                self._show_conflict(self._base)
            case Settled.SAME | Settled.FILE:
                ui.run_javascript("byheart.forget()")

    def focus(self) -> None:
        """Let what is typed next go here, if it would go nowhere."""
        self._run("byheart.write()")

    @property
    def typed(self) -> str:
        """What stands in the editor."""
        return self._code.value or ""

    def save(self) -> bool:
        """Put what is typed into the file; whether it is there now."""
        disk = self._read()
        if disk is None:
            return False
        if not self._file.is_there:
            return self._write()
        match settled(self._base, self.typed, disk):
            case Settled.CONFLICT:
                self._show_conflict(disk)
                self._run(f"getHtmlElement({self._banner.id})?.scrollIntoView({{block: 'nearest'}})")
                return False
            case Settled.FILE:
                self._take(disk)
            case Settled.TYPED:
                return self._write()
            case Settled.SAME:
                self._agree(disk)
        return True

    def check(self) -> None:
        """Save, and grade also what was saved before: a save that is new is graded by itself."""
        is_new = self.typed != self._base
        if self.save() and not is_new:
            self._stage.press(self._key)

    def put(self, text: str) -> bool:
        """Make that the answer, in the file and here; gives whether something that stood in either is kept in
        the history. Raises OSError and ProgressUnavailable.
        """
        is_kept = self.typed != self._base and bool(self.typed.strip())
        if is_kept:
            self._progress.attempts.set_aside(self._topic.name, self.typed.encode())
        is_kept = put(self._topic, text.encode(), self._progress) is not None or is_kept
        if (disk := self._read()) is not None:
            self._take(disk)
        self._stage.events.look()
        return is_kept

    def look(self) -> None:
        """The file may be new: take that over, unless something was typed meanwhile. What is said of a change
        stays until the next one.
        """
        if self._coming is not None:
            self._seen = None  # later, when that has come
            return
        was_there = self._file.is_there
        disk = self._read()
        if disk is None:
            return
        if not self._file.is_there:
            self._show_file()
            return
        match settled(self._base, self.typed, disk):
            case Settled.FILE:
                self._take(disk, "The file was changed elsewhere: this is what it holds now.")
            case Settled.CONFLICT:
                self._show_conflict(disk)
            case Settled.SAME if disk == self._base and was_there:
                pass
            case Settled.SAME:
                self._agree(disk)
            case Settled.TYPED:
                self._banner.clear()
                self._show_status()

    def mark(self, marks: Marks) -> None:
        """Mark lines of what was graded: if that is what is seen."""
        self._marks = marks
        if self._code.enabled:
            self._show_marks()

    def _show_marks(self) -> None:
        lines = [{"kind": "line", "line": line, "class": name} for line, (name, _) in self._marks.items()]
        said = {line: text for line, (_, text) in self._marks.items()}
        self._run(f"byheart.mark({self._code.id}, {json.dumps(lines)}, {json.dumps(said)})")

    def _changed(self) -> None:
        """Something was typed, or what was to come has come: whichever was first."""
        coming, self._coming = self._coming, None
        if coming is None:
            self._show_status()
        elif self.typed == coming.text:
            self._agree(coming.text)
            if coming.said:
                self._say(coming.said)
        else:
            self.look()

    def _glance(self) -> None:
        if stamp(self._topic.exercise) != self._seen:
            self.look()

    def _read(self) -> str | None:
        self._seen = stamp(self._topic.exercise)
        try:
            self._file = FileText.of(self._topic.exercise)
        except Unreadable as problem:
            self._say(str(problem))
            return None
        return self._file.text

    def _write(self) -> bool:
        typed = self.typed
        try:
            self._file.write(self._topic.exercise, typed)
        except OSError as error:
            self._say(f"{self._topic.exercise_name} cannot be written: {error.strerror or error}.")
            return False
        self._file = replace(self._file, is_there=True)
        self._stage.events.look()
        self._agree(typed)
        return True

    def _take(self, disk: str, said: str = "") -> None:
        """Take over what the file holds, unless something is typed that is not known here yet."""
        if self._code.enabled and self.typed != disk:  # else nothing would come
            self._coming = _Coming(disk, said)
            known = json.dumps(self.typed)
            self._run(f"byheart.take({self._code.id}, {known}, {json.dumps(disk)})")
            return
        self._code.value = disk
        self._agree(disk)
        if said:
            self._say(said)

    def _agree(self, text: str) -> None:
        """Both are the same."""
        self._base = text
        self._banner.clear()
        self._tell_base()
        self._show_status()

    def _tell_base(self) -> None:
        self._run(f"byheart.base = {json.dumps(self._base)}")

    def _run(self, script: str) -> None:
        # Not with `ui`: the button that was pressed may be gone with its banner.
        self._code.client.run_javascript(script)

    def _show_file(self) -> None:
        """Whether there is one."""
        if not self._file.is_there:
            self._say(
                f"{self._topic.exercise_name} is not there: what stands here is not in it until you save."
            )
        self._show_status()

    def _show_status(self) -> None:
        is_saved = self.typed == self._base and self._file.is_there
        self._status.text = "saved" if is_saved else "not saved"

    def _say(self, sentence: str) -> None:
        self._banner.clear()
        with self._banner:
            ui.label(sentence).classes("box warning")

    def _show_conflict(self, disk: str) -> None:
        self._banner.clear()
        with self._banner, ui.element("div").classes("box warning"):
            html(
                "<h2>The file and what you typed have both changed</h2>"
                "<p>Lines with - are in the file only, lines with + are only typed here.</p>"
                + diff_html(difference(disk, self.typed))
            )
            with ui.element("div").classes("row"):
                button("Keep what I typed", lambda: self._decide(disk, keeps_typed=True))
                button("Take the file", lambda: self._decide(disk, keeps_typed=False))
            ui.label("The other one is kept in the history.").classes("quiet")

    def _decide(self, disk: str, keeps_typed: bool) -> None:
        now = self._read()
        if now is None:
            return
        if now != disk or not self._file.is_there:
            self.look()
            return
        try:
            other = disk if keeps_typed else self.typed
            self._progress.attempts.set_aside(self._topic.name, other.encode())
        except ProgressUnavailable as problem:
            self._say(f"Nothing is replaced, because the other text cannot be kept: {problem}")
            return
        if keeps_typed:
            self._write()
        else:
            self._take(disk)
