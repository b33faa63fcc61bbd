# finished-ones-give-up-their-slot
"""Makes the beam narrower for every hypothesis that is finished."""

import torch


def beam_search(log_probs, bos_id, eos_id, beam_width, max_len, length_penalty=0.0):
    beams, done = [([bos_id], 0.0)], []
    for _ in range(max_len - 1):
        room = beam_width - len(done)
        if not beams or room == 0:
            break
        scores = log_probs(torch.tensor([tokens for tokens, _ in beams]))
        grown = [
            ([*tokens, token], total + value)
            for (tokens, total), row in zip(beams, scores.tolist(), strict=True)
            for token, value in enumerate(row)
            if value > -float("inf")
        ]
        best = sorted(grown, key=lambda pair: -pair[1])[:room]
        done += [pair for pair in best if pair[0][-1] == eos_id]
        beams = [pair for pair in best if pair[0][-1] != eos_id]
    ranked = [(tokens, total / (len(tokens) - 1) ** length_penalty) for tokens, total in done + beams]
    return sorted(ranked, key=lambda pair: -pair[1])
