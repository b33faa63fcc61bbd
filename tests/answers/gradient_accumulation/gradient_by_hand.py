"""No loss in the graph: softmax minus one-hot is worked out by hand under no_grad and given to
logits.backward().
"""

import torch


def _slope_(logits, aims, keep, count):
    """(sum of -log p over kept tokens, gradient of sum / count by the logits)"""
    with torch.no_grad():
        logp = torch.log_softmax(logits.detach(), -1)
        where = torch.where(keep, aims, torch.zeros_like(aims)).unsqueeze(-1)
        picked = logp.gather(-1, where).squeeze(-1)
        loss = -picked.masked_fill(~keep, 0.0).sum()
        slope = logp.exp_()
        slope.scatter_add_(-1, where, -torch.ones_like(where, dtype=slope.dtype))
        slope.mul_(keep.unsqueeze(-1)).div_(count)
        return loss, slope


def accumulate_gradients(model, token_ids, targets, micro_batch_size, ignore_index=-100):
    assert micro_batch_size >= 1
    keep = targets.ne(ignore_index)
    count = int(keep.sum())
    total, begin = 0.0, 0
    while begin < token_ids.shape[0]:
        run = slice(begin, begin + micro_batch_size)
        logits = model(token_ids[run])
        loss, slope = _slope_(logits, targets[run], keep[run], count)
        logits.backward(gradient=slope)
        del logits, slope
        total = loss + total
        begin += micro_batch_size
    return total / count


def train_step(model, optimizer, token_ids, targets, micro_batch_size, ignore_index=-100, max_norm=None):
    for group in optimizer.param_groups:
        for p in group["params"]:
            p.grad = None
    loss = accumulate_gradients(
        model=model,
        token_ids=token_ids,
        targets=targets,
        micro_batch_size=micro_batch_size,
        ignore_index=ignore_index,
    )
    if max_norm is not None:
        torch.nn.utils.clip_grad_norm_(
            [p for group in optimizer.param_groups for p in group["params"]], max_norm
        )
    optimizer.step()
    return loss
