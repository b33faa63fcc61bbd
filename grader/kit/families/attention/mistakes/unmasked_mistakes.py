"""Mistakes that several attention topics share: what holds with a mask, and does not without one.

`indent`: how far the line of the softmax is indented; `behind`: what follows it, where that is needed to find
it; `condition`: where there is no mask, and `without` it in words.
"""

from grader.kit.mistakes import Mistake

_SOFTMAX = "weights = torch.softmax(scores, dim=-1)"


def max_not_subtracted(
    indent: str = " " * 8, *, behind: str = "", condition: str = "mask is None", without: str = "a mask"
) -> Mistake:
    return Mistake(
        f"max-not-subtracted-without-{without.replace(' ', '-')}",
        find=f"{indent}{_SOFTMAX}{behind}",
        replace=f"""\
{indent}{_SOFTMAX}
{indent}if {condition}:
{indent}    weights = torch.exp(scores) / torch.exp(scores).sum(dim=-1, keepdim=True){behind}""",
        says=f"Without {without} your softmax takes exp of the scores as they are: large ones overflow, and "
        "inf / inf is NaN. Scores are as large there as elsewhere: subtract each row's largest in either "
        "case, or use torch.softmax, which does.",
    )


def no_gradient(
    indent: str = " " * 8, *, behind: str = "", condition: str = "mask is None", without: str = "a mask"
) -> Mistake:
    return Mistake(
        f"no-gradient-of-scores-without-{without.replace(' ', '-')}",
        find=f"{indent}{_SOFTMAX}{behind}",
        replace=f"""\
{indent}{_SOFTMAX}
{indent}if {condition}:
{indent}    weights = weights.detach(){behind}""",
        says=f"Without {without} no gradient goes through your scores: the weights are computed under "
        "torch.no_grad(), for example, or queries and keys are detached there. These learn through the "
        "scores alone, in either case.",
    )
