"""Calls under another default device that the rule on devices alone does not make."""

from typing import Any

from grader.kit.handles import Submission
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_scenario_keeps_device


def assert_calls_keep_device(
    submission: Submission,
    name: str,
    *calls: tuple[Any, ...],
    made_with: tuple[Any, ...] | None = None,
) -> None:
    """In the second round: what these calls give, of a function or of a module that is made with this and in
    training, is where the arguments are. They come under the other default device alone, so that what is kept
    for a size that was not asked before is made there.
    """
    if is_second_round():
        assert_scenario_keeps_device(submission, called_there_alone, name, calls, made_with)


def called_there_alone(answer: "Any", name: "Any", calls: "Any", made_with: "Any") -> "Any":
    """A scenario: what the calls give where the default device is another one, else nothing."""
    import torch

    if torch.get_default_device().type == "cpu":
        return []
    function = getattr(answer, name)
    if made_with is not None:
        with torch.device("cpu"):
            function = function(*made_with).train()
    return [function(*call) for call in calls]
