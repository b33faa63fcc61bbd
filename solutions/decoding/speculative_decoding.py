"""Speculative decoding: a small model drafts tokens, the large one checks them all in a single call.

What comes out is distributed exactly as if the large model had drawn every token itself. From "Fast Inference
from Transformers via Speculative Decoding" (Leviathan et al., 2023) and "Accelerating Large Language Model
Decoding with Speculative Sampling" (Chen et al., 2023). Nothing is forbidden.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor


def verify(
    draft_tokens: Int[Tensor, "drafted"],
    draft_probs: Float[Tensor, "drafted vocab"],
    target_probs: Float[Tensor, "drafted+1 vocab"],
    generator: torch.Generator | None = None,
) -> Int[Tensor, "new"]:
    """The drafted tokens that are kept, and one more: 1 to drafted + 1 tokens.

    Row i of draft_probs, q_i, is what token x = draft_tokens[i] was drawn from; row i of target_probs, p_i,
    is the target's distribution for the same place. One place after the other, x is kept with the probability
    min(1, p_i(x) / q_i(x)), by a random number of its own. At the first refusal one token is drawn from
    max(0, p_i - q_i), normalized to a sum of 1, and that is the end: later drafts are dropped. If all are
    kept, one more token is drawn from the last row of target_probs.

    Rows are probabilities, each adding up to 1, float32 or float64, of one dtype; they may contain zeros, but
    q_i(x) > 0, and there is at least one draft. Tokens are int64, and those of the result are on the
    arguments' device. No argument is modified. generator: the source of all randomness, or None for PyTorch's
    global one.
    """
    for place, token in enumerate(draft_tokens.tolist()):
        target, draft = target_probs[place], draft_probs[place]  # (vocab,)
        ratio = target[token] / draft[token]
        if torch.rand((), generator=generator, dtype=ratio.dtype, device=ratio.device) >= ratio:
            # What the drafts kept are too few of: with min(p, q) it adds up to p.
            residual = (target - draft).clamp(min=0)
            drawn = torch.multinomial(residual, num_samples=1, generator=generator)
            return torch.cat([draft_tokens[:place], drawn])
    bonus = torch.multinomial(target_probs[-1], num_samples=1, generator=generator)
    return torch.cat([draft_tokens, bonus])


def speculative_decode(
    target: Callable[[Int[Tensor, "length"]], Float[Tensor, "length vocab"]],
    draft: Callable[[Int[Tensor, "length"]], Float[Tensor, "length vocab"]],
    prompt: Int[Tensor, "length"],
    num_tokens: int,
    num_drafts: int,
    generator: torch.Generator | None = None,
) -> Int[Tensor, "num_tokens"]:
    """Exactly num_tokens new tokens after the prompt, distributed as the target alone would draw them.

    A model takes all tokens so far and gives a distribution for each position: row t is for the token *after*
    position t. Rows are probabilities, as in `verify`; both models have the same vocabulary and dtype.

    Each round draws num_drafts tokens from `draft`, one call for each, on all tokens before it; calls
    `target` *once*, on everything; and goes on with what `verify` gives. Where no more
    than num_drafts tokens are missing a round may draw fewer drafts, at least one. No round comes after
    num_tokens are there; what is too much is cut off. There is no end-of-sequence token. Calls of both models
    are counted.

    The prompt is int64, has at least one token, is not part of the result and not modified; the result is
    int64, on its device. num_tokens is at least 1. num_drafts < 1 raises ValueError (or AssertionError).
    generator: the source of all randomness, or None for PyTorch's global one.
    """
    if num_drafts < 1:
        raise ValueError(f"num_drafts must be at least 1, not {num_drafts}")
    tokens = prompt
    while len(tokens) < len(prompt) + num_tokens:
        drafted, rows = tokens, []
        for _ in range(num_drafts):
            rows.append(draft(drafted)[-1])
            drawn = torch.multinomial(rows[-1], num_samples=1, generator=generator)
            drafted = torch.cat([drafted, drawn])
        target_probs = target(drafted)[len(tokens) - 1 :]  # (num_drafts + 1, vocab): the last is the bonus's
        new = verify(drafted[len(tokens) :], torch.stack(rows), target_probs, generator)
        tokens = torch.cat([tokens, new])
    return tokens[len(prompt) :][:num_tokens]
