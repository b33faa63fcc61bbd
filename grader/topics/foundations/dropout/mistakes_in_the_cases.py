"""Known wrong versions of `dropout` that are wrong for some shapes, or in evaluation, alone."""

from grader.kit import Mistake

MISTAKES = [
    *(
        Mistake(
            f"whole-channels-dropped-of-{ndim}-dimensions",
            find="        keep = torch.rand_like(x) >= self.p",
            replace=f"""\
        shape = x.shape[:2] + (1,) * (x.ndim - 2) if x.ndim == {ndim} else x.shape
        keep = torch.rand(shape, dtype=x.dtype, device=x.device) >= self.p""",
            says=f"In a tensor of {ndim} dimensions you drop whole channels, as spatial dropout does "
            "(nn.Dropout2d and its kin). Here each element is drawn by itself, whatever the shape is.",
        )
        for ndim in (4, 5)
    ),
    Mistake(
        "detached-in-evaluation",
        find="            return x\n",
        replace="            return x.detach()\n",
        says="In evaluation your result has the right values, but it is cut off from x: no gradient flows "
        "back. x comes out as it is (not x.data, and not under no_grad).",
    ),
]
