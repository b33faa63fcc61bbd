"""Many submissions at once: `grade`."""

import os
import re
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.commands.usage import NOT_PASSED, fail, find, nearby, refuse, say, tell, topic_ids
from grader.curriculum.catalog import Catalog, load_catalog

if TYPE_CHECKING:
    from grader.batch.finding.submission import Found
    from grader.batch.results.log import ResultsLog
    from grader.batch.running.batch import Grading, Tally

    Judges = Callable[[int], AbstractContextManager[Grading]]

PLATFORMS = ("gradescope", "prairielearn", "classroom50", "autolab")
LISTED = 8
"""Files that are no submissions, named on the terminal; all of them are in a file."""


Paths = Annotated[
    list[Path], typer.Argument(metavar="PATH…", help="Folders, files, or a CSV: student, topic, file.")
]
Topics = Annotated[
    list[str] | None,
    typer.Option(metavar="TOPIC", help="Only this topic (may be repeated).", autocompletion=topic_ids),
]


def grade(
    paths: Paths,
    topic: Topics = None,
    student: Annotated[
        str | None, typer.Option(metavar="NAME", help="All of it is this student's, whatever it is called.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where results go.")] = Path("graded"),
    jobs: Annotated[int | None, typer.Option(min=1, help="Judges at once. Default: one a core.")] = None,
    points: Annotated[
        Path | None, typer.Option(metavar="FILE", help="TOML: how many points there are for what.")
    ] = None,
    forms: Annotated[
        list[str] | None,
        typer.Option("--for", metavar="PLATFORM", help=f"Results for: {', '.join(PLATFORMS)} (repeatable)."),
    ] = None,
    gradebook: Annotated[
        list[Path] | None,
        typer.Option(metavar="CSV", help="Fill this export of Canvas or Moodle in place (repeatable)."),
    ] = None,
    numbers: Annotated[bool, typer.Option("--numbers", help="Numbers instead of names on pages.")] = False,
    look_alikes: Annotated[
        bool, typer.Option("--look-alikes", help="Show answers that are alike, side by side.")
    ] = False,
    shard: Annotated[
        str, typer.Option(metavar="I/N", help="Grade only part I of N; each part is a file of its own.")
    ] = "1/1",
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Grade on this Dask cluster (extra: cluster).")
    ] = None,
    isolate: Annotated[
        bool, typer.Option("--isolate", help="Only with walls that keep answers from files and network.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume/--fresh", help="Keep what is graded already, or begin anew.")
    ] = True,
) -> None:
    """Grade many submissions; what is graded already is not graded again."""
    from grader.batch.finding.finding import find as find_submissions
    from grader.batch.finding.manifest import BadManifest
    from grader.batch.results.log import ResultsInUse, ResultsUnusable
    from grader.batch.scores.points import BadPoints, Points, read_points
    from grader.commands.grading.output import Wanted, write_output

    catalog = load_catalog()
    topics = [find(catalog, each).id for each in topic or []]
    part = _part(shard)
    if part[1] > 1 and (forms or gradebook or numbers or look_alikes):
        refuse("--shard grades a part: pages, platforms and gradebooks are for when all parts are together.")
    if cluster is not None and (isolate or jobs is not None):
        refuse("--cluster goes without --isolate and --jobs: how its workers are begun decides both.")
    for path in (*paths, *(gradebook or ())):
        if not os.path.lexists(path):
            refuse(f"There is no {path}.")
    if student is not None and not student.strip():
        refuse("--student needs a name.")
    if any(path.resolve() == out.resolve() for path in paths):
        refuse(f"--out {out} is where the submissions are. Results go into a folder of their own.")
    if unknown := [form for form in forms or () if form not in PLATFORMS]:
        refuse(f"--for {unknown[0]}: there are {', '.join(PLATFORMS)}.")
    try:
        rules = Points() if points is None else read_points(points, catalog)
        found = find_submissions(paths, catalog, topics, student, out)
    except (BadManifest, BadPoints) as problem:
        refuse(str(problem))
    try:
        unrecognised = tell_unrecognised(found, out)
        if not found.submissions and student is None:
            fail(
                "There is no submission in it. There may be a folder for each student (alice/softmax.py), "
                "files with both names (alice_softmax.py), or a CSV with the columns student,topic,file."
            )
        with _opened(out, part, resume) as log:
            judges = _judges(jobs or cores(), catalog, isolate) if cluster is None else _cluster(cluster)
            tally = _graded(found, catalog, log, part, judges)
            inside = len(log)
            if part[1] == 1:
                wanted = Wanted(
                    *(out, rules, tuple(forms or ()), tuple(gradebook or ()), numbers, look_alikes),
                    *(tuple(topics), student, unrecognised),
                )
                made = write_output(wanted, catalog, log)
            else:
                made = [f"All parts together: cat {out}/results-*-of-{part[1]}.jsonl > {out}/results.jsonl"]
    except (ResultsInUse, ResultsUnusable) as problem:
        fail(str(problem))
    except OSError as problem:
        fail(f"The results cannot be written: {problem.strerror or problem}. The same command goes on.")
    say("\n".join([f"{_summary(tally, inside)} Results: {nearby(log.path)}", *made]))
    if tally.faults:
        tell(f"{tally.faults} could not be graded; the same command tries them again.")
        raise typer.Exit(NOT_PASSED)


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def tell_unrecognised(found: "Found", out: Path) -> tuple[tuple[str, str], ...]:
    """Name the first, and where all are; gives all, each with the reason."""
    from grader.batch.finding.submission import printable
    from grader.batch.formats.csv_text import csv_text
    from grader.curriculum.exercises.files import replace_text

    listed = out / "unrecognised.csv"
    if not found.unrecognised:
        listed.unlink(missing_ok=True)
        return ()
    rows = tuple((printable(str(each.path)), each.why) for each in found.unrecognised)
    replace_text(listed, csv_text([("file", "why"), *rows]))
    lines = [f"  {file}: {why}" for file, why in rows[:LISTED]]
    more = f"\n  and {len(rows) - LISTED} more, all in {nearby(listed)}" if len(rows) > LISTED else ""
    tell(f"{len(rows)} not recognised, so not graded:\n" + "\n".join(lines) + more)
    return rows


def _part(shard: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", shard)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        refuse(f"--shard {shard}: it is a part and how many there are, such as 2/8.")
    return int(match[1]), int(match[2])


def _opened(out: Path, part: tuple[int, int], resume: bool) -> "ResultsLog":
    from grader.batch.results.log import ResultsLog

    number, of = part
    path = out / ("results.jsonl" if of == 1 else f"results-{number}-of-{of}.jsonl")
    return ResultsLog(path, begin_anew=not resume)


def _graded(
    found: "Found", catalog: Catalog, log: "ResultsLog", part: tuple[int, int], judges: "Judges"
) -> "Tally":
    from grader.batch.results.curriculum import curriculum_of
    from grader.batch.running.batch import grade_all
    from grader.batch.running.progress import shown_progress
    from grader.batch.running.work import plan

    curricula = {each: curriculum_of(catalog[each]) for each in {one.topic for one in found.submissions}}
    todo = list(plan(found.submissions, curricula, log, part))
    try:
        with shown_progress() as seen:
            return grade_all(todo, log, judges, seen)
    except KeyboardInterrupt:
        tell("What is graded is kept. The same command goes on from here.")
        raise


def _judges(jobs: int, catalog: Catalog, isolate: bool) -> "Judges":
    """Those of this machine: so many at most, and with `isolate` only behind walls."""
    from grader.batch.isolation.choosing import CannotIsolate, isolation
    from grader.batch.running.pool import Pool
    from grader.batch.running.source_judge import SourceJudge
    from grader.judge.service.remote import RemoteJudge

    around: Callable[[Path], list[str]] = lambda folder: []  # noqa: E731
    if isolate:
        try:
            stands = isolation(catalog)
        except CannotIsolate as problem:
            fail(str(problem))
        tell(stands.told)
        around = stands.around

    def judge() -> SourceJudge:
        return SourceJudge(lambda folder: RemoteJudge(around=around(folder)))

    return lambda works: Pool(judge, min(jobs, works))


def _cluster(address: str) -> "Judges":
    """The workers of a Dask scheduler."""
    from grader.batch.cluster.grading import ClusterGrading, NoCluster

    def begun(works: int) -> "AbstractContextManager[Grading]":
        try:
            return ClusterGrading(address)
        except NoCluster as problem:
            fail(str(problem))

    return begun


def _summary(tally: "Tally", inside: int) -> str:
    """What came of this run; `inside`: how many the results have by now."""
    if not tally.total:
        return "Nothing is new."
    others = [f"{count} {outcome}" for outcome, count in tally.outcomes.most_common() if outcome != "passed"]
    graded = f"{tally.total - tally.faults} graded: {tally.passed} passed"
    earlier = f" With those from before: {inside}." if inside > tally.total else ""
    return ", ".join([graded, *others]).replace("_", " ") + "." + earlier
