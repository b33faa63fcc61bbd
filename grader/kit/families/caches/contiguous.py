"""What the checks of a key/value cache share: caches and rows of one size, scenarios, and named results."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from grader.kit.assertions import assert_accepts, assert_close, assert_equal, assert_true
from grader.kit.families.attention.rotary import step_behind
from grader.kit.generators import Rng
from grader.kit.handles import Instance, Submission


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


def assert_far_positions(submission: Submission, rng: Rng, *, tolerance: float) -> None:
    """A token behind more than 4,096 others. A head of two features turns by the position itself, which is
    as exact in float32."""
    attention = submission.CachedAttention(4, 2, 1)
    cache = new_cache(submission, batch=1, num_kv_heads=1, max_len=4200, head_dim=2)
    weights, token = attention.randomize(rng), rng.normal(1, 1, 4)
    keys, values = (rng.normal(1, 1, 4150, 2) for _ in range(2))
    cache.update(keys, values)
    came = submission.run(feed, attention, [cache], [token])
    expected = step_behind(weights, token, keys, values, head_dim=2)
    assert_outputs(came, {"behind 4,150 tokens": expected}, tolerance=tolerance)


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
