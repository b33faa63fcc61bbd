"""Known wrong versions of `beam_search`: which tokens may follow."""

from grader.kit import Mistake

TOTALS = "totals = totals.unsqueeze(1) + next_log_probs"

MISTAKES = [
    Mistake(
        "log-probabilities-kept-by-the-model",
        find="log_probs(torch.tensor([tokens for tokens, _ in unfinished]))",
        replace="torch.stack([\n"
        "            _KEPT.setdefault((log_probs, *tokens), log_probs(torch.tensor([tokens]))[0].clone())\n"
        "            for tokens, _ in unfinished\n        ])",
        also=(("from torch import Tensor\n", "from torch import Tensor\n\n_KEPT = {}\n"),),
        says="You keep what log_probs gave for the next call. The model may have learned in between, and "
        "then the old hypotheses come. Keep it within a call at most.",
    ),
    Mistake(
        "bos-never-follows",
        find=TOTALS,
        replace=TOTALS + "\n        totals[:, bos_id] = -torch.inf",
        says="You never let bos_id follow. It is a token like any other here: what may follow is for "
        "log_probs alone to say, by a log-probability of -inf.",
    ),
    Mistake(
        "large-negative-instead-of-infinity",
        find=TOTALS,
        replace=TOTALS.replace("next_log_probs", "next_log_probs.clamp(min=-1e7)"),
        says="Tokens of probability 0 fill up your beam when there are not enough others: for example, you "
        "put a large negative number in place of -inf, so that they count as possible. Drop extensions of "
        "probability 0: the beam may hold fewer than beam_width.",
    ),
    Mistake(
        "starts-with-improbable-copies",
        find="    beam = [([bos_id], 0.0)]",
        replace="    beam = [([bos_id], 0.0)] + [([bos_id], -1e9)] * (beam_width - 1)",
        says="Where the beam has room, you return hypotheses with a very low score that are not there: for "
        "example, you start with beam_width copies of [bos_id], all but one with the sum -1e9, and these are "
        "kept when there are not enough others. Start with a single hypothesis, or give the copies the sum "
        "-inf and drop what has it.",
    ),
    Mistake(
        "tokens-of-16-bits",
        find="log_probs(torch.tensor([tokens for tokens, _ in unfinished]))",
        replace="log_probs(torch.tensor([tokens for tokens, _ in unfinished]).to(torch.int16))",
        says="Of a large vocabulary log_probs is asked about other tokens than those that follow: you keep "
        "ids in 16 bits, for example, into which those beyond 32,767 do not go. Vocabularies have 128,000 "
        "tokens and more: keep int64.",
    ),
    *(
        Mistake(
            f"improbable-taken-for-impossible{words}",
            find="if total > -torch.inf:",
            replace=f"if total > {least}:",
            says=f"You take for impossible what has a sum of log-probabilities below some bound, {least} for "
            "example. Only -inf is a probability of 0: any other may be what the beam has to keep.",
        )
        for words, least in (("", "-1e3"), ("-below-1e4", "-1e4"), ("-below-1e6", "-1e6"))
    ),
    Mistake(
        "bos-not-counted-where-it-follows",
        find="(len(tokens) - 1) ** length_penalty",
        replace="max(sum(token != bos_id for token in tokens), 1) ** length_penalty",
        says="You leave every bos_id out of the length, also one that was generated. Only the first, which "
        "was given, does not count: len(tokens) - 1.",
    ),
]
