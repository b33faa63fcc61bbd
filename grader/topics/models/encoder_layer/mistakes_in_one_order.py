"""Known wrong versions of `encoder_layer`: what goes wrong in one of the two orders of the norms only."""

from grader.kit import Mistake

_ATTENDED = {
    "pre": "            x = x + self.dropout(self._attention(self.norm1(x), mask))",
    "post": "        x = self.norm1(x + self.dropout(self._attention(x, mask)))",
}
_FED = {
    "pre": "            return x + self.dropout(self._feed_forward(self.norm2(x)))",
    "post": "        return self.norm2(x + self.dropout(self._feed_forward(x)))",
}
"""By the order of the norms: the line of the attention, and that of the network."""


def _kept(line: str) -> str:
    """The line, which keeps the input as x and calls its result h."""
    return line.replace("x = ", "h = ", 1)


MISTAKES = [
    *(
        Mistake(
            f"{other}-for-both-with-{order}-norm",
            find=line,
            replace=line.replace(own, other),
            says=f"With {order}-norm you use {other} in both places, and {own} not at all. Each part has a "
            "norm of its own, norm1 the attention and norm2 the network.",
        )
        for order in ("pre", "post")
        for own, other, line in (("norm2", "norm1", _FED[order]), ("norm1", "norm2", _ATTENDED[order]))
    ),
    *(
        Mistake(
            f"norms-exchanged-with-{order}-norm",
            find=_ATTENDED[order],
            replace=_ATTENDED[order].replace("norm1", "norm2"),
            also=((_FED[order], _FED[order].replace("norm2", "norm1")),),
            says=f"With {order}-norm you use norm2 at the attention and norm1 at the feed-forward network. "
            "It is the other way round, in the order of the parts.",
        )
        for order in ("pre", "post")
    ),
    *(
        Mistake(
            f"attention-without-residual-with-{order}-norm",
            find=_ATTENDED[order],
            replace=_ATTENDED[order].replace("x + self", "self"),
            says=f"With {order}-norm you leave out the residual connection around the attention. Add x to "
            "what attention gives.",
        )
        for order in ("pre", "post")
    ),
    *(
        Mistake(
            f"feed-forward-without-residual-with-{order}-norm",
            find=_FED[order],
            replace=_FED[order].replace("x + self", "self"),
            says=f"With {order}-norm you leave out the residual connection around the feed-forward network. "
            "Add its input to what it gives.",
        )
        for order in ("pre", "post")
    ),
    *(
        Mistake(
            f"second-residual-from-the-input-with-{order}-norm",
            find=_ATTENDED[order],
            replace=_kept(_ATTENDED[order]),
            also=((_FED[order], _FED[order].replace("(x)))", "(h)))")),),
            says=f"With {order}-norm you add the input of the layer again around the feed-forward network. "
            "Its residual connection carries what the attention part gave.",
        )
        for order in ("pre", "post")
    ),
    *(
        Mistake(
            f"parts-side-by-side-with-{order}-norm",
            find=_ATTENDED[order],
            replace=_kept(_ATTENDED[order]),
            also=((_FED[order], _FED[order].replace("x + self", "h + self")),),
            says=f"With {order}-norm your feed-forward network reads the input of the layer. It reads what "
            "the attention part gave.",
        )
        for order in ("pre", "post")
    ),
    Mistake(
        "norm-added-with-pre-norm",
        find=_ATTENDED["pre"],
        replace="            x = self.norm1(x)\n            x = x + self.dropout(self._attention(x, mask))",
        says="With pre-norm you overwrite x by norm1(x) before the attention, and add to that. The residual "
        "path carries x itself: x + attention(norm1(x)).",
    ),
    Mistake(
        "second-norm-added-with-pre-norm",
        find=_FED["pre"],
        replace="            x = self.norm2(x)\n            return x + self.dropout(self._feed_forward(x))",
        says="With pre-norm you overwrite h by norm2(h) before the feed-forward network, and add to that. "
        "The residual path carries h itself: h + feed_forward(norm2(h)).",
    ),
    Mistake(
        "network-not-normalized-with-pre-norm",
        find=_FED["pre"],
        replace=_FED["pre"].replace("self.norm2(x)", "x"),
        says="With pre-norm your feed-forward network reads h as it is. It reads norm2(h).",
    ),
    Mistake(
        "attention-not-normalized-with-pre-norm",
        find=_ATTENDED["pre"],
        replace=_ATTENDED["pre"].replace("self.norm1(x)", "x"),
        says="With pre-norm your attention reads x as it is. It reads norm1(x).",
    ),
    Mistake(
        "attention-not-normalized-with-post-norm",
        find=_ATTENDED["post"],
        replace=_ATTENDED["post"].replace("self.norm1", ""),
        says="With post-norm you leave norm1 out. It stands behind the attention: norm1(x + attention(x)).",
    ),
    Mistake(
        "network-not-normalized-with-post-norm",
        find=_FED["post"],
        replace=_FED["post"].replace("self.norm2", ""),
        says="With post-norm you leave norm2 out. It stands behind the network: norm2(h + feed_forward(h)).",
    ),
    *(
        Mistake(
            f"not-normalized-with-{order}-norm",
            find=_ATTENDED[order],
            replace=attended,
            also=((_FED[order], fed),),
            says=f"With {order}-norm you normalize nothing. It is {right}.",
        )
        for order, attended, fed, right in (
            (
                "pre",
                _ATTENDED["pre"].replace("self.norm1(x)", "x"),
                _FED["pre"].replace("self.norm2(x)", "x"),
                "x + part(norm(x)) for each of the parts",
            ),
            (
                "post",
                _ATTENDED["post"].replace("self.norm1", ""),
                _FED["post"].replace("self.norm2", ""),
                "norm(x + part(x)) for each of the parts",
            ),
        )
    ),
    *(
        Mistake(
            f"norm-of-the-{part}-alone",
            find=line,
            replace=line.replace(f"{norm}(x + self.dropout(", f"x + self.dropout({norm}("),
            says=f"With post-norm {norm} acts on what the {part} gives, before that is added. The sum is "
            f"normalized: norm(x + part(x)).",
        )
        for part, norm, line in (
            ("attention", "self.norm1", _ATTENDED["post"]),
            ("network", "self.norm2", _FED["post"]),
        )
    ),
]
