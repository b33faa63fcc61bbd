"""A generator of columns, tokens kept time-major so that what is asked and returned is a transposed view."""

import torch


def greedy_decode(next_logits, batch_size, bos_id, eos_id, pad_id, max_len):
    columns = [torch.full((batch_size,), bos_id, dtype=torch.int64, device="cpu")]

    def more():
        alive = torch.ones(batch_size, dtype=torch.bool, device="cpu")
        for _ in range(1, max_len):
            if alive.sum().item() == 0:
                return
            logits = next_logits(torch.stack(columns).t()).detach()
            chosen = logits.topk(1, dim=-1).indices[:, 0]
            yield torch.where(alive, chosen, torch.full_like(chosen, pad_id))
            alive = torch.logical_and(alive, chosen.ne(eos_id))

    for column in more():
        columns.append(column)
    return torch.stack(columns).t()
