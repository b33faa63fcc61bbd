"""Known wrong versions of `mha` that keep something for the next call."""

from grader.kit import Mistake
from grader.kit.families.instance_mistakes import (
    mask_kept,
    mask_of_the_tensor_kept,
    weights_kept,
    weights_kept_in_evaluation,
)

MISTAKES = [
    mask_kept("mask", "~mask"),
    mask_of_the_tensor_kept("mask", "~mask"),
    weights_kept_in_evaluation("self.q_proj(x)", "self.k_proj(x)", "self.v_proj(x)"),
    weights_kept("self.o_proj(context)"),
    Mistake(
        "views-of-the-first-weights",
        find="        self.dropout = nn.Dropout(dropout)\n",
        replace="""\
        self.dropout = nn.Dropout(dropout)
        layers = self.q_proj, self.k_proj, self.v_proj
        self.views = [(layer.weight[:], layer.bias[:]) for layer in layers]
""",
        also=tuple(
            (
                f"self.{name}_proj(x)",
                f"nn.functional.linear(x, *(view.to(x) for view in self.views[{number}]))",
            )
            for number, name in enumerate("qkv")
        ),
        says="You compute with weights that were taken from the layers in the constructor (each head's rows, "
        "for example). They are views of the memory that the parameters had then: after .double() or .to(…) "
        "parameters lie elsewhere, and what is loaded or learned does not reach these views. Take the "
        "weights of the layers in every call.",
    ),
]
