"""Checks of `attention_pooling`: values and gradients against PyTorch's attention, padding, large scores."""

import pytest
import torch.nn.functional as F

from grader.kit import assert_close, assert_inputs_unchanged, assert_same_gradients

pytestmark = pytest.mark.forbid("softmax", "logsumexp", "scaled_dot_product_attention")


def oracle(tokens, query, mask=None):
    """Attention with one query, which is the same for all texts."""
    queries = query.expand(tokens.shape[0], 1, -1)
    mask = None if mask is None else mask.unsqueeze(1)
    return F.scaled_dot_product_attention(queries, tokens, tokens, attn_mask=mask).squeeze(1)


def masks(rng, *shape):
    """At least one token in every text."""
    mask = rng.mask(*shape)
    mask[:, 0] = True
    return mask


def workload(submission, rng):
    return submission.attention_pooling.measure(rng.normal(8, 64, 32), rng.normal(32))


@pytest.mark.parametrize("shape", [(2, 5, 3), (1, 1, 7), (3, 11, 2)])
def test_equals_attention_with_one_query(submission, rng, shape):
    """equals F.scaled_dot_product_attention with one query"""
    tokens, query = rng.normal(*shape), rng.normal(shape[-1], scale=2.0)
    assert_close(submission.attention_pooling(tokens, query), oracle(tokens, query))


def test_padding_has_no_weight(submission, rng):
    """tokens that are masked out have no weight"""
    tokens, query, mask = rng.normal(4, 7, 3), rng.normal(3), masks(rng, 4, 7)
    assert_close(submission.attention_pooling(tokens, query, mask), oracle(tokens, query, mask))


def test_a_text_of_padding_gives_zeros(submission, rng):
    """a text of padding only gives zeros"""
    tokens, query, mask = rng.normal(3, 5, 2), rng.normal(2), masks(rng, 3, 5)
    mask[1] = False
    expected = oracle(tokens, query, mask | ~mask.any(1, keepdim=True))
    expected[1] = 0
    assert_close(submission.attention_pooling(tokens, query, mask), expected)


def test_large_scores_do_not_overflow(submission, rng):
    """scores of a few thousand do not overflow"""
    tokens, query = rng.normal(2, 5, 3), rng.normal(3, scale=2000.0)
    assert_close(submission.attention_pooling(tokens, query), oracle(tokens, query))


def test_gradients_equal_those_of_attention(submission, rng):
    """gradients for tokens and query equal those of attention"""
    tokens, query, mask = rng.normal(2, 5, 3), rng.normal(3), masks(rng, 2, 5)
    assert_same_gradients(submission.attention_pooling, oracle, tokens, query, mask)


def test_nothing_is_modified(submission, rng):
    """tokens, query and mask are not modified"""
    tokens, query, mask = rng.normal(2, 5, 3), rng.normal(3), masks(rng, 2, 5)
    assert_inputs_unchanged(submission.attention_pooling, tokens, query, mask)
