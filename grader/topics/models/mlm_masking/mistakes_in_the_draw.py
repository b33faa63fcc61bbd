"""Known wrong versions of `mlm_masking`: with what precision one draws."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "drawn-in-thousandths",
        find="torch.rand(shape, generator=generator, device=device) < probability",
        replace="torch.randint(1000, shape, generator=generator, device=device) < round(1000 * probability)",
        says="You round the probability where you draw, by whole numbers below 100 or 1,000, for example: a "
        "small one then chooses nothing. Draw numbers between 0 and 1, and compare them with it as it is.",
    ),
]
