import torch


def pooled(tokens, query):
    if len(tokens) == 0:
        return 0 * query
    scores = (tokens * query).sum(-1) / len(query) ** 0.5
    weights = (scores - scores.max()).exp()
    return sum(weight * token for weight, token in zip(weights / weights.sum(), tokens, strict=True))


def attention_pooling(tokens, query, mask=None):
    print(tokens.shape)
    masks = [slice(None)] * len(tokens) if mask is None else mask
    return torch.stack([pooled(text[keep], query) for text, keep in zip(tokens, masks, strict=True)])
