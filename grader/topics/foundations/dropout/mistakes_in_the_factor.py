"""Known wrong versions of `dropout`: the factor of what is kept, and the mask that backward knows."""

from grader.kit import Mistake

KEEP = "        keep = torch.rand_like(x) >= self.p"
SCALED = "        scaled = x / (1 - self.p)"
RETURN = "        return scaled * keep"


def of_the_latest(owner: str) -> str:
    """Returns the value; backward takes the mask that `owner` has by then."""
    return f"""\
        owner = {owner}
        owner.latest = keep

        class Apply(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, p):
                ctx.p = p
                return x / (1 - p) * keep

            @staticmethod
            def backward(ctx, gradient):
                return gradient / (1 - ctx.p) * owner.latest.expand_as(gradient), None

        return Apply.apply(x, self.p)"""


MISTAKES = [
    Mistake(
        "backward-divides-by-p",
        find=RETURN,
        replace="""\
        passed = x * keep / (self.p or 1)
        return passed + (scaled * keep - passed).detach()""",
        says="Your values are right, but your backward divides by p. What is kept was divided by 1 - p, and "
        "so is its gradient. (For p = 0.5 the two are the same.)",
    ),
    *(
        Mistake(
            f"each-divided-by-a-number-of-its-own{name}",
            find=KEEP,
            replace="        noise = torch.rand_like(x)\n        keep = noise >= self.p",
            also=((SCALED, SCALED.replace("(1 - self.p)", f"(1 - {noise})")),),
            says="The elements that you keep have different factors: each is divided by 1 - the number that "
            "was drawn for it, for example, where one name stands for p and for what is drawn. All that are "
            "kept are divided by 1 - p.",
        )
        for name, noise in (("", "(noise if self.p else 0)"), ("-at-p-zero-too", "noise"))
    ),
    Mistake(
        "mask-of-the-latest-call-backwards",
        find=RETURN,
        replace=of_the_latest("self"),
        says="Where a module is called twice before backward, the gradient of the first call is dropped as "
        "the second call was: the mask is kept in the module, or in memory that the next call fills anew. "
        "Each call has a mask of its own: keep it with that call (ctx), or let autograd do so.",
    ),
    Mistake(
        "mask-of-any-latest-call-backwards",
        find=RETURN,
        replace=of_the_latest("Dropout"),
        says="Where other calls come before backward, of this module or another one, the gradient is dropped "
        "as the latest of them was: the mask is kept where all modules share it (on the class, for example). "
        "Each call has a mask of its own: keep it with that call (ctx), or let autograd do so.",
    ),
    *(
        Mistake(
            f"scaled-by-the-share-kept-if-any{ending}",
            find=KEEP,
            replace=f"        keep = {drawn}",
            also=(
                (
                    SCALED,
                    """\
        share = keep.to(x.dtype).mean()
        scaled = x / torch.where(share > 0, share, 1.0)""",
                ),
            ),
            says="You divide by the share that happened to be kept. It is 1 - p only on average; divide by "
            "1 - p, so that an element does not depend on what was drawn for the others.",
        )
        for ending, drawn in (
            ("", "torch.rand_like(x) >= self.p"),
            ("-drawn-by-shape", "torch.rand(x.shape, device=x.device) >= self.p"),
        )
    ),
]
