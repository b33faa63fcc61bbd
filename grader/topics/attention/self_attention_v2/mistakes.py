"""Known wrong versions of `self_attention_v2`."""

from grader.kit import Mistake
from grader.kit.families import instance_mistakes
from grader.kit.families.attention.mistakes import (
    attention_mistakes,
    layout_mistakes,
    lone_token_mistakes,
    score_mistakes,
)

MISTAKES = [
    Mistake(
        "three-products",
        find="""\
        qkv = self.qkv_proj(x)  # (batch, seq, 3 * hidden_size)
        # Views, no copies: three windows on the same memory.
        query, key, value = qkv.chunk(3, dim=-1)  # (batch, seq, hidden_size) each""",
        replace="""\
        slices = zip(self.qkv_proj.weight.chunk(3), self.qkv_proj.bias.chunk(3), strict=True)
        query, key, value = (nn.functional.linear(x, weight, bias) for weight, bias in slices)""",
        says="You cut the weight in three and multiply three times. Multiply once with the whole weight, and "
        "cut the result: that is what the fused layer is for.",
    ),
    Mistake(
        "two-products",
        find="""\
        qkv = self.qkv_proj(x)  # (batch, seq, 3 * hidden_size)
        # Views, no copies: three windows on the same memory.
        query, key, value = qkv.chunk(3, dim=-1)  # (batch, seq, hidden_size) each""",
        replace="""\
        sizes = [x.shape[-1], 2 * x.shape[-1]]
        slices = zip(self.qkv_proj.weight.split(sizes), self.qkv_proj.bias.split(sizes), strict=True)
        query, key_and_value = (nn.functional.linear(x, weight, bias) for weight, bias in slices)
        key, value = key_and_value.chunk(2, dim=-1)""",
        says="You multiply twice: two of query, key and value come from one product, the third from one of "
        "its own, for example. Multiply once with the whole weight of qkv_proj, and cut the result in three.",
    ),
    Mistake(
        "projected-three-times",
        find="""\
        qkv = self.qkv_proj(x)  # (batch, seq, 3 * hidden_size)
        # Views, no copies: three windows on the same memory.
        query, key, value = qkv.chunk(3, dim=-1)  # (batch, seq, hidden_size) each""",
        replace="""\
        query = self.qkv_proj(x).chunk(3, dim=-1)[0]
        key = self.qkv_proj(x).chunk(3, dim=-1)[1]
        value = self.qkv_proj(x).chunk(3, dim=-1)[2]""",
        says="You call qkv_proj three times and throw two thirds of each result away, which triples the "
        "work. Call it once, keep the result, and cut it in three.",
    ),
    Mistake(
        "projected-one-by-one",
        find="self.qkv_proj(x)  #",
        replace="torch.stack([self.qkv_proj(tokens) for tokens in x])  #",
        says="You project each sequence of the batch with a product of its own. nn.Linear takes any number "
        "of leading dimensions: one product projects all tokens of the batch.",
    ),
    attention_mistakes.KEY_FIRST,
    attention_mistakes.VALUE_BEFORE_KEY,
    attention_mistakes.VALUE_FIRST,
    Mistake(
        "features-interleaved",
        find="qkv.chunk(3, dim=-1)",
        replace="qkv.unflatten(-1, (-1, 3)).unbind(-1)",
        says="You deal the features out in turn: 0, 3, 6 … to the query, 1, 4, 7 … to the key. They lie "
        "side by side: the first hidden_size are the query. View as (…, 3, hidden_size), not "
        "(…, hidden_size, 3), or use chunk(3, dim=-1).",
    ),
    Mistake(
        "tokens-mixed",
        find="qkv.chunk(3, dim=-1)",
        replace="qkv.reshape(3, *x.shape).unbind(0)",
        says="You reshape to (3, batch, seq, hidden_size), which mixes features of different tokens. A "
        "reshape does not move data: split the last dimension, (batch, seq, 3, hidden_size), and unbind "
        "that 3.",
    ),
    Mistake(
        "cut-along-the-sequence",
        find="qkv.chunk(3, dim=-1)",
        replace="qkv.chunk(3, dim=1)",
        says="You cut the sequence in three: dimension 1 of (batch, seq, 3 * hidden_size) holds the tokens. "
        "Query, key and value lie side by side in the last dimension: chunk(3, dim=-1).",
    ),
    score_mistakes.scale_by_fused_width("math.sqrt(query.shape[-1])", "qkv.shape[-1]"),
    Mistake(
        "sequences-joined",
        find="        query, key, value = qkv.chunk(3, dim=-1)  # (batch, seq, hidden_size) each\n",
        replace="        query, key, value = qkv.reshape(-1, qkv.shape[-1]).chunk(3, dim=-1)\n",
        also=(("        return weights @ value  #", "        return (weights @ value).reshape(x.shape)  #"),),
        says="You join the batch's sequences to one, for the projection perhaps, and do not part them again "
        "before the scores: tokens attend to those of other sequences.",
    ),
    score_mistakes.scale_missing("scores = scores / math.sqrt(query.shape[-1])"),
    score_mistakes.fused_bias_not_scaled("scores", "math.sqrt(query.shape[-1])"),
    *score_mistakes.other_scales("scores", "query.shape[-1]"),
    score_mistakes.softmax_over_queries("(batch, seq, seq)"),
    score_mistakes.SOFTMAX_WITHOUT_DIM,
    score_mistakes.SOFTMAX_OVERFLOWS,
    score_mistakes.largest_of_all_subtracted(),
    score_mistakes.MAXIMUM_NOT_BELOW_ZERO,
    score_mistakes.MAXIMUM_OVER_THE_QUERIES_SUBTRACTED,
    score_mistakes.KEY_RESHAPED,
    score_mistakes.WEIGHTS_TRANSPOSED,
    Mistake(
        "bias-left-out",
        find="self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)",
        replace="self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size, bias=False)",
        says="Your qkv_proj has no bias. Many newer models leave it out, but here it is asked for: "
        "nn.Linear has one unless bias=False says otherwise.",
    ),
    attention_mistakes.output_projection_added(
        "        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)"
    ),
    Mistake(
        "separate-projections",
        find="        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)",
        replace="""\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.qkv_proj = lambda x: torch.cat([self.q_proj(x), self.k_proj(x), self.v_proj(x)], dim=-1)""",
        says="You kept level 1's three layers q_proj, k_proj and v_proj. This level has one, qkv_proj = "
        "nn.Linear(hidden_size, 3 * hidden_size), so that one matrix product makes all three.",
    ),
    instance_mistakes.kept_on_the_class(
        "        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)\n",
        "the scale",
        kept="        type(self).scale = math.sqrt(hidden_size)\n"
        "        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)\n",
        also=(("math.sqrt(query.shape[-1])", "self.scale"),),
    ),
    score_mistakes.clamped("scores / math.sqrt(query.shape[-1])"),
    *(
        Mistake(name, find=right, replace=wrong, says=says)
        for name, right, wrong, says in [
            (
                "value-is-the-key",
                "return weights @ value",
                "return weights @ key",
                "You average the keys: the second third of qkv_proj's output serves as the value too. "
                "The values are the last third.",
            ),
            (
                "value-is-x",
                "return weights @ value",
                "return weights @ x",
                "You average the tokens themselves. The values are the last third of qkv_proj's output.",
            ),
            (
                "query-is-the-key-too",
                "query @ key.transpose(-2, -1)",
                "query @ query.transpose(-2, -1)",
                "You compare the queries with each other. The keys are the second third of qkv_proj's "
                "output: query @ key.mT.",
            ),
            (
                "residual-added",
                "return weights @ value",
                "return x + weights @ value",
                "You add x to the result. The residual connection belongs to the block around the attention.",
            ),
            (
                "causal",
                "weights = torch.softmax(scores, dim=-1)",
                "future = torch.ones_like(scores).triu(1).bool()\n"
                "        weights = torch.softmax(scores.masked_fill(future, -math.inf), dim=-1)",
                "Your attention is causal. There is no mask here: every token attends to all, those behind "
                "it too.",
            ),
            (
                "scale-by-the-length",
                "math.sqrt(query.shape[-1])",
                "math.sqrt(query.shape[1])",
                "You divide the scores by the root of the number of tokens (shape[1]). A score is a sum over "
                "the query's features: divide by sqrt(hidden_size), shape[-1].",
            ),
            (
                "result-in-float32",
                "qkv = self.qkv_proj(x)",
                "qkv = self.qkv_proj(x).float()",
                "You return float32 for float64. Do not convert: the result has the dtype of x.",
            ),
        ]
    ),
    attention_mistakes.RESULT_SQUEEZED,
    lone_token_mistakes.given_back("qkv = self.qkv_proj(x)", "its value, the last third of qkv_proj(x)"),
    layout_mistakes.fused_transposed(),
]
