"""Mistakes spelled otherwise than their known version, so that values which are noise differ."""

from collections.abc import Mapping, Sequence

from grader.judge.checks.reading import CheckFunction
from grader.judge.checks.running import Run
from grader.judge.diagnosis.evidence import Relation, differs_by_rounding, has_same_end, relation
from grader.judge.diagnosis.versions import Versions
from grader.kit.mistakes import Mistake


def is_alike_but_for_rounding(
    mistake: Mistake, failed: Sequence[CheckFunction], runs: Mapping[str, Run], versions: Versions
) -> bool:
    """Whether its version ends the checks that fail as in `runs` (by name), with the same values or such as
    differ where they are noise. Raises NoTime.
    """
    return all(_ends_alike(mistake, check, runs[check.name], versions) for check in failed) and all(
        _is_near(mistake, check, runs[check.name], versions) for check in failed
    )


def _ends_alike(mistake: Mistake, check: CheckFunction, run: Run, versions: Versions) -> bool:
    evidence = versions.evidence([mistake], check)
    return evidence is not None and has_same_end(run, evidence)


def _is_near(mistake: Mistake, check: CheckFunction, run: Run, versions: Versions) -> bool:
    evidence = versions.evidence([mistake], check)
    if evidence is None or relation(run, evidence) is Relation.AGREES:
        return evidence is not None
    nudged = versions.nudged_evidence(mistake, check)
    return nudged is not None and differs_by_rounding(run, evidence, nudged)
