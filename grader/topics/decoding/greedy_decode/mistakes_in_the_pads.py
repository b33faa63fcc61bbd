"""Known wrong versions of `greedy_decode` that put the pads in only when all is decoded."""

from grader.kit import Mistake

PADS = "        best = best.masked_fill(finished, pad_id)\n"
START = "    tokens = torch.full((batch_size, 1), bos_id)\n"
APPENDED = "        tokens = torch.cat((tokens, best[:, None]), dim=1)  # (batch_size, length + 1)\n"
RETURN = "    return tokens"

MISTAKES = [
    Mistake(
        f"pads-filled-in-at-the-end{ending}",
        find=PADS,
        replace="        padded = best.masked_fill(finished, pad_id)\n" + behind,
        also=(
            (START, START + "    result = tokens\n"),
            (APPENDED, APPENDED + "        result = torch.cat((result, padded[:, None]), dim=1)\n"),
            (RETURN, "    return result"),
        ),
        says=f"Your result is right, but next_logits sees {what} where finished rows have their pads, since "
        "you put these in afterwards, for example. It gets the tokens so far as they are in the result: "
        "write pad_id in each step, before you ask again.",
    )
    for ending, behind, what in (
        ("", "", "what the model goes on to say"),
        ("-behind-more-eos", "        best = best.masked_fill(finished, eos_id)\n", "more eos"),
    )
]
