"""Checks of `LatentQueryAttention`: parameters, both stages, the mask of the first, dropout, gradients."""

from functools import partial

import pytest
import torch
import torch.nn.functional as F

from grader.kit import (
    assert_close,
    assert_distribution,
    assert_dropout_in_training_only,
    assert_inputs_unchanged,
    assert_nothing_dropped,
    assert_parameters,
    assert_raises,
    assert_same_gradients,
    assert_true,
)
from grader.kit.counts import SIGMAS
from grader.kit.families.attention.checks import (
    IN_FLOAT32,
    linear_layers,
    merge_heads,
    other_layouts,
    project,
    split_heads,
    tokens,
    with_zeros,
)
from grader.kit.families.attention.kept_patterns import number_of, patterns_kept
from grader.kit.families.models.default_devices import assert_calls_keep_device
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.rules.drawn_gradients import assert_gradients_whatever_is_dropped
from grader.kit.rules.hidden import assert_hidden_in_training
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole


def workload(submission, rng):
    attention = submission.LatentQueryAttention(64, 4, 8)
    attention.randomize(rng, torch.float32)
    return attention.measure(tokens(rng, 2, 128, 64).float())


LADDER = [(1, 1, 1, 1), (2, 1, 1, 1), (2, 2, 1, 2), (2, 2, 2, 2), (3, 2, 2, 3)]


def smallest(submission, rng, seq, hidden_size, num_heads, latent_len):
    """small whole numbers give what two calls of the built-in give"""
    attention = submission.LatentQueryAttention(hidden_size, num_heads, latent_len)
    weights, x = fill(rng, attention), whole(rng, 1, seq, hidden_size)
    assert_close(attention(x), built_in(weights, x, num_heads=num_heads))


def built_in(weights, x, mask=None, *, num_heads=3):
    """Two calls of F.scaled_dot_product_attention."""
    head_dim = x.shape[2] // num_heads
    query, key, value = (split_heads(project(weights, name, x), head_dim) for name in "qkv")
    latent = split_heads(weights["latent_q"].expand(len(x), -1, -1), head_dim)
    summary = F.scaled_dot_product_attention(latent, key, value, mask)
    results = F.scaled_dot_product_attention(query, summary, summary)
    return project(weights, "o", merge_heads(results))


def parameters(size, latent_len):
    layers = linear_layers(**{f"{name}_proj": (size, size) for name in "qkvo"})
    return {"latent_q": (1, latent_len, size), **layers}


def mask_for(rng, *sizes):
    return rng.mask(*sizes)[:, None, None]


def test_parameters(submission):
    """latent_q of (1, latent_len, hidden_size), and four projections with biases"""
    assert_parameters(submission.LatentQueryAttention(15, 3, 4), parameters(15, 4))
    if is_second_round():
        finite = submission.run(made_after_nan, 60, 3, 40)
        assert_true(finite, "latent_q is not finite at first: memory that is only reserved holds anything")


def made_after_nan(answer, hidden_size, num_heads, latent_len):
    size, finite = (1, latent_len, hidden_size), []
    for _ in range(9):
        freed = [torch.full(size, float("nan")) for _ in range(32)]
        del freed
        finite.append(
            answer.LatentQueryAttention(hidden_size, num_heads, latent_len).latent_q.isfinite().all()
        )
    return all(map(bool, finite))


@pytest.mark.parametrize(
    "num_heads, latent_len, seq", [(3, 4, 7), (1, 4, 7), (5, 1, 7), (3, 11, 7), (15, 2, 1)]
)
def test_equals_two_attentions(submission, rng, num_heads, latent_len, seq):
    """equals two calls of F.scaled_dot_product_attention, for any number of heads and latents"""
    attention = submission.LatentQueryAttention(15, num_heads, latent_len)
    weights, x = attention.randomize(rng), tokens(rng, 2, seq, 15)
    assert_close(attention(x), built_in(weights, x, num_heads=num_heads))


@pytest.mark.parametrize("rows, whole_first", [(2, False), (1, False), (2, True), (1, True)])
def test_mask(submission, rng, rows, whole_first):
    """the latents do not see tokens where the mask is False, of each sequence or of all alike"""
    attention = submission.LatentQueryAttention(15, 3, 4)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 15), mask_for(rng, rows, 7)
    mask[0] |= whole_first
    assert_close(attention(x, mask), built_in(weights, x, mask))


def test_as_many_latents_as_tokens(submission, rng):
    """with as many latents as tokens, the mask acts on the first stage alone"""
    attention = submission.LatentQueryAttention(15, 3, 7)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 15), mask_for(rng, 2, 7)
    assert_close(attention(x, mask), built_in(weights, x, mask))


def test_longer_sequences(submission, rng):
    """139 tokens and 37 latents, more than usual blocks take, are right to the last, also if the first are
    hidden"""
    attention = submission.LatentQueryAttention(15, 3, 37)
    weights, x, mask = attention.randomize(rng), tokens(rng, 3, 139, 15), mask_for(rng, 3, 139)
    mask[0], mask[1, ..., :131] = True, False
    mask[1, ..., -1] = True
    assert_close(attention(x), built_in(weights, x))
    assert_same_gradients(
        attention, built_in, x, weights=weights, mask=mask, alone=False, tolerance=IN_FLOAT32
    )


def test_many_sequences_and_latents(submission, rng):
    """131 sequences, 131 features and 137 latents, more than usual blocks take, are right to the last"""
    wide, attention = (submission.LatentQueryAttention(*sizes) for sizes in ((131, 1, 137), (6, 3, 2)))
    weights, x = wide.randomize(rng), tokens(rng, 1, 3, 131)
    assert_close(wide(x), built_in(weights, x, num_heads=1))
    weights, x, mask = attention.randomize(rng), tokens(rng, 131, 3, 6), mask_for(rng, 131, 3)
    assert_close(attention(x, mask), built_in(weights, x, mask))


@pytest.mark.parametrize("masked", [True, False])
def test_gradients(submission, rng, masked):
    """the gradients of x and of every parameter, latent_q too, equal the built-in's"""
    attention = submission.LatentQueryAttention(15, 3, 4)
    weights, x = attention.randomize(rng), tokens(rng, 2, 7, 15)
    mask = mask_for(rng, 2, 7) if masked else None
    assert_same_gradients(attention, built_in, x, weights=weights, mask=mask)


def test_float32_is_kept(submission, rng):
    """float32 is kept, with a mask"""
    attention = submission.LatentQueryAttention(15, 3, 4)
    weights = attention.randomize(rng, dtype=torch.float32)
    x, mask = tokens(rng, 2, 7, 15).float(), mask_for(rng, 2, 7)
    assert_close(attention(x, mask=mask), built_in(weights, x, mask))


def with_large_scores(rng, weights):
    """Weights, tokens and a mask under which the latents score the allowed tokens of the first sequence some
    3000, of the second and third -3000, of the others small. In the third and fourth forbidden ones score
    3000.
    """
    x, mask = tokens(rng, 5, 7, 15), mask_for(rng, 5, 7)
    weights["latent_q"][..., ::5] = 5**0.5
    weights["k_proj.bias"][::5], weights["k_proj.weight"][::5] = 0.0, 0.0
    weights["k_proj.weight"][::5, 1] = 1.0
    weights["q_proj.weight"][:, 1], weights["v_proj.weight"][:, 1] = 0.0, 0.0
    x[0, :, 1], x[1, :, 1] = 3e3, -3e3
    x[2, :, 1] = torch.where(mask[2, 0, 0], -3e3, 3e3)
    x[3, :, 1] = torch.where(mask[3, 0, 0], x[3, :, 1], 3e3)
    return weights, x, mask


@pytest.mark.parametrize("masked", [True, False])
def test_large_scores_do_not_overflow(submission, rng, masked):
    """scores in the thousands give right values and gradients, also at masked tokens, and without a mask"""
    attention = submission.LatentQueryAttention(15, 3, 4)
    weights, x, mask = with_large_scores(rng, attention.randomize(rng))
    attention.load(weights)
    each = mask if masked else None
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_same_gradients(attention, built_in, x, each, weights=weights, tolerance=1e-3)
    if is_second_round():  # 11,000 apart: -1e4 added to a forbidden score is not enough
        x[2, :, 1] *= 5.5 / 3
        assert_close(attention(x, mask), built_in(weights, x, mask), tolerance=1e-2)


def test_instances_keep_apart(submission, rng):
    """two modules with other numbers of heads and latents, used by turns, give what each alone gives"""

    def player(attention, num_heads):
        calls = [(tokens(rng, 2, 7, 15), mask) for mask in (None, mask_for(rng, 2, 7), None, None)]
        return with_weights(rng, attention, partial(built_in, num_heads=num_heads), calls)

    first, second = (made := submission.LatentQueryAttention)(15, 3, 4), made(15, 5, 2, 0.5)
    assert_by_turns(player(first.train(), 3), player(second.eval(), 5), beside=(made, 20, 4, 3))


def test_zeros_are_numbers_like_others(submission, rng):
    """tokens of zeros and scores of exactly 0 count like any others, with a mask and without"""
    attention, mask = submission.LatentQueryAttention(15, 3, 4), mask_for(rng, 2, 7)
    weights, x = with_zeros(rng, attention, (2, 7, 15))
    assert_close([attention(x), attention(x, mask)], [built_in(weights, x), built_in(weights, x, mask)])


def test_other_layouts(submission, rng):
    """a single token, a batch of one and an x that is not contiguous are right"""
    weights = (attention := submission.LatentQueryAttention(15, 3, 4)).randomize(rng)
    xs = other_layouts(rng, 2, 7, 15)
    assert_close([attention(x) for x in xs], [built_in(weights, x) for x in xs])


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    attention = submission.LatentQueryAttention(15, 3, 4, 0.5)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 15), mask_for(rng, 2, 7)
    assert_nothing_dropped(attention, x, mask, expected=built_in(weights, x, mask))


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    (attention := submission.LatentQueryAttention(15, 3, 4, dropout=0.5)).randomize(rng)
    assert_dropout_in_training_only(attention, tokens(rng, 2, 7, 15), mask=mask_for(rng, 2, 7))


def test_mask_in_training(submission, rng):
    """in training too the latents see no token where the mask is False, and gradients reach all parameters"""
    attention = submission.LatentQueryAttention(15, 3, 4, dropout=0.3)
    attention.randomize(rng)
    x, seen = tokens(rng, 2, 7, 15), rng.mask(2, 7)
    mask = seen[:, None, None]
    assert_hidden_in_training(attention, x, like=x, where=seen, hidden={0: ~seen}, mask=mask)
    assert_gradients_whatever_is_dropped(attention, tokens(rng, 5, 7, 15), constants={"mask": mask[:1]})


def test_dropout_in_both_stages(submission):
    """dropout drops the weights of both stages, and divides the others by 1 - dropout"""
    attention = submission.LatentQueryAttention(9, 3, 1, dropout=0.3)
    weights = {name: torch.zeros(shape, dtype=torch.float64) for name, shape in parameters(9, 1).items()}
    weights["v_proj.bias"] += 1.0
    weights["o_proj.weight"] += torch.eye(9)
    attention.load(weights)
    # One token, one latent: each stage has one weight of 1, and the values are 1.
    came = attention.train()(torch.zeros(600, 1, 9, dtype=torch.float64)).unflatten(2, (3, 3))
    kinds = sorted(set(came.double().mul(1000).round().long().flatten().tolist()))
    message = "with a single token and a single latent, either weight is dropped or divided by 1 - dropout: "
    message += f"0 or {1 / 0.7**2:.3f} comes out; yours has {', '.join(f'{k / 1000:.3f}' for k in kinds[:5])}"
    alike = bool((came == came[..., :1]).all())  # a head has one weight, whatever its features
    assert_true(kinds == [0, 2041] and alike, message, seen=[*kinds[:5], alike])
    share = float((came[..., 0] != 0).double().mean())
    far = SIGMAS * (0.49 * 0.51 / 1800) ** 0.5
    assert_true(abs(share - 0.49) < far, f"the share kept in both stages: {share:.2f}, expected 0.49")


@pytest.mark.parametrize("seq, latent_len", [(2, 1), (1, 2)])
def test_each_weight_is_dropped_on_its_own(submission, seq, latent_len):
    """dropout draws for each weight of both stages, of every sequence, head and query"""
    attention = submission.LatentQueryAttention(6, 2, latent_len, dropout=0.3)
    shapes = parameters(6, latent_len)
    weights = {name: torch.zeros(shape, dtype=torch.float64) for name, shape in shapes.items()}
    weights["v_proj.bias"] += 1.0
    weights["o_proj.weight"] += torch.eye(6)
    attention.load(weights)
    # All weights are equal, and all values 1: what comes counts the paths that are kept.
    came = attention.train()(torch.zeros(1000, seq, 6, dtype=torch.float64)).double()
    paths = seq * latent_len
    counts = (came[..., [0, 3]] * paths * 0.7**2).round().long().clamp(0, paths)
    what = "of equal weights, what is kept should be drawn for each on its own. Of all patterns, number"
    samples = number_of(counts.transpose(1, 2).flatten(1), paths + 1)
    assert_distribution(samples, patterns_kept(seq, latent_len, 0.7), what=what)


@pytest.mark.parametrize("hidden_size, num_heads", [(10, 3), (3, 5)])
def test_bad_number_of_heads_raises(submission, hidden_size, num_heads):
    """a num_heads that does not divide hidden_size raises ValueError in the constructor"""
    assert_raises(submission.LatentQueryAttention, hidden_size, num_heads, 2)


def test_device(submission, rng):
    """the result is on the device of x and the parameters, whatever the default device is"""
    x, mask = tokens(rng, 2, 7, 15).float(), mask_for(rng, 2, 7)
    assert_keeps_device(submission, "LatentQueryAttention", x, mask, made_with=(15, 3, 4))
    assert_calls_keep_device(submission, "LatentQueryAttention", (x,), (x, mask), made_with=(15, 3, 4, 0.4))


def test_inputs_are_not_modified(submission, rng):
    """x and mask are not modified"""
    attention = submission.LatentQueryAttention(15, 3, 4).to(torch.float64)
    x = tokens(rng, 2, 7, 15)
    assert_inputs_unchanged(attention, x, mask=mask_for(rng, 2, 7))
    assert_inputs_unchanged(attention, x)
