"""What all pages share: the catalog, the progress, one warm judge, and what goes on at the moment."""

import asyncio
import contextlib
from collections.abc import Collection, Sequence
from pathlib import Path

from grader.curriculum.catalog import Catalog, Topic, load_catalog
from grader.curriculum.workspace import Workspace, current_workspace
from grader.practice.exercises.replacing import ensure_exercise
from grader.practice.live.background_judge import BackgroundJudge
from grader.practice.live.events import Checked, Failed, Graded, GradingBegun, PassedOnce
from grader.practice.plan.steps import unfinished
from grader.practice.record.progress import open_progress
from grader.practice.record.sessions import Session
from grader.practice.schedule import Level
from grader.web.bench import Bench
from grader.web.stage import Stage
from grader.web.timed import Begun, DrillStage, MockStage, Timed, new_drill, new_mock

GRACE = 20.0
"""Seconds that a bench goes on without a page: one that is loaded anew finds it as it was."""


class StageJudge:
    """The judge as a stage sees it: verdicts on its files come to it."""

    def __init__(self, studio: "Studio", files: Collection[Path], in_two_steps: bool) -> None:
        self._studio = studio
        self._files = set(files)
        self._in_two_steps = in_two_steps

    def submit(self, topic: Topic, path: Path) -> None:
        """Grade what stands in the file."""
        self._studio.judge.submit(topic, path, self._in_two_steps)

    def prime(self, topic: Topic) -> None:
        """So that the first verdict comes as fast as later ones."""
        self._studio.judge.prime(topic)

    @property
    def waited(self) -> float | None:
        """For how many seconds one of its verdicts has been waited for."""
        return self._studio.judge.waited_for(self._files)


class Studio:
    """One for a server. All but `post` is called in the server's loop."""

    def __init__(self) -> None:
        self.catalog: Catalog = load_catalog()
        self.workspace: Workspace = current_workspace()
        self.notes: list[str] = []
        """What the progress has to say: a damaged file was set aside, for example."""
        self.progress = open_progress(told=self.notes.append)
        self.session: Timed | None = None
        """The drill or mock interview that goes on here, or whose last page is still to be read."""
        self._benches: dict[str, Bench] = {}
        self._judge: BackgroundJudge | None = None
        self._failed: list[BackgroundJudge] = []
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The server's."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
        return self._loop

    @property
    def judge(self) -> BackgroundJudge:
        """A warm one: a new one where an earlier one has failed."""
        if self._judge is None:
            self._judge = BackgroundJudge(self.post, in_two_steps=True)
            self._judge.__enter__()
        return self._judge

    def warm_up(self, topic: Topic | None) -> None:
        """Begin to load what grading needs."""
        self.judge.prime(topic or self.catalog.topics[0])

    def post(self, event: Checked | PassedOnce | Graded | GradingBegun | Failed) -> None:
        """Give what the judge says to whom it is for; from any thread."""
        for stage in self._stages():
            if isinstance(event, Failed) or (
                isinstance(event, Checked | PassedOnce | Graded) and event.path in stage.files
            ):
                stage.events.post(event)
        if isinstance(event, Failed) and self._judge is not None:
            self._failed.append(self._judge)
            self._judge = None

    def bench(self, topic: Topic) -> Bench:
        """The bench of a topic, whose exercise is made where there is none. Raises OSError."""
        ensure_exercise(topic)
        bench = self._benches.get(topic.id)
        if bench is None or bench.is_over:
            judge = StageJudge(self, [topic.exercise], in_two_steps=True)
            bench = Bench(topic, self.catalog, self.progress, self.notes, judge, self.loop)
            self._benches[topic.id] = bench
            bench.begin()
        return bench

    def left(self, bench: Bench) -> None:
        """A page does not look at the bench any more."""
        self.loop.call_later(GRACE, self._close_if_unwatched, bench)

    def going_on(self) -> Timed | None:
        """The session that goes on here."""
        return None if self.session is None or self.session.is_over else self.session

    def cut_off(self) -> Session | None:
        """The session that waits to be resumed."""
        return None if self.going_on() else unfinished(self.catalog, self.progress)

    def begin_drill(self, topic: Topic, level: Level | None, minutes: int | None) -> None:
        """A new drill; whether it can begin is seen in the session."""
        self._begin_drill([topic], new_drill(topic, level, minutes, self.progress), True)

    def begin_mock(self, topics: tuple[Topic, ...], minutes: int, seed: int) -> None:
        """A new mock interview, in the same way."""
        self._begin_mock(topics, new_mock(topics, minutes, seed, self.progress), True)

    def resume(self, session: Session) -> None:
        """Go on with one that was cut off."""
        topics = [self.catalog.asked(name) for name in session.topics]
        begin = self._begin_drill if session.kind == "drill" else self._begin_mock
        begin(topics, lambda notes: session, False)

    def drop(self, session: Session) -> None:
        """Go on no more; what was written stays."""
        self.progress.sessions.save(session.id, session.elapsed, "dropped")

    def close(self) -> None:
        """End everything below."""
        for stage in self._stages():
            stage.close()
        for judge in (self._judge, *self._failed):
            if judge is not None:
                judge.__exit__(None, None, None)

    def _begin_drill(self, topics: Sequence[Topic], begun: Begun, is_new: bool) -> None:
        judge = StageJudge(self, [topic.exercise for topic in topics], in_two_steps=True)
        self._begin(DrillStage(topics, begun, is_new, self.catalog, self.progress, judge, self.loop))

    def _begin_mock(self, topics: Sequence[Topic], begun: Begun, is_new: bool) -> None:
        judge = StageJudge(self, [topic.exercise for topic in topics], in_two_steps=False)
        self._begin(MockStage(topics, begun, is_new, self.catalog, self.progress, judge, self.loop))

    def _begin(self, session: Timed) -> None:
        if self.going_on() is not None:
            return  # the button was pressed twice
        for topic in session.topics:
            bench = self._benches.pop(topic.name, None)
            if bench is not None:
                bench.close()
        self.session = session
        session.begin()

    def _stages(self) -> list[Stage]:
        timed: list[Stage] = [] if self.session is None else [self.session]
        return [*self._benches.values(), *timed]

    def _close_if_unwatched(self, bench: Bench) -> None:
        if not bench.is_watched:
            bench.close()
            with contextlib.suppress(KeyError):
                if self._benches[bench.topic.id] is bench:
                    del self._benches[bench.topic.id]
