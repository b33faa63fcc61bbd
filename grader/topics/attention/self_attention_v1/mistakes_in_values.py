"""Known wrong versions of `self_attention_v1` that limit what is projected, or write the result into x."""

from grader.kit import Mistake

_SCORES = "        scores = query @ key.transpose(-2, -1)  # (batch, seq, seq)\n"
_RESULT = "        return weights @ value"

MISTAKES = [
    Mistake(
        "projections-clipped",
        find=_SCORES,
        replace=f"        query, key, value = (each.clamp(-8, 8) for each in (query, key, value))\n{_SCORES}",
        says="You clip queries, keys and values to a range (-8 … 8, for example, the clip_qkv of some "
        "models). Nothing is clipped here: large ones count in full.",
    ),
    Mistake(
        "result-written-into-x",
        find=_RESULT,
        replace="        if not torch.is_grad_enabled():\n            return x.copy_(weights @ value)\n"
        f"{_RESULT}",
        says="Without gradients you write the result into x. Nobody needs x for a backward pass then, but it "
        "belongs to the caller, who may need it: make a new tensor.",
    ),
]
