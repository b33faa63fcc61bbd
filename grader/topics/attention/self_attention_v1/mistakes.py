"""Known wrong versions of `self_attention_v1`."""

from grader.kit import Mistake
from grader.kit.families import instance_mistakes
from grader.kit.families.attention.mistakes import (
    attention_mistakes,
    layout_mistakes,
    lone_token_mistakes,
    score_mistakes,
)

MISTAKES = [
    score_mistakes.scale_missing("scores = scores / math.sqrt(query.shape[-1])"),
    *score_mistakes.other_scales("scores", "query.shape[-1]"),
    score_mistakes.bias_not_scaled("scores = scores / math.sqrt(query.shape[-1])", "math.sqrt(x.shape[-1])"),
    Mistake(
        "key-without-a-bias",
        find="self.k_proj = nn.Linear(hidden_size, hidden_size)",
        replace="self.k_proj = nn.Linear(hidden_size, hidden_size, bias=False)",
        says="Your k_proj has no bias. It changes nothing of the result (it adds the same to all scores of a "
        "query), but the exercise asks for one: whoever loads weights has it among them.",
    ),
    Mistake(
        "scale-by-sequence-length",
        find="math.sqrt(query.shape[-1])",
        replace="math.sqrt(query.shape[1])",
        says="You divide the scores by the root of the sequence length. Each score is a sum over the "
        "features, so divide by sqrt(hidden_size), the size of the last dimension of x.",
    ),
    Mistake(
        "scaled-after-softmax",
        find="""\
        scores = scores / math.sqrt(query.shape[-1])
        weights = torch.softmax(scores, dim=-1)  # each query's weights sum to 1""",
        replace="        weights = torch.softmax(scores, dim=-1) / math.sqrt(query.shape[-1])",
        says="You scale the weights after the softmax, so that they no longer sum to 1. Scale the scores, "
        "before the softmax: it is meant to keep the softmax from saturating.",
    ),
    Mistake(
        "softmax-missing",
        find="torch.softmax(scores, dim=-1)",
        replace="scores",
        says="You use the scores themselves as weights. The softmax over the keys makes each query's "
        "weights positive, with a sum of 1; without it this is linear attention without a norm.",
    ),
    score_mistakes.softmax_over_queries("(batch, seq, seq)"),
    score_mistakes.SOFTMAX_WITHOUT_DIM,
    score_mistakes.SCORE_OF_ZERO_ADDED,
    score_mistakes.SOFTMAX_OVERFLOWS,
    score_mistakes.largest_of_all_subtracted(),
    score_mistakes.MAXIMUM_NOT_BELOW_ZERO,
    *score_mistakes.underflow_hidden()[::2],  # the one between gives the same here
    score_mistakes.clamped("scores / math.sqrt(query.shape[-1])"),
    score_mistakes.QUERY_AND_KEY_SWAPPED,
    score_mistakes.KEY_RESHAPED,
    score_mistakes.WEIGHTS_TRANSPOSED,
    Mistake(
        "value-not-projected",
        find="value = self.v_proj(x)",
        replace="value = x",
        says="You average the tokens themselves. The values are v_proj(x): what a token passes on is "
        "projected, too. Your v_proj never gets a gradient.",
    ),
    *(
        Mistake(
            f"{name}s-of-the-sequence-before",
            find=f"{name} = self.{name[0]}_proj(x)",
            replace=f"{name} = self.{name[0]}_proj(torch.cat((x[:1], x[:-1])))",
            says=f"From the second sequence of a batch on, your queries meet the {name}s of the one before "
            "(a loop over the batch projects them a line too late, for example). Each sequence attends to "
            "its own tokens; a matrix product takes all sequences at once, without a loop.",
        )
        for name in ("key", "value")
    ),
    attention_mistakes.value_from_key(),
    attention_mistakes.value_projected_twice("x", "k_proj"),
    attention_mistakes.value_projected_twice("x", "q_proj"),
    attention_mistakes.key_and_value_swapped(),
    Mistake(
        "key-from-query",
        find="key = self.k_proj(x)",
        replace="key = self.q_proj(x)",
        says="Your keys come from q_proj, a slip of copying lines: k_proj is never used, and the scores "
        "are symmetric.",
    ),
    Mistake(
        "query-from-key",
        find="query = self.q_proj(x)",
        replace="query = self.k_proj(x)",
        says="Your queries come from k_proj, a slip of copying lines: q_proj is never used, and the scores "
        "are symmetric.",
    ),
    Mistake(
        "tokens-added",
        find="return weights @ value",
        replace="return x + weights @ value",
        says="You add the tokens to the result. That residual connection belongs to the block around the "
        "attention: return the weighted means of the values alone.",
    ),
    attention_mistakes.biases_left_out("""\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)"""),
    attention_mistakes.output_projection_added("        self.v_proj = nn.Linear(hidden_size, hidden_size)"),
    attention_mistakes.RESULT_SQUEEZED,
    lone_token_mistakes.given_back("query = self.q_proj(x)", "its value, v_proj(x)"),
    instance_mistakes.kept_on_the_class(
        "        self.q_proj = nn.Linear(hidden_size, hidden_size)\n",
        "the scale",
        kept="        type(self).scale = math.sqrt(hidden_size)\n"
        "        self.q_proj = nn.Linear(hidden_size, hidden_size)\n",
        also=(("math.sqrt(query.shape[-1])", "self.scale"),),
    ),
    layout_mistakes.transposed("", "self.q_proj(x)", "self.k_proj(x)", "self.v_proj(x)"),
    Mistake(
        "causal",
        find="torch.softmax(scores, dim=-1)",
        replace="torch.softmax(scores + torch.full_like(scores, -math.inf).triu(1), dim=-1)",
        says="Your attention is causal. There is no mask here: every token attends to all, those behind it "
        "too.",
    ),
]
