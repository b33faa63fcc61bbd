"""Known wrong versions of `self_attention_v2`: tokens projected in parts, no gradients in evaluation."""

from grader.kit import Mistake

MISTAKES = [
    *(
        Mistake(
            f"projected-{size}-tokens-at-a-time",
            find="self.qkv_proj(x)  #",
            replace=f"torch.cat([self.qkv_proj(part) for part in x.flatten(0, 1).split({size})])"
            ".unflatten(0, x.shape[:2])  #",
            says=f"You project some tokens at a time, {size} for example, so many tokens take several "
            "products. One matrix product projects all tokens of the batch, however many there are.",
        )
        for size in (256, 512, 1024, 2048, 4096)
    ),
    Mistake(
        "no-gradients-in-evaluation",
        find="return weights @ value",
        replace="return weights @ value if self.training else (weights @ value).detach()",
        says="After eval() your result has no gradients. Evaluation is about dropout and running statistics: "
        "gradients reach x and qkv_proj there too. Who wants none says so with torch.no_grad().",
    ),
]
