"""Known wrong versions of `bert_embeddings` in which padding has positions or gradients of its own."""

from grader.kit import Mistake

POSITIONS = "positions = torch.arange(past_length, past_length + seq, device=input_ids.device)"
IS_REAL = "is_real = (input_ids != self.word_embeddings.padding_idx).long()\n        "
RESULT = "        return self.dropout(self.norm(summed))"
IS_PADDING = "        is_padding = (input_ids == self.word_embeddings.padding_idx)[:, :, None]\n"

MISTAKES = [
    *(
        Mistake(
            f"positions-of-roberta{ending}",
            find=POSITIONS,
            replace=IS_REAL + f"positions = {positions} + self.word_embeddings.padding_idx",
            says=f"Your positions are RoBERTa's: real tokens alone are counted, from pad_id + 1 on{also}, "
            "and padding gets position pad_id. BERT counts places: every token takes one, padding too, from "
            "past_length on.",
        )
        for ending, positions, also in (
            ("", "(is_real.cumsum(dim=1) + past_length) * is_real", ""),
            ("-without-past-length", "is_real.cumsum(dim=1) * is_real", " (without past_length)"),
        )
    ),
    Mistake(
        "padding-at-position-zero",
        find=POSITIONS,
        replace=IS_REAL + "positions = (torch.arange(seq, device=input_ids.device) + past_length) * is_real",
        says="Padding gets position 0 wherever it stands. It has the position of its place, like every other "
        "token.",
    ),
    Mistake(
        "sum-detached-at-padding",
        find=RESULT,
        replace=IS_PADDING + "        summed = torch.where(is_padding, summed.detach(), summed)\n" + RESULT,
        says="Where padding stands, no gradient passes back to the tables of positions and types (the whole "
        "sum is detached there, for example). Only its row of the words has none: position and type are "
        "learned there like anywhere else.",
    ),
    Mistake(
        "result-detached-at-padding",
        find=RESULT,
        replace=IS_PADDING
        + RESULT.replace("return", "result =")
        + "\n        return torch.where(is_padding, result.detach(), result)",
        says="Where padding stands, no gradient passes back at all: neither the norm nor the tables of "
        "positions and types learn from it. Only its row of the words has none.",
    ),
]
