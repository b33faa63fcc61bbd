"""Known wrong versions of `pooled_cross_attention` that shift the last window, so that it is full."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "last-window-shifted",
        find="""\
        rest = -src % self.stride
        real = F.pad(padding_mask, (0, rest)).unflatten(1, (-1, self.stride))  # (batch, windows, stride)
        tokens = F.pad(context, (0, 0, 0, rest)).unflatten(1, (-1, self.stride))
""",
        replace="""\
        size = min(self.stride, src)
        first = torch.arange(0, src, self.stride, device=context.device).clamp(max=src - size)
        places = first[:, None] + torch.arange(size, device=context.device)
        real, tokens = padding_mask[:, places], context[:, places]
""",
        says="Where stride does not divide src, your last window holds the last `stride` tokens: it "
        "begins earlier, and shares tokens with the window before it. Window n begins at n * stride, and "
        "the last one is shorter.",
    ),
]
