"""Known wrong versions of `mlp_numpy` in the weights that it starts with."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "first-weights-kept-for-backward",
        find="        self.b2 = np.zeros(output_size)\n",
        replace="        self.b2 = np.zeros(output_size)\n"
        "        self._W1, self._W2 = self.W1.copy(), self.W2.copy()\n",
        also=(
            ("grad_output @ self.W2.T", "grad_output @ self._W2.T"),
            ("grad_pre @ self.W1.T", "grad_pre @ self._W1.T"),
        ),
        says="backward goes through copies of the weights that the network began with, so values that are "
        "written into W1 and W2 later do not reach the gradients. Use the arrays as they are now: W.T is a "
        "view and costs nothing.",
    ),
    Mistake(
        "computes-with-the-first-weights",
        find="        self.b2 = np.zeros(output_size)\n",
        replace="        self.b2 = np.zeros(output_size)\n"
        "        self._W1, self._W2 = self.W1.copy(), self.W2.copy()\n",
        also=(
            ("x @ self.W1 + self.b1", "x @ self._W1 + self.b1"),
            ("self._hidden @ self.W2 + self.b2", "self._hidden @ self._W2 + self.b2"),
            ("grad_output @ self.W2.T", "grad_output @ self._W2.T"),
            ("grad_pre @ self.W1.T", "grad_pre @ self._W1.T"),
        ),
        says="Your network computes with other arrays than W1 and W2, which are copies (of the weights of "
        "its layers, for example): values that are written into them change nothing. Compute with the arrays "
        "themselves, or make them views of each other: W.T copies nothing.",
    ),
    Mistake(
        "xavier-with-fan-in-only",
        find="    limit = np.sqrt(6 / (fan_in + fan_out))",
        replace="    limit = np.sqrt(6 / fan_in)",
        says="Your limit is sqrt(6 / fan_in), which is He's (Kaiming) for ReLU. Xavier's has both: sqrt(6 "
        "/ (fan_in + fan_out)), a compromise between the variance of the activations and that of the "
        "gradients.",
    ),
    Mistake(
        "xavier-normal",
        find="    return rng.uniform(-limit, limit, size=(fan_in, fan_out))",
        replace="    return rng.normal(0, limit / np.sqrt(3), size=(fan_in, fan_out))",
        says="You draw from a normal distribution. Its variance is right, but Xavier-uniform was asked "
        "for: no weight lies outside ±sqrt(6 / (fan_in + fan_out)).",
    ),
    Mistake(
        "rng-ignored",
        find="        rng = np.random.default_rng() if rng is None else rng",
        replace="        rng = np.random.default_rng()",
        says="You draw the weights from a generator of your own, or from NumPy's global one, and ignore rng, "
        "so the same seed gives other weights each time. Use the generator that was passed, and a fresh "
        "one only for None.",
    ),
    Mistake(
        "xavier-standard-deviation-as-limit",
        find="    limit = np.sqrt(6 / (fan_in + fan_out))",
        replace="    limit = np.sqrt(2 / (fan_in + fan_out))",
        says="You use the standard deviation sqrt(2 / (fan_in + fan_out)) as the limit of the uniform "
        "distribution. A uniform on [-limit, limit] has variance limit**2 / 3, so the limit is sqrt(6"
        " / (fan_in + fan_out)).",
    ),
    Mistake(
        "xavier-without-brackets",
        find="    limit = np.sqrt(6 / (fan_in + fan_out))",
        replace="    limit = np.sqrt(6 / fan_in + fan_out)",
        says="Your limit is sqrt(6 / fan_in + fan_out), far too large: the brackets around the sum are "
        "missing. It is sqrt(6 / (fan_in + fan_out)).",
    ),
    Mistake(
        "xavier-without-the-root",
        find="    limit = np.sqrt(6 / (fan_in + fan_out))",
        replace="    limit = 6 / (fan_in + fan_out)",
        says="Your limit is 6 / (fan_in + fan_out), without the square root. 2 / (fan_in + fan_out) is the "
        "variance; the limit is as large as the weights, so it is a root.",
    ),
    Mistake(
        "xavier-one-sided",
        find="    return rng.uniform(-limit, limit, size=(fan_in, fan_out))",
        replace="    return rng.uniform(0, limit, size=(fan_in, fan_out))",
        says="You draw from [0, limit], so all weights are positive and the outputs of all neurons are "
        "alike. Xavier-uniform is symmetric about 0: between -limit and limit.",
    ),
    Mistake(
        "xavier-up-to-one",
        find="    return rng.uniform(-limit, limit, size=(fan_in, fan_out))",
        replace="    return rng.uniform(-limit, size=(fan_in, fan_out))",
        says="You draw from -limit up to 1: the upper bound of rng.uniform is 1.0 if nothing is said, it "
        "does not mirror the lower one. Pass both, -limit and limit.",
    ),
    Mistake(
        "xavier-down-to-minus-one",
        find="    return rng.uniform(-limit, limit, size=(fan_in, fan_out))",
        replace="    return rng.uniform(-1, limit, size=(fan_in, fan_out))",
        says="You draw from -1 up to limit. Xavier-uniform is symmetric about 0: between -limit and limit.",
    ),
    Mistake(
        "rng-from-a-fixed-seed",
        find="        rng = np.random.default_rng() if rng is None else rng",
        replace="        rng = np.random.default_rng(0)",
        says="You draw from a generator with a fixed seed, so every network gets the same weights, "
        "whatever rng is. Use the generator that was passed, and an unseeded one only for None.",
    ),
    Mistake(
        "none-is-a-fixed-seed",
        find="        rng = np.random.default_rng() if rng is None else rng",
        replace="        rng = np.random.default_rng(0) if rng is None else rng",
        says="Without rng you seed the generator with a constant, so all such networks get the same "
        "weights. None stands for a fresh generator: np.random.default_rng(), without a seed.",
    ),
    Mistake(
        "xavier-with-relu-gain",
        find="    limit = np.sqrt(6 / (fan_in + fan_out))",
        replace="    limit = np.sqrt(2) * np.sqrt(6 / (fan_in + fan_out))",
        says="You multiply the limit by sqrt(2), the gain that makes up for ReLU. Asked for is plain "
        "Xavier: sqrt(6 / (fan_in + fan_out)).",
    ),
    Mistake(
        "weights-stored-transposed",
        find="size=(fan_in, fan_out)",
        replace="size=(fan_out, fan_in)",
        says="Your weights are stored as (out, in), as PyTorch's nn.Linear has them. Here W1 is (input, "
        "hidden) and W2 (hidden, output), so that forward is x @ W1 without a transpose.",
    ),
    Mistake(
        "biases-are-rows",
        find="""\
        self.b1 = np.zeros(hidden_size)
        self.W2 = _xavier_uniform(hidden_size, output_size, rng)
        self.b2 = np.zeros(output_size)""",
        replace="""\
        self.b1 = np.zeros((1, hidden_size))
        self.W2 = _xavier_uniform(hidden_size, output_size, rng)
        self.b2 = np.zeros((1, output_size))""",
        says="Your biases have shape (1, n). They are vectors here, (n,): broadcasting puts the batch "
        "dimension in front by itself.",
    ),
    Mistake(
        "weights-in-float32",
        find="    return rng.uniform(-limit, limit, size=(fan_in, fan_out))",
        replace="    return rng.uniform(-limit, limit, size=(fan_in, fan_out)).astype(np.float32)",
        says="Your weights are float32. They are float64 here, which NumPy draws anyway: leave out the "
        "conversion.",
    ),
    Mistake(
        "normal-with-the-limit-as-deviation",
        find="    return rng.uniform(-limit, limit, size=(fan_in, fan_out))",
        replace="    return rng.normal(0, limit, size=(fan_in, fan_out))",
        says="You draw from a normal distribution and take the limit for its standard deviation. "
        "Xavier-uniform is a uniform distribution between -limit and limit: rng.uniform.",
    ),
    Mistake(
        "he-normal",
        find="    return rng.uniform(-limit, limit, size=(fan_in, fan_out))",
        replace="    return rng.normal(0, np.sqrt(2 / fan_in), size=(fan_in, fan_out))",
        says="You draw from a normal distribution with standard deviation sqrt(2 / fan_in): that is He's "
        "(Kaiming) initialization. Xavier-uniform was asked for: uniform in ±sqrt(6 / (fan_in + fan_out)).",
    ),
    Mistake(
        "weights-start-at-zero",
        find="    return rng.uniform(-limit, limit, size=(fan_in, fan_out))",
        replace="    return np.zeros((fan_in, fan_out))",
        says="Your weights start at zero. All hidden neurons are then alike and get the same gradient, here "
        "even none: they never learn to differ. Draw them uniformly in ±sqrt(6 / (fan_in + fan_out)).",
    ),
]
