"""Whether norms of one size have parameters of their own: ones and zeros to begin with, whatever became of
those of others.
"""

from typing import Any

import torch

from grader.kit.assertions import assert_equal
from grader.kit.handles import Submission


def assert_begins_anew(submission: Submission, name: str, initial: dict[str, float]) -> None:
    """A norm's parameters are these numbers, also where those of others, made before, were changed."""
    came = submission.run(_made_after_others, name)
    expected: dict[str, Any] = {"before": {key: torch.full((7,), value) for key, value in initial.items()}}
    expected["after others were changed"] = expected["before"]
    assert_equal(came, expected)


def _made_after_others(answer: "Any", name: "Any") -> "Any":
    def values(module: "Any") -> "Any":
        return {key: value.detach().clone() for key, value in module.named_parameters()}

    kept, changed = (getattr(answer, name)(7) for _ in range(2))
    with torch.no_grad():
        for parameter in changed.parameters():
            parameter.add_(1.0)
    return {"before": values(kept), "after others were changed": values(getattr(answer, name)(7))}
