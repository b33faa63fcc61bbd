"""Known wrong versions of `speculative_decoding` that draw more than one thing without the generator."""

from grader.kit import Mistake

KEPT = ("torch.rand((), generator=generator,", "torch.rand((),")
INSTEAD, BONUS, DRAFTS = (
    (
        f"torch.multinomial({row}, num_samples=1, generator=generator)",
        f"torch.multinomial({row}, num_samples=1)",
    )
    for row in ("residual", "target_probs[-1]", "rows[-1]")
)

OWN = "    generator = torch.Generator() if generator is None else generator\n"
VERIFY = "    for place, token in enumerate(draft_tokens.tolist()):\n"
DECODE = "    tokens = prompt\n"

MISTAKES = [
    *(
        Mistake(
            id,
            find=find,
            replace=replace,
            also=tuple(also),
            says=f"{words} from PyTorch's global generator, so results cannot be repeated by the one that is "
            "handed over. All randomness comes from that one.",
        )
        for id, ((find, replace), *also), words in (
            (
                "tokens-without-the-generator",
                (INSTEAD, BONUS, DRAFTS),
                "The random numbers that drafts are kept by come from the generator, but all tokens are "
                "drawn",
            ),
            (
                "tokens-of-verify-without-the-generator",
                (INSTEAD, BONUS),
                "The tokens that verify draws, after a refusal and after the last draft, come",
            ),
            (
                "verify-without-the-generator",
                (KEPT, INSTEAD, BONUS),
                "All that is random in verify comes",
            ),
            (
                "nothing-from-the-generator",
                (KEPT, INSTEAD, BONUS, DRAFTS),
                "Neither verify nor speculative_decode uses its generator: all that is random comes",
            ),
        )
    ),
    *(
        Mistake(
            f"own-generator-without-another{id}",
            find=find,
            replace=OWN + find,
            also=also,
            says="Without a generator every call gives the same tokens: you make a new generator in each, "
            "whose seed is always the same. None stands for PyTorch's global one: hand None on as it is.",
        )
        for id, find, also in (
            ("", VERIFY, ((DECODE, OWN + DECODE),)),
            ("-in-verify", VERIFY, ()),
            ("-in-speculative-decode", DECODE, ()),
        )
    ),
]
