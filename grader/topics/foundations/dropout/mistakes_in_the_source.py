"""Known wrong versions of `dropout`: where the random numbers come from."""

from grader.kit import Mistake

MISTAKES = [
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
]
