"""Known wrong versions of `mlp_numpy` whose weights are not drawn each by itself, or from a known seed."""

from grader.kit import Mistake

B2 = "        self.b2 = np.zeros(output_size)\n"
FIRST = "        self.W1 = _xavier_uniform(input_size, hidden_size, rng)\n"
SECOND = "        self.W2 = _xavier_uniform(hidden_size, output_size, rng)\n"
RNG = "        rng = np.random.default_rng() if rng is None else rng"

MISTAKES = [
    *(
        Mistake(
            f"units-in-{name}",
            find=B2,
            replace=f"{B2}        half = hidden_size // 2\n        {edits}\n",
            says=f"Hidden units start {how}: they get the same gradients, and training never tells them "
            "apart. Draw each weight by itself.",
        )
        for name, edits, how in (
            (
                "equal-halves",
                "self.W1[:, half : 2 * half] = self.W1[:, :half]; self.W2[half : 2 * half] = self.W2[:half]",
                "as copies of others, the second half as the first",
            ),
            (
                "equal-pairs",
                "self.W1[:, 1::2] = self.W1[:, : 2 * half : 2]; self.W2[1::2] = self.W2[: 2 * half : 2]",
                "as copies of others, each in a pair of two",
            ),
        )
    ),
    Mistake(
        "seeds-are-counted",
        find=RNG,
        replace="        MLP.made = getattr(MLP, 'made', -1) + 1\n"
        "        rng = np.random.default_rng(MLP.made) if rng is None else rng",
        says="Without rng your generator has a seed, a number that is counted up, for example: every "
        "program gets the same weights. None stands for a fresh generator, np.random.default_rng(), without "
        "a seed.",
    ),
    Mistake(
        "both-layers-from-the-same-numbers",
        find=FIRST,
        replace="        state = rng.bit_generator.state\n" + FIRST,
        also=((SECOND, "        rng.bit_generator.state = state\n" + SECOND),),
        says="W1 and W2 begin with the same random numbers: a generator with the same seed is made for each. "
        "Draw both from one, the second behind the first.",
    ),
    Mistake(
        "limit-of-a-linear-layer-of-torch",
        find="    limit = np.sqrt(6 / (fan_in + fan_out))",
        replace="    limit = 1 / np.sqrt(fan_in)",
        says="Your limit is 1 / sqrt(fan_in), that of nn.Linear in PyTorch. Xavier's is sqrt(6 / (fan_in + "
        "fan_out)).",
    ),
]
