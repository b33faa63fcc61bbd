"""Known wrong versions of `mlp_torch` that add x to the output."""

from grader.kit import Mistake

_OUTPUT = "        return self.fc2(hidden)"
_SAYS = (
    "The residual connection belongs to the transformer block around such a network, which gives what fc2 "
    "gives, whatever its sizes."
)

MISTAKES = [
    Mistake(
        "residual-where-the-sizes-allow",
        find=_OUTPUT,
        replace="""\
        output = self.fc2(hidden)
        return x + output if x.shape == output.shape else output""",
        says=f"You add x to the output where output_size equals input_size. {_SAYS}",
    ),
    Mistake(
        "residual-added",
        find=_OUTPUT,
        replace="        return x + self.fc2(hidden)",
        says=f"You add x to the output, which raises where it does not fit. {_SAYS}",
    ),
]
