"""Checks of `MultiHeadAttention` on the fused kernel: values, kinds of mask, dropout, what computes it."""

from functools import partial

import pytest
import torch

from grader.kit import (
    assert_at_most,
    assert_close,
    assert_dropout_in_training_only,
    assert_inputs_unchanged,
    assert_parameters,
    assert_raises,
    assert_same_gradients,
    assert_true,
)
from grader.kit.families import masking
from grader.kit.families.attention.checks import (
    assert_dropout_acts_on_weights,
    counting_weights,
    linear_layers,
    long_mask,
    multi_head_attention,
    other_layouts,
    separated,
    tokens,
    with_large_scores,
    with_zeros,
)
from grader.kit.families.attention.dropout_checks import assert_gradients_under_dropout
from grader.kit.families.attention.other_values import with_other_values_inside
from grader.kit.rounds import is_second_round
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole

pytestmark = pytest.mark.forbid("multi_head_attention")

CAUSAL = torch.ones(1, 1, 7, 7, dtype=torch.bool).tril()
# The scores of 2 sequences in 3 heads over 37 tokens have more elements than any projection of 15 features.
SCORES = 2 * 3 * 37 * 37
WAYS = {}, {"mask": torch.ones(2, 1, 37, 37, dtype=torch.bool)}, {"is_causal": True}
each_way = pytest.mark.parametrize("options", WAYS)


def workload(submission, rng):
    attention = submission.MultiHeadAttention(64, 4)
    attention.randomize(rng, torch.float32)
    return attention.measure(tokens(rng, 2, 64, 64).float())


LADDER = [(1, 1, 1, False), (2, 1, 1, False), (2, 2, 1, False), (2, 2, 2, False), (3, 2, 1, True)]


def smallest(submission, rng, seq, hidden_size, num_heads, masked):
    """small whole numbers give what the built-in gives"""
    attention = submission.MultiHeadAttention(hidden_size, num_heads)
    weights, x = fill(rng, attention), whole(rng, 1, seq, hidden_size)
    mask = rng.mask(1, 1, seq, seq) if masked else None
    assert_close(attention(x, mask), written_out(weights, x, mask, num_heads=num_heads))


def written_out(weights, x, mask=None, *, num_heads=3):
    """The function behind nn.MultiheadAttention, without the built-in."""
    return multi_head_attention(separated(weights), x, x, mask, num_heads, written_out=True)


def causal(weights, x, *, is_causal):
    return written_out(weights, x, masking.causal(x.shape[1], x.shape[1])[None, None])


def is_built_in(operation):
    return "scaled_dot_product" in operation.name + operation.inside


def mask_of(options):
    """The mask that the options of a call over 37 tokens come to."""
    return masking.causal(37, 37)[None, None] if options.get("is_causal") else options.get("mask")


def parameters(size):
    return linear_layers(qkv_proj=(size, 3 * size), o_proj=(size, size))


def test_parameters(submission):
    """the parameters are qkv_proj to 3 * hidden_size and o_proj to hidden_size features, with biases"""
    assert_parameters(submission.MultiHeadAttention(15, 3), parameters(15))


@pytest.mark.parametrize("hidden_size, num_heads", [(15, 3), (7, 1), (74, 2)])
def test_equals_attention_written_out(submission, rng, hidden_size, num_heads):
    """equals nn.MultiheadAttention with the same weights"""
    attention = submission.MultiHeadAttention(hidden_size, num_heads)
    weights, x = attention.randomize(rng), tokens(rng, 2, 7, hidden_size)
    assert_close(attention(x), written_out(weights, x, num_heads=num_heads))


@each_way
def test_calls_the_built_in(submission, rng, options):
    """F.scaled_dot_product_attention computes the attention of all heads"""
    attention = submission.MultiHeadAttention(15, 3).eval()
    weights, x = attention.randomize(rng, torch.float32), tokens(rng, 2, 37, 15).float()
    measured = attention.measure(x, **options)
    flops = sum(o.times * o.matmul_flops for o in measured.operations if is_built_in(o))
    message = "F.scaled_dot_product_attention is not called on the queries, keys and values of all heads"
    # Scores and weighted sums: two products with 5 features a head, two FLOPs a multiplication.
    assert_true(flops >= 2 * 2 * SCORES * 5, message, seen=float(flops))
    assert_close(measured.value, written_out(weights, x, mask_of(options)))


@pytest.mark.parametrize("options, seq", [*((way, 37) for way in WAYS), (WAYS[1], 7)])
def test_result_comes_from_the_built_in(submission, rng, options, seq):
    """if the built-in returned other values, the result would be o_proj of these, under dropout too"""
    attention = submission.MultiHeadAttention(15, 3, dropout=1e-15).train()  # which drops nothing
    weights, x = attention.randomize(rng), tokens(rng, 2, seq, 15)
    factors, whole_mask = rng.uniform(5, low=2.0, high=3.0, dtype=torch.float64), mask_of(options)
    mask = options["mask"][..., :seq, :seq] if "mask" in options else None
    is_causal = options.get("is_causal", False)
    came = submission.run(with_other_values_inside, attention, x, factors, mask, is_causal)
    kept = None if whole_mask is None else whole_mask[..., :seq, :seq]
    scaled = type(weights)({**weights, "o_proj.weight": weights["o_proj.weight"] * factors.repeat(3)})
    assert_close(came, written_out(scaled, x, kept), what="the result, with other values from the built-in")


@each_way
def test_no_product_of_the_scores_size(submission, rng, options):
    """no matrix product outside of the built-in makes a tensor of the scores' size"""
    attention = submission.MultiHeadAttention(15, 3)
    weights, x = attention.randomize(rng, torch.float32), tokens(rng, 2, 37, 15).float()
    measured = attention.measure(x, **options)
    own = [o for o in measured.operations if o.matmul_flops and not is_built_in(o)]
    # From the limit on: below it all are alike for diagnosis, one projection for three and three of them.
    largest = max([SCORES - 1, *(torch.Size(shape).numel() for o in own for shape in o.shapes)])
    cause = "So the scores are made a second time, beside the fused kernel, and memory grows with the square "
    cause += "of the length again. Usually some query @ key is left over from attention written out"
    assert_at_most(largest, SCORES - 1, "elements of the largest matrix product of your own", cause=cause)
    assert_close(measured.value, written_out(weights, x, mask_of(options)))


@pytest.mark.parametrize("shape", [(2, 1, 1, 7), (1, 3, 1, 7), (2, 1, 7, 1)])
def test_mask_broadcasts(submission, rng, shape):
    """keys where the boolean mask is False get no weight, in every shape that broadcasts"""
    attention = submission.MultiHeadAttention(15, 3)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 15), rng.mask(*shape)
    assert_close(attention(x, mask), written_out(weights, x, mask))


def test_mask_counts_in_all_its_parts(submission, rng):
    """a mask whose first head or sequence, or one triangle, is all True or causal counts in the rest too"""
    attention, masks = submission.MultiHeadAttention(15, 3), masking.plain_in_part(rng.mask(2, 3, 7, 7))
    masks = [mask.mT.contiguous().mT for mask in masks]  # transposed in memory
    weights, x = attention.randomize(rng), tokens(rng, 2, 7, 15)
    assert_close([attention(x, mask) for mask in masks], [written_out(weights, x, mask) for mask in masks])


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16])
def test_mask_of_floats(submission, rng, dtype):
    """a mask of floats keeps where it is 1 and drops where it is 0"""
    attention = submission.MultiHeadAttention(15, 3)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 15), rng.mask(2, 1, 7, 7)
    for each in [dtype, *[torch.bfloat16, torch.float32] * is_second_round()]:
        every_second = mask.to(each).repeat_interleave(2, dim=-1)[..., ::2]
        assert_close(attention(x, every_second), written_out(weights, x, mask))


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8])
def test_mask_of_integers(submission, rng, dtype):
    """a mask of integers keeps where it is 1 and drops where it is 0"""
    attention = submission.MultiHeadAttention(15, 3)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 15), rng.mask(2, 1, 1, 7)
    for each in [dtype, *[torch.int32, torch.int16, torch.int8] * is_second_round()]:
        assert_close(attention(x, mask.to(each)), written_out(weights, x, mask))


def test_large_scores_do_not_overflow(submission, rng):
    """scores in the thousands give right values and gradients, also at masked places"""
    attention, mask = submission.MultiHeadAttention(15, 3), rng.mask(2, 3, 7, 7)
    weights, x = attention.randomize(rng), tokens(rng, 2, 7, 15)
    is_fused, apart = "qkv_proj.weight" in weights, is_second_round()
    weights, x = with_large_scores(weights, x, head_dim=5, fused=is_fused, apart=apart)
    attention.load(weights)
    assert_same_gradients(attention, written_out, x, weights=weights, mask=mask, tolerance=1e-3)


def test_causal(submission, rng):
    """with is_causal token i attends to the tokens 0 to i only"""
    attention = submission.MultiHeadAttention(15, 3)
    weights, x = attention.randomize(rng), tokens(rng, 2, 7, 15)
    assert_close(attention(x, is_causal=True), causal(weights, x, is_causal=True))


def test_gradients(submission, rng):
    """the gradients of x and of every parameter equal nn.MultiheadAttention's"""
    attention = submission.MultiHeadAttention(15, 3)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 139, 15), long_mask(rng, 2, 1, 139)
    assert_same_gradients(attention, written_out, x, weights=weights, mask=mask)
    assert_same_gradients(attention, causal, x, weights=weights, is_causal=True)


def test_float32_is_kept(submission, rng):
    """float32 is kept, with a mask of any dtype"""
    attention = submission.MultiHeadAttention(15, 3)
    weights, x = attention.randomize(rng, dtype=torch.float32), tokens(rng, 2, 7, 15).float()
    masks = [rng.mask(2, 1, 7, 7), rng.mask(2, 1, 7, 7).double()]
    assert_close([attention(x, mask=m) for m in masks], [written_out(weights, x, m) for m in masks])


def test_calls_are_independent(submission, rng):
    """a call does not depend on the size and the mask of the calls before it"""
    attention = submission.MultiHeadAttention(15, 3)
    weights, x, other = attention.randomize(rng), tokens(rng, 2, 7, 15), tokens(rng, 5, 3, 15)
    mask = rng.mask(2, 1, 7, 7).double()
    came = [attention(x, is_causal=True), attention(x, mask), attention(x), attention(other, is_causal=True)]
    expected = [written_out(weights, x, kept) for kept in (CAUSAL, mask, None)]
    assert_close(came, [*expected, written_out(weights, other, CAUSAL[..., :3, :3])])


def test_other_layouts(submission, rng):
    """a single token, a batch of one and an x that is not contiguous are right"""
    attention = submission.MultiHeadAttention(15, 3)
    weights, xs = attention.randomize(rng), other_layouts(rng, 2, 7, 15)
    assert_close([attention(x) for x in xs], [written_out(weights, x) for x in xs])


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    attention = submission.MultiHeadAttention(15, 3, dropout=0.5).eval()
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 15), rng.mask(2, 1, 7, 7)
    came = [attention(x), attention(x, mask), attention(x, is_causal=True), attention(x, mask.double())]
    assert_close(came, [written_out(weights, x, m) for m in (None, mask, CAUSAL, mask)])


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    attention = submission.MultiHeadAttention(15, 3, dropout=0.5)
    attention.randomize(rng)
    assert_dropout_in_training_only(attention, tokens(rng, 2, 7, 15), mask=rng.mask(2, 1, 7, 7).double())


def test_dropout_with_every_mask(submission, rng):
    """in training weights are dropped with a boolean mask and with is_causal too"""
    attention = submission.MultiHeadAttention(15, 3, dropout=0.5)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 15), rng.mask(2, 1, 7, 7)
    for options, kept in (({"mask": mask}, mask), ({"is_causal": True}, CAUSAL)):
        still, moving = written_out(weights, x, kept), attention.train()(x, **options)
        message = f"with {next(iter(options))} training gives the values of evaluation: dropout does nothing"
        assert_true(not torch.allclose(still, moving), message, seen=moving)


def test_dropout_acts_on_the_weights(submission, rng):
    """dropout drops attention weights with its probability, and divides the others by 1 - dropout"""
    attention = submission.MultiHeadAttention(9, 3, dropout=0.3)
    attention.load(counting_weights(rng, parameters(9)))
    came = attention.train().eval().train()(rng.normal(5, 13, 9))
    assert_dropout_acts_on_weights(came, kv_len=13, num_heads=3, dropout=0.3)


@pytest.mark.parametrize(
    "kind, large", [("", False), ("mask", True), ("numbers", False), ("is_causal", False)]
)
def test_gradients_under_dropout(submission, rng, kind, large):
    """in training the gradients are those of the attention weights that were kept, with every kind of mask"""
    attention = submission.MultiHeadAttention(15, 3, dropout=0.4)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 5, 15), rng.mask(2, 3, 5, 5)
    options = {"mask": {"mask": mask}, "numbers": {"mask": mask.double()}, "is_causal": {"is_causal": True}}
    allowed = {"is_causal": CAUSAL[..., :5, :5], "": None}.get(kind, mask)
    options = {"head_dim": 5, "dropout": 0.4, "allowed": allowed, "large": large, **options.get(kind, {})}
    assert_gradients_under_dropout(attention, weights, x, x, **options)


@pytest.mark.parametrize("hidden_size, num_heads", [(10, 3), (3, 5)])
def test_bad_number_of_heads_raises(submission, hidden_size, num_heads):
    """a num_heads that does not divide hidden_size raises ValueError in the constructor"""
    assert_raises(submission.MultiHeadAttention, hidden_size, num_heads)
    _ = is_second_round() and assert_raises(submission.MultiHeadAttention, 3, 6)


def test_instances_keep_apart(submission, rng):
    """two modules with other numbers of heads, used by turns, give what each alone gives"""

    def player(num_heads, attention):
        calls = [(tokens(rng, 2, 7, 15), mask) for mask in (None, None, None, rng.mask(2, 1, 7, 7))]
        return with_weights(rng, attention, partial(written_out, num_heads=num_heads), calls)

    first, second = (made := submission.MultiHeadAttention)(15, 3), made(15, 5, dropout=0.5)
    assert_by_turns(player(3, first.train()), player(5, second.eval()), beside=(made, 20, 4))


def test_zeros_are_numbers_like_others(submission, rng):
    """tokens of zeros and scores of exactly 0 count like any others, with a mask and without"""
    attention, mask = submission.MultiHeadAttention(15, 3), rng.mask(2, 1, 7, 7)
    weights, *inputs = with_zeros(rng, attention, (2, 7, 15))
    came = [attention(*inputs), attention(*inputs, mask)]
    assert_close(came, [written_out(weights, *inputs), written_out(weights, *inputs, mask)])


def test_inputs_are_not_modified(submission, rng):
    """x and mask are not modified"""
    attention = submission.MultiHeadAttention(15, 3).to(torch.float64)
    assert_inputs_unchanged(attention, tokens(rng, 2, 7, 15), mask=rng.mask(2, 3, 7, 7).double())
