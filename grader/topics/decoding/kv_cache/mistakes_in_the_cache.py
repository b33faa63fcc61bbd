"""Known wrong versions of `kv_cache` whose cache is at fault: its length, its ends, what it gives."""

from grader.kit import Mistake

ALLOCATED = """\
        self._keys = torch.zeros(shape, dtype=dtype)
        self._values = torch.zeros(shape, dtype=dtype)"""
WRITTEN = """\
        self._keys[:, :, start:end] = key
        self._values[:, :, start:end] = value"""

MISTAKES = [
    Mistake(
        "cache-overwritten-at-0",
        find=WRITTEN,
        replace="""\
        self._keys[:, :, : end - start] = key
        self._values[:, :, : end - start] = value""",
        says="You write every update to the front of the storage, over the earlier tokens. New ones go "
        "behind them, from length on.",
    ),
    Mistake(
        "one-storage-for-both",
        find=ALLOCATED,
        replace="        self._keys = self._values = torch.zeros(shape, dtype=dtype)",
        says="Keys and values share one storage (as of a = b = torch.zeros(…)), and the values are written "
        "over the keys. Each has its own: allocate two.",
    ),
    Mistake(
        "one-storage-for-both-and-keys-last",
        find=ALLOCATED,
        replace="        self._keys = self._values = torch.zeros(shape, dtype=dtype)",
        also=(
            (
                WRITTEN,
                """\
        self._values[:, :, start:end] = value
        self._keys[:, :, start:end] = key""",
            ),
        ),
        says="Keys and values share one storage (as of a = b = torch.zeros(…)), and the keys are written "
        "over the values. Each has its own: allocate two.",
    ),
    Mistake(
        "values-stored-as-keys-too",
        find=WRITTEN,
        replace="""\
        self._keys[:, :, start:end] = value
        self._values[:, :, start:end] = value""",
        says="What stands in the cache, and comes back, as keys are the values: both are written from value, "
        "for example. Keys come from key.",
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
        "last-place-refused",
        find="        if end > max_len:\n",
        replace="        if end >= max_len:\n",
        says="You refuse tokens that just fill the cache (>= stands for >), so its last place is never used. "
        "max_len tokens fit: raise only when there would be more.",
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
        find=ALLOCATED,
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
    Mistake(
        "base-of-1000-by-default",
        find="base: float = 10000.0",
        replace="base: float = 1000.0",
        says="Your base is 1000 by default. It is 10000, with four zeros.",
    ),
    Mistake(
        "positions-of-keys-restart",
        find="key = _turn(key, positions, self.base)",
        replace="key = _turn(key, positions - past, self.base)",
        says="You count the positions of new keys from 0 in every call, and only those of queries go on "
        "behind the cache. Both do.",
    ),
    Mistake(
        "keys-and-values-detached",
        find="        if cache is not None:\n            key, value = cache.update(key, value)",
        replace="""\
        if cache is None:
            key, value = key.detach(), value.detach()
        else:
            key, value = cache.update(key, value)""",
        says="Without a cache no gradient flows through keys and values: they pass through a cache of the "
        "call's own whose update is under no_grad, or they are detached, for example. Only calls with the "
        "caller's cache do without gradients.",
    ),
]
