"""The commands: arguments in, calls, exit status out.

Imports stand in the commands: `list` and `hint` answer in a blink, a cold `check` spends its time on torch.
Exit status: 0 passed, 1 any other outcome, 2 wrong usage; `grader.__main__` adds 3 (a fault of ours) and
130 (Ctrl-C).
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from grader.catalog import PROJECT, Catalog, Topic, UnknownTopic, load_catalog

if TYPE_CHECKING:
    from grader.judge.verdict import Verdict

NOT_PASSED, WRONG_USAGE = 1, 2

app = typer.Typer(
    help="Practise transformer components from memory, graded on your own machine.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

TopicId = Annotated[str, typer.Argument(metavar="TOPIC", help="Its id, such as softmax.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")]
OnlyCheck = Annotated[bool, typer.Option("--check", help="Write nothing; exit with 1 if anything is stale.")]


@app.command("list")
def list_topics() -> None:
    """Show the topics, and where you stand."""
    from grader.practice.exercises import started_topics
    from grader.show.catalog import catalog_text
    from grader.show.console import show

    catalog = load_catalog()
    show(catalog_text(catalog, started_topics(catalog)))


@app.command()
def check(
    topic: Annotated[str | None, typer.Argument(help="Its id. Without one: all you have started.")] = None,
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Grade this file, not the exercise.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Grade your answer, or without a topic all that you have started."""
    if sys.platform == "win32":
        _refuse("Grading needs Linux or macOS. On Windows, use WSL (the Windows Subsystem for Linux).")
    if topic is None and file is not None:
        _refuse("--file needs a topic: check TOPIC --file FILE")
    catalog = load_catalog()
    if topic is None:
        _check_started(catalog, as_json)
    else:
        found = _find(catalog, topic)
        _check([(found, _nearby(found.exercise) if file is None else file)], catalog, as_json)


@app.command()
def hint(
    topic: TopicId,
    level: Annotated[int, typer.Option(min=1, max=3, help="The idea, the steps, or the skeleton.")] = 1,
) -> None:
    """Give a hint: the idea, the steps with shapes, or the skeleton."""
    from grader.show.hint import hint_text

    print(hint_text(_find(load_catalog(), topic), level))


@app.command()
def solution(topic: TopicId) -> None:
    """Show the reference solution."""
    from grader.show.console import show_code

    show_code(_find(load_catalog(), topic).solution.read_text(encoding="utf-8"))


@app.command()
def reset(topic: TopicId) -> None:
    """Start an exercise afresh; what you wrote is saved first."""
    from grader.practice.saving import reset_exercise

    found = _find(load_catalog(), topic)
    try:
        saved = reset_exercise(found)
    except OSError as error:
        typer.echo(f"{_nearby(found.exercise)} cannot be reset: {error}", err=True)
        raise typer.Exit(NOT_PASSED) from None
    if saved is not None:
        print(f"Saved what was there: {_nearby(saved)}")
    print(f"{_nearby(found.exercise)} is blank again.")


@app.command()
def stubs(check: OnlyCheck = False) -> None:
    """Make the exercises from the solutions (for authors)."""
    from grader.stubs import stale_stubs, write_stubs

    catalog = load_catalog()
    if check:
        _report_stale(stale_stubs(catalog), "make stubs")
    else:
        _report_written(write_stubs(catalog))


@app.command()
def new(
    topic: TopicId,
    chapter: Annotated[str, typer.Option(metavar="CHAPTER", help="A folder of topics, such as attention.")],
) -> None:
    """Write the skeleton of a new topic (for authors)."""
    from grader.skeleton import SkeletonError, create_topic

    try:
        paths = create_topic(PROJECT, topic, chapter)
    except SkeletonError as error:
        _refuse(str(error))
    _report_written(paths)
    print("Next: fill them in as CONTRIBUTING.md says, then: make stubs")


@app.command()
def bench(as_json: AsJson = False) -> None:
    """Measure how long grading takes (for authors)."""
    from grader.bench import run

    run(as_json)


@app.command()
def readme(check: OnlyCheck = False) -> None:
    """Write README.md's tables and pictures (for authors)."""
    from grader.judge.session import Judge
    from grader.readme import generated_files, stale_files, write_files

    catalog = load_catalog()
    with Judge(["torch"]) as judge:
        files = generated_files(catalog, judge.grade)
    if check:
        _report_stale(stale_files(files), "python -m grader readme")
    else:
        _report_written(write_files(files))


def _check_started(catalog: Catalog, as_json: bool) -> None:
    from grader.practice.exercises import started_topics

    started = started_topics(catalog)
    if not started:
        first = catalog.topics[0]
        then = f"Open {_nearby(first.exercise)}, then: make check topic={first.id}"
        typer.echo(f"No exercise is started yet. {then}", err=True)
        raise typer.Exit(NOT_PASSED)
    _check([(topic, _nearby(topic.exercise)) for topic in started], catalog, as_json, many=True)


def _check(answers: list[tuple[Topic, Path]], catalog: Catalog, as_json: bool, many: bool = False) -> None:
    """Grade the answers, showing each verdict when it is there; of many, those passed get one line."""
    from grader.judge.session import Judge

    verdicts = []
    with Judge({topic.framework for topic, _ in answers}) as judge:
        for topic, path in answers:
            verdict = judge.grade(topic, path)
            verdicts.append(verdict)
            if as_json:
                print(verdict.to_json(), flush=True)
            else:
                _show(verdict, catalog, many)
    if many and not as_json:
        _show_summary(verdicts)
    if not all(verdict.passed for verdict in verdicts):
        raise typer.Exit(NOT_PASSED)


def _show(verdict: "Verdict", catalog: Catalog, many: bool) -> None:
    from grader.show.console import show, width
    from grader.show.verdict import brief_text, verdict_text

    if not many:
        show(verdict_text(verdict, catalog, width()))
    elif verdict.passed:
        show(brief_text(verdict, catalog))
    else:
        print()
        show(verdict_text(verdict, catalog, width()))
        print()


def _show_summary(verdicts: "list[Verdict]") -> None:
    from grader.show.console import show
    from grader.show.verdict import summary_text

    if verdicts[-1].passed:
        print()
    show(summary_text(verdicts))


def _report_written(paths: list[Path]) -> None:
    print("\n".join(f"wrote {_nearby(path)}" for path in paths) or "All is up to date.")


def _report_stale(paths: list[Path], command: str) -> None:
    if paths:
        names = "\n".join(f"  {_nearby(path)}" for path in paths)
        typer.echo(f"These are out of date; {command} writes them anew:\n{names}", err=True)
        raise typer.Exit(NOT_PASSED)


def _find(catalog: Catalog, topic: str) -> Topic:
    try:
        return catalog[topic]
    except UnknownTopic as error:
        _refuse(f"There is {error}. All topics: make list")


def _refuse(sentence: str) -> NoReturn:
    typer.echo(sentence, err=True)
    raise typer.Exit(WRONG_USAGE)


def _nearby(path: Path) -> Path:
    """A path as one would type it: relative where it lies below the current directory."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
