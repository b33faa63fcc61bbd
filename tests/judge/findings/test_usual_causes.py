"""What PyTorch's and NumPy's errors usually come from is told beside them: the errors are provoked."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn

from grader.judge.findings.usual_causes import usual_cause
from grader.judge.findings.wording import raised
from grader.kit.outcomes import Raised

A, B = torch.ones(2, 3), torch.ones(2, 4)


def leaf() -> torch.Tensor:
    return torch.ones(3, requires_grad=True)


def write_into_a_view() -> None:
    leaf().view(-1)[0] = 1.0


def write_to_what_backward_needs() -> None:
    y = leaf().exp()
    z = (y * y).sum()
    y.add_(1.0)
    z.backward()


def go_back_twice() -> None:
    y = (leaf() * leaf()).sum()
    y.backward()
    y.backward()


class WithoutInit(nn.Module):
    def __init__(self) -> None:
        self.proj = nn.Linear(2, 2)


ERRORS: dict[str, tuple[Callable[[], object], str]] = {
    "leaf": (lambda: leaf().add_(1.0), "in place"),
    "view": (write_into_a_view, "in place"),
    "needed by backward": (write_to_what_backward_needs, "Backward needs"),
    "no graph": (lambda: torch.ones(3).sum().backward(), "lost its graph"),
    "twice": (go_back_twice, "an earlier call"),
    "not a number": (lambda: (2 * leaf()).backward(), "backward(gradient)"),
    "numpy": (lambda: leaf().numpy(), "no gradients"),
    "dtypes in a product": (lambda: A @ torch.ones(3, 2).double(), "default dtype"),
    "dtypes in a layer": (lambda: nn.Linear(3, 2)(A.double()), "default dtype"),
    "dtypes in a sum": (
        lambda: torch.zeros(2, 3).index_add_(0, torch.tensor([0, 1]), A.double()),
        "default dtype",
    ),
    "dtype in place": (lambda: torch.ones(2).long().add_(0.5), "keeps its dtype"),
    "mask of floats": (lambda: A.masked_fill(A, 0.0), "mask != 0"),
    "condition of floats": (lambda: torch.where(A, 1.0, 0.0), "mask != 0"),
    "not of floats": (lambda: ~A, "mask != 0"),
    "sizes": (lambda: A + B, "keepdim=True"),
    "expanded": (lambda: A.expand(4, 3), "keepdim=True"),
    "sizes in NumPy": (lambda: np.ones((2, 3)) + np.ones((2, 4)), "keepdim=True"),
    "product": (lambda: A @ A, "transpose"),
    "products": (lambda: torch.ones(4, 2, 3) @ torch.ones(4, 2, 3), "transpose"),
    "layer": (lambda: nn.Linear(3, 2)(B), "sizes are swapped"),
    "product in NumPy": (lambda: np.ones((2, 3)) @ np.ones((2, 3)), "transpose"),
    "dimension": (lambda: A.sum(2), "fewer dimensions"),
    "gather": (lambda: A.gather(1, torch.full((2, 1), 255)), "-100"),
    "one too far": (lambda: A[:, 3], "one place too far"),
    "index": (lambda: A[torch.tensor([-100])], "-100"),
    "embedding": (lambda: nn.functional.embedding(torch.tensor([9]), A), "-100"),
    "if": (lambda: bool(A > 0), "torch.where"),
    "if in NumPy": (lambda: bool(np.ones(2) > 0), "torch.where"),
    "init": (WithoutInit, "super().__init__()"),
    "none": (lambda: None.shape, "None here"),  # type: ignore[attr-defined]
    "none times": (lambda: 2 * None, "None here"),  # type: ignore[operator]
}


@pytest.mark.parametrize("name", ERRORS)
def test_it_is_told_behind_the_line(name: str) -> None:
    provoke, words = ERRORS[name]
    with pytest.raises(Exception) as info:
        provoke()
    frames = [[7, "forward", "line = of(the, answer)"]]
    error = Raised({"types": [info.type.__name__], "message": str(info.value), "frames": frames})
    head, where, *cause = raised(error).split("\n")[:1] + raised(error).split("\n")[-2:]
    assert head.startswith(f"{info.type.__name__}: ") and where.startswith("  line 7, in forward:")
    assert words in cause[0]


def test_of_others_nothing_is_said() -> None:
    assert usual_cause("no room for 17 tokens, only for 12") is None
    assert usual_cause("") is None
