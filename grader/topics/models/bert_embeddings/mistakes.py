"""Known wrong versions of `bert_embeddings`."""

from grader.kit import Mistake
from grader.kit.families import dropout_mistakes
from grader.kit.families.models import mistakes as shared

POSITIONS = "positions = torch.arange(past_length, past_length + seq, device=input_ids.device)"
SUM = """\
        summed = words + self.position_embeddings(positions) + self.token_type_embeddings(token_type_ids)"""
POSITIONS_TABLE = "self.position_embeddings = nn.Embedding(max_position, hidden_size)"
TYPES_TABLE = "self.token_type_embeddings = nn.Embedding(type_vocab_size, hidden_size)"

MISTAKES = [
    Mistake(
        "past-length-ignored",
        find=POSITIONS,
        replace="positions = torch.arange(seq, device=input_ids.device)",
        says="Your positions begin at 0 whatever past_length says. Where tokens stand in front of these, "
        "their positions go on from there: past_length … past_length + seq - 1.",
    ),
    Mistake(
        "positions-begin-at-one",
        find=POSITIONS,
        replace="positions = torch.arange(past_length + 1, past_length + 1 + seq, device=input_ids.device)",
        says="Your positions begin at 1 instead of 0, so the first row of the table is never used, and a "
        "text of max_position tokens runs out of it.",
    ),
    Mistake(
        "one-position-too-many",
        find=POSITIONS,
        replace="positions = torch.arange(past_length, seq, device=input_ids.device)",
        says="Your positions end at seq: arange(past_length, seq) has seq - past_length of them. They end "
        "at past_length + seq.",
    ),
    Mistake(
        "padding-takes-no-position",
        find=POSITIONS,
        replace="""\
is_real = input_ids != self.word_embeddings.padding_idx
        positions = past_length + (is_real.cumsum(dim=1) - 1).clamp(min=0)""",
        says="You count positions without padding. BERT counts places: every token takes one, padding too.",
    ),
    Mistake(
        "positions-along-the-batch",
        find=POSITIONS,
        replace="positions = past_length + torch.arange(len(input_ids), device=input_ids.device)[:, None]",
        says="Your positions run over the batch: all tokens of a sequence get the same one. They run over "
        "the sequence, dimension 1.",
    ),
    Mistake(
        "positions-of-the-first-call",
        find=f"        {POSITIONS}",
        replace="""\
        if not hasattr(self, "positions") or len(self.positions) != seq:
            self.positions = torch.arange(past_length, past_length + seq, device=input_ids.device)
        positions = self.positions""",
        says="You keep the positions of an earlier call. They depend on past_length, and on the device, "
        "too: make them anew, or cut them out of a table of all positions.",
    ),
    Mistake(
        "positions-on-the-default-device",
        find=POSITIONS,
        replace="positions = torch.arange(past_length, past_length + seq)",
        says="You make positions (or segments) on the default device, and the tokens may be on another one: "
        "pass device=input_ids.device, or torch.zeros_like.",
    ),
    Mistake(
        "positions-left-out",
        find=SUM,
        replace="        summed = words + self.token_type_embeddings(token_type_ids)",
        says="You do not add the positions. Without them the model cannot tell one order of the tokens from "
        "another: attention itself does not see where they stand.",
    ),
    Mistake(
        "token-types-left-out",
        find=SUM,
        replace="        summed = words + self.position_embeddings(positions)",
        says="You never add the token types, so their table gets no gradient. Each token adds the vector of "
        "its segment.",
    ),
    Mistake(
        "no-type-where-none-is-given",
        find="""\
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
""",
        replace="",
        also=(
            (
                "self.token_type_embeddings(token_type_ids)",
                "(0 if token_type_ids is None else self.token_type_embeddings(token_type_ids))",
            ),
        ),
        says="Without token_type_ids you add no type at all. None means segment 0 for every token: the "
        "vector of type 0 is added, as it is learned.",
    ),
    Mistake(
        "type-one-where-none-is-given",
        find="torch.zeros_like(input_ids)",
        replace="torch.ones_like(input_ids)",
        says="Without token_type_ids you add the vector of type 1. None means segment 0.",
    ),
    Mistake(
        "padding-row-like-the-others",
        find="nn.Embedding(vocab_size, hidden_size, padding_idx=pad_id)",
        replace="nn.Embedding(vocab_size, hidden_size)",
        says="Your row of padding is one like the others: it starts with random numbers and learns. It "
        "starts at zero and gets no gradient: nn.Embedding does both with padding_idx.",
    ),
    Mistake(
        "pad-id-ignored",
        find="padding_idx=pad_id",
        replace="padding_idx=0",
        says="You treat token 0 as padding whatever pad_id says.",
    ),
    Mistake(
        "pad-id-0-is-none",
        find="padding_idx=pad_id",
        replace="padding_idx=pad_id or None",
        says="You take a pad_id of 0 for no padding at all: 0 is false in Python. Token 0 is padding by "
        "default, and its row starts at zero and gets no gradient.",
    ),
    Mistake(
        "padding-row-zeroed-only-at-the-start",
        find="        self.word_embeddings = nn.Embedding(vocab_size, hidden_size, padding_idx=pad_id)",
        replace="""\
        self.word_embeddings = nn.Embedding(vocab_size, hidden_size)
        self.word_embeddings.weight.data[pad_id] = 0""",
        says="Your row of padding starts at zero, but it gets a gradient, so it does not stay there. "
        "nn.Embedding leaves it out with padding_idx.",
    ),
    Mistake(
        "padding-row-drawn-again",
        find="        self.position_embeddings = nn.Embedding",
        replace="""\
        nn.init.normal_(self.word_embeddings.weight, std=0.02)
        self.position_embeddings = nn.Embedding""",
        says="Your row of padding does not start at zero: numbers are drawn for the whole table after "
        "nn.Embedding has zeroed that row (in an _init_weights for all modules, for example). Zero it again.",
    ),
    Mistake(
        "padding-masked-to-zero",
        find="        words = self.word_embeddings(input_ids)  # (batch, seq, hidden_size)",
        replace="""\
        words = self.word_embeddings(input_ids)
        words = words * (input_ids != self.word_embeddings.padding_idx)[:, :, None]""",
        says="You set the words' vectors to zero where padding stands. Its row is read as it is: it starts "
        "at zero, but where something else has been loaded into it, that counts.",
    ),
    Mistake(
        "result-zero-at-padding",
        find="        return self.dropout(self.norm(summed))",
        replace="""\
        is_real = (input_ids != self.word_embeddings.padding_idx)[:, :, None]
        return self.dropout(self.norm(summed)) * is_real""",
        says="Your result is zero where padding stands. Padding gets its position and type and is "
        "normalized like any token; that nobody attends to it is for the attention mask to see to.",
    ),
    *(
        Mistake(
            f"padding-in-{name}",
            find=table,
            replace=table.replace("hidden_size)", f"hidden_size, padding_idx={row})"),
            also=also,
            says=f"You give {said}. Only words have padding: the other tables get no padding_idx.",
        )
        for name, table, row, also, said in (
            (
                "the-other-tables",
                POSITIONS_TABLE,
                "0",
                ((TYPES_TABLE, TYPES_TABLE.replace("hidden_size)", "hidden_size, padding_idx=0)")),),
                "the tables of positions and types a padding row too, so position 0 and type 0 never learn",
            ),
            (
                "the-table-of-positions",
                POSITIONS_TABLE,
                "0",
                (),
                "the table of positions a padding row too, so position 0 never learns",
            ),
            (
                "the-table-of-positions-at-pad-id",
                POSITIONS_TABLE,
                "pad_id",
                (),
                "the table of positions a padding row too, so position pad_id never learns (and a pad_id "
                "beyond the table raises)",
            ),
            (
                "the-table-of-types",
                TYPES_TABLE,
                "0",
                (),
                "the table of types a padding row too, so type 0 never learns",
            ),
            (
                "the-table-of-types-at-pad-id",
                TYPES_TABLE,
                "pad_id",
                (),
                "the table of types a padding row too, so type pad_id never learns (and a pad_id beyond the "
                "table raises)",
            ),
            (
                "the-table-of-types-where-it-has-pad-id",
                TYPES_TABLE,
                "pad_id if pad_id < type_vocab_size else None",
                (),
                "the table of types a padding row too, so type pad_id never learns, where there is one",
            ),
        )
    ),
    Mistake(
        "norm-missing",
        find="self.dropout(self.norm(summed))",
        replace="self.dropout(summed)",
        says="You do not normalize the sum (the norm's parameters get no gradient).",
    ),
    Mistake(
        "norm-of-the-words-alone",
        find=SUM,
        replace=SUM.replace("words +", "self.norm(words) +"),
        also=(("self.dropout(self.norm(summed))", "self.dropout(summed)"),),
        says="You normalize the words' vectors before the others are added. The sum of all three is "
        "normalized.",
    ),
    Mistake(
        "words-scaled",
        find=SUM,
        replace=SUM.replace("words +", "words * words.shape[-1] ** 0.5 +"),
        says="You multiply the words' vectors by sqrt(hidden_size). The first transformer does that; BERT "
        "adds the three as they are.",
    ),
    *(
        Mistake(
            id,
            find="eps: float = 1e-12",
            replace=f"eps: float = {eps}",
            says=f"Your default eps is {eps}{like}. BERT's is 1e-12.",
        )
        for id, eps, like in (
            ("default-eps-of-layer-norm", "1e-5", ", that of nn.LayerNorm"),
            ("default-eps-1e-3", "1e-3", ", that of Keras' layer norm"),
            ("default-eps-1e-6", "1e-6", ""),
        )
    ),
    Mistake(
        "eps-ignored",
        find="nn.LayerNorm(hidden_size, eps=eps)",
        replace="nn.LayerNorm(hidden_size)",
        says="You do not hand eps to the norm, which then adds its own 1e-5.",
    ),
    dropout_mistakes.missing(
        "x",
        line="        return self.dropout(self.norm(summed))",
        without="        return self.norm(summed)",
        right="Apply it to the normalized sum",
    ),
    dropout_mistakes.in_evaluation("self.norm(summed)"),
    dropout_mistakes.without_gradients(),
    shared.DROPOUT_BY_DEFAULT,
]
