"""Known wrong versions of `bert_embeddings`: rows that are kept, and their gradients by hand."""

from grader.kit import Mistake
from grader.kit.families.instance_mistakes import WEIGHTS_KEPT

CLASS = "class BertEmbeddings(nn.Module):"
PLACES = "self.position_embeddings(positions)"
KEPT = "self.__dict__.setdefault('kept', self.position_embeddings.weight.detach().clone())[positions]"

MISTAKES = [
    Mistake(
        "made-from-weights-and-kept",
        find=PLACES,
        replace=f"({PLACES} if torch.is_grad_enabled() else {KEPT})",
        says=WEIGHTS_KEPT,
    ),
    Mistake(
        "gradients-of-a-word-overwritten",
        find=CLASS,
        replace=f"""\
class Rows(torch.autograd.Function):
    @staticmethod
    def forward(ctx, table, ids, pad_id):
        ctx.save_for_backward(ids)
        ctx.shape, ctx.pad_id = table.shape, pad_id
        return table[ids]

    @staticmethod
    def backward(ctx, gradient):
        (ids,) = ctx.saved_tensors
        rows = gradient.new_zeros(ctx.shape)
        rows[ids] += gradient
        rows[ctx.pad_id] = 0
        return rows, None, None


{CLASS}""",
        also=(
            (
                "words = self.word_embeddings(input_ids)",
                "table = self.word_embeddings\n"
                "        words = Rows.apply(table.weight, input_ids, table.padding_idx)",
            ),
        ),
        says="Where a word comes several times, its row gets the gradient of one place only. rows[ids] += "
        "gradient reads, adds and writes each place for itself, and the last one overwrites the others: use "
        "index_add_, or index_put_ with accumulate=True, or leave it to nn.Embedding.",
    ),
]
