"""Known wrong versions of `latent_query_attention` in what they drop."""

from grader.kit import Mistake
from grader.kit.families import dropout_mistakes

STAGE_1 = "self._attend(latent, key, value, mask)"
STAGE_2 = "self._attend(query, summary, summary, None)"
CAN_GO_WITHOUT_DROPOUT = (
    ('#batch 1 1 kv_len"] | None,\n', '#batch 1 1 kv_len"] | None,\n        drops: bool = True,\n'),
    (
        "        weights = self.dropout(weights)\n",
        "        weights = self.dropout(weights) if drops else weights\n",
    ),
)


MISTAKES = [
    Mistake(
        "dropout-in-the-second-stage-only",
        find=STAGE_1,
        replace="self._attend(latent, key, value, mask, drops=False)",
        also=CAN_GO_WITHOUT_DROPOUT,
        says="Only your second stage drops weights. Dropout acts on the attention weights of both.",
    ),
    Mistake(
        "dropout-in-the-first-stage-only",
        find=STAGE_2,
        replace="self._attend(query, summary, summary, None, drops=False)",
        also=CAN_GO_WITHOUT_DROPOUT,
        says="Only your first stage drops weights. Dropout acts on the attention weights of both.",
    ),
    dropout_mistakes.MISSING,
    dropout_mistakes.IN_EVALUATION,
    dropout_mistakes.KEEPS_THAT_SHARE,
    dropout_mistakes.on_output("merged"),
    dropout_mistakes.BEFORE_SOFTMAX,
    dropout_mistakes.SHARED_BY_SEQUENCES,
    dropout_mistakes.SHARED_BY_HEADS,
    dropout_mistakes.SHARED_BY_QUERIES,
    dropout_mistakes.OF_WHOLE_QUERIES,
]
