"""Known wrong versions of `moe`: means over no dimensions, a maximum over all tokens, unused experts."""

from grader.kit import Mistake

PROBABILITIES = "probabilities = logits.softmax(dim=-1).mean(dim=0)"
SHARES = "shares = F.one_hot(chosen, num_experts).to(logits.dtype).mean(dim=(0, 1))"
WEIGHTS = "weights = top_logits.softmax(dim=-1)"
RETURNED = "return output.view(batch, seq, hidden_size), router_logits.view(batch, seq, -1)"
RESULT = "            result = expert(tokens[token])"
LEADING = "dim=tuple(range(router_logits.dim() - 1))"
OWN_WEIGHTS = """\
powers = (top_logits - top_logits.detach().max()).exp()
        weights = powers / powers.sum(dim=-1, keepdim=True)"""
OWN_PROBABILITIES = """\
powers = (logits - logits.detach().max()).exp()
    probabilities = (powers / powers.sum(dim=-1, keepdim=True)).mean(dim=0)"""
UNDERFLOWS = (
    "subtracts the largest logit of all tokens together. Where a token's own lie far below it, all its "
    "exponentials are 0, and 0 / 0 is NaN. Subtract each token's own largest one, or call softmax."
)
SCALAR = (
    "a mean over dim=(), no dimensions, for example, is one over all of them in torch, the experts too. "
    "Reshape to (tokens, num_experts) first, and take the mean over dimension 0."
)

MISTAKES = [
    Mistake(
        "mean-over-no-dimensions",
        find=PROBABILITIES,
        replace=f"probabilities = router_logits.softmax(dim=-1).mean({LEADING})",
        says="Your loss of a single token, without leading dimensions, is 1 whatever its logits are: "
        + SCALAR,
    ),
    Mistake(
        "means-over-no-dimensions",
        find=PROBABILITIES,
        replace=f"probabilities = router_logits.softmax(dim=-1).mean({LEADING})",
        also=(
            (
                SHARES,
                "shares = F.one_hot(chosen, num_experts).to(logits.dtype).sum(dim=1)\n"
                f"    shares = shares.view_as(router_logits).mean({LEADING}) / top_k",
            ),
        ),
        says="Your loss of a single token, without leading dimensions, is 1 / num_experts whatever its "
        "logits are: " + SCALAR,
    ),
    Mistake(
        "weights-by-the-largest-logit-of-all",
        find=WEIGHTS,
        replace=OWN_WEIGHTS,
        says="The softmax of your weights " + UNDERFLOWS,
    ),
    Mistake(
        "probabilities-by-the-largest-logit-of-all",
        find=PROBABILITIES,
        replace=OWN_PROBABILITIES,
        says="The softmax of your loss " + UNDERFLOWS,
    ),
    Mistake(
        "softmax-by-the-largest-logit-of-all",
        find=WEIGHTS,
        replace=OWN_WEIGHTS,
        also=((PROBABILITIES, OWN_PROBABILITIES),),
        says="Your softmax, of the weights and of the loss, " + UNDERFLOWS,
    ),
    Mistake(
        "unused-experts-times-zero",
        find=RESULT,
        replace=f"""\
            if len(token) == 0:
                output = output + 0.0 * sum(each.sum() for each in expert.parameters())
                continue
{RESULT}""",
        says="You add 0 times something of an expert that no token has chosen (its parameters, so that they "
        "get gradients of zeros, for example), and 0 times NaN is NaN: its weights spoil the output. Leave "
        "it out.",
    ),
    *(
        Mistake(
            f"{name}-squeezed{ending}",
            find=RETURNED,
            replace=returned.replace("SQUEEZED", f"squeeze({dim})"),
            says=f"{lost} in {said}: squeeze({dim}) takes {it} out, for example. Batch and seq may be 1, and "
            "stay.",
        )
        for name, returned, said in (
            (
                "output",
                RETURNED.replace("hidden_size),", "hidden_size).SQUEEZED,"),
                "your output",
            ),
            ("logits", f"{RETURNED}.SQUEEZED", "your logits"),
            (
                "results",
                RETURNED.replace("hidden_size),", "hidden_size).SQUEEZED,") + ".SQUEEZED",
                "both results",
            ),
        )
        for ending, dim, lost, it in (
            ("", "", "All dimensions of size 1 are missing", "them"),
            ("-along-the-batch", "0", "A batch of one is missing", "it"),
        )
    ),
    Mistake(
        "top-k-of-zero-is-the-default",
        find="        if not 1 <= top_k <= num_experts:",
        replace="        top_k = top_k or min(2, num_experts)\n        if not 1 <= top_k <= num_experts:",
        says="Your constructor accepts a top_k of 0, though not of less (`top_k or 2`, for example, takes 2 "
        "for it: 0 is false in Python). Raise a ValueError for 0, too.",
    ),
    Mistake(
        "top-k-below-zero-accepted",
        find="        if not 1 <= top_k <= num_experts:",
        replace="        if top_k == 0 or top_k > num_experts:",
        says="Your constructor refuses a top_k of 0, but accepts one below 0 (`not top_k`, for example, is "
        "true of 0 alone). Raise a ValueError for all that is less than 1.",
    ),
    *(
        Mistake(
            f"up-to-{most}-tokens-through-all-experts",
            find=WEIGHTS,
            replace=f"""\
{WEIGHTS}
        if len(tokens) <= {most}:
            shares = torch.zeros_like(router_logits).scatter(1, chosen, weights)
            output = sum(shares[:, i, None] * expert(tokens) for i, expert in enumerate(self.experts))
            {RETURNED}""",
            says="Where there are few tokens you run them through all experts, and give those that they have "
            "not chosen a weight of 0. That is the work of all, and NaN times 0 is NaN: an expert runs on "
            "its own tokens only, however few there are.",
        )
        for most in (1, 2)
    ),
    Mistake(
        "probability-as-the-weight-of-a-single-expert",
        find=WEIGHTS,
        replace="""\
weights = top_logits.softmax(dim=-1)
        if self.top_k == 1:
            weights = router_logits.softmax(dim=-1).gather(-1, chosen)""",
        says="With top_k = 1 your weight is the expert's probability among all, as in the Switch "
        "Transformer. Here the weights are the softmax over the chosen logits alone: of one, it is 1.",
    ),
]
