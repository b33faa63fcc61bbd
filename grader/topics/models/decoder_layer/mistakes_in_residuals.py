"""Known wrong versions of `decoder_layer` that add a part to something else than what goes into it."""

from grader.kit import Mistake

PRE = """\
            h = self.norm1(x)
            x = x + self.dropout(self.self_attn(h, h, mask))
            # The memory has been normalized already, by the last norm of the encoder.
            x = x + self.dropout(self.cross_attn(self.norm2(x), memory, memory_mask))
            return x + self.dropout(self._feed_forward(self.norm3(x)))"""

POST = """\
        x = self.norm1(x + self.dropout(self.self_attn(x, x, mask)))
        x = self.norm2(x + self.dropout(self.cross_attn(x, memory, memory_mask)))
        return self.norm3(x + self.dropout(self._feed_forward(x)))"""


def _pre(cross: str, network: str) -> str:
    """Pre-norm, with what cross-attention and network are added to: x, what goes in; a and b, the sums."""
    return f"""\
            h = self.norm1(x)
            a = x + self.dropout(self.self_attn(h, h, mask))
            b = {cross} + self.dropout(self.cross_attn(self.norm2(a), memory, memory_mask))
            return {network} + self.dropout(self._feed_forward(self.norm3(b)))"""


def _post(cross: str, network: str) -> str:
    """Post-norm, with what cross-attention and network are added to."""
    return f"""\
        a = self.norm1(x + self.dropout(self.self_attn(x, x, mask)))
        b = self.norm2({cross} + self.dropout(self.cross_attn(a, memory, memory_mask)))
        return self.norm3({network} + self.dropout(self._feed_forward(b)))"""


def _in_each_order(mistake: str, cross: str, network: str, what: str) -> tuple[Mistake, ...]:
    """In both orders of the norms, and in either alone."""
    pre, post = _pre(cross, network), _post(cross, network)
    right = "Each sum goes on from the last one: x = x + part(norm(x)) with pre-norm, x = norm(x + part(x)) "
    right += "with post-norm."
    return (
        Mistake(mistake, find=PRE, replace=pre, also=((POST, post),), says=f"{what}. {right}"),
        Mistake(
            f"{mistake}-in-pre-norm",
            find=PRE,
            replace=pre,
            says=f"With pre-norm {what[0].lower()}{what[1:]} (with post-norm it is right). {right}",
        ),
        Mistake(
            f"{mistake}-in-post-norm",
            find=POST,
            replace=post,
            says=f"With post-norm {what[0].lower()}{what[1:]} (with pre-norm it is right). {right}",
        ),
    )


MISTAKES = [
    *_in_each_order(
        "cross-attention-added-to-the-layers-input",
        "x",
        "b",
        "You add the cross-attention to the input of the layer, so the residual path loses what the "
        "self-attention has given",
    ),
    *_in_each_order(
        "network-added-to-the-layers-input",
        "a",
        "x",
        "You add the feed-forward network to the input of the layer, so the residual path loses what both "
        "attentions have given",
    ),
    *_in_each_order(
        "network-added-to-what-comes-before-the-cross-attention",
        "a",
        "a",
        "You add the feed-forward network to what goes into the cross-attention, so the residual path loses "
        "what was read of memory",
    ),
    # In one order alone it stands beside the mistakes in the norms.
    _in_each_order(
        "residual-from-the-layers-input",
        "x",
        "x",
        "You add each part to the input of the layer, so the residual path loses what the parts before have "
        "given",
    )[0],
]
