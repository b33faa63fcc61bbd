"""Checks of `attention_analysis`: the three measures by loops, zeros, gradients, layouts."""

import math

import pytest
import torch

from grader.kit import assert_close, assert_inputs_unchanged, assert_same_gradients
from grader.kit.families import masking
from grader.kit.rules.devices import assert_keeps_device

NAMES = ["attention_entropy", "attention_received", "self_attention_share"]
every = pytest.mark.parametrize("name", NAMES)


def workload(submission, rng):
    return submission.attention_entropy.measure(drawn(rng, 8, 64, 64).float())


LADDER = [(1, 1), (1, 2), (2, 2), (1, 3)]


def smallest(submission, rng, heads, seq):
    """quarters as weights give what loops give"""
    eighths = torch.zeros(heads, seq, seq, dtype=torch.float64)
    for _ in range(4):
        eighths.scatter_add_(2, rng.integers(0, seq, heads, seq, 1), torch.full_like(eighths, 0.25))
    for name in NAMES:
        assert_close(getattr(submission, name)(eighths), LOOPS[name](eighths), what=name)


def drawn(rng, heads, q_len, kv_len):
    """Weights of all degrees of sharpness."""
    sharpness = torch.linspace(0.2, 3, heads).double()[:, None, None]
    return torch.softmax(rng.normal(heads, q_len, kv_len) * sharpness, dim=-1)


def masked(rng, heads, seq):
    """Causal weights: many are exactly 0."""
    scores = rng.normal(heads, seq, seq).masked_fill(~masking.causal(seq, seq), -math.inf)
    return torch.softmax(scores, dim=-1)


def entropy(weights):
    heads = [
        sum(-weight * math.log(weight) for row in head for weight in row if weight > 0) / len(head)
        for head in weights.tolist()
    ]
    return torch.tensor(heads, dtype=weights.dtype)


def received(weights):
    heads, q_len, kv_len = weights.shape
    keys = [sum(weights[h, i, j] for h in range(heads) for i in range(q_len)) / heads for j in range(kv_len)]
    return torch.stack(keys)


def share(weights):
    heads, seq, _ = weights.shape
    return torch.stack([sum(weights[h, i, i] for h in range(heads)) / heads for i in range(seq)])


SIZES = [(3, 5, 7), (5, 7, 3), (1, 1, 7), (2, 5, 1), (3, 1, 7), (1, 5, 7)]
# More than usual blocks take, and no multiple of them: of heads, of queries, and of keys.
SIZES += [(139, 2, 3), (2, 139, 3), (2, 3, 139)]
sizes = pytest.mark.parametrize("heads, q_len, kv_len", SIZES)

LOOPS = {"attention_entropy": entropy, "attention_received": received, "self_attention_share": share}


@sizes
def test_entropy(submission, rng, heads, q_len, kv_len):
    """attention_entropy is the mean over queries of -sum w ln w, for each head"""
    weights = drawn(rng, heads, q_len, kv_len)
    assert_close(submission.attention_entropy(weights), entropy(weights))


def test_entropy_of_extremes(submission):
    """attention_entropy is 0 where each query reads one key, and ln(kv_len) where all are read alike"""
    one = torch.eye(7, dtype=torch.float64)[torch.tensor([[3, 0, 0, 5, 6]])]
    alike = torch.full((1, 5, 7), 1 / 7, dtype=torch.float64)
    expected = torch.tensor([0.0, math.log(7)], dtype=torch.float64)
    assert_close(submission.attention_entropy(torch.cat([one, alike])), expected)


@sizes
def test_received(submission, rng, heads, q_len, kv_len):
    """attention_received is the mean over heads of what each key gets of all queries"""
    weights = drawn(rng, heads, q_len, kv_len)
    assert_close(submission.attention_received(weights), received(weights))


@pytest.mark.parametrize("heads, seq", [(3, 7), (7, 3), (1, 5), (5, 1), (139, 3), (2, 139)])
def test_share(submission, rng, heads, seq):
    """self_attention_share is the mean over heads of each token's weight for itself"""
    weights = drawn(rng, heads, seq, seq)
    assert_close(submission.self_attention_share(weights), share(weights))


@every
def test_masked_weights(submission, rng, name):
    """weights of exactly 0 count as 0, without NaN, also where the first head has none"""
    weights = torch.cat([drawn(rng, 1, 7, 7), masked(rng, 3, 7)])
    assert_close(getattr(submission, name)(weights), LOOPS[name](weights))


@pytest.mark.parametrize("with_zeros", [False, True])
@pytest.mark.parametrize("name", NAMES[1:])
def test_gradients(submission, rng, name, with_zeros):
    """the gradients of attention_received and self_attention_share are right, also where weights are 0"""
    # Flipped, causal weights have zeros on the diagonal too.
    weights = masked(rng, 3, 5).flip(1) if with_zeros else drawn(rng, 3, 5, 5)
    assert_same_gradients(getattr(submission, name), LOOPS[name], weights)


@every
def test_float32_is_kept(submission, rng, name):
    """float32 is kept"""
    weights = masked(rng, 3, 5).float()
    assert_close(getattr(submission, name)(weights), LOOPS[name](weights))


@every
def test_other_layouts(submission, rng, name):
    """weights that are not contiguous are right"""
    weights = drawn(rng, 5, 3, 5).transpose(0, 1)  # (3, 5, 5), heads behind the queries
    assert_close(getattr(submission, name)(weights), LOOPS[name](weights))


@every
def test_device(submission, rng, name):
    """the result is on the device of the weights, whatever the default device is"""
    assert_keeps_device(submission, name, drawn(rng, 3, 5, 5))


@every
def test_inputs_are_not_modified(submission, rng, name):
    """weights are not modified"""
    assert_inputs_unchanged(getattr(submission, name), masked(rng, 3, 5))
