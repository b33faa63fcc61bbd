"""Known wrong versions of `grpo_loss` that compute in another dtype than they return."""

from grader.kit import Mistake

CENTRED = "centred = rewards - rewards.mean(dim=1, keepdim=True)"
DIVIDED = "return centred / (rewards.std(dim=1, keepdim=True) + eps)"

MISTAKES = [
    Mistake(
        "rewards-in-float32",
        find=CENTRED,
        replace=f"rewards, dtype = rewards.float(), rewards.dtype\n    {CENTRED}",
        also=(
            ("return centred  # one", "return centred.to(dtype)  # one"),
            (DIVIDED, f"{DIVIDED.replace('return centred', 'return (centred')}).to(dtype)"),
        ),
        says="You compute the advantages in float32 also where the rewards are float64. Rewards that differ "
        "by little and lie far from 0 become equal by that: stay in the dtype that comes in.",
    ),
]
