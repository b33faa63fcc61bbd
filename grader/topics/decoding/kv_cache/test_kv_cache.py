"""Checks of `KVCache` and `CachedAttention`: the cache by itself, one full pass, chunks behind a prefix."""

from dataclasses import replace
from typing import NamedTuple

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from grader.kit import (
    Mistake,
    assert_at_most,
    assert_close,
    assert_equal,
    assert_inputs_unchanged,
    assert_parameters,
    assert_raises,
    assert_same_gradients,
    assert_true,
)
from grader.kit.families.attention.mistakes import heads_merged_without_transpose

CLOSE = 1e-5  # RoPE tables may be float32


def workload(submission, rng):
    attention, cache = submission.CachedAttention(64, 8, 2), submission.KVCache(2, 2, 64, 8)
    return submission.measure(feed, attention, [cache], [rng.normal(2, 33, 64, dtype=torch.float32)])


def feed(answer, attention, caches, chunks):
    """The attention of each chunk, with the cache beside it."""
    with torch.no_grad():
        return [attention(chunk, cache=cache) for cache, chunk in zip(caches, chunks, strict=True)]


def turned(x, base):
    """The oracle's RoPE from position 0: feature i and feature i + head_dim / 2 are a complex number."""
    seq, half = x.shape[2], x.shape[3] // 2
    angles = torch.arange(seq)[:, None] * base ** (-torch.arange(half).double() / half)
    pairs = torch.complex(*x.double().chunk(2, dim=-1)) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([pairs.real, pairs.imag], dim=-1).to(x.dtype)


def projected(weights, x, base, head_dim):
    """Queries and keys, turned, and values of a whole sequence, in heads."""
    query, key, value = (
        F.linear(x, weights[f"{name}_proj.weight"]).unflatten(2, (-1, head_dim)).transpose(1, 2)
        for name in "qkv"
    )
    return turned(query, base), turned(key, base), value


def full(weights, x, base=10000.0, head_dim=6):
    """The oracle: the built-in over the whole sequence."""
    query, key, value = projected(weights, x, base, head_dim)
    context = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
    return F.linear(context.transpose(1, 2).flatten(2), weights["o_proj.weight"])


def tokens(rng, *shape):
    """Small values, so that the scores are about 1 and the weights not one-hot."""
    return rng.normal(*shape, scale=0.4)


def new_cache(submission, batch=3, num_kv_heads=2, max_len=17, head_dim=6):
    return submission.KVCache(batch, num_kv_heads, max_len, head_dim, dtype=torch.float64)


def rows(rng, new, dtype=torch.float64):
    """New keys (or values) for such a cache."""
    return rng.normal(3, 2, new, 6, dtype=dtype)


class Stored(NamedTuple):
    """What an update gives, named for the messages."""

    keys: Tensor
    values: Tensor


def assert_outputs(came, expected, **options):
    """What `feed` gives, each call's named for the messages."""
    assert_close(dict(zip(expected, came, strict=True)), expected, **options)


def assert_length(cache, expected):
    assert_equal(cache.attribute("length"), expected, what="length")


# The cache by itself


def test_update_gives_everything_so_far(submission, rng):
    """update gives the keys and values of all tokens so far, in order, and counts them in length"""
    cache = new_cache(submission)
    assert_length(cache, 0)
    keys, values = rows(rng, 0), rows(rng, 0)
    for new in (5, 12):  # 17 in the end: full
        key, value = rows(rng, new), rows(rng, new)
        keys, values = torch.cat([keys, key], dim=2), torch.cat([values, value], dim=2)
        assert_equal(cache.update(key, value), Stored(keys, values))
        assert_length(cache, keys.shape[2])


def test_update_past_max_len_raises(submission, rng):
    """an update past max_len raises ValueError"""
    cache = new_cache(submission, max_len=7)
    cache.update(rows(rng, 5), rows(rng, 5))
    assert_raises(cache.update, rows(rng, 3), rows(rng, 3))


def test_refused_update_changes_nothing(submission, rng):
    """an update past max_len leaves length, keys and values as they were, and a full cache refuses too"""
    cache = new_cache(submission, max_len=7)
    first, refused, last = ((rows(rng, new), rows(rng, new)) for new in (5, 3, 2))
    cache.update(*first)
    submission.run(update_anyway, cache, *refused)
    assert_equal(cache.attribute("length"), 5, what="length after the refused update")
    everything = Stored(*(torch.cat(pair, dim=2) for pair in zip(first, last, strict=True)))
    assert_equal(cache.update(*last), everything)
    assert_raises(cache.update, rows(rng, 1), rows(rng, 1))


def update_anyway(answer, cache, key, value):
    try:
        cache.update(key, value)
    except Exception:
        return "refused"


def test_storage_is_allocated_once(submission, rng):
    """the storage for max_len tokens is allocated once: updates write into it"""
    cache, held = new_cache(submission), []
    for new in (1, 16):
        cache.update(rows(rng, new), rows(rng, new))
        held.append(cache.storages())
    kept = sum(held[0][address] for address in set.intersection(*map(set, held)))
    needed = 2 * 3 * 2 * 17 * 6 * 8
    assert_true(
        kept >= needed,
        f"the cache's storage has to be the same memory after every update, {needed} bytes for keys and "
        f"values of max_len tokens: {kept} bytes are",
        seen=[sum(sizes.values()) for sizes in held],
    )


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
    assert_inputs_unchanged(cache.update, key, value)
    twice = Stored(key.repeat(1, 1, 2, 1), value.repeat(1, 1, 2, 1))
    assert_equal(cache.update(key, value), twice)


# Attention without a cache


@pytest.mark.parametrize("num_kv_heads, kv_size", [(2, 12), (1, 6)])
def test_parameters(submission, num_kv_heads, kv_size):
    """K and V project to num_kv_heads * head_dim features, Q and O to hidden_size, all without biases"""
    sizes = {"q_proj": 24, "k_proj": kv_size, "v_proj": kv_size, "o_proj": 24}
    expected = {f"{name}.weight": (size, 24) for name, size in sizes.items()}
    assert_parameters(submission.CachedAttention(24, 4, num_kv_heads), expected)


@pytest.mark.parametrize("num_heads, num_kv_heads, base", [(6, 3, 100.0), (3, 1, 500.0)])
def test_one_pass_equals_the_built_in(submission, rng, num_heads, num_kv_heads, base):
    """without a cache it equals F.scaled_dot_product_attention with is_causal=True on turned heads"""
    head_dim = 24 // num_heads
    attention = submission.CachedAttention(24, num_heads, num_kv_heads, base=base)
    weights, x = attention.randomize(rng), tokens(rng, 3, 11, 24)
    assert_close(attention(x), full(weights, x, base, head_dim), tolerance=CLOSE)


def test_gradients(submission, rng):
    """without a cache the gradients of x and of every parameter equal the built-in's"""
    attention = submission.CachedAttention(24, 4, 2)
    weights, x = attention.randomize(rng), tokens(rng, 3, 11, 24)
    assert_same_gradients(attention, full, x, weights=weights, tolerance=CLOSE)


@pytest.mark.parametrize("hidden_size, num_heads, num_kv_heads", [(24, 5, 1), (24, 4, 3)])
def test_bad_numbers_of_heads_raise(submission, hidden_size, num_heads, num_kv_heads):
    """numbers of heads that do not divide as they should raise ValueError in the constructor"""
    assert_raises(submission.CachedAttention, hidden_size, num_heads, num_kv_heads)


# Attention with a cache


@pytest.mark.parametrize("sizes", [(1, 1, 1), (5, 2)])
def test_chunks_equal_one_pass(submission, rng, sizes):
    """a sequence in chunks, with a cache, gives the same as the built-in over the whole sequence"""
    attention, cache = submission.CachedAttention(24, 4, 2), new_cache(submission)
    weights, x = attention.randomize(rng), tokens(rng, 3, sum(sizes), 24)
    came = submission.run(feed, attention, [cache] * len(sizes), list(x.split(sizes, dim=1)))
    assert_close(torch.cat(came, dim=1), full(weights, x), tolerance=CLOSE)
    assert_length(cache, sum(sizes))


def test_turned_keys_are_cached(submission, rng):
    """the cache stores the turned keys, and the values, of all chunks"""
    attention, cache = submission.CachedAttention(24, 4, 2), new_cache(submission)
    weights, x = attention.randomize(rng), tokens(rng, 3, 9, 24)
    submission.run(feed, attention, [cache] * 2, list(x.split((5, 4), dim=1)))
    key, value = cache.update(rows(rng, 1), rows(rng, 1))
    stored = Stored(*projected(weights, x, 10000.0, 6)[1:])
    assert_close((key[:, :, :9], value[:, :, :9]), stored, tolerance=CLOSE)


def test_caches_by_turns(submission, rng):
    """one module serves two caches by turns, and calls without a cache in between"""
    attention, first, second = (
        submission.CachedAttention(24, 4, 2),
        new_cache(submission),
        new_cache(submission),
    )
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
    prefix, token = (tokens(rng, 2, new, 48).float() for new in (60, 1))
    submission.run(feed, attention, [cache], [prefix])
    measured = submission.measure(feed, attention, [cache], [token])
    projections, attending = 2 * 2 * 48 * (48 + 16 + 16 + 48), 2 * 2 * 2 * 6 * 61 * 8
    # Twice that, for other ways to attend: to project 61 tokens takes ten times as much, for K alone already.
    assert_at_most(
        measured.matmul_flops, 2 * (projections + attending), "FLOPs of a token's step behind 60 tokens"
    )


def test_float32_is_kept(submission, rng):
    """float32 is kept, with a cache and without"""
    attention, cache = submission.CachedAttention(24, 4, 2), submission.KVCache(3, 2, 17, 6)
    weights = attention.randomize(rng, dtype=torch.float32)
    x = tokens(rng, 3, 9, 24).float()
    came = submission.run(feed, attention, [None, cache], [x, x[:, :5]])
    expected = full(weights, x)
    assert_outputs(came, {"without a cache": expected, "with a cache": expected[:, :5]})


def test_large_scores_do_not_overflow(submission, rng):
    """scores in the thousands give finite, right values, with a cache and without"""
    attention, cache = submission.CachedAttention(24, 4, 2), new_cache(submission)
    weights, x = attention.randomize(rng), tokens(rng, 3, 9, 24)
    weights["q_proj.weight"] *= 1e3
    attention.load(weights)
    came = submission.run(feed, attention, [None, cache, cache], [x, x[:, :5], x[:, 5:]])
    out = full(weights, x)
    expected = {"without a cache": out, "first chunk": out[:, :5], "second chunk": out[:, 5:]}
    # The tolerance lets tables and a softmax in float32 pass, whose rounding such scores magnify.
    assert_outputs(came, expected, tolerance=2e-2)


def test_other_layouts(submission, rng):
    """a single token, a batch of one and an x that is not contiguous are right"""
    attention, cache = submission.CachedAttention(24, 4, 2), new_cache(submission, batch=1)
    weights = attention.randomize(rng)
    x, y, z = (
        tokens(rng, 9, 3, 24).transpose(0, 1),
        tokens(rng, 3, 1, 24).transpose(0, 1),
        tokens(rng, 3, 1, 24),
    )
    came = submission.run(feed, attention, [None, cache, None], [x, y, z])
    names = "x that is not contiguous", "batch of one, with a cache", "single token"
    expected = dict(zip(names, (full(weights, value) for value in (x, y, z)), strict=True))
    assert_outputs(came, expected, tolerance=CLOSE)


def test_x_is_not_modified(submission, rng):
    """x is not modified, with a cache and without"""
    attention, cache = submission.CachedAttention(24, 4, 2).to(torch.float64), new_cache(submission)
    x = tokens(rng, 3, 4, 24)
    assert_inputs_unchanged(attention, x)
    assert_equal(submission.run(fed_back, attention, cache, x), x)


def fed_back(answer, attention, cache, x):
    """x, after a call with the cache."""
    with torch.no_grad():
        attention(x, cache=cache)
    return x


DTYPE_IGNORED = Mistake(
    "dtype-ignored",
    find="""\
        self._keys = torch.zeros(shape, dtype=dtype)
        self._values = torch.zeros(shape, dtype=dtype)""",
    replace="""\
        self._keys = torch.zeros(shape)
        self._values = torch.zeros(shape)""",
    says="Your storage ignores dtype: it is float32 always, so a float64 model loses digits and then "
    "meets keys of another dtype than its queries. Pass dtype=dtype.",
)

MISTAKES = [
    Mistake(
        "is-causal-behind-a-prefix",
        find="F.scaled_dot_product_attention(query, key, value, mask, enable_gqa=True)",
        replace="F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)",
        says="You pass is_causal=True although there are more keys than queries. It aligns the first query "
        "with the first key, so a new token behind a prefix sees the first key only. Align the last query "
        "with the last key: query i of the chunk may see keys 0 to past + i.",
    ),
    Mistake(
        "is-causal-for-chunks",
        find="(query, key, value, mask, enable_gqa=True)",
        replace="(query, key, value, is_causal=new > 1, enable_gqa=True)",
        says="You pass is_causal=True for a chunk of several tokens behind a prefix. It aligns the first "
        "query with the first key, so the chunk hardly sees the prefix. Align the last query with the last "
        "key: query i of the chunk may see keys 0 to past + i.",
    ),
    Mistake(
        "mask-left-out-behind-a-prefix",
        find="(query, key, value, mask, enable_gqa=True)",
        replace="(query, key, value, mask if past == 0 else None, enable_gqa=True)",
        says="You leave the mask out when the cache holds tokens. That is right for one new token, which "
        "may see everything; in a chunk of several every token then sees the later ones of the chunk too. "
        "Query i may see keys 0 to past + i.",
    ),
    Mistake(
        "nothing-masked-with-a-cache",
        find="(query, key, value, mask, enable_gqa=True)",
        replace="(query, key, value, mask if cache is None else None, enable_gqa=True)",
        says="With a cache nothing is masked, not even in the first chunk, so every token sees the later "
        "ones of its chunk. Either there is no mask, or it is made from a cache.length read after update, "
        "which has grown by then. Query i may see keys 0 to past + i, where past is the length before.",
    ),
    Mistake(
        "not-causal",
        find="F.scaled_dot_product_attention(query, key, value, mask, enable_gqa=True)",
        replace="F.scaled_dot_product_attention(query, key, value, enable_gqa=True)",
        says="Your attention is not causal: every token sees the later ones, and then earlier results would "
        "change when tokens come. Query i may see keys 0 to past + i.",
    ),
    Mistake(
        "scale-missing",
        find="query, key, value, mask, enable_gqa=True)",
        replace="query, key, value, mask, scale=1.0, enable_gqa=True)",
        says="You do not scale the scores. Divide them by sqrt(head_dim): a dot product of head_dim terms "
        "has that standard deviation, and unscaled the softmax saturates.",
    ),
    Mistake(
        "positions-restart",
        find="positions = torch.arange(past, past + new, device=x.device)",
        replace="positions = torch.arange(new, device=x.device)",
        also=(("<= positions[:, None]", "<= past + positions[:, None]"),),
        says="Your rotary positions start at 0 in every call, so a token behind a prefix is turned as if it "
        "were the first, and all distances to the prefix are wrong. They go on from cache.length.",
    ),
    Mistake(
        "positions-one-too-large",
        find="positions = torch.arange(past, past + new, device=x.device)",
        replace="positions = torch.arange(past + 1, past + new + 1, device=x.device)",
        also=(("<= positions[:, None]", "< positions[:, None]"),),
        says="Your positions start at 1. All distances, and so the results, are right, but the cached keys "
        "are turned too far. The first token is at position 0.",
    ),
    Mistake(
        "positions-after-the-update",
        find="""\
        positions = torch.arange(past, past + new, device=x.device)
        query = _turn""",
        replace="""\
        positions = torch.arange(past, past + new, device=x.device)
        positions = positions if cache is None else positions + new
        query = _turn""",
        also=(("<= positions[:, None]", "<= torch.arange(past, past + new)[:, None]"),),
        says="Your positions are too large by the number of new tokens: cache.length advanced before you "
        "read it. Chunks of one size hide that (all distances stay right). A chunk's first position is the "
        "number of tokens cached before it.",
    ),
    Mistake(
        "positions-counted-in-the-module",
        find="past = 0 if cache is None else cache.length",
        replace="past = 0 if cache is None else getattr(self, '_past', 0)",
        also=(
            (
                "        if cache is not None:\n",
                "        if cache is not None:\n            self._past = past + new\n",
            ),
            (
                "mask = torch.arange(past + new, device=x.device)",
                "mask = torch.arange(key.shape[2], device=x.device)",
            ),
        ),
        says="Your module counts the positions itself, so a second cache starts where the first one ended. "
        "How far a sequence has come belongs to the cache: the positions go on from cache.length.",
    ),
    Mistake(
        "keys-cached-before-rotation",
        find="key = _turn(key, positions, self.base)",
        replace="pass",
        also=(
            (
                "        # The last query is aligned",
                """\
        key = _turn(key, torch.arange(past + new), self.base)
        # The last query is aligned""",
            ),
        ),
        says="You cache the keys as they are projected, and turn all of them at every step. The results are "
        "right, but a token's position never changes: turn its key once, before it is cached.",
    ),
    Mistake(
        "keys-not-turned",
        find="key = _turn(key, positions, self.base)",
        replace="pass",
        says="You turn the queries but not the keys. Scores depend on the distance only when both are "
        "turned, each by its own position: turn the new keys before they are cached.",
    ),
    Mistake(
        "queries-not-turned",
        find="        query = _turn(query, positions, self.base)\n",
        replace="",
        says="You turn the keys but not the queries. Scores depend on the distance only when both are "
        "turned, each by its own position.",
    ),
    Mistake(
        "values-turned",
        find="        if cache is not None:\n",
        replace="        value = _turn(value, positions, self.base)\n        if cache is not None:\n",
        says="You turn the values too. They do not enter a score, and nothing turns their sum back: only "
        "queries and keys are turned.",
    ),
    Mistake(
        "neighbours-turned",
        find="""\
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)""",
        replace="""\
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.stack((first * cos - second * sin, first * sin + second * cos), dim=-1).flatten(-2)""",
        says="You turn neighbouring features (0, 1), (2, 3), … Here pair i is feature i and feature i + "
        "head_dim / 2.",
    ),
    Mistake(
        "base-ignored",
        find="        self.base = base",
        replace="        self.base = 10000.0",
        says="You compute the angles with the base 10000, whatever base the constructor got.",
    ),
    Mistake(
        "cache-overwritten-at-0",
        find="""\
        self._keys[:, :, start:end] = key
        self._values[:, :, start:end] = value""",
        replace="""\
        self._keys[:, :, : end - start] = key
        self._values[:, :, : end - start] = value""",
        says="You write every update to the front of the storage, over the earlier tokens. New ones go "
        "behind them, from length on.",
    ),
    Mistake(
        "length-not-advanced",
        find="        self.length = end\n",
        replace="",
        says="You never advance length, so every update overwrites the one before and every chunk starts at "
        "position 0. Add the number of new tokens, once they are stored.",
    ),
    Mistake(
        "length-advanced-before-writing",
        find="        start, end = self.length, self.length + key.shape[2]",
        replace="""\
        self.length += key.shape[2]
        start, end = self.length, self.length + key.shape[2]""",
        also=(("        self.length = end\n", ""),),
        says="You advance length before you store the tokens, so they are written behind a gap that was "
        "never filled. Store at the old length, then advance it.",
    ),
    Mistake(
        "whole-storage-returned",
        find="        return self._keys[:, :, :end], self._values[:, :, :end]",
        replace="        return self._keys, self._values",
        says="update returns the whole storage, max_len rows, most of them not filled yet. Return the first "
        "length rows: self._keys[:, :, :length].",
    ),
    Mistake(
        "only-new-tokens-returned",
        find="        return self._keys[:, :, :end], self._values[:, :, :end]",
        replace="        return key, value",
        says="update returns the new tokens only. Attention needs all tokens so far: return the first "
        "length rows of the storage.",
    ),
    Mistake(
        "result-of-update-ignored",
        find="key, value = cache.update(key, value)",
        replace="cache.update(key, value)",
        also=(("mask = torch.arange(past + new, device=x.device)", "mask = torch.arange(past, past + new)"),),
        says="You store the new keys and values, but attend with them alone: the prefix is never read. "
        "update returns all keys and values so far: attend over these.",
    ),
    Mistake(
        "overflow-unchecked",
        find="""\
        max_len = self._keys.shape[2]
        if end > max_len:
            raise ValueError(f"{end} tokens do not fit into a cache of {max_len}")
""",
        replace="",
        says="You do not check for room. Writing past the end of the storage fails with a RuntimeError "
        "about shapes, where it fails at all. Compare length + new with max_len first, and raise a "
        "ValueError.",
    ),
    Mistake(
        "overflow-wraps",
        find="""\
        max_len = self._keys.shape[2]
        if end > max_len:
            raise ValueError(f"{end} tokens do not fit into a cache of {max_len}")
        self._keys[:, :, start:end] = key
        self._values[:, :, start:end] = value""",
        replace="""\
        places = torch.arange(start, end) % self._keys.shape[2]
        self._keys[:, :, places] = key
        self._values[:, :, places] = value""",
        says="Past max_len you go on at the front of the storage, over the oldest tokens. That is a sliding "
        "window, which nobody asked for: the results are silently wrong. Raise a ValueError.",
    ),
    Mistake(
        "overflow-cut-off",
        find="""\
            raise ValueError(f"{end} tokens do not fit into a cache of {max_len}")
""",
        replace="""\
            end = max_len
            key, value = key[:, :, : end - start], value[:, :, : end - start]
""",
        says="You drop the tokens that do not fit. The results are then silently wrong: raise a ValueError.",
    ),
    Mistake(
        "raises-after-advancing",
        find="        if end > max_len:\n",
        replace="        self.length = end\n        if end > max_len:\n",
        says="You advance length before you raise, so a refused update leaves a cache that claims tokens it "
        "does not hold. Check first, and change the cache only when all fits.",
    ),
    Mistake(
        "raises-after-writing",
        find="        if end > max_len:\n",
        replace="""\
        self._keys[:, :, start:end] = key[:, :, : max_len - start]
        self._values[:, :, start:end] = value[:, :, : max_len - start]
        self.length = min(end, max_len)
        if end > max_len:
""",
        says="You store what fits and then raise, so a refused update changes the cache. Check first, and "
        "change the cache only when all fits.",
    ),
    Mistake(
        "concatenated",
        find="""\
        self._keys = torch.zeros(shape, dtype=dtype)
        self._values = torch.zeros(shape, dtype=dtype)""",
        replace="        self._max_len = max_len",
        also=(
            ("max_len = self._keys.shape[2]", "max_len = self._max_len"),
            (
                """\
        self._keys[:, :, start:end] = key
        self._values[:, :, start:end] = value
        self.length = end
        return self._keys[:, :, :end], self._values[:, :, :end]""",
                """\
        self._keys = key if start == 0 else torch.cat((self._keys, key), dim=2)
        self._values = value if start == 0 else torch.cat((self._values, value), dim=2)
        self.length = end
        return self._keys, self._values""",
            ),
        ),
        says="You concatenate: every step copies the whole cache into new memory. Allocate max_len rows "
        "once and write the new tokens into them.",
    ),
    Mistake(
        "prefix-projected-again",
        find="""\
        batch, new, hidden_size = x.shape
        past = 0 if cache is None else cache.length
""",
        replace="""\
        if cache is not None:
            cache.tokens = torch.cat((cache.tokens, x), dim=1) if cache.length else x
            length, cache.length = cache.length, 0
            return self._forward(cache.tokens, cache)[:, length:]
        return self._forward(x)

    def _forward(self, x, cache=None):
        batch, new, hidden_size = x.shape
        past = 0 if cache is None else cache.length
""",
        says="You keep the tokens and project the whole sequence again at every step. The results are "
        "right, but that is the work a cache saves: project the new tokens only, and take the earlier keys "
        "and values from the cache.",
    ),
    DTYPE_IGNORED,
    # The same where matrix products meet the two dtypes, not the fused attention.
    replace(
        DTYPE_IGNORED,
        id="dtype-ignored-in-matrix-products",
        also=(
            (
                "        context = F.scaled_dot_product_attention(query, key, value, mask, enable_gqa=True)",
                """\
        groups = query.shape[1] // self.num_kv_heads
        scores = query @ key.repeat_interleave(groups, dim=1).mT / self.head_dim**0.5
        weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
        context = weights @ value.repeat_interleave(groups, dim=1)""",
            ),
        ),
    ),
    Mistake(
        "kv-heads-tiled",
        find="F.scaled_dot_product_attention(query, key, value, mask, enable_gqa=True)",
        replace="""\
(
            F.scaled_dot_product_attention(
                query,
                key.repeat(1, query.shape[1] // self.num_kv_heads, 1, 1),
                value.repeat(1, query.shape[1] // self.num_kv_heads, 1, 1),
                mask,
            )
        )""",
        says="You tile the key/value heads (0 1 0 1). Neighbouring query heads share one (0 0 1 1): query "
        "head i reads key/value head i // (num_heads // num_kv_heads), which is what repeat_interleave and "
        "enable_gqa=True give.",
    ),
    heads_merged_without_transpose(seq="new"),
    Mistake(
        "biases-not-left-out",
        find="""\
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=False)""",
        replace="""\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)
        self.o_proj = nn.Linear(hidden_size, hidden_size)""",
        says="Your projections have biases. nn.Linear has one unless told otherwise, and here, as in Llama, "
        "there are none: pass bias=False.",
    ),
]
