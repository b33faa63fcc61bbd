"""What the checks of a key/value cache share: caches and rows of one size, scenarios, and named results."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from grader.kit.assertions import assert_close, assert_equal
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
