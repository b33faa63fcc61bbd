"""Two-layer perceptron in NumPy, forward and backward: output = relu(x @ W1 + b1) @ W2 + b2.

Backpropagation by hand is the chain rule from the output back to the input (Rumelhart, Hinton and Williams
1986); the weights are initialized as in Glorot and Bengio 2010. NumPy only: torch is forbidden.
"""

import numpy as np
from jaxtyping import Float


class MLP:
    """A linear layer, ReLU, a linear layer; nothing after the second one.

    Its weights are float64 arrays, the attributes `W1` (input_size, hidden_size), `b1` (hidden_size,),
    `W2` (hidden_size, output_size) and `b2` (output_size,). Other values may be written into these arrays
    (`mlp.W1[...] = values`), and the next `forward` uses them; neither method changes them. No caller
    changes them or `x` between a `forward` and its `backward`. No later call writes to what an earlier one
    returned. `backward` fills the dict `grads`, keys "W1", "b1", "W2", "b2"; what it holds before that is up
    to you.
    """

    def __init__(
        self, input_size: int, hidden_size: int, output_size: int, rng: np.random.Generator | None = None
    ) -> None:
        """Xavier-uniform weights: each layer's uniform in ±sqrt(6 / (fan_in + fan_out)). Biases are zero.

        Each weight is drawn from `rng` by itself, in any order; None stands for a fresh
        `np.random.default_rng()`, without a seed.
        """
        raise NotImplementedError

    def forward(self, x: Float[np.ndarray, "batch input"]) -> Float[np.ndarray, "batch output"]:
        """The output for a float64 batch `x`, which is not modified; keeps what `backward` needs."""
        raise NotImplementedError

    def backward(self, grad_output: Float[np.ndarray, "batch output"]) -> Float[np.ndarray, "batch input"]:
        """The loss's gradient for the `x` of the last `forward`, given its gradient for that output.

        Sets `grads` to the loss's gradients for the four weights, in their shapes: the sum over the batch,
        not the mean (a mean in the loss is already in `grad_output`). They replace those of an earlier
        call: nothing is added up. A second call for the same `forward` is right, too, or raises an error.
        `grad_output` is not modified. The slope at ReLU's kink is not checked.
        """
        raise NotImplementedError
