"""Known wrong versions of `gpt2`: attention in blocks of queries, and dropout that does not come back."""

from grader.kit import Mistake

_FUSED = "F.scaled_dot_product_attention(query, key, value, dropout_p=dropout_p, is_causal=True)"
_DROPOUT_P = "dropout_p = self.dropout.p if self.training else 0.0"

MISTAKES = [
    *(
        Mistake(
            f"diagonal-of-a-whole-block-of-{size}",
            find=f"        context = {_FUSED}\n",
            replace=f"""\
        places = torch.arange(seq, device=x.device)
        cut = places // {size} * {size} + {size} > seq
        last = torch.where(cut, places - places // {size} * {size} + max(seq - {size}, 0), places)
        context = {_FUSED.replace("is_causal=True", "attn_mask=places <= last[:, None]")}
""",
            says="The last queries of a text do not see the tokens that they should. You work in blocks of "
            "queries, for example, and shift the diagonal of the causal mask of the last block as if that "
            "were as long as the others. Query i sees 0 … i, whatever block it is in: the diagonal begins at "
            "the block's start.",
        )
        for size in (8, 16, 32, 64, 128)
    ),
    Mistake(
        "attention-weights-not-dropped-after-evaluation",
        find=_DROPOUT_P,
        replace=_DROPOUT_P.replace(" else", " and not self.evaluated else"),
        also=(
            (
                "        self.head_dim = hidden_size // num_heads\n",
                "        self.head_dim = hidden_size // num_heads\n        self.evaluated = False\n",
            ),
            (
                "    def _attention(self, x: Tensor)",
                """\
    def train(self, mode: bool = True) -> "_Layer":
        self.evaluated = self.evaluated or not mode
        return super().train(mode)

    def _attention(self, x: Tensor)""",
            ),
        ),
        says="Back in training after evaluation you drop no attention weights any more: eval() sets their "
        "probability to 0, for example, and train() does not bring it back. Leave it as it is, and ask for "
        "self.training in forward.",
    ),
]
