"""The list of topics as text."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from rich.text import Text

from grader.curriculum.catalog import Catalog, Chapter, Topic
from grader.curriculum.track import NONE
from grader.practice.command_line import typed
from grader.practice.plan.following import Followed
from grader.practice.plan.standing import Standing, State
from grader.practice.plan.steps import Step
from grader.show.moments import day_text, minutes_text

DIFFICULTIES = {1: "easy", 2: "medium", 3: "hard"}
TITLE, SHORTEST = 40, 12
"""Columns for a title at most; where there are fewer than that, titles are left out."""

_TIME, _REVIEW = "best of budget", "review"

_STYLES = {
    State.NEW: "dim",
    State.STARTED: "yellow",
    State.FAILING: "red",
    State.PASSED: "green",
    State.DUE: "bold magenta",
    State.SUSPENDED: "dim",
}
_AT_WORK = (State.DUE, State.FAILING, State.STARTED)
"""What a chapter is unfolded for, the most pressing first."""


def catalog_text(
    catalog: Catalog,
    standings: Mapping[str, Standing],
    step: Step,
    now: datetime,
    width: int,
    lines: int | None = None,
    shown: Collection[str] | None = None,
    marked: Collection[str] = (),
) -> Text:
    """All topics by chapter (or those `shown`), a row each: where one stands, the best time against the
    budget, the next review; and what to do now. Those `marked` have a + before them. Titles have what is left
    of `width` columns. In so many `lines`, chapters are folded where nothing is at work, and further if that
    is not enough.
    """
    chapters = [
        (chapter, topics)
        for chapter in catalog.chapters
        if (topics := [topic for topic in chapter.topics if shown is None or topic.id in shown])
    ]
    if not chapters:
        return Text("There are no such topics.\n\n").append_text(step_text(step))
    footer = step_text(step)
    rows = _rows(chapters, standings, step, None if lines is None else lines - _lines(footer) - 2)
    page = _Page(catalog, [topic for open_ in rows for topic in open_ or ()], standings, now, width, marked)
    text = page.heading() if any(rows) else Text()
    untouched = [chapter for (chapter, _), open_ in zip(chapters, rows, strict=True) if open_ == []]
    for (chapter, topics), open_ in zip(chapters, rows, strict=True):
        if open_ == []:
            continue
        if open_ is None:
            text.append_text(page.folded(chapter, topics))
            continue
        text.append(f"{chapter.title}\n", style="bold")
        for topic in open_:
            text.append_text(page.row(topic))
        if left := len(topics) - len(open_):
            text.append(f"  and {left} more: {_list_command(chapter)}\n", style="dim")
        if lines is None:
            text.append("\n")
    if untouched:
        text.append_text(page.untouched(untouched))
    return text.append("\n" if lines is not None else "").append_text(footer)


def step_text(step: Step) -> Text:
    """What to do now and why, with the command for it."""
    if step.unfinished is not None:
        return Text(f"Next: go on, because {step.reason}.\n      {typed(step.unfinished)}")
    if step.topic is None:
        return Text(f"{step.reason}.")
    return Text(f"Next: {step.topic.id}, because {step.reason}.\n      {_action(step.topic, step.state)}")


def track_text(
    followed: Followed, step: Step, now: datetime, width: int, shown: Collection[str] | None = None
) -> Text:
    """The path of a track as a list: all of it, or those of its topics that are `shown`."""
    track = followed.track
    path = Catalog((Chapter(track.id, track.title, track.path),))
    support = {topic.id for topic in track.path if track.builds_on(topic)}
    text = catalog_text(path, followed.path, step, now, width, None, shown, support)
    if support & (followed.path.keys() if shown is None else set(shown)):
        text.append("\n\n+ is there because other topics of the track build on it", style="dim")
    return text


def track_line(followed: Followed) -> str:
    """How far one is on a track, in a line."""
    track = followed.track
    line = f"Track {track.id}: {followed.passed} of {len(track.path)} topics passed"
    return f"{line}; to go on without it: {typed('track', track=NONE)}" if followed.is_done else line


def tracks_text(tracks: Sequence[Followed], chosen: str | None) -> Text:
    """All tracks with how far one is on each; the one that is followed has a > before it."""
    if not tracks:
        return Text("There are no tracks.")
    ids = max(len(each.track.id) for each in tracks)
    titles = max(len(each.track.title) for each in tracks)
    text = Text()
    for each in tracks:
        track, mark = each.track, ">" if each.track.id == chosen else " "
        text.append(f"{mark} {track.id:<{ids}}  ", style="cyan")
        hours = sum(topic.minutes for topic in track.path) / 60
        facts = f"{each.passed:>2} of {len(track.path)} topics passed, {hours:.0f} h"
        facts += f", {weeks_text(track.weeks)}: {each.new_a_day} new ones a day" if track.weeks else ""
        text.append(f"{track.title:<{titles}}  {facts}\n", style="default")
    example = NONE if chosen else tracks[0].track.id
    does = "To follow none" if chosen else "To follow one"
    return text.append(f"\n{does}: {typed('track', track=example)}", style="default")


def weeks_text(weeks: int) -> str:
    """How long a track takes."""
    return f"{weeks} week{'s' * (weeks != 1)}"


class _Page:
    """The lines of one list, in columns that are as wide as the `unfolded` topics need."""

    def __init__(
        self,
        catalog: Catalog,
        unfolded: Collection[Topic],
        standings: Mapping[str, Standing],
        now: datetime,
        width: int,
        marked: Collection[str],
    ) -> None:
        self._standings = standings
        self._marked = marked
        self._now = now
        self._ids = max(map(len, ("topic", *(topic.id for topic in unfolded))))
        self._times = max(len(each) for each in (_TIME, *map(_times, standings.values())))
        reviews = max(len(each) for each in (_REVIEW, *(_review(each, now) for each in standings.values())))
        room = width - self._ids - self._times - reviews - 19
        titles = max(map(len, ("title", *(topic.title for topic in unfolded))))
        self._titles = min(titles, TITLE, room) if room >= SHORTEST else 0
        self._chapters = max(len(chapter.title) for chapter in catalog.chapters)

    def heading(self) -> Text:
        """What stands in the columns."""
        heading = self._row("topic", "title", Text("state"), _TIME, _REVIEW)
        heading.stylize("dim")
        return heading

    def row(self, topic: Topic) -> Text:
        """A topic."""
        standing = self._standings[topic.id]
        state = Text(standing.state, style=_STYLES[standing.state])
        row = self._row(topic.id, topic.title, state, _times(standing), _review(standing, self._now))
        return Text("+ ").append_text(row[2:]) if topic.id in self._marked else row

    def _row(self, id_: str, title: str, state: Text, time: str, review: str) -> Text:
        line = Text(f"  {id_:<{self._ids}}  ", style="cyan")
        line.append(_shortened(title, self._titles), style="default")
        line.append_text(state).append(" " * (9 - len(state)))
        return line.append(f"  {time:>{self._times}}  {review}".rstrip() + "\n", style="default")

    def folded(self, chapter: Chapter, topics: Collection[Topic]) -> Text:
        """A chapter on one line: how many of its topics stand where."""
        counts = Counter(self._standings[topic.id].state for topic in topics)
        line = Text(f"{chapter.title:<{self._chapters}}", style="bold")
        line.append(f"  {len(topics):>2} topic{'s' * (len(topics) != 1)}:", style="default")
        for number, state in enumerate(state for state in State if counts[state]):
            line.append("," * (number > 0), style="default")
            line.append(f" {counts[state]} {state}", style=_STYLES[state])
        return line.append("\n", style="default")

    def untouched(self, chapters: Collection[Chapter]) -> Text:
        """Several chapters of which nothing is begun, on one line."""
        count = sum(len(chapter.topics) for chapter in chapters)
        line = Text(f"{len(chapters)} more chapters", style="bold")
        return line.append(f"  {count} topics, all new: {typed('list')} all\n", style="not bold dim")


def _rows(
    chapters: list[tuple[Chapter, list[Topic]]],
    standings: Mapping[str, Standing],
    step: Step,
    room: int | None,
) -> list[list[Topic] | None]:
    """Of each chapter the topics to show, None where it is folded, none where it is left out with others that
    are untouched: all if there is room, else chapters at work, the most pressing first: whole, or only what
    is at work.
    """
    everything: list[list[Topic] | None] = [topics for _, topics in chapters]
    if room is None or sum(len(topics) + 1 for _, topics in chapters) + 1 <= room:
        return everything
    untouched = [
        number
        for number, (_, topics) in enumerate(chapters)
        if step.topic not in topics and all(standings[topic.id].state is State.NEW for topic in topics)
    ]
    is_long = len(chapters) > room / 2
    rows: list[list[Topic] | None] = [
        [] if is_long and number in untouched else None for number in range(len(chapters))
    ]
    # The heading takes a line, and so do the untouched ones together.
    left = room - 1 - sum(row is None for row in rows) - ([] in rows)
    pressing = {
        number: min((_AT_WORK.index(state) for state in states), default=None)
        for number, (_, topics) in enumerate(chapters)
        if (states := [state for topic in topics if (state := standings[topic.id].state) in _AT_WORK])
        or step.topic in topics
    }
    order = sorted(
        pressing, key=lambda number: (step.topic not in chapters[number][1], pressing[number] or 0)
    )
    for number in order:
        topics = chapters[number][1]
        at_work = [t for t in topics if standings[t.id].state in _AT_WORK or t == step.topic]
        for some, needed in ((topics, len(topics)), (at_work, len(at_work) + 1)):
            if needed <= left:
                rows[number] = some
                left -= needed
                break
    return rows


def _lines(text: Text) -> int:
    return text.plain.count("\n") + 1


def _list_command(chapter: Chapter) -> str:
    return f"{typed('list')} {chapter.id}"


def _action(topic: Topic, state: State | None) -> str:
    if state is State.DUE:
        return typed("drill", topic=topic.id)
    if state is State.NEW:
        return f"open {topic.exercise_name}, then: {typed('check', topic=topic.id)}"
    return typed("check", topic=topic.id)


def _times(standing: Standing) -> str:
    budget = f"{standing.topic.minutes} min"
    if standing.best_seconds is None:
        return budget
    best = minutes_text(standing.best_seconds)
    return f"{best} untimed" if standing.is_best_untimed else f"{best} of {budget}"


def _review(standing: Standing, now: datetime) -> str:
    return day_text(standing.card.due, now) if standing.card else ""


def _shortened(title: str, width: int) -> str:
    """The title in `width` columns and two behind it, cut between words; nothing where there are none."""
    if not width:
        return ""
    if len(title) > width:
        title = title[: width - 1].rpartition(" ")[0].rstrip(":,") + " …"
    return f"{title:<{width}}  "
