"""Known wrong versions of `embedding`."""

from grader.kit import Mistake
from grader.kit.families import instance_mistakes

_ADD = "    grad_weight.index_add_(0, token_ids.reshape(-1), grad_output.reshape(-1, embedding_dim))"
_ZEROS = "    grad_weight = grad_output.new_zeros(num_embeddings, embedding_dim)"
_BACKWARD_PADDING = "    padding_idx = _row(padding_idx, num_embeddings)"
_OWN = "        self.padding_idx = _row(padding_idx, num_embeddings)"
_RANDN = "        weight = torch.randn(num_embeddings, embedding_dim)"
_START = "            weight[self.padding_idx] = 0"
_ROWS = "        rows = self.weight[token_ids]  # (..., embedding_dim)"
_WHERE = "        return torch.where(is_padding, rows.detach(), rows)"
_RANGE = "    if not -num_embeddings <= padding_idx < num_embeddings:"

MISTAKES = [
    Mistake(
        "repeated-ids-overwrite",
        find=_ADD,
        replace="    grad_weight[token_ids] = grad_output",
        says="Of an id that occurs several times only one row counts in your embedding_backward: grad[ids] "
        "= rows, and grad[ids] += rows too, writes each row once. Use index_add_, scatter_add_, index_put_ "
        "with accumulate=True, or a loop.",
    ),
    Mistake(
        "repeated-ids-averaged",
        find=_ADD,
        replace=_ADD
        + "\n    counts = token_ids.reshape(-1).bincount(minlength=num_embeddings)"
        + "\n    grad_weight /= counts.clamp(min=1)[:, None]",
        says="You average the rows of an id that occurs several times. They add up.",
    ),
    Mistake(
        "padding-0-taken-for-none",
        find=_OWN,
        replace="        self.padding_idx = _row(padding_idx, num_embeddings) if padding_idx else None",
        says="Your Embedding takes padding_idx = 0 for no padding: `if padding_idx:` is False for 0. Ask "
        "whether it is None; row 0 is the usual place of padding.",
    ),
    Mistake(
        "padding-0-taken-for-none-backwards",
        find=_BACKWARD_PADDING,
        replace="    padding_idx = _row(padding_idx, num_embeddings) if padding_idx else None",
        says="Your embedding_backward takes padding_idx = 0 for no padding: `if padding_idx:` is False for "
        "0. Ask whether it is None.",
    ),
    Mistake(
        "padding-0-taken-for-none-everywhere",
        find="    if padding_idx is None:\n        return None",
        replace="    if not padding_idx:\n        return None",
        says="You take padding_idx = 0 for no padding, in embedding_backward and in the module alike: `if "
        "padding_idx:` is False for 0. Ask whether it is None; row 0 is the usual place of padding.",
    ),
    Mistake(
        "padding-gets-a-gradient",
        find=_WHERE,
        replace="        return rows",
        says="The padding's row gets a gradient from your forward, so the first step of the optimizer fills "
        "it. Take its rows out of the graph (torch.where with rows.detach()), or zero its gradient in a "
        "hook.",
    ),
    Mistake(
        "padding-masked-to-zero",
        find=_WHERE,
        replace="        return rows.masked_fill(is_padding, 0)",
        says="Your forward gives zeros for padding. It starts at zeros, but forward gives the row as it is, "
        "also if something else has been written into it.",
    ),
    Mistake(
        "padding-zeroed-at-every-call",
        find=_ROWS,
        replace="""\
        if self.padding_idx is not None:
            with torch.no_grad():
                self.weight[self.padding_idx] = 0
        rows = self.weight[token_ids]""",
        says="Your forward writes zeros into the padding's row. It starts at zeros, but what somebody has "
        "written into it afterwards is given as it is, and stays.",
    ),
    Mistake(
        "padding-not-zeroed-at-the-start",
        find=_START,
        replace="            pass",
        says="The padding's row is drawn like the others. It starts at zeros.",
    ),
    Mistake(
        "negative-padding-as-it-is",
        find=_OWN,
        replace="        _row(padding_idx, num_embeddings)\n        self.padding_idx = padding_idx",
        says="You compare ids with a negative padding_idx as it is, so none is ever equal and its row gets "
        "a gradient. Count from the end: padding_idx + num_embeddings.",
    ),
    Mistake(
        "padding-compared-with-0",
        find="(token_ids == self.padding_idx)",
        replace="(token_ids == 0)",
        says="Your forward takes id 0 for padding whatever padding_idx is, so row 0 gets no gradient and "
        "the padding's row gets one.",
    ),
    Mistake(
        "rows-scaled",
        find=_ROWS,
        replace="        rows = self.weight[token_ids] * self.weight.shape[1] ** 0.5",
        says="You multiply the rows by sqrt(embedding_dim), as the Transformer's paper does when it reads "
        "its embeddings. Asked for are the rows as they are.",
    ),
    Mistake(
        "ids-iterated-over",
        find=_ROWS,
        replace="        rows = torch.stack([self.weight[each] for each in token_ids])",
        says="You iterate over the ids, which a tensor without dimensions does not allow; and of no rows at "
        "all none can be stacked. Index with the tensor: weight[token_ids] takes any shape.",
    ),
    Mistake(
        "padding-ignored",
        find=_OWN,
        replace="        _row(padding_idx, num_embeddings)\n        self.padding_idx = None",
        says="Your Embedding ignores padding_idx: its row should start at zeros and get no gradient.",
    ),
    Mistake(
        "padding-ignored-backwards",
        find=_BACKWARD_PADDING,
        replace="    padding_idx = None",
        says="Your embedding_backward ignores padding_idx. The padding's row of the gradient is zeros.",
    ),
    Mistake(
        "negative-padding-ignored-backwards",
        find=_BACKWARD_PADDING,
        replace="    padding_idx = None if padding_idx is None or padding_idx < 0 else padding_idx",
        says="Your embedding_backward ignores a negative padding_idx (it compares ids with it as it is, for "
        "example). It counts from the end: padding_idx + num_embeddings.",
    ),
    Mistake(
        "padding-anywhere-accepted",
        find=_RANGE,
        replace="    if False:",
        says="You accept a padding_idx that is no row. Outside of [-num_embeddings, num_embeddings) a "
        "ValueError is asked for.",
    ),
    Mistake(
        "padding-behind-the-end-accepted",
        find=_RANGE,
        replace="    if not -num_embeddings <= padding_idx <= num_embeddings:",
        says="You accept padding_idx = num_embeddings. Rows are numbered up to num_embeddings - 1.",
    ),
    Mistake(
        "padding-below-the-start-accepted",
        find=_RANGE,
        replace="    if padding_idx >= num_embeddings:",
        says="You accept any negative padding_idx. Counted from the end, the first row is -num_embeddings; "
        "below that a ValueError is asked for.",
    ),
    Mistake(
        "padding-outside-raises-indexerror",
        find=_RANGE,
        replace="    range(num_embeddings)[padding_idx]\n    if False:",
        says="For a padding_idx that is no row you let indexing raise its IndexError. A ValueError (or "
        "AssertionError) is asked for.",
    ),
    Mistake(
        "negative-padding-refused",
        find=_RANGE,
        replace="    if not 0 <= padding_idx < num_embeddings:",
        says="You refuse a negative padding_idx. Down to -num_embeddings it counts from the end.",
    ),
    Mistake(
        "started-with-two-hundredths",
        find=_RANDN,
        replace="        weight = torch.randn(num_embeddings, embedding_dim) * 0.02",
        says="You start with the standard deviation 0.02, as BERT and GPT-2 do. Asked for is what "
        "nn.Embedding has: N(0, 1).",
    ),
    Mistake(
        "started-uniformly",
        find=_RANDN,
        replace="        weight = torch.rand(num_embeddings, embedding_dim)",
        says="You start with torch.rand: evenly between 0 and 1. Asked for is N(0, 1): torch.randn.",
    ),
    Mistake(
        "started-between-minus-one-and-one",
        find=_RANDN,
        replace="        weight = torch.empty(num_embeddings, embedding_dim).uniform_(-1, 1)",
        says="You start evenly between -1 and 1. Asked for is N(0, 1): torch.randn.",
    ),
    Mistake(
        "started-with-xavier",
        find=_RANDN,
        replace="        weight = nn.init.xavier_uniform_(torch.empty(num_embeddings, embedding_dim))",
        says="You start as Xavier does. An embedding sums nothing up, so there is no fan to divide by: N(0, "
        "1).",
    ),
    Mistake(
        "started-divided-by-the-root",
        find=_RANDN,
        replace="        weight = torch.randn(num_embeddings, embedding_dim) / embedding_dim**0.5",
        says="You divide the start by sqrt(embedding_dim). Asked for is what nn.Embedding has: N(0, 1).",
    ),
    Mistake(
        "started-at-zero",
        find=_RANDN,
        replace="        weight = torch.zeros(num_embeddings, embedding_dim)",
        says="All your rows start at zero, so all ids look alike, until their gradients differ. Draw from "
        "N(0, 1).",
    ),
    Mistake(
        "weight-without-gradient",
        find=_ROWS,
        replace="        rows = self.weight.data[token_ids]",
        says="No gradient reaches the weight (.data, detach, no_grad or .item() in forward, say), so it "
        "never learns. Only the padding's row gets none.",
    ),
    Mistake(
        "mask-along-the-features",
        find=_WHERE,
        replace="""\
        if token_ids.shape[-1:] == rows.shape[-1:]:
            is_padding = is_padding.squeeze(-1)
        return torch.where(is_padding, rows.detach(), rows)""",
        says="Your mask of the padding is (...) without a dimension for the features, so it is laid along "
        "them where sizes happen to fit. Add one: unsqueeze(-1).",
    ),
    Mistake(
        "ids-of-int32-refused",
        find=_ROWS,
        replace="""\
        one_hot = nn.functional.one_hot(token_ids, self.weight.shape[0])
        rows = one_hot.to(self.weight.dtype) @ self.weight""",
        says="int32 ids raise: one_hot wants int64. Convert with .long(), or index, which takes both.",
    ),
    Mistake(
        "ids-of-int32-refused-backwards",
        find=_ADD,
        replace="""\
    one_hot = nn.functional.one_hot(token_ids.reshape(-1), num_embeddings).to(grad_output.dtype)
    grad_weight = one_hot.T @ grad_output.reshape(-1, embedding_dim)""",
        says="int32 ids raise in embedding_backward: one_hot wants int64. Convert with .long(), or use "
        "index_add_, which takes both.",
    ),
    Mistake(
        "view-of-any-layout",
        find="token_ids.reshape(-1)",
        replace="token_ids.view(-1)",
        also=(("grad_output.reshape(-1, embedding_dim)", "grad_output.view(-1, embedding_dim)"),),
        says="You flatten with view, which raises for a tensor that is not contiguous (a transposed one). "
        "Use reshape.",
    ),
    Mistake(
        "gradient-in-float32",
        find=_ZEROS,
        replace="    grad_weight = torch.zeros(num_embeddings, embedding_dim, device=grad_output.device)",
        also=((_ADD, _ADD.replace("embedding_dim))", "embedding_dim).float())")),),
        says="embedding_backward gives float32 whatever came. The gradient has the dtype of grad_output: "
        "grad_output.new_zeros.",
    ),
    Mistake(
        "gradient-in-the-default-dtype",
        find=_ZEROS,
        replace="    grad_weight = torch.zeros(num_embeddings, embedding_dim, device=grad_output.device)",
        says="You make the gradient in the default dtype, float32; float64 rows cannot be added to that. It "
        "has the dtype of grad_output: grad_output.new_zeros.",
    ),
    Mistake(
        "gradient-on-the-default-device",
        find=_ZEROS,
        replace="    grad_weight = torch.zeros(num_embeddings, embedding_dim, dtype=grad_output.dtype)",
        says="You make the gradient on the default device, which may be another one than grad_output's. Use "
        "grad_output.new_zeros, or device=grad_output.device.",
    ),
    instance_mistakes.kept_on_the_class(_OWN + "\n", "padding_idx"),
]
