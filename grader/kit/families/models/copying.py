"""Whether a model from one sequence to another learns, tried on the simplest task: to copy."""

from typing import Any


def losses_after_training(answer: "Any", seed: "Any") -> "Any":
    """To be run in the worker: the cross entropy on new sequences in training mode, in evaluation, and there
    without gradients, after 400 steps.
    """
    import torch
    import torch.nn.functional as F
    from torch.optim.adam import adam  # to make an optimizer takes a second

    longest, vocab = 5, 11

    def sequences(number: "Any") -> "Any":
        src = torch.randint(2, vocab, (number, longest))
        lengths = torch.randint(2, longest + 1, (number, 1))
        src = src.masked_fill(torch.arange(longest) >= lengths, 0)
        # Shifted right by one, behind a start token.
        return src, torch.cat([torch.ones(number, 1, dtype=torch.long), src[:, :-1]], dim=1)

    def loss_of(model: "Any", number: "Any") -> "Any":
        src, tgt = sequences(number)
        return F.cross_entropy(model(src, tgt).transpose(1, 2), src, ignore_index=0)

    update: "Any" = adam  # its lists are unpacked below
    settings = {"lr": 6e-3, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "weight_decay": 0.0}
    settings |= {"amsgrad": False, "maximize": False, "foreach": False, "fused": True}

    def losses() -> "Any":
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
        found = [loss_of(model, 128).item(), loss_of(model.eval(), 128).item()]
        with torch.no_grad():
            return [*found, loss_of(model, 128).item()]

    torch.default_generator.manual_seed(seed)
    found = losses()
    # Once in a while a start is unlucky, and nearly learns it.
    return losses() if 0.7 <= max(found) < 1.5 else found
