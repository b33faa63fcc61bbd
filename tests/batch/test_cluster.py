"""Grading by a cluster: no row lost, none doubled, also when a worker is killed in the middle."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from driving import CATALOG, PROJECT

from grader.batch.cluster.grading import ClusterGrading, NoCluster
from grader.batch.cluster.task import grade_contents
from grader.batch.finding.submission import Submission
from grader.batch.results.curriculum import curriculum_of
from grader.batch.running.work import Work, content_of

SOLUTION = (PROJECT / "solutions" / "foundations" / "softmax.py").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two workers, each a process, that byheart's nanny begins anew when they die."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", processes=True, silence_logs=50
    ) as two:
        yield two


def works(tmp_path: Path, count: int, curriculum: str | None = None) -> list[Work]:
    made = []
    for number in range(count):
        path = tmp_path / f"s{number}.py"
        path.write_text(f"{SOLUTION}\n# {number}\n")
        version = curriculum or curriculum_of(CATALOG["softmax"])
        handed = [Submission(f"s{number}", "softmax", path)]
        made.append(Work("softmax", version, content_of(path)[1], handed))
    return made


def test_all_come_back_once_though_a_worker_is_killed(cluster: Any, tmp_path: Path) -> None:
    todo = works(tmp_path, 24)
    (tmp_path / "s7.py").unlink()
    killed = False
    with ClusterGrading(cluster.scheduler_address, together=3) as grading:
        came = []
        for graded in grading.graded(todo):
            came.append(graded)
            if not killed and graded.verdict is not None and graded.verdict.passed:
                pids = grading._client.run(os.getpid)
                os.kill(next(iter(pids.values())), signal.SIGKILL)
                killed = True
    assert killed
    assert sorted(each.work.submissions[0].student for each in came) == sorted(
        f"s{number}" for number in range(24)
    )
    outcomes = {each.work.submissions[0].student: each.verdict.outcome for each in came if each.verdict}
    assert outcomes.pop("s7") == "unreadable"
    assert set(outcomes.values()) == {"passed"} and len(outcomes) == 23


def test_a_worker_with_another_curriculum_refuses(tmp_path: Path) -> None:
    (work,) = works(tmp_path, 1, curriculum="0.0.1+ab")
    (reply,) = grade_contents([(work.topic, work.curriculum, "")])
    assert "this worker has another version of softmax" in reply
    (reply,) = grade_contents([("nope", "0", "")])
    assert "no topic 'nope'" in reply


def test_no_cluster_is_a_sentence() -> None:
    with pytest.raises(NoCluster, match="There is no cluster at"):
        ClusterGrading("no address")
