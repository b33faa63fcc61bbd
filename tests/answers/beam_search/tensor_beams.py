"""Tensors throughout: live rows and their sums; finished ones stand before them in the same sorted pool."""

import torch


@torch.no_grad()
def beam_search(log_probs, bos_id, eos_id, beam_width, max_len, length_penalty=0.0):
    live = torch.full((1, 1), bos_id)  # (beams, length)
    live_sums = torch.zeros(1, dtype=torch.float64)
    done, done_sums = [], torch.empty(0, dtype=torch.float64)
    for _ in range(1, max_len):
        log_p = log_probs(live).double()
        vocab = log_p.size(-1)
        pool = torch.cat([done_sums, (live_sums[:, None] + log_p).reshape(-1)])
        sums, order = pool.sort(descending=True)
        order = order[:beam_width][sums[:beam_width].isfinite()]
        new, old = order[order >= len(done)] - len(done), order[order < len(done)]
        parents = torch.div(new, vocab, rounding_mode="floor")
        rows = torch.cat([live[parents], (new % vocab)[:, None]], dim=1)
        row_sums = pool[new + len(done)]
        ended = rows[:, -1] == eos_id
        done_sums = torch.cat([done_sums[old], row_sums[ended]])
        done = [done[i] for i in old.tolist()] + rows[ended].tolist()
        live, live_sums = rows[~ended], row_sums[~ended]
        if live.size(0) == 0:
            break
    tokens = done + live.tolist()
    lengths = torch.tensor([len(t) - 1 for t in tokens], dtype=torch.float64)
    scores = torch.cat([done_sums, live_sums]) / lengths.pow(length_penalty)
    best = scores.argsort(descending=True)
    return [(tokens[i], scores[i].item()) for i in best.tolist()]
