"""Known wrong versions of `embedding` in which ids are integers of too few bits."""

from grader.kit import Mistake

ROWS = "rows = self.weight[token_ids]"
ADDED = "grad_weight.index_add_(0, token_ids.reshape(-1),"


def in_int16(text: str) -> tuple[str, str]:
    return text, text.replace("token_ids", "token_ids.to(torch.int16).long()")


MISTAKES = [
    Mistake(
        id_,
        find=edits[0][0],
        replace=edits[0][1],
        also=edits[1:],
        says=f"{where} your ids are int16, for example: from 32,768 on they are negative, and count from the "
        "end or are no row at all. A vocabulary may be larger (GPT-2 has 50,257 tokens): leave them as they "
        "came.",
    )
    for id_, where, edits in (
        ("ids-in-int16", "In the module", (in_int16(ROWS),)),
        ("ids-of-backward-in-int16", "In embedding_backward", (in_int16(ADDED),)),
        ("all-ids-in-int16", "In the module and in embedding_backward", (in_int16(ROWS), in_int16(ADDED))),
    )
]
