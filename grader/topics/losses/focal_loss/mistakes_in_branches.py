"""Known wrong versions of `focal_loss` that are stable in one branch and not in another."""

from grader.kit import Mistake

P_T = "    p_t = torch.exp(-loss)\n"

MISTAKES = [
    Mistake(
        f"log-of-softmax-{where}",
        find=P_T,
        replace=f"""\
{P_T}\
    if {condition}:
        p_t = logits.softmax(dim=1).gather(1, target.unsqueeze(1)).squeeze(1)
        loss = -p_t.log()
""",
        says=f"{which} you take the logarithm of the probability: where it underflows to 0 the loss is inf "
        "and the gradient NaN. Start from the cross entropy (or log_softmax) there too, and get p_t by exp.",
    )
    for where, condition, which in (
        ("with-alpha", "alpha is not None", "Where an alpha is given"),
        ("with-alphas", "isinstance(alpha, Tensor)", "Where alpha is a tensor"),
        ("with-gamma-zero", "gamma == 0", "With gamma 0"),
    )
]
