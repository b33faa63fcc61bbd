"""Known wrong versions of `decoder_layer`: parts, residual paths, norms; of the attentions elsewhere."""

from grader.kit import Mistake
from grader.kit.families.feedforward import (
    ACTIVATION_IGNORED,
    GELU_BY_DEFAULT,
    UNKNOWN_ACTIVATION_ACCEPTED,
    UNKNOWN_ACTIVATION_IS_A_KEY_ERROR,
)
from grader.kit.families.models import mistakes as shared
from grader.kit.families.models.norms_by_hand import norms_by_hand

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


def in_both_orders(mistake_id: str, *edits: tuple[str, str], says: str) -> Mistake:
    """The same edits of the lines of post-norm and pre-norm. Each text stands in one of them at least."""
    pre, post = PRE, POST
    for find, replace in edits:
        assert find in pre + post, find
        pre, post = pre.replace(find, replace), post.replace(find, replace)
    return Mistake(mistake_id, find=POST, replace=post, also=((PRE, pre),), says=says)


MISTAKES = [
    shared.NORM_FIRST_IGNORED,
    shared.ALWAYS_PRE_NORM,
    shared.ORDERS_EXCHANGED,
    in_both_orders(
        "masks-exchanged",
        ("(h, h, mask)", "(h, h, memory_mask)"),
        ("(x, x, mask)", "(x, x, memory_mask)"),
        ("memory, memory_mask", "memory, mask"),
        says="You have exchanged the masks. mask, often causal, belongs to self-attention; memory_mask says "
        "which tokens of memory the cross-attention may read.",
    ),
    in_both_orders(
        "mask-in-both-attentions",
        ("memory, memory_mask", "memory, mask"),
        says="You use mask in the cross-attention too. It belongs to self-attention: memory is known as a "
        "whole, and what may be read of it is said by memory_mask.",
    ),
    in_both_orders(
        "memory-detached",
        ("memory, memory_mask", "memory.detach(), memory_mask"),
        says="You cut memory off from the graph, so the encoder does not learn. Gradients reach memory too.",
    ),
    Mistake(
        "written-to-x",
        find="            x = x + self.dropout(self.self_attn(h, h, mask))",
        replace="            x += self.dropout(self.self_attn(h, h, mask))",
        says="With pre-norm you write to x: x += … changes the caller's tensor, and raises where it is a "
        "leaf that requires gradients. x = x + … makes a new one.",
    ),
    in_both_orders(
        "memory-mask-ignored",
        ("memory, memory_mask", "memory, None"),
        says="You do not use memory_mask, so the decoder reads the padding of the source. Hand it to the "
        "cross-attention.",
    ),
    in_both_orders(
        "cross-attention-over-x",
        ("memory, memory_mask", "x, memory_mask if memory_mask is None or memory.shape == x.shape else None"),
        says="Your cross-attention takes its keys and values from x: memory is never read, and what is "
        "written cannot depend on the source. Queries come from x, keys and values from memory.",
    ),
    in_both_orders(
        "roles-in-cross-attention-exchanged",
        (
            "self.cross_attn(self.norm2(x), memory, memory_mask)",
            "self.cross_attn(memory, self.norm2(x), None)",
        ),
        ("self.cross_attn(x, memory, memory_mask)", "self.cross_attn(memory, x, None)"),
        says="In your cross-attention memory asks and x answers. The result has a row for each token of x: "
        "queries from x, keys and values from memory.",
    ),
    Mistake(
        "memory-normalized",
        find="self.cross_attn(self.norm2(x), memory, memory_mask)",
        replace="self.cross_attn(self.norm2(x), self.norm2(memory), memory_mask)",
        says="With pre-norm you normalize memory as well. norm2 is for what comes from x; memory goes in as "
        "it is: the encoder's last norm has already acted on it.",
    ),
    Mistake(
        "self-attention-reads-x-before-the-norm",
        find="self.self_attn(h, h, mask)",
        replace="self.self_attn(h, x, mask)",
        says="With pre-norm your self-attention takes queries from the norm, but keys and values from x as "
        "it is. All three are projections of norm1(x).",
    ),
    in_both_orders(
        "cross-attention-first",
        ("self.self_attn(h, h, mask)", "self.cross_attn(h, memory, memory_mask)"),
        ("self.cross_attn(self.norm2(x), memory, memory_mask)", "self.self_attn(*[self.norm2(x)] * 2, mask)"),
        ("self.self_attn(x, x, mask)", "self.cross_attn(x, memory, memory_mask)  # first"),
        ("self.cross_attn(x, memory, memory_mask)))", "self.self_attn(x, x, mask)))"),
        ("  # first", ""),
        says="Your cross-attention comes before the self-attention. First the tokens of x read each other, "
        "then memory, then comes the network.",
    ),
    in_both_orders(
        "cross-attention-without-residual",
        ("x + self.dropout(self.cross_attn", "self.dropout(self.cross_attn"),
        says="You leave out the residual connection around the cross-attention: what was written so far is "
        "lost, and only what was read of memory goes on. Add x to it.",
    ),
    in_both_orders(
        "self-attention-without-residual",
        ("x + self.dropout(self.self_attn", "self.dropout(self.self_attn"),
        says="You leave out the residual connection around the self-attention. Add x to what it gives.",
    ),
    in_both_orders(
        "feed-forward-without-residual",
        ("x + self.dropout(self._feed_forward", "self.dropout(self._feed_forward"),
        says="You leave out the residual connection around the feed-forward network: what was read of "
        "memory is lost but for what the network makes of it. Add its input to what it gives.",
    ),
    Mistake(
        "residual-after-the-norm",
        find=PRE,
        replace="""\
            x = self.norm1(x)
            x = x + self.dropout(self.self_attn(x, x, mask))
            x = self.norm2(x)
            x = x + self.dropout(self.cross_attn(x, memory, memory_mask))
            x = self.norm3(x)
            return x + self.dropout(self._feed_forward(x))""",
        says="With pre-norm you overwrite x by its norm, and add the part to that. Then the residual path "
        "runs through the norms again: only the part reads the norm, x + part(norm(x)).",
    ),
    in_both_orders(
        "norms-exchanged",
        ("norm2", "norm0"),
        ("norm3", "norm2"),
        ("norm0", "norm3"),
        says="You use norm3 at the cross-attention and norm2 at the feed-forward network. The norms are "
        "numbered in the order of the parts.",
    ),
    in_both_orders(
        "norm-shared-by-the-attentions",
        ("norm2", "norm1"),
        says="You use norm1 at both attentions, so norm2 never gets a gradient. Each part has a norm of its "
        "own.",
    ),
    Mistake(
        "one-attention-for-both",
        find="self.cross_attn = _Attention(hidden_size, num_heads, dropout)",
        replace="self.cross_attn = self.self_attn",
        says="Your two attentions share their weights. What to look for in the text so far and what in "
        "memory are two things: cross_attn is a module of its own.",
    ),
    Mistake(
        "causal-by-itself",
        find="        src = source.shape[1]",
        replace="""\
        src = source.shape[1]
        if source is x and mask is None:
            mask = x.new_ones(tgt, tgt).tril().bool()""",
        says="Your self-attention is causal where no mask is given. Here the caller decides: without a mask "
        "every token may attend to every other, as in nn.TransformerDecoderLayer.",
    ),
    *shared.other_eps("norm1", "norm2", "norm3"),
    *norms_by_hand("DecoderLayer", "norm1", "norm2", "norm3"),
    shared.ACTIVATION_MISSING,
    ACTIVATION_IGNORED,
    GELU_BY_DEFAULT,
    shared.GELU_BY_TANH,
    *shared.WRONG_GELUS,
    UNKNOWN_ACTIVATION_ACCEPTED,
    UNKNOWN_ACTIVATION_IS_A_KEY_ERROR,
    shared.dropout_in_evaluation("self.dropout"),
    *(
        Mistake(
            f"dropout-in-evaluation-in-{order}",
            find=find,
            replace=find.replace(
                f"self.dropout(self.self_attn({x}, {x}, mask))",
                f"F.dropout(self.self_attn({x}, {x}, mask), self.dropout.p)",
            ),
            says=f"With {order} you drop in evaluation too (with {other} it is right). F.dropout has "
            "training=True by default: give it training=self.training, or use an nn.Dropout module.",
        )
        for order, other, find, x in (
            ("pre-norm", "post-norm", PRE, "h"),
            ("post-norm", "pre-norm", POST, "x"),
        )
    ),
    shared.dropout_missing("        if activation not in _ACTIVATIONS:\n"),
    shared.DROPOUT_BY_DEFAULT,
]
