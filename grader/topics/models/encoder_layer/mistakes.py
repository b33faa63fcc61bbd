"""Known wrong versions of `encoder_layer`: residual paths, norms, the network; of the attention elsewhere."""

from grader.kit import Mistake
from grader.kit.families.feedforward import (
    ACTIVATION_IGNORED,
    GELU_BY_DEFAULT,
    UNKNOWN_ACTIVATION_ACCEPTED,
    UNKNOWN_ACTIVATION_IS_A_KEY_ERROR,
)
from grader.kit.families.models import mistakes as shared
from grader.kit.families.models.norms_by_hand import norms_by_hand

PRE = """\
            x = x + self.dropout(self._attention(self.norm1(x), mask))
            return x + self.dropout(self._feed_forward(self.norm2(x)))"""

POST = """\
        x = self.norm1(x + self.dropout(self._attention(x, mask)))
        return self.norm2(x + self.dropout(self._feed_forward(x)))"""


MISTAKES = [
    shared.NORM_FIRST_IGNORED,
    shared.ALWAYS_PRE_NORM,
    shared.ORDERS_EXCHANGED,
    Mistake(
        "residual-after-the-norm",
        find=PRE,
        replace="""\
            x = self.norm1(x)
            x = x + self.dropout(self._attention(x, mask))
            x = self.norm2(x)
            return x + self.dropout(self._feed_forward(x))""",
        says="With pre-norm you overwrite x by its norm, and add the part to that. Then the residual path "
        "runs through the norms again: only the part reads the norm, x + attention(norm1(x)).",
    ),
    Mistake(
        "residual-added-in-place",
        find="            x = x + self.dropout(self._attention(self.norm1(x), mask))",
        replace="            x += self.dropout(self._attention(self.norm1(x), mask))",
        says="With pre-norm you add to x in place, x += …, which writes to the caller's tensor. Make a new "
        "one: x = x + ….",
    ),
    Mistake(
        "pre-norm-normalizes-the-result-too",
        find="            return x + self.dropout(self._feed_forward(self.norm2(x)))",
        replace="            return self.norm2(x + self.dropout(self._feed_forward(self.norm2(x))))",
        says="With pre-norm you normalize the result of the layer as well. The norm after the last layer "
        "belongs to the model, not to each layer: return h + feed_forward(norm2(h)).",
    ),
    Mistake(
        "norm-of-the-part-alone",
        find=POST,
        replace="""\
        x = x + self.dropout(self.norm1(self._attention(x, mask)))
        return x + self.dropout(self.norm2(self._feed_forward(x)))""",
        says="With post-norm you normalize what a part gives, before it is added: x + norm1(attention(x)). "
        "The sum is normalized: norm1(x + attention(x)).",
    ),
    Mistake(
        "attention-without-residual",
        find=POST,
        replace=POST.replace("x + self.dropout(self._attention", "self.dropout(self._attention"),
        also=(
            (
                "            x = x + self.dropout(self._attention(self.norm1(x), mask))",
                "            x = self.dropout(self._attention(self.norm1(x), mask))",
            ),
        ),
        says="You leave out the residual connection around the attention: a token's own features reach the "
        "next part only as far as attention passes them on. Add x to what attention gives.",
    ),
    Mistake(
        "feed-forward-without-residual",
        find=POST,
        replace=POST.replace("x + self.dropout(self._feed_forward", "self.dropout(self._feed_forward"),
        also=(
            (
                "            return x + self.dropout(self._feed_forward(self.norm2(x)))",
                "            return self.dropout(self._feed_forward(self.norm2(x)))",
            ),
        ),
        says="You leave out the residual connection around the feed-forward network: what attention found "
        "is lost but for what the network makes of it. Add its input to what it gives.",
    ),
    Mistake(
        "second-residual-from-the-input",
        find=POST,
        replace="""\
        h = self.norm1(x + self.dropout(self._attention(x, mask)))
        return self.norm2(x + self.dropout(self._feed_forward(h)))""",
        also=(
            (
                PRE,
                """\
            h = x + self.dropout(self._attention(self.norm1(x), mask))
            return x + self.dropout(self._feed_forward(self.norm2(h)))""",
            ),
        ),
        says="Around the feed-forward network you add the input of the layer again. Its residual connection "
        "carries what the attention part gave, h: h + feed_forward(…).",
    ),
    Mistake(
        "parts-side-by-side",
        find=POST,
        replace="""\
        h = self.norm1(x + self.dropout(self._attention(x, mask)))
        return self.norm2(h + self.dropout(self._feed_forward(x)))""",
        also=(
            (
                PRE,
                """\
            h = x + self.dropout(self._attention(self.norm1(x), mask))
            return h + self.dropout(self._feed_forward(self.norm2(x)))""",
            ),
        ),
        says="Your feed-forward network reads the input of the layer. Some models do compute the two parts "
        "side by side, but here the network reads what the attention part gave.",
    ),
    Mistake(
        "norms-exchanged",
        find=POST,
        replace=POST.replace("norm1", "norm0").replace("norm2", "norm1").replace("norm0", "norm2"),
        also=((PRE, PRE.replace("norm1", "norm0").replace("norm2", "norm1").replace("norm0", "norm2")),),
        says="You use norm2 at the attention and norm1 at the feed-forward network. It is the other way "
        "round, in the order of the parts.",
    ),
    Mistake(
        "one-norm-for-both",
        find=POST,
        replace=POST.replace("norm2", "norm1"),
        also=(("self._feed_forward(self.norm2(x))", "self._feed_forward(self.norm1(x))"),),
        says="You use norm1 in both places, so norm2 never gets a gradient. Each part has a norm of its own.",
    ),
    Mistake(
        "eps-1e-12",
        find="        self.norm1 = nn.LayerNorm(hidden_size)\n        self.norm2 = nn.LayerNorm(hidden_size)",
        replace="""\
        self.norm1 = nn.LayerNorm(hidden_size, eps=1e-12)
        self.norm2 = nn.LayerNorm(hidden_size, eps=1e-12)""",
        says="Your norms add 1e-12 to the variance, as BERT's do, or nothing at all. Here eps is 1e-5, "
        "nn.LayerNorm's default.",
    ),
    Mistake(
        "eps-1e-6",
        find="        self.norm1 = nn.LayerNorm(hidden_size)\n        self.norm2 = nn.LayerNorm(hidden_size)",
        replace="""\
        self.norm1 = nn.LayerNorm(hidden_size, eps=1e-6)
        self.norm2 = nn.LayerNorm(hidden_size, eps=1e-6)""",
        says="Your norms add 1e-6 to the variance, as those of other models do. Here eps is 1e-5, "
        "nn.LayerNorm's default.",
    ),
    *norms_by_hand("EncoderLayer", "norm1", "norm2"),
    shared.ACTIVATION_MISSING,
    Mistake(
        "activation-on-the-output",
        find=shared.ACTIVATED,
        replace="hidden = self.up_proj(x)",
        also=(
            (
                "return self.down_proj(self.dropout(hidden))",
                "return self.activation(self.down_proj(self.dropout(hidden)))",
            ),
        ),
        says="You activate after down_proj. The activation stands between up_proj and down_proj; what is "
        "added to the residual path has none, so that it can lower features too.",
    ),
    ACTIVATION_IGNORED,
    GELU_BY_DEFAULT,
    shared.GELU_BY_TANH,
    *shared.WRONG_GELUS,
    UNKNOWN_ACTIVATION_ACCEPTED,
    UNKNOWN_ACTIVATION_IS_A_KEY_ERROR,
    shared.dropout_in_evaluation("self.dropout.p"),
    shared.dropout_missing("        if activation not in _ACTIVATIONS:\n"),
    shared.DROPOUT_BY_DEFAULT,
]
