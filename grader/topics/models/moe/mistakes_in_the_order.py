"""Known wrong versions of `MoE` that sort the choices by expert and do not bring the results back."""

from grader.kit import Mistake

LOOP = """\
            token, place = torch.where(chosen == index)  # whose choice it is, and its first or second
            result = expert(tokens[token])  # (tokens of this expert, hidden_size)
            # Added, not assigned: another expert may have been there before.
            output = output.index_add(0, token, result * weights[token, place, None])
"""


def _sorted(choices: str, token: str, back: str, by_token: str) -> str:
    """Instead of the loop: tokens sorted by expert, the experts' results, and `back`, which makes `found` of
    them: a row for each choice, laid out as `choices` says, whose `token` it belongs to, and added up
    `by_token`.
    """
    return f"""\
            pass
        flat, flat_weights = (each{choices}.reshape(-1) for each in (chosen, weights))
        order = flat.argsort(stable=True)
        groups = tokens[order {token}].split(flat.bincount(minlength=len(self.experts)).tolist())
        results = torch.cat([expert(group) for expert, group in zip(self.experts, groups, strict=True)])
        {back}
        output = {by_token}
"""


_WAYS = (
    ("", ("", "// self.top_k"), "found.unflatten(0, (-1, self.top_k)).sum(dim=1)"),
    ("-choice-by-choice", (".T", "% len(tokens)"), "found.unflatten(0, (self.top_k, -1)).sum(dim=0)"),
)
"""How the choices lie side by side: token by token, or all first choices before all second ones."""

MISTAKES = [
    Mistake(
        f"{id}{way}",
        find=LOOP,
        replace=_sorted(*choices, back, by_token),
        says=says,
    )
    for id, back, says in (
        (
            "results-sorted-once-more",
            "found = flat_weights[:, None] * results[order]",
            "The experts' results lie sorted by expert, and you index them with the order that sorted them, "
            "for example, which does not bring them back: result j belongs to choice order[j]. Take the "
            "inverse, results[order.argsort()], or assign, back[order] = results.",
        ),
        (
            "weighted-results-sorted-once-more",
            "found = (flat_weights[order, None] * results)[order]",
            "The experts' results lie sorted by expert, and you index them, weighted already, with the order "
            "that sorted them, for example, which does not bring them back: result j belongs to choice "
            "order[j]. Take the inverse, order.argsort(), or add result j to the token of that choice.",
        ),
        (
            "results-left-in-the-order-of-the-experts",
            "found = flat_weights[:, None] * results",
            "Your results stay in the order of the experts by which they were computed, while weights and "
            "tokens are in theirs, so a token gets what belongs to others. Bring them back first: "
            "back[order] = results, where order has sorted the choices.",
        ),
        (
            "weighted-results-left-in-the-order-of-the-experts",
            "found = flat_weights[order, None] * results",
            "Each result has its weight, but they stay in the order of the experts, so a token gets what "
            "belongs to others. Bring them back before you add up the choices of a token: back[order] = "
            "results, where order has sorted the choices, or index_add with the tokens of the choices.",
        ),
        (
            "weights-sorted-by-the-inverse",
            "inverse = order.argsort()\n        found = (flat_weights[inverse, None] * results)[inverse]",
            "Your results go to the right tokens, but with the weights of other choices: you sort the "
            "weights by the inverse of what sorts the choices, for example. Sort both by the same indices.",
        ),
    )
    for way, choices, by_token in _WAYS
]
MISTAKES.append(
    Mistake(
        "groups-of-experts-without-tokens-left-out",
        find=LOOP,
        replace=_sorted(
            "", "// self.top_k", "found = flat_weights[:, None] * results[order.argsort()]", _WAYS[0][2]
        )
        .replace(
            "flat.bincount(minlength=len(self.experts))",
            "flat[order].unique_consecutive(return_counts=True)[1]",
        )
        .replace("strict=True", "strict=False"),
        says="Where an expert gets no token, the groups behind it go to the wrong experts: unique and "
        "unique_consecutive, for example, have no count for what does not occur. Count for all experts, "
        "bincount(minlength=num_experts), or take from unique which experts these are.",
    )
)
MISTAKES.extend(
    Mistake(
        f"{name}-choice-kept-alone",
        find="result * weights[token, place, None]",
        replace=f"result * weights[token, place, None] * (place == {kept})[:, None]",
        says=f"Of a token's experts only its {name} choice counts, with the weight that it has among all. "
        "You add the results to an index in which a token stands top_k times, output[token] += … for "
        "example, which reads, adds and writes each row once: of equal indices one alone is left. "
        "index_add_ adds all.",
    )
    for name, kept in (("last", "self.top_k - 1"), ("first", "0"))
)
MISTAKES.append(
    Mistake(
        "choices-taken-modulo-the-tokens",
        find="            result = expert(tokens[token])  # (tokens of this expert, hidden_size)\n",
        replace="""\
            weight = weights[token, place, None]
            token = (token * self.top_k + place) % len(tokens)
            result = expert(tokens[token])
""",
        also=(("result * weights[token, place, None]", "result * weight"),),
        says="You take a choice's number modulo the number of tokens for its token, as if the first choices "
        "of all tokens came before the second ones. In `chosen`, flattened, the top_k choices of a token lie "
        "side by side: choice n is of token n // top_k.",
    )
)
