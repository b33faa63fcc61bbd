"""Known wrong versions of `rms_norm`: features in blocks, and what is kept or shared."""

from grader.kit import Mistake
from grader.kit.families.norms.block_mistakes import mean_of_means

MISTAKES = [
    *mean_of_means(
        "wide.square().mean(dim=-1, keepdim=True)",
        mean=lambda text: text.removesuffix(".mean(dim=-1, keepdim=True)"),
    ),
    Mistake(
        "converted-weight-kept",
        find="        return (self.weight * normalized).to(x.dtype)",
        replace="""\
        weight = self.weight
        if x.dtype != weight.dtype:
            weight = self.__dict__.setdefault("converted", weight.detach().to(x.dtype))
        return (weight * normalized).to(x.dtype)""",
        says="For float16 and bfloat16 you convert a float32 weight once and keep the result, so what the "
        "weight learns afterwards counts no more. Convert it in every call.",
    ),
    Mistake(
        "initial-values-shared",
        find="class RMSNorm(nn.Module):\n",
        replace="class RMSNorm(nn.Module):\n    made: dict = {}\n",
        also=(("torch.ones(hidden_size)", "self.made.setdefault(hidden_size, torch.ones(hidden_size))"),),
        says="Norms of one size share the memory of their weight: the initial ones are made once and kept, "
        "for example, so what one of them learns changes all. Make new ones for each.",
    ),
]
