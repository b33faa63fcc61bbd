"""Known wrong versions of `cosine_schedule` of which the cosine's share alone is computed in float32."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "share-in-float32",
        find="    share = 0.5 * (1 + math.cos(math.pi * progress))  # 1 to 0\n",
        replace="    share = float(0.5 * (1 + torch.cos(torch.pi * torch.tensor(progress))))\n",
        also=(("import math\n", "import math\n\nimport torch\n"),),
        says="Your rates along the cosine are right to some seven digits only: the cosine's share is "
        "computed in float32, the default of torch, and .item() does not bring the digits back. Nine are "
        "asked for: take math.cos of Python's own floats, or float64.",
    ),
]
