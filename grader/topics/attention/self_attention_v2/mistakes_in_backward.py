"""Known wrong versions of `self_attention_v2` whose hand-written backward pass forgets the scale."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        f"scale-forgotten-backwards-{name}",
        find="        scores = query @ key.transpose(-2, -1)  # (batch, seq, seq)\n",
        replace=f"""\
        root = math.sqrt(query.shape[-1])
{lines}        scores = query @ key.transpose(-2, -1)
""",
        says=f"Your result is right, but {what} too large, by a factor of sqrt(hidden_size): the "
        "backward pass leaves out the scale, for example. What the scores are multiplied by on the way "
        "there, their gradients are multiplied by on the way back.",
    )
    for name, what, names in (
        ("for-the-query", "the gradient of the query is", ("query",)),
        ("for-the-key", "the gradient of the key is", ("key",)),
        ("for-both", "the gradients of query and key are", ("query", "key")),
    )
    for lines in (
        "".join(f"        {each} = {each} * root + ({each} - {each} * root).detach()\n" for each in names),
    )
]
