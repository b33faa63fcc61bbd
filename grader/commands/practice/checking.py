"""Grading: `check`, and `compare` with the reference after a pass."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.commands.usage import NOT_PASSED, AsJson, TopicId, fail, find, nearby, refuse, topic_ids
from grader.curriculum.catalog import Catalog, Topic, load_catalog
from grader.practice.command_line import typed

if TYPE_CHECKING:
    from grader.judge.verdict import Verdict
    from grader.practice.plan.schedule import Card
    from grader.show.verdicts.two_steps import ShownVerdict


def check(
    topic: Annotated[
        str | None,
        typer.Argument(help="Its id. Without one: all you have started.", autocompletion=topic_ids),
    ] = None,
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Grade this file, not the exercise; record nothing.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Grade your answer, or without a topic all that you have started."""
    if topic is None and file is not None:
        refuse("--file needs a topic: check TOPIC --file FILE")
    catalog = load_catalog()
    if topic is None:
        _check_started(catalog, as_json)
    else:
        found = find(catalog, topic)
        path = nearby(found.exercise) if file is None else file
        _check([(found, path)], catalog, as_json, recorded=file is None)


def compare(topic: TopicId) -> None:
    """After a pass: your answer beside the reference."""
    catalog = load_catalog()
    found = find(catalog, topic)
    from grader.judge.session import Judge

    with Judge([found.framework]) as judge:
        verdict = judge.grade(found, nearby(found.exercise))
    if not verdict.passed:
        fail(f"The reference is shown beside an answer that passes. Next: {typed('check', topic=found.id)}")
    from rich.console import Console

    from grader.show.terminal.pager import show_paged
    from grader.show.verdicts.bodies import bodies_text
    from grader.show.verdicts.compare import comparison_text

    own, reference = (path.read_text("utf-8-sig") for path in (found.exercise, found.solution))
    page = comparison_text(found, verdict.cost, own, reference).append("\n\n")
    show_paged(page.append_text(bodies_text(own, reference, Console().width)))


def _check_started(catalog: Catalog, as_json: bool) -> None:
    from grader.practice.exercises.contents import started_topics

    started = started_topics(catalog)
    if not started:
        first = catalog.topics[0]
        then = f"Open {nearby(first.exercise)}, then: {typed('check', topic=first.id)}"
        fail(f"No exercise is started yet. {then}")
    answers = [(topic, nearby(topic.exercise)) for topic in started]
    _check(answers, catalog, as_json, recorded=True, many=True)


def _check(
    answers: list[tuple[Topic, Path]],
    catalog: Catalog,
    as_json: bool,
    recorded: bool,
    many: bool = False,
) -> None:
    """Grade the answers, showing each verdict when it is there; of many, those passed get one line."""
    from grader.judge.session import Judge
    from grader.practice.record.progress import open_progress
    from grader.practice.record.secrecy import is_secret, silenced

    verdicts = []
    with Judge({topic.framework for topic, _ in answers}) as judge:
        for topic, path in answers:
            keep = _recorder(topic, path) if recorded else None
            shown = None if as_json or many else _shown(catalog)
            hides = recorded and is_secret(open_progress(), topic.id)
            graded = judge.grade(topic, path, None if hides else shown)
            verdict = silenced(graded) if hides else graded
            verdicts.append(verdict)
            if as_json:
                print(verdict.to_json(), flush=True)
            elif shown is not None:
                shown.complete(verdict)
            else:
                _show_one_of_many(verdict, catalog)
            review = keep(graded) if keep else None
            if review is not None and not as_json and not many:
                _show_review(review)
    if many and not as_json:
        _show_summary(verdicts)
    if not all(verdict.passed for verdict in verdicts):
        raise typer.Exit(NOT_PASSED)


def _recorder(topic: Topic, path: Path) -> Callable[["Verdict"], "Card | None"]:
    """What keeps the verdict on that file as it is now, and gives the topic's new place in the schedule, if
    it was a review. That it cannot be kept is told, and changes nothing in the verdict.
    """
    from grader.practice.record import clock
    from grader.practice.record.attempts import readable_source
    from grader.practice.record.progress import open_progress
    from grader.practice.record.recording import record_check
    from grader.practice.record.unavailable import ProgressUnavailable

    started, source = clock.now(), readable_source(path)

    def keep(verdict: "Verdict") -> "Card | None":
        try:
            return record_check(open_progress(), topic, verdict, "check", started, source).card
        except ProgressUnavailable as problem:
            sys.stdout.flush()
            typer.echo(f"This attempt is not recorded: {problem}", err=True)
            return None

    return keep


def _shown(catalog: Catalog) -> "ShownVerdict":
    from grader.show.verdicts.two_steps import ShownVerdict

    return ShownVerdict(catalog)


def _show_one_of_many(verdict: "Verdict", catalog: Catalog) -> None:
    from grader.show.terminal.console import show, width
    from grader.show.verdicts.verdict import brief_text, verdict_text

    if verdict.passed:
        show(brief_text(verdict, catalog))
    else:
        print()
        show(verdict_text(verdict, catalog, width()))
        print()


def _show_review(card: "Card") -> None:
    from grader.practice.record import clock
    from grader.show.moments import day_text

    print(f"  Next review: {day_text(card.due, clock.now())}")


def _show_summary(verdicts: "list[Verdict]") -> None:
    from grader.show.terminal.console import show
    from grader.show.verdicts.verdict import summary_text

    if verdicts[-1].passed:
        print()
    show(summary_text(verdicts))
