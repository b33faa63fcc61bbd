"""Removes what is below the k-th logit, as warpers of logits do."""

import torch


def top_k_filter(scores, top_k):
    if top_k < 1:
        raise ValueError("top_k has to be a strictly positive integer")
    top_k = min(top_k, scores.size(-1))
    to_remove = scores < torch.topk(scores, top_k)[0][..., -1, None]
    return scores.masked_fill(to_remove, -float("inf"))


def sample_top_k(scores, top_k, temp=1.0, rng=None):
    if temp < 0:
        raise ValueError("temp has to be positive")
    if temp == 0:
        return torch.argmax(scores, dim=-1)
    probs = top_k_filter(scores / temp, top_k).softmax(-1)
    return torch.multinomial(probs.view(-1, probs.size(-1)), 1, generator=rng).view(scores.shape[:-1])
