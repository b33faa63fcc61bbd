"""Known wrong versions of `decoder_layer`: norms and residual paths of pre-norm or post-norm alone."""

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

_PARTS = (("self-attention", "norm1"), ("cross-attention", "norm2"), ("network", "norm3"))


def _of_the_part(post: str, norm: str) -> str:
    """Post-norm, with this norm of what the part gives in the place of the sum's."""
    return post.replace(f"self.{norm}(x + self.dropout(", f"x + self.dropout(self.{norm}(")


MISTAKES = [
    Mistake(
        "norms-exchanged-in-pre-norm",
        find=PRE,
        replace=PRE.replace("norm2", "norm0").replace("norm3", "norm2").replace("norm0", "norm3"),
        says="With pre-norm you use norm3 at the cross-attention and norm2 at the feed-forward network (with "
        "post-norm it is right). The norms are numbered in the order of the parts.",
    ),
    Mistake(
        "norms-exchanged-in-post-norm",
        find=POST,
        replace=POST.replace("norm2", "norm0").replace("norm3", "norm2").replace("norm0", "norm3"),
        says="With post-norm you use norm3 behind the cross-attention and norm2 behind the feed-forward "
        "network (with pre-norm it is right). The norms are numbered in the order of the parts.",
    ),
    Mistake(
        "norms-of-the-attentions-exchanged",
        find=PRE,
        replace=PRE.replace("norm2", "norm0").replace("norm1", "norm2").replace("norm0", "norm1"),
        also=((POST, POST.replace("norm2", "norm0").replace("norm1", "norm2").replace("norm0", "norm1")),),
        says="You use norm2 at the self-attention and norm1 at the cross-attention. The norms are numbered "
        "in the order of the parts, and the self-attention comes first.",
    ),
    Mistake(
        "norm1-at-both-attentions-in-pre-norm",
        find=PRE,
        replace=PRE.replace("norm2", "norm1"),
        says="With pre-norm your cross-attention reads norm1(x), as the self-attention does (with post-norm "
        "it is right). Its own norm is norm2.",
    ),
    Mistake(
        "norm1-at-both-attentions-in-post-norm",
        find=POST,
        replace=POST.replace("norm2", "norm1"),
        says="With post-norm norm1 stands behind both attentions (with pre-norm it is right). The norm of "
        "the cross-attention is norm2.",
    ),
    Mistake(
        "norm2-at-the-network-too",
        find=PRE,
        replace=PRE.replace("norm3", "norm2"),
        also=((POST, POST.replace("norm3", "norm2")),),
        says="You use norm2 at the cross-attention and once more at the feed-forward network, so norm3 never "
        "gets a gradient. The network has norm3.",
    ),
    Mistake(
        "norm2-at-the-network-in-pre-norm",
        find=PRE,
        replace=PRE.replace("norm3", "norm2"),
        says="With pre-norm your feed-forward network reads norm2(x), as the cross-attention does (with "
        "post-norm it is right). Its own norm is norm3.",
    ),
    Mistake(
        "norm2-at-the-network-in-post-norm",
        find=POST,
        replace=POST.replace("norm3", "norm2"),
        says="With post-norm norm2 stands behind the cross-attention and behind the feed-forward network "
        "(with pre-norm it is right). The norm of the network is norm3.",
    ),
    *(
        Mistake(
            f"residual-after-the-norm-of-the-{part.replace(' ', '-')}",
            find=PRE,
            replace=PRE.replace(line, lines),
            says=f"With pre-norm you overwrite x by its norm before the {part}, and add to that. The "
            f"residual path carries x as it was: x + part({norm}(x)).",
        )
        for part, norm, line, lines in (
            ("self-attention", "norm1", "h = self.norm1(x)\n", "x = h = self.norm1(x)\n"),
            (
                "cross-attention",
                "norm2",
                "x = x + self.dropout(self.cross_attn(self.norm2(x), ",
                "x = self.norm2(x)\n            x = x + self.dropout(self.cross_attn(x, ",
            ),
            (
                "feed-forward network",
                "norm3",
                "return x + self.dropout(self._feed_forward(self.norm3(x)))",
                "x = self.norm3(x)\n            return x + self.dropout(self._feed_forward(x))",
            ),
        )
    ),
    Mistake(
        "residual-from-the-layers-input-in-pre-norm",
        find=PRE,
        replace="""\
            h = self.norm1(x)
            h = x + self.dropout(self.self_attn(h, h, mask))
            h = x + self.dropout(self.cross_attn(self.norm2(h), memory, memory_mask))
            return x + self.dropout(self._feed_forward(self.norm3(h)))""",
        says="With pre-norm you add each part to the input of the layer, so that what the parts before have "
        "added is lost. Each sum goes on from the last one: x = x + part(norm(x)).",
    ),
    Mistake(
        "residual-from-the-layers-input-in-post-norm",
        find=POST,
        replace="""\
        h = self.norm1(x + self.dropout(self.self_attn(x, x, mask)))
        h = self.norm2(x + self.dropout(self.cross_attn(h, memory, memory_mask)))
        return self.norm3(x + self.dropout(self._feed_forward(h)))""",
        says="With post-norm you add each part to the input of the layer. Each part is added to what goes "
        "into it, the norm of the last sum: x = norm(x + part(x)).",
    ),
    Mistake(
        "cross-attention-asks-with-the-layers-input",
        find=PRE,
        replace="""\
            h = self.norm1(x)
            read = self.dropout(self.cross_attn(self.norm2(x), memory, memory_mask))
            x = x + self.dropout(self.self_attn(h, h, mask)) + read
            return x + self.dropout(self._feed_forward(self.norm3(x)))""",
        says="With pre-norm your cross-attention takes norm2 of the layer's input, beside the "
        "self-attention. It comes behind: norm2 of the sum with what the self-attention gives.",
    ),
    Mistake(
        "network-reads-what-comes-before-the-cross-attention",
        find=PRE,
        replace="""\
            h = self.norm1(x)
            x = x + self.dropout(self.self_attn(h, h, mask))
            widened = self.dropout(self._feed_forward(self.norm3(x)))
            return x + self.dropout(self.cross_attn(self.norm2(x), memory, memory_mask)) + widened""",
        says="With pre-norm your feed-forward network takes norm3 of what goes into the cross-attention, so "
        "it sees nothing of memory. It comes behind: norm3 of the sum with what the cross-attention gives.",
    ),
    Mistake(
        "cross-attention-asks-with-the-layers-input-in-post-norm",
        find=POST,
        replace="""\
        h = self.norm1(x + self.dropout(self.self_attn(x, x, mask)))
        h = self.norm2(h + self.dropout(self.cross_attn(x, memory, memory_mask)))
        return self.norm3(h + self.dropout(self._feed_forward(h)))""",
        says="With post-norm the queries of your cross-attention are the layer's input, which has not been "
        "through the self-attention. It comes behind: its queries are what norm1 gives.",
    ),
    Mistake(
        "network-reads-what-comes-before-the-cross-attention-in-post-norm",
        find=POST,
        replace="""\
        h = self.norm1(x + self.dropout(self.self_attn(x, x, mask)))
        x = self.norm2(h + self.dropout(self.cross_attn(h, memory, memory_mask)))
        return self.norm3(x + self.dropout(self._feed_forward(h)))""",
        says="With post-norm your feed-forward network takes what goes into the cross-attention, so it sees "
        "nothing of memory. It comes behind: it takes what norm2 gives.",
    ),
    *(
        Mistake(
            f"{part}-not-normalized-in-pre-norm",
            find=PRE,
            replace=PRE.replace(*edit),
            says=f"With pre-norm the {part} reads what comes in as it is (with post-norm it is right). It "
            f"reads {norm} of that: x + part({norm}(x)).",
        )
        for part, norm, edit in (
            ("self-attention", "norm1", ("h = self.norm1(x)", "h = x")),
            ("cross-attention", "norm2", ("self.norm2(x)", "x")),
            ("network", "norm3", ("self.norm3(x)", "x")),
        )
    ),
    *(
        Mistake(
            f"{part}-not-normalized-in-post-norm",
            find=POST,
            replace=POST.replace(f"self.{norm}(", "("),
            says=f"With post-norm you leave {norm} out (with pre-norm it is right). It stands behind the "
            f"{part}: {norm}(x + part(x)).",
        )
        for part, norm in _PARTS
    ),
    Mistake(
        "not-normalized-in-pre-norm",
        find=PRE,
        replace=PRE.replace("self.norm1(x)", "x").replace("self.norm2(x)", "x").replace("self.norm3(x)", "x"),
        says="With pre-norm you normalize nothing. Each part reads its norm of what comes in: x + "
        "part(norm(x)).",
    ),
    Mistake(
        "not-normalized-in-post-norm",
        find=POST,
        replace=POST.replace("self.norm1(", "(").replace("self.norm2(", "(").replace("self.norm3(", "("),
        says="With post-norm you normalize nothing. Each sum is normalized: norm(x + part(x)).",
    ),
    Mistake(
        "norm-of-the-part-alone",
        find=POST,
        replace=_of_the_part(_of_the_part(_of_the_part(POST, "norm1"), "norm2"), "norm3"),
        says="With post-norm you normalize what a part gives, before it is added: x + norm(part(x)). The "
        "sum is normalized: norm(x + part(x)).",
    ),
    *(
        Mistake(
            f"norm-of-the-{part}-alone",
            find=POST,
            replace=_of_the_part(POST, norm),
            says=f"With post-norm {norm} acts on what the {part} gives, before that is added. The sum is "
            "normalized: norm(x + part(x)).",
        )
        for part, norm in _PARTS
    ),
    Mistake(
        "pre-norm-normalizes-the-result-too",
        find=PRE,
        replace=PRE.replace(
            "return x + self.dropout(self._feed_forward(self.norm3(x)))",
            "return self.norm3(x + self.dropout(self._feed_forward(self.norm3(x))))",
        ),
        says="With pre-norm you normalize the result of the layer as well. The norm after the last layer "
        "belongs to the model, not to each layer: return x + network(norm3(x)).",
    ),
]
