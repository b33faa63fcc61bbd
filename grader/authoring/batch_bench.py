"""How many files a minute a batch grades: by one judge, by two, and through Dask."""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from grader.batch.cluster.grading import ClusterGrading
from grader.batch.finding.finding import find
from grader.batch.results.curriculum import curriculum_of
from grader.batch.results.log import ResultsLog
from grader.batch.running.batch import Grading, grade_all
from grader.batch.running.pool import Pool
from grader.batch.running.source_judge import SourceJudge
from grader.batch.running.work import plan
from grader.curriculum.catalog import Catalog, Topic
from grader.judge.service.remote import RemoteJudge

RIGHT, WRONG = 3, 7
"""Files of each topic: its solution, and its solution with a mistake."""


def hand_in(folder: Path, topics: Sequence[Topic]) -> int:
    """Write submissions for these topics, a folder a student; gives how many."""
    from grader.judge.checks.reading import read_checks

    count = 0
    for topic in topics:
        solution = topic.solution.read_text(encoding="utf-8")
        mistakes = [mistake.applied(solution) for mistake in read_checks(topic).mistakes[:WRONG]]
        texts = [f"{solution}\n# {number}\n" for number in range(RIGHT)] + mistakes
        for number, text in enumerate(texts):
            path = folder / f"student-{number}" / f"{topic.id}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            count += 1
    return count


def files_per_minute(catalog: Catalog, topics: Sequence[Topic]) -> dict[str, float]:
    """By who grades, once all mistakes are remembered; beginning is counted."""
    with tempfile.TemporaryDirectory() as name:
        count = hand_in(Path(name), topics)
        seconds(Path(name), catalog, pool(2))
        found = {
            "1 process": seconds(Path(name), catalog, pool(1)),
            "2 processes": seconds(Path(name), catalog, pool(2)),
        }
        from distributed import LocalCluster

        with LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as two:
            found["Dask, 2 workers"] = seconds(
                Path(name), catalog, lambda works: ClusterGrading(two.scheduler_address)
            )
    return {who: 60 * count / taken for who, taken in found.items()}


def pool(jobs: int) -> Callable[[int], AbstractContextManager[Grading]]:
    """So many judges of this machine."""
    return lambda works: Pool(lambda: SourceJudge(lambda folder: RemoteJudge()), jobs)


def seconds(
    folder: Path, catalog: Catalog, grading: Callable[[int], AbstractContextManager[Grading]]
) -> float:
    """How long a batch takes from the paths to the last row."""
    with tempfile.TemporaryDirectory() as out:
        begun = time.perf_counter()
        found = find([folder], catalog)
        curricula = {
            topic: curriculum_of(catalog[topic]) for topic in {one.topic for one in found.submissions}
        }
        with ResultsLog(Path(out, "results.jsonl")) as log:
            tally = grade_all(list(plan(found.submissions, curricula, log)), log, grading, lambda tally: None)
        if tally.faults:
            raise RuntimeError(f"{tally.faults} of {tally.total} could not be graded")
        return time.perf_counter() - begun


def import_torch() -> float:
    """Seconds, the median of three."""
    taken = []
    for _ in range(3):
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import torch"], check=True, timeout=60)
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)
