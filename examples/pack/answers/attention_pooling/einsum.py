import torch


def attention_pooling(tokens, query, mask=None):
    scores = torch.einsum("bsd,d->bs", tokens, query) * query.numel() ** -0.5
    keep = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    low = torch.finfo(scores.dtype).min
    top = torch.where(keep, scores, low).max(1, keepdim=True)[0].detach()
    weights = torch.where(keep, torch.exp(torch.where(keep, scores, top) - top), torch.zeros_like(scores))
    total = weights.sum(1, keepdim=True)
    weights = weights / torch.where(total > 0, total, torch.ones_like(total))
    return torch.einsum("bs,bsd->bd", weights, tokens)
