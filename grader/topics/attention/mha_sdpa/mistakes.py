"""Known wrong versions of `mha_sdpa`."""

from grader.kit import Mistake
from grader.kit.families import instance_mistakes
from grader.kit.families.attention.mistakes import attention_mistakes

SPLIT = """\
        query = query.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = key.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = value.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)"""


INFINITY_TIMES_ZERO = (
    "Your mask turns the results into NaN. (1 - mask) * -inf does that, for example: where the mask is 1 it "
    "is 0 * -inf, which is NaN, not 0. Hand over mask.bool(), or fill a tensor of zeros with -inf where the "
    "mask is 0."
)


MISTAKES = [
    Mistake(
        "float-mask-added",
        find="            mask = mask.bool()",
        replace="            mask = mask.to(x.dtype) if mask.is_floating_point() else mask.bool()",
        says="You hand the built-in a 0/1 mask of floats, which it adds to the scores: the keys to drop "
        "stay, and the others only get 1 more. It drops keys for a boolean mask: mask.bool() (or mask "
        "!= 0).",
    ),
    Mistake(
        "numeric-mask-added",
        find="            mask = mask.bool()",
        replace="            mask = mask if mask.dtype == torch.bool else mask.to(x.dtype)",
        also=(("import torch.nn.functional as F", "import torch\nimport torch.nn.functional as F"),),
        says="You hand a 0/1 mask of numbers to the built-in as floats, and it adds floats to the scores: "
        "the keys to drop stay, and the others only get 1 more. It drops keys for a boolean mask: "
        "mask.bool() (or mask != 0), whatever the dtype is.",
    ),
    Mistake(
        "every-mask-added",
        find="            mask = mask.bool()",
        replace="            mask = mask.to(x.dtype)",
        says="You turn the mask into floats, True into 1.0, and the built-in adds floats to the scores: no "
        "key is dropped. It drops keys for a boolean mask: hand over mask.bool() (or mask != 0).",
    ),
    Mistake(
        "mask-as-it-is",
        find="            mask = mask.bool()",
        replace="            pass",
        says="You hand the mask on as it is. The built-in adds a mask of float32 or of x's dtype to the "
        "scores instead of dropping keys, and refuses other numbers. Make it boolean first: mask.bool() (or "
        "mask != 0).",
    ),
    Mistake(
        "float-mask-ignored",
        find="            mask = mask.bool()",
        replace="            mask = None if mask.is_floating_point() else mask.bool()",
        says="You ignore a mask of floats. A mask of 0 and 1 in any dtype says which keys to keep: "
        "mask.bool() (or mask != 0) reads them all.",
    ),
    Mistake(
        "truth-of-a-mask",
        find="        if mask is not None:",
        replace="        if mask:",
        says="You ask whether the mask is true. A tensor of several elements has no truth value: ask whether "
        "there is one, mask is not None.",
    ),
    Mistake(
        "mask-overwritten",
        find="            mask = mask.bool()",
        replace="""\
            dropped = mask == 0
            mask = mask.to(x.dtype)
            mask[dropped] = float("-inf")""",
        says="You write -inf into the caller's mask: .to(dtype) returns the same tensor when the dtype is "
        "right already. Make a new one (masked_fill without underscore), or hand over mask.bool().",
    ),
    Mistake(
        "infinity-times-zero",
        find="            mask = mask.bool()",
        replace='            mask = (1 - mask.to(x.dtype)) * float("-inf")',
        says=INFINITY_TIMES_ZERO,
    ),
    Mistake(
        "infinity-times-zero-in-numeric-masks",
        find="            mask = mask.bool()",
        replace="""\
            if mask.dtype != torch.bool:
                mask = (1 - mask.to(x.dtype)) * float("-inf")""",
        also=(("import torch.nn.functional as F", "import torch\nimport torch.nn.functional as F"),),
        says=INFINITY_TIMES_ZERO,
    ),
    Mistake(
        "mask-inverted",
        find="            mask = mask.bool()",
        replace="            mask = ~mask.bool()",
        says="You hand over the mask the wrong way round. In nn.MultiheadAttention True means ignored, but "
        "in F.scaled_dot_product_attention, and here, True means that the key may be attended to.",
    ),
    Mistake(
        "mask-ignored",
        find="attn_mask=mask, ",
        replace="",
        says="You never use the mask. Hand it to the built-in as attn_mask, as a boolean tensor.",
    ),
    Mistake(
        "dropout-in-evaluation",
        find="dropout_p = self.dropout if self.training else 0.0",
        replace="dropout_p = self.dropout",
        says="You drop weights in evaluation too. F.scaled_dot_product_attention is a function and knows no "
        "modes: it drops whenever dropout_p is above 0. Pass self.dropout if self.training else 0.0.",
    ),
    Mistake(
        "dropout-missing",
        find="dropout_p = self.dropout if self.training else 0.0",
        replace="dropout_p = 0.0",
        says="You never drop anything. In training pass the probability to the built-in, as dropout_p.",
    ),
    Mistake(
        "dropout-on-the-context",
        find="query, key, value, attn_mask=mask, dropout_p=dropout_p, is_causal=is_causal\n        )",
        replace="query, key, value, attn_mask=mask, is_causal=is_causal\n        )\n"
        "        context = F.dropout(context, dropout_p)",
        says="You drop entries of the result instead of attention weights. Between softmax and values only "
        "the built-in itself can drop: pass it the probability as dropout_p.",
    ),
    Mistake(
        "dropout-inverted",
        find="self.dropout if self.training else 0.0",
        replace="0.0 if self.training else self.dropout",
        says="You drop in evaluation and not in training: the two are exchanged. dropout_p is self.dropout "
        "if self.training else 0.0.",
    ),
    Mistake(
        "causal-ignored",
        find=", is_causal=is_causal",
        replace="",
        says="You never use is_causal, so tokens see what comes after them. Hand it on to the built-in.",
    ),
    Mistake(
        "causal-by-default",
        find="is_causal=is_causal",
        replace="is_causal=mask is None",
        says="Without a mask your attention is always causal, as in a decoder's code. Here is_causal "
        "decides, and its default is False: every token sees all tokens.",
    ),
    Mistake(
        "scaled-twice",
        find="        if mask is not None:",
        replace="        query = query / self.head_dim**0.5\n        if mask is not None:",
        says="You divide the query by sqrt(head_dim), and the built-in divides the scores by it once more. "
        "It scales by itself: leave it out, or pass scale=1.0.",
    ),
    Mistake(
        "scale-by-hidden-size",
        find="is_causal=is_causal\n",
        replace="is_causal=is_causal, scale=hidden_size**-0.5\n",
        says="You scale by 1 / sqrt(hidden_size). A head's dot product has head_dim terms: 1 / "
        "sqrt(head_dim), which is the built-in's default.",
    ),
    Mistake(
        "scale-by-the-number-of-heads",
        find="is_causal=is_causal\n",
        replace="is_causal=is_causal, scale=query.shape[1] ** -0.5\n",
        says="You scale by 1 / sqrt(num_heads), for example by another axis's size. A head's dot product has "
        "head_dim terms: 1 / sqrt(head_dim), which is the built-in's default.",
    ),
    Mistake(
        "parts-in-another-order",
        find="query, key, value = self.qkv_proj(x)",
        replace="key, query, value = self.qkv_proj(x)",
        says="You read the projection as key, query, value. Its output is query, key, value, in this order.",
    ),
    Mistake(
        "values-first",
        find="query, key, value = self.qkv_proj(x)",
        replace="value, key, query = self.qkv_proj(x)",
        says="You read the projection as value, key, query. Its output is query, key, value, in this order.",
    ),
    Mistake(
        "projection-cut-by-heads-first",
        find="""\
        query, key, value = self.qkv_proj(x).chunk(3, dim=-1)  # each (batch, seq, hidden_size)
        query = query.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = key.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = value.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)""",
        replace="""\
        qkv = self.qkv_proj(x).view(batch, seq, self.num_heads, 3 * self.head_dim).transpose(1, 2)
        query, key, value = qkv.chunk(3, dim=-1)""",
        says="You cut the projection into heads first and each head into query, key and value. Its output is "
        "the whole query, then the whole key, then the whole value: cut it in three first, then into heads.",
    ),
    Mistake(
        "head-dim-before-heads",
        find=SPLIT,
        replace="""\
        query = query.view(batch, seq, self.head_dim, self.num_heads).permute(0, 3, 1, 2)
        key = key.view(batch, seq, self.head_dim, self.num_heads).permute(0, 3, 1, 2)
        value = value.view(batch, seq, self.head_dim, self.num_heads).permute(0, 3, 1, 2)""",
        says="You split the features as (head_dim, num_heads), so head i gets every num_heads-th feature. "
        "Head i owns head_dim neighbouring ones: split as (num_heads, head_dim).",
    ),
    Mistake(
        "heads-split-without-transpose",
        find=SPLIT,
        replace="""\
        query = query.reshape(batch, self.num_heads, seq, self.head_dim)
        key = key.reshape(batch, self.num_heads, seq, self.head_dim)
        value = value.reshape(batch, self.num_heads, seq, self.head_dim)""",
        says="You reshape directly to (batch, num_heads, seq, head_dim), which mixes features of different "
        "tokens. Split the last dimension, (batch, seq, num_heads, head_dim), and then transpose(1, 2).",
    ),
    Mistake(
        "heads-never-transposed",
        find=SPLIT,
        replace="""\
        query = query.reshape(batch, self.num_heads, seq, self.head_dim)
        key = key.reshape(batch, self.num_heads, seq, self.head_dim)
        value = value.reshape(batch, self.num_heads, seq, self.head_dim)""",
        also=(("context.transpose(1, 2).reshape(", "context.reshape("),),
        says="You reshape directly to (batch, num_heads, seq, head_dim), and the results directly back. The "
        "shapes are right, but a row of a head then holds features of other tokens and heads. Split the "
        "last dimension, (batch, seq, num_heads, head_dim), and then transpose(1, 2); before you merge the "
        "heads, transpose(1, 2) again.",
    ),
    Mistake(
        "attention-over-heads",
        find="""\
        query = query.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = key.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = value.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
""",
        replace="""\
        query = query.view(batch, seq, self.num_heads, self.head_dim)
        key = key.view(batch, seq, self.num_heads, self.head_dim)
        value = value.view(batch, seq, self.num_heads, self.head_dim)
""",
        says="You hand over (batch, seq, num_heads, head_dim). The built-in attends over the last but one "
        "dimension, so your heads attend to each other within a token: transpose(1, 2) first.",
    ),
    attention_mistakes.heads_interleaved_and_merged_alike(SPLIT),
    attention_mistakes.heads_merged_interleaved(),
    attention_mistakes.heads_merged_without_transpose(),
    attention_mistakes.heads_split_and_merged_without_transpose(SPLIT),
    Mistake(
        "one-head",
        find=SPLIT,
        replace="        query, key, value = (part.unsqueeze(1) for part in (query, key, value))",
        says="You attend with all features at once, which is one head of hidden_size features. Split query, "
        "key and value into num_heads heads of head_dim features before the call.",
    ),
    attention_mistakes.output_projection_forgotten(),
    attention_mistakes.biases_left_out("""\
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)"""),
    Mistake(
        "attention-written-out",
        find="""\
        context = F.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, dropout_p=dropout_p, is_causal=is_causal
        )  # (batch, num_heads, seq, head_dim)""",
        replace="""\
        scores = query @ key.transpose(-2, -1) / self.head_dim**0.5
        if is_causal:
            mask = scores.new_ones(seq, seq).tril().bool()
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        context = F.dropout(scores.softmax(dim=-1), dropout_p) @ value""",
        says="You compute the attention yourself, with a matrix of all scores. That is right, and topic mha: "
        "here F.scaled_dot_product_attention has to do it, which never writes that matrix to memory.",
    ),
    Mistake(
        "written-out-when-masked",
        find="""\
        context = F.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, dropout_p=dropout_p, is_causal=is_causal
        )  # (batch, num_heads, seq, head_dim)""",
        replace="""\
        if mask is None:
            context = F.scaled_dot_product_attention(
                query, key, value, dropout_p=dropout_p, is_causal=is_causal
            )
        else:
            scores = query @ key.transpose(-2, -1) / self.head_dim**0.5
            scores = scores.masked_fill(~mask, float("-inf"))
            context = F.dropout(scores.softmax(dim=-1), dropout_p) @ value""",
        says="With a mask you compute the attention yourself, and the matrix of all scores is back. "
        "F.scaled_dot_product_attention takes a mask too: hand it over as attn_mask, as a boolean tensor.",
    ),
    attention_mistakes.DIVISIBILITY_UNCHECKED,
    instance_mistakes.kept_on_the_class("        self.num_heads = num_heads\n", "the number of heads"),
]
