"""Known wrong versions of `swiglu`: other functions for the gate, biases, shapes and sizes."""

from grader.kit import Mistake

GATE = "F.silu(self.gate_proj(x))"
SIZE = "int(2 / 3 * 4 * hidden_size)"
OUT = "self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False)"
UP = "self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=False)"

MISTAKES = [
    Mistake(
        "gate-by-hard-swish",
        find=GATE,
        replace="F.hardswish(self.gate_proj(x))",
        says="Your gate is a hard swish, z * relu6(z + 3) / 6, which stands for SiLU on phones. SwiGLU "
        "takes SiLU itself: z * sigmoid(z).",
    ),
    Mistake(
        "gate-by-sigmoid-gelu",
        find=GATE,
        replace="(gate := self.gate_proj(x)) * (1.702 * gate).sigmoid()",
        says="Your gate is z * sigmoid(1.702 z), which approximates a GELU. SiLU is z * sigmoid(z), "
        "without a factor inside.",
    ),
    Mistake(
        "gate-by-gelu-tanh",
        find=GATE,
        replace="F.gelu(self.gate_proj(x), approximate='tanh')",
        says="Your gate is a GELU (its tanh approximation), which makes it GEGLU. SwiGLU takes SiLU "
        "(Swish): z * sigmoid(z).",
    ),
    Mistake(
        "gate-by-tanh",
        find=GATE,
        replace="F.tanh(self.gate_proj(x))",
        says="Your gate is a tanh. SwiGLU takes SiLU (Swish): z * sigmoid(z).",
    ),
    Mistake(
        "gate-by-mish",
        find=GATE,
        replace="F.mish(self.gate_proj(x))",
        says="Your gate is Mish, z * tanh(log(1 + exp(z))). SwiGLU takes SiLU (Swish): z * sigmoid(z).",
    ),
    Mistake(
        "bias-on-the-output",
        find=OUT,
        replace=OUT.replace(", bias=False", ""),
        says="Your down_proj has a bias. All three layers are without one: bias=False.",
    ),
    Mistake(
        "silu-on-the-output-too",
        find="return self.dropout(output)",
        replace="return self.dropout(F.silu(output))",
        says="You apply SiLU to the output as well. Only the gate bends: what down_proj gives is added "
        "to the residual stream, and has to be able to lower it freely.",
    ),
    Mistake(
        "vector-flattened",
        find=GATE,
        replace="F.silu(self.gate_proj(x.flatten(0, -2)).unflatten(0, x.shape[:-1]))",
        says="Your network raises where x has no leading dimensions: it asks for dimension -2, which a "
        "single vector does not have. Any number of them is allowed, also none: nn.Linear takes x "
        "as it is.",
    ),
    Mistake(
        "size-with-the-factor-inverted",
        find=SIZE,
        replace="int(3 / 2 * 4 * hidden_size)",
        says="Your size is 3/2 * 4 * hidden_size. SwiGLU has three matrices where others have two, so "
        "that its width is 2/3 of theirs for the same number of weights.",
    ),
    Mistake(
        "size-with-four-thirds",
        find=SIZE,
        replace="int(4 / 3 * hidden_size)",
        says="Your size is half of what it should be, 4/3 * hidden_size. It is 2/3 of 4 * hidden_size, "
        "which is 8/3 * hidden_size.",
    ),
    Mistake(
        "bias-on-the-value",
        find=UP,
        replace=UP.replace(", bias=False", ""),
        says="Your up_proj has a bias. All three layers are without one: bias=False.",
    ),
    Mistake(
        "biases-on-gate-and-value",
        find=UP,
        replace=UP.replace(", bias=False", ""),
        also=((UP.replace("up", "gate"), UP.replace("up", "gate").replace(", bias=False", "")),),
        says="Your gate_proj and up_proj have biases. All three layers are without one: bias=False.",
    ),
    Mistake(
        "one-added-to-the-value",
        find="hidden = gate * up",
        replace="hidden = gate * (up + 1)",
        says="You add 1 to the value before the product, as gpt-oss does. Here it is "
        "silu(gate_proj(x)) * up_proj(x).",
    ),
    Mistake(
        "size-rounded-by-bits",
        find="(size + multiple_of - 1) // multiple_of * multiple_of",
        replace="(size + multiple_of - 1) & -multiple_of",
        says="You round up with a mask of bits, which is right for powers of two only. Any multiple "
        "may come: divide without remainder, and multiply again.",
    ),
    Mistake(
        "multiple-of-256-by-default",
        find="multiple_of: int = 1",
        replace="multiple_of: int = 256",
        says="Your multiple_of is 256 by default, as in Llama. Here it is 1: nothing is rounded where "
        "nobody asks.",
    ),
]
