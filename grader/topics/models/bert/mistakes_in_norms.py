"""Known wrong versions of `bert`: the norms of its embeddings and layers, and the activation."""

from grader.kit import Mistake

EMBEDDINGS = "self.norm = nn.LayerNorm(hidden_size, eps=eps)"
FIRST = "self.norm1 = nn.LayerNorm(hidden_size, eps=eps)"
SECOND = "self.norm2 = nn.LayerNorm(hidden_size, eps=eps)"


def _without_eps(*lines: str) -> tuple[tuple[str, str], ...]:
    return tuple((line, line.replace(", eps=eps", "")) for line in lines)


def _with_a_fixed_eps(*lines: str) -> tuple[tuple[str, str], ...]:
    return tuple((line, line.replace("eps=eps", "eps=1e-12")) for line in lines)


MISTAKES = [
    *(
        Mistake(name, find=first[0], replace=first[1], also=tuple(others), says=says)
        for name, (first, *others), says in [
            (
                "embeddings-with-the-default-eps",
                _without_eps(EMBEDDINGS),
                "The norm of your embeddings adds 1e-5, nn.LayerNorm's default. It gets eps too.",
            ),
            (
                "eps-ignored",
                _without_eps(EMBEDDINGS, FIRST, SECOND),
                "All of your norms add 1e-5, nn.LayerNorm's default, so the argument eps has no effect. Hand "
                "it on to each of them.",
            ),
            (
                "norm1-with-the-default-eps",
                _without_eps(FIRST),
                "Your norm1 adds 1e-5, nn.LayerNorm's default. It gets eps, as the other norms do.",
            ),
            (
                "norm2-with-the-default-eps",
                _without_eps(SECOND),
                "Your norm2 adds 1e-5, nn.LayerNorm's default. It gets eps, as the other norms do.",
            ),
            (
                "eps-fixed",
                _with_a_fixed_eps(EMBEDDINGS, FIRST, SECOND),
                "All of your norms add 1e-12 whatever eps says, which is only its default. Hand eps on to "
                "each of them.",
            ),
            (
                "eps-fixed-in-the-embeddings",
                _with_a_fixed_eps(EMBEDDINGS),
                "The norm of your embeddings adds 1e-12 whatever eps says, which is only its default. It "
                "gets eps too.",
            ),
            (
                "eps-fixed-in-the-layers",
                _with_a_fixed_eps(FIRST, SECOND),
                "The norms of your layers add 1e-12 whatever eps says, which is only its default. They get "
                "eps too.",
            ),
        ]
    ),
    Mistake(
        "norm-before-the-residual",
        find="self.norm1(x + self.dropout(self._attention(x, mask)))",
        replace="x + self.norm1(self.dropout(self._attention(x, mask)))",
        also=(
            (
                "self.norm2(x + self.dropout(self.down_proj(hidden)))",
                "x + self.norm2(self.dropout(self.down_proj(hidden)))",
            ),
        ),
        says="You normalize what each part gives and add x afterwards. BERT normalizes the sum: "
        "norm1(x + attention(x)), norm2(h + network(h)).",
    ),
    Mistake(
        "gelu-by-the-sigmoid",
        find="self.activation = F.gelu",
        replace="self.activation = lambda z: z * torch.sigmoid(1.702 * z)",
        says="Your GELU is x * sigmoid(1.702 x), off by up to 2e-2. Asked for is the exact one, x Φ(x) with "
        "erf: the default of F.gelu and nn.GELU.",
    ),
]
