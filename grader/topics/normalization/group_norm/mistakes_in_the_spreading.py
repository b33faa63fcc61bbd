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
    *(
        Mistake(
            f"statistics-over-{many}-positions-at-most",
            find="groups = x.reshape(len(x), self.num_groups, -1)  # (batch, num_groups, n)",
            replace=f"groups = x.reshape(len(x), self.num_groups, -1, *x.shape[{first}:])",
            also=(
                ("mean = groups.mean(dim=-1,", "mean = groups.mean(dim=2,"),
                ("groups.var(dim=-1,", "groups.var(dim=2,"),
            ),
            says=f"From the {nth} dimension of x on, each position is normalized by itself: you take mean "
            "and variance over a fixed number of dimensions. There may be any number of them, and a group is "
            "its channels at all positions: flatten them, or count the dimensions of x.",
        )
        for many, first, nth in (("two", 4, "fifth"), ("three", 5, "sixth"))
    ),
    Mistake(
        "groups-of-the-whole-batch",
        find="x.reshape(len(x), self.num_groups, -1)",
        replace="x.reshape(self.num_groups, -1)",
        says="You cut the whole batch into groups, not each sample, so a group holds values of several "
        "samples, and only a batch of one is right. Keep the batch as a dimension: (batch, num_groups, "
        "values).",
    ),
    *(
        Mistake(
            f"{name}-by-the-number-of-the-group",
            find="        return self.weight.view(columns) * normalized + self.bias.view(columns)",
            replace=f"""\
        of_group = torch.arange(x.shape[1], device=x.device) // (x.shape[1] // self.num_groups)
        weight, bias = {values}
        return weight.view(columns) * normalized + bias.view(columns)""",
            says=f"All channels of a group get the same {what}: you read it at the number of the group. "
            "Groups share statistics alone; weight and bias are one for each channel, so take those of its "
            "channels.",
        )
        for name, values, what in (
            ("weight", "self.weight[of_group], self.bias", "weight"),
            ("bias", "self.weight, self.bias[of_group]", "bias"),
            ("weight-and-bias", "self.weight[of_group], self.bias[of_group]", "weight and bias"),
        )
    ),
]
