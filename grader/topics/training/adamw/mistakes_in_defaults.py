"""Known wrong versions of `adamw`: its defaults."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "beta2-of-0.99-by-default",
        find="betas: tuple[float, float] = (0.9, 0.999)",
        replace="betas: tuple[float, float] = (0.9, 0.99)",
        says="Your second beta is 0.99 by default. It is 0.999, as in torch.optim.AdamW.",
    ),
    Mistake(
        "beta2-of-0.95-by-default",
        find="betas: tuple[float, float] = (0.9, 0.999)",
        replace="betas: tuple[float, float] = (0.9, 0.95)",
        says="Your second beta is 0.95 by default, as many language models are trained. It is 0.999 here, as "
        "in torch.optim.AdamW.",
    ),
    Mistake(
        "learning-rate-of-1e-2-by-default",
        find="lr: float = 1e-3",
        replace="lr: float = 1e-2",
        says="Your learning rate is 1e-2 by default. It is 1e-3, as in torch.optim.AdamW.",
    ),
    Mistake(
        "eps-of-1e-6-by-default",
        find="eps: float = 1e-8",
        replace="eps: float = 1e-6",
        says="Your eps is 1e-6 by default. It is 1e-8, as in torch.optim.AdamW.",
    ),
]
