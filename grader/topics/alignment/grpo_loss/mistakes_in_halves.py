"""Known wrong versions of `grpo_loss` that average gain and divergence in different ways, or pool groups."""

from grader.kit import Mistake

DIVIDED = "return centred / (rewards.std(dim=1, keepdim=True) + eps)"
OF_TOKENS = "return (losses * mask).sum() / lengths.sum()"
OF_SEQUENCES = "return ((losses * mask).sum(dim=1) / lengths).mean()"


def by_tokens(values: str) -> str:
    """The mean over all kept tokens."""
    return f"({values} * mask).sum() / lengths.sum()"


def by_sequences(values: str) -> str:
    """The mean of each sequence, and over the sequences."""
    return f"(({values} * mask).sum(dim=1) / lengths).mean()"


MISTAKES = [
    *(
        Mistake(
            id_,
            find=find,
            replace=f"return kl_beta * {divergence('k3')} - {gain('gain')}",
            says=f'With aggregate="{word}" you average {right} as asked, but {wrong} {otherwise}. The '
            "mean is over the whole loss of each token: gain and divergence are averaged in the same way.",
        )
        for id_, find, gain, divergence, word, right, wrong, otherwise in (
            (
                "divergence-by-sequences",
                OF_TOKENS,
                by_tokens,
                by_sequences,
                "token",
                "the gain",
                "the divergence",
                "within each sequence first",
            ),
            (
                "gain-by-sequences",
                OF_TOKENS,
                by_sequences,
                by_tokens,
                "token",
                "the divergence",
                "the gain",
                "within each sequence first",
            ),
            (
                "divergence-by-tokens",
                OF_SEQUENCES,
                by_sequences,
                by_tokens,
                "sequence",
                "the gain",
                "the divergence",
                "over all kept tokens at once",
            ),
            (
                "gain-by-tokens",
                OF_SEQUENCES,
                by_tokens,
                by_sequences,
                "sequence",
                "the divergence",
                "the gain",
                "over all kept tokens at once",
            ),
        )
    ),
    *(
        Mistake(
            f"deviations-of-all-groups{ending}",
            find=DIVIDED,
            replace=f"return centred / ({spread} + eps)",
            says="You take each group's mean off, but divide by one standard deviation for all groups: that "
            "of all the differences together. Each group has its own, along its row.",
        )
        for ending, spread in (
            ("", "centred.std()"),
            ("-biased", "centred.square().mean().sqrt()"),
        )
    ),
]
