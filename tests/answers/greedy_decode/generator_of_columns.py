"""A generator that gives columns; finished rows counted by integers; a stack at the end."""

import torch


def columns(next_logits, batch_size, bos_id, eos_id, pad_id):
    said = [torch.tensor([bos_id] * batch_size)]
    open_rows = torch.tensor([1] * batch_size)
    yield said[0]
    while int(open_rows.sum()):
        values = next_logits(torch.stack(said, 1))
        token = values.max(-1).indices
        token = token * open_rows + pad_id * (1 - open_rows)
        open_rows = open_rows * torch.where(token.eq(eos_id), 0, 1)
        said.append(token)
        yield token


def greedy_decode(next_logits, batch_size, bos_id, eos_id, pad_id, max_len):
    parts = []
    for column in columns(next_logits, batch_size, bos_id, eos_id, pad_id):
        parts.append(column)
        if len(parts) == max_len:
            break
    return torch.stack(parts, dim=1)
