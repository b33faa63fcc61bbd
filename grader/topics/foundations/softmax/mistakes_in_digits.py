"""Known wrong versions of `softmax` that compute in a dtype of half the size."""

from grader.kit import Mistake

EXPS = "exps = torch.exp(x - largest)"
LOG_TOTAL = "log_total = torch.exp(shifted)"


def halved(exponents: str, half: str) -> str:
    """The exponentials of these: if they are float32, computed in half precision."""
    chosen = f"({exponents}) if x.dtype == torch.float64 else ({exponents}).to(torch.{half})"
    return f"torch.exp({chosen}).to(x.dtype)"


MISTAKES = [
    Mistake(
        f"{name}-in-{half}",
        find=edits[0][0],
        replace=edits[0][1],
        also=edits[1:],
        says=f"{where} you compute float32 in half precision (bfloat16 or float16), so that only two or "
        "three digits are right. Compute in the dtype that came, or in a larger one.",
    )
    for half in ("bfloat16", "float16")
    for softmax in [((EXPS, f"exps = {halved('x - largest', half)}"),)]
    for log in [((LOG_TOTAL, f"log_total = {halved('shifted', half)}"),)]
    for name, where, edits in (
        ("softmax", "In softmax", softmax),
        ("log-softmax", "In log_softmax", log),
        ("both", "In both functions", (*softmax, *log)),
    )
    # What is coarse is recorded, and not by how much: in softmax alone both are one.
    if (name, half) != ("softmax", "float16")
]
