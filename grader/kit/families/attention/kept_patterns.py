"""Attention over latents under dropout: how probable it is that so many weights of both stages are kept."""

import itertools

import torch
from torch import Tensor


def patterns_kept(seq: int, latent_len: int, keep: float) -> Tensor:
    """The probabilities of what two heads give, by number: for each token of each head a digit, how many of
    its paths over a latent to a token have both of their weights kept.
    """
    paths = seq * latent_len
    gathered = itertools.product((0, 1), repeat=paths)  # by latent and token
    read = list(itertools.product((0, 1), repeat=paths))  # by token and latent
    of_a_head = torch.zeros((paths + 1) ** seq, dtype=torch.float64)
    for first, second in itertools.product(gathered, read):
        kept = sum(first) + sum(second)
        counts = torch.tensor(second).view(seq, latent_len) @ torch.tensor(first).view(latent_len, seq)
        of_a_head[number_of(counts.sum(1), paths + 1)] += keep**kept * (1 - keep) ** (2 * paths - kept)
    return torch.outer(of_a_head, of_a_head).flatten()


def number_of(digits: Tensor, base: int) -> Tensor:
    """What the digits in the last dimension say, the first one counting for most."""
    places = base ** torch.arange(digits.shape[-1]).flip(0)
    return (digits * places).sum(-1)
