"""Wrong versions of `linear_attention` that go by chunks of the text, or add eps behind the division."""

from grader.kit import Mistake

CAUSAL_TOTAL = "        total = torch.cumsum(key, dim=-2)  # (..., seq, dim)"
CAUSAL_STATE = (
    "        state = torch.cumsum(key.unsqueeze(-1) * value.unsqueeze(-2), dim=-3)  # (..., seq, dim, dim)"
)
RESULT = "    return numerator / (denominator + eps)"
TOTAL = "        total = key.sum(dim=-2, keepdim=True)  # (..., 1, dim)"

MISTAKES = [
    *(
        Mistake(
            f"padding-of-chunks-of-{chunk}-counted",
            find=TOTAL,
            replace=f"        total = key.sum(dim=-2, keepdim=True) + -key.shape[-2] % {chunk}",
            says=f"You pad the text with zeros to whole chunks of {chunk} before the feature map, and f(0) "
            "is 1: the padding counts as keys in the denominator. Pad after the map, or leave the last chunk "
            "shorter.",
        )
        for chunk in (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
    ),
    *(
        Mistake(
            f"chunks-of-{chunk}-alone",
            find=CAUSAL_STATE,
            replace=f"""\
        state = key.unsqueeze(-1) * value.unsqueeze(-2)
        state = torch.cat([each.cumsum(dim=-3) for each in state.split({chunk}, dim=-3)], dim=-3)""",
            also=(
                (
                    CAUSAL_TOTAL,
                    f"        total = torch.cat([x.cumsum(dim=-2) for x in key.split({chunk}, dim=-2)], -2)",
                ),
            ),
            says=f"With is_causal every chunk of {chunk} begins anew: its tokens see nothing of the chunks "
            "before it. Carry the sums of keys and values on from chunk to chunk.",
        )
        for chunk in (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
    ),
    *(
        Mistake(
            f"last-chunk-{name}-of-{chunk}-left-out",
            find=RESULT,
            replace=f"""\
    seq = query.shape[-2]
    whole = seq - seq % {size} if is_causal else seq
    return F.pad((numerator / (denominator + eps))[..., :whole, :], (0, 0, 0, seq - whole))""",
            says="With is_causal you fill whole chunks only (there are seq // chunk of them), and the last "
            "tokens of a text that does not divide into chunks stay 0. The last chunk may be shorter: it is "
            "computed too.",
        )
        for chunk in (2, 4, 8, 64, 1024)  # 16 and 32 come to the same as 64, from 128 on all to the same
        for name, size in (("at-most", f"min(seq, {chunk})"), ("always", chunk))
    ),
    Mistake(
        "eps-added-to-the-result",
        find=RESULT,
        replace="    return numerator / denominator + eps",
        says="You divide first and add eps to the result: brackets are missing. It is added to the "
        "denominator.",
    ),
    *(
        Mistake(
            f"sums-detached-between-chunks-of-{chunk}",
            find=CAUSAL_STATE,
            replace=f"""\
        state, total = [], []
        for part, keys in zip(
            (key.unsqueeze(-1) * value.unsqueeze(-2)).split({chunk}, dim=-3), key.split({chunk}, dim=-2)
        ):
            state.append(part.cumsum(dim=-3) + (state[-1][..., -1:, :, :].detach() if state else 0))
            total.append(keys.cumsum(dim=-2) + (total[-1][..., -1:, :].detach() if total else 0))
        state = torch.cat(state, dim=-3)""",
            also=((CAUSAL_TOTAL, "        total = torch.cat(total, dim=-2)"),),
            says="With is_causal the gradients of key and value lack what later chunks of the text add: you "
            "detach the sums that you carry from chunk to chunk, for example. Their gradients run through "
            "all chunks.",
        )
        for chunk in (8, 16, 32, 64, 128, 256)
    ),
    *(
        Mistake(
            f"total-rolled-into-the-first-chunk-of-{chunk}",
            find=CAUSAL_STATE,
            replace=f"""\
        state = torch.cumsum(key.unsqueeze(-1) * value.unsqueeze(-2), dim=-3)
        first, others = state[..., :{chunk}, :, :], state[..., {chunk}:, :, :]
        state = torch.cat([first + state[..., -1:, :, :], others], dim=-3)""",
            also=(
                (
                    CAUSAL_TOTAL,
                    f"""\
        total = torch.cumsum(key, dim=-2)
        first, others = total[..., :{chunk}, :], total[..., {chunk}:, :]
        total = torch.cat([first + total[..., -1:, :], others], dim=-2)""",
                ),
            ),
            says="With is_causal the first chunk of the text gets the sums of all chunks on top of its "
            "own, later tokens included: torch.roll brings the last entry round to the front, for "
            "example. Before the first chunk there is nothing: set what comes round to 0.",
        )
        for chunk in (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
    ),
    *(
        Mistake(
            f"last-chunk-of-{chunk}-moved-back",
            find=CAUSAL_STATE,
            replace=f"""\
        seq = key.shape[-2]
        size = min({chunk}, seq)
        state = torch.cumsum(key.unsqueeze(-1) * value.unsqueeze(-2), dim=-3)
        if seq % size:
            more = state[..., seq - seq % size - 1, :, :] - state[..., seq - size - 1, :, :]
            last = state[..., seq - size :, :, :] + more.unsqueeze(-3)
            state = torch.cat([state[..., : seq - size, :, :], last], dim=-3)""",
            also=(
                (
                    CAUSAL_TOTAL,
                    """\
        total = torch.cumsum(key, dim=-2)
        if seq % size:
            more = total[..., seq - seq % size - 1, :] - total[..., seq - size - 1, :]
            last = total[..., seq - size :, :] + more.unsqueeze(-2)
            total = torch.cat([total[..., : seq - size, :], last], dim=-2)""",
                ),
            ),
            says="With is_causal you move the last chunk back so that it is full too, and what it shares "
            "with the chunk before it is in the running sums already: these keys count twice. Leave the last "
            "chunk shorter, or take them out of the sums.",
        )
        for chunk in (2, 4, 8, 16, 32, 64, 128, 256)
    ),
]
