"""What the checks of several attention topics share: inputs, weights, oracles, and the count of kept weights.

Projections are linear layers named `q_proj`, `k_proj`, `v_proj` and `o_proj`. A fused one, `qkv_proj`, holds
the first three in this order.
"""

import math
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from grader.kit.assertions import assert_close, assert_true
from grader.kit.counts import allowed_of_cube_root, histogram
from grader.kit.generators import Rng
from grader.kit.handles import Instance, Weights
from grader.kit.measured import Measured
from grader.kit.rounds import is_second_round
from grader.kit.small import fill, whole

IN_FLOAT32 = 1e-5
"""The tolerance for gradients of long sequences or large scores: those of a softmax that is computed in
float32, as many do, are off by some 1e-6.
"""
OF_MASKS = """
sub abs le lt ge gt eq ne arange ones new_ones full tril triu logical_and logical_not bitwise_and bitwise_not
unsqueeze view slice expand where zeros zeros_like masked_fill masked_fill_ fill_
"""
"""Operations that make masks, and no scores."""
OF_MASKS_ALONE = "lt le gt ge eq ne tril triu"
"""Of these one at least: whoever only fills a square tensor may keep scores in it."""


def tokens(rng: Rng, *shape: int) -> Tensor:
    """Tokens so small that, with weights of `randomize`, scores are about 1 and no softmax is one-hot."""
    return rng.normal(*shape, scale=2 / math.sqrt(shape[-1]))


def assert_many_tokens(
    rng: Rng,
    attention: Instance,
    oracle: Callable[..., Any],
    weights: Mapping[str, Tensor],
    hidden_size: int,
    mask_dims: int = 0,
) -> None:
    """In the second round: some 300 tokens are right without a mask and, where masks have dimensions, with
    one of a row for all queries and of a row for each; and so are some 100 sequences. Values alone: there are
    many pairs.
    """
    if not is_second_round():
        return
    x = tokens(rng, 1, rng.option(300, 260, 330), hidden_size)
    x[:, -1] *= 4.0  # many queries score the last key highest
    seq = x.shape[1]
    assert_close(attention(x), oracle(weights, x), tolerance=IN_FLOAT32)
    for rows in (1, seq) if mask_dims else ():
        mask = rng.mask(*[1] * (mask_dims - 2), rows, seq)
        assert_close(attention(x, mask), oracle(weights, x, mask), tolerance=IN_FLOAT32)
    x = tokens(rng, rng.option(100, 65, 160), 3, hidden_size)
    assert_close(attention(x), oracle(weights, x), tolerance=IN_FLOAT32)
    if mask_dims > 2:
        mask = rng.mask(len(x), *[1] * (mask_dims - 3), 3, 3)
        assert_close(attention(x, mask), oracle(weights, x, mask), tolerance=IN_FLOAT32)


def with_zeros(rng: Rng, module: Instance, *shapes: tuple[int, ...]) -> tuple[Weights, *tuple[Tensor, ...]]:
    """Weights, which the module gets, and inputs of these shapes under which many queries, keys, values and
    scores are exactly 0: whole numbers from -1 to 1 without biases, and a first token of zeros.
    """
    weights = fill(rng, module, most=1, without="bias")
    inputs = [whole(rng, *shape, most=1) for shape in shapes]
    for each in inputs:
        each[:, 0] = 0.0
    return weights, *inputs


def other_layouts(rng: Rng, batch: int, seq: int, hidden_size: int) -> list[Tensor]:
    """A single token, a batch of one, and tokens that are not contiguous."""
    transposed = tokens(rng, seq, batch, hidden_size).transpose(0, 1)
    return [tokens(rng, batch, 1, hidden_size), tokens(rng, 1, seq, hidden_size), transposed]


def long_mask(rng: Rng, batch: int, heads: int, seq: int, kv_len: int | None = None) -> Tensor:
    """A mask under which the first sequence sees everything. Of the others' queries every third sees the last
    key or two alone, so that whole blocks of keys before these are hidden, and the next one some of the first
    alone.
    """
    kv_len = seq if kv_len is None else kv_len
    mask = rng.mask(batch, heads, seq, kv_len)
    mask[0] = True
    mask[1:, :, ::3, :-2], mask[1:, :, ::3, -1] = False, True
    mask[1:, :, 1::3, 9:], mask[1:, :, 1::3, 0] = False, True
    return mask


def linear_layers(**sizes: tuple[int, int]) -> dict[str, tuple[int, ...]]:
    """The parameters of linear layers with biases, by name and shape: `q_proj=(7, 5)` maps 7 features
    to 5."""
    weights: dict[str, tuple[int, ...]] = {f"{name}.weight": (n, m) for name, (m, n) in sizes.items()}
    return weights | {f"{name}.bias": (n,) for name, (_, n) in sizes.items()}


def separated(weights: Mapping[str, Tensor]) -> Weights:
    """Weights with a fused projection, and beside it `q_proj`, `k_proj` and `v_proj`, views of its thirds."""
    parts = {
        f"{name}_proj.{kind}": part
        for kind in ("weight", "bias")
        for name, part in zip("qkv", weights[f"qkv_proj.{kind}"].unflatten(0, (3, -1)), strict=True)
    }
    return Weights({**weights, **parts})


def project(weights: Mapping[str, Tensor], name: str, x: Tensor) -> Tensor:
    """x after the linear layer `<name>_proj`."""
    return F.linear(x, weights[f"{name}_proj.weight"], weights[f"{name}_proj.bias"])


def split_heads(x: Tensor, head_dim: int) -> Tensor:
    """(batch, seq, heads * head_dim) as (batch, heads, seq, head_dim)."""
    heads: Tensor = x.unflatten(2, (-1, head_dim))
    return heads.transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    """(batch, heads, seq, head_dim) as (batch, seq, heads * head_dim)."""
    return x.transpose(1, 2).flatten(2)


def multi_head_attention(
    weights: Mapping[str, Tensor],
    x: Tensor,
    context: Tensor,
    mask: Tensor | None,
    num_heads: int,
    *,
    written_out: bool = False,
) -> Tensor:
    """The function behind nn.MultiheadAttention, of x over context. In the mask True means allowed.

    `written_out`: it multiplies matrices itself instead of calling F.scaled_dot_product_attention.
    """
    batch, seq, hidden_size = x.shape
    allowed = torch.ones(1, 1, 1, 1, dtype=torch.bool) if mask is None else mask.bool()
    separate: dict[str, Any] = {f"{name}_proj_weight": weights[f"{name}_proj.weight"] for name in "qkv"}
    result, _ = F.multi_head_attention_forward(
        x.transpose(0, 1),
        context.transpose(0, 1),
        context.transpose(0, 1),
        hidden_size,
        num_heads,
        in_proj_weight=None,
        in_proj_bias=torch.cat([weights[f"{name}_proj.bias"] for name in "qkv"]),
        bias_k=None,
        bias_v=None,
        add_zero_attn=False,
        dropout_p=0.0,
        out_proj_weight=weights["o_proj.weight"],
        out_proj_bias=weights["o_proj.bias"],
        training=False,
        need_weights=written_out,
        attn_mask=~allowed.expand(batch, num_heads, seq, context.shape[1]).flatten(0, 1),
        use_separate_proj_weight=True,
        **separate,
    )
    return result.transpose(0, 1)


def with_large_scores(
    weights: Mapping[str, Tensor], *inputs: Tensor, head_dim: int, fused: bool = False, apart: bool = False
) -> tuple[Weights, *tuple[Tensor, ...]]:
    """Weights and inputs (x, or x and context) under which queries score the last key by turns 6600 below all
    others, like them, and 6600 above. No score is beyond 3300: -1e4 would do instead of one, or added to it,
    but not where sqrt(head_dim) divides it. `apart`: it is 10,200, between scores up to 4050 and one of 6150,
    so that -1e4 added to a score is not enough.

    The first feature of every head does it: a query has it from feature 0 of its token, a key from feature 1.
    """
    changed = Weights({name: value.clone() for name, value in weights.items()})
    parts = separated(changed) if fused else changed
    for name, factor, feature in [("q_proj", 5.0, 0), ("k_proj", 300.0 * math.sqrt(head_dim), 1)]:
        parts[f"{name}.weight"][::head_dim], parts[f"{name}.bias"][::head_dim] = 0.0, 0.0
        parts[f"{name}.weight"][::head_dim, feature] = factor
    copies = [value.clone() for value in inputs]
    asking, answering = copies[0], copies[-1]
    asking[..., 0] = 1.0 - torch.arange(asking.shape[1]) % 3
    answering[..., 1], answering[:, -1, 1] = (2.7, -4.1) if apart else (2.2, -2.2)
    return changed, *copies


def assert_large_scores_of_wide_heads(
    rng: Rng, module: Instance, oracle: Callable[..., Any], hidden_size: int, num_heads: int
) -> None:
    """In the second round: scores in the thousands are right where heads have 64 features. What is filled in
    for a forbidden one and divided by their root then may be above those that are allowed.
    """
    if not is_second_round():
        return
    own, x = module.randomize(rng), tokens(rng, 1, 7, hidden_size)
    weights, *inputs = with_large_scores(own, x, head_dim=64)
    module.load(weights)
    mask = rng.mask(1, num_heads, 7, 7)
    mask[..., 2, 0], mask[..., 2, -1] = True, False  # this query scores all but the last far below 0
    assert_close(module(*inputs, mask), oracle(weights, *inputs, mask), tolerance=1e-3)


def counting_weights(rng: Rng, parameters: Mapping[str, tuple[int, ...]]) -> dict[str, Tensor]:
    """Weights under which the result counts the attention weights that dropout keeps.

    Heads have 3 features. All scores are 0, so that all attention weights are equal. The values are 1, 1 and
    a number of the token's own, and `o_proj` adds 1 to the heads' results.
    """
    weights = {name: torch.zeros(shape, dtype=torch.float64) for name, shape in parameters.items()}
    parts = separated(weights) if "qkv_proj.weight" in weights else weights
    parts["v_proj.bias"].unflatten(0, (-1, 3))[:, :2] = 1.0
    third = parts["v_proj.weight"][2::3]
    third += rng.normal(*third.shape)
    weights["o_proj.weight"] += torch.eye(len(weights["o_proj.bias"]))
    weights["o_proj.bias"] += 1.0
    return weights


def assert_dropout_acts_on_weights(came: Tensor, *, kv_len: int, num_heads: int, dropout: float) -> None:
    """What came in training with `counting_weights` shows that every attention weight is dropped on its own,
    with probability `dropout`, and that those kept are divided by 1 - dropout."""
    keep = 1 - dropout
    # The weights are all 1 / kv_len. The first two values of a head are 1: both count the weights it kept.
    results = came.unflatten(2, (num_heads, 3))
    kept = (results[..., :2] - 1.0) * kv_len * keep
    message = (
        "with equal weights and values of 1 the result should be the share of a query's weights that was "
        "kept, divided by 1 - dropout. It is not: something else is dropped, or what is kept is not divided "
        "by 1 - dropout, or the weights are normalized once more after the dropout"
    )
    is_a_count = torch.allclose(kept, kept[..., :1].round().expand_as(kept))
    # The third value tells whether some weights were dropped for all that: queries then miss other tokens.
    seen = [histogram(kept[..., 0], low=-1, high=kv_len + 1), bool(results[..., 2].var(1).mean() > 1e-9)]
    assert_true(is_a_count, message, seen=is_a_count or seen)
    silent = (kept[..., 0].abs() < 0.5).all(2).all(0).nonzero().flatten().tolist()
    message = f"the queries {str(silent)[1:-1]} have no weights at all, in no sequence and no head"
    assert_true(not silent, message, seen=silent)
    counts = kept[..., 0].squeeze(2)  # (batch, queries, heads), or (batch, queries) where there is one head
    spreads = torch.stack([counts.var(dim).mean() for dim in range(counts.ndim)])
    names = ("sequences", "queries", "heads")[: counts.ndim]
    alike = [name for name, spread in zip(names, spreads, strict=True) if spread < 1e-9]
    message = f"all {' and all '.join(alike)} drop the same weights: draw for each weight on its own"
    # Before the share: of draws that are shared, there are so few that theirs may be any.
    assert_true(not alike, message, seen=alike)
    heads = counts.unbind(2) if counts.ndim == 3 else ()
    twins = [[i, j] for (i, one), (j, two) in combinations(enumerate(heads), 2) if torch.allclose(one, two)]
    message = f"some heads, {str(twins)[1:-1]}, drop the same weights: draw for each weight on its own"
    assert_true(not twins, message, seen=twins)
    share = float(kept.mean()) / kv_len
    message = f"the share of weights kept: yours {share:.2f}, expected {keep:.2f}"
    assert_true(abs(share - keep) <= 0.08, message, seen=round(share, 1))
    variance = kv_len * dropout * keep
    # Averaged variances of n draws each. Where draws are shared they are further off.
    allowed = max(allowed_of_cube_root(variance, counts.numel() * (n - 1) / n) for n in counts.shape)
    over = "batch, queries and heads" if num_heads > 1 else "batch and queries"
    what = f"the cube root of the variance of the number of weights kept, over {over}"
    expected = torch.full_like(spreads, variance ** (1 / 3))
    assert_close(spreads ** (1 / 3), expected, absolute=allowed, what=what)


def assert_never_square(measured: Measured, seq: int) -> None:
    """No operation of a call makes a tensor whose last two sizes are both `seq` or more."""
    square = [
        (operation.name, shape)
        for operation in measured.operations
        for shape in operation.shapes
        if len(shape) > 1 and min(shape[-2:]) >= seq
    ]
    name, shape = square[0] if square else ("", ())
    message = f"with {seq} tokens, an operation ({name}) makes a tensor of shape {shape}: that is quadratic"
    assert_true(not square, message, seen=_made_by({name for name, _ in square}))


def _made_by(operations: set[str]) -> list[str]:
    """For diagnosis: what quadratic tensors are, as far as the operations that make them tell."""
    if operations & {"bmm", "mm", "baddbmm"}:
        return ["a product of matrices"]
    is_mask = operations <= set(OF_MASKS.split()) and operations & set(OF_MASKS_ALONE.split())
    return ["a mask"] if is_mask else sorted(operations)
