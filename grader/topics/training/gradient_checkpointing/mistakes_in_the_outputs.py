"""Known wrong versions of `gradient_checkpointing`: what the outputs come in, and one tensor given twice."""

from grader.kit import Mistake

RETURN = "    return _Recomputed.apply(trigger, function, *inputs)"
PLACED = "            inputs[place] = saved.detach().requires_grad_(ctx.needs_input_grad[2 + place])\n"

MISTAKES = [
    Mistake(
        "tuple-of-one-unpacked",
        find=RETURN,
        replace="""\
    outputs = _Recomputed.apply(trigger, function, *inputs)
    return outputs[0] if isinstance(outputs, tuple) and len(outputs) == 1 else outputs""",
        says="Where the function gives a tuple with a single tensor, you give the bare tensor. A tuple stays "
        "a tuple, however many tensors are in it: go by what the function gave.",
    ),
    Mistake(
        "tensor-in-a-tuple",
        find=RETURN,
        replace="""\
    outputs = _Recomputed.apply(trigger, function, *inputs)
    return outputs if isinstance(outputs, tuple) else (outputs,)""",
        says="Where the function gives a tensor, you give a tuple with this tensor in it. What comes is what "
        "the function gives: a tensor for a tensor, a tuple for a tuple.",
    ),
    Mistake(
        "one-leaf-for-a-tensor-given-twice",
        find=PLACED,
        replace="""\
            leaf = saved.detach().requires_grad_(ctx.needs_input_grad[2 + place])
            inputs[place] = leaves.setdefault(ctx.keys[place], leaf)
""",
        also=(
            (
                "        ctx.function = function\n",
                "        ctx.function, ctx.keys = function, [*map(id, inputs)]\n",
            ),
            ("        inputs = list(ctx.others)\n", "        inputs, leaves = list(ctx.others), {}\n"),
        ),
        says="Where one tensor is given as two inputs its gradient comes out twice as large: both are one "
        "leaf in your second run, for example, which gets the gradient of both, and you return that for each "
        "of them. Detach every input on its own, so that each has its own gradient.",
    ),
]
