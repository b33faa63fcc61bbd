"""Known wrong versions of `self_attention_v1` in its weights and values, or that write the result into x."""

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import layout_mistakes

_SCORES = "        scores = query @ key.transpose(-2, -1)  # (batch, seq, seq)\n"
_RESULT = "        return weights @ value"
_SOFTMAX = "torch.softmax(scores, dim=-1)  # each query's weights sum to 1"

MISTAKES = [
    layout_mistakes.value_of_the_querys_own_place("return weights @ value"),
    *(
        Mistake(
            f"divided-by-another-querys-sum{ending}",
            find=f"weights = {_SOFTMAX}",
            replace=f"""\
exps = torch.exp(scores - {scores}.amax(dim=-1, keepdim=True))
        weights = exps / exps.sum(dim=-1).unsqueeze(-2)""",
            says="Your exponentials are summed over the keys, but each is divided by another query's sum, "
            "that of its key's place: unsqueeze(1) stands the sums along the keys, for example. A query's "
            "exponentials are divided by its own sum: sum(dim=-1, keepdim=True).",
        )
        for ending, scores in (("", "scores"), ("-with-a-constant-maximum", "scores.detach()"))
    ),
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
