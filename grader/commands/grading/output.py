"""What a batch's rows are made into, as options say."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from grader.commands.usage import fail, nearby, tell
from grader.curriculum.catalog import Catalog

if TYPE_CHECKING:
    from grader.batch.results.log import ResultsLog
    from grader.batch.scores.points import Points
    from grader.judge.verdict import Check


@dataclass(frozen=True)
class Wanted:
    """Where to, by which points, for which platforms, into which gradebooks; with numbers for names; with
    look-alikes; which topics were asked for, none for all; whose all of it is, if somebody's; and files that
    were not recognised, with the reason.
    """

    out: Path
    points: "Points"
    platforms: tuple[str, ...]
    gradebooks: tuple[Path, ...]
    numbered: bool
    alike: bool
    topics: tuple[str, ...]
    student: str | None
    unrecognised: tuple[tuple[str, str], ...]


def write_output(wanted: Wanted, catalog: Catalog, log: "ResultsLog") -> list[str]:
    """Write it all; gives what there is to say about it."""
    from grader.batch.formats.gradebooks import UnknownGradebook
    from grader.batch.output.files import Output, fill_gradebook
    from grader.batch.scores.results import results_of

    results = results_of(
        *(log, wanted.points, partial(_checks_of, catalog), partial(_names_of, catalog)),
        *(wanted.topics, wanted.student),
    )
    told = []
    output = Output(wanted.out, catalog, wanted.numbered, wanted.unrecognised)
    for path in output.write(results, wanted.platforms, wanted.alike):
        told.append(f"wrote {nearby(path)}")
    for platform in wanted.platforms:
        told.append(f"wrote {nearby(wanted.out / platform)}/")
    for path in wanted.gradebooks:
        try:
            done = fill_gradebook(path, results, wanted.points.columns, wanted.out / "gradebooks")
        except UnknownGradebook as problem:
            fail(f"{path}: {problem}")
        told.append(f"filled {done.cells} cell{'s' * (done.cells != 1)} of {path}")
        for sentence in done.left:
            tell(f"{path}: {sentence}")
        if done.missing:
            tell(f"No row in {path} is certainly theirs: {', '.join(done.missing)}")
    if lost := [f"{each.row.student} ({each.row.topic})" for each in results.rows if each.is_lost]:
        tell(f"Without a grade, by a fault of byheart's, also in gradebooks: {', '.join(lost)}")
    return told


def _names_of(catalog: Catalog, topic: str) -> tuple[str, ...]:
    """How the checks of a topic are called."""
    from grader.batch.scores.check_names import check_names

    return check_names(catalog[topic].checks)


def _checks_of(catalog: Catalog, topic: str) -> "tuple[Check, ...]":
    """The checks of a topic, as they stand in the verdict on its solution."""
    from grader.judge.service.remote import RemoteJudge

    with RemoteJudge(again=False) as judge:
        return judge.grade(topic, catalog[topic].solution).checks
