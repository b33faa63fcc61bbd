"""One buffer of pads for the whole text, written column by column and cut at the end; topk for the best."""

import torch


@torch.no_grad()
def greedy_decode(next_logits, batch_size, bos_id, eos_id, pad_id, max_len):
    out = torch.full((batch_size, max_len), pad_id, dtype=torch.long)
    out[:, 0] = bos_id
    alive = torch.ones(batch_size, dtype=torch.bool)
    length = 1
    for step in range(1, max_len):
        if not alive.any():
            break
        token = next_logits(out[:, :step]).topk(1).indices.squeeze(-1)
        out[alive, step] = token[alive]
        alive &= token != eos_id
        length = step + 1
    return out[:, :length]
