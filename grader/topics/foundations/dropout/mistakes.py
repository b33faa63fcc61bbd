"""Known wrong versions of `dropout`."""

from grader.kit import Mistake
from grader.kit.families import instance_mistakes

MISTAKES = [
    Mistake(
        "not-scaled",
        find="        scaled = x / (1 - self.p)",
        replace="        scaled = x",
        says="You do not scale what is kept, so in training an element's expected value is only 1 - p "
        "of what evaluation gives. Divide the kept elements by 1 - p (inverted dropout).",
    ),
    Mistake(
        "multiplied-by-the-keep-probability",
        find="        scaled = x / (1 - self.p)",
        replace="        scaled = x * (1 - self.p)",
        says="You multiply the kept elements by 1 - p in training. Only the part 1 - p of them is left "
        "already; divide by 1 - p to make up for it.",
    ),
    Mistake(
        "divided-by-p",
        find="        scaled = x / (1 - self.p)",
        replace="        scaled = x / self.p",
        says="You divide by p. p is the probability of being dropped; what is kept has probability 1 - "
        "p, and by that you have to divide. (For p = 0.5 the two are the same.)",
    ),
    Mistake(
        "p-is-the-keep-probability",
        find="""\
        keep = torch.rand_like(x) >= self.p
        # The expected value of an element stays what it was, so evaluation needs no factor.
        scaled = x / (1 - self.p)""",
        replace="""\
        keep = torch.rand_like(x) < self.p
        scaled = x / self.p""",
        says="You take p for the probability to keep an element, as in the paper. In PyTorch, and here, "
        "p is the probability to drop it: keep with probability 1 - p and divide by 1 - p.",
    ),
    Mistake(
        "p-is-the-keep-probability-at-its-ends-too",
        find="""\
        if self.p == 1:
            return x * 0  # 1 / (1 - p) is infinite here, and 0 * inf is NaN
        keep = torch.rand_like(x) >= self.p
        # The expected value of an element stays what it was, so evaluation needs no factor.
        scaled = x / (1 - self.p)""",
        replace="""\
        if self.p == 0:
            return x * 0
        keep = torch.rand_like(x) < self.p
        scaled = x / self.p""",
        says="You take p for the probability to keep an element, as in the paper. In PyTorch, and here, "
        "p is the probability to drop it: keep with probability 1 - p and divide by 1 - p.",
    ),
    Mistake(
        "mask-inverted",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="        keep = torch.rand_like(x) < self.p",
        says="Your mask is inverted: you keep an element with probability p and drop it with 1 - p. p is the "
        "probability of being dropped: keep with 1 - p, for example where rand() >= p.",
    ),
    Mistake(
        "scaled-in-evaluation",
        find="""\
        if not self.training:
            return x
        if self.p == 1:
            return x * 0  # 1 / (1 - p) is infinite here, and 0 * inf is NaN
        keep = torch.rand_like(x) >= self.p
        # The expected value of an element stays what it was, so evaluation needs no factor.
        scaled = x / (1 - self.p)
        return scaled * keep""",
        replace="""\
        if not self.training:
            return x * (1 - self.p)
        return x * (torch.rand_like(x) >= self.p)""",
        says="You scale in evaluation, by 1 - p, as the paper describes it. Asked for is inverted "
        "dropout, as in PyTorch: divide by 1 - p in training, and do nothing in evaluation.",
    ),
    Mistake(
        "scaled-in-both-modes",
        find="""\
        if not self.training:
            return x
        if self.p == 1:""",
        replace="""\
        if not self.training:
            return x * (1 - self.p)
        if self.p == 1:""",
        says="You scale in training and in evaluation too. Division by 1 - p in training settles it "
        "already: evaluation is the identity.",
    ),
    Mistake(
        "active-in-evaluation",
        find="""\
        if not self.training:
            return x
""",
        replace="",
        says="You drop elements in evaluation as well. There the module has to be the identity: look at "
        "self.training, which train() and eval() set.",
    ),
    Mistake(
        "mask-drawn-once",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="""\
        if getattr(self, "_shape", None) != x.shape:
            self._shape, self._keep = x.shape, torch.rand_like(x) >= self.p
        keep = self._keep""",
        says="You draw the mask once and use it again, so the same units are dropped in every step: "
        "that is a smaller network, not dropout. Draw a new mask in each call.",
    ),
    Mistake(
        "seed-set-in-forward",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="""\
        torch.manual_seed(0)
        keep = torch.rand_like(x) >= self.p""",
        says="You seed the generator in forward, so every call drops the same elements (and all other "
        "random numbers of the program start again as well). Draw without seeding.",
    ),
    Mistake(
        "own-generator-with-a-fixed-seed",
        find="        self.p = p\n",
        replace="""\
        self.p = p
        self._generator = torch.Generator().manual_seed(0)
""",
        also=(("torch.rand_like(x) >=", "torch.rand(x.shape, dtype=x.dtype, generator=self._generator) >="),),
        says="Each of your modules has a generator of its own, and all of them begin with the same seed: two "
        "modules drop the same elements, call for call. Each draws for itself, from PyTorch's global "
        "generator for example.",
    ),
    Mistake(
        "one-mask-for-all-rows",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="        keep = torch.rand(x.shape[-1:], dtype=x.dtype) >= self.p",
        says="You draw one mask for the last dimension and use it for every row, so all samples and "
        "tokens lose the same features. Draw a number of its own for each element: rand_like(x).",
    ),
    Mistake(
        "one-mask-for-the-batch",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="        keep = torch.rand(x.shape[1:], dtype=x.dtype) >= self.p",
        says="You draw one mask and use it for all samples of the batch. Draw a number of its own for "
        "each element, the first dimension included: rand_like(x).",
    ),
    Mistake(
        "whole-rows-dropped",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="        keep = torch.rand(*x.shape[:-1], 1, dtype=x.dtype) >= self.p",
        says="You draw one number for each vector and drop it as a whole. Draw a number of its own for "
        "each element: rand_like(x).",
    ),
    Mistake(
        "one-number-for-each-sample",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="        keep = torch.rand(x.shape[:1] + (1,) * (x.dim() - 1), dtype=x.dtype) >= self.p",
        says="You draw one number for each entry of the first dimension, and drop or keep that sample as a "
        "whole. That is stochastic depth (DropPath), which skips a layer for some samples. Draw a number of "
        "its own for each element: rand_like(x), for example.",
    ),
    Mistake(
        "all-or-nothing",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="        keep = torch.rand(()) >= self.p",
        says="You draw a single number for the whole tensor, which is dropped or kept in one piece "
        "(that is stochastic depth). Draw a number for each element: rand_like(x).",
    ),
    Mistake(
        "fixed-number-dropped",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="""\
        places = torch.randperm(x.numel())[: round(self.p * x.numel())]
        keep = torch.ones(x.numel(), dtype=torch.bool).index_fill(0, places, False).view(x.shape)""",
        says="You always drop the same number of elements, p times the size. Then they are not "
        "independent: one that is dropped makes it likelier that another is kept. Draw for each element "
        "by itself.",
    ),
    Mistake(
        "scaled-by-the-share-kept",
        find="        scaled = x / (1 - self.p)",
        replace="        scaled = x / keep.to(x.dtype).mean()",
        says="You divide by the share that happened to be kept. It is 1 - p only on average; divide by "
        "1 - p, so that an element does not depend on what was drawn for the others (and nothing is 0 / "
        "0).",
    ),
    Mistake(
        "p-one-divides-by-zero",
        find="""\
        if self.p == 1:
            return x * 0  # 1 / (1 - p) is infinite here, and 0 * inf is NaN
""",
        replace="",
        says="With p = 1 you divide by 1 - p = 0, which gives infinity or, for zeros, NaN, and zero times "
        "infinity is NaN as well. Treat p = 1 separately: everything is dropped, so the result is zeros.",
    ),
    Mistake(
        "p-one-gives-zeros-in-evaluation",
        find="""\
        if not self.training:
            return x
        if self.p == 1:
            return x * 0  # 1 / (1 - p) is infinite here, and 0 * inf is NaN
""",
        replace="""\
        if self.p == 1:
            return x * 0
        if not self.training:
            return x
""",
        says="With p = 1 you give zeros in evaluation too. There the module is the identity for every "
        "p: look at self.training first.",
    ),
    Mistake(
        "p-unchecked",
        find="""\
        if not 0 <= p <= 1:
            raise ValueError(f"p must be between 0 and 1, not {p}")
""",
        replace="",
        says="You accept a p outside [0, 1], which is no probability. Raise a ValueError in the constructor.",
    ),
    Mistake(
        "p-zero-and-one-refused",
        find="        if not 0 <= p <= 1:",
        replace="        if not 0 < p < 1:",
        says="You refuse p = 0 and p = 1. Both are allowed: 0 drops nothing (the usual setting for no "
        "dropout), 1 drops all.",
    ),
    Mistake(
        "p-one-refused",
        find="        if not 0 <= p <= 1:",
        replace="        if not 0 <= p < 1:",
        says="You refuse p = 1. It is allowed, and gives zeros in training.",
    ),
    Mistake(
        "p-ignored",
        find="        self.p = p",
        replace="        self.p = 0.5",
        says="You write 0.5 into the module, so the argument p has no effect. It is the default only: "
        "use what was passed.",
    ),
    Mistake(
        "input-modified",
        find="        scaled = x / (1 - self.p)",
        replace="        scaled = x.div_(1 - self.p)",
        says="You write into x itself (div_, mul_, x[dropped] = 0), so the caller's tensor is changed, "
        "and a leaf that requires a gradient raises. Make a new tensor: x / (1 - p) * keep.",
    ),
    Mistake(
        "output-detached",
        find="        return scaled * keep",
        replace="        return (scaled * keep).detach()",
        says="Your values are right, but you cut the graph (detach, .data and no_grad all do), so no "
        "gradient gets through and nothing before the dropout learns.",
    ),
    Mistake(
        "gradient-not-dropped",
        find="        return scaled * keep",
        replace="        return x + (scaled * keep - x).detach()",
        also=(("            return x * 0 ", "            return x + (x * 0 - x).detach() "),),
        says="Your values are right, but the gradient passes as if nothing was dropped or scaled. A "
        "dropped element has gradient 0 and a kept one 1 / (1 - p): the mask is a constant factor, no "
        "more.",
    ),
    *(
        Mistake(
            name,
            find="        return scaled * keep",
            replace=f"        return {passed} + (scaled * keep - {passed}).detach()",
            says=f"Your values are right, but the gradient is {wrong}. A dropped element has gradient 0, a "
            "kept one the upstream gradient times 1 / (1 - p): the mask and the scale are constant factors, "
            "in backward as in forward.",
        )
        for name, passed, wrong in [
            ("gradient-not-scaled", "(x * keep)", "dropped and not scaled"),
            ("gradient-scaled-and-not-dropped", "scaled", "scaled and not dropped"),
        ]
    ),
    *(
        Mistake(
            name,
            find="        return scaled * keep",
            replace=f"        return scaled * ({mask})",
            says=f"Where x is 0 your gradient is {wrong}: you find out what was dropped from the values, for "
            "example, and there the result is 0 either way. Zeros are drawn like the others: keep the mask "
            "itself for backward.",
        )
        for name, mask, wrong in [
            ("mask-from-zeros-of-the-result", "scaled * keep != 0", "always 0"),
            ("mask-from-what-is-as-before", "scaled * keep == scaled", "never 0"),
        ]
    ),
    instance_mistakes.kept_on_the_class("        self.p = p\n", "p"),
]
