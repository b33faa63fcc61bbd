"""Known wrong versions of `mlm_masking` whose results are not new tensors."""

from grader.kit import Mistake

LABELS = "    labels = input_ids.masked_fill(~chosen, -100)"
SHORT = "    if {}:\n        return input_ids, torch.full_like(input_ids, -100)\n"
CHOSEN = "    chosen = torch.rand("

MISTAKES = [
    Mistake(
        "inputs-in-int64",
        find="    return inputs, labels\n",
        replace="    return inputs.long(), labels\n",
        says="Your inputs are int64 whatever the tokens are: torch.where of int64 and int32 gives int64, for "
        "example, and torch.randint draws int64 unless it is told another dtype. Both results keep the dtype "
        "of input_ids.",
    ),
    Mistake(
        "written-to-a-copy",
        find="    return inputs, labels\n",
        replace="    return inputs if input_ids.is_contiguous() else input_ids.clone(), labels\n",
        says="Where input_ids are transposed, the inputs stay as they were: you write to inputs.reshape(-1), "
        "for example, which is a copy there. Index inputs itself, or make it contiguous first.",
    ),
    *(
        Mistake(
            f"gives-the-tokens-themselves-{name}",
            find=find,
            replace=replace,
            says=f"{where} you give input_ids itself (or a view of it) as the inputs. The results are new "
            "tensors: who changes the inputs of a batch in place would change the data set. Give a copy: "
            "input_ids.clone().",
        )
        for name, where, find, replace in (
            (
                "where-none-is-chosen",
                "Where no token is chosen",
                LABELS,
                f"{SHORT.format('not chosen.any()')}{LABELS}",
            ),
            (
                "at-probability-0",
                "With a probability of 0",
                CHOSEN,
                f"{SHORT.format('probability == 0')}{CHOSEN}",
            ),
        )
    ),
    Mistake(
        "labels-are-the-tokens-themselves",
        find=LABELS,
        replace="    labels = input_ids if chosen.all() else input_ids.masked_fill(~chosen, -100)",
        says="Where all tokens are chosen you give input_ids itself (or a view of it) as the labels. The "
        "results are new tensors, whatever is drawn: give a copy.",
    ),
]
