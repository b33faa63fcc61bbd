"""Grading: `check`, and `compare` with the reference after a pass."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.commands.usage import (
    NOT_PASSED,
    AsJson,
    TopicId,
    fail,
    find,
    nearby,
    refuse,
    say,
    tell,
    topic_ids,
)
from grader.commands.workplace import require_workspace
from grader.curriculum.catalog import Catalog, Topic, load_catalog
from grader.practice.command_line import typed

if TYPE_CHECKING:
    from grader.judge.session import Judge
    from grader.judge.verdict import Verdict
    from grader.practice.schedule import Card
    from grader.show.terminal.meanwhile import Meanwhile
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
    seed: Annotated[
        int | None, typer.Option(help="Draw the inputs of the second round again.", min=0)
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show all checks and all numbers.")] = False,
    case: Annotated[
        bool, typer.Option("--case", help="Write the smallest case in which it fails, as a script.")
    ] = False,
) -> None:
    """Grade your answer, or without a topic all that you have started."""
    if topic is None and file is not None:
        refuse("--file needs a topic: check TOPIC --file FILE")
    if case and (topic is None or as_json):
        refuse("--case needs a topic, and goes without --json: check TOPIC --case")
    if file is None:
        require_workspace()
    catalog = load_catalog()
    if topic is None:
        _check_started(catalog, as_json, verbose, seed)
    else:
        found = find(catalog, topic)
        path = nearby(found.exercise) if file is None else file
        if case:
            _write_case(found, path, "" if file is None else f"-{_plain(file.stem)}")
        _check([(found, path)], catalog, as_json, verbose, recorded=file is None, seed=seed)


def compare(topic: TopicId) -> None:
    """After a pass: your answer beside the reference."""
    catalog = load_catalog()
    found = find(catalog, topic)
    from grader.judge.session import Judge
    from grader.judge.source import read_source

    with _meanwhile(), Judge([found.framework]) as judge:
        verdict = judge.grade(found, nearby(found.exercise))
    if not verdict.passed:
        fail(f"The reference is shown beside an answer that passes. Next: {typed('check', topic=found.id)}")
    from rich.console import Console

    from grader.show.terminal.pager import show_paged
    from grader.show.verdicts.bodies import bodies_text
    from grader.show.verdicts.compare import comparison_text

    own, reference = read_source(found.exercise), read_source(found.solution)
    page = comparison_text(found, verdict.cost, own, reference).append("\n\n")
    show_paged(page.append_text(bodies_text(own, reference, Console().width)))


def _write_case(topic: Topic, path: Path, which: str) -> None:
    """Write the smallest case in which the file fails, and say how to run it; then the command is done.
    `which`: what tells its script from that of the exercise.
    """
    from grader.curriculum.workspace import current_workspace
    from grader.judge.session import Judge

    with Judge([topic.framework]) as judge:
        passed = judge.grade(topic, path).passed
        script = None if passed else judge.case(topic, path)
    if passed:
        say(f"{path} passes: there is no case in which it fails.")
        raise typer.Exit
    if script is None:
        fail(f"No case can be shown as a script. What was found: {typed('check', topic=topic.id)}")
    target = current_workspace().build / "cases" / f"{topic.id}{which}.py"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(script, encoding="utf-8")
    run = f"{nearby(Path(sys.executable))} {nearby(target)}"
    fail(f"The smallest case in which it fails: {nearby(target)}\nNext: {run}")


def _plain(name: str) -> str:
    """A name without what a shell would want to have quoted."""
    return "".join(char if char.isalnum() or char in "-_." else "_" for char in name)


def _check_started(catalog: Catalog, as_json: bool, verbose: bool, seed: int | None) -> None:
    from grader.practice.exercises.contents import started_topics

    started = started_topics(catalog)
    if not started:
        first = catalog.topics[0]
        then = f"Open {nearby(first.exercise)}, then: {typed('check', topic=first.id)}"
        fail(f"No exercise is started yet. {then}")
    answers = [(topic, nearby(topic.exercise)) for topic in started]
    _check(answers, catalog, as_json, verbose, recorded=True, many=True, seed=seed)


def _check(
    answers: list[tuple[Topic, Path]],
    catalog: Catalog,
    as_json: bool,
    verbose: bool,
    recorded: bool,
    many: bool = False,
    seed: int | None = None,
) -> None:
    """Grade the answers, showing each verdict when it is there; of many, those passed get one line."""
    from grader.judge.source import answer_in
    from grader.practice.record.progress import open_progress
    from grader.practice.record.secrecy import is_secret, silenced

    verdicts = []
    found = [answer_in(topic, path) for topic, path in answers]
    frameworks = {
        topic.framework for (topic, _), text in zip(answers, found, strict=True) if isinstance(text, str)
    }
    with _meanwhile(as_json) as meanwhile, _judge(frameworks) as judge:
        for (topic, path), text in zip(answers, found, strict=True):
            keep = _recorder(topic, path) if recorded else None
            shown = None if meanwhile is None else _shown(catalog, meanwhile, verbose, many)
            hides = recorded and is_secret(open_progress(), topic.id)
            if isinstance(text, str):
                assert judge is not None
                graded = judge.grade(topic, path, None if hides else shown, seed)
            else:
                graded = text
            verdict = silenced(graded) if hides else graded
            verdicts.append(verdict)
            if shown is None:
                print(verdict.to_json(), flush=True)
            else:
                shown.complete(verdict)
            review = keep(graded) if keep else None
            if review is not None and not as_json and not many:
                _show_review(review)
    if many and not as_json:
        _show_summary(verdicts)
    if not all(verdict.passed for verdict in verdicts):
        raise typer.Exit(NOT_PASSED)


def _judge(frameworks: set[str]) -> "contextlib.AbstractContextManager[Judge | None]":
    """One for answers with these; starting it takes a second, so there is none where there is no answer."""
    if not frameworks:
        return contextlib.nullcontext()
    from grader.judge.session import Judge

    return Judge(frameworks)


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
            return record_check(open_progress(), topic, verdict, "check", started, source)
        except ProgressUnavailable as problem:
            sys.stdout.flush()
            tell(f"This attempt is not recorded: {problem}")
            return None

    return keep


@contextlib.contextmanager
def _meanwhile(as_json: bool = False) -> "Iterator[Meanwhile | None]":
    """A sign of life, but where only JSON may be printed."""
    if as_json:
        yield None
        return
    from grader.show.terminal.meanwhile import Meanwhile

    with Meanwhile("Grading") as meanwhile:
        yield meanwhile


def _shown(catalog: Catalog, meanwhile: "Meanwhile", verbose: bool, many: bool) -> "ShownVerdict":
    from grader.show.verdicts.two_steps import ShownOfMany, ShownVerdict

    kind = ShownOfMany if many else ShownVerdict
    return kind(catalog, meanwhile, _hints_taken, verbose)


def _hints_taken(topic: str) -> int:
    from grader.practice.record.progress import open_progress
    from grader.practice.record.unavailable import ProgressUnavailable

    try:
        return open_progress().attempts.hints_taken(topic)
    except ProgressUnavailable:
        return 0


def _show_review(card: "Card") -> None:
    from grader.practice.record import clock
    from grader.show.moments import day_text

    print(f"  Next review: {day_text(card.due, clock.now())}")


def _show_summary(verdicts: "list[Verdict]") -> None:
    from grader.show.terminal.console import show
    from grader.show.verdicts.sentences import summary_text

    if verdicts[-1].passed:
        print()
    show(summary_text(verdicts))
