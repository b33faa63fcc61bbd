"""Checks of `Bert`: parameters, embeddings, layers, the mask, the pooled output, dropout, gradients."""

from functools import partial

import pytest
import torch
import torch.nn.functional as F

from grader.kit import (
    assert_close,
    assert_dropout_in_training_only,
    assert_inputs_unchanged,
    assert_nothing_dropped,
    assert_parameters,
    assert_raises,
    assert_same_gradients,
    assert_true,
)
from grader.kit.families.attention.checks import linear_layers
from grader.kit.families.models.built_in import bert_embeddings, encoder, randomize_but
from grader.kit.families.models.default_devices import assert_calls_keep_device
from grader.kit.families.models.large_scores import places, raise_scores, words
from grader.kit.families.models.parameters import layer_norms, stacked_layers
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.rules.drawn_gradients import assert_gradients_whatever_is_dropped
from grader.kit.rules.hidden import assert_hidden_in_training
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill

pytestmark = pytest.mark.forbid("transformer_layers", "multi_head_attention")

SIZES = (13, 21, 2, 3, 11, 9, 4)
"""Words, features, layers, heads, features of the network, positions, token types."""


def workload(submission, rng):
    bert = submission.Bert(1000, 64, 2, 4, 256, 64)
    bert.randomize(rng, torch.float32)
    return bert.measure(rng.integers(0, 1000, 2, 64))


LADDER = [(1, 2, 1), (2, 2, 1), (2, 2, 2)]


def smallest(submission, rng, seq, hidden_size, num_layers):
    """small whole numbers give what the built-in encoder gives"""
    bert = submission.Bert(3, hidden_size, num_layers, 1, 1, 2, 1, eps=1.0)
    weights, input_ids = fill(rng, bert), rng.integers(1, 3, 1, seq)
    expected = built_in(weights, input_ids, num_layers=num_layers, num_heads=1, eps=1.0)
    assert_close(bert(input_ids), expected)


def built_in(weights, input_ids, attention_mask=None, token_type_ids=None, *, pad_id=0, **options):
    """nn.TransformerEncoder on the embeddings, and tanh of the pooler."""
    sizes = {"num_layers": 2, "num_heads": 3, "eps": 1e-12} | options
    kind = {"pad_id": pad_id, "eps": sizes["eps"], "prefix": "embeddings."}
    x = bert_embeddings(weights, input_ids, token_type_ids, **kind)
    mask = None if attention_mask is None else attention_mask[:, None, None]
    output = encoder(weights, x, mask, activation="gelu", **sizes)
    return output, torch.tanh(F.linear(output[:, 0], weights["pooler.weight"], weights["pooler.bias"]))


def ids(rng, batch=2, seq=5):
    """Tokens, pads among them but not in the first place, and types."""
    input_ids = rng.integers(0, 13, batch, seq)
    input_ids[:, 0] = input_ids[:, 0] % 8 + 5
    if seq > 1:
        input_ids[0, seq // 2] = 0
    return input_ids, rng.integers(0, 4, batch, seq)


def real(rng, batch=2, seq=5):
    """A mask of padding here and there, but not in the first place."""
    mask = rng.mask(batch, seq)
    mask[:, 0] = True
    mask[0, -1], mask[-1, seq // 2] = False, False
    return mask


def parameters(words, size, num_layers, hidden, positions, types):
    rows = {"word": words, "position": positions, "token_type": types}
    linear = {f"{name}_proj": (size, size) for name in "qkvo"}
    linear |= {"up_proj": (size, hidden), "down_proj": (hidden, size)}
    return (
        {f"embeddings.{kind}_embeddings.weight": (count, size) for kind, count in rows.items()}
        | layer_norms(size, "embeddings.norm")
        | stacked_layers(num_layers, size, **linear)
        | linear_layers(pooler=(size, size))
    )


@pytest.mark.parametrize("num_layers", [1, 3])
def test_parameters(submission, num_layers):
    """the parameters are those of embeddings, layers and pooler, each layer with its own, no others"""
    bert = submission.Bert(13, 6, num_layers, 3, 11, 9, 4)
    assert_parameters(bert, parameters(13, 6, num_layers, 11, 9, 4))


def test_two_token_types_by_default(submission):
    """there are two token types where nothing is said"""
    assert_parameters(submission.Bert(13, 6, 1, 3, 11, 9), parameters(13, 6, 1, 11, 9, 2))


def test_equals_the_built_in(submission, rng):
    """equals nn.TransformerEncoder on the embeddings, and tanh of the pooler on its first token"""
    bert = submission.Bert(*SIZES)
    weights, (input_ids, types) = bert.randomize(rng), ids(rng)
    assert_close(bert(input_ids, token_type_ids=types), built_in(weights, input_ids, None, types))


def assert_right_alone(submission, rng, *silent):
    """The model is right where the layers of these names give zeros."""
    bert = submission.Bert(*SIZES)
    weights, (input_ids, types) = randomize_but(bert, rng, *silent), ids(rng)
    assert_close(bert(input_ids, token_type_ids=types), built_in(weights, input_ids, None, types))


def test_embeddings_alone(submission, rng):
    """the embeddings are right where attention and feed-forward networks add nothing"""
    assert_right_alone(submission, rng, "o_proj", "down_proj")


def test_attention_alone(submission, rng):
    """the attention is right where the feed-forward networks add nothing"""
    assert_right_alone(submission, rng, "down_proj")


def test_feed_forward_network_alone(submission, rng):
    """the feed-forward networks are right where the attention adds nothing"""
    assert_right_alone(submission, rng, "o_proj")


def test_other_sizes(submission, rng):
    """one layer with one head, and several with seven, however many, are right"""
    for num_layers, num_heads in [(1, 1), (int(rng.integers(5, 10, 1)), 7)]:
        bert = submission.Bert(13, 21, num_layers, num_heads, 11, 9)
        weights, (input_ids, _) = bert.randomize(rng), ids(rng)
        expected = built_in(weights, input_ids, num_layers=num_layers, num_heads=num_heads)
        assert_close(bert(input_ids), expected)


@pytest.mark.parametrize("seq", [5, 139])
def test_mask(submission, rng, seq):
    """tokens that are not real are attended to by nobody"""
    bert = submission.Bert(*SIZES[:5], max(seq, 9), 4)
    weights, (input_ids, types), mask = bert.randomize(rng), ids(rng, seq=seq), real(rng, seq=seq)
    if seq > 5:  # more than usual blocks take; the first sequence has no padding, and the mask is transposed
        mask[0] = True
        mask = mask.T.contiguous().T
    assert_close(bert(input_ids, mask, types), built_in(weights, input_ids, mask, types), where=mask)


def test_mask_of_real_tokens_alone(submission, rng):
    """a mask that is True everywhere changes nothing"""
    bert = submission.Bert(*SIZES)
    weights, (input_ids, _) = bert.randomize(rng), ids(rng)
    came = bert(input_ids, attention_mask=torch.ones(2, 5, dtype=torch.bool))
    assert_close(came, built_in(weights, input_ids))


def test_without_a_mask_padding_is_attended_to(submission, rng):
    """without a mask all tokens are attended to, also those with pad_id"""
    bert = submission.Bert(*SIZES, 3)
    weights, (input_ids, _) = bert.randomize(rng), ids(rng)
    input_ids[:, 2:4] = 3
    assert_close(bert(input_ids), built_in(weights, input_ids, pad_id=3))


def test_token_types_are_zero_by_default(submission, rng):
    """without token_type_ids the vector of type 0 is added, with a mask as without"""
    bert = submission.Bert(*SIZES)
    weights, (input_ids, _), mask = bert.randomize(rng), ids(rng), real(rng)
    assert_close(bert(input_ids, mask), built_in(weights, input_ids, mask), where=mask)


@pytest.mark.parametrize("pad_id", [0, 4])
def test_padding_row_starts_at_zero(submission, pad_id):
    """the row of pad_id is zero at first"""
    row = submission.Bert(*SIZES, pad_id).parameters()["embeddings.word_embeddings.weight"][pad_id]
    # Whether, and not what else: that is random.
    assert_true(not row.any(), f"the largest number in the row of padding is {row.abs().max().item():.4g}")


@pytest.mark.parametrize("eps", [1e-12, 0.3])
def test_eps(submission, rng, eps):
    """every norm adds the eps that was asked for, 1e-12 by default"""
    bert = submission.Bert(*SIZES, **({} if eps == 1e-12 else {"eps": eps}))
    # Small weights, so that there is little variance in front of every norm.
    weights = bert.randomize(rng)
    weights |= {name: value * 1e-3 for name, value in weights.items()}
    bert.load(weights)
    oracle = partial(built_in, eps=eps)
    assert_same_gradients(bert, oracle, ids(rng)[0], weights=weights, alone=False)


@pytest.mark.parametrize("pad_id, masked", [(0, True), (4, True), (0, False)])
def test_gradients(submission, rng, pad_id, masked):
    """the gradients of all parameters equal the built-in's; the row of padding has none"""
    bert = submission.Bert(*SIZES, pad_id)
    weights, (input_ids, types), mask = bert.randomize(rng), ids(rng), real(rng) if masked else None
    input_ids[:, 1], types[0, :4] = pad_id, torch.arange(4)
    oracle = partial(built_in, pad_id=pad_id)
    assert_same_gradients(bert, oracle, input_ids, mask, types, weights=weights, where=mask)


@pytest.mark.parametrize("masked", [True, False])
def test_large_scores_do_not_overflow(submission, rng, masked):
    """scores in the thousands give right values and gradients, with a mask and without"""
    bert = submission.Bert(13, 21, 1, 3, 11, 7)
    weights, (input_ids, _) = bert.randomize(rng), ids(rng, seq=7)
    raise_scores(weights, "layers.0.", head_dim=7, norm="embeddings.norm")
    for name, value in {"word": words(rng, 13, 21), "position": places(7, 21), "token_type": 0.0}.items():
        weights[f"embeddings.{name}_embeddings.weight"][:] = value
    bert.load(weights)
    mask, oracle = real(rng, seq=7) if masked else None, partial(built_in, num_layers=1)
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_same_gradients(bert, oracle, input_ids, mask, weights=weights, tolerance=1e-3, where=mask)


def test_float32_is_kept(submission, rng):
    """float32 parameters give float32, with a mask"""
    bert, mask = submission.Bert(*SIZES), real(rng)
    weights, (input_ids, types) = bert.randomize(rng, dtype=torch.float32), ids(rng)
    assert_close(bert(input_ids, mask, types), built_in(weights, input_ids, mask, types), where=mask)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the sizes, masks and types of the calls before it"""
    bert = submission.Bert(*SIZES)
    weights = bert.randomize(rng)
    inputs = [(ids(rng)[0], None, ids(rng)[1]), (ids(rng)[0],), (ids(rng, 3, 9)[0],)]
    bert(ids(rng)[0], real(rng))
    assert_close([bert(*each) for each in inputs], [built_in(weights, *each) for each in inputs])


def test_models_are_independent(submission, rng):
    """two models of different sizes, used in turns, do not touch each other"""
    calls, other = [(ids(rng)[0],) for _ in range(4)], partial(built_in, num_layers=1, num_heads=2, eps=0.1)
    calls.append((ids(rng)[0], real(rng)))
    pairs = (submission.Bert(*SIZES).eval(), built_in), (submission.Bert(17, 8, 1, 2, 5, 6, eps=0.1), other)
    assert_by_turns(*(with_weights(rng, *pair, calls, where=lambda _, mask=None: mask) for pair in pairs))


def test_other_layouts(submission, rng):
    """a single token, a batch of one, as many tokens as positions, and ids not contiguous are right"""
    weights = (bert := submission.Bert(*SIZES)).randomize(rng)
    each = [ids(rng, 2, 1)[0], ids(rng, 1)[0], ids(rng, 2, 9)[0], ids(rng, 3, 5)[0].T.contiguous().T]
    assert_close([bert(one) for one in each], [built_in(weights, one) for one in each])


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled, with another pad_id and eps, and with types"""
    bert = submission.Bert(*SIZES, 3, 0.3, 0.5)
    weights, (input_ids, types) = bert.randomize(rng), ids(rng)
    expected = built_in(weights, input_ids, None, types, pad_id=3, eps=0.3)
    assert_nothing_dropped(bert, input_ids, None, types, expected=expected)


def test_dropout_in_training(submission, rng):
    """in training two calls differ, and gradients reach all parameters"""
    (bert := submission.Bert(*SIZES, dropout=0.4)).randomize(rng)
    assert_dropout_in_training_only(bert, ids(rng)[0])
    assert_gradients_whatever_is_dropped(bert, ids(rng)[0] % 12 + 1)  # padding has no gradient


def test_mask_in_training(submission, rng):
    """in training too tokens that are not real are attended to by nobody, whatever is dropped"""
    bert = submission.Bert(*SIZES, dropout=0.3)
    bert.randomize(rng)
    input_ids, mask = rng.permutation(12)[None, :5] + 1, torch.tensor([[True, True, False, True, False]])
    hidden = {"embeddings.word_embeddings.weight": torch.isin(torch.arange(13), input_ids[~mask])}
    like, pooled = (torch.ones(1, *sizes, dtype=torch.float64) for sizes in ((5, 21), (21,)))
    assert_hidden_in_training(bert, input_ids, mask, like=like, where=mask, hidden=hidden, further=[pooled])


def test_no_dropout_by_default(submission, rng):
    """where no dropout is asked for, nothing is dropped in training"""
    weights, input_ids = (bert := submission.Bert(*SIZES)).randomize(rng), ids(rng)[0]
    assert_close(bert.train()(input_ids), built_in(weights, input_ids))


@pytest.mark.parametrize("hidden_size, num_heads", [(21, 4), (3, 5)])
def test_bad_number_of_heads_raises(submission, hidden_size, num_heads):
    """a num_heads that does not divide hidden_size raises ValueError in the constructor"""
    assert_raises(submission.Bert, 13, hidden_size, 2, num_heads, 11, 9)


def test_device_of_the_tokens(submission, rng):
    """nothing lands on the default device where that is not the tokens'"""
    assert_keeps_device(submission, "Bert", ids(rng)[0], real(rng), made_with=SIZES)
    input_ids, types = ids(rng, seq=(seq := rng.option(24, 20, 90)))
    calls, sizes = [(input_ids,), (input_ids, real(rng, seq=seq), types)], (*SIZES[:5], 99, 4, 0, 1e-12, 0.4)
    assert_calls_keep_device(submission, "Bert", *calls, made_with=sizes)


def test_inputs_are_not_modified(submission, rng):
    """input_ids, attention_mask and token_type_ids are not modified"""
    bert, (input_ids, types) = submission.Bert(*SIZES), ids(rng)
    assert_inputs_unchanged(bert, input_ids, real(rng), types)
    assert_inputs_unchanged(bert, input_ids)
