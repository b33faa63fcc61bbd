"""Whether a model from one sequence to another learns, tried on the simplest task: to copy."""

from typing import Any

import torch
from torch.nn.functional import cross_entropy

from grader.kit.assertions import assert_true
from grader.kit.handles import Submission


def assert_learned(submission: Submission, seed: int) -> None:
    """After 400 steps the loss is below 0.7 in all three modes."""
    losses = _losses_after_training(submission, seed)
    came = [bool(loss < 0.7) for loss in losses]
    shown = ", ".join(f"{loss:.3g}" for loss in losses)
    assert_true(all(came), f"the losses in the three modes are {shown}, expected below 0.7", seen=came)


def _losses_after_training(submission: Submission, seed: int) -> list[float]:
    """The cross entropy on new sequences in training mode, in evaluation, and there without gradients, after
    400 steps. It is the judge's, and so are these sequences: in the worker who is trained could change both.
    """
    generator = torch.Generator().manual_seed(seed)
    src = torch.randint(2, 11, (128, 5), generator=generator)
    lengths = torch.randint(2, 6, (128, 1), generator=generator)
    src = src.masked_fill(torch.arange(5) >= lengths, 0)
    # Once in a while a start is unlucky, and nearly learns it.
    for attempt in range(2):
        came = submission.run(logits_after_training, seed + attempt, src)
        losses = [
            float(cross_entropy(logits.double().transpose(1, 2), src, ignore_index=0)) for logits in came
        ]
        if not 0.7 <= max(losses) < 1.5:
            break
    return losses


def logits_after_training(answer: "Any", seed: "Any", src: "Any") -> "Any":
    """To be run in the worker: the logits of the three modes, of sequences that were not trained on."""
    import torch
    import torch.nn.functional as F
    from torch.optim.adam import adam  # to make an optimizer takes a second

    longest, vocab = 5, 11

    def shifted(src: "Any") -> "Any":
        """Right by one, behind a start token."""
        return torch.cat([torch.ones(len(src), 1, dtype=torch.long), src[:, :-1]], dim=1)

    def loss_of(model: "Any", number: "Any") -> "Any":
        src = torch.randint(2, vocab, (number, longest))
        lengths = torch.randint(2, longest + 1, (number, 1))
        src = src.masked_fill(torch.arange(longest) >= lengths, 0)
        return F.cross_entropy(model(src, shifted(src)).transpose(1, 2), src, ignore_index=0)

    update: "Any" = adam  # its lists are unpacked below
    settings = {"lr": 6e-3, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "weight_decay": 0.0}
    settings |= {"amsgrad": False, "maximize": False, "foreach": False, "fused": True}

    torch.default_generator.manual_seed(seed)
    model = answer.Transformer(vocab, vocab, 32, 4, 1, 64, longest)
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    averages = [[torch.zeros_like(parameter) for parameter in parameters] for _ in range(2)]
    steps = [torch.tensor(0.0) for _ in parameters]
    for _ in range(400):
        loss = loss_of(model, 32)
        gradients = torch.autograd.grad(loss, parameters, allow_unused=True, materialize_grads=True)
        with torch.no_grad():
            update(parameters, list(gradients), *averages, [], steps, **settings)
        if loss.item() < 0.1:  # it has learned
            break
    found = [model(src, shifted(src)), model.eval()(src, shifted(src))]
    with torch.no_grad():
        return [*found, model(src, shifted(src))]
