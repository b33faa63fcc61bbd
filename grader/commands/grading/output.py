"""What a batch's rows are made into, as options say."""

from dataclasses import dataclass
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
    """Where to, by which points, for which platforms, into which gradebooks; with numbers for names; and
    with look-alikes.
    """

    out: Path
    points: "Points"
    platforms: tuple[str, ...]
    gradebooks: tuple[Path, ...]
    numbered: bool
    alike: bool


def write_output(wanted: Wanted, catalog: Catalog, log: "ResultsLog") -> list[str]:
    """Write it all; gives what there is to say about it."""
    from grader.batch.formats.gradebooks import UnknownGradebook
    from grader.batch.output.files import Output, fill_gradebook
    from grader.batch.scores.results import scored_rows

    results = scored_rows(log, wanted.points, lambda topic: _checks_of(catalog, topic))
    told = []
    output = Output(wanted.out, catalog, wanted.numbered)
    for path in output.write(results, wanted.platforms, wanted.alike):
        told.append(f"wrote {nearby(path)}")
    for platform in wanted.platforms:
        told.append(f"wrote {nearby(wanted.out / platform)}/")
    for path in wanted.gradebooks:
        try:
            cells, missing = fill_gradebook(path, results, wanted.points.columns, wanted.out / "gradebooks")
        except UnknownGradebook as problem:
            fail(f"{path}: {problem}")
        told.append(f"filled {cells} cell{'s' * (cells != 1)} of {path}")
        if missing:
            tell(f"No row in {path} is certainly theirs: {', '.join(missing)}")
    return told


def _checks_of(catalog: Catalog, topic: str) -> "tuple[Check, ...]":
    """The checks of a topic, as they stand in the verdict on its solution."""
    from grader.judge.service.remote import RemoteJudge

    with RemoteJudge(again=False) as judge:
        return judge.grade(topic, catalog[topic].solution).checks
