"""Two-layer perceptron as a PyTorch module: output = fc2(relu(fc1(x))).

The block that the original transformer repeats in every layer, as its feed-forward network (Vaswani et al.
2017, https://arxiv.org/abs/1706.03762, section 3.3). Nothing is forbidden: nn.Linear and the built-in ReLU
are what to use.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class MLP(nn.Module):
    """A linear layer, ReLU, a linear layer; nothing after the second one.

    Parameters, each an `nn.Linear` with a bias, and no others: `fc1` from input_size to hidden_size and
    `fc2` from hidden_size to output_size. Their initial values are not checked.
    """

    def __init__(self, input_size: int, hidden_size: int, output_size: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(input_size, hidden_size)
        self.fc2 = nn.Linear(hidden_size, output_size)

    def forward(self, x: Float[Tensor, "... input_size"]) -> Float[Tensor, "... output_size"]:
        """The output for every vector along the last dimension of `x`, each by itself.

        There may be any leading dimensions, also of size 1, or none: they stay as they are. The result has
        the dtype of `x` and the parameters (float32 or float64), the same in training and evaluation.
        Gradients reach `x` and every parameter. `x` is not modified.
        """
        # nn.Linear acts on the last dimension and leaves the others alone: nothing to flatten.
        pre = self.fc1(x)  # (..., hidden_size)
        # Without ReLU the two layers would be one: a product of matrices is a matrix.
        hidden = torch.relu(pre)
        return self.fc2(hidden)  # (..., output_size)
