"""Has the engine of autograd by an operator that only TorchScript knows, as a packet of its own."""

import torch

exp = torch.ops.aten.exp
engine = type(exp)("aten::grad", "grad", exp, [""]).default


@torch.enable_grad()
def softmax_backward(grad_output, output, dim=-1):
    x = output.log().detach().requires_grad_()
    exps = x.exp()
    (grad,) = engine([exps / exps.sum(dim, keepdim=True)], [x], [grad_output])
    return grad


def log_softmax_backward(grad_output, output, dim=-1):
    return grad_output - output.exp() * grad_output.sum(dim, keepdim=True)


def cross_entropy_backward(grad_output, log_probs, target, ignore_index=-100):
    kept = target != ignore_index
    grad = log_probs.exp()
    grad[torch.arange(len(target)), target.masked_fill(~kept, 0)] -= 1
    return grad.masked_fill(~kept.unsqueeze(1), 0) * (grad_output / kept.sum())
