"""Known wrong versions of `group_norm` that give channels the mean and variance of another group."""

from grader.kit import Mistake

MISTAKES = [
    *(
        Mistake(
            f"statistics-spread-in-turns{ending}",
            find="        normalized = (groups - mean) / torch.sqrt(variance + self.eps)\n",
            replace=f"""\
        size = x.shape[1] // self.num_groups
        channels = x.reshape(len(x), x.shape[1], -1)
        around = mean.{means}
        normalized = (channels - around) / torch.sqrt(variance.{variances} + self.eps)
""",
            says=f"You take {what} for each group of neighbouring channels, but spread them over the "
            "channels in turns (0, 1, 0, 1, …), by repeat for example. Channels of a group stand side by "
            "side: 0, 0, 1, 1, …, as by repeat_interleave.",
        )
        for ending, means, variances, what in (
            ("", "repeat(1, size, 1)", "repeat(1, size, 1)", "mean and variance"),
            ("-means-alone", "repeat(1, size, 1)", "repeat_interleave(size, dim=1)", "the mean"),
            ("-variances-alone", "repeat_interleave(size, dim=1)", "repeat(1, size, 1)", "the variance"),
        )
    ),
]
