"""Slices in a while loop, the loss by log_softmax and gather, gradients by autograd.grad, chatty."""

import torch

torch.manual_seed(4)
print("accumulating")


def _summed_loss(logits, targets, ignore_index):
    kept = targets != ignore_index
    picked = logits.log_softmax(-1).gather(-1, torch.where(kept, targets, 0).unsqueeze(-1)).squeeze(-1)
    return -(picked * kept).sum()


def accumulate_gradients(model, token_ids, targets, micro_batch_size, ignore_index=-100):
    assert micro_batch_size > 0
    parameters = list(model.parameters())
    count = torch.count_nonzero(targets - ignore_index).item()
    total, start = None, 0
    while start < len(token_ids):
        rows = slice(start, start + micro_batch_size)
        part = _summed_loss(model(token_ids[rows]), targets[rows], ignore_index) / count
        gradients = torch.autograd.grad(part, parameters)
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = gradient if parameter.grad is None else parameter.grad + gradient
        total = part.detach() if total is None else total + part.detach()
        start += micro_batch_size
    print(total.item())
    return total


def train_step(model, opt, token_ids, targets, micro_batch_size, ignore_index=-100, max_norm=None):
    model.zero_grad(set_to_none=True)
    value = accumulate_gradients(model, token_ids, targets, micro_batch_size, ignore_index)
    if max_norm is not None:
        gradients = [p.grad for p in model.parameters()]
        norm = torch.cat([g.flatten() for g in gradients]).norm().item()
        if norm > max_norm:
            for g in gradients:
                g.mul_(max_norm / norm)
    opt.step()
    return value
