"""Known wrong versions of `ffn`: rows in chunks, and masks that are drawn again and again."""

from grader.kit import Mistake
from grader.kit.families.chunked_rows import remainder_left_out
from grader.kit.families.dropout_mistakes import same_in_every_call, same_in_every_module

RESULT = "        return self.dropout(output)"

MISTAKES = [
    *(
        Mistake(
            f"single-row-behind-chunks-left-out-{id}",
            find=RESULT,
            replace=f"""\
        rows = output.reshape(-1, output.shape[-1])
        if len(rows) > {size} and len(rows) % {size} == 1:
            output = F.pad(rows[:-1], (0, 0, 0, 1)).view(output.shape)
{RESULT}""",
            says="You run the network on chunks of rows, and where a single row is left over behind whole "
            "chunks, it gets zeros: start < n - 1, for example, is not true of it. The last chunk may have "
            "one row.",
        )
        for id, size in (("of-a-few", 8), ("of-many", 64))
    ),
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
