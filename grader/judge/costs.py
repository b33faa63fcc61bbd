"""What an answer's typical call costs, beside the reference's."""

import time
from collections.abc import Callable

from grader.judge.checks.reading import CheckFile
from grader.judge.findings import wording
from grader.judge.verdict import Cost
from grader.judge.workers.client import Program, Worker
from grader.judge.workers.starting import WorkerFault
from grader.kit.comparison import difference
from grader.kit.generators import Rng
from grader.kit.handles import Submission
from grader.kit.measured import Measured, anywhere

_REFERENCES: dict[Program, Measured] = {}
"""What the references cost and give: that does not change while a judge lives."""


def measured(checks: CheckFile, worker: Worker, seconds: float) -> Measured | None:
    """What the topic's typical call costs in the worker, and what it gives. What fails here costs the cost,
    not the verdict.
    """
    if checks.workload is None:
        return None
    try:
        worker.deadline = time.monotonic() + seconds
        worker.begin(0)
        with anywhere():  # it is only shown
            return checks.workload(Submission(worker), Rng("workload"))
    except WorkerFault:
        raise
    except Exception:
        return None


def compared(used: Measured, reference: Measured) -> tuple[Cost | None, str | None]:
    """The cost beside the reference's, or what is wrong with the value of the call that is measured."""
    try:
        wrong = difference(used.value, reference.value)
    except Exception as error:
        wrong = f"its value cannot be used: {error}"
    if wrong is not None:
        return None, wording.clean(f"In the call that is measured: {wrong}")
    return Cost(
        used.matmul_flops, used.largest_tensor, reference.matmul_flops, reference.largest_tensor
    ), None


def reference_measured(
    checks: CheckFile, reference: Program, work: Callable[[Program], Worker], seconds: float
) -> Measured:
    """What the reference's call costs and gives."""
    known = _REFERENCES.get(reference)
    if known is None:
        with work(reference) as worker:
            known = measured(checks, worker, seconds)
        if known is None:
            raise RuntimeError("the reference cannot be measured")
        _REFERENCES[reference] = known
    return known
