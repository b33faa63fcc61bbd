"""Known wrong versions of `bert`: the embedding of padding, positions under a mask, GELU, frozen tables."""

from grader.kit import Mistake
from grader.kit.families.models import mistakes as shared

WORDS = "words = self.word_embeddings(input_ids)  # (batch, seq, hidden_size)"

MISTAKES = [
    Mistake(
        "padding-embedded-as-zero",
        find=WORDS,
        replace="""\
words = self.word_embeddings(input_ids)
        is_pad = input_ids == self.word_embeddings.padding_idx
        words = words.masked_fill(is_pad.unsqueeze(-1), 0.0)""",
        says="You give pad_id a word embedding of zeros in every call, whatever its row holds. The row is "
        "zero at first only, and what is loaded into it counts. padding_idx is enough: it starts the row at "
        "zero and keeps gradients away from it.",
    ),
    Mistake(
        "positions-skip-masked-tokens",
        find="positions = torch.arange(input_ids.shape[1], device=input_ids.device)",
        replace="""\
positions = torch.arange(input_ids.shape[1], device=input_ids.device)
        if attention_mask is not None:
            positions = (attention_mask.long().cumsum(dim=1) - 1).clamp(min=0)""",
        also=(
            (
                "x = self.embeddings(input_ids, token_type_ids)",
                "x = self.embeddings(input_ids, token_type_ids, attention_mask)",
            ),
            (
                "def forward(self, input_ids: Tensor, token_type_ids: Tensor | None) -> Tensor:",
                "def forward(self, input_ids, token_type_ids, attention_mask):",
            ),
        ),
        says="Under a mask you count only the real tokens for the positions, so a token "
        "behind a masked one gets too small a position. They are 0, 1, … by place, whatever the mask.",
    ),
    *shared.WRONG_GELUS,
    *(
        shared.frozen(name, f"        self.{name} = nn.Embedding({size}, hidden_size)")
        for name, size in (
            ("position_embeddings", "max_position"),
            ("token_type_embeddings", "type_vocab_size"),
        )
    ),
    Mistake(
        "all-embeddings-of-padding-detached",
        find="        return self.dropout(self.norm(summed))\n",
        replace="""\
        is_pad = (input_ids == self.word_embeddings.padding_idx).unsqueeze(-1)
        return self.dropout(self.norm(torch.where(is_pad, summed.detach(), summed)))
""",
        says="Where a token is pad_id you keep gradients from its position and its token type, too: you "
        "detach the sum of all three, for example. Only pad_id's row of word_embeddings gets none.",
    ),
]
