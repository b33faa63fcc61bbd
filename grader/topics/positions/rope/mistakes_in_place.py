"""Known wrong versions of `rope`: what is written to while it is still needed."""

from grader.kit import Mistake

HALVES = """\
    query = query * cos + rotate_half(query) * sin
    key = key * cos + rotate_half(key) * sin
    return query, key"""


def halves(mistake_id: str, written: str, other: str, steps: list[str]) -> Mistake:
    """With an apply_rope that makes one half of the result by each of the `steps`, with `a` and `b` in the
    same memory as the result. `written` half is the first one that is written, `other` the one behind.
    """
    lines = "".join(f"        {step}\n" for step in steps)
    return Mistake(
        mistake_id,
        find=HALVES,
        replace=f"""\
    half = query.shape[-1] // 2
    c, s = cos[..., :half], sin[..., :half]

    def in_place(x):
        out = x.clone()
        a, b = out[..., :half], out[..., half:]
{lines}        return out

    return in_place(query), in_place(key)""",
        says=f"apply_rope writes the {written} half of its result where the features of that half still "
        f"stand (a slice is a view, no copy), and makes the {other} half of what it finds there: of turned "
        "features. Both halves need the old pair: compute the two before you write either.",
    )


FIRST, SECOND = "out[..., :half] = a * c - b * s", "out[..., half:] = a * s + b * c"

MISTAKES = [
    halves("halves-overwritten-while-read", "first", "second", [FIRST, SECOND]),
    halves("second-half-overwritten-while-read", "second", "first", [SECOND, FIRST]),
    Mistake(
        "pairs-overwritten-while-read",
        find="""\
    even, odd = x[..., 0::2], x[..., 1::2]  # (batch, num_heads, seq, head_dim / 2)
    turned_even = even * cos - odd * sin
    turned_odd = even * sin + odd * cos
    return torch.stack((turned_even, turned_odd), dim=-1).flatten(-2)  # (batch, num_heads, seq, head_dim)""",
        replace="""\
    out = x.clone()
    out[..., 0::2] = out[..., 0::2] * cos - out[..., 1::2] * sin
    out[..., 1::2] = out[..., 0::2] * sin + out[..., 1::2] * cos
    return out""",
        says="You write the turned even features first and then read them again for the odd ones. Both "
        "results need the old pair: compute the two of them before you write either.",
    ),
    Mistake(
        "input-overwritten",
        find="    return torch.stack((turned_even, turned_odd), dim=-1).flatten(-2)",
        replace="""\
    x[..., 0::2], x[..., 1::2] = turned_even, turned_odd
    return x""",
        says="apply_rope_interleaved writes its result into x, so the caller's tensor is changed (and "
        "a leaf that requires a gradient raises). Write into a new tensor: torch.empty_like(x), "
        "or stack and flatten.",
    ),
    Mistake(
        "query-overwritten",
        find="    query = query * cos + rotate_half(query) * sin\n",
        replace="""\
    half = rotate_half(query) * sin
    query = query.data.mul_(cos).add_(half)
""",
        says="apply_rope writes into the caller's query, which is turned twice when it comes again (and a "
        "leaf that requires a gradient raises, or gets none). Make a new tensor, with query * cos + …",
    ),
]
