"""Known wrong versions of `swiglu`: rows in chunks, and masks that are drawn again and again."""

from grader.kit import Mistake
from grader.kit.families.chunked_rows import remainder_left_out
from grader.kit.families.dropout_mistakes import (
    GONE_AFTER_EVALUATION,
    same_in_every_call,
    same_in_every_module,
)

RESULT = "        return self.dropout(output)"

MISTAKES = [
    GONE_AFTER_EVALUATION,
    *remainder_left_out(RESULT),
    *(
        Mistake(
            f"dropout-on-the-part-of-each-block-of-{size}",
            find=RESULT,
            replace=f"""\
        parts = zip(hidden.split({size}, -1), self.down_proj.weight.split({size}, -1), strict=True)
        return sum(self.dropout(F.linear(part, weight)) for part, weight in parts)""",
            says="You go through the hidden layer in blocks and drop entries of what each of them adds to "
            "the output, before these are summed: of an entry a part is lost, and hardly ever all of it. Sum "
            "first, then drop.",
        )
        for size in (16, 32, 64, 128)
    ),
    *(
        same(
            "entries",
            RESULT,
            also=(("import torch.nn.functional as F\n", "import torch\nimport torch.nn.functional as F\n"),),
        )
        for same in (same_in_every_call, same_in_every_module)
    ),
]
