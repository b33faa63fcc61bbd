"""Checks of `KVCache` and `CachedAttention`: the cache by itself, one full pass, chunks behind a prefix."""

from functools import partial

import pytest
import torch

from grader.kit import (
    assert_accepts,
    assert_again,
    assert_arguments_unchanged,
    assert_at_most,
    assert_close,
    assert_equal,
    assert_inputs_unchanged,
    assert_parameters,
    assert_raises,
    assert_same_gradients,
)
from grader.kit.families.attention.rotary import full, projected, step_behind
from grader.kit.families.caches.contiguous import (
    Stored,
    assert_allocated_once,
    assert_far_positions,
    assert_float32_is_kept,
    assert_later_ones_stay_unseen,
    assert_length,
    assert_no_room,
    assert_outputs,
    fed_back,
    feed,
    new_cache,
    rows,
    update_anyway,
)
from grader.kit.rounds import is_second_round
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole

CLOSE = 1e-5  # RoPE tables may be float32


def workload(submission, rng):
    attention, cache = submission.CachedAttention(64, 8, 2), submission.KVCache(2, 2, 64, 8)
    attention.randomize(rng, torch.float32)
    return submission.measure(feed, attention, [cache], [tokens(rng, 2, 33, 64).float()])


LADDER = [(1,), (2,), (3,)]


def smallest(submission, rng, seq):
    """small whole numbers give what the built-in gives"""
    cache = submission.KVCache(1, 1, seq, 2, dtype=torch.float64)
    keys, values = whole(rng, 1, 1, seq, 2), whole(rng, 1, 1, seq, 2)
    cache.update(keys[:, :, :1], values[:, :, :1])
    assert_close(cache.update(keys[:, :, 1:], values[:, :, 1:]), Stored(keys, values))
    attention = submission.CachedAttention(2, 1, 1)
    x, weights = whole(rng, 1, seq, 2), fill(rng, attention)
    assert_close(attention(x), full(weights, x, head_dim=2))


def tokens(rng, *shape):
    """Small values, so that the scores are about 1 and the weights not one-hot."""
    return rng.normal(*shape, scale=0.4)


# The cache by itself


def test_update_gives_everything_so_far(submission, rng):
    """update gives the keys and values of all tokens so far, in order, and counts them in length"""
    cache = new_cache(submission)
    assert_length(cache, 0)
    keys, values = rows(rng, 0), rows(rng, 0)
    for new in (5, 12):  # 17 in the end: full
        key, value = rows(rng, new), rows(rng, new)
        keys, values = torch.cat([keys, key], dim=2), torch.cat([values, value], dim=2)
        assert_equal(assert_accepts(cache.update, key, value), Stored(keys, values))
        assert_length(cache, keys.shape[2])


def test_update_past_max_len_raises(submission, rng):
    """an update past max_len raises ValueError"""
    assert_no_room(submission, rng)


def test_refused_update_changes_nothing(submission, rng):
    """an update past max_len leaves length, keys and values as they were, and a full cache refuses too"""
    cache = new_cache(submission, max_len=7)
    first, refused, last = ((rows(rng, new), rows(rng, new)) for new in (5, 3, 2))
    cache.update(*first)
    submission.run(update_anyway, cache, *refused)
    assert_equal(cache.attribute("length"), 5, what="length after the refused update")
    everything = Stored(*(torch.cat(pair, dim=2) for pair in zip(first, last, strict=True)))
    assert_equal(assert_accepts(cache.update, *last), everything)
    assert_raises(cache.update, rows(rng, 1), rows(rng, 1))


def test_storage_is_allocated_once(submission, rng):
    """the storage for max_len tokens is allocated once, on the default device: updates write into it"""
    assert_allocated_once(submission, rng)


def test_caches_are_independent(submission, rng):
    """two caches do not share their tokens"""
    one, other = new_cache(submission), new_cache(submission)
    pairs = [(rows(rng, new), rows(rng, new)) for new in (4, 2)]
    one.update(*pairs[0])
    assert_equal(other.update(*pairs[1]), Stored(*pairs[1]))
    assert_length(one, 4)


@pytest.mark.parametrize("options, dtype", [({}, torch.float32), ({"dtype": torch.float64}, torch.float64)])
def test_dtype_of_the_cache(submission, rng, options, dtype):
    """keys and values have the cache's dtype, float32 by default"""
    cache = submission.KVCache(3, 2, 7, 6, **options)
    key, value = rows(rng, 5, dtype), rows(rng, 5, dtype)
    assert_equal(cache.update(key, value), Stored(key, value))


def test_update_copies(submission, rng):
    """update takes keys and values that are not contiguous, and does not modify them"""
    cache = new_cache(submission)
    key, value = (rng.normal(3, 5, 2, 6).transpose(1, 2) for _ in range(2))
    assert_arguments_unchanged(cache.update, key, value)  # which calls it twice
    assert_equal(cache.update(key, value), Stored(key.repeat(1, 1, 3, 1), value.repeat(1, 1, 3, 1)))


@pytest.mark.parametrize("num_kv_heads, kv_size", [(2, 12), (1, 6)])
def test_parameters(submission, num_kv_heads, kv_size):
    """K and V project to num_kv_heads * head_dim features, Q and O to hidden_size, all without biases"""
    sizes = {"q_proj": 24, "k_proj": kv_size, "v_proj": kv_size, "o_proj": 24}
    expected = {f"{name}.weight": (size, 24) for name, size in sizes.items()}
    assert_parameters(submission.CachedAttention(24, 4, num_kv_heads), expected)


@pytest.mark.parametrize("num_heads, num_kv_heads, base", [(6, 3, 100.0), (3, 1, 500.0), (4, 4, 1e3)])
def test_one_pass_equals_the_built_in(submission, rng, num_heads, num_kv_heads, base):
    """without a cache it equals F.scaled_dot_product_attention on turned heads, with its gradients"""
    base, head_dim = rng.option(base, 10.0, 1e6), 2 * rng.option(12 // num_heads, 1, 32)
    attention = submission.CachedAttention(size := head_dim * num_heads, num_heads, num_kv_heads, base=base)
    weights, x = attention.randomize(rng), tokens(rng, *(137, 3) if num_kv_heads == 1 else (3, 11), size)
    own = {"weights": weights, "tolerance": CLOSE, "alone": False}
    x *= (24 / size) ** 0.5  # the scores are as large as of 24
    assert_same_gradients(attention, partial(full, base=base, head_dim=head_dim), x, **own)


def test_gradients(submission, rng):
    """without a cache the gradients of x and of every parameter equal the built-in's, to the last of 67"""
    attention = submission.CachedAttention(24, 4, 2)
    weights, x = attention.randomize(rng), tokens(rng, 2, 67, 24)
    assert_same_gradients(attention, full, x, weights=weights, tolerance=CLOSE)
    assert_backward_leaves_all(attention, full, x, weights=weights, tolerance=CLOSE)


@pytest.mark.parametrize("hidden_size, num_heads, num_kv_heads", [(24, 5, 1), (24, 4, 3), (24, 4, 8)])
def test_bad_numbers_of_heads_raise(submission, hidden_size, num_heads, num_kv_heads):
    """numbers of heads that do not divide as they should raise ValueError in the constructor"""
    assert_raises(submission.CachedAttention, hidden_size, num_heads, num_kv_heads)


@pytest.mark.parametrize(
    "sizes, kv, base", [((1, 1, 1), 2, 1e4), ((5, 2), 2, 1e4), ((3, 1, 2), 4, 100.0), ((67, 131), 1, 500.0)]
)
def test_chunks_equal_one_pass(submission, rng, sizes, kv, base):
    """a sequence in chunks, with a cache, gives the same as the built-in over the whole sequence"""
    attention = submission.CachedAttention(24, 4, kv, base=(base := rng.option(base, 10.0, 1e6)))
    cache = submission.KVCache(3, kv, max(17, sum(sizes)), 6, dtype=torch.float64)
    weights, x = attention.randomize(rng), tokens(rng, 3, sum(sizes), 24)
    came = submission.run(feed, attention, [cache] * len(sizes), list(x.split(sizes, dim=1)))
    assert_close(torch.cat(came, dim=1), full(weights, x, base), tolerance=CLOSE)
    assert_length(cache, sum(sizes))


def test_far_positions(submission, rng):
    """a token behind thousands of others is turned by its position, however far it is"""
    assert_far_positions(submission, rng, tolerance=CLOSE)


def test_turned_keys_are_cached(submission, rng):
    """the cache stores the turned keys, and the values, of all chunks"""
    attention, cache = submission.CachedAttention(24, 4, 2), new_cache(submission)
    weights, x = attention.randomize(rng), tokens(rng, 3, 9, 24)
    submission.run(feed, attention, [cache] * 2, list(x.split((5, 4), dim=1)))
    key, value = cache.update(rows(rng, 1), rows(rng, 1))
    stored = Stored(*projected(weights, x, 10000.0, 6)[1:])
    assert_close((key[:, :, :9], value[:, :, :9]), stored, tolerance=CLOSE)


@pytest.mark.parametrize("mode", ["train", "eval"])
def test_caches_by_turns(submission, rng, mode):
    """one module serves two caches by turns, and calls without a cache in between"""
    attention = submission.CachedAttention(24, 4, 2)
    getattr(attention, mode)()
    first, second = new_cache(submission), new_cache(submission)
    weights, x, y = attention.randomize(rng), tokens(rng, 3, 7, 24), tokens(rng, 3, 8, 24)
    chunks = [x[:, :4], y[:, :1], x, x[:, 4:], y[:, 1:]]
    came = submission.run(feed, attention, [first, second, None, first, second], chunks)
    of_x, of_y = full(weights, x), full(weights, y)
    expected = {
        "first call with cache 1": of_x[:, :4],
        "first call with cache 2": of_y[:, :1],
        "call without a cache": of_x,
        "second call with cache 1": of_x[:, 4:],
        "second call with cache 2": of_y[:, 1:],
    }
    assert_outputs(came, expected, tolerance=CLOSE)


def test_a_step_projects_the_new_token_only(submission, rng):
    """a decoding step projects only the new token: the prefix costs attention and nothing else"""
    attention, cache = submission.CachedAttention(48, 6, 2), submission.KVCache(2, 2, 64, 8)
    weights = attention.randomize(rng, dtype=torch.float32)
    prefix, token = (tokens(rng, 2, new, 48).float() for new in (60, 1))
    submission.run(feed, attention, [cache], [prefix])
    measured = submission.measure(feed, attention, [cache], [token])
    projections, attending = 2 * 2 * 48 * (48 + 16 + 16 + 48), 2 * 2 * 2 * 6 * 61 * 8
    # Twice that, for other ways to attend: to project 61 tokens takes ten times as much, for K alone already.
    limit = 2 * (projections + attending)
    cause = (
        "So every step costs as much as the whole sequence, and the cache saves nothing. The usual cause is "
        "that tokens are kept, and all of them projected again. Keep keys and values; project the new token"
    )
    assert_close(measured.value, [full(weights, torch.cat([prefix, token], 1), head_dim=8)[:, 60:]])
    assert_at_most(measured.matmul_flops, limit, "FLOPs of a token's step behind 60 tokens", cause=cause)
    # Nobody can project again what was never projected.
    stored, any_cache = [rng.normal(2, 2, 9, 8).float() for _ in "kv"], submission.KVCache(2, 2, 64, 8)
    any_cache.update(*stored)
    came = partial(submission.run, feed, attention, [any_cache], [token])
    expected = partial(step_behind, weights, token, *stored, head_dim=8)
    assert_again(came, lambda: [expected()], tolerance=CLOSE, what="behind other keys and values")


def test_float32_is_kept(submission, rng):
    """float32 is kept, with a cache and without"""
    assert_float32_is_kept(submission, rng)


def test_large_scores_do_not_overflow(submission, rng):
    """scores in the thousands give finite, right values, with a cache and without"""
    size = 64 if is_second_round() else 6
    attention, cache = submission.CachedAttention(4 * size, 4, 2), new_cache(submission, head_dim=size)
    weights, x = attention.randomize(rng), tokens(rng, 3, 9, 4 * size)
    weights["q_proj.weight"] *= 1e3
    attention.load(weights)
    came = submission.run(feed, attention, [None, cache, cache], [x, x[:, :5], x[:, 5:]])
    out = full(weights, x, head_dim=size)
    expected = {"without a cache": out, "first chunk": out[:, :5], "second chunk": out[:, 5:]}
    # The tolerance lets tables and a softmax in float32 pass, whose rounding such scores magnify.
    assert_outputs(came, expected, tolerance=2e-2)
    assert_later_ones_stay_unseen(submission, rng)


def test_other_layouts(submission, rng):
    """a single token, a batch of one and an x that is not contiguous are right"""
    attention, cache = submission.CachedAttention(24, 4, 2), new_cache(submission, batch=1)
    weights = attention.randomize(rng)
    x, y, z = (tokens(rng, *shape, 24).transpose(0, 1) for shape in ((9, 3), (3, 1), (1, 3)))
    came = submission.run(feed, attention, [None, cache, None], [x, y, z])
    names = "x that is not contiguous", "batch of one, with a cache", "single token"
    expected = dict(zip(names, (full(weights, value) for value in (x, y, z)), strict=True))
    assert_outputs(came, expected, tolerance=CLOSE)


def test_instances_keep_apart(submission, rng):
    """two modules with other heads and bases, used by turns, give what each alone gives"""
    first, second = submission.CachedAttention(24, 4, 2), submission.CachedAttention(24, 4, 1, base=100.0)
    calls = [[(tokens(rng, 3, 7, 24),) for _ in range(4)] for _ in range(2)]
    assert_by_turns(
        with_weights(rng, first.train(), full, calls[0]),
        with_weights(rng, second.eval(), partial(full, base=100.0), calls[1]),
        tolerance=CLOSE,
        beside=(submission.CachedAttention, 12, 3, 3),
    )


def test_zeros_are_numbers_like_others(submission, rng):
    """keys and values of zeros are stored, and tokens of zeros attended to, like any others"""
    cache, key, value = new_cache(submission), rows(rng, 4), rows(rng, 4)
    key[:, :, 1:3], value[:, :, 1:3] = 0.0, 0.0
    assert_equal(cache.update(key[:, :, :2], value[:, :, :2]), Stored(key[:, :, :2], value[:, :, :2]))
    assert_equal(cache.update(key[:, :, 2:], value[:, :, 2:]), Stored(key, value))
    assert_length(cache, 4)
    attention, cache = submission.CachedAttention(24, 4, 2), new_cache(submission)
    weights, x = attention.randomize(rng), tokens(rng, 3, 7, 24)
    x[:, :3], x[:, 5] = 0.0, 0.0
    came = submission.run(feed, attention, [cache, cache, None], [x[:, :2], x[:, 2:], x])
    out = full(weights, x)
    expected = {"first chunk": out[:, :2], "second chunk": out[:, 2:], "without a cache": out}
    assert_outputs(came, expected, tolerance=CLOSE)


def test_x_is_not_modified(submission, rng):
    """x is not modified, with a cache and without"""
    cache, x = new_cache(submission), tokens(rng, 3, 4, 24)
    attention = submission.CachedAttention(24, 4, 2, rng.option(1e4, 10.0, 1e6)).to(torch.float64)
    assert_inputs_unchanged(attention, x)
    assert_equal(submission.run(fed_back, attention, cache, x), x)
