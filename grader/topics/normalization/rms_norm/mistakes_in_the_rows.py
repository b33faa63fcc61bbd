"""Known wrong versions of `rms_norm` whose mean squares are those of other entries than a vector's."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "every-nth-entry-for-a-vector",
        find="""\
        mean_square = wide.square().mean(dim=-1, keepdim=True)
        normalized = wide * torch.rsqrt(mean_square + self.eps)
""",
        replace="""\
        columns = wide.reshape(x.shape[-1], -1)
        mean_square = columns.square().mean(dim=0, keepdim=True)
        normalized = (columns * torch.rsqrt(mean_square + self.eps)).reshape(x.shape)
""",
        says="You take every n-th entry for a vector, n being the number of vectors: by "
        "reshape(hidden_size, n), or by place % n where places are counted flat, for example. The "
        "entries of a vector are neighbours: reshape(n, hidden_size), or place // hidden_size.",
    ),
]
