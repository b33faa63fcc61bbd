"""Whether a batch is run in pieces, by values: what a model gives depends on which of its calls it is."""

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from grader.kit.assertions import assert_close, assert_equal
from grader.kit.generators import Rng
from grader.kit.handles import Submission


def assert_called_by_runs(submission: Submission, rng: Rng, ids: Tensor, size: int) -> None:
    """Each run's logits are multiplied by another number, which the judge gives when the model is called.
    What the model itself notes of its calls, the answer could write.
    """
    weight, factors = rng.normal(7, 7), rng.uniform(len(ids) + 1, low=0.5, high=2.0, dtype=torch.float64)
    given: list[Tensor] = []

    def factor(tokens: Tensor) -> Tensor:
        given.append(tokens)
        return factors[min(len(given), len(factors)) - 1]

    came = submission.run(multiplied, ids, weight, size, factor)
    leaf, runs = weight.clone().requires_grad_(), list(ids.split(size))
    shapes = [[tuple(each.shape) for each in row] for row in (given, runs)]
    assert_equal(*shapes, what="shapes of the model's inputs")
    assert_equal(given, runs, what="the model's inputs")
    logits = torch.cat([leaf[run] * factors[number] for number, run in enumerate(runs)])
    loss = cross_entropy(logits.flatten(0, 1), ids.flatten())
    expected = [loss.detach(), torch.autograd.grad(loss, leaf)[0]]
    assert_close(came, expected, what="where the model multiplies by another number in each call")


def multiplied(answer: "Any", ids: "Any", weight: "Any", size: "Any", factor: "Any") -> "Any":
    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(weight.clone())

        def forward(self, ids: "Any") -> "Any":
            return self.weight[ids] * factor(ids)

    model = Model()
    return [answer.accumulate_gradients(model, ids, ids, size), model.weight.grad]


def bigram(
    answer: "Any", ids: "Any", targets: "Any", weight: "Any", size: "Any", max_norm: "Any" = None
) -> "Any":
    """A scenario: the loss of a model that is one matrix, and the sums of the matrix's gradient; with a
    `max_norm`, what a step with that limit makes of the matrix.
    """

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(weight.clone())

        def forward(self, ids: "Any") -> "Any":
            return self.weight[ids]

    class Descent(torch.optim.Optimizer):  # not built by torch, which would load its compiler for that
        def __init__(self, params: "Any") -> None:
            nothing: "Any" = {}
            self.param_groups, self.defaults, self.state = [{"params": params}], nothing, nothing

        def step(self, closure: "Any" = None) -> "Any":
            for param in self.param_groups[0]["params"]:
                param.data -= param.grad

        def zero_grad(self, set_to_none: "Any" = True) -> None:
            for param in self.param_groups[0]["params"]:
                param.grad = None

    model: "Any" = Model()
    if max_norm is None:
        return [answer.accumulate_gradients(model, ids, targets, size), model.weight.grad.sum(0)]
    loss = answer.train_step(model, Descent([model.weight]), ids, targets, size, max_norm=max_norm)
    return [loss, model.weight.detach()]


def bigram_at_once(weight: Tensor, ids: Tensor) -> list[Tensor]:
    """The oracle of it, where the targets are the tokens."""
    leaf = weight.clone().requires_grad_()
    loss = cross_entropy(leaf[ids].flatten(0, 1), ids.flatten())
    return [loss.detach(), torch.autograd.grad(loss, leaf)[0].sum(0)]
