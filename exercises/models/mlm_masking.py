"""Masking for masked language modelling: which tokens a model has to guess, and what it sees in their place.

From BERT (Devlin et al., 2018), section 3.1. Of the chosen tokens most become the mask token, some another
token, and some stay, since no text has mask tokens when the model is used. Nothing is forbidden.
"""

import torch
from jaxtyping import Bool, Int
from torch import Tensor


def mask_tokens(
    input_ids: Int[Tensor, "batch seq"],
    mask_id: int,
    vocab_size: int,
    special: Bool[Tensor, "batch seq"] | None = None,
    probability: float = 0.15,
    generator: torch.Generator | None = None,
) -> tuple[Int[Tensor, "batch seq"], Int[Tensor, "batch seq"]]:
    """The tokens that the model sees, and the labels, (inputs, labels).

    Each token is chosen with `probability` (0 … 1), independently of all others. What is drawn for a chosen
    token is independent of all others too: with 80 % it becomes mask_id, with 10 % a token drawn evenly from
    the whole vocabulary, 0 … vocab_size - 1 (mask_id, special tokens and the token itself among them), with
    10 % it stays. Labels are the original token where one was chosen, whatever became of it, and -100
    elsewhere, where the inputs are as they were.

    special: True for tokens that are never chosen, such as [CLS] and padding. The others are chosen as often
    as without it.

    All random numbers come from `generator`, which is on the device of input_ids: the same one gives the same
    result, and PyTorch's, NumPy's and Python's own are not touched. None means PyTorch's default generator.
    One random number may decide both whether a token is chosen and what becomes of it, if its digits do for
    an even draw. The results are new tensors with the dtype (int32 or int64) and device of input_ids; no
    argument is modified. Nothing lands on the default device where input_ids are on another.
    """
    raise NotImplementedError
