"""Known wrong versions of `pooled_cross_attention` that shift the last window, so that it is full."""

from grader.kit import Mistake

WINDOWS = """\
        rest = -src % self.stride
        real = F.pad(padding_mask, (0, rest)).unflatten(1, (-1, self.stride))  # (batch, windows, stride)
        tokens = F.pad(context, (0, 0, 0, rest)).unflatten(1, (-1, self.stride))
"""
SUMS = """\
        total = (tokens * real.unsqueeze(-1)).sum(dim=2)  # (batch, windows, hidden_size)
        count = real.sum(dim=2)  # (batch, windows)
"""

MISTAKES = [
    Mistake(
        "one-window-too-many",
        find="rest = -src % self.stride",
        replace="rest = self.stride - src % self.stride",
        also=(("scores.masked_fill(~mask", "scores.masked_fill(~(mask | padding_mask.all())"),),
        says="Where stride divides src and there is no padding_mask, you read one window too many: stride - "
        "src % stride is stride then, not 0, and a window of zeros gets weight. Fill up by -src % stride.",
    ),
    Mistake(
        "windows-run-on-into-the-next-row",
        find=WINDOWS + SUMS,
        replace="""\
        windows = -(-src // self.stride)
        index = torch.arange(batch * src, device=context.device) // self.stride
        tokens = (context * padding_mask.unsqueeze(-1)).flatten(0, 1)
        total = tokens.new_zeros(batch * windows, hidden_size).index_add(0, index, tokens)
        count = tokens.new_zeros(batch * windows).index_add(0, index, padding_mask.flatten().to(x.dtype))
        total, count = total.unflatten(0, (batch, windows)), count.unflatten(0, (batch, windows))
""",
        says="Where stride does not divide src, your windows run on from one row of the batch into the next: "
        "they are numbered over all tokens of the batch. Each row begins with a window of its own.",
    ),
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
