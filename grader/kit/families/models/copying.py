"""Whether a model from one sequence to another learns, tried on the simplest task: to copy."""

from typing import Any


def losses_after_training(answer: "Any", seed: "Any") -> "Any":
    """To be run in the worker: the cross entropy on new sequences in training mode, in evaluation, and there
    without gradients, after 400 steps.
    """
    import torch
    import torch.nn.functional as F

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

    def losses() -> "Any":
        model = answer.Transformer(vocab, vocab, 32, 4, 1, 64, longest)
        optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, fused=True)  # the quickest
        for _ in range(400):
            optimizer.zero_grad()
            loss = loss_of(model, 16)
            loss.backward()
            optimizer.step()
            if loss.item() < 0.1:  # it has learned
                break
        found = [loss_of(model, 128).item(), loss_of(model.eval(), 128).item()]
        with torch.no_grad():
            return [*found, loss_of(model, 128).item()]

    torch.manual_seed(seed)
    found = losses()
    # Once in a while a start is unlucky, and nearly learns it.
    return losses() if 0.7 <= max(found) < 1.5 else found
