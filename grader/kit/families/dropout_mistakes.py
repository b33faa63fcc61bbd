"""Mistakes with dropout that several topics share. The solutions apply it as `self.dropout(…)`. The functions
are for whatever is dropped, the constants for attention weights.
"""

from dataclasses import replace

from grader.kit.mistakes import Mistake

_APPLIED = "        weights = self.dropout(weights)\n"


def missing(dropped: str, *, line: str, without: str, right: str) -> Mistake:
    """`dropped`: the name of what is dropped; `line`: the one that does it; `without`: what stands there
    instead; `right`: what to do."""
    return Mistake(
        "dropout-missing",
        find=line,
        replace=without,
        says=f"You never apply the dropout (or throw its result away: self.dropout({dropped}) returns a new "
        f"tensor). {right}.",
    )


def in_evaluation(dropped: str) -> Mistake:
    """`dropped`: the name of what is dropped."""
    return Mistake(
        "dropout-in-evaluation",
        find=f"self.dropout({dropped})",
        replace=f"nn.functional.dropout({dropped}, self.dropout.p)",
        says="Your dropout also acts in evaluation. F.dropout, for example, has training=True by default: "
        "use an nn.Dropout module, or pass training=self.training.",
    )


def keeps_that_share(dropped: str) -> Mistake:
    """`dropped`: a word for one of what is dropped."""
    return Mistake(
        "dropout-keeps-that-share",
        find="nn.Dropout(dropout)",
        replace="nn.Dropout(1 - dropout)",
        says=f"You take dropout as the probability of keeping {dropped}. It is the probability of dropping "
        "one, as in nn.Dropout, so the default of 0.0 drops nothing.",
    )


def same_in_every_call(dropped: str, line: str, *, also: tuple[tuple[str, str], ...] = ()) -> Mistake:
    """`dropped`: a word for what is dropped; `line`: the one that does it. With `also` there is torch."""
    return Mistake(
        "same-dropped-in-every-call",
        find=line,
        replace=f"        with torch.random.fork_rng():\n            torch.manual_seed(0)\n    {line}",
        also=also,
        says=f"In training every call drops the same {dropped}: for example, the mask is drawn after a seed "
        "is set, by a generator that is seeded anew in each call, or once and then kept. Draw a new mask "
        "in each call, from where the generator is, as nn.Dropout does.",
    )


def same_in_every_module(dropped: str, line: str, *, also: tuple[tuple[str, str], ...] = ()) -> Mistake:
    """`dropped`: a word for what is dropped; `line`: the one that does it, `return self.dropout(…)`. With
    `also` there is torch."""
    value = line.strip().removeprefix("return self.dropout(").removesuffix(")")
    return Mistake(
        "same-dropped-in-every-module",
        find=line,
        replace=f"""\
        if not self.training or self.dropout.p == 0:
            return {value}
        if not hasattr(self, "source"):
            self.source = torch.Generator().manual_seed(torch.initial_seed())
        kept = torch.rand({value}.shape, generator=self.source) >= self.dropout.p
        return {value} * kept / (1 - self.dropout.p)""",
        also=also,
        says=f"In one program two modules drop the same {dropped}, call for call: each has a generator of "
        "its own, for example, and all of them begin with the seed of the program (torch.initial_seed()). "
        "Draw from PyTorch's global generator, as nn.Dropout does.",
    )


MISSING = missing(
    "weights",
    line=_APPLIED,
    without="",
    right="Apply it to the attention weights, after the softmax: weights = self.dropout(weights)",
)
IN_EVALUATION = in_evaluation("weights")
FUNCTIONS_DROP = (
    "F.dropout has training=True by default, and F.scaled_dot_product_attention drops whenever dropout_p is "
    "above 0. Use an nn.Dropout module, or pass the probability in training only."
)
_ALSO_THERE = f"Your dropout also acts in evaluation. {FUNCTIONS_DROP}"
FUNCTION_IN_EVALUATION = replace(IN_EVALUATION, says=_ALSO_THERE)
"""`IN_EVALUATION` for topics in which F.scaled_dot_product_attention may be used."""
KEEPS_THAT_SHARE = keeps_that_share("a weight")

NOT_RESCALED = Mistake(
    "dropout-not-rescaled",
    find="        weights = self.dropout(weights)",
    replace="""\
        if self.training:
            weights = weights * (torch.rand_like(weights) >= self.dropout.p)""",
    says="You drop weights, but leave the others as they are, so the results are too small on average in "
    "training. Divide what is kept by 1 - dropout, or use nn.Dropout, which does.",
)


def shared_by(what: str, one: str) -> Mistake:
    """`what` drop the same weights: "heads"; `one`: an index of the weights that takes one of them."""
    return Mistake(
        f"dropout-shared-by-{what.replace(',', '').replace(' ', '-')}",
        find=_APPLIED,
        replace=f"        weights = weights * self.dropout(torch.ones_like(weights[{one}]))\n",
        says=f"You draw one mask for all {what} (of a smaller shape that broadcasts, for example, or once "
        "before a loop), so they all miss the same tokens. Draw for each weight on its own.",
    )


SHARED_BY_SEQUENCES = shared_by("sequences", ":1")
SHARED_BY_QUERIES = shared_by("queries", "..., :1, :")
SHARED_BY_HEADS = shared_by("heads", ":, :1")
SHARED_BY_SEQUENCES_AND_HEADS = shared_by("sequences and heads", ":1, :1")
SHARED_BY_SEQUENCES_AND_QUERIES = shared_by("sequences and queries", ":1, ..., :1, :")
SHARED_BY_EVERYTHING = shared_by("sequences, heads and queries", ":1, :1, :1")

OF_WHOLE_QUERIES = Mistake(
    "dropout-of-whole-queries",
    find=_APPLIED,
    replace="        weights = weights * self.dropout(torch.ones_like(weights[..., :1]))\n",
    says="You draw once for each query, so all of its weights are dropped or none. Draw for each weight on "
    "its own, in the shape of the weights.",
)

BEFORE_SOFTMAX = Mistake(
    "dropout-before-softmax",
    find=_APPLIED,
    replace="",
    also=(("torch.softmax(scores, dim=-1)", "torch.softmax(self.dropout(scores), dim=-1)"),),
    says="You drop before the weights are normalised: scores before the softmax, for example. A score of 0 "
    "is no zero weight, so no key is dropped, and a masked -inf that is dropped becomes NaN. Apply the "
    "dropout after the softmax, to the weights, with nothing between it and the product with the values.",
)


def in_scores(masking: str = "        if mask is not None:\n") -> Mistake:
    """`masking`: where the scores are masked."""
    return Mistake(
        "dropout-in-scores",
        find=_APPLIED,
        replace="",
        also=((masking, f"        scores = self.dropout(scores)\n{masking}"),),
        says="You drop something before the softmax: scores, or what they are made of. A score of 0 does not "
        "mean a weight of 0, so no key is dropped. Apply the dropout after the softmax, to the weights.",
    )


IN_SCORES = in_scores()

ON_VALUES = Mistake(
    "dropout-on-values",
    find=_APPLIED,
    replace="",
    also=(("weights @ value", "weights @ self.dropout(value)"),),
    says="You drop entries of the values, so that all queries miss the same features of a token. Dropout "
    "acts on the attention weights: each query misses tokens of its own.",
)

ON_CONTEXT = Mistake(
    "dropout-on-context",
    find=_APPLIED,
    replace="",
    also=(("weights @ value", "self.dropout(weights @ value)"),),
    says="You drop single features of the weighted means. Dropout acts on the attention weights, after the "
    "softmax and before the product with the values, so that a query misses whole tokens.",
)

RENORMALISED = Mistake(
    "dropout-renormalised",
    find=_APPLIED,
    replace=f"""\
{_APPLIED}\
        weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)
""",
    says="In training, too, a query's weights add up to 1: you divide them by their sum after the dropout, "
    "for example, or drop scores by -inf before the softmax. Dropout has balanced its losses already, on "
    "average: it divides what it keeps by 1 - dropout. Nothing comes between it and the product with the "
    "values.",
)

RENORMALISED_TO_NAN = Mistake(
    "dropout-renormalised-to-nan",
    find=_APPLIED,
    replace=f"{_APPLIED}        weights = weights / weights.sum(dim=-1, keepdim=True)\n",
    says=f"{RENORMALISED.says} Where all of a query's weights are dropped, that is 0 / 0, NaN.",
)


def on_output(merged: str = "context") -> Mistake:
    """`merged`: the name of what the output projection gets."""
    return Mistake(
        "dropout-on-output",
        find=_APPLIED,
        replace="",
        also=((f"self.o_proj({merged})", f"self.dropout(self.o_proj({merged}))"),),
        says="You drop entries of the output. That is the dropout of the transformer block around the "
        "attention; the attention's own acts on its weights, after the softmax and before the product with "
        "the values.",
    )


def mask_ignored_in_training(
    find: str, replace: str, *, mask: str = "mask", also: tuple[tuple[str, str], ...] = ()
) -> Mistake:
    """`replace` leaves out the mask, what is called `mask`, where something is dropped."""
    return Mistake(
        f"{mask.replace('_', '-').replace(' ', '-')}-ignored-in-training",
        find=find,
        replace=replace,
        also=also,
        says=f"With a dropout, training does not go by {mask} as evaluation does: the path that drops has "
        "been written without it, for example, or drops weights that were never masked. What may be "
        "attended to does not depend on the dropout: mask the scores for all paths, then take the softmax, "
        "and drop last.",
    )


MASK_IGNORED_IN_TRAINING = mask_ignored_in_training(
    "        if mask is not None:\n",
    "        if mask is not None and not (self.training and self.dropout.p):\n",
)

_FORGETS = (
    "Your backward does not know what forward has dropped: it passes on gradients for attention weights that "
    "were set to 0, and does not divide those of the others by 1 - dropout. Multiply the gradient of the "
    "weights by the same mask (keep it from forward), or let autograd do it."
)
BACKWARD_FORGETS_THE_MASK = Mistake(
    "backward-forgets-the-dropout-mask",
    find=_APPLIED,
    replace="        weights = weights + (self.dropout(weights) - weights).detach()\n",
    says=_FORGETS,
)


def backward_forgets_the_mask_for_values(product: str = "weights @ value") -> Mistake:
    """The gradient of the values is that of all weights too. `product`: that of weights and values."""
    return Mistake(
        "backward-forgets-the-dropout-mask-for-values",
        find=_APPLIED,
        replace="        dropped = (self.dropout(weights) - weights).detach()\n",
        also=((product, f"({product} + (dropped @ value).detach())"),),
        says=f"{_FORGETS} The gradient of the values, too, is that of the weights that were kept.",
    )


GONE_AFTER_EVALUATION = Mistake(
    "dropout-gone-after-evaluation",
    find="        self.dropout = nn.Dropout(dropout)\n",
    replace="""\
        self.dropout = nn.Dropout(dropout)

    def train(self, mode: bool = True) -> nn.Module:
        self.dropout.p *= mode
        return super().train(mode)
""",
    says="Once the module was in evaluation, nothing is dropped in training any more: the probability is set "
    "to 0 there, for example, and stays so. Leave it as it is, and look at self.training in each call.",
)

ONLY_WITH_GRADIENTS = Mistake(
    "nothing-dropped-without-gradients",
    find=_APPLIED,
    replace="        if torch.is_grad_enabled():\n            weights = self.dropout(weights)\n",
    says="In training you drop nothing under torch.no_grad(). It is the mode alone that decides, "
    "self.training, as in nn.Dropout.",
)

WEIGHTS_OVERWRITTEN = Mistake(
    "dropout-in-place-of-the-softmax",
    find=_APPLIED,
    replace="        nn.functional.dropout(weights, self.dropout.p, self.training, inplace=True)\n",
    says="In training backward raises: dropout writes into the softmax's result, which the softmax needs for "
    "its gradient. Make a new tensor: weights = self.dropout(weights).",
)


def without_gradients(*finds: str) -> Mistake:
    """`finds`: where the dropout is made, `nn.Dropout(dropout)`; by default its only place."""
    made = "nn.Dropout(dropout)\n"
    cut = "lambda its, _, value: value.detach() if its.training and its.p else value"
    hook = f"        self.dropout.register_forward_hook({cut})\n"
    edits = [(one, one.replace(made, made + hook)) for one in finds or (f"self.dropout = {made}",)]
    return Mistake(
        "no-gradient-through-the-dropout",
        find=edits[0][0],
        replace=edits[0][1],
        also=tuple(edits[1:]),
        says="In training no gradient goes through your dropout, and what comes before it learns nothing: it "
        "stands under torch.no_grad(), for example, or is computed in NumPy. Only the mask may be drawn so. "
        "Multiply by it outside, where autograd sees it: x * kept / (1 - p).",
    )
