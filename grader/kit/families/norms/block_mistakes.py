"""Mistakes of norms that go through the features in blocks, and through the rows."""

from collections.abc import Callable, Iterator, Sequence

from grader.kit.mistakes import Mistake


def mean_of_means(
    *found: str, mean: Callable[[str], str], sizes: Sequence[int] = (16, 32, 64, 128)
) -> Iterator[Mistake]:
    """`found`: the expressions that take a mean over the features; `mean`: that of whose mean it is, by the
    expression."""
    for size in sizes:
        first, *others = (
            (
                each,
                "torch.stack([part.mean(dim=-1, keepdim=True) for part in "
                f"{mean(each)}.split({size}, dim=-1)]).mean(dim=0)",
            )
            for each in found
        )
        yield Mistake(
            f"mean-of-the-means-of-blocks-of-{size}",
            find=first[0],
            replace=first[1],
            also=tuple(others),
            says="You take a mean over the features as the mean of the means of blocks of them, which weighs "
            "those of a shorter last block too much. Sum all blocks, and divide by hidden_size once.",
        )
