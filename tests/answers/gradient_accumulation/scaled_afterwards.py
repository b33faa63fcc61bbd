"""Sums first, divided at the end, with the old gradients put aside meanwhile; empty runs skipped."""

import torch
from torch import nn

criterion = {}


def _criterion(ignore_index):
    if ignore_index not in criterion:
        criterion[ignore_index] = nn.CrossEntropyLoss(ignore_index=ignore_index, reduction="sum")
    return criterion[ignore_index]


def accumulate_gradients(model, token_ids, targets, micro_batch_size, ignore_index=-100):
    if micro_batch_size < 1:
        raise ValueError("micro_batch_size")
    aside = [p.grad for p in model.parameters()]
    for p in model.parameters():
        p.grad = None
    loss_sum, tokens = 0.0, 0
    for begin in range(0, token_ids.size(0), micro_batch_size):
        x, y = (each[begin : begin + micro_batch_size] for each in (token_ids, targets))
        loss = _criterion(ignore_index)(model(x).movedim(-1, 1), y)
        n = int((y != ignore_index).sum())
        if n > 0:
            loss.backward()
        loss_sum = loss_sum + loss.detach()
        tokens += n
        del loss
    with torch.no_grad():
        for p, old in zip(model.parameters(), aside, strict=True):
            p.grad = p.grad / tokens
            if old is not None:
                p.grad += old
    return loss_sum / tokens


def train_step(model, optimizer, token_ids, targets, micro_batch_size, ignore_index=-100, max_norm=None):
    for group in optimizer.param_groups:
        for p in group["params"]:
            p.grad = None
    loss = accumulate_gradients(model, token_ids, targets, micro_batch_size, ignore_index)
    if max_norm is not None:
        params = [p for group in optimizer.param_groups for p in group["params"]]
        torch.nn.utils.clip_grad_norm_(params, max_norm=max_norm)
    optimizer.step()
    return loss
