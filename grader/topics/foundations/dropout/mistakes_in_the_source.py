"""Known wrong versions of `dropout`: where the random numbers come from, and what they are."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "drawn-in-whole-percents",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="        keep = torch.randint(100, x.shape, device=x.device) >= round(100 * self.p)",
        says="A small p never drops anything: you round p where you draw, to whole percents by whole numbers "
        "below 100, for example. Draw numbers between 0 and 1, and compare them with p itself.",
    ),
    Mistake(
        "drawn-in-single-bytes",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="        keep = torch.randint(256, x.shape, device=x.device) >= int(256 * self.p)",
        says="A p of 0.0003 drops nothing, or too little: where you draw, p is rounded down, for example to "
        "a multiple of 1 / 256 by random bytes. Draw numbers between 0 and 1 in float32 at least, and "
        "compare them with p itself.",
    ),
    *(
        Mistake(
            f"drawn-in-{dtype}",
            find="        keep = torch.rand_like(x) >= self.p",
            replace=f"        keep = torch.rand_like(x, dtype=torch.{dtype}) >= self.p",
            says="A p of 0.0003 drops too much: where you draw, p is rounded up, for example by random "
            f"numbers in {dtype}, of which there are few between 0 and 1. Draw them in float32 at least, and "
            "compare them with p itself.",
        )
        for dtype in ("bfloat16", "float16")
    ),
    Mistake(
        "source-never-moved-on",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="""\
        source = torch.Generator().manual_seed(torch.default_generator.initial_seed())
        keep = torch.rand(x.shape, dtype=x.dtype, generator=source) >= self.p""",
        says="Drawing does not move PyTorch's global generator on: every call begins at the same place, and "
        "drops the same elements. For example, each call makes a generator of its own from the seed of the "
        "global one, or from its state, as a key of JAX is used. Draw with the global one itself.",
    ),
    Mistake(
        "own-generator-seeded-alike",
        find="        self.p = p\n",
        replace="""\
        self.p = p
        self._generator = torch.Generator().manual_seed(torch.initial_seed())
""",
        also=(("torch.rand_like(x) >=", "torch.rand(x.shape, dtype=x.dtype, generator=self._generator) >="),),
        says="In one program two of your modules drop the same elements, call for call: each has a generator "
        "of its own, and all of them begin with the seed of the program (torch.initial_seed()), for example. "
        "Each draws for itself, from PyTorch's global generator for example.",
    ),
    *(
        Mistake(
            f"half-is-dropped{name}",
            find="        keep = torch.rand_like(x) >= self.p",
            replace=f"        keep = torch.rand_like(x) >= {share}",
            says="Whatever p is, you drop half of the elements: you draw with 0.5, as bernoulli_() does "
            "without an argument, for example. (It takes no probabilities from the tensor that it fills, "
            "unlike torch.bernoulli.) Drop with probability p.",
        )
        for name, share in (("", "(0.5 if self.p else 0)"), ("-at-p-zero-too", "0.5"))
    ),
]
