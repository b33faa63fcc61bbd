"""Hand-written autograd.Function around a scatter of topk values; draws by an exponential race in float64."""

import torch


class _Keep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, k):
        values, indices = logits.topk(min(k, logits.shape[-1]), dim=-1)
        ctx.save_for_backward(indices)
        return torch.full_like(logits, float("-inf")).scatter_(-1, indices, values)

    @staticmethod
    def backward(ctx, grad):
        (indices,) = ctx.saved_tensors
        if not ctx.needs_input_grad[0]:
            return None, None
        return torch.zeros_like(grad).scatter(-1, indices, grad.gather(-1, indices)), None


def top_k_filter(logits, k):
    if k < 1:
        raise ValueError("k must be at least 1")
    return _Keep.apply(logits, k)


def sample_top_k(logits, k, temperature=1.0, generator=None):
    if temperature < 0:
        raise ValueError("temperature must not be below 0")
    logits = logits.detach()
    if temperature == 0:
        return logits.argmax(dim=-1)
    scores = top_k_filter(logits.double() / temperature, k)
    scores = scores - scores.amax(dim=-1, keepdim=True)
    noise = torch.empty_like(scores).exponential_(generator=generator)
    return torch.argmax(scores - noise.log(), dim=-1)
