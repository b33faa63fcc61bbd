"""Means of the runs, weighted by their share of the targets; a generator of the runs; one shared loop."""

import torch
import torch.nn.functional as F


def _runs(size, *tensors):
    if not size >= 1:
        raise ValueError(f"{size} rows in a run")
    rows = torch.arange(tensors[0].shape[0], device=tensors[0].device)
    for chosen in rows.split(size):
        yield tuple(tensor[chosen] for tensor in tensors)


def accumulate_gradients(model, token_ids, targets, micro_batch_size, ignore_index=-100):
    counts = (targets != ignore_index).sum(dim=1)
    everything = counts.sum()
    mean = []
    for ids, labels, count in _runs(micro_batch_size, token_ids, targets, counts):
        share = count.sum().double() / everything
        logits = model(ids)
        if share == 0:
            del logits
            continue
        flat = logits.reshape(-1, logits.shape[-1])
        loss = F.cross_entropy(flat, labels.reshape(-1), ignore_index=ignore_index) * share.to(flat.dtype)
        del logits, flat
        loss.backward()
        mean += [loss.detach()]
    return sum(mean)


def train_step(model, optimizer, token_ids, targets, micro_batch_size, ignore_index=-100, max_norm=None):
    optimizer.zero_grad(set_to_none=False)
    loss = accumulate_gradients(model, token_ids, targets, micro_batch_size, ignore_index)
    if max_norm:
        norm = torch.linalg.vector_norm(torch.stack([p.grad.norm() for p in model.parameters()]))
        factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
        for p in model.parameters():
            p.grad = p.grad * factor
    optimizer.step()
    return loss
