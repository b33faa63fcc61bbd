"""Mistakes that several attention topics share: attention that is causal where nobody asked for it.

The solutions ask `if mask is not None:` before they apply a mask.
"""

from grader.kit.families.attention.mistakes.mask_mistakes import with_either_fill
from grader.kit.mistakes import Mistake

_ASKED = "        if mask is not None:"
_CAUSAL = "torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()"

WITHOUT_A_MASK = Mistake(
    "causal-without-a-mask",
    find=_ASKED,
    replace=f"""\
        if mask is None:
            mask = {_CAUSAL}
{_ASKED}""",
    says="Without a mask your attention is causal, as in a decoder's code. Here the mask alone says who may "
    "attend to whom, and without one every token attends to all tokens, the later ones too.",
)

ALWAYS = with_either_fill(
    Mistake(
        "always-causal",
        find=_ASKED,
        replace=f"""\
        causal = {_CAUSAL}
        mask = causal if mask is None else mask & causal
{_ASKED}""",
        says="Your attention is causal, with a mask and without. Here the mask alone says who may attend to "
        "whom: whoever wants no token to see the later ones passes a causal mask.",
    )
)
