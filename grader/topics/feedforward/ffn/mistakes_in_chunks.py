"""Known wrong versions of `ffn`: rows in chunks, and masks that are drawn again and again."""

from grader.kit.families.chunked_rows import remainder_left_out
from grader.kit.families.dropout_mistakes import same_in_every_call, same_in_every_module

RESULT = "        return self.dropout(output)"

MISTAKES = [
    *remainder_left_out(RESULT),
    *(
        same(
            "entries",
            RESULT,
            also=(("import torch.nn.functional as F\n", "import torch\nimport torch.nn.functional as F\n"),),
        )
        for same in (same_in_every_call, same_in_every_module)
    ),
]
