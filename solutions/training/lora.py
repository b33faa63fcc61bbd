"""LoRA: a layer is fine-tuned by a product of two thin matrices beside its weight, which stays as it is.

From "LoRA: Low-Rank Adaptation of Large Language Models" (Hu et al., 2021). Nothing is forbidden. Where costs
are counted, compute in torch, not in NumPy.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class LoRALinear(nn.Module):
    """A linear layer with frozen weights, and an adapter of a low rank beside it.

    Parameters: base.weight, base.bias (if the layer has one), lora_A (rank, in), lora_B (out, rank).
    """

    def __init__(self, linear: nn.Linear, rank: int = 8, alpha: float = 16.0, dropout: float = 0.0) -> None:
        """ValueError or AssertionError if rank is below 1; it may be larger than the layer's sizes.

        linear: becomes `base`: the same object, whose parameters are frozen (requires_grad is False) and
            otherwise stay as they are. It may have no bias.

        lora_A and lora_B, alone with requires_grad, have the dtype and device of the layer's weight. lora_B
        is zeros at first, so that the first output is the layer's own. lora_A is random, from whatever
        distribution, and anew for every instance; none of its entries is zero, and its rank is full.
        """
        super().__init__()
        if rank < 1:
            raise ValueError(f"rank is {rank}, at least 1 is needed")
        self.base = linear.requires_grad_(False)
        out_features, in_features = linear.weight.shape
        self.lora_A = nn.Parameter(linear.weight.new_empty(rank, in_features).normal_(std=1 / rank))
        # Zeros in one of the two only: with both at zero neither would ever get a gradient.
        self.lora_B = nn.Parameter(linear.weight.new_zeros(out_features, rank))
        self.scaling = alpha / rank
        self.dropout = nn.Dropout(dropout)
        self.merged = False

    def forward(self, x: Float[Tensor, "... in"]) -> Float[Tensor, "... out"]:
        """base(x) + alpha / rank * dropout(x) lora_Aᵀ lora_Bᵀ, or base(x) alone while merged.

        x: with any leading dimensions, also none; not modified.

        dropout is the probability with which each entry of the adapter's input is zeroed, in training mode
        only; what is kept is divided by 1 - dropout. base gets x as it is. Merged, nothing is dropped.

        Unmerged, the product of lora_B and lora_A is never formed: no operation makes a new tensor of out *
        in elements or more (views do not count; there are few enough rows in x). Gradients reach x, lora_A
        and lora_B. They are asked unmerged, those of base's parameters never.
        """
        output = self.base(x)  # (..., out)
        if self.merged:
            return output
        hidden = self.dropout(x) @ self.lora_A.T  # (..., rank)
        return output + self.scaling * (hidden @ self.lora_B.T)

    def merge(self) -> None:
        """Add alpha / rank * lora_B lora_A to base.weight, in place, and set `merged` to True.

        `merged` is a bool, False at first; while it is True another merge does nothing. base.weight stays the
        same Parameter, frozen, a leaf. Only merge and unmerge change it: train() and eval() do not. lora_A
        and lora_B stay as they are. Weights may be trained and loaded after construction and between
        merges, by nobody while they are merged.
        """
        if not self.merged:
            with torch.no_grad():
                self.base.weight += self.scaling * (self.lora_B @ self.lora_A)  # (out, in)
            self.merged = True

    def unmerge(self) -> None:
        """Take it away again: base.weight is what it was, up to 1e-6 in float64, and `merged` is False.

        Without a merge before it does nothing, and so does the second of two calls. It may be taken away by
        subtracting, or from a copy that was kept.
        """
        if self.merged:
            with torch.no_grad():
                self.base.weight -= self.scaling * (self.lora_B @ self.lora_A)
            self.merged = False
