"""Known wrong versions of `focal_loss`."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "probability-detached",
        find="p_t = torch.exp(-loss)",
        replace="p_t = torch.exp(-loss).detach()",
        says="Your values are right, but the gradient treats (1 - p_t)**gamma as a constant: p_t is "
        "detached, for example. The loss is a product of two functions of the logits, and both have a "
        "gradient.",
    ),
    Mistake(
        "probability-from-the-weighted-loss",
        find="p_t = torch.exp(-loss)",
        replace="p_t = torch.exp(-alpha_t * loss)",
        says="You compute p_t from a cross entropy that already contains alpha: exp(-alpha_t * loss) is "
        "p_t**alpha_t. Take p_t from the plain cross entropy (no weight=alpha), and multiply by "
        "alpha_t afterwards.",
    ),
    Mistake(
        "probability-from-a-cross-entropy-with-weight",
        find='loss = F.cross_entropy(logits, target, reduction="none")',
        replace="""\
weight = alpha if isinstance(alpha, Tensor) else None
    loss = F.cross_entropy(logits, target, weight, reduction="none")""",
        also=(("        alpha_t = alpha[target]", "        alpha_t = 1.0"),),
        says="You pass alpha as weight= to the cross entropy from which you take p_t: exp(-loss) is then "
        "p_t**alpha_t. Take p_t from the plain cross entropy, and multiply by alpha_t afterwards.",
    ),
    Mistake(
        "cross-entropy-detached",
        find="alpha_t * focus * loss",
        replace="alpha_t * focus * loss.detach()",
        says="Your values are right, but the gradient treats the cross entropy as a constant: it is "
        "detached, for example. The loss is a product of two functions of the logits, and both have a "
        "gradient.",
    ),
    Mistake(
        "one-minus-the-power",
        find="(1 - p_t) ** gamma",
        replace="(1 - p_t**gamma)",
        says="Your factor is 1 - p_t**gamma. gamma is the exponent of the difference: (1 - p_t)**gamma.",
    ),
    Mistake(
        "probability-smoothed",
        find="p_t = torch.exp(-loss)",
        replace='p_t = torch.exp(-F.cross_entropy(logits, target, reduction="none", label_smoothing=0.1))',
        says="You compute p_t from a cross entropy with label smoothing. exp(-loss) is the probability of "
        "the target only if the loss is the plain -log p_t of the row.",
    ),
    Mistake(
        "probability-of-the-whole-batch",
        find="p_t = torch.exp(-loss)",
        replace="p_t = torch.exp(-loss.mean())",
        says="You compute p_t from the mean cross entropy, so that all rows get the same factor and none is "
        'told from another. Keep one loss per row: reduction="none", and reduce at the very end.',
    ),
    Mistake(
        "mean-before-the-factor",
        find='loss = F.cross_entropy(logits, target, reduction="none")',
        replace="loss = F.cross_entropy(logits, target)",
        says="Your cross entropy is already the mean over the batch (F.cross_entropy's default), so the "
        'factor is computed once for all rows. Ask for reduction="none", and reduce at the very end.',
    ),
    Mistake(
        "easy-examples-count-more",
        find="(1 - p_t) ** gamma",
        replace="p_t**gamma",
        says="Your factor is p_t**gamma, which grows with the probability: the easy examples count more. It "
        "is (1 - p_t)**gamma.",
    ),
    Mistake(
        "gamma-as-a-factor",
        find="(1 - p_t) ** gamma",
        replace="(1 - p_t) * gamma",
        says="You multiply 1 - p_t by gamma. gamma is its exponent.",
    ),
    Mistake(
        "gamma-fixed",
        find="(1 - p_t) ** gamma",
        replace="(1 - p_t) ** 2",
        says="Your exponent is always 2. It is gamma, of which 2 is only the default.",
    ),
    Mistake(
        "gamma-cut-off",
        find="(1 - p_t) ** gamma",
        replace="(1 - p_t) ** int(gamma)",
        says="You cut the fraction of gamma off: 1.5 does what 1 does. The exponent is gamma as it is, which "
        "need not be an integer.",
    ),
    Mistake(
        "power-through-the-logarithm",
        find="(1 - p_t) ** gamma",
        replace="torch.exp(gamma * torch.log(1 - p_t))",
        says="You compute the power as exp(gamma * log(1 - p_t)). Where p_t rounds to 1 that is exp(-inf) "
        "with a NaN gradient (and with gamma 0 a NaN value). (1 - p_t) ** gamma has neither.",
    ),
    Mistake(
        "power-through-the-logarithm-unless-gamma-is-zero",
        find="(1 - p_t) ** gamma",
        replace="torch.exp(gamma * torch.log(1 - p_t)) if gamma else 1.0",
        says="Where p_t rounds to 1 your gradient is NaN, unless gamma is 0: the power goes through a "
        "function that has no finite slope at 0, for example as exp(gamma * log(1 - p_t)). (1 - p_t) ** "
        "gamma has one for every gamma that is asked.",
    ),
    Mistake(
        "focus-left-out",
        find="alpha_t * focus * loss",
        replace="alpha_t * loss",
        says="Your loss is cross entropy with class factors: (1 - p_t)**gamma is missing.",
    ),
    Mistake(
        "alpha-inside-the-power",
        find="    focus = (1 - p_t) ** gamma\n    losses = alpha_t * focus * loss",
        replace="    focus = (alpha_t * (1 - p_t)) ** gamma\n    losses = focus * loss",
        says="You raise alpha to the power of gamma as well. alpha_t multiplies the loss outside of the "
        "power.",
    ),
    Mistake(
        "alpha-ignored",
        find="alpha_t * focus * loss",
        replace="focus * loss",
        says="Your loss does not depend on alpha. Multiply each row's loss by alpha_t.",
    ),
    Mistake(
        "float-alpha-ignored",
        find="alpha_t = 1.0 if alpha is None else alpha",
        replace="alpha_t = 1.0",
        says="You use alpha only where it is a tensor. A float is the factor of every row.",
    ),
    Mistake(
        "alpha-of-zero-taken-for-none",
        find="alpha_t = 1.0 if alpha is None else alpha",
        replace="alpha_t = 1.0 if isinstance(alpha, Tensor) or not alpha else alpha",
        says="You test alpha's truth, so 0.0 is treated as if no alpha were given. Test for None: alpha is "
        "None.",
    ),
    *(
        Mistake(
            name,
            find="alpha_t = 1.0 if alpha is None else alpha",
            replace=f"""\
alpha_t = 1.0
    if isinstance(alpha, float):
        alpha_t = torch.where({which}, alpha, 1 - alpha).to(logits.dtype)""",
            says=f"You give {what}. Here a float is the same factor for every row; a tensor gives each class "
            "its own.",
        )
        for name, which, what in [
            (
                "float-alpha-as-in-the-binary-loss",
                "target == 1",
                "class 1 the factor alpha and the others 1 - alpha, as in the paper's loss for two classes",
            ),
            (
                "float-alpha-for-class-zero",
                "target == 0",
                "class 0 the factor alpha and the others 1 - alpha, as if the classes were two",
            ),
            (
                "float-alpha-for-all-but-class-zero",
                "target > 0",
                "class 0 the factor 1 - alpha and the others alpha, as if it were the background",
            ),
        ]
    ),
    Mistake(
        "alpha-not-picked",
        find="        alpha_t = alpha[target]",
        replace="        alpha_t = alpha",
        says="You multiply the rows by the whole alpha, which has a factor for every class and not for "
        "every row: an error for most sizes, silently wrong where they agree. Pick each row's: "
        "alpha[target].",
    ),
    Mistake(
        "mean-divided-by-the-alphas",
        find="else losses.mean()",
        replace="else losses.sum() / (alpha[target].sum() if isinstance(alpha, Tensor) else len(losses))",
        says="You divide by the sum of the rows' alphas, as F.cross_entropy does with its weights. This "
        "mean is plain: divide by the number of rows.",
    ),
    Mistake(
        "mean-divided-by-every-alpha",
        find="else losses.mean()",
        replace="else losses.sum() / (alpha_t * torch.ones_like(losses)).sum()",
        says="You divide by the sum of the rows' alphas, as F.cross_entropy does with its weights, so that a "
        "single alpha for all rows cancels. This mean is plain: divide by the number of rows.",
    ),
    *(
        Mistake(
            name,
            find="    # p_t comes from the plain cross entropy",
            replace=f"""\
    if gamma == 0 and {when}:
        return F.cross_entropy(logits, target, {weight}, reduction=reduction)
    # p_t comes from the plain cross entropy""",
            says=says,
        )
        for name, when, weight, says in [
            (
                "gamma-zero-divided-by-every-alpha",
                "alpha is not None",
                "torch.as_tensor(alpha, dtype=logits.dtype).expand(logits.shape[1])",
                "With gamma 0 your mean is that of F.cross_entropy with alpha as its weight, which divides "
                "by the sum of the rows' alphas, so that a float alpha cancels. This mean is plain with "
                "every gamma: divide by the number of rows.",
            ),
            (
                "gamma-zero-divided-by-the-alphas",
                "isinstance(alpha, Tensor)",
                "alpha",
                "With gamma 0 and a tensor alpha your mean is that of F.cross_entropy with weights, which "
                "divides by the sum of the rows' alphas. This mean is plain with every gamma: divide by the "
                "number of rows.",
            ),
            (
                "gamma-zero-without-alpha",
                "True",
                "None",
                "With gamma 0 you give the plain cross entropy, without alpha. It is alpha_t times the cross "
                "entropy of the row: only the factor (1 - p_t)**gamma is 1.",
            ),
        ]
    ),
    Mistake(
        "sigmoid-for-softmax",
        find="p_t = torch.exp(-loss)",
        replace="p_t = torch.sigmoid(logits).gather(1, target.unsqueeze(1)).squeeze(1)",
        says="You take p_t from a sigmoid, while the cross entropy uses a softmax over the classes. Both "
        "factors have the same p_t, that of the softmax: exp(-cross entropy).",
    ),
    Mistake(
        "largest-probability",
        find="p_t = torch.exp(-loss)",
        replace="p_t = torch.softmax(logits, dim=1).amax(dim=1)",
        says="Your p_t is the largest probability of the row, so a model that is certain and wrong gets "
        "hardly any loss. p_t is the probability of the target.",
    ),
    Mistake(
        "log-of-softmax",
        find='loss = F.cross_entropy(logits, target, reduction="none")',
        replace="loss = -torch.softmax(logits, dim=1).gather(1, target.unsqueeze(1)).squeeze(1).log()",
        says="You take the logarithm of the probability: where it underflows to 0 the loss is inf and the "
        "gradient NaN. Start from the cross entropy (or log_softmax), and get p_t by exp.",
    ),
    Mistake(
        "log-of-clamped-softmax",
        find='loss = F.cross_entropy(logits, target, reduction="none")',
        replace="""\
p = torch.softmax(logits, dim=1).gather(1, target.unsqueeze(1)).squeeze(1)
    loss = -p.clamp(min=1e-8).log()""",
        says="You take the logarithm of a probability and keep it finite, by clamping the probability or by "
        "adding a small number to it. No loss can then exceed a certain size, and where the model is most "
        "wrong there is no gradient. Start from the cross entropy (or log_softmax), and get p_t by exp.",
    ),
    Mistake(
        "log-of-softmax-plus-epsilon",
        find='loss = F.cross_entropy(logits, target, reduction="none")',
        replace="""\
p = torch.softmax(logits, dim=1).gather(1, target.unsqueeze(1)).squeeze(1)
    loss = -(p + 1e-8).log()""",
        says="You take the logarithm of a probability and keep it finite by adding a small number. No loss "
        "can then exceed a certain size, where the model is most wrong there is no gradient, and a p_t above "
        "1 makes the power NaN. Start from the cross entropy (or log_softmax), and get p_t by exp.",
    ),
    Mistake(
        "unknown-reduction-accepted",
        find="""\
    if reduction not in ("none", "sum", "mean"):
        raise ValueError(f"unknown reduction {reduction!r}")
""",
        replace="",
        says="You accept any word for reduction and treat it as one of the three, so a misspelt one goes "
        'unnoticed. Raise a ValueError unless it is "none", "sum" or "mean".',
    ),
    Mistake(
        "rows-kept-as-a-column",
        find='loss = F.cross_entropy(logits, target, reduction="none")',
        replace='loss = F.cross_entropy(logits, target, reduction="none").unsqueeze(1)',
        says="Your losses have the shape (batch, 1), as gather gives it, and times alpha[target] of shape "
        "(batch,) that broadcasts to (batch, batch). Squeeze dim 1 after gather: one loss for each "
        "row, (batch,).",
    ),
    Mistake(
        "alpha-made-to-sum-to-one",
        find="alpha_t = alpha[target]",
        replace="alpha_t = (alpha / alpha.sum())[target]",
        says="You divide alpha by its sum. Its factors count as they are.",
    ),
    Mistake(
        "alpha-twice",
        find="alpha_t = alpha[target]",
        replace="alpha_t = alpha[target] ** 2",
        says="A tensor alpha comes in twice: as the weight of the cross entropy and as the factor in front, "
        "for example. Once is right.",
    ),
]
