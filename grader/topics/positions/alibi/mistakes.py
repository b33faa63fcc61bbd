"""Known wrong versions of `alibi`."""

from grader.kit import Mistake

SLOPES = """\
    closest = 1 << (num_heads.bit_length() - 1)  # a power of two, at most num_heads
    slopes = 2.0 ** (-8 / closest * torch.arange(1, closest + 1))
    # The slopes of twice as many heads: its second, fourth, … are there already.
    between = 2.0 ** (-4 / closest * torch.arange(1, 2 * closest, 2))
    return torch.cat((slopes, between))[:num_heads]"""

MISTAKES = [
    Mistake(
        "one-formula-for-all-numbers",
        find=SLOPES,
        replace="    return 2.0 ** (-8 / num_heads * torch.arange(1, num_heads + 1))",
        says="You take 2^(-8 i / n) for every number of heads. That is right for powers of two; for others, "
        "take the slopes of the next smaller power of two, then every second of the slopes of twice as many "
        "heads.",
    ),
    Mistake(
        "slopes-from-the-larger-power",
        find=SLOPES,
        replace="""\
    closest = 1 << (num_heads - 1).bit_length()
    return 2.0 ** (-8 / closest * torch.arange(1, num_heads + 1))""",
        says="For a number that is no power of two you take the first slopes of the next larger power. Take "
        "those of the next smaller one, all of them, and then every second of the slopes of twice as many "
        "heads.",
    ),
    Mistake(
        "slopes-from-the-nearest-power",
        find="1 << (num_heads.bit_length() - 1)  #",
        replace="2 ** round(float(torch.tensor(float(num_heads)).log2()))  #",
        says="You take the slopes of the power of two that is nearest: you round log2(num_heads), for "
        "example. For 6, 7 or 12 heads that is the next larger one, and you take its first slopes. Round "
        "down: all slopes of the next smaller power come first, then every second of those of twice as many "
        "heads.",
    ),
    Mistake(
        "missing-slopes-not-every-second",
        find="2.0 ** (-4 / closest * torch.arange(1, 2 * closest, 2))",
        replace="2.0 ** (-4 / closest * torch.arange(1, 2 * closest))",
        says="Behind the slopes of the power of two you put the first ones of twice as many heads. Take "
        "every second of them, its first, third, fifth, …: the others are there already.",
    ),
    Mistake(
        "missing-slopes-twice",
        find="2.0 ** (-4 / closest * torch.arange(1, 2 * closest, 2))",
        replace="2.0 ** (-4 / closest * torch.arange(2, 2 * closest + 1, 2))",
        says="Behind the slopes of the power of two you put the second, fourth, … of twice as many heads: "
        "those are the same slopes again. Take its first, third, fifth, …, which lie between.",
    ),
    Mistake(
        "missing-slopes-from-the-end",
        find="    return torch.cat((slopes, between))[:num_heads]",
        replace="    return torch.cat((slopes, between[closest - (num_heads - closest) :]))[:num_heads]",
        says="Of the slopes between you take the last ones. Take as many as are missing from the first on: "
        "the steepest.",
    ),
    Mistake(
        "slopes-sorted",
        find="    return torch.cat((slopes, between))[:num_heads]",
        replace="    return torch.cat((slopes, between))[:num_heads].sort(descending=True).values",
        says="You sort the slopes. They stay in their order, since heads are trained with it: those of the "
        "power of two first, then those between.",
    ),
    Mistake(
        "slopes-reversed",
        find="    return torch.cat((slopes, between))[:num_heads]",
        replace="    return torch.cat((slopes, between))[:num_heads].flip(0)",
        says="Your slopes are in the reverse order. Head 1 has the steepest of 2^(-8 i / n).",
    ),
    Mistake(
        "first-slope-is-one",
        find="torch.arange(1, closest + 1)",
        replace="torch.arange(closest)",
        says="Your first slope is 1: you count the heads from 0. i runs from 1 to n, so 8 heads have 1/2, "
        "1/4, …, 1/256.",
    ),
    Mistake(
        "slopes-always-halve",
        find=SLOPES,
        replace="    return 2.0 ** -torch.arange(1.0, num_heads + 1)",
        says="Your slopes are 1/2, 1/4, 1/8, … for every number of heads. That is so for 8; the exponents "
        "are 8 i / n, so that the last slope is 2^-8 for every power of two.",
    ),
    Mistake(
        "exponent-without-the-eight",
        find=SLOPES,
        replace="    return 2.0 ** (-torch.arange(1, num_heads + 1) / num_heads)",
        says="Your exponents are i / n, so all slopes lie between 1/2 and 1. They are 8 i / n: from 2^(-8 / "
        "n) down to 2^-8.",
    ),
    Mistake(
        "slopes-negative",
        find="    return torch.cat((slopes, between))[:num_heads]",
        replace="    return -torch.cat((slopes, between))[:num_heads]",
        also=(("    return -alibi_slopes(num_heads)", "    return alibi_slopes(num_heads)"),),
        says="alibi_slopes gives negative numbers. The slopes are positive; the bias has the sign.",
    ),
    Mistake(
        "sign-missing",
        find="    return -alibi_slopes",
        replace="    return alibi_slopes",
        says="Your bias grows with the distance, so the furthest keys are preferred. It is minus slope "
        "times distance.",
    ),
    Mistake(
        "distance-signed",
        find="""\
    distances = (torch.arange(kv_len) - query_positions[:, None]).abs()  # (q_len, kv_len)
    return -alibi""",
        replace="""\
    distances = torch.arange(kv_len) - query_positions[:, None]
    return alibi""",
        says="Your bias is slope * (key - query): right for keys before the query, but those behind it get "
        "a bonus that grows with the distance. It is -slope * |distance| on both sides.",
    ),
    Mistake(
        "distance-signed-the-other-way",
        find=".abs()  #",
        replace="  #",
        says="Your bias is -slope * (key - query): keys before the query get a bonus that grows with the "
        "distance. It is -slope * |distance| on both sides.",
    ),
    Mistake(
        "nothing-behind-the-query",
        find="(torch.arange(kv_len) - query_positions[:, None]).abs()",
        replace="(query_positions[:, None] - torch.arange(kv_len)).clamp(min=0)",
        says="Keys behind the query get the bias 0, as if they were at its place. The distance counts on "
        "both sides, also where a causal mask will hide them.",
    ),
    Mistake(
        "causal-mask-included",
        find="    return -alibi_slopes(num_heads)[:, None, None] * distances",
        replace="""\
    behind = torch.arange(kv_len) > query_positions[:, None]
    return (-alibi_slopes(num_heads)[:, None, None] * distances).masked_fill(behind, -torch.inf)""",
        says="Keys behind the query are -inf: that is a causal mask, which is another matter. They have "
        "their distance like all others.",
    ),
    Mistake(
        "aligned-at-the-start",
        find="torch.arange(q_len) + kv_len - q_len",
        replace="torch.arange(q_len)",
        says="You align the first query with the first key. With a cache the queries are the last tokens: "
        "query i is at the place of key i + kv_len - q_len.",
    ),
    Mistake(
        "offset-the-wrong-way",
        find="torch.arange(q_len) + kv_len - q_len",
        replace="torch.arange(q_len) + q_len - kv_len",
        says="You shift the queries the wrong way. The last query is at the place of the last key: query i "
        "is at i + kv_len - q_len.",
    ),
    Mistake(
        "one-off",
        find="torch.arange(q_len) + kv_len - q_len",
        replace="torch.arange(q_len) + kv_len - q_len + 1",
        says="Your last query is one place behind the last key. It is at its place: there the distance is 0.",
    ),
    Mistake(
        "key-position-instead-of-distance",
        find="    return -alibi_slopes(num_heads)[:, None, None] * distances",
        replace="    return alibi_slopes(num_heads)[:, None, None] * torch.arange(kv_len).expand(q_len, -1)",
        says="You multiply the slopes by the key's position. With a causal mask softmax makes the same of "
        "it, as a row differs by a constant only; but what is asked for is -slope * |distance|, which needs "
        "no mask.",
    ),
    Mistake(
        "distance-from-the-last-key",
        find="    return -alibi_slopes(num_heads)[:, None, None] * distances",
        replace="""\
    return -alibi_slopes(num_heads)[:, None, None] * (kv_len - 1 - torch.arange(kv_len)).expand(q_len, -1)""",
        says="All your queries have the row of the last one. Each has its own distances, from its own place.",
    ),
    Mistake(
        "queries-and-keys-swapped",
        find="    return -alibi_slopes(num_heads)[:, None, None] * distances",
        replace="    return -alibi_slopes(num_heads)[:, None, None] * distances.T",
        says="Your bias is (heads, kv_len, q_len). Queries are rows: (heads, q_len, kv_len).",
    ),
    Mistake(
        "slopes-in-float32",
        find="    return torch.cat((slopes, between))[:num_heads]",
        replace="    return torch.cat((slopes, between))[:num_heads].float()",
        says="Your slopes are float32 although the default dtype is another one at the time of the call. "
        "Integers times a float give it, as does torch.tensor of a list.",
    ),
    Mistake(
        "slopes-cached",
        find="def alibi_slopes(num_heads: int)",
        replace="@torch.functools.cache\ndef alibi_slopes(num_heads: int)",
        says="You keep the tensor of slopes from one call to the next. Under another default dtype or device "
        "the old one comes back, and whoever writes into it changes it for all. Keep plain numbers, if any.",
    ),
    Mistake(
        "slopes-cached-and-copied",
        find="def alibi_slopes(num_heads: int)",
        replace="""\
def alibi_slopes(num_heads: int):
    return kept(num_heads).clone()


@torch.functools.cache
def kept(num_heads: int)""",
        says="You keep the slopes of a number of heads from one call to the next, and give a copy. Under "
        "another default dtype or device it has the old one. Keep plain numbers, if any.",
    ),
    Mistake(
        "bias-in-float32",
        find="    return -alibi_slopes(num_heads)[:, None, None] * distances",
        replace="    return (-alibi_slopes(num_heads)[:, None, None] * distances).float()",
        says="Your bias is float32 although the default dtype is another one at the time of the call.",
    ),
    Mistake(
        "missing-slopes-in-front",
        find="    return torch.cat((slopes, between))[:num_heads]",
        replace="    return torch.cat((between[: num_heads - closest], slopes))",
        says="You put the slopes between in front. First come all those of the next smaller power of two, "
        "then those that are missing.",
    ),
    Mistake(
        "all-slopes-from-one",
        find="torch.arange(1, closest + 1)",
        replace="torch.arange(closest)",
        also=(("torch.arange(1, 2 * closest, 2)", "torch.arange(0, 2 * closest, 2)"),),
        says="Your first slope is 1: you count the heads from 0, for the missing slopes too. i runs from 1 "
        "to n, so 8 heads have 1/2, 1/4, …, 1/256.",
    ),
    Mistake(
        "slopes-of-each-part-reversed",
        find="    return torch.cat((slopes, between))[:num_heads]",
        replace="""\
    twice = 2.0 ** (-4 / closest * torch.arange(2 * closest, 0, -1))
    return torch.cat((slopes.flip(0), twice[::2]))[:num_heads]""",
        says="Your slopes are in the reverse order: those of a power of two begin with the steepest, 2^(-8 "
        "/ n). (Of twice as many heads you take every second from the wrong end, too.)",
    ),
    Mistake(
        "negative-key-position",
        find="    return -alibi_slopes(num_heads)[:, None, None] * distances",
        replace="    return -alibi_slopes(num_heads)[:, None, None] * torch.arange(kv_len).expand(q_len, -1)",
        says="You multiply the slopes by minus the key's position, so the first key is favoured, wherever "
        "the query is. It is -slope * |distance of query and key|.",
    ),
    Mistake(
        "nothing-before-the-query",
        find="(torch.arange(kv_len) - query_positions[:, None]).abs()",
        replace="(torch.arange(kv_len) - query_positions[:, None]).clamp(min=0)",
        says="Keys before the query get the bias 0, and these are the ones that it looks at. The distance "
        "counts on both sides.",
    ),
    Mistake(
        "one-off-the-other-way",
        find="torch.arange(q_len) + kv_len - q_len",
        replace="torch.arange(q_len) + kv_len - q_len - 1",
        says="Your last query is one place before the last key. It is at its place: there the distance is 0.",
    ),
    Mistake(
        "distance-squared",
        find="(torch.arange(kv_len) - query_positions[:, None]).abs()",
        replace="(torch.arange(kv_len) - query_positions[:, None]) ** 2",
        says="You square the distance. The bias is linear in it: -slope * |distance|.",
    ),
    Mistake(
        "no-query-before-the-keys",
        find="torch.arange(q_len) + kv_len - q_len",
        replace="torch.arange(q_len) + max(kv_len - q_len, 0)",
        says="With more queries than keys you align the first of them (the offset is cut off at 0). The "
        "last query is at the place of the last key then too, so that the first ones are at negative "
        "places.",
    ),
    Mistake(
        "batch-dimension-in-front",
        find="    return -alibi_slopes(num_heads)[:, None, None] * distances",
        replace="    return (-alibi_slopes(num_heads)[:, None, None] * distances)[None]",
        says="Your bias has a dimension of 1 in front, for the batch. Asked for is (num_heads, q_len, "
        "kv_len), which broadcasts by itself.",
    ),
    *(
        Mistake(
            f"causal-mask-included{fill}",
            find="    return -alibi_slopes(num_heads)[:, None, None] * distances",
            replace=f"""\
    behind = torch.arange(kv_len) > query_positions[:, None]
    return (-alibi_slopes(num_heads)[:, None, None] * distances).masked_fill(behind, {fill})""",
            says=f"Keys behind the query get {fill}: that is a causal mask, which is another matter. They "
            "have their distance like all others.",
        )
        for fill in ("-1e9", "-1e4")
    ),
]
