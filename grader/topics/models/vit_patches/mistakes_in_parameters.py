"""Known wrong versions of `PatchEmbedding` whose parameters have other shapes or names, or are none."""

from grader.kit import Mistake

CLS = "nn.Parameter(torch.zeros(1, 1, hidden_size))"
POSITIONS = "nn.Parameter(0.02 * torch.randn(1, patches + 1, hidden_size))"
EXPANDED = "self.cls_token.expand(len(x), -1, -1)"
SUMMED = "return x + self.position_embedding"

MISTAKES = [
    Mistake(
        "positions-without-a-batch",
        find=POSITIONS,
        replace=POSITIONS.replace("(1, ", "("),
        says="Your position_embedding is (patches + 1, hidden_size). That computes the same, but here "
        "it has a leading 1 for the batch: (1, patches + 1, hidden_size), as in the checkpoints.",
    ),
    Mistake(
        "class-token-a-vector",
        find=CLS,
        replace="nn.Parameter(torch.zeros(hidden_size))",
        also=((EXPANDED, "self.cls_token.expand(len(x), 1, -1)"),),
        says="Your cls_token is (hidden_size,). That computes the same, but here it is one token of "
        "one image: (1, 1, hidden_size), as in the checkpoints.",
    ),
    Mistake(
        "class-token-a-row",
        find=CLS,
        replace="nn.Parameter(torch.zeros(1, hidden_size))",
        also=((EXPANDED, "self.cls_token.expand(len(x), 1, -1)"),),
        says="Your cls_token is (1, hidden_size). That computes the same, but here it is one token of "
        "one image: (1, 1, hidden_size), as in the checkpoints.",
    ),
    Mistake(
        "positions-no-parameter",
        find="self.position_embedding = " + POSITIONS,
        replace='self.register_buffer("position_embedding", torch.randn(1, patches + 1, hidden_size))',
        says="Your position_embedding is no parameter, for example a buffer or a plain tensor (fixed "
        "sinusoids, say), so it is not learned. ViT learns it: nn.Parameter.",
    ),
    Mistake(
        "positions-a-module",
        find=POSITIONS,
        replace="nn.Embedding(patches + 1, hidden_size)",
        also=((SUMMED, SUMMED + ".weight"),),
        says="Your position_embedding is an nn.Embedding, so its parameter is named "
        "position_embedding.weight, of shape (patches + 1, hidden_size). It is a parameter "
        "itself, of shape (1, patches + 1, hidden_size): nn.Parameter.",
    ),
    Mistake(
        "class-token-no-parameter",
        find="self.cls_token = " + CLS,
        replace='self.register_buffer("cls_token", torch.zeros(1, 1, hidden_size))',
        says="Your cls_token is no parameter, for example a buffer or a plain tensor, so it is not "
        "learned. ViT learns it: nn.Parameter.",
    ),
    Mistake(
        "class-token-a-module",
        find=CLS,
        replace="nn.Embedding(1, hidden_size)",
        also=((EXPANDED, "self.cls_token.weight[None].expand(len(x), -1, -1)"),),
        says="Your cls_token is an nn.Embedding, so its parameter is named cls_token.weight, of shape "
        "(1, hidden_size). It is a parameter itself, of shape (1, 1, hidden_size): nn.Parameter.",
    ),
    Mistake(
        "class-token-in-the-memory-of-the-positions",
        find="        self.cls_token = nn.Parameter(torch.zeros(1, 1, hidden_size))\n",
        replace="",
        also=(
            (
                "(0.02 * torch.randn(1, patches + 1, hidden_size))",
                """\
(0.02 * torch.randn(1, patches + 1, hidden_size))
        self.cls_token = nn.Parameter(self.position_embedding.data[:, :1])""",
            ),
        ),
        says="cls_token and the first position share their memory, so what is written to one changes the "
        "other: one is a view of the other's tensor, for example. They are two parameters: make a tensor "
        "for each (or clone).",
    ),
]
