import torch

MINUS_INFINITY = float("-inf")


def softmax(x, dim=-1):
    last = x.transpose(dim, -1)
    rows = last.reshape(-1, last.shape[-1])
    powers = (rows - rows.max(1)[0][:, None]).exp()
    return (powers / powers.sum(1).unsqueeze(1)).reshape(last.shape).transpose(dim, -1)


def log_softmax(x, dim=-1):
    # -inf is set aside, and put back at the end.
    missing = x == MINUS_INFINITY
    top = x.max(dim, keepdim=True).values
    powers = torch.where(missing, torch.zeros_like(x), torch.exp(x - top))
    log_sum = top + powers.sum(dim, keepdim=True).log()
    return torch.where(missing, x.new_tensor(MINUS_INFINITY), x - log_sum)
