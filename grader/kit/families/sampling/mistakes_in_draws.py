"""Mistakes that samplers share: a way of its own where nothing is removed, and draws by other noise."""

from grader.kit.mistakes import Mistake

DRAW = "torch.multinomial(rows, num_samples=1, generator=generator)"


def where_all_are_kept(condition: str, call: str, limit: str, ending: str = "") -> tuple[Mistake, ...]:
    """`condition`: that the filter removes nothing, `limit`: this in words, `call`: that of the filter."""
    return (
        Mistake(
            f"temperature-left-out-where-all-are-kept{ending}",
            find=f"filtered = {call}",
            replace=f"filtered = logits if {condition} else {call}",
            says=f"Where all tokens are kept ({limit}) you draw from the logits without the temperature: a "
            "short cut that skips the filter skips the division, too. Only the filter has nothing to do "
            "there. Divide by the temperature first, whatever comes then.",
        ),
        Mistake(
            f"generator-ignored-where-all-are-kept{ending}",
            find="num_samples=1, generator=generator",
            replace=f"num_samples=1, generator=None if {condition} else generator",
            says=f"Where all tokens are kept ({limit}) the same state of the generator gives other tokens: a "
            "way of its own for this does not pass it on. It is the source of all randomness there, too.",
        ),
        Mistake(
            f"tokens-left-flat-where-all-are-kept{ending}",
            find="    return tokens.reshape(logits.shape[:-1])",
            replace=f"    return tokens.squeeze(-1) if {condition} else tokens.reshape(logits.shape[:-1])",
            says=f"Where all tokens are kept ({limit}) you return one flat row of tokens, however many "
            "leading dimensions there are (even none). The tokens have the leading shape of the logits "
            "there, too: reshape to logits.shape[:-1].",
        ),
    )


OTHER_NOISE = tuple(
    Mistake(
        f"largest-of-{id}",
        find=DRAW,
        replace=f"({noisy}).argmax(-1, keepdim=True)",
        says=f"You take the token with the largest {words}, which favours the probable ones more or less "
        "than their probabilities do. Two kinds of noise give these exactly: the largest logit + Gumbel "
        "noise, which is -log(-log(u)) of a uniform u, and the largest probability / exponential noise. Or "
        "draw with torch.multinomial.",
    )
    for id, noisy, words in (
        (
            "probability-times-uniform",
            "rows * torch.rand(rows.shape, generator=generator, dtype=rows.dtype)",
            "probability times a uniform number",
        ),
        (
            "logit-plus-uniform",
            "rows.log() + torch.rand(rows.shape, generator=generator, dtype=rows.dtype)",
            "logit plus a uniform number",
        ),
        (
            "logit-plus-normal",
            "rows.log() + torch.randn(rows.shape, generator=generator, dtype=rows.dtype)",
            "logit plus a normal number",
        ),
        (
            "logit-plus-exponential",
            "rows.log() + torch.empty_like(rows).exponential_(generator=generator)",
            "logit plus an exponential number, -log(u) of a uniform u",
        ),
        (
            "probability-plus-uniform",
            "rows + torch.rand(rows.shape, generator=generator, dtype=rows.dtype).where(rows > 0, 0)",
            "probability plus a uniform number",
        ),
    )
)
