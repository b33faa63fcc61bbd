"""Where a GPT-2 drops entries, and how many, read off its logits: whatever it is made of.

Its token embedding is the identity, so that the logits are what the last norm gives. One part adds a tiny
number to every even feature and nothing to the odd ones, all other parts add nothing: so small a number that
the norm, which adds 1e-5 to the variance, only subtracts the mean and divides by sqrt(1e-5). So each even
feature less an odd one tells by what its tiny number was multiplied: 0 where it was dropped, 1 / (1 -
dropout) where not.
"""

import math
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from grader.kit.assertions import assert_close, assert_true
from grader.kit.counts import allowed_of_cube_root, shares_of_factors
from grader.kit.families.models import tied
from grader.kit.handles import Instance
from grader.kit.rules.draws import assert_uncorrelated

VOCAB, HIDDEN, LAYERS, HEADS, SEQ = 47, 44, 2, 4, 12
SIZES = (VOCAB, HIDDEN, LAYERS, HEADS, SEQ)
BATCH = 23
_SINGLE = 307
_TINY = 1e-6
_SILENT = VOCAB - 1
"""A token that is not among the identity: its embedding is nearly zero."""
_ALLOWED = 0.04
"""How far a share may be off: more than six standard deviations."""

Weights = Mapping[str, Tensor]


def _embeddings(weights: Weights) -> None:
    weights["position_embedding.weight"][:, ::2] = _TINY / 2
    weights["token_embedding.weight"][_SILENT, ::2] = _TINY / 2


def _attention(weights: Weights) -> None:
    weights["layers.1.o_proj.bias"][::2] = _TINY


def _network(weights: Weights) -> None:
    """From all that goes in, through all hidden units alike: to drop any of it would show."""
    _give_ones(weights, "layers.0.norm2")
    weights["layers.0.up_proj.weight"][:] = 10.0 / HIDDEN
    weights["layers.0.down_proj.weight"][::2] = _TINY / (10.0 * 4 * HIDDEN)


def _attention_weights(weights: Weights) -> None:
    """All scores are 0, all values 1, and head i makes the even features 2 i, 2 i + 8, 2 i + 16 …"""
    _give_ones(weights, "layers.1.norm1")
    weights["layers.1.qkv_proj.weight"][2 * HIDDEN :] = 1.0 / HIDDEN
    for feature in range(0, HIDDEN, 2):
        head = feature // 2 % HEADS
        weights["layers.1.o_proj.weight"][feature, head * HIDDEN // HEADS] = _TINY


def _give_ones(weights: Weights, norm: str) -> None:
    weights[f"{norm}.weight"][:], weights[f"{norm}.bias"][:] = 0.0, 1.0


PLACES: dict[str, Callable[[Weights], None]] = {
    "the sum of the embeddings": _embeddings,
    "what attention adds": _attention,
    "what the network adds": _network,
}


def weights_of_one_part(
    shapes: Mapping[str, tuple[int, ...]], part: Callable[[Weights], None] | None = None
) -> dict[str, Tensor]:
    """Weights under which this part of a layer (by default attention, all of whose scores are 0) is alone."""
    weights = {name: torch.zeros(shape, dtype=torch.float64) for name, shape in shapes.items()}
    weights["norm.weight"] += 1.0
    weights["token_embedding.weight"][:HIDDEN] = torch.eye(HIDDEN)
    (part or _attention_weights)(weights)
    return weights


def silent_tokens() -> Tensor:
    """The tokens to call it with."""
    return torch.full((BATCH, SEQ), _SILENT)


def factors_of(logits: Tensor) -> Tensor:
    """By what the tiny numbers were multiplied, (batch, seq, even features)."""
    normed = logits[..., :HIDDEN]
    return (normed[..., ::2] - normed[..., 1:2]) * math.sqrt(1e-5) / _TINY


def assert_entries_dropped(factors: Tensor, dropout: float, where: str) -> None:
    """Each entry is dropped on its own with this probability, or divided by 1 - dropout."""
    dropped = factors.abs() < 1e-3
    kept = (factors * (1 - dropout) - 1).abs() < 1e-3
    fine, share = bool((dropped | kept).all()), float(dropped.double().mean())
    message = (
        f"{where}: {share:.0%} of the entries are 0, and {float(kept.double().mean()):.0%} are what they "
        f"should be divided by 1 - dropout. Expected are {dropout:.0%} and {1 - dropout:.0%}"
    )
    seen = shares_of_factors(factors, dropout)
    right = fine and abs(share - dropout) <= _ALLOWED
    assert_true(right, message, seen=seen)
    if not right:
        return
    rows = dropped.flatten(0, 1).double()  # (tokens, features)
    rows = (rows - rows.mean()) / rows.std()
    products = {"of one token's with the next": rows[1:] * rows[:-1]}
    products["of one feature's with the next"] = rows[:, 1:] * rows[:, :-1]
    fewest = min(product.numel() for product in products.values())
    assert_uncorrelated({name: product.mean() for name, product in products.items()}, fewest)


def assert_attention_weights_dropped(factors: Tensor, dropout: float) -> None:
    """Of the last token's SEQ equal attention weights each is dropped on its own, in each head."""
    # Of a head's features those are 0 that the branch drops.
    by_head = torch.stack([factors[:, -1, head::HEADS].amax(1) for head in range(HEADS)], dim=1)
    counts = by_head[by_head > 1e-3] * SEQ * (1 - dropout) ** 2  # once for the weights, once for the branch
    whole = counts.numel() > 0 and bool((counts - counts.round()).abs().max() < 1e-2)
    share = float(counts.mean()) / SEQ if counts.numel() else 0.0
    message = (
        f"the attention weights: a share of {share:.2f} is kept, expected {1 - dropout:.2f}, and what is "
        "kept is divided by 1 - dropout"
    )
    right = whole and abs(share - 1 + dropout) <= _ALLOWED
    # For diagnosis what does not depend on the draw.
    assert_true(right, message, seen=right or (round(share, 1) if whole else "no counts"))
    if not right:
        return
    variance = SEQ * dropout * (1 - dropout)
    came, expected = counts.var() ** (1 / 3), torch.tensor(variance, dtype=torch.float64) ** (1 / 3)
    allowed = allowed_of_cube_root(variance, counts.numel() - 1)
    assert_close(came, expected, absolute=allowed, what="the cube root of the variance of the weights kept")


def assert_dropped_for_single_tokens(model: Instance, dropout: float) -> None:
    """A text of a single token has one attention weight in each head, 1: it is dropped as others are. The
    model has the weights of attention alone.
    """
    factors = factors_of(model(torch.full((_SINGLE, 1), _SILENT)))[:, 0]
    # The branch drops all of a head's features by itself less than once in a thousand times.
    heads = torch.stack([factors[:, head::HEADS].abs().amax(1) for head in range(HEADS)])
    share = float((heads < 1e-3).double().mean())
    right = abs(share - dropout) <= 2 * _ALLOWED
    message = (
        f"texts of a single token: {share:.0%} of the attention weights are dropped, expected {dropout:.0%}. "
        "Also a token that attends to itself alone has a weight that may be dropped"
    )
    assert_true(right, message, seen=right or round(share, 1))


def assert_dropped_everywhere(model: Instance, dropout: float) -> None:
    """In all four places entries are dropped with this probability: the model as it is, in training."""
    shapes = tied.shapes_by_usual_names(model)
    for place, part in PLACES.items():
        tied.load(model, weights_of_one_part(shapes, part))
        assert_entries_dropped(factors_of(model(silent_tokens())), dropout, place)
    tied.load(model, weights_of_one_part(shapes))
    logits = torch.cat([model(silent_tokens()) for _ in range(4)])
    assert_attention_weights_dropped(factors_of(logits), dropout)
