"""Known wrong versions of `attention_analysis` that take away dimensions of size 1, which may be any."""

from grader.kit import Mistake

MEAN = "    return entropy.mean(dim=-1)"
RECEIVED = "    return weights.mean(dim=0).sum(dim=0)"
SHARE = "    return weights.diagonal(dim1=-2, dim2=-1).mean(dim=0)"
BARE = (
    "(squeeze() without a dimension, for example). Heads, queries or keys may be one: take away a dimension "
    "by its number, or none."
)

MISTAKES = [
    *(
        Mistake(
            f"{name}-squeezed",
            find=find,
            replace=f"{find}.squeeze()",
            says=f"{function} takes the only dimension off its result where its size is 1 {BARE} {one}",
        )
        for name, function, find, one in (
            ("entropy", "attention_entropy", MEAN, "One head gives one number, with the shape (1,)."),
            ("received", "attention_received", RECEIVED, "One key gives one number, with the shape (1,)."),
            ("share", "self_attention_share", SHARE, "One token gives one number, with the shape (1,)."),
        )
    ),
    Mistake(
        "entropies-squeezed-before-the-mean",
        find=MEAN,
        replace="    return entropy.squeeze().mean(dim=-1)",
        says="With one query you average its entropies over the heads, and one head gives a number without "
        f"dimensions: the dimension of size 1 is gone before the mean {BARE} The mean is over the queries, "
        "and there is a number for each head.",
    ),
    Mistake(
        "weights-squeezed-before-they-are-summed",
        find=RECEIVED,
        replace="    return weights.squeeze().mean(dim=0).sum(dim=0)",
        says="attention_received takes dimensions of size 1 off the weights before its mean and its sum, "
        f"which then run over others {BARE}",
    ),
    Mistake(
        "mean-over-the-heads-squeezed-before-the-sum",
        find=RECEIVED,
        replace="    return weights.mean(dim=0).squeeze().sum(dim=0)",
        says="attention_received gives a number without dimensions where there is one query, or one key: the "
        f"dimension of size 1 is gone before the sum over the queries {BARE} There is a number "
        "for each key.",
    ),
    Mistake(
        "shares-squeezed-before-the-mean",
        find=SHARE,
        replace="    return weights.diagonal(dim1=-2, dim2=-1).squeeze().mean(dim=0)",
        says="With one head you average over the tokens, and one token gives a number without dimensions: "
        f"the dimension of size 1 is gone before the mean {BARE} The mean is over the heads, and there is a "
        "number for each token.",
    ),
]
