"""Gradient accumulation: the step of a large batch, with the memory of a small one.

The batch is run in pieces (micro-batches) whose gradients add up. Nothing is forbidden.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


def accumulate_gradients(
    model: nn.Module,
    token_ids: Int[Tensor, "batch seq"],
    targets: Int[Tensor, "batch seq"],
    micro_batch_size: int,
    ignore_index: int = -100,
) -> Float[Tensor, ""]:
    """Leave the whole batch's gradients in the parameters' `.grad`, added to what is there; give its loss.

    The loss is the mean cross entropy over all targets of the batch that are not ignore_index: one mean over
    tokens, not over rows or micro-batches. It comes back as a 0-dimensional tensor in the dtype of the
    logits, without a gradient. Loss and gradients are those of running the batch at once (up to 1e-6).

    model: model(ids), with ids (rows, seq), gives logits (rows, seq, vocab), contiguous or not. It is called
        once for each run of micro_batch_size rows, in their order; the last run is shorter where it does not
        divide. The backward pass of a run comes before the next call, and then nothing is left of what the
        run saved for it: one graph at a time. Logits are not collected either, so that memory does not grow
        with the batch. (torch.autograd.grad is a backward pass as well; a run without targets needs none, nor
        a call.) The model treats rows apart, drops nothing, and stays in the mode (training or evaluation) in
        which it is. All its parameters require gradients and are used.
    token_ids, targets: int64; position t of the logits predicts target t (nothing is shifted). They need not
        be contiguous, and are not modified.
    ignore_index: any integer, also one in the vocabulary. A micro-batch may have no other targets, the batch
        has one at least.

    ValueError or AssertionError if micro_batch_size is below 1; it may be more than the batch has rows.
    `.grad` may be None at first, and may be another tensor afterwards. All is float32 or all float64, and
    nothing is made on the default device where the model and the tokens are on another one.
    """
    raise NotImplementedError


def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    token_ids: Int[Tensor, "batch seq"],
    targets: Int[Tensor, "batch seq"],
    micro_batch_size: int,
    ignore_index: int = -100,
    max_norm: float | None = None,
) -> Float[Tensor, ""]:
    """One step of the optimizer with the gradients of the whole batch alone; the loss from before the step.

    The loss is that of accumulate_gradients, whose rules hold for all arguments here, too.

    optimizer: has `param_groups`, dicts whose "params" are lists, zero_grad() and step(). It holds all of the
        model's parameters. Old gradients do not count. step() is called once, without arguments, when the
        gradients are in `.grad`. What is left there afterwards is free.
    max_norm: None, or above 0: then all gradients together are clipped, once for the whole batch, by the
        factor min(1, max_norm / (norm + 1e-6)), norm being their Euclidean norm as one vector (the 1e-6 may
        be left out). Neither parameters nor gradients need be contiguous.
    """
    raise NotImplementedError
