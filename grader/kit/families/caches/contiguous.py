"""What the checks of a key/value cache share: caches and rows of one size, scenarios, and named results."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from grader.kit.assertions import assert_accepts, assert_close, assert_equal, assert_raises, assert_true
from grader.kit.families.attention.rotary import full, step_behind
from grader.kit.generators import Rng
from grader.kit.handles import Instance, Submission
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_scenario_keeps_device


def feed(answer: "Any", attention: "Any", caches: "Any", chunks: "Any") -> "Any":
    """The attention of each chunk, with the cache beside it."""
    with torch.no_grad():
        return [attention(chunk, cache) for cache, chunk in zip(caches, chunks, strict=True)]


def new_cache(
    submission: Submission, batch: int = 3, num_kv_heads: int = 2, max_len: int = 17, head_dim: int = 6
) -> Any:
    return submission.KVCache(batch, num_kv_heads, max_len, head_dim, dtype=torch.float64)


def rows(rng: Rng, new: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """New keys (or values) for such a cache."""
    return rng.normal(3, 2, new, 6, dtype=dtype)


class Stored(NamedTuple):
    """What an update gives, named for the messages."""

    keys: Tensor
    values: Tensor


def assert_outputs(came: Any, expected: Mapping[str, Tensor], **options: Any) -> None:
    """What `feed` gives, each call's named for the messages."""
    assert_close(dict(zip(expected, came, strict=True)), expected, **options)


def assert_length(cache: Instance, expected: int) -> None:
    assert_equal(cache.attribute("length"), expected, what="length")


def assert_no_room(submission: Submission, rng: Rng) -> None:
    """An update that goes past max_len is refused; in the second round also one that is the first, and what
    attention would add to a full cache.
    """
    cache = new_cache(submission, max_len=(room := rng.option(7, 3, 300)))
    cache.update(rows(rng, room - 2), rows(rng, room - 2))
    assert_raises(cache.update, rows(rng, 3), rows(rng, 3))
    if is_second_round():
        cache, new = new_cache(submission, max_len=room), room + rng.option(1, 1, 9)
        assert_raises(cache.update, rows(rng, new), rows(rng, new))
        cache.update(rows(rng, room), rows(rng, room))
        attention = submission.CachedAttention(24, 4, 2)
        attention.randomize(rng)
        assert_raises(attention, rng.normal(3, 1, 24), cache)


def assert_allocated_once(submission: Submission, rng: Rng) -> None:
    """The storage is the same after every update, and little is held beside it."""
    cache, held = new_cache(submission), []
    for new in (1, 16):
        assert_accepts(cache.update, rows(rng, new), rows(rng, new))
        held.append(cache.storages())
    kept = sum(held[0][address] for address in set.intersection(*map(set, held)))
    needed, most = 2 * 3 * 2 * 17 * 6 * 8, max(sum(sizes.values()) for sizes in held)
    assert_true(
        kept >= needed and most <= 1.5 * needed,
        f"the cache's storage has to be the same memory after every update, {needed} bytes for keys and "
        f"values of max_len tokens, and little is held beside it: {kept} bytes are, of {most}",
        seen=[sum(sizes.values()) for sizes in held],
    )
    if is_second_round():
        assert_scenario_keeps_device(submission, stored_by_default, rng.normal(1, 1, 3, 2).float())


def stored_by_default(answer: "Any", key: "Any") -> "Any":
    """For each part of what an update gives the key, if it is on the default device, as the new rows are."""
    there = torch.empty(0).device
    came = answer.KVCache(1, 1, 4, 2).update(key.to(there), key.to(there))
    return [key if each.device == there else each for each in came]


def assert_far_positions(submission: Submission, rng: Rng, *, tolerance: float) -> None:
    """A token behind more than 4,096 others. A head of two features turns by the position itself, which is
    as exact in float32."""
    attention = submission.CachedAttention(4, 2, 1)
    far = rng.option(4150, 8200, 9000)
    cache = new_cache(submission, batch=1, num_kv_heads=1, max_len=far + 50, head_dim=2)
    weights, token = attention.randomize(rng), rng.normal(1, 1, 4)
    keys, values = (rng.normal(1, 1, far, 2) for _ in range(2))
    cache.update(keys, values)
    came = submission.run(feed, attention, [cache], [token])
    expected = step_behind(weights, token, keys, values, head_dim=2)
    assert_outputs(came, {f"behind {far:,} tokens": expected}, tolerance=tolerance)


def assert_float32_is_kept(submission: Submission, rng: Rng) -> None:
    """A module in float32 gives that; in the second round also one that has been called in float64 before."""
    base = rng.option(1e4, 10.0, 1e6)
    attention, cache = submission.CachedAttention(24, 4, 2, base), submission.KVCache(3, 2, 17, 6)
    weights = attention.randomize(rng, dtype=torch.float32)
    x = rng.normal(3, 9, 24, scale=0.4).float()
    if is_second_round():
        attention.to(torch.float64)
        submission.run(feed, attention, [None], [x.double()])
        attention.to(torch.float32)
    came, out = submission.run(feed, attention, [None, cache], [x, x[:, :5]]), full(weights, x, base)
    assert_outputs(came, {"without a cache": out, "with a cache": out[:, :5]})


def assert_later_ones_stay_unseen(submission: Submission, rng: Rng) -> None:
    """In the second round: a token is attended to by none before it, also where its score is the largest."""
    if is_second_round():
        attention, cache = submission.CachedAttention(2, 1, 1), new_cache(submission, 2, 1, 2, 2)
        weights, first = attention.randomize(rng), rng.normal(2, 2)
        first /= first.norm(dim=-1, keepdim=True)
        # Turned, the keys are opposite: a token's score is -5500 with itself, 5500 with the other one.
        weights["k_proj.weight"] = torch.eye(2, dtype=torch.float64)
        weights["q_proj.weight"] = -5500 * 2**0.5 * weights["k_proj.weight"]
        turn = torch.tensor([[math.cos(1), math.sin(1)], [-math.sin(1), math.cos(1)]], dtype=torch.float64)
        x = torch.stack([first, -first @ turn.T], dim=1)
        attention.load(weights)
        came = submission.run(feed, attention, [None, cache], [x, x])
        out = full(weights, x, head_dim=2)
        assert_outputs(came, {"two tokens": out, "two tokens, with a cache": out}, tolerance=1e-5)


def update_anyway(answer: "Any", cache: "Any", key: "Any", value: "Any") -> "Any":
    try:
        cache.update(key, value)
    except Exception:
        return "refused"


def fed_back(answer: "Any", attention: "Any", cache: "Any", x: "Any") -> "Any":
    """x, after a call with the cache."""
    with torch.no_grad():
        attention(x, cache)
    return x
