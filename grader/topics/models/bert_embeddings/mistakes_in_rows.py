"""Known wrong versions of `bert_embeddings`: rows kept, frozen, by hand, or from another place on."""

from grader.kit import Mistake
from grader.kit.families.instance_mistakes import WEIGHTS_KEPT
from grader.kit.families.models import mistakes as shared

CLASS = "class BertEmbeddings(nn.Module):"
WORDS_TABLE = "        self.word_embeddings = nn.Embedding(vocab_size, hidden_size, padding_idx=pad_id)"
NO_TYPES = """\
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
"""
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
    *(
        shared.frozen(name, f"        self.{name} = nn.Embedding({size}, hidden_size)")
        for name, size in (
            ("position_embeddings", "max_position"),
            ("token_type_embeddings", "type_vocab_size"),
        )
    ),
    shared.frozen("word_embeddings", WORDS_TABLE),
    *(
        Mistake(
            f"past-length-ignored-{words.replace(' ', '-')}-types",
            find=NO_TYPES,
            replace=code,
            says=f"Your positions begin at 0 {words} token_type_ids, whatever past_length says: only the "
            "other branch goes on from there. Positions and types have nothing to do with each other.",
        )
        for words, code in (
            ("with", f"{NO_TYPES}        else:\n            past_length = 0\n"),
            ("without", f"{NO_TYPES}            past_length = 0\n"),
        )
    ),
]
