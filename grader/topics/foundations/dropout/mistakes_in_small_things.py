"""Known wrong versions of `dropout`: numbers that are used again, and what is done where there is little."""

from grader.kit import Mistake

_KEEP = "        keep = torch.rand_like(x) >= self.p"
_FIRST = "        if self.p == 1:\n"

MISTAKES = [
    Mistake(
        "one-always-kept",
        find=_KEEP,
        replace=f"""\
{_KEEP}
        if not keep.any():
            keep.view(-1)[-1:] = True""",
        says="In a small tensor you never drop everything: where nothing would be left, an element is kept "
        "after all. So it is dropped less often than with probability p. Each element is drawn by itself: "
        "now and then nothing stays, and of a single element that is right in a share of p of the calls.",
    ),
    Mistake(
        "zeros-handed-back",
        find=_FIRST,
        replace=f"        if not x.any():\n            return x\n{_FIRST}",
        says="An x of zeros you hand back as it is. The values are right, but the gradient is neither "
        "dropped nor scaled. Draw for zeros, too: what flows back does not depend on the value.",
    ),
    *(
        Mistake(
            f"remainder-drawn-with-numbers-of-before{name}",
            find=_KEEP,
            replace=f"""\
        blocks = x.numel() // {size}
        noise = torch.rand(max(blocks, 1) * {size})
        rest = noise[-{size}:][: x.numel() - blocks * {size}]
        noise = (torch.cat([noise, rest]) if blocks else noise)[: x.numel()]
        keep = noise.view(x.shape) >= self.p""",
            says="Some elements are dropped just as others of the same call were: you draw in blocks, for "
            "example, and what is left over at the end gets the numbers of the block before. Each element "
            "needs a number of its own: draw for the remainder, too.",
        )
        for name, size in (("", 1024), ("-of-a-small-block", 64))
    ),
    Mistake(
        "numbers-drawn-ahead-read-again",
        find=_KEEP,
        replace="""\
        pool, place = getattr(self, "_pool", None), getattr(self, "_place", 0)
        if pool is None or pool.numel() < x.numel():
            pool, place = torch.rand(4 * x.numel()), 0
        if place + x.numel() > pool.numel():
            place = 0
        self._pool, self._place = pool, place + x.numel()
        keep = pool[place : place + x.numel()].view(x.shape) >= self.p""",
        says="A later call drops just what an earlier one did: you draw numbers ahead for several calls, for "
        "example, and begin again at the first of them when they are used up. Draw new ones then, or in "
        "each call as many as it needs.",
    ),
    Mistake(
        "nothing-dropped-without-gradients",
        find="        if not self.training:\n",
        replace="        if not (self.training and torch.is_grad_enabled()):\n",
        says="Under torch.no_grad() you drop nothing in training. Whether gradients are recorded has nothing "
        "to do with it: look at self.training only.",
    ),
    Mistake(
        "result-in-float64",
        find="        return scaled * keep",
        replace="        return scaled * keep.double()",
        says="In training your result is float64 for an x in float32. A mask from NumPy, for example, is "
        "float64, and a product has the larger dtype of the two. Bring the mask to the dtype of x.",
    ),
]
