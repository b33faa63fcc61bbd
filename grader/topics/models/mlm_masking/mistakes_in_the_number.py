"""Known wrong versions of `mlm_masking` that choose a fixed number of tokens in each text, at least one."""

from grader.kit import Mistake

CHOSEN = "    chosen = torch.rand(shape, generator=generator, device=device) < probability"
DRAWN = """\
    free = torch.ones(shape, dtype=torch.bool, device=device) if special is None else ~special
    order = torch.rand(shape, generator=generator, device=device).masked_fill(~free, 2.0)
    count = {count}
    chosen = order.argsort(dim=1).argsort(dim=1) < count"""
FREE = "(probability * free.sum(dim=1, keepdim=True).double())"
ALL = "torch.tensor(probability * shape[1], dtype=torch.float64)"

MISTAKES = [
    Mistake(
        f"the-same-number-in-each-text-{ending}",
        find=CHOSEN,
        replace=DRAWN.format(count=count),
        says=f"How many tokens you choose in a text is fixed: {share}{least}. Each token is chosen on its "
        "own, with probability: the number varies from text to text, and may be 0.",
    )
    for ending, count, share, least in (
        (
            "at-least-one",
            f"{FREE}.round().clamp(min=1)",
            "a share of its length, or of those that may be chosen",
            ", and at least 1, as in the code that BERT came with, however small the probability is",
        ),
        (
            "at-least-one-special-counted",
            f"{ALL}.round().clamp(min=1)",
            "a share of its length, special tokens included",
            ", and at least 1, as in the code that BERT came with. Beside special tokens the others are "
            "chosen too often",
        ),
        (
            "rounded-up",
            f"{FREE}.ceil()",
            "a share of its length, or of those that may be chosen, rounded up",
            ", so that a small probability chooses one in each text",
        ),
        (
            "rounded-up-special-counted",
            f"{ALL}.ceil()",
            "a share of its length, special tokens included, rounded up",
            ". Beside special tokens the others are chosen too often",
        ),
    )
] + [
    Mistake(
        "the-same-number-in-each-batch",
        find=CHOSEN,
        replace="""\
    free = torch.ones(shape, dtype=torch.bool, device=device) if special is None else ~special
    order = torch.rand(shape, generator=generator, device=device).masked_fill(~free, 2.0).flatten()
    count = round(probability * int(free.sum()))
    chosen = (order.argsort().argsort() < count).view(shape)""",
        says="How many tokens you choose in a batch is fixed: a share of those that may be chosen, rounded. "
        "Each token is chosen on its own, with probability: the number varies from call to call.",
    )
]
