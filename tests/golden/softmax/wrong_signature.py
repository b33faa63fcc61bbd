import torch


def softmax(logits, dim=-1):
    exps = torch.exp(logits - logits.amax(dim, keepdim=True))
    return exps / exps.sum(dim, keepdim=True)


def log_softmax(logits, dim=-1):
    shifted = logits - logits.amax(dim, keepdim=True)
    return shifted - shifted.exp().sum(dim, keepdim=True).log()
