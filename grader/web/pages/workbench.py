"""The workbench of a topic: what it asks for beside the editor, and below that the verdict."""

from collections.abc import Callable

from nicegui import ui
from starlette.responses import RedirectResponse, Response

from grader.curriculum.catalog import Topic
from grader.practice.exercises.contents import stub
from grader.practice.plan.steps import load_plan
from grader.practice.record import clock
from grader.practice.record.unavailable import ProgressUnavailable
from grader.show.moments import day_text
from grader.web.bench import Bench
from grader.web.drafts import FileText, Unreadable
from grader.web.pages.explanation import explanation
from grader.web.pages.history import history
from grader.web.pages.solution import solution
from grader.web.parts.asking import asking_button
from grader.web.parts.editor import Editor
from grader.web.parts.frame import button, follow, framed, html, sentence_page
from grader.web.parts.tabs import Tabs
from grader.web.parts.waiting import Waiting
from grader.web.studio import Studio
from grader.web.texts.contract import contract_html, hints_html, questions_html
from grader.web.texts.markup import code
from grader.web.texts.verdict import marks_of, verdict_html


async def workbench_page(studio: Studio, topic: Topic) -> Response | None:
    """The page of a topic; while that is on the clock, the way there."""
    going_on = studio.going_on()
    if going_on is not None and topic in going_on.topics:
        return RedirectResponse("/session")
    try:
        bench = studio.bench(topic)
        file = FileText.of(topic.exercise)
    except (Unreadable, OSError) as problem:
        sentence_page(studio, topic.title, str(problem))
        return None
    with framed(studio, topic.title), ui.element("div").classes("two"):
        task = ui.element("section").props('aria-label="Task"').classes("task")
        with ui.element("section").props('aria-label="Answer"').classes("answer"):
            editor = Editor(topic, file, studio.progress, bench, key="r")
            verdict = _Verdict(studio, bench, editor, compare=lambda: tabs.open("Solution"))
        with task:
            tabs = Tabs()
            hints = _task(studio, topic, bench, editor, tabs)
    saves = bench.saves

    def changed() -> None:
        nonlocal saves
        if bench.saves != saves:
            saves = bench.saves
            editor.look()
        hints.show()
        verdict.show()

    follow(bench, changed)
    ui.context.client.on_delete(lambda: studio.left(bench))
    await ui.context.client.connected(timeout=20)
    await editor.begin()
    verdict.show()
    return None


def _task(studio: Studio, topic: Topic, bench: Bench, editor: Editor, tabs: Tabs) -> "_Hints":
    """Fill the tabs; gives the hints, which grow."""
    with tabs.panel("Task"):
        html(contract_html(topic))
        with ui.element("div").classes("row"):
            button("Drill it", lambda: ui.navigate.to(f"/drill/{topic.id}"))
            question = "Make the exercise blank again? What is written is kept in the history."
            asking_button("Start afresh", question, lambda: _start_afresh(topic, editor))
            _leave_alone(studio, topic)
    with tabs.panel("Hints"):
        hints = _Hints(bench)
    with tabs.panel("Explanation") as panel:
        tabs.when_opened("Explanation", lambda: explanation(studio, topic, panel))
    with tabs.panel("Questions"):
        html(questions_html(topic))
    with tabs.panel("History") as past:
        tabs.when_opened("History", lambda: history(studio, topic, past, editor))
    with tabs.panel("Solution") as reference:
        tabs.when_opened("Solution", lambda: solution(studio, topic, reference))
    return hints


def _start_afresh(topic: Topic, editor: Editor) -> None:
    """Blank the exercise, and the editor with it."""
    try:
        kept = editor.put(stub(topic))
    except (OSError, ProgressUnavailable) as problem:
        ui.notify(f"It cannot be blanked: {problem}", type="negative")
        return
    ui.notify("The exercise is blank again." + (" What was there is in the history." if kept else ""))


def _leave_alone(studio: Studio, topic: Topic) -> None:
    """The button that suspends the topic, or takes it up again."""
    choices = studio.progress.choices
    names = {False: "Leave it alone", True: "Take it up again"}

    def turn() -> None:
        try:
            is_suspended = topic.id in choices.suspended()
            choices.suspend(topic.id, not is_suspended)
            turning.text = names[not is_suspended]
        except ProgressUnavailable as problem:
            ui.notify(str(problem), type="negative")

    try:
        turning = button(names[topic.id in choices.suspended()], turn)
    except ProgressUnavailable:
        return


class _Hints:
    """Those taken so far, and a button for the next."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._text = html().props('aria-live="polite"')
        self._more = button("One more hint", lambda: bench.press("h"))
        self.show()

    def show(self) -> None:
        """What the bench has now."""
        topic, taken = self._bench.topic, self._bench.hints
        self._text.content = hints_html(topic, taken)
        self._more.set_visibility(taken < len(topic.hints))


class _Verdict:
    """The verdict below the editor, and after a pass what may follow."""

    def __init__(self, studio: Studio, bench: Bench, editor: Editor, compare: Callable[[], None]) -> None:
        self._studio = studio
        self._bench = bench
        self._editor = editor
        self._compare = compare
        self._shown: object = None
        with ui.element("section").props('aria-label="Verdict" aria-live="polite"'):
            self._remarks = ui.element("div")
            self._text = html()
            self._after = ui.element("div").classes("row")
        with editor.buttons:
            self._waiting = Waiting()

    def show(self) -> None:
        """What the bench has now."""
        bench = self._bench
        self._waiting.show(bench.waited)
        self._remarks.clear()
        with self._remarks:
            for remark in bench.remarks:
                ui.label(remark)
            if bench.fault is not None:
                ui.label("Something went wrong in byheart. Load the page anew to go on.")
                html(code(bench.fault))
        if bench.verdict is None or self._shown == (bench.verdict, bench.is_searching):
            return
        self._shown = (bench.verdict, bench.is_searching)
        review = ""
        if bench.card is not None:
            review = f"<p>Next review: {day_text(bench.card.due, clock.now())}.</p>"
        self._text.content = review + verdict_html(bench.verdict, bench.topic, bench.is_searching)
        self._editor.mark(marks_of(bench.verdict))
        self._after.clear()
        if bench.verdict.passed and not bench.is_searching:
            with self._after:
                self._offer()

    def _offer(self) -> None:
        """What may follow on a pass."""
        button("Compare with the reference", self._compare)
        try:
            following = load_plan(self._studio.catalog, self._studio.progress, clock.now()).next.topic
        except ProgressUnavailable:
            following = None
        if following is None or following == self._bench.topic:
            ui.link("To the topics", "/")
        else:
            ui.link(f"Next: {following.title}", f"/topic/{following.id}")
