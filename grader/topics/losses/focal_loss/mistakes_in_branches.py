"""Known wrong versions of `focal_loss` in which one case goes another way than the others."""

from grader.kit import Mistake

FLOAT_ALPHA = "alpha_t = 1.0 if alpha is None else alpha"
FOCUS = "focus = (1 - p_t) ** gamma"
P_T = "    p_t = torch.exp(-loss)\n"

MISTAKES = [
    *(
        Mistake(
            f"log-of-softmax-{where}",
            find=P_T,
            replace=f"""\
{P_T}\
    if {condition}:
        p_t = logits.softmax(dim=1).gather(1, target.unsqueeze(1)).squeeze(1)
        loss = -p_t.log()
""",
            says=f"{which} you take the logarithm of the probability: where it underflows to 0 the loss is "
            "inf and the gradient NaN. Start from the cross entropy (or log_softmax) there too, and get p_t "
            "by exp.",
        )
        for where, condition, which in (
            ("with-alpha", "alpha is not None", "Where an alpha is given"),
            ("with-alphas", "isinstance(alpha, Tensor)", "Where alpha is a tensor"),
            ("with-gamma-zero", "gamma == 0", "With gamma 0"),
        )
    ),
    *(
        Mistake(
            f"float-alpha-of-two-classes-for-class-{number}",
            find=FLOAT_ALPHA,
            replace=f"""\
{FLOAT_ALPHA}
    if isinstance(alpha, float) and logits.shape[1] == 2:
        alpha_t = torch.where(target == {number}, alpha, 1 - alpha).to(logits.dtype)""",
            says=f"With two classes you give class {number} the factor alpha and the other one 1 - alpha, as "
            "losses for yes and no do. Here a float is the factor of every row, however many classes there "
            "are; a tensor gives each class its own.",
        )
        for number in (0, 1)
    ),
    Mistake(
        "power-through-the-logarithm-unless-gamma-is-an-integer",
        find=FOCUS,
        replace="""\
focus = (1 - p_t) ** gamma
    if gamma != int(gamma):
        focus = torch.exp(gamma * torch.log(1 - p_t))""",
        says="Where p_t rounds to 1 your gradient is NaN if gamma is no integer: the power goes through a "
        "function that has no finite slope at 0, for example as exp(gamma * log(1 - p_t)). (1 - p_t) ** "
        "gamma has one for every gamma that is asked.",
    ),
    Mistake(
        "slope-of-the-power-with-gamma-zero",
        find=FOCUS,
        replace="""\
base = 1 - p_t
    if base.requires_grad:
        slope = gamma * base.detach() ** (gamma - 1)
        base.register_hook(lambda grad: grad + 0 * slope)
    focus = base**gamma""",
        says="With gamma 0 your gradient is NaN where p_t rounds to 1: gamma * (1 - p_t)**(gamma - 1) is 0 "
        "times infinity there. The power with exponent 0 is always 1 and its slope 0: leave this term out "
        "then.",
    ),
    Mistake(
        "reduction-in-capitals-accepted",
        find="    if reduction not in (",
        replace="    reduction = reduction.lower()\n    if reduction not in (",
        says='You take "Mean" for "mean": whether letters are capitals does not count for you. Only "none", '
        '"sum" and "mean" as they stand here are known, anything else raises a ValueError.',
    ),
]
