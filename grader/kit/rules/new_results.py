"""That results are new tensors: whoever writes to one changes no argument of the call."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from grader.kit.assertions import assert_true
from grader.kit.handles import Submission


def assert_results_are_new(submission: Submission, name: str, calls: Mapping[str, tuple[Any, ...]]) -> None:
    """The results of the function of this name share no memory with its arguments. `calls` are the arguments
    of each call, by words for it.
    """
    shared = {}
    for words, args in calls.items():
        after = submission.run(_after_writing, name, *args)
        pairs = zip(args, after, strict=True)
        shared[words] = any(isinstance(old, Tensor) and not torch.equal(old, new) for old, new in pairs)
    first = next((words for words, is_shared in shared.items() if is_shared), "")
    message = f"{first}: a result is an argument itself or a view of it: writing to it changes the argument"
    assert_true(not any(shared.values()), message, seen=shared)


def _after_writing(answer: "Any", name: "Any", *args: "Any") -> "Any":
    """The arguments, when all memory of the results was written to."""
    made = getattr(answer, name)(*args)
    for result in made if isinstance(made, (tuple, list)) else [made]:
        result.untyped_storage().fill_(1)
    return list(args)
