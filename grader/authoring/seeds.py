"""Whether right answers hold in the second round: `python -m grader.authoring.seeds COUNT [TOPIC…]`.

Grades the solution of every topic (or of those named) and its alternative answers once, and then runs the
second round with COUNT seeds, each in full. Prints what does not hold, and ends with status 1 if anything.
"""

import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from grader.curriculum.catalog import Topic, load_catalog
from grader.curriculum.pack import PROJECT
from grader.judge.session import Judge


def answers(topic: Topic) -> Iterator[Path]:
    yield topic.solution
    yield from sorted((PROJECT / "tests" / "answers" / topic.id).glob("*.py"))


def objections(judge: Judge, topic: Topic, path: Path, seeds: range) -> Iterator[str]:
    """What the second round has against the answer, seed by seed."""
    from grader.judge.checks.reading import read_checks
    from grader.judge.checks.running import run_check
    from grader.judge.checks.second_round import try_again
    from grader.judge.checks.setup import setup_for
    from grader.judge.contract import required
    from grader.judge.limits import Limits
    from grader.judge.verdict import Outcome
    from grader.judge.workers.client import Program, Worker

    checks = read_checks(topic)
    setup = setup_for(topic, checks)
    names = required(topic.solution.read_text("utf-8"))
    program = Program(path.read_text("utf-8"), str(path), topic.id, names)
    with Worker(judge._starters[topic.framework], setup, program) as worker:
        runs = {check.name: run_check(check, worker, 60.0, math.inf) for check in checks.checks}
        bad = [run.check for run in runs.values() if run.check.outcome is not Outcome.PASSED]
        if bad:
            yield f"{topic.id} {path.name} {bad[0].name}: {bad[0].outcome}: {bad[0].message}"
            return
        for seed in seeds:
            latest = time.monotonic() + 600.0
            failed = try_again(
                checks.checks, runs, worker, seed, Limits(60.0, 600.0, further_seconds=math.inf), latest
            ).failed
            if failed is not None:
                yield f"{topic.id} {path.name} {failed.name}: {failed.outcome}: {failed.message}"


def main(count: str, *topics: str) -> int:
    catalog = load_catalog()
    chosen = [catalog[topic] for topic in topics] or catalog.topics
    found = 0
    with Judge(("numpy", "torch")) as judge:
        for topic in chosen:
            for path in answers(topic):
                for text in objections(judge, topic, path, range(int(count))):
                    found += 1
                    print(text, flush=True)
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
