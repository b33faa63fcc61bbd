"""Known wrong versions of `mlm_masking`: with what precision one draws, and what is read off a draw."""

from grader.kit import Mistake

CHOSEN = "    chosen = torch.rand(shape, generator=generator, device=device) < probability"
FATE = "    fate = torch.rand(shape, generator=generator, device=device)"
OTHERS = "torch.randint(vocab_size, shape, generator=generator, device=device, dtype=input_ids.dtype)"
RANDOM = "chosen & (fate >= 0.9)"
KEPT = (
    (
        CHOSEN,
        CHOSEN.replace("chosen =", "draw =").replace(" < probability", "\n    chosen = draw < probability"),
    ),
)

MISTAKES = [
    Mistake(
        "drawn-in-thousandths",
        find="torch.rand(shape, generator=generator, device=device) < probability",
        replace="torch.randint(1000, shape, generator=generator, device=device) < round(1000 * probability)",
        says="You round the probability where you draw, by whole numbers below 100 or 1,000, for example: a "
        "small one then chooses nothing. Draw numbers between 0 and 1, and compare them with it as it is.",
    ),
    *(
        Mistake(
            f"drawn-in-whole-numbers-below-{numbers}",
            find="torch.rand(shape, generator=generator, device=device) < probability",
            replace=f"torch.randint({numbers}, shape, generator=generator, device=device)"
            f" < {numbers} * probability",
            says=f"You draw whole numbers {below} and compare them with the probability times as many. 0 is "
            "less than that however small the probability is, so too many are chosen: a share rounded "
            f"up to a multiple of {share}. Draw numbers between 0 and 1.",
        )
        for numbers, below, share in (
            (256, "below 256, a byte,", "1 / 256"),
            (100, "below 100, or 1,000,", "1 / 100, or 1 / 1,000"),
        )
    ),
    Mistake(
        "one-draw-not-divided-by-the-probability",
        find=FATE,
        replace="    fate = draw",
        also=KEPT,
        says="You choose by a random number below probability, and compare the same number with 0.8 as it "
        "is. For a probability up to 0.8 it is always below, so that all chosen tokens are masked. Divide it "
        "by probability first, or draw another one.",
    ),
    Mistake(
        "one-draw-with-limits-for-15-percent",
        find=FATE,
        replace="    fate = torch.where(draw < 0.12, 0.0, torch.where(draw < 0.135, 0.95, 0.85))",
        also=KEPT,
        says="You compare the number that chose a token with 0.12 and 0.135, which is right for 15 % only. "
        "The limits are shares of probability: 0.8 * probability and 0.9 * probability.",
    ),
    Mistake(
        "random-token-from-what-is-left-of-one-draw",
        find=OTHERS,
        replace="((fate - 0.9) * 10 * vocab_size).long().clamp(0, vocab_size - 1).to(input_ids.dtype)",
        also=(*KEPT, (FATE, "    fate = draw.double() / (probability or 1.0)")),
        says="You read the random token, too, off the number that chose it. A float32 has 24 binary digits, "
        "and few of them are left then: of a large vocabulary most tokens never come, or some come more "
        "often. Draw the token with randint, or the number in float64.",
    ),
    *(
        Mistake(
            f"random-tokens-from-the-{which}-tenth",
            find=OTHERS,
            replace="(fate * vocab_size).long().clamp(max=vocab_size - 1).to(input_ids.dtype)",
            also=edits,
            says="Your random tokens come from a tenth of the vocabulary: the number that picks them is "
            f"the one that said what becomes of the token, and for a random one that lies between {limits}. "
            "Stretch it to 0 … 1 first (subtract, then times 10), or draw the token with randint.",
        )
        for which, limits, edits in (
            ("ninth", "0.8 and 0.9", ((RANDOM, "chosen & (fate >= 0.8) & (fate < 0.9)"),)),
            ("last", "0.9 and 1", ()),
        )
    ),
    Mistake(
        "random-token-always-another",
        find=OTHERS,
        replace="1 + torch.randint(max(vocab_size - 1, 1), shape, generator=generator, device=device)\n"
        "    others = ((input_ids + others) % vocab_size).to(input_ids.dtype)",
        says="Your random token is never the token that it takes the place of. It is drawn evenly from the "
        "whole vocabulary, and that one belongs to it.",
    ),
    Mistake(
        "mask-tokens-never-replaced",
        find=RANDOM,
        replace=f"{RANDOM} & (inputs != mask_id)",
        says="Whether a chosen token was masked you read off the inputs (!= mask_id). One that is mask_id "
        "already looks masked, and never becomes a random token. Go by what was drawn.",
    ),
    Mistake(
        "mask-tokens-taken-for-those-that-stay",
        find=RANDOM,
        replace="chosen & (fate >= torch.where(input_ids == mask_id, 0.5, 0.9))",
        says="Which chosen tokens were not masked you read off the inputs (where they are as they were). One "
        "that is mask_id already looks so when it is masked, too: half of these become random tokens, where "
        "a tenth should. Go by what was drawn.",
    ),
    Mistake(
        "ids-of-another-vocabulary-taken-for-special",
        find=CHOSEN,
        replace=f"{CHOSEN}\n    chosen = chosen & (input_ids != 101) & (input_ids != 102)",
        says="Some tokens you never choose whatever `special` says: 101 and 102, for example, which are "
        "[CLS] and [SEP] in BERT's own vocabulary. Which are special is said by `special` alone; here these "
        "are words like others.",
    ),
    Mistake(
        "token-0-taken-for-padding",
        find=CHOSEN,
        replace=f"{CHOSEN}\n    chosen = chosen & (input_ids != 0)",
        says="You never choose token 0, as if it were padding. Which tokens are never chosen `special` says; "
        "0 is one like any other.",
    ),
]
