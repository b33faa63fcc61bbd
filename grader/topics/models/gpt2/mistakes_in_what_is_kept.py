"""Known wrong versions of `gpt2`: what is kept for the next call, what does not learn, layers not run."""

from grader.kit import Mistake
from grader.kit.families import dropout_mistakes
from grader.kit.families.instance_mistakes import weights_kept
from grader.kit.families.models.mistakes import ONE_LAYER_ALONE, frozen, padding_row

MISTAKES = [
    weights_kept("self.qkv_proj(x)"),
    *ONE_LAYER_ALONE,
    dropout_mistakes.without_gradients(
        "self.dropout = nn.Dropout(dropout)\n        for ", "self.dropout = nn.Dropout(dropout)\n\n    def "
    ),
    frozen("position_embedding", "        self.position_embedding = nn.Embedding(max_position, hidden_size)"),
    padding_row("self.token_embedding = nn.Embedding(vocab_size, hidden_size)"),
    Mistake(
        "row-of-padding-at-zero",
        find="    def forward(self, token_ids:",
        replace="""\
        nn.init.zeros_(self.token_embedding.weight[0].detach())

    def forward(self, token_ids:""",
        says="A row of the token embedding starts at 0, as that of padding does elsewhere. No token is "
        "padding here: all rows are drawn from N(0, 0.02²).",
    ),
    Mistake(
        "at-most-1024-tokens",
        find="        positions = torch.arange(seq, device=token_ids.device)\n",
        replace="        positions = torch.arange(seq, device=token_ids.device).clamp(max=1023)\n",
        says="Something in your model ends at a fixed length, 1024 tokens for example: a mask or a table "
        "that is made once. max_position says how long a text may be, and it may be longer.",
    ),
]
